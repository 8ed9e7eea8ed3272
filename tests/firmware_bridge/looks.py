"""Looks at places, and what presence makes of them in short words."""

from collections.abc import Iterable, Sequence

from engine.cards import Card, Pack, Place, Tag, TaggedCard
from engine.events import CardGone, CardRead, DeviceFaulted, DeviceRestored, PackCounted
from firmware_bridge.polls import Poll
from firmware_bridge.presence import BridgeEvent, Presence
from firmware_bridge.register import Register

MS = 1_000_000
S1, S2, S3 = Place("S1"), Place("S2"), Place("S3")
NINE, KING = Tag("E004015000000009"), Tag("E00401500000000D")
FOREIGN = Tag("E0040150DEADBEEF")
BLUE = Pack("blue", (TaggedCard(NINE, Card("9h")), TaggedCard(KING, Card("Kd"))))


def seen(place: Place, at_ms: int, *tags: Tag, is_complete: bool = True) -> Poll:
    return Poll(place=place, outcome="seen", tags=tags, is_complete=is_complete, at_ns=at_ms * MS)


def empty(place: Place, at_ms: int) -> Poll:
    return Poll(place=place, outcome="empty", is_complete=True, at_ns=at_ms * MS)


def unknown(place: Place, at_ms: int) -> Poll:
    return Poll(place=place, outcome="unknown", at_ns=at_ms * MS)


def presence() -> Presence:
    return Presence(Register([BLUE]))


def fed(keeper: Presence, polls: Iterable[Poll]) -> list[BridgeEvent]:
    return [event for poll in polls for event in keeper.take(poll)]


def short(events: Sequence[BridgeEvent]) -> list[str]:
    """Write events as "+S1 9h", "-S1 9h", "pack 2", "fault seat:1", "restored seat:1"."""
    faces = {NINE: "9h", KING: "Kd", FOREIGN: "X"}
    told: list[str] = []
    for event in events:
        match event:
            case CardRead():
                told.append(f"+{event.place} {faces[event.tag]}")
            case CardGone():
                told.append(f"-{event.place} {faces[event.tag]}")
            case PackCounted():
                told.append(f"pack {event.count}")
            case DeviceFaulted():
                told.append(f"fault {event.device}")
            case DeviceRestored():
                told.append(f"restored {event.device}")
    return told
