"""Looks in, events out: cards that go, are covered and turned; and looks in any order."""

from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Card, Place
from engine.events import BackSighted, CardLost, CardSighted, Event
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
from tests.vision.painted import S1, S2, corners
from vision.lying import Lying
from vision.seen import Seen, SeenCard
from vision.track import EMPTY_FRAMES


# ---------------------------------------------------------------- cards go
def test_a_card_is_lost_when_its_place_was_empty_for_ten_frames() -> None:
    table = with_nine()
    table.change(cards={})
    assert table.look(EMPTY_FRAMES - 1) == []
    assert table.look(1) == [lost(NINE, 11)]


def test_the_empty_place_needs_one_look_and_then_none() -> None:
    table = with_nine()
    table.change(cards={})
    assert table.look(1) == []
    assert table.tracker.is_waiting
    assert table.rest(EMPTY_FRAMES - 1) == [lost(NINE, 11)]
    assert not table.tracker.is_waiting


def test_while_something_moves_about_a_card_is_lost_after_a_second_and_a_half() -> None:
    table = with_nine()
    table.change(cards={}, moving=[RIGHT])
    assert table.look(46) == []
    assert table.look(1) == [lost(NINE, 11)]


def test_a_card_under_a_hand_is_not_lost() -> None:
    table = with_nine()
    table.change(hidden={LEFT})
    assert table.look(300) == []
    table.change(hidden=set())
    assert table.look(30) == []
    assert [card.card for card in table.tracker.cards] == [NINE]


def test_nor_is_one_that_the_eye_does_not_find_any_more() -> None:
    table = with_nine()
    assert table.look(300, Seen()) == []


def test_what_flickers_is_nothing() -> None:
    table = Table()
    for _ in range(20):
        table.cards = {LEFT: NINE}
        assert table.look(2) == []
        table.cards = {}
        assert table.look(4) == []


def test_a_card_that_is_turned_over_is_lost_and_its_back_is_sighted() -> None:
    table = with_nine()
    table.change(cards={(116.0, 138.0): None})
    assert table.look(20) == [lost(NINE, 11), back(11)]
    table.change(cards={LEFT: NINE})
    assert table.look(20) == [sighted(NINE, 31)]


def test_a_card_that_another_one_covers_in_part_is_still_there() -> None:
    table = with_nine()
    table.change(cards={LEFT: NINE, (110.0, 185.0): KING}, hidden={LEFT})
    assert table.look(20) == [sighted(KING, 11)]
    table.change(cards={LEFT: NINE}, hidden=set())
    assert table.look(20) == [lost(KING, 31)]


def test_a_pause_forgets_what_was_half_sure_and_keeps_what_was_told() -> None:
    table = with_nine()
    table.change(cards={LEFT: NINE, RIGHT: KING})
    table.look(3)
    table.tracker.pause()
    assert table.look(3) == []
    assert table.look(1) == [sighted(KING, 11)]


def test_a_place_that_was_not_looked_at_has_lost_nothing() -> None:
    table = with_nine()
    table.change(cards={})
    table.frame += 1
    assert table.tracker.see(Seen(), table, [S2]) == []
    assert not table.tracker.is_waiting
    beyond = Seen(cards=(SeenCard(KING, 0.9, corners(*RIGHT)),))
    for _ in range(10):
        assert table.tracker.see(beyond, table, [S2]) == []


def test_what_cannot_be_made_out_is_not_looked_at_for_ever() -> None:
    table = Table()
    table.change(cards={LEFT: NINE}, unread={LEFT})
    table.look(40)
    assert table.tracker.pending() == {S1}
    table.look(10)
    assert table.tracker.pending() == frozenset()


def test_there_is_an_end_to_what_is_followed() -> None:
    # 22 columns and 8 rows are 176 cards.
    spots = [(x, y) for x in range(205, 755, 25) for y in range(305, 500, 25)]
    heap = Seen(cards=tuple(SeenCard(NINE, 0.9, corners(*at)) for at in spots))
    assert len(Table().look(4, heap)) == 120


# ---------------------------------------------------------------- any order
spots = st.sampled_from([LEFT, MIDDLE, RIGHT, (700.0, 140.0), (400.0, 400.0), (400.0, 270.0)])
looks = st.dictionaries(spots, st.sampled_from([NINE, KING, None]), max_size=4)


@given(st.lists(looks, max_size=60), st.data())
def test_any_flicker_gives_events_that_can_be_true(
    frames: list[dict[tuple[float, float], Card | None]], data: st.DataObject
) -> None:
    table = Table()
    up: dict[tuple[Place, Card | None], int] = {}
    for cards in frames:
        table.change(cards=cards, moving=data.draw(st.lists(spots, max_size=2)))
        for event in table.look(1):
            assert event.at_ns <= table.at_ns
            match event:
                case CardSighted():
                    up[event.place, event.card] = up.get((event.place, event.card), 0) + 1
                case CardLost():
                    up[event.place, event.card] -= 1
                    assert up[event.place, event.card] >= 0
                case _:
                    assert isinstance(event, BackSighted)


@given(
    st.lists(
        st.builds(
            SeenCard,
            st.sampled_from([NINE, KING, None]),
            st.floats(),
            st.tuples(*[st.tuples(st.floats(), st.floats())] * 4),
        ),
        max_size=8,
    )
)
def test_no_look_makes_it_raise(cards: list[SeenCard]) -> None:
    Table().look(3, Seen(cards=tuple(cards)))


@given(st.permutations([LEFT, MIDDLE, RIGHT]), st.lists(st.integers(5, 20), min_size=3, max_size=3))
def test_cards_that_are_laid_one_after_the_other_are_told_once_each(
    order: list[tuple[float, float]], pauses: list[int]
) -> None:
    table = Table()
    wanted: list[Event] = []
    for at, card, pause in zip(order, (NINE, KING, ACE), pauses, strict=True):
        table.change(cards={**table.cards, at: card})
        wanted.append(sighted(card, table.frame + 1))
        table.look(pause)
    assert [event for _, event in table.told] == wanted


def test_a_told_card_shows_where_it_lies() -> None:
    table = with_nine()
    (card,) = table.tracker.cards
    assert isinstance(card, Lying)
    assert (card.place, card.card, card.is_back) == (S1, NINE, False)
    assert card.corners == corners(*LEFT)
