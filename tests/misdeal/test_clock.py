"""The table's clock goes on from where it was, and is read as a date."""

import time

from misdeal.clock import as_utc, stopwatch_ns, table_clock

HOUR_NS = 3600 * 10**9


def test_the_clock_never_shows_a_moment_before_the_one_it_is_given() -> None:
    ahead = time.time_ns() + HOUR_NS
    clock = table_clock(ahead)
    first = clock()
    assert ahead <= first <= clock()


def test_a_new_clock_shows_the_time_of_day() -> None:
    before = time.time_ns()
    assert table_clock(0)() - before < HOUR_NS


def test_a_moment_is_told_as_a_date() -> None:
    assert as_utc(1_796_040_364_040_192_212) == "2026-11-30T12:06:04.040+00:00"


def test_the_stopwatch_runs_forward() -> None:
    assert stopwatch_ns() <= stopwatch_ns()
