"""From a statement at the table to the page that shows it: ``python -m misdeal.bench.pages``.

Each passes the engine, the journal's disk flush and the stream; the pages are connections over
loopback in a process of their own, and some of them never read.
"""

import asyncio
import random
import sys
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path

from hw_fixtures.demo import DemoDealer
from misdeal.app import App, attend
from misdeal.bench.figures import Figure, table, timed
from misdeal.clock import stopwatch_ns, table_clock
from misdeal.demo import write_table
from misdeal.tablefile import load
from misdeal.web.serving import Page

STATEMENTS = 300
PACE_S = 0.02
"""Fifty statements a second: ten times the events of a brisk deal."""

FOLLOWERS: tuple[tuple[int, int], ...] = ((1, 0), (50, 0), (150, 50))
"""Pages that read, and pages that never do."""


async def measure_pages(
    folder: Path, pages: int, deaf: int, *, statements: int = STATEMENTS
) -> list[Figure]:
    """Measure how long it takes until every page is told, and until the operator is answered."""
    layout = load(write_table(folder, DemoDealer(1).packs, {}, wirings=()))
    answered_ns: list[int] = []
    said_ns: list[int] = []
    heard: list[asyncio.Task[tuple[bytes, bytes]]] = []
    with Page(layout) as page:

        async def speak(app: App) -> None:
            page.people.add("bench", "auditor")
            arguments = map(str, (page.port, page.people.open("bench", "token"), pages, deaf))
            started = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "misdeal.bench.followers", *arguments, stdout=PIPE
            )
            await started.stdout.readline()  # type: ignore[union-attr]
            heard.append(asyncio.create_task(started.communicate()))
            for _ in range(statements):
                said_ns.append(stopwatch_ns())
                await app.controller.say("shuffle")
                answered_ns.append(stopwatch_ns() - said_ns[-1])
                await asyncio.sleep(PACE_S)

        rng = random.Random(1)  # noqa: S311 - no secret hangs on it
        await attend(layout, speak, page.serve, start_clock=table_clock, rng=rng)
        output, _ = await heard[0]
    rows = (line.split() for line in output.splitlines())
    times_ns = [int(at_ns) - said_ns[int(number)] for number, at_ns in rows]
    what = f"{pages} pages, {deaf} more that never read"
    return [
        timed(f"statement to page: {what}", times_ns),
        timed("  until the operator is answered", answered_ns),
    ]


def main() -> None:
    """Print the table."""
    figures: list[Figure] = []
    for pages, deaf in FOLLOWERS:
        with tempfile.TemporaryDirectory(prefix="misdeal-bench-") as folder:
            figures += asyncio.run(measure_pages(Path(folder), pages, deaf))
    sys.stdout.write(table(figures) + "\n")


if __name__ == "__main__":
    main()
