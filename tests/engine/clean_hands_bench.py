"""Clean hands by the hundred thousand: ``python -m tests.engine.clean_hands_bench``.

Every game, with every action entered and with none, all sensors on; not one ruling may come. The
hands are dealt by as many processes as there are cores, each from seeds of its own.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

from misdeal.bench.figures import columns
from tests.engine.silence import Silence, measure_silence

HANDS = 100_000
SHARES = 20
"""Parts of the work, so that no core waits long for another."""


def measure(hands: int, processes: int) -> list[Silence]:
    """Return the rows of all shares, one after the other."""
    each = -(-hands // SHARES)
    with ProcessPoolExecutor(processes) as pool:
        return [
            row for rows in pool.map(measure_silence, range(SHARES), repeat(each)) for row in rows
        ]


def summed(rows: Sequence[Silence]) -> list[tuple[str, ...]]:
    """Return a line for each game and each habit of entering, and one for all of them."""
    cases = list(dict.fromkeys((row.game, row.entries) for row in rows))
    lines = [
        (game, entries, *_sums([row for row in rows if (row.game, row.entries) == (game, entries)]))
        for game, entries in cases
    ]
    return [("game", "entries", "hands", "events", "rulings"), *lines, ("all", "", *_sums(rows))]


def _sums(rows: Sequence[Silence]) -> tuple[str, str, str]:
    hands, events, rulings = (
        f"{sum(getattr(row, name) for row in rows):,}" for name in ("hands", "events", "rulings")
    )
    return hands, events, rulings


def main() -> int:
    """Print the table; exit status 1 where a clean hand gave a ruling."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.clean_hands_bench")
    parser.add_argument("--hands", type=int, default=HANDS)
    hands: int = parser.parse_args().hands
    start_s = time.monotonic()
    rows = measure(hands, os.cpu_count() or 1)
    sys.stdout.write(f"{columns(summed(rows))}\nin {time.monotonic() - start_s:.0f} s\n")
    return int(any(row.rulings for row in rows))


if __name__ == "__main__":
    sys.exit(main())
