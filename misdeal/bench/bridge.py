"""What the bridge costs at the full table: fourteen antennas, two cards at every seat.

The simulated readers are another process; this one holds the bridge and nothing else.
"""

import asyncio
import random
import resource
from collections import deque
from typing import Final

from engine.cards import BOARD, BURN, PACK, SHOE, Pack, Place, Tag, TaggedCard
from engine.events import AnyEvent, CardRead
from firmware_bridge.bridge import Bridge
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.packs import demo_packs, own_cards
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import READ_PLACES, TABLE
from misdeal.bench.figures import Figure, timed
from misdeal.clock import stopwatch_ns

SEED = 1
ROUNDS = 15
IDLE_S = 10.0
READY_S = 0.05
# Longer than any round of the antennas, with its retries.
PATIENCE_S = 10.0

# Two cards at each of nine seats, a board, three burns.
LYING: Final[dict[Place, int]] = {
    **{place: 2 for place in sorted(READ_PLACES) if place.startswith("S") and place[1:].isdigit()},
    BOARD: 5,
    BURN: 3,
}

_PLACES: Final = {
    (wiring.name, number): antenna.place
    for wiring in TABLE
    for number, antenna in enumerate(wiring.antennas, start=1)
}
_READS: Final[dict[Place, int]] = {SHOE: 1}
"""How many reads make a registered card; two everywhere else."""


async def measure_bridge(*, rounds: int = ROUNDS, idle_s: float = IDLE_S) -> list[Figure]:
    """Measure a card carried from place to place, and what it costs to find nothing new.

    Raises:
        TimeoutError: If a card gives no event.
    """
    packs = demo_packs(SEED)
    cards = list(own_cards(packs[0]))
    async with await SimulatedReaders.start() as readers:
        table = _Table(readers, packs)
        running = asyncio.ensure_future(table.bridge.run())
        try:
            await table.fill(cards)
            load = await table.idle(idle_s)
            # The pad tells counts of the pack, not cards.
            places = sorted(READ_PLACES - {PACK})
            times_ns = [
                await table.carry(cards[-1], place) for _ in range(rounds) for place in places
            ]
        finally:
            await table.bridge.close()
            await running
    what = f"byte to event: {len(places)} places of a full table in turn"
    return [timed(what, times_ns), *load]


class _Table:
    """A bridge without a table's controller, and what it tells."""

    def __init__(self, readers: SimulatedReaders, packs: tuple[Pack, ...]) -> None:
        self._readers = readers
        self._told: deque[tuple[int, AnyEvent]] = deque()
        self._arrived = asyncio.Event()
        specs = [
            ReaderSpec(
                name=wiring.name,
                port=readers.ports[wiring.name],
                family=wiring.family,
                antennas={
                    number: antenna.place
                    for number, antenna in enumerate(wiring.antennas, start=1)
                    if antenna.place
                },
                baud=wiring.baud,
                identity=wiring.identity,
            )
            for wiring in TABLE
        ]
        rng = random.Random(SEED)  # noqa: S311 - spreads tries to reconnect
        self.bridge = Bridge(specs, packs, emit=self._note, clock=stopwatch_ns, rng=rng)

    async def fill(self, cards: list[TaggedCard]) -> None:
        """Lay the cards of a hand that is well under way, and wait until all are told."""
        while any(reader.state != "READY" for reader in self.bridge.health()):  # noqa: ASYNC110
            await asyncio.sleep(READY_S)
        lying = iter(cards)
        for place, number in LYING.items():
            for _ in range(number):
                tag = next(lying).tag
                self._readers.put([tag], place)
                async with asyncio.timeout(PATIENCE_S):
                    await self._next_read(tag, place)

    async def idle(self, for_s: float) -> list[Figure]:
        """Measure what the bridge costs while nothing changes."""
        frames, start_ns, before = self._frames(), stopwatch_ns(), _cpu_s()
        await asyncio.sleep(for_s)
        took_s = (stopwatch_ns() - start_ns) / 1e9
        share, frames = (_cpu_s() - before) / took_s, self._frames() - frames
        slowest_ms = max(reader.cycle_ms for reader in self.bridge.health())
        return [
            Figure(
                what="  CPU of the bridge's process, polling as fast as the wires allow",
                median=f"{share:.1%} of a core",
                note=f"{frames / took_s:.0f} frames/s, round of the slowest reader "
                f"{slowest_ms:.0f} ms, {share * took_s / frames * 1e6:.0f} us a frame",
            )
        ]

    async def carry(self, card: TaggedCard, place: Place) -> int:
        """Carry a card to a place and wait for its event.

        Returns:
            Nanoseconds from the last byte of the answer that completed the evidence to the event.
        """
        self._readers.stamp([card.tag])
        self._readers.move([card.tag], place)
        async with asyncio.timeout(PATIENCE_S):
            read_ns = await self._next_read(card.tag, place)
        await self._readers.sync()
        written = self._readers.written
        answers = [written.get_nowait() for _ in range(written.qsize())]
        here = [each.at_ns for each in answers if _PLACES[each.reader, each.antenna] == place]
        # A reader that is interrupted between its last byte and its stamp stamps too late.
        return max(0, read_ns - here[_READS.get(place, 2) - 1])

    async def _next_read(self, tag: Tag, place: Place) -> int:
        """Wait until a card is told at a place; return when."""
        while True:
            while self._told:
                at_ns, event = self._told.popleft()
                if isinstance(event, CardRead) and (event.tag, event.place) == (tag, place):
                    return at_ns
            self._arrived.clear()
            await self._arrived.wait()

    def _note(self, event: AnyEvent) -> None:
        self._told.append((stopwatch_ns(), event))
        self._arrived.set()

    def _frames(self) -> int:
        return sum(reader.frames for reader in self.bridge.health())


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
