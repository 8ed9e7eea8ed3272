"""Eccel Pepper C1 and C1 MUX: up to 8 antennas at 13.56 MHz, UART 115200 8N1.

``F5 | LEN lo hi | ~LEN lo hi | payload | CRC lo hi``: LEN counts payload and CRC, the CRC is
CRC-16/IBM-3740 over the payload. A payload is ``cmd params`` to the reader; from it ``00 cmd data``
(done), ``FF cmd err_lo err_hi`` (refused) or ``FE ...`` (of its own accord). There is no sequence
number, no escaping, and no answer names the antenna that it comes from.

Source: rfid/protocols 2.1; commands and the shape of the inventory answer from Eccel's public C1
library (C1_Interface). ASSUMED, as no captured bytes show it: the answers of inventory start and
next (UID in "inverted order", DSFID, "more cards"), and the byte order of UIDs: it is learned.
"""

from collections.abc import Callable
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
    failed,
    judged,
    uid_learned,
)

START = 0xF5
DONE, NOTICE, REFUSED = 0x00, 0xFE, 0xFF
COUNT, UID, ACTIVATE, INVENTORY, INVENTORY_NEXT = 0x02, 0x03, 0x04, 0x90, 0x91
READ_SIGNATURE = 0xA9

# ASSUMED: the longest payload with its CRC; the longest known answer is far shorter.
MOST_LEN = 512

NAMES: Final = {
    0x01: "dummy",
    COUNT: "count",
    UID: "uid",
    ACTIVATE: "activate",
    0x05: "halt",
    0x06: "polling",
    0x0A: "reboot",
    0x0B: "version",
    0x0F: "antenna",
    0x13: "name",
    0x16: "polling set-up",
    INVENTORY: "inventory",
    INVENTORY_NEXT: "inventory next",
    0x92: "stay quiet",
    0x93: "read block",
    0x94: "write block",
    0x96: "write afi",
    0x98: "write dsfid",
    0x9A: "system information",
    0xA0: "set password",
    0xA7: "privacy",
    READ_SIGNATURE: "signature",
    0xAD: "set eas",
    0xAE: "reset eas",
    0xAF: "lock eas",
    0xB0: "eas alarm",
}

_MOST_PAYLOAD: Final[dict[tuple[Direction, int], int]] = {
    ("tx", 0x01): 1,
    ("tx", COUNT): 1,
    ("tx", UID): 2,
    ("tx", 0x0A): 1,
    ("tx", 0x0B): 1,
    ("tx", 0x0F): 2,
    ("rx", REFUSED): 4,
}
"""Most payload bytes of what never needs more: a longer one is a damaged length."""

_ERRORS: Final = {
    0x01: "no reply from a tag",
    0x02: "wrong checksum or parity from a tag",
    0x03: "collision",
    0x0A: "radio fault",
    0x24: "command not supported",
}
"""The low byte of an error; the high byte is the layer that met it. Source: C1_Interface."""


def frame(payload: bytes) -> bytes:
    """Return the frame that carries a payload, in either direction."""
    length = (len(payload) + 2).to_bytes(2, "little")
    inverted = bytes(byte ^ 0xFF for byte in length)
    checksum = crc16.ibm_3740(payload).to_bytes(2, "little")
    return bytes([START]) + length + inverted + payload + checksum


def dummy() -> bytes:
    """Return the command that does nothing: a probe whose answer cannot be mistaken."""
    return frame(b"\x01")


def count_tags() -> bytes:
    """Return the command that asks how many tags the antenna hears."""
    return frame(bytes([COUNT]))


def get_uid(index: int) -> bytes:
    """Return the command that asks for the UID of a counted tag, from 0."""
    return frame(bytes([UID, index]))


def activate(index: int) -> bytes:
    """Return the command that makes a counted tag, from 0, the one that later commands mean."""
    return frame(bytes([ACTIVATE, index]))


def set_polling(*, on: bool) -> bytes:
    """Return the command that starts or stops polling by the reader itself."""
    return frame(bytes([0x06, on]))


def reboot() -> bytes:
    """Return the command that restarts the reader; it is deaf for about a second."""
    return frame(b"\x0a")


def get_version() -> bytes:
    """Return the command that asks for the firmware's version, as text."""
    return frame(b"\x0b")


def set_antenna(number: int) -> bytes:
    """Return the command that connects an antenna of the multiplexer, 1 to 8."""
    return frame(bytes([0x0F, number]))


def start_inventory(afi: int = 0) -> bytes:
    """Return the command that begins an ISO 15693 inventory and asks for its first tag."""
    return frame(bytes([INVENTORY, afi]))


def next_in_inventory(afi: int = 0) -> bytes:
    """Return the command that asks for the next tag of the inventory."""
    return frame(bytes([INVENTORY_NEXT, afi]))


def read_signature() -> bytes:
    """Return the command that asks the active ICODE tag for NXP's signature."""
    return frame(bytes([READ_SIGNATURE]))


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] != START:
        return NOT_A_HEAD
    if len(head) < 5:
        return NEEDS_MORE
    length = head[1] | head[2] << 8
    if length ^ (head[3] | head[4] << 8) != 0xFFFF or not 3 <= length <= MOST_LEN:
        return BAD_LENGTH
    return _measure_payload(head, length, direction) if len(head) > 5 else NEEDS_MORE


def _measure_payload(head: bytes, length: int, direction: Direction) -> Measure:
    """Judge a head whose length is credible by the first byte of its payload."""
    first = head[5]
    if (first in (DONE, NOTICE, REFUSED)) is not (direction == "rx"):
        return NOT_A_HEAD
    if length - 2 > _MOST_PAYLOAD.get((direction, first), MOST_LEN):
        return BAD_LENGTH
    return judged(head, 5 + length, _is_sound)


def _is_sound(data: bytes) -> bool:
    return crc16.ibm_3740(data[5:-2]) == data[-2] | data[-1] << 8


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    payload = data[5:-2]
    if direction == "tx":
        return Message(kind="command", name=_name(payload[0]), data=payload[1:])
    if payload[0] == NOTICE:
        return _read_notice(payload[1:])
    if len(payload) < 2:
        return failed("unknown", "the answer names no command")
    command, rest = payload[1], payload[2:]
    if payload[0] == REFUSED:
        return _read_refusal(command, rest)
    read = _READ.get(command)
    if read is None:
        return Message(kind="answer", name=_name(command), echoes=command, data=rest)
    return read(command, rest)


def _name(command: int) -> str:
    return NAMES.get(command, f"command {command:02X}")


def _read_notice(rest: bytes) -> Message:
    """Read ``00 type param uid``, the binary polling packet; other formats are not public."""
    uids = (uid_learned(rest[3:]),) if len(rest) >= 7 and rest[0] == 0 else ()
    return Message(kind="notice", name="tag", uids=uids, data=rest)


def _read_refusal(command: int, rest: bytes) -> Message:
    code = int.from_bytes(rest, "little")
    words = _ERRORS.get(code & 0xFF, "refused")
    return failed(_name(command), f"{code:04X}: {words}", echoes=command, data=rest)


def _read_count(command: int, rest: bytes) -> Message:
    return Message(
        kind="answer",
        name=_name(command),
        status="empty" if rest[:1] == b"\x00" else "ok",
        echoes=command,
        data=rest,
    )


def _read_uid(command: int, rest: bytes) -> Message:
    """Read ``type param uid``."""
    if len(rest) < 6:
        return _unreadable(command, rest)
    return Message(
        kind="answer",
        name=_name(command),
        uids=(uid_learned(rest[2:]),),
        echoes=command,
        data=rest,
    )


def _read_inventory(command: int, rest: bytes) -> Message:
    """Read ``uid dsfid more``: an inventory is whole when no more cards are in range."""
    if len(rest) != 10:
        return _unreadable(command, rest)
    has_more = rest[9] != 0
    return Message(
        kind="answer",
        name=_name(command),
        status="partial" if has_more else "ok",
        is_complete=not has_more,
        uids=(uid_learned(rest[:8]),),
        echoes=command,
        data=rest,
    )


def _unreadable(command: int, rest: bytes) -> Message:
    return failed(_name(command), "answer of an unknown shape", echoes=command, data=rest)


_READ: Final[dict[int, Callable[[int, bytes], Message]]] = {
    COUNT: _read_count,
    UID: _read_uid,
    INVENTORY: _read_inventory,
    INVENTORY_NEXT: _read_inventory,
}

FAMILY = Family(
    name="pepper_c1",
    baud=115200,
    antennas=8,
    # Source: a public user comment, "can only read 5 tags at once" (rfid/bugs 47).
    max_tags=5,
    knows_complete=True,
    uid_order="learned",
    identity="firmware version (command 0B) and device name (command 13)",
    # Source: Eccel's C1 library waits 500 ms for every answer.
    timeout_ms=500,
    max_frame=5 + MOST_LEN,
    measure=measure,
    decode=decode,
)
