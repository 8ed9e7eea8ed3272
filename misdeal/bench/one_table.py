"""One table of many: ``python -m misdeal.bench.one_table SECONDS``, started by ``tables``.

Says ``ready`` when its readers can be heard, waits for a line, measures from byte to ruling for so
many seconds, and says what came of it as one JSON line.
"""

import asyncio
import itertools
import os
import random
import sys
import tempfile
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hw_fixtures.demo import DemoDealer
from hw_fixtures.packs import own_cards
from hw_fixtures.simulated import SimulatedReaders
from misdeal.app import App, attend
from misdeal.bench.latency import WRONG_SEATS, Trial
from misdeal.clock import stopwatch_ns, table_clock
from misdeal.demo import until_ready, write_table
from misdeal.tablefile import load


class Load(Struct, frozen=True, kw_only=True):
    """What one table did in its time."""

    times_ns: tuple[int, ...]
    """From byte to ruling."""
    controller: float
    """Cores that the controller's process took: 0.1 is a tenth of one."""
    readers: float
    """Cores that the process of its simulated readers took."""


class _Window:
    """The time in which is measured; opens when somebody says so."""

    def __init__(self, length_s: float, pids: tuple[int, int]) -> None:
        self._length_ns = round(length_s * 1e9)
        self._pids = pids
        self._start_ns = 0
        self._used_s: tuple[float, ...] = ()
        self._times_ns: list[int] = []

    @property
    def is_open(self) -> bool:
        """Whether its time is not over; true before it has begun."""
        return not self._start_ns or stopwatch_ns() - self._start_ns < self._length_ns

    async def open(self) -> None:
        """Say that the table is ready, and wait for the word; only once."""
        if self._start_ns:
            return
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        self._start_ns = stopwatch_ns()
        self._used_s = tuple(map(_cpu_s, self._pids))

    def note(self, times_ns: tuple[int, int]) -> None:
        """Note the time from byte to ruling, while it is open."""
        if self.is_open:
            self._times_ns.append(times_ns[0])

    def close(self) -> Load:
        """Return what was measured."""
        took_s = (stopwatch_ns() - self._start_ns) / 1e9
        controller, readers = (
            (_cpu_s(pid) - before) / took_s
            for pid, before in zip(self._pids, self._used_s, strict=True)
        )
        return Load(times_ns=tuple(self._times_ns), controller=controller, readers=readers)


async def watch_one(length_s: float, folder: Path) -> Load:
    """Watch a table for some seconds in which cards are laid where they do not belong."""
    seed = os.getpid()
    packs = DemoDealer(seed).packs
    red, blue = map(own_cards, packs)
    seats = itertools.cycle(WRONG_SEATS)
    rng = random.Random(seed)  # noqa: S311 - no secret hangs on it
    async with await SimulatedReaders.start() as readers:
        window = _Window(length_s, (os.getpid(), readers.pid))

        async def lay_cards(app: App) -> None:
            await until_ready(app)
            await window.open()
            trial = Trial(app, readers)
            window.note(await trial.at_seat(red[0], next(seats)))
            async for times_ns in trial.at_shoe(red[1:], blue[1:]):
                window.note(times_ns)

        layout = load(write_table(folder, packs, readers.ports))
        number = 0
        while window.is_open:
            fresh = replace(layout, journal=folder / f"{number}.db")
            await attend(fresh, lay_cards, start_clock=table_clock, rng=rng)
            number += 1
        return window.close()


def _cpu_s(pid: int) -> float:
    """Return how many seconds of processor time a process has taken: proc(5), fields 14 and 15."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Watch one table."""
    with tempfile.TemporaryDirectory(prefix="misdeal-bench-") as passing:
        load_of_it = asyncio.run(watch_one(float(sys.argv[1]), Path(passing)))
    sys.stdout.buffer.write(msgspec.json.encode(load_of_it) + b"\n")


if __name__ == "__main__":
    main()
