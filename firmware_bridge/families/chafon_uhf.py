"""Chafon and RRU UHF readers (UHFReader18, 288M and kin), for discard rack and pack check.

``LEN ADR CMD data CRC lo hi`` with LEN + 1 bytes in all and CRC-16/MCRF4XX over all before it; an
answer has a status byte after CMD. An inventory is told in frames until a closing status. FF asks
every reader; an answer bears the reader's own address, so an echo of our broadcast is no answer.

Source: rfid/protocols 2.6, rfid/vectors.
"""

from typing import Final

from fastcrc import crc16

from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    Status,
    failed,
    judged,
    uid_msb,
)

BROADCAST = 0xFF
INVENTORY, INFORMATION = 0x01, 0x21

OK, END, TIMED_OUT, MORE_FRAMES, MEMORY_FULL, NO_TAG = 0x00, 0x01, 0x02, 0x03, 0x04, 0xFB
_LISTS: Final = {
    OK: None,
    END: None,
    TIMED_OUT: "inventory time is over",
    MORE_FRAMES: "more frames follow",
    MEMORY_FULL: "the reader's memory is full",
}
"""Statuses of an inventory beside which tags may stand, with what makes it incomplete."""

_STATUSES: Final = {
    0xF8: "antenna fault",
    0xF9: "command failed",
    0xFA: "poor contact with the tag",
    0xFC: "error from the tag",
    0xFD: "wrong command length",
    0xFE: "unknown command",
    0xFF: "wrong parameter",
}

NAMES: Final = {
    INVENTORY: "inventory",
    0x02: "read",
    0x03: "write",
    INFORMATION: "information",
    0x22: "region",
    0x24: "address",
    0x25: "scan time",
    0x28: "baud",
    0x2F: "power",
    0x33: "lamp and buzzer",
}


def frame(command: int, data: bytes = b"", *, to: int = BROADCAST) -> bytes:
    """Return the frame that carries a command."""
    body = bytes([4 + len(data), to, command]) + data
    return body + crc16.mcrf4xx(body).to_bytes(2, "little")


def start_inventory(antenna: int | None = None) -> bytes:
    """Return the command that asks for all tags, of a 288M where asked for at an antenna, 1 to 4.

    Source: G2InventoryCommand in wabson/chafon-rfid: Q value, session, memory of the mask, its
    address and length, target, antenna from 80 on, scan time in steps of 100 ms. Q 4 suits a pack.
    """
    if antenna is None:
        return frame(INVENTORY)
    return frame(INVENTORY, bytes([4, 0, 1, 0, 0, 0, 0, 0x7F + antenna, 10]))


def get_information() -> bytes:
    """Return the command that asks for version, type, power and region of the reader."""
    return frame(INFORMATION)


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] < (5 if direction == "rx" else 4):
        return BAD_LENGTH
    if len(head) < 2:
        return NEEDS_MORE
    if direction == "rx" and head[1] == BROADCAST:
        return NOT_A_HEAD
    return judged(head, head[0] + 1, is_sound)


def is_sound(data: bytes) -> bool:
    """Say whether the checksum of a whole frame fits."""
    return crc16.mcrf4xx(data[:-2]) == data[-2] | data[-1] << 8


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    command, rest = data[2], data[3:-2]
    name = NAMES.get(command, f"command {command:02X}")
    if direction == "tx":
        return Message(kind="command", name=name, data=rest)
    status, values = rest[0], rest[1:]
    if command == INVENTORY and status in _LISTS:
        return _read_inventory(status, values)
    if status == NO_TAG:
        return Message(
            kind="answer", name=name, status="empty", echoes=command, code=status, data=values
        )
    if status == OK:
        return Message(kind="answer", name=name, echoes=command, code=status, data=values)
    words = _STATUSES.get(status, "refused")
    return failed(name, f"{status:02X}: {words}", echoes=command, code=status, data=values)


def _read_inventory(status: int, values: bytes) -> Message:
    uids = _read_tags(values)
    if uids is None:
        words = "tags of an unknown shape"
        return failed("inventory", words, echoes=INVENTORY, data=values)
    missing = _LISTS[status]
    whole: Status = "ok" if uids else "empty"
    return Message(
        kind="answer",
        name="inventory",
        status="partial" if missing else whole,
        is_complete=missing is None,
        uids=uids,
        error=f"{status:02X}: {missing}" if missing else None,
        echoes=INVENTORY,
        code=status,
        data=values,
    )


def _read_tags(values: bytes) -> tuple[str, ...] | None:
    """Read either of the two shapes in use, told apart by which of them comes out even.

    UHFReader18: ``n`` and n times (length, EPC); 288M: ``antenna n`` and n times (length, EPC,
    RSSI). An EPC is at least one word long, and a whole number of words.
    """
    if not values:
        return ()
    tags = _split(values[1:], values[0], trailer=0)
    if tags is None and len(values) >= 2:
        tags = _split(values[2:], values[1], trailer=1)
    return tags


def _split(records: bytes, count: int, *, trailer: int) -> tuple[str, ...] | None:
    """Cut n times (length, EPC, trailer); None where that does not come out even."""
    uids: list[str] = []
    at = 0
    while at < len(records):
        length = records[at]
        if length < 2 or length % 2:
            return None
        uids.append(uid_msb(records[at + 1 : at + 1 + length]))
        at += 1 + length + trailer
    return tuple(uids) if at == len(records) and len(uids) == count else None


FAMILY = Family(
    name="chafon_uhf",
    baud=57600,
    antennas=4,
    # ASSUMED: a frame holds 17 tags of 12 bytes, and an inventory goes on over many frames.
    max_tags=200,
    knows_complete=True,
    uid_order="msb",
    identity="version and reader type (command 21)",
    # ASSUMED: the reader's inventory time is 1 s by default; frames come in between.
    timeout_ms=1500,
    max_frame=256,
    measure=measure,
    decode=decode,
)
