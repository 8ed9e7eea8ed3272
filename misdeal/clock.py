"""The one place that reads a clock.

Capture times are nanoseconds on the table's own clock. It is set from the wall once, when the
controller starts, so that a time can be read as a date; from then on it only follows the
machine's monotonic clock, so that a corrected wall clock moves no deadline.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime

NANOSECONDS_PER_SECOND = 1_000_000_000

Clock = Callable[[], int]
"""Gives the present moment in nanoseconds; never runs backwards."""


StartClock = Callable[[int], Clock]
"""Starts a clock that shows no moment before the one given."""


def table_clock(not_before_ns: int) -> Clock:
    """Start the table's clock.

    Args:
        not_before_ns: The last moment that the table has lived through, 0 for none; time passes on
            from there even where the wall clock was set back.
    """
    offset_ns = max(time.time_ns(), not_before_ns) - time.monotonic_ns()

    def now_ns() -> int:
        return offset_ns + time.monotonic_ns()

    return now_ns


def stopwatch_ns() -> int:
    """Return CLOCK_MONOTONIC, which all processes of a machine share, for measuring alone."""
    return time.monotonic_ns()


def wall_s() -> float:
    """Return the time of the wall in seconds, for keys that expire; no deadline hangs on it."""
    return time.time_ns() / NANOSECONDS_PER_SECOND


def as_utc(at_ns: int) -> str:
    """Return a moment of the table's clock as ISO 8601 in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(at_ns / NANOSECONDS_PER_SECOND, tz=UTC)
    return moment.isoformat(timespec="milliseconds")
