"""What the engine costs: an event, a replay, a thousand clean hands."""

import itertools
from collections.abc import Sequence
from pathlib import Path

from engine.events import AnyEvent
from engine.rulebook import compile_book, load_book
from engine.table import step
from engine.watch import advance, begin
from hw_fixtures.demo import DemoDealer, clean_timelines
from hw_fixtures.sensing import as_events, setup_of
from misdeal.bench.figures import Figure, timed
from misdeal.clock import stopwatch_ns
from misdeal.demo import write_table
from misdeal.journal import Journal, JournalReader
from misdeal.replay import Comparison, begin_again, event_entry, play, ruling_entry
from misdeal.tablefile import Layout, load

HANDS = 50
CLEAN_HANDS = 1000
SEED = 1

BOOK = "tda-2024"


def demo_layout(folder: Path) -> Layout:
    """Return the demo's table without its readers."""
    return load(write_table(folder, DemoDealer(SEED).packs, {}, wirings=()))


def demo_events(hands: int) -> list[AnyEvent]:
    """Return the events of the demo's first hands, as ideal sensors would tell them."""
    events: list[AnyEvent] = []
    for timeline in itertools.islice(DemoDealer(SEED), hands):
        events += as_events(timeline, start_ns=events[-1].at_ns + 10**9 if events else 10**9)
    return events


def measure_event(layout: Layout, events: Sequence[AnyEvent]) -> list[Figure]:
    """Measure one event through the table alone, and through table and rulings."""
    watch = begin(layout.setup, layout.book)
    table = watch.table
    steps_ns: list[int] = []
    advances_ns: list[int] = []
    for event in events:
        start_ns = stopwatch_ns()
        table, _ = step(table, event)
        between_ns = stopwatch_ns()
        watch, _ = advance(watch, event)
        advances_ns.append(stopwatch_ns() - between_ns)
        steps_ns.append(between_ns - start_ns)
    return [
        timed("engine: table.step an event", steps_ns, unit="us", aim="12 us"),
        timed("engine: watch.advance an event, rulings included", advances_ns, unit="us"),
    ]


def measure_replay(layout: Layout, events: Sequence[AnyEvent]) -> Figure:
    """Measure how fast a journal runs through the engine again and is compared."""
    watch = begin(layout.setup, layout.book)
    with Journal(layout.journal, layout.header) as journal:
        for event in events:
            watch, rulings = advance(watch, event)
            kept = [ruling_entry(each, event.at_ns) for each in rulings]
            journal.append([event_entry(event), *kept], lambda: None)
    comparison = Comparison()
    with JournalReader(layout.journal) as reader:
        again = begin_again(reader.header)
        start_ns = stopwatch_ns()
        for played in play(again, reader.records()):
            comparison.take(played)
        took_ns = stopwatch_ns() - start_ns
    comparison.finish()
    same = "the same" if comparison.divergence is None else "NOT THE SAME"
    return Figure(
        what="replay of a journal",
        median=f"{comparison.events / took_ns * 1e9:,.0f} events/s",
        aim="50,000 events/s",
        note=f"{comparison.events} events, {comparison.rulings} ruling changes, {same}",
    )


def measure_clean_hands(hands: int = CLEAN_HANDS) -> Figure:
    """Measure random clean hands, which must not give one ruling."""
    book = compile_book(load_book(BOOK), file=f"{BOOK}.toml")
    rulings = events = took_ns = 0
    for timeline in itertools.islice(clean_timelines(SEED), hands):
        happened = as_events(timeline)
        watch = begin(setup_of(timeline), book)
        start_ns = stopwatch_ns()
        for event in happened:
            watch, changes = advance(watch, event)
            rulings += len(changes)
        took_ns += stopwatch_ns() - start_ns
        events += len(happened)
    return Figure(
        what=f"{hands} random clean hands",
        median=f"{took_ns / 1e9:.2f} s",
        aim="0 rulings",
        note=f"{rulings} rulings, {events} events, {took_ns / hands / 1e6:.2f} ms a hand",
    )
