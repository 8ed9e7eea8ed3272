"""From the last byte of an answer on the pseudo-terminal to the ruling on a listener's queue.

At the demo table, at its speed, with every reader polling and the journal in between. A tag counts
at a seat when it is read twice, so that the evidence is complete with the second answer, and the
wait for it is shown apart; at the shoe a registered card counts when it is read once. So the
first card of a hand is drawn and laid at a wrong seat, and faces that have been drawn are drawn
once more from the shoe; each time at a table that has just begun.
"""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from engine.cards import SHOE, Place, Tag, TaggedCard, seat_place
from hw_fixtures.demo import DemoDealer
from hw_fixtures.hosted import Written
from hw_fixtures.packs import own_cards
from hw_fixtures.simulated import SimulatedReaders
from misdeal.app import App, attend
from misdeal.bench.figures import Figure, timed
from misdeal.clock import stopwatch_ns, table_clock
from misdeal.demo import until_ready, write_table
from misdeal.feed import Shown
from misdeal.tablefile import load

SEED = 1
ROUNDS = 100
SHOE_TRIALS = 2
SOUGHT = frozenset({"first_card_misplaced", "duplicate_card"})
# Longer than any round of the antennas, with its retries.
PATIENCE_S = 10.0
# The first card of a hand is due at seat 1: nobody has had the button yet.
WRONG_SEATS = tuple(seat_place(number) for number in range(2, 10))


async def measure_latency(folder: Path, *, rounds: int = ROUNDS) -> list[Figure]:
    """Measure cards at seats and at the shoe, in rounds, each with a journal of its own.

    Raises:
        TimeoutError: If a card gives no ruling.
    """
    at_seats: list[tuple[int, int]] = []
    at_shoe: list[tuple[int, int]] = []
    packs = DemoDealer(SEED).packs
    red, blue = map(own_cards, packs)
    seats = itertools.cycle(WRONG_SEATS)
    rng = random.Random(SEED)  # noqa: S311 - spreads tries to reconnect
    async with await SimulatedReaders.start() as readers:

        async def lay_cards(app: App) -> None:
            await until_ready(app)
            trial = Trial(app, readers)
            at_seats.append(await trial.at_seat(red[0], next(seats)))
            at_shoe.extend([each async for each in trial.at_shoe(red[1:], blue[1:])])

        layout = load(write_table(folder, packs, readers.ports))
        for number in range(rounds):
            fresh = replace(layout, journal=folder / f"{number}.db")
            await attend(fresh, lay_cards, start_clock=table_clock, rng=rng)
    aim = "5 ms, p99 20 ms"
    return [
        timed("byte to ruling: a seat, second read", [each[0] for each in at_seats], aim=aim),
        timed("  the wait for the second read", [each[1] for each in at_seats]),
        timed("byte to ruling: the shoe, one read", [each[0] for each in at_shoe], aim=aim),
    ]


class Trial:
    """Lays cards at a table that is being watched, and takes the time.

    Args:
        app: The table.
        readers: Its readers.
    """

    def __init__(self, app: App, readers: SimulatedReaders) -> None:
        self._listener = app.feed.listen()
        self._readers = readers
        self._ruled: set[str] = set()

    async def at_seat(self, card: TaggedCard, seat: Place) -> tuple[int, int]:
        """Lay the first card of the hand at a seat that is not due; return the times."""
        await self.draw(card.tag)
        return await self.lay(card.tag, seat, answers=2)

    async def at_shoe(
        self, dealt: Sequence[TaggedCard], doubled: Sequence[TaggedCard]
    ) -> AsyncIterator[tuple[int, int]]:
        """Draw cards, and after each its double from the other pack; yield the times."""
        for own, other in itertools.islice(zip(dealt, doubled, strict=True), SHOE_TRIALS):
            await self.draw(own.tag)
            yield await self.lay(other.tag, SHOE, answers=1)

    async def draw(self, tag: Tag) -> None:
        """Draw a card of the pack from the shoe, and take it away when the shoe has told it."""
        self._readers.stamp([tag])
        self._readers.put([tag], SHOE)
        while tag not in (await self._readers.written.get()).tags:
            pass
        self._readers.take([tag])

    async def lay(self, tag: Tag, place: Place, *, answers: int) -> tuple[int, int]:
        """Lay a card where it does not belong, wait for its ruling, and take it away.

        Args:
            tag: The card's tag.
            place: Where it is laid.
            answers: How many answers with its tag complete the evidence.

        Returns:
            Nanoseconds from the last byte of the last of these answers to the ruling, and from
            the last byte of the first of them to that of the last.
        """
        self._readers.stamp([tag])
        await self._readers.sync()
        self._readers.put([tag], place)
        async with asyncio.timeout(PATIENCE_S):
            while not self._has_new_ruling(await self._listener.next()):
                pass
        ruled_ns = stopwatch_ns()
        self._readers.take([tag])
        await self._readers.sync()
        written_ns = [each.at_ns for each in self._reports() if tag in each.tags]
        return ruled_ns - written_ns[answers - 1], written_ns[answers - 1] - written_ns[0]

    def _reports(self) -> Iterator[Written]:
        while not self._readers.written.empty():
            yield self._readers.written.get_nowait()

    def _has_new_ruling(self, shown: Shown) -> bool:
        new = {each.id for each in shown.rulings} - self._ruled
        self._ruled |= new
        return any(each.id in new and each.finding in SOUGHT for each in shown.rulings)
