"""A disk that is full or cannot be written: said in one sentence, and nothing shown is lost."""

import asyncio
import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from engine.watch import view
from hw_fixtures.demo import DemoDealer
from misdeal.app import App, Work, attend
from misdeal.clock import table_clock
from misdeal.demo import write_table
from misdeal.door import Answer, say_at
from misdeal.errors import DoorError, JournalWriteError
from misdeal.journal import JournalReader
from misdeal.tablefile import Layout, load
from misdeal.verify import verify


@pytest.fixture
def table(tmp_path: Path) -> Layout:
    """A table without readers: nothing happens at it but what a test lets happen."""
    return load(write_table(tmp_path / "table", DemoDealer(1).packs, {}, wirings=()))


def attended(layout: Layout, *works: Work) -> None:
    asyncio.run(attend(layout, *works, start_clock=table_clock, rng=random.Random(1)))


def kinds(layout: Layout) -> list[str]:
    with JournalReader(layout.journal) as reader:
        return [record.kind for record in reader.records()]


@contextmanager
def no_room_for(path: Path) -> Iterator[None]:
    """Let no file of this process grow beyond a file's size, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_was_shown_before_the_disk_was_full_is_there_when_the_table_goes_on(
    table: Layout, caplog: pytest.LogCaptureFixture
) -> None:
    answers: list[Answer] = []
    wal = table.journal.with_name("journal.db-wal")

    async def fill_disk(app: App) -> None:
        answers.append(await app.controller.say("pack 51"))
        with no_room_for(wal):
            # A second one waits at the door, and is not answered.
            waiting = asyncio.to_thread(say_at, app.layout.socket, "pack 50", timeout_s=5)
            with suppress(DoorError):
                await waiting
        answers.append(Answer(ok=False))

    with pytest.raises(JournalWriteError, match="start again; it goes on where it was"):
        attended(table, fill_disk)
    assert [answer.ok for answer in answers] == [True]
    assert caplog.text == ""
    assert kinds(table) == ["started", "event", "ruling"]
    went_on: list[str] = []

    async def look(app: App) -> None:
        went_on.extend(ruling.finding for ruling in view(app.controller.watch).in_force)

    attended(table, look)
    assert went_on == ["wrong_pack_count"]
    assert verify(table.journal).broken_at is None


def test_a_disk_that_may_not_be_written_is_told_in_one_sentence(table: Layout) -> None:
    table.journal.with_name("journal.db.key.draft").mkdir()
    with pytest.raises(JournalWriteError, match=r"journal.db.key cannot be written: .*directory"):
        attended(table)
