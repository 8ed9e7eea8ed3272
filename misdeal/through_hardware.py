"""Table scripts through the hardware: readers, a camera, the bridge and a table's controller.

The readers are those of a full table, on pseudo-terminals, and live at the speed of real ones.
They, the camera, the bridge and the controller run in lock-step with the people of the script, so
that a script costs what its bytes and pictures cost, and gives the same every time.
"""

import asyncio
import json
import random
import tempfile
from bisect import bisect
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.cards import (
    BANKER,
    BOARD,
    BURN,
    DEALER,
    MUCK,
    PACK,
    PLACES,
    PLAYER,
    RACK,
    SHOE,
    STUB,
    Card,
    Place,
    Tag,
    seat_place,
)
from engine.docket import Ruling
from engine.events import AnyEvent
from engine.performing import Performance, Verdicts, hold_against
from engine.rulebook import RuleBook
from engine.script import Script
from engine.watch import Watch, next_due
from firmware_bridge.bridge import Bridge
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.lockstep import LockstepLoop
from hw_fixtures.scripted import ScriptedTable, wire_table
from misdeal.controller import Controller
from misdeal.dealer import PLACE_OF_DEVICE, Dealer, Senses, TableClock, until
from misdeal.feed import Feed
from misdeal.filming import ScriptedCamera
from misdeal.journal import Journal, JournalReader
from vision.seen import Eye

_PLACES: tuple[Place, ...] = (
    *(seat_place(number) for number in range(1, 11)),
    *(DEALER, PLAYER, BANKER, BOARD, BURN, MUCK, RACK, STUB, PACK, SHOE),
)
"""Every place of a table that may have an antenna, in wiring order."""


class Judged(Struct, frozen=True):
    """What came of a script."""

    verdicts: Verdicts
    notes: tuple[str, ...]
    """What readers and camera did not tell, what the controller would not be told, a sentence each.
    """


class Played(Struct, frozen=True):
    """A script that was played."""

    starts_ns: list[int]
    """When each line began, on the clock of the journal."""
    unsensed: list[str]
    """What readers and camera did not tell, a sentence each."""


def judge_through_hardware(script: Script, book: RuleBook, eye: Eye) -> Judged:
    """Play a script at simulated readers and a simulated camera and check its expectations.

    Args:
        script: The script.
        book: Its rule book.
        eye: Finds the cards in the camera's pictures.
    """
    with tempfile.TemporaryDirectory(prefix="misdeal-") as folder:
        journal = Path(folder) / "journal.db"
        played = play_through_hardware(script, book, eye, journal)
        with JournalReader(journal) as reader:
            records = list(reader.records())
    rulings: list[list[Ruling]] = [[] for _ in script.lines]
    refusals: list[str] = []
    for record in records:
        number = bisect(played.starts_ns, record.at_ns)
        if record.kind == "ruling":
            rulings[number - 1].append(msgspec.json.decode(record.body, type=Ruling))
        elif record.kind == "refused":
            said = json.loads(record.body)
            refusals.append(f"after event {number}: {said['text']!r} refused: {said['reason']}")
    return Judged(hold_against(script, rulings), (*played.unsensed, *refusals))


def play_through_hardware(script: Script, book: RuleBook, eye: Eye, path: Path) -> Played:
    """Play a script at simulated readers and a simulated camera.

    Args:
        script: The script.
        book: Its rule book.
        eye: Finds the cards in the camera's pictures.
        path: Where the table's journal is begun; it has the events and the rulings.

    Raises:
        JournalError: If the journal cannot be written.
    """
    loop = LockstepLoop()
    performance = Performance(script, book)
    with (
        asyncio.Runner(loop_factory=lambda: loop) as runner,
        Journal(path, {}) as journal,
        ScriptedTable(wire_table(*places_of(script, performance.watch)), loop) as table,
    ):
        camera = ScriptedCamera(_faces(performance), eye)
        played = runner.run(_attend(script, performance, table, camera, journal, loop))
    if journal.failure.done():
        journal.failure.result()
    return played


def places_of(script: Script, watch: Watch) -> tuple[list[Place], set[Place]]:
    """Return the places of a script's table, and those whose reader has its own plug.

    A table has antennas wherever cards may come to lie in its game or are laid in the script. A
    device that fails in the script has a plug of its own, and so has the rack of a shoe game, whose
    many cards would keep the others waiting.
    """
    table = watch.table
    lines = script.lines
    devices = {line.words[0] for line in lines if line.verb == "fault"}
    alone = {place for device, place in PLACE_OF_DEVICE.items() if device in devices}
    places = {*table.entitled, *script.setup.tableseats, *alone, MUCK, STUB, SHOE}
    if script.setup.decks > 1:
        alone.add(RACK)
    places.add(RACK if script.setup.decks > 1 else PACK)
    if table.plan.streets:
        places |= {BOARD, BURN}
    places |= {Place(line.verb) for line in lines} & {BOARD, BURN}
    places |= {Place(word) for line in lines for word in line.words} & PLACES
    return [place for place in _PLACES if place in places], alone


def _faces(performance: Performance) -> dict[Tag, Card]:
    """Return what is printed on the cards of a script's packs."""
    packs = performance.watch.table.setup.packs
    return {card.tag: card.card for pack in packs for card in pack.cards}


async def _attend(
    script: Script,
    performance: Performance,
    table: ScriptedTable,
    camera: ScriptedCamera,
    journal: Journal,
    loop: LockstepLoop,
) -> Played:
    """Watch the table by readers, camera, bridge and controller while its dealer plays."""
    clock, senses = TableClock(loop), Senses()

    def look_ahead(watch: Watch) -> None:
        due = next_due(watch)
        bridge.prefer([due[0]] if due else [])

    def tell(event: AnyEvent) -> None:
        senses.take(event)
        controller.offer(replace(event, at_ns=event.at_ns + clock.ahead_ns))

    watch = performance.watch
    controller = Controller(watch, journal, Feed(), clock=clock, on_move=look_ahead)
    bridge = Bridge(
        _specs(table),
        watch.table.setup.packs,
        emit=tell,
        clock=loop.now_ns,
        rng=random.Random(0),  # noqa: S311 - spreads retries, the same each time
    )
    dealer = Dealer(table, camera, controller, clock, senses)
    async with asyncio.TaskGroup() as group:
        works = [
            group.create_task(work)
            for work in (controller.consume(), controller.tick(), bridge.run())
        ]
        await until(lambda: all(reader.state == "READY" for reader in bridge.health()))
        starts_ns = await dealer.play(script, performance)
        for work in works:
            work.cancel()
    return Played(starts_ns, dealer.unsensed)


def _specs(table: ScriptedTable) -> list[ReaderSpec]:
    return [
        ReaderSpec(
            name=wiring.name,
            port=port,
            identity=wiring.identity,
            antennas={
                number: antenna.place
                for number, antenna in enumerate(wiring.antennas, start=1)
                if antenna.place is not None
            },
        )
        for wiring, port in table.ports
    ]
