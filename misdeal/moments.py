"""A line of a table script as moments: what people do at the table, one thing after the other.

The engine's performance of a script tells what a full set of sensors would tell. Read backwards
that is a plan: a card that it tells at a place has been laid there, a sighting is something that
lies open to the camera, a statement is said by somebody.
"""

from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct, field

from engine.cards import Place, Tag
from engine.events import (
    AnyEvent,
    BackMarked,
    BackSighted,
    CardGone,
    CardLost,
    CardRead,
    CardSighted,
    CutMade,
    DeviceFaulted,
    DeviceRestored,
    PackCounted,
    Stated,
    TimePassed,
)
from engine.script import Line

Sight = BackMarked | BackSighted | CardLost | CardSighted | CutMade
"""What cameras tell, the one over the cut pad included."""


class Moment(Struct, kw_only=True):
    """What happens at once, in the order of the fields."""

    said: list[str] = field(default_factory=list)
    """What the operator says."""
    devices: list[DeviceFaulted | DeviceRestored] = field(default_factory=list)
    """Devices that fail, or work again."""
    lifted: list[Tag] = field(default_factory=list)
    """Cards that are taken up from where they lie."""
    laid: dict[Place, list[Tag]] = field(default_factory=dict)
    """Cards that are laid down."""
    strayed: dict[Place, list[Tag]] = field(default_factory=dict)
    """Cards that an antenna hears, wherever they lie."""
    count: PackCounted | None = None
    """A count of the pack."""
    seen: list[Sight] = field(default_factory=list)
    """What the cameras see of it."""


def moments(line: Line, told: Iterable[AnyEvent]) -> list[Moment]:
    """Return what happens in a line, moment by moment.

    Args:
        line: The line.
        told: The events that the performance of the script tells for it.
    """
    found: list[Moment] = []
    for _, events in groupby(sorted(told, key=_when), key=_when):
        moment = Moment()
        for event in events:
            _add(moment, line, event)
        found.append(moment)
    return found


def _when(event: AnyEvent) -> int:
    return event.at_ns


def _add(moment: Moment, line: Line, event: AnyEvent) -> None:
    """Add to a moment what must have happened for an event to be told."""
    match event:
        case CardRead():
            lies = moment.strayed if line.verb == "stray" else moment.laid
            lies.setdefault(event.place, []).append(event.tag)
        case CardGone():
            moment.lifted.append(event.tag)
        case PackCounted():
            moment.count = event
        case DeviceFaulted() | DeviceRestored():
            moment.devices.append(event)
        case BackMarked() | BackSighted() | CardLost() | CardSighted() | CutMade():
            moment.seen.append(event)
        case TimePassed():
            pass
        case Stated(topic="exposed") if line.verb != "say":
            moment.said.append(f"say exposed {event.card} by={event.by}")
        case _:
            moment.said.append(line.text)
