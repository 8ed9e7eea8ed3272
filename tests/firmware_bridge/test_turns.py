"""Whose turn it is where neighbours belong to different readers: a simulated clock, no bridge."""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import Place, seat_place
from firmware_bridge.rota import Rota
from firmware_bridge.turns import Turns
from firmware_bridge.wiring import are_neighbours

Wiring = Sequence[Sequence[int]]
"""The seats of each reader."""
S1, S2, S3, S4 = (seat_place(n) for n in range(1, 5))
NOTHING: frozenset[Place] = frozenset()


def play(
    wiring: Wiring, took_ms: Callable[[int], int], until_ms: int, preferred: Collection[int] = ()
) -> dict[int, list[int]]:
    """Have readers ask as fast as they can; return when each seat was asked.

    Args:
        wiring: The readers.
        took_ms: How long the inventory of a seat takes.
        until_ms: How long they ask.
        preferred: Seats that are due cards.
    """
    turns = Turns(are_neighbours)
    places = [{seat_place(seat): seat for seat in reader} for reader in wiring]
    rotas = [Rota({seat: seat_place(seat) for seat in reader}) for reader in wiring]
    for rota in rotas:
        rota.prefer([seat_place(seat) for seat in preferred])
    began: dict[int, list[int]] = {seat: [] for reader in wiring for seat in reader}
    asked: dict[int, tuple[int, Place]] = {}
    now_ms = 0
    while now_ms < until_ms:
        for number, rota in enumerate(rotas):
            if number in asked:
                continue
            ready = [p for other, each in enumerate(places) if other != number for p in each]
            busy = [place for _, place in asked.values()]
            place = turns.choose(rota.due(lambda _place: False), busy, ready)
            if place is not None:
                assert not any(are_neighbours(place, other) for other in busy)
                seat = places[number][place]
                rota.take_turn(seat, now_ms)
                began[seat].append(now_ms)
                asked[number] = (now_ms + took_ms(seat), place)
        assert asked, "they all wait for each other"
        now_ms = min(asked.values())[0]
        asked = {number: each for number, each in asked.items() if each[0] > now_ms}
    return began


def longest_wait(began_ms: list[int], until_ms: int) -> int:
    return max(b - a for a, b in pairwise([0, *began_ms, until_ms]))


@pytest.mark.parametrize(
    ("wiring", "waits_ms"),
    [
        ([[1], [2]], [20, 20]),
        ([[1], [2], [3]], [20, 20, 20]),
        ([[4], [1, 2, 3]], [20, 30, 30, 40]),
        ([[1, 4, 7], [2, 5, 8], [3, 6, 9]], [*[30] * 8, 40]),
        ([[seat] for seat in range(1, 10)], [20, 20, 20, 30, 30, 30, 30, 30, 30]),
    ],
)
def test_no_seat_is_kept_waiting_for_the_neighbours_sake(
    wiring: Wiring, waits_ms: list[int]
) -> None:
    """Ten milliseconds an inventory; two neighbours take turns."""
    began = play(wiring, lambda _seat: 10, 10_000)
    assert [longest_wait(each, 10_000) for each in began.values()] == waits_ms


def test_neighbours_that_are_far_enough_are_asked_side_by_side() -> None:
    began = play([[1], [3], [5]], lambda _seat: 10, 100)
    assert [len(each) for each in began.values()] == [10, 10, 10]


@st.composite
def draw_wiring(draw: st.DrawFn) -> list[list[int]]:
    """Draw seats in any order and where one reader ends and the next begins."""
    seats = draw(st.integers(2, 10).flatmap(lambda n: st.permutations(range(1, n + 1))))
    ends = draw(st.sets(st.integers(1, len(seats) - 1)))
    return [list(seats[a:b]) for a, b in pairwise([0, *sorted(ends), len(seats)])]


@settings(max_examples=60)
@given(draw_wiring(), st.lists(st.integers(5, 40), min_size=10, max_size=10))
def test_however_readers_are_wired_no_place_waits_longer_than_two_rounds(
    wiring: list[list[int]], takes_ms: list[int]
) -> None:
    """Two rounds of the reader with the most antennas, and two inventories, of the slowest."""
    began = play(wiring, lambda seat: takes_ms[seat - 1], 2_000)
    most = 2 * max(map(len, wiring)) + 2
    assert all(longest_wait(each, 2_000) <= most * max(takes_ms) for each in began.values())


@settings(max_examples=60)
@given(
    draw_wiring(),
    st.lists(st.integers(5, 40), min_size=10, max_size=10),
    st.frozensets(st.integers(1, 10)),
)
def test_whoever_is_due_cards_no_place_waits_longer_than_five_rounds(
    wiring: list[list[int]], takes_ms: list[int], preferred: frozenset[int]
) -> None:
    began = play(wiring, lambda seat: takes_ms[seat - 1], 4_000, preferred)
    most = 5 * max(map(len, wiring)) + 2
    assert all(longest_wait(each, 4_000) <= most * max(takes_ms) for each in began.values())


def test_a_place_that_could_not_be_asked_comes_next_and_who_is_near_keeps_off() -> None:
    turns = Turns(are_neighbours)
    assert turns.choose([S3], [S4], [S4]) is None
    assert turns.choose([S4], [], [S3]) is None
    assert turns.choose([S1, S3], [], [S4]) == S3
    assert turns.choose([S4], [S3], [S3, S1]) is None
    assert turns.choose([S4], [], [S3, S1]) == S4


def test_nobody_keeps_off_for_a_reader_that_does_not_work() -> None:
    turns = Turns(are_neighbours)
    assert turns.choose([S3], [S4], [S4]) is None
    assert turns.choose([S4], [], NOTHING) == S4


def test_who_waits_for_one_that_waits_keeps_nobody_else_off() -> None:
    turns = Turns(are_neighbours)
    assert turns.choose([S2], [S1], [S1, S3, S4]) is None
    assert turns.choose([S3], [S1], [S1, S2, S4]) is None
    assert turns.choose([S4], [S1], [S1, S2, S3]) == S4
