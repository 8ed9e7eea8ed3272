"""RDM6300: a 125 kHz pad that sends a card's number while it lies there; it takes no commands.

``02 | ten hex digits | two hex digits: XOR of the five bytes | 03``. One card at a time, and a sum
so weak that noise passes it now and then: a card counts only when it is read twice.

Source: rfid/vectors (BruceDevices/firmware#2014); rfid/bugs 26, 27.
"""

from functools import reduce
from operator import xor

from firmware_bridge.families.family import (
    BAD_CHECKSUM,
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
)

START, END = 0x02, 0x03
LENGTH = 14
_HEX = frozenset(b"0123456789ABCDEF")


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] != START or direction == "tx":
        return NOT_A_HEAD
    if not _HEX.issuperset(head[1 : LENGTH - 1]):
        return BAD_LENGTH
    if len(head) < LENGTH:
        return NEEDS_MORE
    if head[LENGTH - 1] != END:
        return BAD_LENGTH
    number = bytes.fromhex(head[1 : LENGTH - 1].decode("ascii"))
    return BAD_CHECKSUM if reduce(xor, number) else Measure(length=LENGTH)


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    digits = data[1:-3].decode("ascii")
    return Message(kind="notice", name="tag", uids=(digits,), data=data[1:-1])


FAMILY = Family(
    name="rdm6300",
    baud=9600,
    antennas=1,
    max_tags=1,
    knows_complete=False,
    uid_order="msb",
    identity="none",
    # Never asked; it repeats a card that lies there several times a second (ASSUMED).
    timeout_ms=500,
    max_frame=LENGTH,
    reads_to_trust=2,
    measure=measure,
    decode=decode,
)
