"""The pack register: which tag bears which card, as a CSV file says it."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from engine.cards import FULL_PACK, Card, Pack, Tag, TaggedCard, is_card_code
from engine.errors import Fault
from firmware_bridge.errors import RegisterError

_HEADER = ("card", "tag", "spare", "signature")
_SPARE = {"": False, "no": False, "yes": True}

# UID lengths in bytes: 4, 7, 10 ISO 14443; 5 EM4100; 8 ISO 15693; 12 EPC-96.
_UID_BYTES = frozenset({4, 5, 7, 8, 10, 12})
_ISO15693_BYTES = 8


class KnownCard(Struct, frozen=True):
    """What a register says of a tag."""

    card: Card
    pack: str


class Register:
    """All packs of a table: looks a tag up.

    Args:
        packs: The packs.
        signatures: The makers' signatures of those tags that were registered with one.

    Raises:
        RegisterError: If two packs claim one tag.
    """

    def __init__(
        self, packs: Iterable[Pack], signatures: Mapping[Tag, bytes] | None = None
    ) -> None:
        packs = tuple(packs)
        self._signatures = dict(signatures or {})
        self._sole = packs[0] if len(packs) == 1 else None
        self._distrusted: set[Tag] = set()
        self._known: dict[Tag, KnownCard] = {}
        faults: list[Fault] = []
        for pack in packs:
            for line in pack.cards:
                other = self._known.setdefault(line.tag, KnownCard(line.card, pack.name))
                if other.pack != pack.name:
                    expected = f"a tag that pack {other.pack!r} does not claim"
                    faults.append(Fault(f"pack {pack.name!r}", 0, "tag", line.tag, expected))
        if faults:
            raise RegisterError(faults)

    def lookup(self, tag: Tag) -> KnownCard | None:
        """Return the card of a tag and its pack; None where no pack has it, or it is a forgery."""
        return None if tag in self._distrusted else self._known.get(tag)

    def signature_of(self, tag: Tag) -> bytes | None:
        """Return the signature that a tag was registered with, if any."""
        return self._signatures.get(tag)

    def distrust(self, tag: Tag) -> None:
        """Take it that a tag is not the one that was registered: it is foreign from now on."""
        self._distrusted.add(tag)

    def tag_of(self, card: Card) -> tuple[Tag, str] | None:
        """Return the tag of a face and its pack, where one pack alone is registered and has it."""
        if self._sole is None:
            return None
        name = self._sole.name
        lines = self._sole.cards
        return next(
            ((line.tag, name) for line in lines if line.card == card and not line.spare), None
        )


def canonical_uid(text: str) -> Tag | None:
    """Return a UID in its one form, or None where the text is none.

    The form is upper-case hex, most significant byte first, without separators.
    """
    digits = re.sub(r"[\s:.-]", "", text).upper().removeprefix("0X")
    is_uid = (
        re.fullmatch(r"(?:[0-9A-F]{2})+", digits) is not None
        and len(digits) // 2 in _UID_BYTES
        and set(digits) not in ({"0"}, {"F"})
    )
    return Tag(digits) if is_uid else None


def read_pack(text: str, *, file: str, name: str, faces: Collection[Card] = FULL_PACK) -> Pack:
    """Read a pack register: ``card,tag[,spare[,signature]]`` with a heading line.

    ``#`` begins a comment. What stands in the signature's column is checked here and read by
    ``read_signatures``.

    Args:
        text: The CSV text.
        file: Its name, for the faults.
        name: The name of the pack.
        faces: The faces that the pack must have, each once, spares aside.

    Raises:
        RegisterError: With every fault found: a doubled tag, a doubled, unknown or missing card,
            a malformed UID, a column of UIDs in reversed byte order, a signature that is not the
            tag's.
    """
    reader = _Reader(file, frozenset(faces))
    for line, row in _rows(text):
        reader.read(line, row)
    reader.finish()
    if reader.faults:
        raise RegisterError(reader.faults)
    return Pack(name, tuple(reader.cards))


def read_signatures(text: str) -> dict[Tag, bytes]:
    """Return the signatures of a register that ``read_pack`` has accepted."""
    found: dict[Tag, bytes] = {}
    for _, row in _rows(text):
        tag = canonical_uid(row[1])
        if tag is not None and len(row) == len(_HEADER) and row[3]:
            found[tag] = bytes.fromhex(row[3])
    return found


def write_pack(pack: Pack, signatures: Mapping[Tag, bytes] | None = None) -> str:
    """Write a pack register as ``read_pack`` reads it, with the signatures that are known."""
    signed = signatures or {}
    header = _HEADER if signed else _HEADER[:3]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for line in pack.cards:
        signature = signed.get(line.tag, b"").hex().upper()
        writer.writerow(
            (line.card, line.tag, "yes" if line.spare else "", signature)[: len(header)]
        )
    return out.getvalue()


class _Reader:
    """Takes the rows of one register and keeps what is wrong with them."""

    def __init__(self, file: str, faces: frozenset[Card]) -> None:
        self._file = file
        self._faces = faces
        self._tag_lines: dict[Tag, int] = {}
        self._card_lines: dict[Card, int] = {}
        self._reversed_lines: list[int] = []
        self.cards: list[TaggedCard] = []
        self.faults: list[Fault] = []

    def read(self, line: int, row: list[str]) -> None:
        """Take one row."""
        if not 2 <= len(row) <= len(_HEADER):
            self._refuse(line, "", f"{len(row)} columns", "card,tag or card,tag,spare,signature")
            return
        code, uid, spare, signature = (*row, "", "")[: len(_HEADER)]
        spare = spare.lower()
        if spare not in _SPARE:
            self._refuse(line, "spare", spare, "yes, no or nothing")
            return
        card = self._read_card(line, code, is_spare=_SPARE[spare])
        tag = self._read_tag(line, uid)
        if card is not None and tag is not None:
            self.cards.append(TaggedCard(tag, card, _SPARE[spare]))
        if tag is not None and signature:
            self._check_signature(line, tag, signature)

    def finish(self) -> None:
        """Refuse what only the whole shows: a reversed column, and the cards that no row names."""
        if self._reversed_lines:
            self._refuse(
                self._reversed_lines[0],
                "tag",
                f"UIDs in reversed byte order, E0 last ({len(self._reversed_lines)} lines)",
                "the most significant byte first, E0: reverse the bytes of this column",
            )
        missing = sorted(self._faces - self._card_lines.keys())
        if missing:
            self._refuse(
                0, "card", "no line for " + " ".join(missing), "each card of the pack once"
            )

    def _refuse(self, line: int, key: str, found: str, expected: str) -> None:
        self.faults.append(Fault(self._file, line, key, found, expected))

    def _check_signature(self, line: int, tag: Tag, signature: str) -> None:
        # Imported here as it takes a tenth of a second, and most registers have none.
        from firmware_bridge.authenticity import check_signature  # noqa: PLC0415

        try:
            verdict = check_signature(tag, bytes.fromhex(signature))
        except ValueError:
            self._refuse(line, "signature", signature, "hex digits, two a byte")
            return
        if verdict != "genuine":
            expected = f"the signature that the maker of {tag} gave it"
            self._refuse(line, "signature", signature, expected)

    def _read_card(self, line: int, code: str, *, is_spare: bool) -> Card | None:
        card = Card(code)
        if not is_card_code(code) or card not in self._faces:
            self._refuse(
                line, "card", code or "nothing", "the code of a card of this pack, like 9h"
            )
            return None
        if not is_spare:
            first = self._card_lines.setdefault(card, line)
            if first != line:
                self._refuse(line, "card", f"{card} again", f"it once: line {first} has it")
        return card

    def _read_tag(self, line: int, uid: str) -> Tag | None:
        tag = canonical_uid(uid)
        if tag is not None and _is_reversed(tag):
            self._reversed_lines.append(line)
        elif tag is None or (len(tag) == 2 * _ISO15693_BYTES and not tag.startswith("E0")):
            self._refuse(line, "tag", uid or "nothing", "a UID in hex, like E00401501A2B3C4D")
            return None
        first = self._tag_lines.setdefault(tag, line)
        if first != line:
            self._refuse(line, "tag", f"{tag} again", f"it once: line {first} has it")
        return tag


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Return the rows that say something, with their line numbers from 1."""
    lines = text.removeprefix("\ufeff").splitlines()
    rows = [(number, _cells(line)) for number, line in enumerate(lines, start=1)]
    return [
        (number, row)
        for number, row in rows
        if any(row) and not row[0].startswith("#") and row[0].lower() != _HEADER[0]
    ]


def _cells(line: str) -> list[str]:
    """Split one line; a quote that is never closed spoils its own line alone."""
    try:
        return [cell.strip() for cell in next(csv.reader([line]), [])]
    except csv.Error:  # a cell beyond all measure
        return [line]


def _is_reversed(tag: Tag) -> bool:
    """Say whether an ISO 15693 UID stands with its last byte first."""
    return len(tag) == 2 * _ISO15693_BYTES and tag.endswith("E0") and not tag.startswith("E0")
