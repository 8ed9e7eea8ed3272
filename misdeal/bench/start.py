"""What it costs to start: ``misdeal --help`` against the bare interpreter."""

import subprocess
import sys
from collections.abc import Sequence

from misdeal.bench.figures import Figure, timed
from misdeal.clock import stopwatch_ns

RUNS = 15


def measure_start(runs: int = RUNS) -> list[Figure]:
    """Measure whole processes, in turn."""
    helped_ns: list[int] = []
    bare_ns: list[int] = []
    for _ in range(runs):
        helped_ns.append(_run_ns(["-m", "misdeal", "--help"]))
        bare_ns.append(_run_ns(["-c", "pass"]))
    return [
        timed("start-up: misdeal --help", helped_ns, aim="150 ms"),
        timed("start-up: python -c pass, beside it", bare_ns),
    ]


def _run_ns(arguments: Sequence[str]) -> int:
    start_ns = stopwatch_ns()
    command = [sys.executable, *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own words
    return stopwatch_ns() - start_ns
