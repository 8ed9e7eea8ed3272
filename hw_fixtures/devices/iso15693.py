"""What ISO 15693 tags answer over the air to a request that a reader passes on.

Requests and answers stand without their checksum, which readers add and check themselves. The
cards of a pack are locked NXP ICODE SLIX2 here: their memory reads as zeros and takes no writes.

Source: ISO/IEC 15693-3 for flags, commands and errors.
"""

from collections.abc import Sequence
from typing import Final

from engine.cards import Tag

ADDRESSED, OPTION = 0x20, 0x40
READ, WRITE, READ_SEVERAL, SYSTEM, READ_SIGNATURE = 0x20, 0x21, 0x23, 0x2B, 0xBD
BLOCK = 4

NOT_SUPPORTED, LOCKED = b"\x01\x01", b"\x01\x12"

# Blocks - 1, bytes of a block - 1, IC reference: an ICODE SLIX2's data sheet.
_MEMORY: Final = bytes([79, BLOCK - 1, 0x01])

# Source: RfidResearchGroup/proxmark3 tools/recover_pk.py, samples of the key in originality.c.
SIGNATURES: Final[dict[Tag, bytes]] = {
    Tag("E0040118009B5FEE"): bytes.fromhex(
        "32d9e7579cd77e6f1fa11419231e874826984c5f189fde1421684563a9663377"
    ),
    Tag("E00401082AD28E83"): bytes.fromhex(
        "cae8183cb4823c765afdeb78c9d66c959990fd52a5820e76e1d6e025d76ead79"
    ),
    Tag("E00401086FC2621F"): bytes.fromhex(
        "9f47bf33d9ed62a62afef5685bc4006cfb290c344ead5c5b49bf976804a9ee62"
    ),
}
"""The originality signatures of three real chips; no others can be made without NXP's key."""


def answer(tags: Sequence[Tag], request: bytes) -> bytes | None:
    """Return what comes back when a request meets tags; None for silence and for a collision.

    Args:
        tags: The tags in the field.
        request: Flags, command, the maker's code of a custom command, the UID of an addressed
            one (last byte first), parameters.
    """
    if len(request) < 2:
        return None
    flags, command = request[:2]
    at = _uid_start(command)
    asked = tags
    if flags & ADDRESSED:
        uid = request[at : at + 8][::-1].hex().upper()
        asked = [tag for tag in tags if tag == uid]
        at += 8
    if len(asked) != 1:
        return None
    return _answer_of(asked[0], command, request[at:], has_option=bool(flags & OPTION))


def turn_uid(request: bytes) -> bytes:
    """Return a request whose UID stands the other way round; as it is where it has none."""
    if len(request) < 2 or not request[0] & ADDRESSED:
        return request
    start = _uid_start(request[1])
    end = start + 8
    return request[:start] + request[start:end][::-1] + request[end:]


def _uid_start(command: int) -> int:
    """Return where the UID of an addressed request begins: a custom command names its maker."""
    return 3 if 0xA0 <= command <= 0xDF else 2


def _answer_of(tag: Tag, command: int, params: bytes, *, has_option: bool) -> bytes:
    block = bytes(has_option) + bytes(BLOCK)
    if command == READ:
        return b"\x00" + block
    if command == READ_SEVERAL and len(params) == 2:
        return b"\x00" + block * (params[1] + 1)
    if command == SYSTEM:
        return b"\x00\x0f" + bytes.fromhex(tag)[::-1] + b"\x00\x00" + _MEMORY
    if command == READ_SIGNATURE and tag in SIGNATURES:
        return b"\x00" + SIGNATURES[tag]
    return LOCKED if command == WRITE else NOT_SUPPORTED
