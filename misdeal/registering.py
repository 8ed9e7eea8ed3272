"""Registers on disk, and the work at the pad: what is read goes to the core, what it says is told.

A pack that is not whole is kept beside its register, in a file that ends in ``.part``; each card
that is registered is on disk before the next one is asked for.
"""

import asyncio
import os
import random
import re
from collections.abc import Callable, Collection
from pathlib import Path

from msgspec.structs import replace

from engine.cards import Card, Pack, Place, Tag
from engine.errors import Fault
from engine.games import PLANS
from firmware_bridge.bridge import ReaderHealth
from firmware_bridge.errors import RegisterError
from firmware_bridge.polls import Poll
from firmware_bridge.register import canonical_uid, read_pack, write_pack
from firmware_bridge.wiring import ReaderSpec
from misdeal.config import TableFile
from misdeal.enrolment import Enrolment, Happening, Looked, Said, order_of, take
from misdeal.listening import Listener

# How often the reader's state is looked at; it counts as stale after a second.
HEALTH_S = 1.0


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
    """Put what is registered on disk: into the register where it is whole, else beside it.

    Whatever happens meanwhile, the file that was there or the new one is there, whole.

    Raises:
        OSError: If it cannot be written.
    """
    part = part_of(register)
    fresh = register.with_name(f"{register.name}.new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(write_pack(enrolment.pack()))
        file.flush()
        os.fsync(file.fileno())
    if enrolment.asked is None:
        fresh.replace(register)
        part.unlink(missing_ok=True)
    else:
        fresh.replace(part)


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
    kept = next((path for path in (part_of(register), register) if path.exists()), None)
    lines = _read(kept, name, faces).cards if kept else ()
    return Enrolment(name=name, faces=faces, lines=lines, others=others)


def _tags_in(register: Path, faces: Collection[Card]) -> list[Tag]:
    if not register.exists():
        return []
    return [line.tag for line in _read(register, register.stem, faces).cards]


def _read(path: Path, name: str, faces: Collection[Card]) -> Pack:
    return read_part(path.read_text(encoding="utf-8"), file=str(path), name=name, faces=faces)


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
    return replace(enrolment, lines=pack.cards)


def reader_at(file: TableFile, place: Place) -> ReaderSpec | None:
    """Return the reader that covers a place, listening there alone; None where none does."""
    for reader in file.reader:
        for number, covered in reader.antennas.items():
            if covered == place:
                return ReaderSpec(
                    name=reader.name,
                    port=reader.port,
                    family=reader.family,
                    baud=reader.baud,
                    identity=reader.identity,
                    antennas={int(number): place},
                )
    return None


class Desk:
    """Carries a pack from card to card.

    Args:
        enrolment: Where it begins.
        tell: Takes what is said.
        keep: Takes the enrolment whenever what is registered has changed, before that is told.
    """

    def __init__(
        self,
        enrolment: Enrolment,
        *,
        tell: Callable[[Said], None],
        keep: Callable[[Enrolment], None],
    ) -> None:
        self.enrolment = enrolment
        self._tell = tell
        self._keep = keep
        # Without a bound: it is emptied at once, and a reader looks a hundred times a second.
        self._happenings: asyncio.Queue[Happening] = asyncio.Queue()

    def offer(self, happening: Happening) -> None:
        """Take note of what happened; it is seen to in turn."""
        self._happenings.put_nowait(happening)

    async def attend(
        self,
        spec: ReaderSpec,
        *,
        clock: Callable[[], int],
        rng: random.Random,
        tell_reader: Callable[[ReaderHealth], None],
    ) -> None:
        """Read until the pack is whole.

        Args:
            spec: The reader, listening at one place.
            clock: Gives the time in nanoseconds.
            rng: Spreads the tries to reconnect.
            tell_reader: Takes how the reader does, whenever that has changed.

        Raises:
            OSError: If what is registered cannot be kept.
        """
        listener = Listener([spec], on_poll=self._look, clock=clock, rng=rng)
        works = [
            asyncio.ensure_future(self._work()),
            asyncio.ensure_future(listener.run()),
            asyncio.ensure_future(_watch(listener, tell_reader)),
        ]
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await listener.close()
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)
        for work in done:
            work.result()

    def _look(self, poll: Poll) -> None:
        if poll.outcome != "unknown":
            self.offer(Looked(poll.tags))

    async def _work(self) -> None:
        """See to what happens until the pack is whole; what is registered is kept, then told."""
        while self.enrolment.asked is not None:
            before = self.enrolment.lines
            self.enrolment, said = take(self.enrolment, await self._happenings.get())
            if self.enrolment.lines != before:
                self._keep(self.enrolment)
            for each in said:
                self._tell(each)


async def _watch(listener: Listener, tell: Callable[[ReaderHealth], None]) -> None:
    """Tell how the reader does whenever it is in another state than before; at first if unwell."""
    told = "READY"
    while True:
        await asyncio.sleep(HEALTH_S)
        for reader in listener.health():
            if reader.state not in (told, "QUARANTINED"):
                told = reader.state
                tell(reader)
