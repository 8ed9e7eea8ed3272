"""Plays a timeline in real time: cards under antennas, sights and statements to a controller.

Where a simulated camera films the table, what happens to the cards goes to it as well, and what it
sees of that it tells itself.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Protocol

from engine.cards import PACK, Card, Place, Tag
from engine.events import AnyEvent
from engine.statements import parse_statement
from hw_fixtures.camera import as_event
from hw_fixtures.timeline import Lost, Move, Said, Seen, Step, Timeline, Turn

# How long a pack lies on its pad at any speed: a controller's patience does not shrink with the
# speed of a demo. Three inventories of 52 tags and the 300 ms in which nothing may change.
REST_NS = 2_500_000_000


class Cards(Protocol):
    """Whatever cards can be moved on: ``SimulatedReaders``."""

    def move(self, tags: Iterable[Tag], place: Place) -> None:
        """Carry cards from wherever they are onto a place."""


class Camera(Protocol):
    """Whatever films the cards: ``SimulatedCamera``."""

    def know(self, faces: Mapping[Tag, Card]) -> None:
        """Take what is printed on cards."""

    def show(self, step: Move | Turn) -> None:
        """Let a card be moved or turned, from now on."""


async def play(  # noqa: PLR0913 - who plays, to whom, by which clock
    timeline: Timeline,
    cards: Cards,
    tell: Callable[[AnyEvent], None],
    *,
    clock_ns: Callable[[], int],
    sleep: Callable[[float], Awaitable[None]],
    speed: float = 1.0,
    camera: Camera | None = None,
) -> None:
    """Let a hand happen at the simulated table.

    Args:
        timeline: The hand.
        cards: The readers under whose antennas the cards are carried.
        tell: Takes what the camera saw and what the operator said, when it happens.
        clock_ns: The table's clock, in nanoseconds.
        sleep: Waits for so many seconds.
        speed: How many times faster than a real table; the pack rests on its pad as long as ever.
        camera: Films the table; what the timeline says that a camera sees is left out then.
    """
    start_ns = clock_ns()
    laid_ns = start_ns - REST_NS
    steps: Iterable[Step] = timeline.steps
    if camera is not None:
        camera.know(timeline.faces)
        steps = (step for step in steps if not isinstance(step, (Seen, Lost)))

    async def reach(due_ns: int) -> None:
        if due_ns > (now_ns := clock_ns()):
            await sleep((due_ns - now_ns) / 1e9)

    for step in steps:
        due_ns = start_ns + round(step.at_s / speed * 1e9)
        if isinstance(step, Move) and step.source == PACK and due_ns < laid_ns + REST_NS:
            start_ns += laid_ns + REST_NS - due_ns
            due_ns = laid_ns + REST_NS
        await reach(due_ns)
        if isinstance(step, Move) and step.target == PACK:
            laid_ns = clock_ns()
        if camera is not None:
            _film(step, camera)
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


def _film(step: Step, camera: Camera) -> None:
    if isinstance(step, (Move, Turn)):
        camera.show(step)
