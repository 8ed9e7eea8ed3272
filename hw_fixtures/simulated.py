"""The simulated readers as a program holds them: started, played on, and ended.

async with await SimulatedReaders.start() as readers:
    readers.put(["E004010812345678"], SHOE)
    ...  # open readers.ports["C"] with pyserial
"""

import asyncio
import itertools
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self, TypeVar

import msgspec

import hw_fixtures
from engine.cards import Place, Tag
from hw_fixtures.errors import ReadersLostError
from hw_fixtures.faults import Faults
from hw_fixtures.held import Held
from hw_fixtures.hosted import Written
from hw_fixtures.orders import Order, Report
from hw_fixtures.world import TABLE, Wiring

# Reports of written answers that wait to be taken; the oldest goes when a newer needs its room.
MAX_WAITING = 10_000

# Refusals that are kept, the newest.
MAX_REFUSED = 100

Pipe = TypeVar("Pipe")


class SimulatedReaders(Held):
    """A running process of simulated readers; ``start`` makes one.

    Orders are sent at once and carried out in order; ``sync`` waits until they were.
    """

    def __init__(self, process: Process) -> None:
        super().__init__(process)
        self._orders = _present(process.stdin)
        self._reports = _present(process.stdout)
        self._numbers = itertools.count()
        self._synced: dict[int, asyncio.Future[None]] = {}
        self._has_ports: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._listener = asyncio.create_task(self._listen())
        self.ports: dict[str, str] = {}
        """Reader to the path of its port."""
        self.written: asyncio.Queue[Written] = asyncio.Queue(MAX_WAITING)
        """When answers with the tags of ``stamp`` were written."""
        self.refused: deque[str] = deque(maxlen=MAX_REFUSED)
        """Why orders were not carried out."""

    @classmethod
    async def start(cls, wirings: Sequence[Wiring] = TABLE, *, speed: float = 1.0) -> Self:
        """Start the process and wait until its ports can be opened.

        Args:
            wirings: The readers; left out, those of the demo table.
            speed: How many times faster than real time wires and radio are.

        Raises:
            ReadersLostError: If it ended before it had ports.
        """
        # The child finds the very packages that started it, not others of the same name.
        home = str(Path(hw_fixtures.__file__).parents[1])
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-m", "hw_fixtures.readers", "--speed", str(speed)),
            *("--wiring", msgspec.json.encode(wirings).decode()),
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": home},
            start_new_session=True,  # Ctrl-C is for the program, which then ends the readers
        )
        readers = cls(process)
        try:
            await readers._has_ports
        except ReadersLostError:
            await readers.close()
            raise
        return readers

    def put(self, tags: Iterable[Tag], place: Place) -> None:
        """Lay cards that are not at the table onto a place, the last of them on top."""
        self._send(Order(put=tuple(tags), place=place))

    def take(self, tags: Iterable[Tag]) -> None:
        """Take cards off the table."""
        self._send(Order(take=tuple(tags)))

    def move(self, tags: Iterable[Tag], place: Place) -> None:
        """Carry cards from wherever they are onto a place."""
        self._send(Order(move=tuple(tags), place=place))

    def set_faults(self, faults: Faults, reader: str | None = None) -> None:
        """Let things go wrong at one reader, or at all."""
        self._send(Order(fault=faults, reader=reader))

    def unplug(self, reader: str) -> None:
        """Pull a reader's plug."""
        self._send(Order(unplug=reader))

    def replug(self, reader: str) -> None:
        """Plug a reader in again: the same name, another terminal."""
        self._send(Order(replug=reader))

    def swap(self, one: str, other: str) -> None:
        """Plug two readers in the wrong way round: each under the name of the other."""
        self._send(Order(swap=(one, other)))

    def restart(self, reader: str) -> None:
        """Let a reader restart by itself; it is silent for about a second."""
        self._send(Order(restart=reader))

    def stamp(self, tags: Iterable[Tag]) -> None:
        """Report into ``written`` when answers with these tags were written, with no others."""
        self._send(Order(stamp=tuple(tags)))

    async def sync(self) -> None:
        """Wait until every order so far was carried out.

        Raises:
            ReadersLostError: If the process is gone.
        """
        if self._listener.done():
            raise ReadersLostError("that orders were done")
        number = next(self._numbers)
        done = self._synced[number] = asyncio.get_running_loop().create_future()
        self._send(Order(sync=number))
        await done

    async def close(self) -> None:
        """End the process and wait until its ports are gone; do nothing where it has ended."""
        if self._process.returncode is None:
            self._orders.close()
        await self._process.wait()
        await self._listener

    def _send(self, order: Order) -> None:
        self._orders.write(msgspec.json.encode(order) + b"\n")

    async def _listen(self) -> None:
        async for line in self._reports:
            self._take(msgspec.json.decode(line, type=Report))
        if not self._has_ports.done():
            self._has_ports.set_exception(ReadersLostError("their ports"))
        for done in self._synced.values():
            if not done.done():
                done.set_exception(ReadersLostError("that orders were done"))

    def _take(self, report: Report) -> None:
        if report.ports is not None:
            self.ports = report.ports
            _settle(self._has_ports)
        if report.synced is not None:
            _settle(self._synced.pop(report.synced))
        if report.refused is not None:
            self.refused.append(report.refused)
        if report.written is not None:
            if self.written.full():
                self.written.get_nowait()
            self.written.put_nowait(report.written)


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _present(pipe: Pipe | None) -> Pipe:
    if pipe is None:
        raise ReadersLostError("anything")
    return pipe
