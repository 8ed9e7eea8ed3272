"""A table is attended until a work is done, and its journal is gone on with."""

import asyncio
import io
import random
import sqlite3
from collections.abc import Sequence
from functools import partial

import msgspec
import pytest
from rich.console import Console

from engine.docket import Ruling
from engine.events import AnyEvent, PackShuffled
from engine.watch import advance, begin
from hw_fixtures.demo import DemoDealer
from misdeal.app import App, Work, attend
from misdeal.clock import table_clock
from misdeal.demo import write_table
from misdeal.door import Answer, say_at
from misdeal.errors import JournalDivergedError, JournalWriteError
from misdeal.journal import Journal, JournalReader
from misdeal.lines import print_json, print_text
from misdeal.replay import event_entry, ruling_entry
from misdeal.tablefile import Layout, load
from misdeal.terminal import show


@pytest.fixture
def table(layout: Layout) -> Layout:
    """A table without readers: nothing happens at it but what a test lets happen."""
    packs = DemoDealer(1).packs
    return load(write_table(layout.journal.parent / "bare", packs, {}, wirings=()))


def attended(layout: Layout, *works: Work) -> None:
    asyncio.run(attend(layout, *works, start_clock=table_clock, rng=random.Random(1)))


def offering(events: Sequence[AnyEvent]) -> Work:
    """Return a work that lets things happen and ends when the journal has them."""

    async def work(app: App) -> None:
        for event in events:
            app.controller.offer(event)
        await app.controller.say("")

    return work


def kinds(layout: Layout) -> list[str]:
    with JournalReader(layout.journal) as reader:
        return [record.kind for record in reader.records()]


def test_a_journal_tells_when_a_controller_began_and_ended(table: Layout) -> None:
    attended(table, offering([]))
    assert kinds(table) == ["started", "refused", "ended", "head"]
    with JournalReader(table.journal) as reader:
        started = msgspec.json.decode(next(reader.records()).body)
    assert started["table"] == table.header["table"]


def test_a_controller_goes_on_where_the_last_one_ended(
    table: Layout, hands: list[AnyEvent]
) -> None:
    middle = len(hands) // 2
    attended(table, offering(hands[:middle]))
    attended(table, offering(hands[middle:]))
    watch = begin(table.setup, table.book)
    straight: list[str] = []
    for event in hands:
        watch, rulings = advance(watch, event)
        straight += [ruling_entry(ruling, event.at_ns).body for ruling in rulings]
    with JournalReader(table.journal) as reader:
        kept = [record.body for record in reader.records() if record.kind == "ruling"]
    assert kept == straight


def test_time_goes_on_where_a_journal_ended_even_if_it_ended_tomorrow(table: Layout) -> None:
    tomorrow_ns = table_clock(0)() + 24 * 3600 * 10**9
    with Journal(table.journal, table.header) as journal:
        journal.append([event_entry(PackShuffled(at_ns=tomorrow_ns))], lambda: None)
    moments: list[int] = []

    async def look(app: App) -> None:
        moments.append(app.clock())

    attended(table, look)
    assert moments[0] >= tomorrow_ns


def test_a_journal_that_would_be_ruled_otherwise_now_is_not_gone_on_with(
    table: Layout, hands: list[AnyEvent]
) -> None:
    attended(table, offering(hands))
    with JournalReader(table.journal) as reader:
        ruling = next(record for record in reader.records() if record.kind == "ruling")
    body = ruling.body.replace('"because":"', '"because":"Not ')
    with Journal(table.journal, table.header) as journal:
        entry = ruling_entry(msgspec.json.decode(body, type=Ruling), ruling.at_ns)
        journal.append([entry], lambda: None)
    with pytest.raises(JournalDivergedError, match="--new-journal"):
        attended(table, offering([]))


def test_a_table_whose_journal_fails_is_not_watched_any_more(table: Layout) -> None:
    async def fill_disk(app: App) -> None:
        await app.controller.say("")
        connection = sqlite3.connect(app.layout.journal)
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON record "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
        connection.close()
        await app.controller.say("approve")

    with pytest.raises(JournalWriteError, match="disk full; the table is not watched any more"):
        attended(table, fill_disk)
    assert kinds(table) == ["started", "refused"]


def test_the_door_leads_to_the_table(table: Layout) -> None:
    answers: list[Answer] = []

    async def speak(app: App) -> None:
        answers.append(await asyncio.to_thread(say_at, app.layout.socket, "pack 51"))

    attended(table, speak)
    assert [ruling.finding for ruling in answers[0].rulings] == ["wrong_pack_count"]


def test_a_work_that_fails_ends_the_watching_with_its_error(table: Layout) -> None:
    async def fail(app: App) -> None:
        del app
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        attended(table, fail)
    assert kinds(table) == ["started", "ended", "head"]


async def count_pack(app: App) -> None:
    """Say something that is ruled on; when the second answer is there, the first was shown."""
    await app.controller.say("pack 51")
    await asyncio.sleep(0)
    await app.controller.say("")


@pytest.mark.parametrize("screen", [print_json, print_text])
def test_a_ruling_is_printed_when_it_is_made(
    table: Layout, screen: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    attended(table, screen, count_pack)
    assert "51 cards where 52 are due" in capsys.readouterr().out


def test_a_ruling_is_drawn_when_it_is_made(table: Layout) -> None:
    out = io.StringIO()
    console = Console(file=out, width=100, height=50, force_terminal=True)
    attended(table, partial(show, console=console, address="http://127.0.0.1:1/"), count_pack)
    assert "51 cards where 52 are due" in out.getvalue()
    assert "http://127.0.0.1:1/" in out.getvalue()


def fill_disk_with(statement: str) -> Work:
    async def fill_disk(app: App) -> None:
        await app.controller.say("")
        connection = sqlite3.connect(app.layout.journal)
        connection.execute(statement)
        connection.close()

    return fill_disk


def test_a_disk_that_is_full_when_the_controller_ends_is_told_too(table: Layout) -> None:
    full = (
        "CREATE TRIGGER full BEFORE INSERT ON record WHEN new.kind = 'ended' "
        "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    )
    with pytest.raises(JournalWriteError, match="disk full"):
        attended(table, fill_disk_with(full))
    assert kinds(table) == ["started", "refused"]
