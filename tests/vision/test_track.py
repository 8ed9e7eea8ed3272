"""Looks in, events out: cards that come to lie, are read, and are pushed about."""

from collections.abc import Iterable

import pytest

from engine.cards import BOARD, BURN, MUCK, PACK, RACK, STUB, Card, Place
from engine.events import Event
from tests.vision.laid import (
    ACE,
    KING,
    LEFT,
    MIDDLE,
    NINE,
    RIGHT,
    Table,
    back,
    lost,
    sighted,
    with_nine,
)
from tests.vision.painted import FRAME_NS, S1, S2, ZONES, corners
from vision.lying import items_of
from vision.seen import Corners, Seen, SeenBack, SeenCard
from vision.track import EMPTY_FRAMES, Tracker


# ---------------------------------------------------------------- cards come
def test_a_card_is_told_with_the_fourth_look_and_the_time_of_the_first_frame() -> None:
    table = Table()
    table.look(5)
    table.change(cards={LEFT: NINE})
    assert table.look(3) == []
    assert table.look(1) == [sighted(NINE, 6)]
    assert table.look(30) == []


def test_a_back_is_told_likewise() -> None:
    table = Table()
    table.change(cards={LEFT: None})
    assert table.look(3) == []
    assert table.look(1) == [back(1)]
    assert table.look(30) == []


def test_a_card_is_told_in_time_for_300_ms() -> None:
    table = Table()
    table.change(cards={LEFT: NINE, MIDDLE: KING}, unread={MIDDLE})
    table.look(9)
    late_ns = {event.at_ns: frame * FRAME_NS - event.at_ns for frame, event in table.told}
    assert [event for _, event in table.told] == [sighted(NINE, 1), sighted(None, 1)]
    assert max(late_ns.values()) < 300_000_000


def test_while_something_moves_over_it_a_card_is_not_told() -> None:
    table = Table()
    table.change(cards={LEFT: NINE}, moving=[LEFT])
    assert table.look(20) == []
    table.change(moving=[])
    assert table.look(4) == [sighted(NINE, 21)]


def test_a_card_that_is_still_pushed_is_told_where_it_comes_to_rest() -> None:
    table = Table()
    for step in range(10):
        table.change(cards={(100.0 + 6 * step, 140.0): NINE})
        assert table.look(1) == []
    assert table.look(4) == [sighted(NINE, 10)]


def test_a_face_that_cannot_be_read_is_told_later_and_named_when_it_can_be() -> None:
    table = Table()
    table.change(cards={LEFT: NINE}, unread={LEFT})
    assert table.look(7) == []
    assert table.look(1) == [sighted(None, 1)]
    assert table.tracker.pending() == {S1}
    table.unread = set()
    assert table.look(3) == []
    assert table.look(1) == [sighted(NINE, 1)]
    assert table.tracker.pending() == frozenset()


def test_looks_that_do_not_agree_are_a_face_that_cannot_be_read() -> None:
    table = Table()
    table.look(0)
    for card in (NINE, KING, ACE) * 3:
        table.cards = {LEFT: card}
        table.look(1)
    assert [event for _, event in table.told] == [sighted(None, 0)]


def test_one_odd_look_changes_nothing() -> None:
    table = with_nine()
    table.cards = {LEFT: KING}
    assert table.look(1) == []
    table.cards = {LEFT: NINE}
    assert table.look(30) == []


def test_a_card_that_was_taken_for_another_one_is_corrected_by_many_looks() -> None:
    table = with_nine()
    table.cards = {LEFT: KING}
    assert table.look(7) == []
    assert table.look(2) == [lost(NINE, 1), sighted(KING, 1)]


def test_a_card_that_was_exchanged_under_a_hand_is_told_at_once() -> None:
    table = with_nine()
    table.change(hidden={LEFT})
    assert table.look(5) == []
    table.change(cards={LEFT: KING}, hidden=set())
    assert table.look(6) == [lost(NINE, 16), sighted(KING, 16)]


def test_a_doubtful_reading_is_not_told_before_its_rival_is_out_of_the_race() -> None:
    table = Table()
    doubtful = Seen(cards=(SeenCard(NINE, 0.05, corners(*LEFT)),))
    assert table.look(7, doubtful) == []
    assert table.look(1, doubtful) != []


def test_what_is_found_twice_is_one_card() -> None:
    twice = Seen(
        cards=(
            SeenCard(NINE, 0.9, corners(110, 140)),
            SeenCard(NINE, 0.95, corners(113, 141)),
            SeenCard(None, 0.8, corners(112, 139)),
        ),
        backs=(SeenBack(0.9, corners(270, 140)), SeenBack(0.8, corners(272, 140))),
    )
    assert [item.confidence for item in items_of(twice)] == [0.95, 0.9]
    assert Table().look(10, twice) == [sighted(NINE, 0), back(0)]


@pytest.mark.parametrize(
    "quad",
    [
        corners(float("nan"), 140.0),
        corners(float("inf"), 140.0),
        ((110.0, 140.0),) * 4,
    ],
    ids=["no number", "beyond everything", "a point"],
)
def test_what_has_no_shape_is_no_card(quad: Corners) -> None:
    assert Table().look(10, Seen(cards=(SeenCard(NINE, 0.9, quad),))) == []


# ---------------------------------------------------------------- places
def test_between_the_places_a_card_waits() -> None:
    table = Table()
    table.change(cards={(400.0, 270.0): NINE})
    assert table.look(30) == []
    table.change(cards={(400.0, 350.0): NINE})
    assert table.look(4) == [sighted(NINE, 31, BOARD)]


def test_of_the_stub_faces_are_told_and_backs_are_not() -> None:
    table = Table(tracker=Tracker({STUB: ZONES[S1]}))
    table.change(cards={LEFT: None, RIGHT: NINE})
    assert table.look(10) == [sighted(NINE, 1, STUB)]


@pytest.mark.parametrize("place", [MUCK, BURN, RACK, PACK])
def test_of_piles_nothing_is_told(place: Place) -> None:
    table = Table(tracker=Tracker({place: ZONES[S1]}))
    table.change(cards={LEFT: NINE, RIGHT: None})
    assert table.look(10) == []


def test_a_card_that_is_pushed_within_its_place_is_the_same_card() -> None:
    table = with_nine()
    table.change(cards={RIGHT: NINE}, moving=[RIGHT])
    assert table.look(12) == []
    table.change(moving=[])
    assert table.look(30) == []
    table.change(cards={})
    assert table.look(EMPTY_FRAMES) == [lost(NINE, 53)]


@pytest.mark.parametrize("card", [NINE, None])
def test_so_is_one_that_is_pushed_by_less_than_its_width(card: Card | None) -> None:
    table = Table()
    table.change(cards={LEFT: card})
    table.look(10)
    table.change(cards={(132.0, 145.0): card})
    assert table.look(60) == []
    assert [each.middle for each in table.tracker.cards] == [(132.0, 145.0)]


def test_a_back_that_is_laid_half_over_another_is_a_second_one() -> None:
    table = Table()
    table.change(cards={LEFT: None})
    table.look(10)
    table.change(cards={LEFT: None, (132.0, 145.0): None}, hidden={LEFT})
    assert table.look(60) == [back(11)]


def test_the_same_face_beside_a_covered_one_waits_until_that_is_seen() -> None:
    table = with_nine()
    table.change(cards={LEFT: NINE, RIGHT: NINE}, hidden={LEFT})
    assert table.look(20) == []
    table.change(hidden=set())
    assert table.look(1) == [sighted(NINE, 11)]


def test_or_until_its_spot_is_seen_bare() -> None:
    table = with_nine()
    table.change(cards={RIGHT: NINE}, hidden={LEFT})
    assert table.look(20) == []
    table.change(hidden=set())
    assert table.look(60) == []


def test_or_two_seconds() -> None:
    table = with_nine()
    table.change(cards={LEFT: NINE, RIGHT: NINE}, hidden={LEFT})
    assert table.look(60) == []
    assert table.look(2) == [sighted(NINE, 11)]


def test_a_back_that_is_pushed_or_looked_at_is_no_other_back() -> None:
    table = Table()
    table.change(cards={LEFT: None})
    assert table.look(4) == [back(1)]
    table.change(cards={})
    assert table.look(90) == []
    table.change(cards={RIGHT: None})
    assert table.look(30) == []


def test_a_back_that_comes_four_seconds_later_is_another_one() -> None:
    table = Table()
    table.change(cards={LEFT: None})
    table.look(4)
    table.change(cards={})
    assert table.look(130) == []
    table.change(cards={RIGHT: None})
    assert table.look(4) == [back(135)]


def test_a_second_back_beside_a_covered_one_is_another_one() -> None:
    table = Table()
    table.change(cards={LEFT: None})
    table.look(4)
    table.change(cards={LEFT: None, RIGHT: None}, hidden={LEFT})
    assert table.look(4) == [back(5)]


def test_a_card_that_is_pushed_to_another_place_is_lost_and_sighted() -> None:
    table = with_nine()
    table.change(cards={(700.0, 140.0): NINE})
    events = table.look(20)
    assert events == [sighted(NINE, 11, S2), lost(NINE, 11)]


NEIGHBOURS = {
    S1: ((0.0, 0.0), (200.0, 0.0), (200.0, 300.0), (0.0, 300.0)),
    S2: ((200.0, 0.0), (400.0, 0.0), (400.0, 300.0), (200.0, 300.0)),
}


@pytest.mark.parametrize(
    ("stops", "told"),
    [
        (range(157, 263, 7), [sighted(NINE, 26, S2), lost(NINE, 22)]),
        ((164, 178, 192, 210), [lost(NINE, 14), sighted(NINE, 14, S2)]),
    ],
    ids=["and far", "and just over the line"],
)
def test_so_is_one_that_is_pushed_there_before_the_eye(
    stops: Iterable[int], told: list[Event]
) -> None:
    table = Table(tracker=Tracker(NEIGHBOURS))
    table.change(cards={(150.0, 140.0): NINE})
    table.look(10)
    for x in stops:
        table.change(cards={(float(x), 140.0): NINE})
        table.look(1)
    table.look(30)
    assert [event for _, event in table.told] == [sighted(NINE, 1), *told]


def test_a_card_on_the_line_of_its_place_stays_there() -> None:
    table = Table()
    table.change(cards={(338.0, 140.0): NINE})
    assert table.look(5) == [sighted(NINE, 1)]
    table.cards = {(343.0, 140.0): NINE}
    assert table.look(30) == []
