"""The measurements measure what they say, here with little of each."""

import asyncio
from pathlib import Path

from misdeal.bench.engine import (
    demo_events,
    demo_layout,
    measure_clean_hands,
    measure_event,
    measure_replay,
)
from misdeal.bench.figures import Figure, spread, table, timed
from misdeal.bench.latency import measure_latency
from misdeal.bench.start import measure_start
from misdeal.bench.storage import measure_journal


def test_the_spread_of_times_is_their_middle_and_their_tail() -> None:
    assert spread(range(101)) == (50, 99)
    assert spread([0, 200]) == (100, 198)


def test_a_figure_has_its_unit_and_its_count() -> None:
    figure = timed("x", [1_000, 3_000], unit="us", aim="5 us", note="said")
    assert figure == Figure(
        what="x", median="2.00 us", p99="2.98 us", aim="5 us", note="n = 2, said"
    )


def test_figures_stand_in_columns() -> None:
    assert table([Figure(what="a", median="1 ms"), Figure(what="long", median="2", note="n")]) == (
        "what  median  p99  aim  note\na     1 ms\nlong  2                 n"
    )


def test_every_measurement_gives_its_figures(tmp_path: Path) -> None:
    events = demo_events(2)
    layout = demo_layout(tmp_path / "replay")
    replay = measure_replay(layout, events)
    assert replay.note.endswith("the same")
    assert measure_clean_hands(3).note.startswith("0 rulings, ")
    assert len(measure_event(layout, events)) == 2
    burst, single = measure_journal(tmp_path, events)
    assert (burst.median.endswith("events/s"), single.median.endswith("ms")) == (True, True)
    assert [each.aim for each in measure_start(2)] == ["150 ms", ""]


def test_a_round_at_the_simulated_table_gives_the_times_from_byte_to_ruling(
    tmp_path: Path,
) -> None:
    figures = asyncio.run(measure_latency(tmp_path, rounds=1))
    assert [figure.note for figure in figures] == ["n = 9"] * 3
