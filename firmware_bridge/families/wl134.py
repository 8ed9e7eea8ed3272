"""WL-134: a 134 kHz pad for animal tags (FDX-B); for tests and toys.

``02 | 26 hex digits | XOR | ~XOR | 03``: the digits are the card (10), the country (4), flags and
user data, each number with its lowest digit first. One card at a time, and a weak sum.

Source: rfid/protocols 2, rfid/vectors.
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
DIGITS = 26
LENGTH = DIGITS + 4
_HEX = frozenset(b"0123456789ABCDEF")


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] != START or direction == "tx":
        return NOT_A_HEAD
    digits = head[1 : 1 + DIGITS]
    if not _HEX.issuperset(digits):
        return BAD_LENGTH
    if len(head) < LENGTH:
        return NEEDS_MORE
    if head[LENGTH - 1] != END:
        return BAD_LENGTH
    total = reduce(xor, digits)
    is_sound = head[LENGTH - 3] == total and head[LENGTH - 2] == total ^ 0xFF
    return Measure(length=LENGTH) if is_sound else BAD_CHECKSUM


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame; the identity is country and card, highest digit first."""
    digits = data[1 : 1 + DIGITS].decode("ascii")
    uid = digits[13:9:-1] + digits[9::-1]
    return Message(kind="notice", name="tag", uids=(uid,), data=data[1:-3])


FAMILY = Family(
    name="wl134",
    baud=9600,
    antennas=1,
    max_tags=1,
    knows_complete=False,
    uid_order="lsb",
    identity="none",
    # Never asked; it repeats a card that lies there (ASSUMED).
    timeout_ms=500,
    max_frame=LENGTH,
    reads_to_trust=2,
    measure=measure,
    decode=decode,
)
