"""The devices themselves: faults, cards read twice, cards unread, faces that do not match."""

from engine.cards import Tag
from engine.events import DeviceFaulted
from engine.state import CrossRead, Finding, Mismatched, Table, Told, Unread


def told(table: Table, happening: Told) -> tuple[Table, list[Finding]]:
    """Take a device's fault; each fault is a matter of its own until it is approved."""
    event = happening.event
    if not isinstance(event, DeviceFaulted):
        return table, []
    return table, [
        Finding(
            kind="equipment_fault",
            tag=Tag(f"{event.device}@{event.at_ns}"),
            at_ns=event.at_ns,
            facts={"device": event.device, "reason": event.reason},
        )
    ]


def cross_read(table: Table, happening: CrossRead) -> tuple[Table, list[Finding]]:
    """A tag was read at two places; it lies at the first."""
    seen = happening.seen
    return table, [
        Finding(
            kind="cross_read",
            tag=seen.tag,
            card=seen.card,
            at_ns=table.now_ns,
            facts={"lies_at": seen.place or "", "also_read_at": happening.other},
        )
    ]


def unread(table: Table, happening: Unread) -> tuple[Table, list[Finding]]:
    """The camera sees a card that no reader has named."""
    return table, [
        Finding(
            kind="unread_card",
            place=happening.place,
            card=happening.card,
            at_ns=happening.at_ns,
        )
    ]


def mismatched(table: Table, happening: Mismatched) -> tuple[Table, list[Finding]]:
    """The camera's face is not the tag's."""
    seen = happening.seen
    return table, [
        Finding(
            kind="face_mismatch",
            card=seen.card,
            tag=seen.tag,
            at_ns=table.now_ns,
            facts={"face_seen": happening.face},
        )
    ]
