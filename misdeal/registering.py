"""Registers on disk: begun, kept card by card, imported, finished.

A pack that is not whole is kept beside its register, in a file that ends in ``.part``.
"""

import os
import re
from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from engine.cards import Card, Pack, Tag
from engine.errors import Fault
from engine.games import PLANS
from firmware_bridge.errors import RegisterError
from firmware_bridge.register import canonical_uid, read_pack, read_signatures, write_pack
from misdeal.config import TableFile
from misdeal.enrolment import Enrolment, order_of


def read_part(text: str, *, file: str, name: str, faces: Collection[Card]) -> Pack:
    """Read a register that need not be whole.

    Raises:
        RegisterError: With every fault found, a column in reversed byte order among them.
    """
    codes = {Card(line.split(",", 1)[0].strip()) for line in text.splitlines()}
    return read_pack(text, file=file, name=name, faces=codes & frozenset(faces))


def turn_bytes(text: str) -> str:
    """Return a register with the ISO 15693 UIDs turned that stand last byte first, E0 last."""
    return "\n".join(re.sub(r"[^,]+", _turned, line) for line in text.splitlines()) + "\n"


def _turned(cell: re.Match[str]) -> str:
    uid = canonical_uid(cell[0]) or ""
    is_reversed = len(uid) == 16 and uid.endswith("E0") and not uid.startswith("E0")
    return bytes.fromhex(uid)[::-1].hex().upper() if is_reversed else cell[0]


def part_of(register: Path) -> Path:
    """Return the file that keeps a register while it is not whole."""
    return register.with_name(f"{register.name}.part")


def keep(enrolment: Enrolment, register: Path) -> None:
    """Put what is registered on disk, beside the register.

    Whatever happens meanwhile, the file that was there or the new one is there, whole.

    Raises:
        OSError: If it cannot be written.
    """
    fresh = register.with_name(f"{register.name}.new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(write_pack(enrolment.pack(), enrolment.signatures))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(part_of(register))


def finish(register: Path) -> None:
    """Make what is kept beside a register the register; do nothing where nothing is.

    Raises:
        OSError: If it cannot be written.
    """
    part = part_of(register)
    if part.exists():
        part.replace(register)


def begin(file: TableFile, folder: Path, name: str, register: Path) -> Enrolment:
    """Return the enrolment of a pack as it is on disk: whole, in part, or not begun.

    Args:
        file: The table that the pack is for: its game says which cards, its packs which tags are
            taken.
        folder: Where what the table file names is found from.
        name: The pack's name.
        register: The pack's register.

    Raises:
        RegisterError: If what is there cannot be read as a register.
    """
    faces = order_of(PLANS[file.game].pack)
    others: dict[Tag, str] = {}
    for section in file.pack:
        if section.name != name:
            others |= dict.fromkeys(_tags_in(folder / section.register, faces), section.name)
    begun = Enrolment(name=name, faces=faces, others=others)
    kept = next((path for path in (part_of(register), register) if path.exists()), None)
    if kept is None:
        return begun
    return with_lines_of(begun, kept.read_text(encoding="utf-8"), file=str(kept))


def _tags_in(register: Path, faces: Collection[Card]) -> list[Tag]:
    if not register.exists():
        return []
    text = register.read_text(encoding="utf-8")
    pack = read_part(text, file=str(register), name=register.stem, faces=faces)
    return [line.tag for line in pack.cards]


def with_lines_of(enrolment: Enrolment, text: str, *, file: str) -> Enrolment:
    """Return an enrolment that begins with the lines of a CSV text, whole or not.

    Raises:
        RegisterError: With every fault found, tags of other packs among them.
    """
    pack = read_part(text, file=file, name=enrolment.name, faces=enrolment.faces)
    faults = [
        Fault(file, 0, "tag", line.tag, f"a tag that pack {enrolment.others[line.tag]!r} has not")
        for line in pack.cards
        if line.tag in enrolment.others
    ]
    if faults:
        raise RegisterError(faults)
    return replace(enrolment, lines=pack.cards, signatures=read_signatures(text))
