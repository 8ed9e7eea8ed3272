"""Whose turn it is."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.cards import SHOE, Place, seat_place
from firmware_bridge.rota import Rota

MS = 1_000_000
SEATS = {n: seat_place(n) for n in range(1, 9)}


def turns(rota: Rota, count: int, *, unsure: Place | None = None) -> list[int]:
    taken: list[int] = []
    for n in range(count):
        antenna = next(iter(rota.due(lambda place: place == unsure).values()))
        rota.take_turn(antenna, n * 10 * MS)
        taken.append(antenna)
    return taken


def test_without_preference_antennas_take_turns_in_wiring_order() -> None:
    assert turns(Rota(SEATS), 16) == [*range(1, 9), *range(1, 9)]


def test_a_preferred_place_is_asked_first_and_often_and_no_other_is_starved() -> None:
    rota = Rota(SEATS)
    turns(rota, 8)
    rota.prefer([SEATS[5]])
    taken = turns(rota, 110)
    assert 5 in taken[:2]
    assert Counter(taken)[5] in range(35, 45)
    for antenna in SEATS:
        gaps = [n for n, each in enumerate(taken) if each == antenna]
        assert max(b - a for a, b in pairwise(gaps)) <= 12


def test_a_tag_to_confirm_and_the_shoe_are_as_urgent() -> None:
    assert Counter(turns(Rota(SEATS), 110, unsure=SEATS[3]))[3] in range(35, 45)
    assert Counter(turns(Rota({**SEATS, 9: SHOE}), 110))[9] in range(33, 45)


def test_an_antenna_that_is_passed_over_comes_next() -> None:
    rota = Rota(SEATS)
    rota.take_turn(2, 0)
    due = rota.due(lambda place: place == SEATS[2])
    assert list(due.values()) == [2, 1, 3, 4, 5, 6, 7, 8]
    assert list(due) == [SEATS[n] for n in due.values()]
    assert list(rota.due(lambda _place: False).values()) == [1, 3, 4, 5, 6, 7, 8, 2]


def test_the_cycle_time_is_the_wait_of_the_slowest_antenna() -> None:
    rota = Rota(SEATS)
    turns(rota, 8)
    assert rota.cycle_ns == 0
    turns(rota, 8)
    rota = Rota({1: SEATS[1], 2: SEATS[2]})
    for antenna, at_ms in [(1, 0), (2, 30), (1, 50), (2, 110)]:
        rota.take_turn(antenna, at_ms * MS)
    assert rota.cycle_ns == 80 * MS


@given(st.lists(st.sampled_from(list(SEATS.values())), unique=True), st.integers(50, 200))
def test_whatever_is_preferred_every_antenna_has_its_turn(
    preferred: list[Place], count: int
) -> None:
    rota = Rota(SEATS)
    rota.prefer(preferred)
    assert set(turns(rota, count)) == set(SEATS)
