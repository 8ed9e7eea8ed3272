"""The camera over a scripted table: what is painted, what is told, what no picture shows."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from engine.cards import BOARD, BURN, FLOOR, MUCK, SHOE, STUB, Card, Place, Tag
from engine.events import BackMarked, BackSighted, CardLost, CardSighted, CutMade
from hw_fixtures.picture.layout import FULL_HD
from hw_fixtures.picture.truth import TruthEye
from misdeal.filming import ScriptedCamera, is_told, sight_words
from misdeal.moments import Moment, Sight
from vision.watcher import CameraEvent

NINE, KING, S1 = Tag("E0"), Tag("E1"), Place("S1")
FACES = {NINE: Card("9h"), KING: Card("Kd")}

MS = 1_000_000


def face(card: str, place: Place = S1, at_ns: int = 0) -> CardSighted:
    return CardSighted(at_ns=at_ns, place=place, card=Card(card))


def lost(card: str, place: Place = S1) -> CardLost:
    return CardLost(at_ns=0, place=place, card=Card(card))


def back(place: Place = S1) -> BackSighted:
    return BackSighted(at_ns=0, place=place)


def camera() -> ScriptedCamera:
    return ScriptedCamera(FACES, TruthEye(FULL_HD))


def told(filmed: ScriptedCamera, moment: Moment, frames: int = 20) -> list[Sight]:
    """Let a moment happen at a table that is still; return what is told of it, times left out."""
    filmed.settle()
    assert filmed.follow(moment) == []
    return plain(event for _ in range(frames) for event in filmed.shoot())


def plain(events: Iterable[CameraEvent]) -> list[Sight]:
    found: list[Sight] = []
    for event in events:
        assert isinstance(event, (BackSighted, CardSighted, CardLost)), event
        found.append(replace(event, at_ns=0))
    return found


def test_a_card_that_is_laid_face_up_is_told_when_it_has_come_to_rest() -> None:
    filmed = camera()
    filmed.settle()
    begun_ns = filmed.now_ns
    assert filmed.follow(Moment(laid={S1: [NINE]}, seen=[face("9h")])) == []
    events = [event for _ in range(20) for event in filmed.shoot()]
    assert plain(events) == [face("9h")]
    # It is on its way for 200 ms, and its hand has left a frame or two later.
    assert 200 * MS <= events[0].at_ns - begun_ns <= 300 * MS


def test_a_card_that_is_laid_face_down_is_told_as_a_back() -> None:
    assert told(camera(), Moment(laid={S1: [NINE]})) == [back()]


def test_what_lay_there_before_is_told_while_the_table_settles() -> None:
    filmed = camera()
    filmed.settle()
    filmed.follow(Moment(laid={S1: [NINE], SHOE: [KING]}))
    assert told(filmed, Moment(laid={BOARD: [KING]}, seen=[face("Kd", BOARD)])) == [
        face("Kd", BOARD)
    ]


def test_a_card_is_turned_over_where_it_lies() -> None:
    filmed = camera()
    filmed.settle()
    filmed.follow(Moment(laid={S1: [NINE]}))
    assert told(filmed, Moment(seen=[face("9h")])) == [face("9h")]
    assert told(filmed, Moment(seen=[lost("9h")])) == [lost("9h"), back()]


@pytest.mark.parametrize(
    ("sight", "expected"),
    [(back(), back()), (face("9h"), face("9h")), (face("Kd", STUB), face("Kd", STUB))],
)
def test_a_card_that_no_reader_hears_is_painted_all_the_same(sight: Sight, expected: Sight) -> None:
    assert told(camera(), Moment(seen=[sight])) == [expected]


@pytest.mark.parametrize(
    "sight",
    [
        face("9h", FLOOR),
        face("9h", BURN),
        back(MUCK),
        CardSighted(at_ns=0, place=S1, card=Card("9h"), tag=NINE),
        CardSighted(at_ns=0, place=S1),
        lost("9h"),
        CutMade(at_ns=0, top=26, bottom=26),
        BackMarked(at_ns=0, place=S1),
    ],
    ids=["floor", "burn", "muck", "misread", "unread", "not there", "cut", "mark"],
)
def test_what_no_picture_shows_is_left_to_be_told(sight: Sight) -> None:
    assert camera().follow(Moment(seen=[sight])) == [sight]


def test_a_card_that_is_burned_face_up_is_painted_and_left_to_be_told() -> None:
    sight = face("9h", BURN)
    assert camera().follow(Moment(laid={BURN: [NINE]}, seen=[sight])) == [sight]


def test_a_card_that_is_seen_twice_is_painted_once() -> None:
    filmed = camera()
    assert filmed.follow(Moment(laid={S1: [NINE]}, seen=[face("9h")])) == []
    assert filmed.follow(Moment(seen=[face("9h")])) == [face("9h")]


def test_a_tag_of_no_register_has_no_face_to_paint() -> None:
    assert told(camera(), Moment(laid={S1: [Tag("X")]})) == []


@pytest.mark.parametrize("is_all", [False, True])
def test_cards_are_taken_away_one_by_one_or_all(is_all: bool) -> None:
    filmed = camera()
    filmed.settle()
    filmed.follow(Moment(laid={S1: [NINE]}, seen=[face("9h")]))
    filmed.settle()
    if is_all:
        filmed.clear()
    else:
        filmed.take_away([NINE])
    assert plain(event for _ in range(20) for event in filmed.shoot()) == [lost("9h")]


def test_a_sight_is_told_whenever_it_was() -> None:
    assert is_told(face("9h"), [back(), face("9h", at_ns=5)])
    assert not is_told(face("9h"), [face("Kd"), lost("9h")])


@pytest.mark.parametrize(
    ("sight", "words"),
    [
        (face("9h"), "CardSighted 9h S1"),
        (back(), "BackSighted S1"),
        (CutMade(at_ns=0, top=26, bottom=26), "CutMade"),
    ],
)
def test_a_sight_in_words(sight: Sight, words: str) -> None:
    assert sight_words(sight) == words
