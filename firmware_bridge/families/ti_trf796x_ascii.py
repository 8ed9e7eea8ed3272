"""TI TRF796x evaluation firmware and DLP-RFID: text in both directions.

A command is hex text without an end mark: ``01 LEN 00 03 04 CMD ... 00 00``; LEN counts all bytes.
An answer is a line that says what is done, and a line in brackets for each slot: ``[uid,rssi]`` is
a tag (UID last byte first), ``[,40]`` an empty slot, ``[...,z]`` a collision: tags that are there,
unread until the slot is asked anew, in 16 slots more. So an inventory is whole when it has 16 lines
and 16 more for each collision. An empty line ends an answer, or a ``D``; else something other or
silence does.

One public firmware prints UIDs first byte first: where E0 stands at the beginning alone, it did.

There is no checksum on the way to the host: a tag counts only when it is read twice.

Source: rfid/protocols 2.9, rfid/vectors (shapes as parsed in digibib/rfidgeek); the empty line, the
slots that are asked anew and the commands FE and 17 from TI's own public firmware (host.c,
iso15693.c).
"""

import re
from typing import Final

from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    Status,
    uid_lsb,
    uid_msb,
)

REGISTERS, INVENTORY, RESET, REQUEST, REVISION = 0x10, 0x14, 0x17, 0x18, 0xFE
ONE_SLOT, MANY_SLOTS = 0x24, 0x04
ADDRESSED = 0x20
SLOTS = 16
# ASSUMED: the firmware's buffer; the longest known command has 18 bytes.
MOST_BYTES = 64
MOST_LINE = 128

NAMES: Final = {
    0x03: "enable",
    0x0F: "direct mode",
    REGISTERS: "write registers",
    0x12: "read registers",
    INVENTORY: "inventory",
    0x15: "direct command",
    0x16: "raw",
    RESET: "reset",
    REQUEST: "request",
    0x34: "tag-it",
    0xA0: "iso 14443-a",
    0xB0: "iso 14443-b",
    0xF0: "agc",
    0xF1: "am input",
    REVISION: "revision",
}

_TEMPLATE = b"01__000304"
_HEX = frozenset(b"0123456789ABCDEF")
_SLOT = re.compile(rb"\[([0-9A-F]*)(?:(,)([0-9A-F]{2}|z))?\]\r?\n")
_SAYING = re.compile(rb"(?=.*[a-z.])([A-Z0-9][ -Z\\^-~]{3,126})\r?\n")
_BLANK = re.compile(rb"\r?\n")
_PRINTABLE = frozenset(range(0x20, 0x7F))


def frame(command: int, params: bytes = b"") -> bytes:
    """Return the command as the text that is sent."""
    body = b"\x00\x03\x04" + bytes([command]) + params + b"\x00\x00"
    return (bytes([0x01, 2 + len(body)]) + body).hex().upper().encode("ascii")


def start_inventory(*, is_one_slot: bool = False) -> bytes:
    """Return the command that asks for the tags, in 16 slots or in one."""
    return frame(INVENTORY, bytes([ONE_SLOT if is_one_slot else MANY_SLOTS, 0x01, 0x00]))


def choose_iso15693() -> bytes:
    """Return the command that writes the registers for ISO 15693: the first one after a start."""
    return frame(REGISTERS, b"\x00\x21\x01\x00")


def get_revision() -> bytes:
    """Return the command that asks for the firmware's revision, as text."""
    return frame(REVISION)


def reset() -> bytes:
    """Return the command that restarts the board."""
    return frame(RESET)


def set_agc(*, on: bool) -> bytes:
    """Return the command that sets the receiver's gain control."""
    return frame(0xF0, bytes([0xFF if on else 0x00]))


def stay_quiet(uid: str) -> bytes:
    """Return the command that silences one tag until it leaves the field."""
    return frame(REQUEST, b"\x22\x02" + bytes.fromhex(uid)[::-1])


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    return _measure_command(head) if direction == "tx" else _measure_answer(head)


def _measure_command(head: bytes) -> Measure:
    wanted = zip(head, _TEMPLATE, strict=False)
    if any(found != each for found, each in wanted if each != ord("_")):
        return NOT_A_HEAD
    if len(head) < len(_TEMPLATE):
        return NEEDS_MORE
    if not _HEX.issuperset(head[2:4]):
        return BAD_LENGTH
    length = 2 * int(head[2:4], 16)
    text = head[:length]
    if not 2 * 8 <= length <= 2 * MOST_BYTES or not _HEX.issuperset(text):
        return BAD_LENGTH
    if len(text) < length:
        return NEEDS_MORE
    return Measure(length=length) if text.endswith(b"0000") else BAD_LENGTH


def _measure_answer(head: bytes) -> Measure:
    """Take a line and all the slots behind it."""
    first = _SLOT.match(head) or _SAYING.match(head)
    if first is None:
        is_begun = (head[0] == ord("[") or head[:1].isupper() or head[:1].isdigit()) and _is_line(
            head
        )
        return NEEDS_MORE if is_begun else NOT_A_HEAD
    end = first.end()
    while slot := _SLOT.match(head, end):
        end = slot.end()
    if blank := _BLANK.match(head, end):
        return Measure(length=blank.end())
    tail = head[end:]
    if tail[:1] == b"D":
        # The mark, or the first letter of what is said next ("Direct command.").
        return Measure(length=end + (not tail[1:2].islower()), needs_more=len(tail) == 1)
    return Measure(length=end, needs_more=tail[:1] in (b"", b"[", b"\r") and _is_line(tail))


def _is_line(text: bytes) -> bool:
    """Say whether a text may still become a line."""
    shown = text[:-1] if text.endswith(b"\r") else text
    return len(text) < MOST_LINE and _PRINTABLE.issuperset(shown)


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    if direction == "tx":
        body = bytes.fromhex(data.decode("ascii"))
        command, params = body[5], body[6:-2]
        name = NAMES.get(command, f"command {command:02X}")
        return Message(kind="command", name=name, uids=_addressed(command, params), data=params)
    saying = _SAYING.match(data)
    name = saying[1].decode("ascii").rstrip(".").lower() if saying else "slots"
    slots = _SLOT.findall(data)
    if "inventory" in name:
        return _read_inventory(slots, data[saying.end() if saying else 0 :])
    if any(comma for _, comma, _ in slots):
        return _read_rest(name, slots)
    values = b"".join(value for value, _, _ in slots)
    return Message(kind="answer", name=name, data=values)


def _addressed(command: int, params: bytes) -> tuple[str, ...]:
    """Find the UID in an ISO 15693 request that is meant for one tag."""
    is_addressed = command == REQUEST and len(params) >= 10 and params[0] & ADDRESSED
    return (uid_lsb(params[2:10]),) if is_addressed else ()


def _read_inventory(slots: list[tuple[bytes, bytes, bytes]], lines: bytes) -> Message:
    """Read (UID or nothing, comma, RSSI or z) for each slot behind the line that says inventory."""
    uids = _uids(slots)
    missing = _missing(slots)
    whole: Status = "ok" if uids else "empty"
    return Message(
        kind="answer",
        name="inventory",
        status="partial" if missing else whole,
        is_complete=missing is None,
        uids=uids,
        error=missing,
        data=lines,
    )


def _read_rest(name: str, slots: list[tuple[bytes, bytes, bytes]]) -> Message:
    """Read slots that stand behind no such line: what an answer that was cut has left over.

    They name no inventory that they belong to, and prove the absence of nothing.
    """
    return Message(
        kind="answer",
        name=name,
        status="partial",
        is_complete=False,
        uids=_uids(slots),
        error="slots without the inventory that they belong to",
    )


def _uids(slots: list[tuple[bytes, bytes, bytes]]) -> tuple[str, ...]:
    """Read the tags; what stands in a collided slot is several at once."""
    raws = [
        bytes.fromhex(uid.decode()) for uid, _, mark in slots if len(uid) == 16 and mark != b"z"
    ]
    return tuple(uid_msb(raw) if raw[0] == 0xE0 != raw[-1] else uid_lsb(raw) for raw in raws)


def _missing(slots: list[tuple[bytes, bytes, bytes]]) -> str | None:
    """Say what keeps an inventory from being whole: in 16 slots, or in one, which is one line."""
    if not slots:
        return "no slot was told"
    collisions = sum(mark == b"z" for _, _, mark in slots)
    is_garbled = any(len(uid) not in (0, 16) for uid, _, mark in slots if mark != b"z")
    is_whole = len(slots) == (SLOTS * (1 + collisions) if collisions or len(slots) > 1 else 1)
    if is_whole and not is_garbled:
        return None
    return "a collision" if collisions or is_garbled else f"{len(slots)} slots were told"


FAMILY = Family(
    name="ti_trf796x_ascii",
    baud=115200,
    antennas=1,
    # One a slot: not every firmware resolves collisions.
    max_tags=SLOTS,
    knows_complete=True,
    uid_order="learned",
    identity="the firmware's revision as text (command FE); no serial number",
    # ASSUMED: 16 slots at the low rate are 300 ms on the air.
    timeout_ms=700,
    # Chosen: 52 tags, in up to 17 rounds of 16 lines, are 2.7 kB.
    max_frame=4096,
    reads_to_trust=2,
    measure=measure,
    decode=decode,
)
