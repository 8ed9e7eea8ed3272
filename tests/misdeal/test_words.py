"""Rulings are told in the field's words."""

import pytest
from msgspec.structs import replace

from engine.cards import Card, Place
from engine.docket import Ruling, Until
from engine.judging import Ask
from engine.words import VERDICTS
from firmware_bridge.bridge import ReaderHealth
from misdeal.health import reader_words, unwatched_clauses
from misdeal.tablefile import Layout
from misdeal.words import finding_words, headline, questions, sentence, until_words

RULING = Ruling(
    id="r3",
    finding="exposed_card",
    place=Place("S5"),
    card=Card("Kd"),
    verdict="hand_dead",
    state="final",
    decider="book",
    cite=("T-A7",),
    rulebook="tda-2024",
    book_version="1",
    book_hash="",
    because="So it is.",
)
OPEN = replace(RULING, state="open", until=Until("substantial_action"))


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_has_a_headline(verdict: str) -> None:
    assert headline(replace(RULING, verdict=verdict, place=None)) == VERDICTS[verdict]


def test_a_headline_says_what_holds_where() -> None:
    assert headline(RULING) == "HAND DEAD - SEAT 5"
    assert headline(replace(RULING, verdict=None)) == "ASK"


@pytest.mark.parametrize(
    ("place", "card", "words"),
    [
        ("S5", "Kd", "exposed card Kd at seat 5"),
        ("board", None, "exposed card at the board"),
        (None, None, "exposed card"),
    ],
)
def test_a_finding_is_told_with_card_and_place(
    place: str | None, card: str | None, words: str
) -> None:
    ruling = replace(
        RULING, place=Place(place) if place else None, card=Card(card) if card else None
    )
    assert finding_words(ruling) == words


@pytest.mark.parametrize(
    ("ruling", "now_ns", "words"),
    [
        (RULING, 0, ""),
        (replace(OPEN, until=None), 0, ""),
        (OPEN, 0, "until substantial action"),
        (replace(OPEN, until=Until("pot_taken", 8 * 10**9)), 10**9, "7 s left"),
        (replace(OPEN, until=Until("pot_taken", 8 * 10**9)), 9 * 10**9, "0 s left"),
        (replace(OPEN, until=Until("pot_taken", 8 * 10**9)), None, "until pot taken"),
    ],
)
def test_a_window_is_told_while_it_is_open(ruling: Ruling, now_ns: int | None, words: str) -> None:
    assert until_words(ruling, now_ns) == words


def test_a_question_is_told_with_what_each_answer_leads_to() -> None:
    ask = Ask("exposed_by", {"dealer": "misdeal", "player": None})
    assert questions(replace(OPEN, asks=(ask, Ask("odd_fact", {})))) == [
        "Who turned the card up? dealer: MISDEAL; player: no ruling",
        "odd fact ",
    ]


def test_a_ruling_is_one_line() -> None:
    ruling = replace(OPEN, callable_by=(Place("S1"), Place("S2")))
    assert sentence(ruling) == (
        "r3 HAND DEAD - SEAT 5 (open) | So it is. | until substantial action | "
        "may be claimed by S1, S2 | T-A7"
    )


READER = ReaderHealth(
    name="A",
    state="READY",
    why="",
    places=(Place("S1"), Place("S2")),
    frames=0,
    checksum_errors=0,
    noise_bytes=0,
    timeouts=0,
    retries=0,
    strays=0,
    restarts=0,
    cycle_ms=0,
    is_slow=False,
    is_degraded=False,
    last_good_ns=None,
)


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (READER, "well"),
        (replace(READER, state="QUARANTINED", why="late"), "well"),
        (
            replace(READER, is_slow=True, is_degraded=True),
            "slower than a brisk deal, more than 1 % bad frames",
        ),
        (replace(READER, state="STALE"), "stale; unseen: S1, S2"),
        (replace(READER, state="LINK_LOST", why="gone"), "link lost (gone); unseen: S1, S2"),
    ],
)
def test_a_reader_that_does_not_read_is_told_with_what_is_not_seen(
    reader: ReaderHealth, words: str
) -> None:
    assert reader_words(reader) == f"reader A: {words}"


def test_what_a_missing_reader_leaves_unwatched_is_told_by_clause(layout: Layout) -> None:
    well = [replace(READER, name="B", places=(Place("shoe"),)), READER]
    assert unwatched_clauses(layout, well) == ()
    blind = [replace(each, state="LINK_LOST") for each in well]
    lost = unwatched_clauses(layout, blind)
    assert "T-A5" in lost
    assert set(unwatched_clauses(layout, [well[0], blind[1]])) < set(lost)
