"""Measures and prints the table; some minutes, most of them real time at the demo table."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from misdeal.bench.books import measure_books
from misdeal.bench.bridge import measure_bridge
from misdeal.bench.engine import (
    HANDS,
    demo_events,
    demo_layout,
    measure_clean_hands,
    measure_event,
    measure_replay,
)
from misdeal.bench.figures import Figure, table
from misdeal.bench.gate import measure_gate
from misdeal.bench.latency import measure_latency
from misdeal.bench.parsing import measure_parsers
from misdeal.bench.scripts import measure_scripts
from misdeal.bench.start import measure_start
from misdeal.bench.storage import measure_journal


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m misdeal.bench", description=__doc__)
    parser.add_argument("--scripts", type=Path, help="a folder of table scripts to judge, too")
    scripts: Path | None = parser.parse_args(arguments).scripts
    with tempfile.TemporaryDirectory(prefix="misdeal-bench-") as passing:
        folder = Path(passing)
        events = demo_events(HANDS)
        layout = demo_layout(folder / "replay")
        figures: list[Figure] = [
            *asyncio.run(measure_latency(folder / "latency")),
            *asyncio.run(measure_bridge()),
            *measure_parsers(),
            *measure_event(layout, events),
            measure_replay(layout, events),
            measure_clean_hands(),
            *measure_books(),
            *([measure_scripts(scripts)] if scripts else []),
            *measure_journal(folder, events),
            *measure_start(),
            *measure_gate(),
        ]
    sys.stdout.write(table(figures) + "\n")


if __name__ == "__main__":
    main()
