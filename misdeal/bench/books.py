"""What it costs to compile every shipped rule book; each time in a fresh process.

``python -m misdeal.bench.books`` says as one JSON line how long the expression language took to
load and how long the books took to compile, in nanoseconds.
"""

import importlib
import subprocess
import sys

import msgspec
from msgspec import Struct

from engine.rulebook import book_names, compile_book, load_book
from misdeal.bench.figures import Figure, timed
from misdeal.clock import stopwatch_ns

RUNS = 10


class Compiled(Struct, frozen=True):
    """What one process took, in nanoseconds."""

    load_ns: int
    compile_ns: int
    slowest_ns: int
    """The book that took longest."""


def compile_all() -> Compiled:
    """Compile every shipped book in this process."""
    start_ns = stopwatch_ns()
    importlib.import_module("cel")
    loaded_ns = stopwatch_ns()
    times_ns: list[int] = []
    for name in book_names():
        begun_ns = stopwatch_ns()
        compile_book(load_book(name), file=f"{name}.toml")
        times_ns.append(stopwatch_ns() - begun_ns)
    return Compiled(loaded_ns - start_ns, sum(times_ns), max(times_ns))


def measure_books(runs: int = RUNS) -> list[Figure]:
    """Measure whole processes, one after the other."""
    command = [sys.executable, "-m", "misdeal.bench.books"]
    told = [
        msgspec.json.decode(
            subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout,  # noqa: S603
            type=Compiled,
        )
        for _ in range(runs)
    ]
    return [
        timed(
            f"rule books: all {len(book_names())} compiled",
            [each.compile_ns for each in told],
            aim="200 ms",
        ),
        timed("  the slowest of them", [each.slowest_ns for each in told]),
        timed("  before it, the expression language loaded", [each.load_ns for each in told]),
    ]


def main() -> None:
    """Compile once."""
    sys.stdout.buffer.write(msgspec.json.encode(compile_all()) + b"\n")


if __name__ == "__main__":
    main()
