"""Whatever a controller has shown, its journal has: it is killed at random moments and goes on."""

import itertools
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.docket import Ruling
from engine.events import AnyEvent
from engine.watch import advance, begin
from hw_fixtures.demo import DemoDealer
from hw_fixtures.sensing import as_events
from misdeal.clock import as_utc
from misdeal.demo import write_table
from misdeal.journal import JournalReader
from misdeal.tablefile import load
from misdeal.verify import verify

SEED = 3
KILLS = 50
HANDS = 4


def demo_events() -> list[AnyEvent]:
    events: list[AnyEvent] = []
    for timeline in itertools.islice(DemoDealer(SEED), HANDS):
        events += as_events(timeline, start_ns=events[-1].at_ns + 10**9 if events else 10**9)
    # Each event is one of its kind, so that a controller finds where the journal ended.
    return [event for n, event in enumerate(events) if event not in events[:n]]


class Controllers:
    """Starts controllers one after the other and hears what they show."""

    def __init__(self, table: Path, events: Path) -> None:
        child = Path(__file__).with_name("killable.py")
        self._process = subprocess.Popen(
            [sys.executable, str(child), str(table), str(events)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pipesize=4096,  # the smallest: a controller is never far ahead of what was heard of it
        )

    def run(self, *, kill_after: int | None) -> tuple[list[Any], int]:
        """Let one go on with the journal; kill it after so many lines. Return lines and status."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        lines = self._lines()
        pid = next(lines)["pid"]
        shown: list[Any] = []
        while True:
            if len(shown) == kill_after:
                os.kill(pid, signal.SIGKILL)
            line = next(lines)
            if line["kind"] == "over":
                return shown, line["status"]
            shown.append(line)

    def close(self) -> None:
        self._process.communicate()

    def _lines(self) -> Iterator[Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield msgspec.json.decode(line)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_table(tmp_path, DemoDealer(SEED).packs, {}, wirings=())
    return tmp_path


def journal_of(folder: Path) -> tuple[set[str], list[Ruling]]:
    """Return the moments of the events, and the rulings."""
    with JournalReader(folder / "journal.db") as reader:
        records = list(reader.records())
    moments = {as_utc(record.at_ns) for record in records if record.kind == "event"}
    rulings = [
        msgspec.json.decode(record.body, type=Ruling)
        for record in records
        if record.kind == "ruling"
    ]
    return moments, rulings


def assert_kept(shown: list[Any], moments: set[str], rulings: list[Ruling]) -> None:
    kept = {(ruling.id, ruling.state, ruling.verdict) for ruling in rulings}
    for line in shown:
        assert line["at"] in moments
        if line["kind"] == "ruling":
            assert (line["ruling"], line["state"], line["verdict"]) in kept


def test_what_was_shown_survives_fifty_kills_and_the_rulings_are_those_of_a_quiet_night(
    folder: Path,
) -> None:
    events = demo_events()
    events_file = folder / "events.json"
    events_file.write_bytes(msgspec.json.encode(events))
    rng = random.Random(SEED)
    controllers = Controllers(folder / "table.toml", events_file)
    longest = 2 * len(events) // KILLS
    try:
        for _ in range(KILLS):
            shown, status = controllers.run(kill_after=rng.randint(0, longest))
            assert status in (-signal.SIGKILL, 0)
            moments, rulings = journal_of(folder)
            assert_kept(shown, moments, rulings)
            assert verify(folder / "journal.db").broken_at is None
        shown, status = controllers.run(kill_after=None)
    finally:
        controllers.close()
    assert status == 0
    layout = load(folder / "table.toml")
    watch = begin(layout.setup, layout.book)
    quiet: list[Ruling] = []
    for event in events:
        watch, changes = advance(watch, event)
        quiet += changes
    _, rulings = journal_of(folder)
    assert rulings == quiet
    assert quiet
