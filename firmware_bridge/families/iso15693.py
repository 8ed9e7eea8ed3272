"""What goes over the air between a reader and an ISO 15693 tag; readers pass it through.

A request is flags, command and parameters, an answer flags and data; both end in CRC-16/X-25, low
byte first, which most readers add and check themselves. UIDs go last byte first.

Source: rfid/protocols 2 and 2.10, rfid/vectors; ISO/IEC 15693-3 for flags and errors.
"""

from typing import Final

from fastcrc import crc16
from msgspec import Struct

from firmware_bridge.families.family import uid_lsb

HIGH_RATE, IS_INVENTORY, HAS_AFI, ONE_SLOT = 0x02, 0x04, 0x10, 0x20
ADDRESSED = 0x20
INVENTORY, READ_SIGNATURE = 0x01, 0xBD
NXP = 0x04

_ERRORS: Final = {
    0x01: "command not supported",
    0x02: "command not recognised",
    0x03: "option not supported",
    0x0F: "unknown error",
    0x10: "block not available",
    0x11: "block locked already",
    0x12: "block locked",
    0x13: "block not written",
    0x14: "block not locked",
}


class Answer(Struct, frozen=True):
    """What a tag said: data, or why not."""

    data: bytes
    error: str | None = None


def inventory(*, is_one_slot: bool = False, afi: int | None = None, rate: int = HIGH_RATE) -> bytes:
    """Return the request that every tag answers, or every tag of an application family."""
    flags = rate | IS_INVENTORY | (ONE_SLOT if is_one_slot else 0)
    if afi is None:
        return bytes([flags, INVENTORY, 0])
    return bytes([flags | HAS_AFI, INVENTORY, afi, 0])


def read_signature(uid: str) -> bytes:
    """Return the request that asks one NXP tag for its maker's signature."""
    return bytes([HIGH_RATE | ADDRESSED, READ_SIGNATURE, NXP]) + bytes.fromhex(uid)[::-1]


def sealed(body: bytes) -> bytes:
    """Return a request or an answer with its checksum."""
    return body + crc16.ibm_sdlc(body).to_bytes(2, "little")


def is_sealed(data: bytes) -> bool:
    """Say whether the checksum at the end of a request or an answer fits."""
    return len(data) > 2 and sealed(data[:-2]) == data


def read_answer(body: bytes) -> Answer:
    """Read an answer without its checksum."""
    if not body:
        return Answer(b"", "nothing was answered")
    if body[0] & 0x01:
        code = body[1] if len(body) > 1 else 0x0F
        return Answer(b"", f"{code:02X}: {_ERRORS.get(code, 'refused')}")
    return Answer(body[1:])


def read_inventory(answer: Answer) -> str | None:
    """Return the canonical UID behind the DSFID of an inventory's answer; None where none is."""
    is_whole = answer.error is None and len(answer.data) == 9
    return uid_lsb(answer.data[1:]) if is_whole else None
