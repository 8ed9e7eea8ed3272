"""Measures and prints the table; about two minutes, most of them real time at the demo table."""

import asyncio
import sys
import tempfile
from pathlib import Path

from misdeal.bench.engine import (
    HANDS,
    demo_events,
    demo_layout,
    measure_clean_hands,
    measure_event,
    measure_replay,
)
from misdeal.bench.figures import Figure, table
from misdeal.bench.latency import measure_latency
from misdeal.bench.start import measure_start
from misdeal.bench.storage import measure_journal


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="misdeal-bench-") as passing:
        folder = Path(passing)
        events = demo_events(HANDS)
        layout = demo_layout(folder / "replay")
        figures: list[Figure] = [
            *asyncio.run(measure_latency(folder / "latency")),
            *measure_event(layout, events),
            measure_replay(layout, events),
            measure_clean_hands(),
            *measure_journal(folder, events),
            *measure_start(),
        ]
    sys.stdout.write(table(figures) + "\n")


if __name__ == "__main__":
    main()
