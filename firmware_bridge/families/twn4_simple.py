"""Elatec TWN4, Simple Protocol: a pad for the pack check, one tag at a time.

A message is hex text ended by CR, or binary behind a two-byte length (low byte first); both may end
in CRC-16/MCRF4XX (low byte first) over the payload alone, the length left out. A command is the
function's two bytes and its parameters; an answer begins with an error byte and does not name the
function, so what it means is read from its shape. Both byte orders of a UID occur.

There is no start mark and the checksum is optional: a tag counts only when it is read twice.

Source: rfid/protocols 2.9, rfid/vectors (TWN4 Simple Protocol DocRev17 in
thenewwazoo/elatec-twn4-simple). The shape of SearchTag's answer (found, type, bits, length, ID) is
the function's public signature; its UID order is learned.
"""

from typing import Final

from fastcrc import crc16

from firmware_bridge.families.family import (
    BAD_CHECKSUM,
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    failed,
    uid_learned,
    uid_lsb,
    uid_msb,
)

CR = 0x0D
# ASSUMED: so that the high byte of a binary length is 0; the longest answer needed is 17 bytes.
MOST_PAYLOAD = 255

RESET, VERSION, USB_TYPE = b"\x00\x01", b"\x00\x04", b"\x00\x05"
SEARCH, SYSTEM, TYPE_OF_UID = b"\x05\x00", b"\x0d\x01", b"\x0d\x03"
UNUSED_PARAMETER = 3

NAMES: Final = {
    RESET: "reset",
    b"\x00\x03": "ticks",
    VERSION: "version",
    USB_TYPE: "usb type",
    SEARCH: "inventory",
    b"\x05\x02": "tag types",
    b"\x0d\x00": "transparent",
    SYSTEM: "system information",
    b"\x0d\x02": "system information",
    TYPE_OF_UID: "tag type of uid",
    b"\x0d\x04": "tag type of information",
    b"\x0d\x05": "read block",
    b"\x0d\x06": "read block",
    b"\x0d\x07": "write block",
    b"\x0d\x08": "write block",
}

_NO_PARAMETERS: Final = frozenset([b"\x00\x03", USB_TYPE, SYSTEM, b"\x0d\x02"])
"""Functions after which two bytes can be nothing but a checksum."""

_ERRORS: Final = {
    1: "unknown function",
    2: "missing parameter",
    UNUSED_PARAMETER: "unused parameter",
    4: "invalid",
    5: "parser error",
}

_ANSWERS: Final = frozenset([0, *_ERRORS])
_HEX = frozenset(b"0123456789ABCDEFabcdef")


def text_frame(payload: bytes, *, has_crc: bool = True) -> bytes:
    """Return a payload as a line of hex text, with its checksum where asked for."""
    return (_closed(payload) if has_crc else payload).hex().upper().encode("ascii") + b"\r"


def binary_frame(payload: bytes, *, has_crc: bool = True) -> bytes:
    """Return a payload behind its length, with its checksum where asked for."""
    whole = _closed(payload) if has_crc else payload
    return len(whole).to_bytes(2, "little") + whole


def _closed(payload: bytes) -> bytes:
    return payload + crc16.mcrf4xx(payload).to_bytes(2, "little")


def search_tag(*, has_crc: bool = True) -> bytes:
    """Return the command that looks for one tag of any kind, with an ID of up to 16 bytes."""
    return text_frame(SEARCH + b"\x10", has_crc=has_crc)


def get_version(*, has_crc: bool = True) -> bytes:
    """Return the command that asks for the version, as text of up to 64 characters."""
    return text_frame(VERSION + b"\x40", has_crc=has_crc)


def reset(*, has_crc: bool = True) -> bytes:
    """Return the command that restarts the device."""
    return text_frame(RESET, has_crc=has_crc)


def get_system_information() -> bytes:
    """Return the command that asks the ISO 15693 tag on the pad who it is."""
    return text_frame(SYSTEM)


def get_usb_type(*, has_crc: bool = True) -> bytes:
    """Return the command that asks for the device's USB type: a probe without side effects."""
    return text_frame(USB_TYPE, has_crc=has_crc)


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] in _HEX and (len(head) < 2 or head[1] in _HEX):
        return _measure_text(head, direction)
    if len(head) < 2:
        return NEEDS_MORE
    if head[1] != 0:
        return BAD_LENGTH
    return _judge(head[2 : 2 + head[0]], head[0], 2 + head[0], direction)


def _measure_text(head: bytes, direction: Direction) -> Measure:
    digits = head[: next((at for at, byte in enumerate(head) if byte not in _HEX), len(head))]
    payload = bytes.fromhex(digits[: len(digits) & ~1].decode("ascii"))
    if len(digits) % 2 == 0 and head[len(digits) : len(digits) + 1] == b"\r":
        return _judge(payload, len(payload), len(digits) + 1, direction)
    # Not over yet: at least one byte more than is there.
    verdict = _judge(payload, max(2, len(payload) + 1), 0, direction)
    return verdict if verdict.fault or len(digits) == len(head) else NOT_A_HEAD


def _judge(payload: bytes, length: int, frame_length: int, direction: Direction) -> Measure:
    """Judge a payload of ``length`` bytes, of which perhaps not all are there yet."""
    if direction == "rx" and payload and not _is_answer(payload):
        return NOT_A_HEAD
    if not (1 if direction == "rx" else 2) <= length <= MOST_PAYLOAD:
        return BAD_LENGTH
    if len(payload) < length:
        return NEEDS_MORE
    is_bare = direction == "tx" and payload[:2] in _NO_PARAMETERS
    if is_bare and length > 2 and not (length == 4 and _has_crc(payload)):
        return BAD_CHECKSUM
    return Measure(length=frame_length)


def _is_answer(payload: bytes) -> bool:
    """Say whether a payload can begin so: an error byte has nothing behind it but a checksum."""
    return payload[0] in _ANSWERS and (payload[0] == 0 or len(payload) < 3 or _has_crc(payload[:3]))


def _has_crc(payload: bytes) -> bool:
    return len(payload) > 2 and _closed(payload[:-2]) == payload


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    is_text = data[-1] == CR and _HEX.issuperset(data[:-1])
    payload = bytes.fromhex(data[:-1].decode("ascii")) if is_text else data[2:]
    if _has_crc(payload):
        payload = payload[:-2]
    if direction == "tx":
        return _read_command(payload[:2], payload[2:])
    if payload[0]:
        code = payload[0]
        return failed("answer", f"{code:02X}: {_ERRORS[code]}", code=code, data=payload[1:])
    return _read_answer(payload[1:])


def _read_command(function: bytes, rest: bytes) -> Message:
    name = NAMES.get(function, f"function {function.hex().upper()}")
    uids = (uid_msb(rest),) if function == TYPE_OF_UID and len(rest) == 8 else ()
    return Message(kind="command", name=name, uids=uids, data=rest)


def _read_answer(rest: bytes) -> Message:
    """Read an answer by its shape.

    ``00`` alone is "found nothing" to whoever asked for a tag; SearchTag answers ``01 type bits
    length ID``, system information ``01 flags UID ...`` with the UID last byte first.
    """
    if rest == b"\x00":
        return Message(kind="answer", name="answer", status="empty", data=rest)
    if len(rest) > 4 and rest[0] == 1 and rest[3] == len(rest) - 4 and rest[2] <= 8 * rest[3]:
        return Message(kind="answer", name="inventory", uids=(uid_learned(rest[4:]),), data=rest)
    if len(rest) >= 10 and rest[0] == 1 and rest[9] == 0xE0:
        uids = (uid_lsb(rest[2:10]),)
        return Message(kind="answer", name="system information", uids=uids, data=rest)
    return Message(kind="answer", name="answer", data=rest)


FAMILY = Family(
    name="twn4_simple",
    baud=9600,
    antennas=1,
    max_tags=1,
    knows_complete=False,
    uid_order="learned",
    identity="version as text (function 0004)",
    # ASSUMED: a search over all tag kinds takes a few hundred ms.
    timeout_ms=1000,
    # Hex text of the longest payload, and CR.
    max_frame=2 * MOST_PAYLOAD + 1,
    reads_to_trust=2,
    measure=measure,
    decode=decode,
)
