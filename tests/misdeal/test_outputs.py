"""Lamps, buzzer and gate follow the rulings."""

from collections.abc import Sequence
from functools import reduce

import pytest

from engine.cards import Place
from engine.docket import Ruling
from engine.events import AnyEvent, Approved, TimePassed
from engine.performing import Performance
from engine.rulebook import compile_book, load_book
from engine.script import read_script
from firmware_bridge.actuators import Buzzer, Gate, Lamp, Output
from firmware_bridge.families.front_end import LampMode
from misdeal.outputs import BUZZ_MS, Held, Outputs, buzz_ms, follow, orders, wanted

S3, S5 = Place("S3"), Place("S5")
PASSING = TimePassed(at_ns=1)
APPROVAL = Approved(at_ns=2)


def ruling(
    number: int,
    verdict: str | None,
    state: str = "final",
    place: Place | None = None,
    hand: int = 1,
) -> Ruling:
    return Ruling(
        id=f"r{number}",
        finding="duplicate_card",
        place=place,
        verdict=verdict,
        state=state,  # type: ignore[arg-type]
        decider="book",
        rulebook="a book",
        book_version="1",
        book_hash="",
        because="",
        hand=hand,
    )


FOULED = ruling(1, "deck_fouled")
Happened = tuple[AnyEvent, Sequence[Ruling]]


def held_after(*happened: Happened) -> Held:
    return reduce(lambda held, each: follow(held, each[0], each[1]), happened, Held())


@pytest.mark.parametrize(
    ("happened", "is_open"),
    [
        ([], True),
        ([(PASSING, [FOULED])], False),
        ([(PASSING, [ruling(1, "deal_void")])], False),
        ([(PASSING, [ruling(1, "deck_replaced")])], False),
        ([(PASSING, [ruling(1, "suspend")])], False),
        ([(PASSING, [ruling(1, "misdeal")])], True),
        ([(PASSING, [ruling(1, "round_void")])], True),
        ([(PASSING, [ruling(1, "deck_fouled", "open")])], True),
        ([(PASSING, [ruling(1, None, "open")]), (PASSING, [FOULED])], False),
        # approved: free, and told again it stays free; another one stops it again
        ([(PASSING, [FOULED]), (APPROVAL, [])], True),
        ([(PASSING, [FOULED]), (APPROVAL, []), (PASSING, [FOULED])], True),
        ([(PASSING, [FOULED]), (APPROVAL, []), (PASSING, [ruling(2, "deck_fouled")])], False),
        (
            [
                *[(PASSING, [FOULED]), (APPROVAL, [])],
                *[(PASSING, [ruling(2, "suspend")]), (APPROVAL, []), (PASSING, [FOULED])],
            ],
            True,
        ),
        ([(APPROVAL, []), (PASSING, [FOULED])], False),
        ([(APPROVAL, [FOULED])], False),
        # an approval of something else frees no ruling that becomes final later
        ([(PASSING, [ruling(1, None, "open")]), (APPROVAL, []), (PASSING, [FOULED])], False),
        # taken back or set aside: free
        ([(PASSING, [FOULED]), (PASSING, [ruling(1, "deck_fouled", "superseded")])], True),
        ([(PASSING, [ruling(1, "suspend")]), (APPROVAL, [ruling(2, "resume")])], True),
        # the next hand frees nothing
        ([(PASSING, [FOULED]), (PASSING, [ruling(2, "noted", hand=2)])], False),
        ([(PASSING, [FOULED]), (PASSING, [ruling(2, "noted", hand=2)]), (APPROVAL, [])], True),
    ],
)
def test_a_pack_that_is_not_right_stops_the_shoe_until_it_is_approved(
    happened: list[Happened], is_open: bool
) -> None:
    assert wanted(held_after(*happened), []).is_gate_open is is_open


def test_what_was_approved_is_forgotten_with_its_hand() -> None:
    held = held_after((PASSING, [FOULED]), (APPROVAL, []), (PASSING, [ruling(9, "noted", hand=2)]))
    assert held == Held(hand=2)


@pytest.mark.parametrize(
    ("in_force", "lamp", "blinking"),
    [
        ([], "off", set()),
        ([ruling(1, "card_dead", place=S3)], "off", set()),
        ([ruling(1, "misdeal", "open", S3)], "blink", {S3}),
        ([ruling(1, "misdeal", "open"), ruling(2, "hand_dead", "final", S5)], "blink", set()),
        ([ruling(1, "misdeal", "open", S3), ruling(2, "floor", "open", S5)], "blink", {S3, S5}),
    ],
)
def test_an_open_ruling_blinks_at_the_table_and_at_its_place(
    in_force: list[Ruling], lamp: LampMode, blinking: set[Place]
) -> None:
    assert wanted(Held(), in_force) == Outputs(lamp=lamp, blinking=frozenset(blinking))


def test_a_stopped_shoe_shows_its_lamp_and_an_open_ruling_makes_it_blink() -> None:
    held = held_after((PASSING, [FOULED]))
    assert wanted(held, [FOULED]).lamp == "on"
    assert wanted(held, [FOULED, ruling(2, "floor", "open")]).lamp == "blink"


QUIET = Outputs()
STOPPED = Outputs(is_gate_open=False, lamp="on")
ASKING = Outputs(lamp="blink")
ASKING_S3 = Outputs(lamp="blink", blinking=frozenset({S3}))


@pytest.mark.parametrize(
    ("before", "after", "is_heard"),
    [
        (QUIET, QUIET, False),
        (QUIET, STOPPED, True),
        (STOPPED, STOPPED, False),
        (STOPPED, QUIET, False),
        (QUIET, ASKING, True),
        (ASKING, ASKING, False),
        (ASKING, ASKING_S3, True),
        (ASKING_S3, ASKING_S3, False),
        (ASKING_S3, ASKING, False),
    ],
)
def test_the_buzzer_calls_once_when_the_shoe_stops_or_a_ruling_opens(
    before: Outputs, after: Outputs, is_heard: bool
) -> None:
    assert buzz_ms(before, after) == (BUZZ_MS if is_heard else 0)


LAMPS = {1: None, 2: S3, 3: S5}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (None, QUIET, [Gate(is_open=True), *(Lamp(number, "off") for number in LAMPS)]),
        (QUIET, QUIET, []),
        (QUIET, STOPPED, [Gate(is_open=False), Lamp(1, "on"), Buzzer(BUZZ_MS)]),
        (STOPPED, QUIET, [Gate(is_open=True), Lamp(1, "off")]),
        (QUIET, ASKING_S3, [Lamp(1, "blink"), Lamp(2, "blink"), Buzzer(BUZZ_MS)]),
        (ASKING_S3, ASKING, [Lamp(2, "off")]),
    ],
)
def test_a_device_is_told_what_has_changed_and_at_first_everything(
    before: Outputs | None, after: Outputs, told: list[Output]
) -> None:
    assert orders(before, after, LAMPS) == tuple(told)


SCRIPT = """\
script = 1
game = "holdem"
rulebook = "tda-2024"
seats = [1, 2, 3]
button = 3
events = ["deal 9h S1", "deal 9h#2 S2", "deal 2c S3", "approve"]
"""


def test_two_cards_of_one_face_stop_a_real_table_until_approve() -> None:
    book = compile_book(load_book("tda-2024"), file="tda-2024.toml")
    held, gates = Held(), []
    for _, happened in Performance(read_script(SCRIPT, file="script.toml"), book).run():
        for event, changes in happened:
            held = follow(held, event, changes)
        gates.append(wanted(held, []).is_gate_open)
    assert gates == [True, False, False, True]
