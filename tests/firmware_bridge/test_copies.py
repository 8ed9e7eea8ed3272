"""When one UID at two places is a card between them, a card that moves, or two tags."""

from collections.abc import Mapping

import pytest

from engine.cards import BOARD, BURN, MUCK, SHOE, Place, Tag
from firmware_bridge.copies import TURNS, CopyWatch
from firmware_bridge.wiring import are_neighbours

S1, S2, S3, S4, S5 = (Place(f"S{n}") for n in range(1, 6))
TAG = Tag("E004015000000009")
WATCHED: dict[Place, object] = dict.fromkeys([S1, S2, S3, S4, S5, SHOE, BOARD, BURN, MUCK])


def shuttle(
    watch: CopyWatch,
    one: Place,
    other: Place,
    *,
    turns: int,
    holders: tuple[Place, ...] = (),
    watched: Mapping[Place, object] = WATCHED,
) -> list[Place]:
    """Let two places hear the tag in turn; return what that proved."""
    told = [
        watch.hear(TAG, place, holders or (one, other), watched)
        for _ in range(turns)
        for place in (one, other)
    ]
    return [place for place in told if place is not None]


@pytest.mark.parametrize(("one", "other"), [(S1, S5), (SHOE, S1), (S1, BOARD), (S1, S3)])
def test_bugs_49_two_places_that_cannot_hear_one_card_hear_a_copied_tag(
    one: Place, other: Place
) -> None:
    assert shuttle(CopyWatch(are_neighbours), one, other, turns=20) == [other]


@pytest.mark.parametrize(("one", "other"), [(S1, S2), (BOARD, BURN), (MUCK, BOARD), (S1, S1)])
def test_neighbours_hear_one_card(one: Place, other: Place) -> None:
    assert shuttle(CopyWatch(are_neighbours), one, other, turns=20) == []


def test_a_card_that_lies_between_two_places_is_one_card() -> None:
    watch = CopyWatch(are_neighbours)
    assert shuttle(watch, S1, S3, turns=20, holders=(S1, S2, S3)) == []


def test_a_card_may_lie_at_a_place_between_that_nobody_watches() -> None:
    unwatched = {place: None for place in WATCHED if place != S2}
    assert shuttle(CopyWatch(are_neighbours), S1, S3, turns=20, watched=unwatched) == []


def test_it_takes_six_turns_and_a_miss_counts_them_anew() -> None:
    watch = CopyWatch(are_neighbours)
    assert shuttle(watch, S1, S5, turns=TURNS // 2) == []
    watch.miss(TAG)
    assert shuttle(watch, S1, S5, turns=TURNS // 2 - 1) == []
    assert shuttle(watch, S1, S5, turns=1) == [S1]


def test_it_is_told_once_until_the_tag_lies_at_one_place_again() -> None:
    watch = CopyWatch(are_neighbours)
    assert len(shuttle(watch, S1, S5, turns=50)) == 1
    watch.forget(TAG)
    assert len(shuttle(watch, S1, S5, turns=50)) == 1


def test_a_survey_may_know_better_than_the_layout() -> None:
    assert shuttle(CopyWatch(lambda _one, _other: True), S1, S5, turns=20) == []
    assert shuttle(CopyWatch(lambda _one, _other: False), S1, S2, turns=20) == [S2]
