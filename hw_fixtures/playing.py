"""Plays a timeline in real time: cards under antennas, sights and statements to a controller."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from engine.cards import PACK, Place, Tag
from engine.events import AnyEvent
from engine.statements import parse_statement
from hw_fixtures.camera import as_event
from hw_fixtures.timeline import Move, Said, Step, Timeline, Turn

# How long a pack lies on its pad at any speed: a controller's patience does not shrink with the
# speed of a demo. Three inventories of 52 tags and the 300 ms in which nothing may change.
REST_NS = 2_500_000_000


class Cards(Protocol):
    """Whatever cards can be moved on: ``SimulatedReaders``."""

    def move(self, tags: Iterable[Tag], place: Place) -> None:
        """Carry cards from wherever they are onto a place."""


async def play(
    timeline: Timeline,
    cards: Cards,
    tell: Callable[[AnyEvent], None],
    *,
    clock_ns: Callable[[], int],
    sleep: Callable[[float], Awaitable[None]],
    speed: float = 1.0,
) -> None:
    """Let a hand happen at the simulated table.

    Args:
        timeline: The hand.
        cards: The readers under whose antennas the cards are carried.
        tell: Takes what the camera saw and what the operator said, when it happens.
        clock_ns: The table's clock, in nanoseconds.
        sleep: Waits for so many seconds.
        speed: How many times faster than a real table; the pack rests on its pad as long as ever.
    """
    start_ns = clock_ns()
    laid_ns = start_ns - REST_NS

    async def reach(due_ns: int) -> None:
        if due_ns > (now_ns := clock_ns()):
            await sleep((due_ns - now_ns) / 1e9)

    for step in timeline.steps:
        due_ns = start_ns + round(step.at_s / speed * 1e9)
        if isinstance(step, Move) and step.source == PACK and due_ns < laid_ns + REST_NS:
            start_ns += laid_ns + REST_NS - due_ns
            due_ns = laid_ns + REST_NS
        await reach(due_ns)
        if isinstance(step, Move) and step.target == PACK:
            laid_ns = clock_ns()
        _happen(step, cards, tell, clock_ns())
    await reach(max(start_ns + round(timeline.length_s / speed * 1e9), laid_ns + REST_NS))


def _happen(step: Step, cards: Cards, tell: Callable[[AnyEvent], None], now_ns: int) -> None:
    match step:
        case Move():
            cards.move([step.tag], step.target)
        case Said():
            tell(parse_statement(step.text, now_ns))
        case Turn():
            pass  # an antenna does not hear on which side a card lies
        case _:
            tell(as_event(step, now_ns))
