"""What durability costs: events kept together against a commit for each."""

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from engine.events import AnyEvent
from misdeal.bench.figures import Figure, timed
from misdeal.clock import stopwatch_ns
from misdeal.journal import MAX_GROUP, Entry, Journal
from misdeal.replay import event_entry

BURST = 2000
SINGLE = 300


def measure_journal(folder: Path, events: Sequence[AnyEvent]) -> list[Figure]:
    """Measure a burst of events with and without group commit, and single events."""
    entries = [event_entry(event) for event in events[:BURST]]
    grouped_ns = _burst_ns(folder / "grouped.db", entries, MAX_GROUP)
    each_ns = _burst_ns(folder / "each.db", entries, 1)
    grouped, each = (len(entries) / took_ns * 1e9 for took_ns in (grouped_ns, each_ns))
    return [
        Figure(
            what="journal: a burst with group commit against a commit an event",
            median=f"{grouped:,.0f} against {each:,.0f} events/s",
            note=f"ratio {each_ns / grouped_ns:.1f}, {len(entries)} events",
        ),
        timed("journal: one event until it is on disk", _singles_ns(folder, entries[:SINGLE])),
    ]


def _burst_ns(path: Path, entries: Sequence[Entry], max_group: int) -> int:
    done = threading.Event()
    with Journal(path, {}, max_group=max_group) as journal:
        start_ns = stopwatch_ns()
        for entry in entries[:-1]:
            journal.append([entry], lambda: None)
        journal.append([entries[-1]], done.set)
        done.wait()
        return stopwatch_ns() - start_ns


def _singles_ns(folder: Path, entries: Sequence[Entry]) -> list[int]:
    times_ns: list[int] = []
    with Journal(folder / "single.db", {}) as journal:
        for entry in entries:
            done = threading.Event()
            start_ns = stopwatch_ns()
            journal.append([entry], partial(_note, times_ns, start_ns, done))
            done.wait()
    return times_ns


def _note(times_ns: list[int], start_ns: int, done: threading.Event) -> None:
    times_ns.append(stopwatch_ns() - start_ns)
    done.set()
