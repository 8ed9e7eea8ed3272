"""Faults are drawn by rate and seed, and each does what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Tag
from hw_fixtures.faults import Faults, FaultSource

OWN = tuple(Tag(f"E00401080000000{n}") for n in range(4))
BESIDE = (Tag("E0040108AAAAAAAA"),)
EVERYTHING = Faults(
    seed=3,
    bit_error=0.2,
    lost_byte=0.2,
    doubled_byte=0.2,
    delayed=0.5,
    late=0.2,
    missed_tag=0.3,
    ghost_tag=0.3,
    cross_read=0.3,
)


def doings(faults: Faults) -> list[object]:
    """Put the same questions to a fresh source."""
    source = FaultSource(faults)
    return [
        answer
        for _ in range(20)
        for answer in (
            source.spoil(bytes(range(30))),
            source.hear(OWN, BESIDE),
            source.lateness_ms(),
            source.garble(b"abc"),
            source.cut(b"abcdef"),
        )
    ]


def test_the_same_seed_repeats_the_same_faults() -> None:
    assert doings(EVERYTHING) == doings(EVERYTHING)


def test_another_seed_makes_other_faults() -> None:
    other = Faults(seed=4, bit_error=0.2, missed_tag=0.3)
    assert doings(EVERYTHING) != doings(other)


@given(st.binary(max_size=100), st.integers())
def test_without_rates_nothing_happens(data: bytes, seed: int) -> None:
    source = FaultSource(Faults(seed=seed))
    assert source.spoil(data) == data
    assert source.hear(OWN, BESIDE) == OWN
    assert source.lateness_ms() == 0


@pytest.mark.parametrize(
    ("faults", "arrived"),
    [
        (Faults(lost_byte=1), b""),
        (Faults(doubled_byte=1), b"\x01\x01\x02\x02\x03\x03"),
    ],
)
def test_bytes_are_lost_or_doubled(faults: Faults, arrived: bytes) -> None:
    assert FaultSource(faults).spoil(b"\x01\x02\x03") == arrived


@given(st.binary(min_size=1, max_size=50), st.integers())
def test_a_bit_error_turns_one_bit_of_a_byte(data: bytes, seed: int) -> None:
    arrived = FaultSource(Faults(bit_error=1, seed=seed)).spoil(data)
    assert [(a ^ b).bit_count() for a, b in zip(arrived, data, strict=True)] == [1] * len(data)


@pytest.mark.parametrize(
    ("faults", "heard"),
    [(Faults(missed_tag=1), ()), (Faults(cross_read=1), (*OWN, *BESIDE))],
)
def test_tags_are_missed_or_heard_from_next_door(faults: Faults, heard: tuple[Tag, ...]) -> None:
    assert FaultSource(faults).hear(OWN, BESIDE) == heard


def test_nothing_is_heard_from_next_door_where_nothing_lies() -> None:
    assert FaultSource(Faults(cross_read=1)).hear(OWN, ()) == OWN


def test_a_ghost_is_a_tag_that_no_card_has() -> None:
    *own, ghost = FaultSource(Faults(ghost_tag=1)).hear(OWN, BESIDE)
    assert tuple(own) == OWN
    assert ghost not in {*OWN, *BESIDE}
    assert len(bytes.fromhex(ghost)) == 8


def test_delays_and_late_answers_add_up() -> None:
    faults = Faults(delayed=1, delay_ms=20, late=1, late_ms=500)
    assert FaultSource(faults).lateness_ms() == 520


@given(st.binary(min_size=1, max_size=50), st.integers())
def test_at_a_wrong_speed_no_byte_is_right_and_a_break_down_cuts_the_answer(
    data: bytes, seed: int
) -> None:
    source = FaultSource(Faults(seed=seed))
    assert all(a != b for a, b in zip(source.garble(data), data, strict=True))
    left = source.cut(data)
    assert len(left) < len(data)
    assert data.startswith(left)


def test_a_rate_is_kept() -> None:
    source = FaultSource(Faults(seed=1))
    assert 900 < sum(source.happens(0.1) for _ in range(10_000)) < 1100
