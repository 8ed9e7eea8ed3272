"""The survey of a table: cards are laid down by whoever helps, the readers are listened to."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence

from engine.cards import Tag
from firmware_bridge.bridge import Bridge
from firmware_bridge.polls import Poll
from firmware_bridge.wiring import ReaderSpec
from misdeal.surveying import (
    LOOKS,
    Crossing,
    Measurement,
    Reading,
    Rounds,
    Step,
    Survey,
    joined,
)

# A place that gives no look for so long is left as it is: its reader is gone, or never was there.
STALL_S = 5.0


class Surveyor:
    """Measures step by step, and keeps what was measured.

    Args:
        specs: The readers.
        tags: The cards that are laid down, the lowest of a stack first.
        clock: Gives the time in nanoseconds.
        rng: Spreads the tries to reconnect.
        looks: How many looks a rate is measured from.
        stall_s: How long a place may give none.
    """

    def __init__(
        self,
        specs: Sequence[ReaderSpec],
        tags: Sequence[Tag],
        *,
        clock: Callable[[], int],
        rng: random.Random,
        looks: int = LOOKS,
        stall_s: float = STALL_S,
    ) -> None:
        self._tags = tuple(tags)
        self._looks = looks
        self._stall_s = stall_s
        self._bridge = Bridge(specs, (), emit=_ignore, clock=clock, rng=rng, on_poll=self._take)
        self._measurement: Measurement | None = None
        self._looked = asyncio.Event()
        self._rounds = Rounds()
        self._readings: list[Reading] = []
        self._crossings: list[Crossing] = []

    async def run(
        self,
        steps: Sequence[Step],
        *,
        lay: Callable[[Step], Awaitable[None]],
        tell: Callable[[Reading], None],
    ) -> None:
        """Measure each step.

        Args:
            steps: What is laid down, one after the other.
            lay: Has a step's cards laid down and returns when they lie.
            tell: Takes each reading.
        """
        listening = asyncio.ensure_future(self._bridge.run())
        measuring = asyncio.ensure_future(self._measure_all(steps, lay, tell))
        try:
            await asyncio.wait([listening, measuring], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._bridge.close()
            for work in (listening, measuring):
                work.cancel()
            results = await asyncio.gather(listening, measuring, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    def survey(self, *, table: str, made: str) -> Survey:
        """Return what was measured so far.

        Args:
            table: The table's name.
            made: When, in UTC.
        """
        return Survey(
            table=table,
            made=made,
            readings=tuple(self._readings),
            crossings=joined(self._crossings),
            cycles=self._rounds.cycles(),
        )

    def _take(self, poll: Poll) -> None:
        if self._measurement is not None:
            self._measurement.take(poll)
            self._rounds.take(poll)
            self._looked.set()

    async def _measure_all(
        self,
        steps: Sequence[Step],
        lay: Callable[[Step], Awaitable[None]],
        tell: Callable[[Reading], None],
    ) -> None:
        for step in steps:
            await lay(step)
            reading = await self._measure(step)
            tell(reading)

    async def _measure(self, step: Step) -> Reading:
        measurement = Measurement(step, self._tags[: step.height])
        self._measurement = measurement
        self._rounds.pause()
        try:
            async with asyncio.timeout(self._stall_s) as stall:
                while measurement.looks < self._looks:
                    before = measurement.looks
                    self._looked.clear()
                    await self._looked.wait()
                    if measurement.looks > before:
                        stall.reschedule(asyncio.get_running_loop().time() + self._stall_s)
        except TimeoutError:
            pass
        self._measurement = None
        reading = measurement.reading()
        self._readings.append(reading)
        self._crossings += measurement.crossings()
        return reading


def _ignore(event: object) -> None:
    del event
