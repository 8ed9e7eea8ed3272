"""The measurements measure what they say, here with little of each."""

import asyncio
from pathlib import Path

import pytest

from firmware_bridge.families import FAMILIES
from hw_fixtures.devices import catalogue
from misdeal.bench.books import measure_books
from misdeal.bench.bridge import measure_bridge
from misdeal.bench.engine import (
    demo_events,
    demo_layout,
    measure_clean_hands,
    measure_event,
    measure_replay,
)
from misdeal.bench.figures import Figure, columns, spread, table, timed
from misdeal.bench.latency import SHOE_TRIALS, measure_latency
from misdeal.bench.one_table import Load
from misdeal.bench.parsing import CHUNK, measure_parsers, overhear, parse
from misdeal.bench.scripts import measure_scripts
from misdeal.bench.start import measure_start
from misdeal.bench.storage import measure_journal
from misdeal.bench.tables import HEAD, measure_tables, row


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
    assert columns([("a", "b"), ("long", "c")]) == "a     b\nlong  c"


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
    assert [each.aim for each in measure_books(2)] == ["200 ms", "", ""]


def test_scripts_are_spread_over_the_folder_and_judged_again_where_there_are_too_few(
    root: Path,
) -> None:
    figure = measure_scripts(root / "tests" / "scripts" / "wsop", 3)
    assert figure.what == "3 scripts judged"
    assert figure.note.endswith("1 books, 0 scripts not as expected")


def test_a_round_at_the_simulated_table_gives_the_times_from_byte_to_ruling(
    tmp_path: Path,
) -> None:
    figures = asyncio.run(measure_latency(tmp_path, rounds=2))
    assert [figure.note for figure in figures] == ["n = 2", "n = 2", f"n = {2 * SHOE_TRIALS}"]


def test_a_round_of_the_full_table_gives_the_times_from_byte_to_event() -> None:
    times, load = asyncio.run(measure_bridge(rounds=1, idle_s=0.3))
    assert times.note == "n = 13"
    assert load.median.endswith("% of a core")


@pytest.mark.parametrize("name", sorted(FAMILIES.keys() & catalogue.FAMILIES.keys()))
def test_what_a_reader_says_is_read_whole_by_the_parser(name: str) -> None:
    stream = overhear(name)
    speed = parse(FAMILIES[name], stream, 2 * len(stream))
    assert speed.length == 2 * len(stream)
    assert speed.frames > 0


def test_every_family_that_can_be_simulated_has_its_parser_measured() -> None:
    figures = measure_parsers(CHUNK)
    assert [each.what.split()[-1] for each in figures] == [
        name for name in FAMILIES if name in catalogue.FAMILIES
    ]


LOADS = [
    Load(times_ns=(1_000_000, 3_000_000), controller=0.1, readers=0.3),
    Load(times_ns=(2_000_000,), controller=0.3, readers=0.5),
]


def test_a_number_of_tables_has_the_times_of_all_and_what_each_of_them_took() -> None:
    assert row(LOADS) == (
        "2", "2.0 ms", "3.0 ms", "3", "0.40 cores", "0.200", "0.80 cores", "0.400"
    )  # fmt: skip


def test_a_table_in_a_process_of_its_own_says_what_it_measured() -> None:
    head, one = asyncio.run(measure_tables([1], 2.5))
    assert head == HEAD
    assert one[0] == "1"
    assert int(one[3]) > 1
