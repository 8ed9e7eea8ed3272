"""Painted films through gate, eye, tracker and health: what is told, and what the eye is shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import MUCK, Card
from engine.events import BackSighted, CardLost, CardSighted, DeviceFaulted, DeviceRestored
from tests.vision.painted import (
    BOARD,
    CALIBRATION,
    FRAME_NS,
    HIGH,
    S1,
    S2,
    WIDE,
    ZONES,
    Film,
    Painted,
    PlainEye,
    bare,
)
from vision.seen import Seen, SeenBack, SeenCard
from vision.watcher import Watcher, moved

NINE, KING = Card("9h"), Card("Kd")
FAR = ((800.0, 300.0), (950.0, 300.0), (950.0, 500.0), (800.0, 500.0))
OUTSIDE, LAID = (190.0, -60.0), (190.0, 140.0)


def begun() -> Film:
    """A film of a table that is bare for twenty frames."""
    film = Film()
    assert film.run(20) == []
    return film


def with_nine() -> Film:
    """A film in which a nine has lain in S1 for a second."""
    film = begun()
    film.table.cards["nine"] = (NINE, *LAID)
    assert film.run(30) == [CardSighted(at_ns=21 * FRAME_NS, place=S1, card=NINE)]
    return film


# ---------------------------------------------------------------- cards
def test_a_card_that_is_dealt_is_told_four_frames_after_it_has_come_to_rest() -> None:
    film = begun()
    film.table.cards["nine"] = (NINE, *OUTSIDE)
    assert film.pull("nine", LAID, 6) == []
    rest = film.frame
    assert film.run(4) == [CardSighted(at_ns=rest * FRAME_NS, place=S1, card=NINE)]
    assert film.run(90) == []


def test_a_hand_over_a_card_is_nothing() -> None:
    film = with_nine()
    film.table.hands = [(150, 100, 260, 200)]
    assert film.run(60) == []
    film.table.hands = []
    assert film.run(60) == []


def test_a_hand_that_takes_the_card_away_is_a_loss_and_when() -> None:
    film = with_nine()
    film.table.hands = [(150, 0, 260, 200)]
    film.run(10)
    film.table.cards.clear()
    film.run(10)
    film.table.hands = []
    gone = film.frame + 1
    assert film.run(9) == []
    assert film.run(2) == [CardLost(at_ns=gone * FRAME_NS, place=S1, card=NINE)]


def test_a_card_that_is_turned_over_is_two_events_and_back_one() -> None:
    film = with_nine()
    film.table.cards["nine"] = (None, 192.0, 138.0)
    turned_ns = (film.frame + 1) * FRAME_NS
    assert film.run(30) == [
        CardLost(at_ns=turned_ns, place=S1, card=NINE),
        BackSighted(at_ns=turned_ns, place=S1),
    ]
    film.table.cards["nine"] = (NINE, *LAID)
    turned_ns = (film.frame + 1) * FRAME_NS
    assert film.run(30) == [CardSighted(at_ns=turned_ns, place=S1, card=NINE)]


@pytest.mark.parametrize("to", [(270.0, 160.0), (214.0, 146.0), (190.0, 164.0)])
@pytest.mark.parametrize("face", [NINE, None])
def test_a_card_that_is_pushed_within_its_place_is_nothing(
    face: Card | None, to: tuple[float, float]
) -> None:
    film = begun()
    film.table.cards["pushed"] = (face, *LAID)
    assert len(film.run(30)) == 1
    assert film.pull("pushed", to, 10) == []
    assert film.run(60) == []


def test_a_card_that_is_pushed_to_another_place_is_lost_and_sighted() -> None:
    film = with_nine()
    film.pull("nine", (480.0, 400.0), 15)
    rest = film.frame
    film.run(60)
    events = [event for _, event in film.told[1:]]
    assert sorted(map(type, events), key=str) == [CardLost, CardSighted]
    assert CardSighted(at_ns=rest * FRAME_NS, place=BOARD, card=NINE) in events


@pytest.mark.parametrize("light", [(0.7, 0.7, 0.7), (1.2, 1.2, 1.2), (0.9, 1.0, 1.1)])
def test_other_light_is_nothing(light: tuple[float, float, float]) -> None:
    film = with_nine()
    film.table.light = light
    assert film.run(40) == []
    film.table.light = (1.0, 1.0, 1.0)
    assert film.run(40) == []


def test_light_that_flickers_hides_no_card_that_comes() -> None:
    film = begun()
    film.table.cards["nine"] = (NINE, *LAID)
    first = film.frame + 1
    for at in range(40):
        film.table.light = (1.0, 1.0, 1.0) if at % 2 else (0.93, 0.93, 0.93)
        film.run(1)
    assert film.told == [(first + 4, CardSighted(at_ns=first * FRAME_NS, place=S1, card=NINE))]


def test_a_picture_that_shakes_tells_nothing_and_what_came_once_it_is_calm() -> None:
    film = with_nine()
    film.table.cards["king"] = (KING, 700.0, 140.0)
    for at in range(30):
        film.table.bump_px = ((at % 2) * 4, (at % 3) * 2)
        assert film.run(1) == []
    film.table.bump_px = (0, 0)
    calm = film.frame + 1
    assert film.run(10) == [CardSighted(at_ns=calm * FRAME_NS, place=S2, card=KING)]


def test_a_bump_is_a_fault_of_the_camera_and_no_card() -> None:
    film = with_nine()
    film.table.bump_px = (50, 20)
    (fault,) = film.run(90)
    assert isinstance(fault, DeviceFaulted)
    assert (fault.device, fault.reason) == ("camera", "was moved by 54 mm over the table")
    film.table.bump_px = (0, 0)
    assert [type(event) for event in film.run(90)] == [DeviceRestored]


# ---------------------------------------------------------------- the camera
def test_without_frames_the_camera_has_failed_and_comes_back() -> None:
    film = with_nine()
    newest_ns = film.frame * FRAME_NS
    watcher = film.watcher
    assert watcher.pass_time(newest_ns + 999_000_000) == []
    down = DeviceFaulted(device="camera", reason="gives no frames", at_ns=newest_ns + 1_000_000_000)
    assert watcher.pass_time(newest_ns + 1_000_000_000) == [down]
    assert watcher.pass_time(newest_ns + 2_000_000_000) == []
    film.frame += 90
    assert [type(event) for event in film.run(90)] == [DeviceRestored]


def test_a_camera_that_never_gave_a_frame_has_failed_after_a_second() -> None:
    watcher = Watcher(CALIBRATION, bare(), PlainEye())
    assert watcher.pass_time(500) == []
    assert len(watcher.pass_time(1_000_000_500)) == 1
    assert watcher.lose("was unplugged", 1_100_000_000) == []


def test_a_camera_that_is_lost_has_failed_at_once_with_the_reason() -> None:
    film = with_nine()
    lost = DeviceFaulted(device="camera", reason="was unplugged", at_ns=77)
    assert film.watcher.lose("was unplugged", 77) == [lost]


def test_a_picture_of_another_size_is_a_fault_at_once() -> None:
    film = begun()
    frame = film.table.frame()[: HIGH // 2, : WIDE // 2]
    (fault,) = film.watcher.see(frame, 21 * FRAME_NS)
    assert isinstance(fault, DeviceFaulted)
    assert fault.reason == "gives 480x272, was calibrated with 960x544"


def test_dark_is_a_fault_and_what_lies_there_afterwards_is_told() -> None:
    film = with_nine()
    film.table.light = (0.02, 0.02, 0.02)
    film.table.cards["king"] = (KING, 700.0, 140.0)
    dark = film.run(30)
    assert dark == [DeviceFaulted(device="camera", reason="is dark", at_ns=67 * FRAME_NS)]
    film.table.light = (1.0, 1.0, 1.0)
    del film.table.cards["nine"]
    events = film.run(60)
    assert [type(event) for event in events] == [DeviceRestored, CardSighted, CardLost]
    assert events[1] == CardSighted(at_ns=81 * FRAME_NS, place=S2, card=KING)


def test_a_place_that_is_covered_for_ten_seconds_is_blocked() -> None:
    film = begun()
    film.table.hands = [(590, 30, 930, 250)]
    blocked = film.run(305)
    assert blocked == [
        DeviceFaulted(device="camera:S2", reason="the view is blocked", at_ns=322 * FRAME_NS)
    ]
    film.table.hands = []
    assert [type(event) for event in film.run(40)] == [DeviceRestored]


def test_a_muck_full_of_cards_is_not_blocked() -> None:
    film = Film(calibration=replace(CALIBRATION, zones={**ZONES, MUCK: ZONES[S2], S2: FAR}))
    film.table.hands = [(590, 30, 930, 250)]
    assert film.run(320) == []


def test_most_places_covered_at_once_is_the_cameras_fault() -> None:
    film = with_nine()
    film.table.hands = [(0, 0, 960, 260), (480, 260, 960, 544)]
    (fault,) = film.run(30)
    assert isinstance(fault, DeviceFaulted)
    assert fault.reason == "shows hardly any felt: the view is blocked, or it is lit otherwise"
    film.table.hands = []
    assert [type(event) for event in film.run(60)] == [DeviceRestored]


# ---------------------------------------------------------------- what the eye is shown
def test_on_a_still_table_the_eye_looks_every_two_seconds() -> None:
    film = with_nine()
    film.run(60)
    film.eye.looks.clear()
    film.run(181)
    assert film.eye.looks == [(WIDE, HIGH)] * 3


def test_of_one_place_that_changes_only_that_piece_is_looked_at() -> None:
    film = begun()
    film.run(60)
    film.eye.looks.clear()
    film.table.cards["nine"] = (NINE, 700.0, 140.0)
    film.run(5)
    (size,) = set(film.eye.looks)
    # S2 is 320 by 200 at (600, 40), with 109 of a card's diagonal around it.
    assert size == (WIDE - 600 + 110, 40 + 200 + 109)


def test_what_was_seen_in_a_piece_lies_where_the_piece_does() -> None:
    quad = ((1.0, 2.0), (3.0, 2.0), (3.0, 5.0), (1.0, 5.0))
    there = ((101.0, 52.0), (103.0, 52.0), (103.0, 55.0), (101.0, 55.0))
    piece = Seen((SeenCard(NINE, 0.9, quad),), (SeenBack(0.8, quad),))
    assert moved(piece, (100, 50)) == Seen((SeenCard(NINE, 0.9, there),), (SeenBack(0.8, there),))


# ---------------------------------------------------------------- any film
@settings(max_examples=8)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([(110.0, 140.0), (270.0, 140.0), (700.0, 140.0), (400.0, 400.0)]),
            st.integers(6, 12),
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda step: step[0],
    ),
    st.sampled_from([(1.0, 1.0, 1.0), (0.8, 0.8, 0.8), (1.1, 1.05, 1.0)]),
)
def test_what_is_dealt_is_told_once_each_in_any_light(
    steps: list[tuple[tuple[float, float], int]], light: tuple[float, float, float]
) -> None:
    film = Film(Painted(light=light))
    film.run(5)
    wanted = []
    for (at, pause), card in zip(steps, (NINE, KING, Card("As"), Card("2c")), strict=False):
        place = S1 if at[1] == 140 and at[0] < 500 else S2 if at[1] == 140 else BOARD
        film.table.cards[card] = (card, *at)
        wanted.append(CardSighted(at_ns=(film.frame + 1) * FRAME_NS, place=place, card=card))
        film.run(pause)
    assert [event for _, event in film.told] == wanted
