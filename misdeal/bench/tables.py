"""How many full tables one machine carries: ``python -m misdeal.bench.tables``.

Each table is a process, as ``misdeal run`` is, with fourteen antennas on a process of simulated
readers, and at each a card that does not belong is laid as soon as the one before was ruled on.
The simulated readers take more of the machine than real ones, which take none: what each of the two
took is told apart.
"""

import argparse
import asyncio
import os
import statistics
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence

import msgspec

from misdeal.bench.figures import columns, spread
from misdeal.bench.one_table import Load

WINDOW_S = 20.0
NUMBERS = (1, 2, 4, 6, 8, 10)

HEAD = (
    "tables", "median", "p99", "rulings", "controllers", "a table's", "readers", "a table's"
)  # fmt: skip


async def watch_many(number: int, window_s: float) -> list[Load]:
    """Watch so many tables at once; they begin together."""
    tables = [await _start(window_s) for _ in range(number)]
    try:
        for table in tables:
            await _line(table)
        for table in tables:
            if table.stdin is not None:
                table.stdin.write(b"go\n")
        return [msgspec.json.decode(await _line(table), type=Load) for table in tables]
    finally:
        for table in tables:
            await table.communicate(b"")


async def _start(window_s: float) -> Process:
    command = (sys.executable, "-m", "misdeal.bench.one_table", str(window_s))
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)


async def _line(table: Process) -> bytes:
    return await table.stdout.readline() if table.stdout is not None else b""


def row(loads: Sequence[Load]) -> tuple[str, ...]:
    """Return the line of one number of tables."""
    times_ns = [time_ns for load in loads for time_ns in load.times_ns]
    median, p99 = (f"{time_ns / 1e6:.1f} ms" for time_ns in spread(times_ns))
    controllers = [load.controller for load in loads]
    readers = [load.readers for load in loads]
    return (
        str(len(loads)),
        median,
        p99,
        str(len(times_ns)),
        f"{sum(controllers):.2f} cores",
        f"{statistics.mean(controllers):.3f}",
        f"{sum(readers):.2f} cores",
        f"{statistics.mean(readers):.3f}",
    )


async def measure_tables(numbers: Sequence[int], window_s: float) -> list[tuple[str, ...]]:
    """Return the table of all numbers, one after the other."""
    return [HEAD, *[row(await watch_many(number, window_s)) for number in numbers]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m misdeal.bench.tables")
    parser.add_argument("--tables", type=int, nargs="+", default=NUMBERS)
    parser.add_argument("--seconds", type=float, default=WINDOW_S)
    given = parser.parse_args()
    told = asyncio.run(measure_tables(given.tables, given.seconds))
    sys.stdout.write(f"{os.cpu_count()} cores\n{columns(told)}\n")


if __name__ == "__main__":
    main()
