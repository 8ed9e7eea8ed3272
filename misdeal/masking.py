"""Tags of a recording replaced by others, so that it can be given away.

The same tag gets the same mask throughout one recording, and nobody can go back: the key is made
for one masking and forgotten. Masked frames get a checksum that fits, so that a masked recording
reads as the true one does; a frame whose checksum cannot be made to fit is marked.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import xor
from typing import Final

from cobs import cobs  # type: ignore[import-untyped]
from fastcrc import crc16
from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.families import FAMILIES, front_end, pepper_c1, thingmagic
from firmware_bridge.families.family import Direction, Family, Frame
from misdeal.recording import Cutter, Entry, Header

# What stays of a UID: kind and maker, by which a tag is known as one that can bear a card.
_KEPT_BYTES: Final = {8: 3, 7: 1}
# Bits of the fourth byte that tell the kinds of ICODE apart. Source: rfid/protocols 2.10.
_ICODE_KIND = 0x18

LEAST_PIECE = 4
"""A UID, or a piece of one in a broken frame, is masked if it has so many bytes.

Chosen: fewer name no card, and stand elsewhere by chance.
"""


def mask_uid(uid: str, key: bytes) -> str:
    """Return what stands for a UID: of the same length, kind and maker.

    Args:
        uid: The canonical UID.
        key: Of the masking.
    """
    raw = bytes.fromhex(uid)
    mask = bytearray(hashlib.blake2b(raw, key=key, digest_size=len(raw)).digest())
    kept = _KEPT_BYTES.get(len(raw), 0)
    mask[:kept] = raw[:kept]
    if len(raw) == 8:
        mask[3] = raw[3] & _ICODE_KIND | mask[3] & ~_ICODE_KIND
        # One that ended in E0 would read as turned round.
        mask[7] = 0x0E if mask[7] == 0xE0 else mask[7]
    return mask.hex().upper()


def mask(header: Header, entries: Sequence[Entry], key: bytes) -> tuple[Header, list[Entry]]:
    """Return a recording with its tags masked.

    The tags are found in the frames, and then replaced wherever they stand: in either byte order,
    as bytes and as hex digits, in broken frames also where a piece of one is left.

    Args:
        header: Of the recording.
        entries: All of it.
        key: At least 16 bytes of chance.
    """
    family = FAMILIES[header.family]
    pieces = {direction: list(_cut(entries, family, direction)) for direction in _DIRECTIONS}
    uids = {
        uid
        for direction in _DIRECTIONS
        for piece in pieces[direction]
        if piece.is_frame
        for uid in family.decode(piece.data, direction).uids
    }
    masks = {uid: mask_uid(uid, key) for uid in uids if len(uid) >= 2 * LEAST_PIECE}
    swaps = _Swaps(masks)
    masked: dict[str, list[_Piece]] = {
        direction: [_mask_piece(piece, family, direction, swaps) for piece in pieces[direction]]
        for direction in _DIRECTIONS
    }
    return replace(header, is_masked=True), list(_refill(entries, masked))


_DIRECTIONS: Final[tuple[Direction, ...]] = ("rx", "tx")


class _Piece(Struct, frozen=True):
    """A frame or a run of noise, in the order of the stream."""

    data: bytes
    is_frame: bool
    is_unsealed: bool = False


def _cut(entries: Iterable[Entry], family: Family, direction: Direction) -> Iterator[_Piece]:
    """Cut one direction into frames and noise; together they are all its bytes."""
    cutter, stream = Cutter(family, direction), b""
    for entry in (*entries, Entry(at_ns=0, kind="opened")):
        if entry.kind == direction:
            stream += entry.data
            found = cutter.take(entry.data, entry.at_ns)
        elif entry.kind == "opened":
            found, cutter = cutter.flush(), Cutter(family, direction)
        else:
            continue
        for each in found:
            length = len(each.data) if isinstance(each, Frame) else each.length
            yield _Piece(stream[:length], isinstance(each, Frame))
            stream = stream[length:]


def _refill(entries: Iterable[Entry], masked: dict[str, list[_Piece]]) -> Iterator[Entry]:
    """Put masked bytes back where the true ones were."""
    streams = {name: b"".join(piece.data for piece in pieces) for name, pieces in masked.items()}
    flags = {
        name: b"".join(bytes([piece.is_unsealed]) * len(piece.data) for piece in pieces)
        for name, pieces in masked.items()
    }
    at = dict.fromkeys(streams, 0)
    for entry in entries:
        if entry.kind not in at:
            yield entry
            continue
        start, end = at[entry.kind], at[entry.kind] + len(entry.hex) // 2
        at[entry.kind] = end
        yield replace(
            entry,
            hex=streams[entry.kind][start:end].hex().upper(),
            is_unsealed=any(flags[entry.kind][start:end]),
        )


# ---------------------------------------------------------------- tags
class _Swaps:
    """Replaces tags by their masks in bytes.

    Args:
        masks: What stands for each tag.
    """

    def __init__(self, masks: dict[str, str]) -> None:
        self.masks = masks
        self._spelled = {
            spell(uid): spell(masked) for uid, masked in masks.items() for spell in _SPELLINGS
        }
        self._pieces: dict[bytes, bytes] = {}
        for uid, masked in masks.items():
            for spell in _SPELLINGS:
                true, false = spell(uid), spell(masked)
                size = LEAST_PIECE * len(true) // (len(uid) // 2)
                for at in range(len(true) - size + 1):
                    self._pieces[true[at : at + size]] = false[at : at + size]
        self._any_tag = _any_of(self._spelled)
        self._any_piece = _any_of(self._pieces)

    def in_frame(self, data: bytes) -> bytes:
        """Replace whole tags."""
        return self._any_tag.sub(lambda found: self._spelled[found[0]], data)

    def in_noise(self, data: bytes) -> bytes:
        """Replace tags and pieces of them, which overlap."""
        out, at = bytearray(data), 0
        while found := self._any_piece.search(data, at):
            out[found.start() : found.end()] = self._pieces[found[0]]
            at = found.start() + 1
        return bytes(out)


def _any_of(words: Iterable[bytes]) -> re.Pattern[bytes]:
    """Return what matches any of some words; nothing where there are none."""
    return re.compile(b"|".join(map(re.escape, words)) or rb"(?!)", re.DOTALL)


_SPELLINGS: Final[tuple[Callable[[str], bytes], ...]] = (
    bytes.fromhex,
    lambda uid: bytes.fromhex(uid)[::-1],
    lambda uid: uid.encode(),
    lambda uid: bytes.fromhex(uid)[::-1].hex().upper().encode(),
    lambda uid: uid.lower().encode(),
    lambda uid: bytes.fromhex(uid)[::-1].hex().encode(),
)
"""How a UID may stand on a wire: as bytes or as digits, from either end."""


def _mask_piece(piece: _Piece, family: Family, direction: Direction, swaps: _Swaps) -> _Piece:
    """Mask a frame so that it still is one; else so that no tag is left, and mark it."""
    if not piece.is_frame:
        return _Piece(swaps.in_noise(piece.data), is_frame=False)
    uids = family.decode(piece.data, direction).uids
    seal = _SEALS.get(family.name, _no_seal)
    if seal(piece.data, bytes) == piece.data:
        sealed = seal(piece.data, swaps.in_frame)
        if _says(sealed, family, direction) == tuple(swaps.masks.get(uid, uid) for uid in uids):
            return _Piece(sealed, is_frame=True)
    broken = swaps.in_noise(piece.data)
    if broken == piece.data and not swaps.masks.keys().isdisjoint(uids):
        broken = bytes(len(piece.data))
    return _Piece(broken, is_frame=True, is_unsealed=broken != piece.data)


def _says(data: bytes, family: Family, direction: Direction) -> tuple[str, ...] | None:
    """Return the tags of a frame; None where it is none, as its checksum does not fit."""
    if family.measure(data, direction).length != len(data):
        return None
    return family.decode(data, direction).uids


# ---------------------------------------------------------------- checksums
Swap = Callable[[bytes], bytes]
Seal = Callable[[bytes, Swap], bytes]
"""Opens a frame, has its content swapped, and closes it again."""


def _no_seal(data: bytes, swap: Swap) -> bytes:
    return swap(data)


def _seal_pepper(data: bytes, swap: Swap) -> bytes:
    return pepper_c1.frame(swap(data[5:-2]))


def _seal_mcrf4xx(data: bytes, swap: Swap) -> bytes:
    body = swap(data[:-2])
    return body + crc16.mcrf4xx(body).to_bytes(2, "little")


def _seal_anyid(data: bytes, swap: Swap) -> bytes:
    body = swap(data[2:-2])
    return data[:2] + body + crc16.ibm_sdlc(body).to_bytes(2, "little")


def _seal_pn532(data: bytes, swap: Swap) -> bytes:
    """The sum of TFI, data and DCS is 0; the postamble may be missing."""
    start = data.find(b"\x00\xff") + 4
    length = data[start - 2]
    if data[start - 2 : start] == b"\xff\xff":
        start, length = start + 3, data[start] << 8 | data[start + 1]
    body = swap(data[start : start + length])
    return data[:start] + body + bytes([-sum(body) & 0xFF]) + data[start + length + 1 :]


def _seal_r200(data: bytes, swap: Swap) -> bytes:
    body = swap(data[1:-2])
    return data[:1] + body + bytes([sum(body) & 0xFF]) + data[-1:]


def _seal_thingmagic(data: bytes, swap: Swap) -> bytes:
    body = swap(data[1:-2])
    return data[:1] + body + thingmagic.checksum(body).to_bytes(2, "big")


def _seal_front_end(data: bytes, swap: Swap) -> bytes:
    kind, sequence, *rest = swap(cobs.decode(data[1:-1])[:-2])
    return front_end.frame(kind, sequence, bytes(rest))


def _seal_rdm6300(data: bytes, swap: Swap) -> bytes:
    digits = swap(data[1:11])
    checksum = reduce(xor, bytes.fromhex(digits.decode("ascii")))
    return data[:1] + digits + f"{checksum:02X}".encode("ascii") + data[-1:]


def _seal_wl134(data: bytes, swap: Swap) -> bytes:
    """Card, then country, each with its lowest digit first; the identity has the country first."""
    country, card = data[11:15][::-1], data[1:11][::-1]
    uid = swap(country + card)
    digits = uid[:3:-1] + uid[3::-1] + data[15:27]
    checksum = reduce(xor, digits)
    return data[:1] + digits + bytes([checksum, checksum ^ 0xFF]) + data[-1:]


def _seal_twn4(data: bytes, swap: Swap) -> bytes:
    """Hex text behind whose payload a checksum may stand; or binary behind its length."""
    is_text = data.endswith(b"\r")
    payload = bytes.fromhex(data[:-1].decode("ascii")) if is_text else data[2:]
    has_checksum = _seal_mcrf4xx(payload, bytes) == payload
    payload = _seal_mcrf4xx(payload, swap) if has_checksum else swap(payload)
    return payload.hex().upper().encode("ascii") + b"\r" if is_text else data[:2] + payload


_CHECKED_LINE = re.compile(rb"([^\r\n]+ )([0-9A-F]{4})(?=[\r\n])")


def _seal_metratec(data: bytes, swap: Swap) -> bytes:
    """In CRC mode each line bears a checksum over itself and the blank before it."""
    return _CHECKED_LINE.sub(lambda found: found[1] + _checksum(found[1]), swap(data))


def _checksum(line: bytes) -> bytes:
    return f"{crc16.mcrf4xx(line):04X}".encode("ascii")


_SEALS: Final[dict[str, Seal]] = {
    "pepper_c1": _seal_pepper,
    "metratec_ascii": _seal_metratec,
    "feig": _seal_mcrf4xx,
    "anyid7e55": _seal_anyid,
    "pn532_hsu": _seal_pn532,
    "r200": _seal_r200,
    "chafon_uhf": _seal_mcrf4xx,
    "chafon_rr3036_hf": _seal_mcrf4xx,
    "thingmagic": _seal_thingmagic,
    "twn4_simple": _seal_twn4,
    "rdm6300": _seal_rdm6300,
    "wl134": _seal_wl134,
    "front_end": _seal_front_end,
}
"""For each family with checksums how a frame is closed; the others' frames have none."""
