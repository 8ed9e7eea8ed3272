"""TI S6350: an HF pad for ISO 15693; its commands, and the frame that they share with answers.

``01 | LEN lo hi | address lo hi | flags | command | data | BCC | ~BCC``: LEN counts the whole
frame, BCC is the XOR of all before it. No answer is public: answers are framed, passed on unread.

Source: rfid/protocols 2, rfid/vectors.
"""

from functools import reduce
from operator import xor
from typing import Final

from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    judged,
)

START = 0x01
ISO15693 = 0x60
LEAST_BYTES, MOST_BYTES = 9, 256

# A host's flags are 0 and command 60 passes an ISO 15693 request on; 01 in it is the inventory.
_INVENTORY: Final = b"\x11\x07\x01\x00"


def frame(command: int, data: bytes = b"") -> bytes:
    """Return the frame that carries a command to the reader."""
    length = (LEAST_BYTES + len(data)).to_bytes(2, "little")
    body = bytes([START]) + length + bytes([0, 0, 0, command]) + data
    total = reduce(xor, body)
    return body + bytes([total, total ^ 0xFF])


def start_inventory() -> bytes:
    """Return the command that asks for the tags, in 16 slots."""
    return frame(ISO15693, _INVENTORY)


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] != START:
        return NOT_A_HEAD
    if len(head) < 3:
        return NEEDS_MORE
    length = head[1] | head[2] << 8
    return judged(head, length, _is_sound) if LEAST_BYTES <= length <= MOST_BYTES else BAD_LENGTH


def _is_sound(data: bytes) -> bool:
    total = reduce(xor, data[:-2])
    return data[-2] == total and data[-1] == total ^ 0xFF


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    command, rest = data[6], data[7:-2]
    is_inventory = command == ISO15693 and rest[2:3] == b"\x01"
    name = "inventory" if is_inventory else f"command {command:02X}"
    return Message(kind="command" if direction == "tx" else "answer", name=name, data=rest)


FAMILY = Family(
    name="ti_s6350",
    baud=57600,
    antennas=1,
    # ASSUMED: one a slot.
    max_tags=16,
    knows_complete=False,
    uid_order="learned",
    identity="none that public bytes show",
    timeout_ms=500,
    max_frame=MOST_BYTES,
    measure=measure,
    decode=decode,
)
