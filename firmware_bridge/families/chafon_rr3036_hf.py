"""Chafon RR3036: an HF pad for ISO 15693 and 14443.

The frame of the UHF readers, but an answer does not name its command: ``LEN ADR STATUS data CRC``.
A command has a second byte, the state; 06 is ISO 15693.

Source: rfid/protocols 2.6; commands of the reader itself, the shape of its description and the
statuses from the Ruby library RR3036. ASSUMED, as no captured bytes show it: that an inventory's
tags stand as n times (DSFID, UID last byte first), and that the type of the reader is a byte.
"""

from typing import Final

from firmware_bridge.families.chafon_uhf import BROADCAST, frame, is_sound
from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    failed,
    judged,
    uid_lsb,
)

INVENTORY, ISO15693 = 0x01, 0x06
READER, DESCRIBE, OPEN_FIELD, CHOOSE_ISO15693 = 0x00, 0x00, 0x02, 0x06
OK, FIELD_CLOSED, INCOMPLETE, NO_TAG, WRONG_MODE = 0x00, 0x05, 0x0B, 0x0E, 0x1F
# Version (2), reserved (2), type (1), tag types (2), longest inventory (1).
DESCRIPTION_BYTES = 8

NAMES: Final = {
    READER: "reader",
    INVENTORY: "inventory",
    0x20: "read block",
    0x21: "write block",
    0x2B: "system information",
}

_STATUSES: Final = {
    0x01: "wrong command length",
    0x02: "unknown command",
    0x03: "wrong parameter",
    0x04: "not available",
    FIELD_CLOSED: "the field is off",
    0x06: "memory failure",
    0x0A: "no tag was heard whole",
    0x0C: "an answer that is no ISO 15693",
    0x0F: "error from the tag",
    WRONG_MODE: "another kind of tags is chosen",
}


def describe() -> bytes:
    """Return the command that starts the reader's work and asks what it is."""
    return frame(READER, bytes([DESCRIBE]))


def open_field() -> bytes:
    """Return the command that switches the field on."""
    return frame(READER, bytes([OPEN_FIELD]))


def choose_iso15693() -> bytes:
    """Return the command that chooses ISO 15693."""
    return frame(READER, bytes([CHOOSE_ISO15693]))


def start_inventory() -> bytes:
    """Return the command that asks for all ISO 15693 tags."""
    return frame(INVENTORY, bytes([ISO15693]))


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] < (4 if direction == "rx" else 5):
        return BAD_LENGTH
    if len(head) < 2:
        return NEEDS_MORE
    if direction == "rx" and head[1] == BROADCAST:
        return NOT_A_HEAD
    return judged(head, head[0] + 1, is_sound)


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    code, rest = data[2], data[3:-2]
    if direction == "tx":
        name = NAMES.get(code, f"command {code:02X}")
        return Message(kind="command", name=name, data=rest)
    if code == NO_TAG:
        return Message(kind="answer", name="inventory", status="empty", code=code, data=rest)
    uids = _read_tags(rest)
    if code == INCOMPLETE:
        return Message(
            kind="answer",
            name="inventory",
            status="partial",
            is_complete=False,
            uids=uids,
            error="0B: inventory not complete",
            code=code,
            data=rest,
        )
    if code == OK:
        name = "inventory" if uids else "answer"
        return Message(kind="answer", name=name, uids=uids, code=code, data=rest)
    words = _STATUSES.get(code, "refused")
    return failed("answer", f"{code:02X}: {words}", code=code, data=rest)


def _read_tags(rest: bytes) -> tuple[str, ...]:
    """Read n times (DSFID, UID); nothing where one of them is no ISO 15693 UID."""
    records = [rest[at : at + 9] for at in range(0, len(rest), 9)]
    if any(len(each) < 9 or each[8] != 0xE0 for each in records):
        return ()
    return tuple(uid_lsb(each[1:]) for each in records)


FAMILY = Family(
    name="chafon_rr3036_hf",
    baud=19200,
    antennas=1,
    # One frame, (255 - 4) / 9.
    max_tags=27,
    knows_complete=True,
    uid_order="lsb",
    identity="version and type of its description; no serial number",
    # ASSUMED: 27 tags are 250 bytes, 130 ms at 19200 baud, after an inventory of about 200 ms.
    timeout_ms=500,
    max_frame=256,
    measure=measure,
    decode=decode,
)
