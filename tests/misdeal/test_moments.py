"""What happens at a table in each line of a script."""

from typing import Any

import pytest
from msgspec.structs import asdict

from engine.performing import Performance
from engine.rulebook import compile_book, load_book
from engine.script import read_script
from misdeal.moments import Moment, moments

BOOK = compile_book(load_book("tda-2024"), file="book")
NINE, DEUCE, FOUR = "E004015000010012", "E004015000010019", "E004015000010017"


def moments_of(*events: str, decks: int = 1) -> list[Moment]:
    """Return the moments of the last of some events."""
    lines = ", ".join(f'"{event}"' for event in events)
    text = (
        'script = 1\ngame = "holdem"\nrulebook = "tda-2024"\nseats = [1, 2]\n'
        f"decks = {decks}\nevents = [{lines}]"
    )
    performance = Performance(read_script(text, file=""), BOOK)
    *_, (line, told) = performance.run()
    return moments(line, [event for event, _ in told])


def kept(moment: Moment) -> dict[str, Any]:
    """Return what a moment has, sights by their kind and place."""
    seen = [f"{type(each).__name__} {getattr(each, 'place', '')}".strip() for each in moment.seen]
    devices = [type(each).__name__ for each in moment.devices]
    count = moment.count.count if moment.count else None
    return {
        key: value
        for key, value in {
            **asdict(moment),
            "seen": seen,
            "devices": devices,
            "count": count,
        }.items()
        if value
    }


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (["deal 9h S1"], [{"laid": {"shoe": [NINE]}}, {"laid": {"S1": [NINE]}}]),
        (
            ["deal 9h S1 up"],
            [{"laid": {"shoe": [NINE]}}, {"laid": {"S1": [NINE]}, "seen": ["CardSighted S1"]}],
        ),
        (
            ["deal 9h S1 up by=player"],
            [
                {"said": ["say exposed 9h by=player"], "laid": {"shoe": [NINE]}},
                {"laid": {"S1": [NINE]}, "seen": ["CardSighted S1"]},
            ],
        ),
        (["deal 9h S1 unread"], [{"seen": ["BackSighted S1"]}]),
        (["deal 9h floor"], [{"laid": {"shoe": [NINE]}}, {"seen": ["CardSighted floor"]}]),
        (
            ["stuck 9h 2h S1"],
            [{"laid": {"shoe": [NINE, DEUCE]}}, {"laid": {"S1": [NINE, DEUCE]}}],
        ),
        (
            ["board 9h 2h"],
            [
                {"laid": {"shoe": [NINE]}},
                {"laid": {"board": [NINE]}, "seen": ["CardSighted board"]},
                {"laid": {"shoe": [DEUCE]}},
                {"laid": {"board": [DEUCE]}, "seen": ["CardSighted board"]},
            ],
        ),
        (["boxed 9h"], [{"laid": {"shoe": [NINE]}, "seen": ["CardSighted shoe"]}]),
        (
            ["deal 9h S1", "stray 9h S2"],
            [{"strayed": {"S2": [NINE]}}, {"strayed": {"S1": [NINE]}}],
        ),
        (["deal 9h S1", "move 9h S2"], [{"lifted": [NINE]}, {"laid": {"S2": [NINE]}}]),
        (["deal 9h S1", "move 9h floor"], [{"lifted": [NINE]}]),
        (
            ["deal 9h S1", "deal 2h S1", "muck S1"],
            [{"lifted": [NINE, DEUCE]}, {"laid": {"muck": [NINE, DEUCE]}}],
        ),
        (
            ["deal 9h S1", "expose 9h by=player"],
            [{"said": ["say exposed 9h by=player"], "seen": ["CardSighted S1"]}],
        ),
        (["say exposed 9h by=player"], [{"said": ["say exposed 9h by=player"]}]),
        (["deal 9h S1 up", "turn 9h down"], [{"seen": ["CardLost S1"]}]),
        (["mark 9h"], [{"seen": ["BackMarked stub"]}]),
        (["cut 26/26 up=9h"], [{"seen": ["CutMade"]}]),
        (["deal ends"], [{"said": ["deal ends"]}]),
        (["act S1 fold"], [{"said": ["act S1 fold"]}]),
        (["fault seat:2"], [{"devices": ["DeviceFaulted"]}]),
        (["restore seat:2"], [{"devices": ["DeviceRestored"]}]),
        (["pack 51"], [{"count": 51}]),
        (["deal 9h S1", "collect"], [{"lifted": [NINE]}, {"count": 52}]),
    ],
)
def test_a_line_is_what_people_do_one_thing_after_the_other(
    events: list[str], expected: list[dict[str, Any]]
) -> None:
    happened = [kept(moment) for moment in moments_of(*events)]
    assert [each for each in happened if each] == expected


def test_cards_of_a_shoe_game_go_to_the_rack() -> None:
    happened = [
        kept(moment) for moment in moments_of("deal 9h S1", "deal 4h S2", "collect", decks=2)
    ]
    assert [each for each in happened if each] == [
        {"lifted": [NINE, FOUR]},
        {"laid": {"rack": [NINE, FOUR]}},
    ]
