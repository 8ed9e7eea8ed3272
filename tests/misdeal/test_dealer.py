"""The dealer of a scripted table: what he waits for, and what he says when it does not come."""

import asyncio
from pathlib import Path

import pytest

from engine.cards import BURN, MUCK, PACK, Place, Tag
from engine.events import AnyEvent, CardGone, CardRead, DeviceFaulted, DeviceRestored, PackCounted
from engine.performing import Performance
from engine.rulebook import compile_book, load_book
from engine.script import read_script
from hw_fixtures.lockstep import LockstepLoop
from hw_fixtures.picture.layout import FULL_HD
from hw_fixtures.picture.truth import TruthEye
from hw_fixtures.scripted import ScriptedTable, wire_table
from misdeal.controller import Controller
from misdeal.dealer import Dealer, Senses, TableClock
from misdeal.feed import Feed
from misdeal.filming import ScriptedCamera
from misdeal.journal import Journal

S1, S2 = Place("S1"), Place("S2")
ONE, TWO = Tag("E004015000000001"), Tag("E004015000000002")


def read(place: Place, tag: Tag) -> CardRead:
    return CardRead(place=place, tag=tag, at_ns=0)


def gone(place: Place, tag: Tag) -> CardGone:
    return CardGone(place=place, tag=tag, at_ns=0)


def senses_of(*events: AnyEvent) -> Senses:
    senses = Senses()
    for event in events:
        senses.take(event)
    return senses


@pytest.mark.parametrize(
    ("told", "heard", "misled"),
    [
        ([], {S1: set()}, []),
        ([], {S1: {ONE}}, [S1]),
        ([read(S1, ONE)], {S1: {ONE}}, []),
        ([read(S1, ONE)], {S1: set()}, [S1]),
        ([read(S1, ONE)], {S1: {ONE, TWO}}, [S1]),
        ([read(S1, ONE), gone(S1, ONE)], {S1: set()}, []),
        # Heard at both: neither is wrong.
        ([read(S1, ONE), read(S2, ONE)], {S1: {ONE}, S2: {ONE}}, []),
        # A reader without its plug says nothing.
        ([read(S1, ONE)], {S2: set()}, []),
        # In a pile others hide a card, until it is read elsewhere or the pile is gone.
        ([read(MUCK, ONE), read(MUCK, TWO)], {MUCK: {TWO}}, []),
        ([read(MUCK, ONE), read(MUCK, TWO)], {MUCK: set()}, [MUCK]),
        ([read(MUCK, ONE), read(MUCK, TWO), read(S1, ONE)], {MUCK: {TWO}, S1: {ONE}}, [MUCK]),
        ([read(BURN, ONE)], {BURN: {ONE, TWO}}, [BURN]),
        # A pad tells counts, not cards.
        ([], {PACK: {ONE}}, []),
    ],
)
def test_a_place_is_told_when_what_lies_there_is_told_and_nothing_else(
    told: list[AnyEvent], heard: dict[Place, set[Tag]], misled: list[Place]
) -> None:
    senses = senses_of(*told)
    assert senses.misled_at({at: frozenset(tags) for at, tags in heard.items()}) == misled


def test_what_is_awaited_is_struck_out_when_it_is_read_there() -> None:
    senses = Senses()
    senses.awaited = {(S1, ONE), (S2, TWO)}
    senses.take(read(S2, ONE))
    senses.take(read(S1, ONE))
    assert senses.awaited == {(S2, TWO)}


def test_faults_and_counts_are_noted() -> None:
    fault = DeviceFaulted(device="seat:1", at_ns=0)
    count = PackCounted(count=2, is_complete=True, tags=(ONE, TWO), at_ns=0)
    senses = senses_of(fault, count)
    assert (senses.faulted, senses.counted) == ({"seat:1"}, (ONE, TWO))
    senses.take(DeviceRestored(device="seat:1", at_ns=0))
    assert senses.faulted == set()


def test_what_no_reader_tells_is_waited_for_and_then_named(tmp_path: Path) -> None:
    text = (
        'script = 1\ngame = "holdem"\nrulebook = "tda-2024"\nseats = [1, 2]\n'
        'events = ["deal 9h S1", "deal 2h S2", "collect"]'
    )
    book = compile_book(load_book("tda-2024"), file="book")
    performance = Performance(read_script(text, file=""), book)
    loop = LockstepLoop()

    async def play_without_a_bridge(journal: Journal, table: ScriptedTable) -> list[str]:
        clock = TableClock(loop)
        controller = Controller(
            performance.watch, journal, Feed(), clock=clock, on_move=lambda watch: None
        )
        camera = ScriptedCamera({}, TruthEye(FULL_HD))
        dealer = Dealer(table, camera, controller, clock, Senses())
        await dealer.play(read_script(text, file=""), performance)
        return dealer.unsensed

    with (
        asyncio.Runner(loop_factory=lambda: loop) as runner,
        Journal(tmp_path / "journal.db", {}) as journal,
        ScriptedTable(wire_table([S1, S2]), loop) as table,
    ):
        unsensed = runner.run(play_without_a_bridge(journal, table))
    assert unsensed == [
        "after event 1: the readers did not tell all of S1",
        "after event 2: the readers did not tell all of S1, S2",
        "after event 3: the reader of the pad did not tell the pack",
    ]
