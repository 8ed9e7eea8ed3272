"""Our own frame for a microcontroller: antennas, lamps, buzzer and the shoe's gate.

``00 | COBS(TYPE SEQ data CRC lo CRC hi) | 00``; the CRC is CRC-16/MCRF4XX over TYPE, SEQ and data.
An answer has the command's TYPE with the top bit set, and its SEQ: a late answer fits no other
question. An inventory's answer names its antenna. The device describes itself when asked and when
it starts.

Source: docs/front-end-frame.md, which says all that a firmware has to do.
"""

from typing import Final, Literal

from cobs import cobs  # type: ignore[import-untyped]
from fastcrc import crc16
from msgspec import Struct

from firmware_bridge.families.family import (
    BAD_CHECKSUM,
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    Status,
    failed,
    uid_msb,
)

DESCRIBE, INVENTORY, LAMP, BUZZER, GATE, KEEP_ALIVE, RESET, SIGNATURE, SAFE_STATE = range(1, 10)
STARTED, TAG = 0xC0, 0xC1
ANSWER, REFUSED = 0x80, 0xFF
COMPLETE, FAULT = 0x01, 0x02

# One COBS code block: no more than one byte of overhead, and a buffer that any chip has.
MOST_BODY = 250

NAMES: Final = {
    DESCRIBE: "description",
    INVENTORY: "inventory",
    LAMP: "lamp",
    BUZZER: "buzzer",
    GATE: "gate",
    KEEP_ALIVE: "keep alive",
    RESET: "reset",
    SIGNATURE: "signature",
    SAFE_STATE: "safe state",
}

LampMode = Literal["off", "on", "blink"]
_LAMP_MODES: Final[dict[LampMode, int]] = {"off": 0, "on": 1, "blink": 2}

_REFUSALS: Final = {
    0x01: "unknown command",
    0x02: "wrong data",
    0x03: "no such antenna or output",
    0x04: "radio fault",
    0x05: "busy",
}


class Description(Struct, frozen=True, kw_only=True):
    """What a device says of itself."""

    version: int
    antennas: int
    max_tags: int
    lamps: int
    has_buzzer: bool
    has_gate: bool
    has_signature: bool
    safe_after_ms: int
    """Without a frame from the host for so long the device goes to its safe state."""
    model: str
    serial: str


def frame(kind: int, sequence: int, data: bytes = b"") -> bytes:
    """Return the frame of a type, in either direction."""
    body = bytes([kind, sequence]) + data
    checked = body + crc16.mcrf4xx(body).to_bytes(2, "little")
    block: bytes = cobs.encode(checked)
    return b"\x00" + block + b"\x00"


def mark(command: int, sequence: int) -> int:
    """Return what the answer to a command bears in ``Message.echoes``."""
    return sequence << 8 | command


def describe(sequence: int) -> bytes:
    """Return the command that asks a device what it is."""
    return frame(DESCRIBE, sequence)


def start_inventory(sequence: int, antenna: int) -> bytes:
    """Return the command that asks for the tags at an antenna, from 1."""
    return frame(INVENTORY, sequence, bytes([antenna]))


def set_lamp(sequence: int, lamp: int, mode: LampMode) -> bytes:
    """Return the command that sets a lamp, from 1."""
    return frame(LAMP, sequence, bytes([lamp, _LAMP_MODES[mode]]))


def buzz(sequence: int, duration_ms: int) -> bytes:
    """Return the command that sounds the buzzer, 0 to 2550 ms in steps of 10."""
    return frame(BUZZER, sequence, bytes([duration_ms // 10]))


def set_gate(sequence: int, *, is_open: bool) -> bytes:
    """Return the command that opens or shuts the shoe's gate."""
    return frame(GATE, sequence, bytes([is_open]))


def keep_alive(sequence: int) -> bytes:
    """Return the command that only says that the host is there."""
    return frame(KEEP_ALIVE, sequence)


def reset(sequence: int) -> bytes:
    """Return the command that restarts the device."""
    return frame(RESET, sequence)


def read_signature(sequence: int, antenna: int, uid: str) -> bytes:
    """Return the command that asks a tag at an antenna for its maker's signature."""
    return frame(SIGNATURE, sequence, bytes([antenna]) + bytes.fromhex(uid))


def set_safe_state(
    sequence: int, after_ms: int, *, is_gate_open: bool = False, lamp: LampMode = "off"
) -> bytes:
    """Return the command that sets what the device does when it hears nothing for so long.

    Args:
        sequence: The number of the command.
        after_ms: 100 to 25500 ms, in steps of 100.
        is_gate_open: Whether the gate opens then; otherwise it shuts.
        lamp: What every lamp shows then.
    """
    data = bytes([after_ms // 100, is_gate_open, _LAMP_MODES[lamp]])
    return frame(SAFE_STATE, sequence, data)


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] != 0:
        return NOT_A_HEAD
    end = head.find(0, 1)
    if end < 0:
        return NEEDS_MORE
    body = _opened(head[1:end])
    if len(body) < 4:
        return NOT_A_HEAD if end == 1 else BAD_LENGTH
    if crc16.mcrf4xx(body[:-2]) != body[-2] | body[-1] << 8:
        return BAD_CHECKSUM
    is_ours = (body[0] >= ANSWER) is (direction == "rx")
    return Measure(length=end + 1) if is_ours else NOT_A_HEAD


def _opened(block: bytes) -> bytes:
    """Undo COBS; nothing where the block is no COBS."""
    try:
        body: bytes = cobs.decode(block)
    except cobs.DecodeError:
        return b""
    return body


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    body = cobs.decode(data[1:-1])
    kind, sequence, rest = body[0], body[1], body[2:-2]
    command = kind & ~ANSWER
    if direction == "tx":
        return Message(kind="command", name=_name(command), data=rest)
    if kind == STARTED:
        return Message(kind="notice", name="restart", data=rest)
    if kind == TAG:
        return Message(kind="notice", name="tag", uids=(uid_msb(rest[1:]),), data=rest)
    if kind == REFUSED:
        return _read_refusal(sequence, rest)
    echoes = mark(command, sequence)
    if command == INVENTORY:
        return _read_inventory(echoes, rest)
    return Message(kind="answer", name=_name(command), echoes=echoes, data=rest)


def _name(command: int) -> str:
    return NAMES.get(command, f"command {command:02X}")


def _read_refusal(sequence: int, rest: bytes) -> Message:
    """Read the command that is refused, and why."""
    if len(rest) != 2:
        return failed("unknown", "refused, without saying what", data=rest)
    command, code = rest
    words = f"{code:02X}: {_REFUSALS.get(code, 'refused')}"
    return failed(_name(command), words, echoes=mark(command, sequence), code=code, data=rest)


def _read_inventory(echoes: int, rest: bytes) -> Message:
    """Read ``antenna flags n`` and n times (length, UID)."""
    uids: list[str] = []
    at = 3
    while at < len(rest):
        end = at + 1 + rest[at]
        uids.append(uid_msb(rest[at + 1 : end]))
        at = end
    if at != len(rest) or len(uids) != rest[2]:
        return failed("inventory", "tags cut short", echoes=echoes, data=rest)
    if rest[1] & FAULT:
        return failed("inventory", "radio fault", echoes=echoes, data=rest)
    is_complete = bool(rest[1] & COMPLETE)
    whole: Status = "ok" if uids else "empty"
    return Message(
        kind="answer",
        name="inventory",
        status=whole if is_complete else "partial",
        is_complete=is_complete,
        uids=tuple(uids),
        error=None if is_complete else "not every tag was heard",
        echoes=echoes,
        data=rest,
    )


def read_description(data: bytes) -> Description | None:
    """Read what a device says of itself; None where it is cut short.

    Args:
        data: ``Message.data`` of a "description" or "restart".
    """
    model_end = 7 + data[6] if len(data) > 6 else 0
    serial_end = model_end + 1 + data[model_end] if 0 < model_end < len(data) else 0
    if not 0 < serial_end <= len(data):
        return None
    return Description(
        version=data[0],
        antennas=data[1],
        max_tags=data[2],
        lamps=data[3],
        has_buzzer=bool(data[4] & 0x01),
        has_gate=bool(data[4] & 0x02),
        has_signature=bool(data[4] & 0x04),
        safe_after_ms=100 * data[5],
        model=data[7:model_end].decode("utf-8", "replace"),
        serial=data[model_end + 1 : serial_end].decode("utf-8", "replace"),
    )


FAMILY = Family(
    name="front_end",
    baud=115200,
    antennas=16,
    # What one answer holds: 9 bytes each behind TYPE, SEQ, antenna, flags, number and CRC.
    max_tags=27,
    knows_complete=True,
    uid_order="msb",
    identity="serial number and model of its description",
    timeout_ms=250,
    # COBS adds one byte, the delimiters two.
    max_frame=MOST_BODY + 3,
    measure=measure,
    decode=decode,
)
