"""Plays a timeline in real time: cards under antennas, sights and statements to a controller."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from engine.cards import Place, Tag
from engine.events import AnyEvent
from engine.statements import parse_statement
from hw_fixtures.camera import as_event
from hw_fixtures.timeline import Move, Said, Step, Timeline, Turn


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
        speed: How many times faster than a real table.
    """
    start_ns = clock_ns()

    async def reach(at_s: float) -> None:
        due_ns = start_ns + round(at_s / speed * 1e9)
        if due_ns > (now_ns := clock_ns()):
            await sleep((due_ns - now_ns) / 1e9)

    for step in timeline.steps:
        await reach(step.at_s)
        _happen(step, cards, tell, clock_ns())
    await reach(timeline.length_s)


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
