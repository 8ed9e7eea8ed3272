"""How each family is talked to: what is asked, in which order, and what the answers add up to.

A dialog is a generator: it yields a request, is sent the answer that echoes it, and returns what
it found out. It knows no clock and no port; time-outs, noise and late answers are the session's.
"""

from collections.abc import Callable, Generator
from typing import Protocol, TypeVar

from msgspec import Struct

from engine.cards import Tag
from firmware_bridge.families import pepper_c1
from firmware_bridge.families.family import Family, Message, uid_lsb, uid_msb

Found = TypeVar("Found")


class Request(Struct, frozen=True):
    """One command and the mark that its answer must bear."""

    data: bytes
    echoes: int | None


class Inventory(Struct, frozen=True):
    """What a reader heard at one antenna.

    Tags that answered prove that they are there. No tags prove something only where the
    inventory is complete: then that nothing is there.
    """

    tags: tuple[Tag, ...] = ()
    is_complete: bool = False


Dialog = Generator[Request, Message, Found]


class Dialect(Protocol):
    """How readers of one family are talked to; one instance a reader, it may learn."""

    family: Family
    reset: bytes
    """The command that restarts the reader."""
    reset_ms: int
    """How long a restarted reader is deaf."""

    def probe(self) -> Dialog[None]:
        """Ask what nothing else asks, so that the answer cannot be an older question's."""

    def greet(self) -> Dialog[tuple[str, ...]]:
        """Set the reader up; return the names that it goes by."""

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Switch to an antenna and ask for its tags: one transaction."""

    def is_restart(self, message: Message) -> bool:
        """Say whether a reader says by this that it has just started."""


class PepperC1:
    """The Eccel Pepper C1 and C1 MUX.

    An antenna is asked by 0F (antenna), 02 (count) and, for each of up to four tags, 03 (UID).
    02 counts five tags at most, so five may be more: then 90 and 91 go through all of them.

    Wire cost at 115200 baud, 8N1, both ways: an empty antenna 36 bytes, 3.1 ms; each tag 28
    bytes, 2.4 ms more; so eight empty antennas 25 ms, eight seats with two cards each 64 ms, a
    pack of 52 on the pad 130 ms. The reader's own work comes on top.

    ASSUMED, as no public bytes show it: that a count of 0 means an empty field, that counts
    below five are whole, and that the name follows its length in the answer of 13.
    """

    family = pepper_c1.FAMILY
    reset = pepper_c1.reboot()
    # Source: comment on reboot in Eccel's C1 library, "about a second".
    reset_ms = 1000

    _MOST_COUNTED = pepper_c1.FAMILY.max_tags
    # More than two packs on one pad: a reader that goes on for ever is not believed.
    _MOST_LISTED = 128

    def __init__(self) -> None:
        # ASSUMED until a UID shows it: 03 as public clients print it, 90 "in inverted order".
        self._counted_order = _ByteOrder(is_reversed=False)
        self._listed_order = _ByteOrder(is_reversed=True)

    def probe(self) -> Dialog[None]:
        """Ask by the dummy command, which nothing else uses."""
        yield Request(pepper_c1.dummy(), 0x01)

    def greet(self) -> Dialog[tuple[str, ...]]:
        """Stop polling by the reader itself; return its name and its version."""
        yield Request(pepper_c1.set_polling(on=False), 0x06)
        name = yield Request(pepper_c1.frame(b"\x13\x00"), 0x13)
        version = yield Request(pepper_c1.get_version(), 0x0B)
        names = (_text(name.data[4:]) if _is_done(name) else "", _text(version.data))
        return tuple(each for each in names if each)

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Switch to an antenna and ask for its tags."""
        switched = yield Request(pepper_c1.set_antenna(antenna), 0x0F)
        if not _is_done(switched):
            return Inventory()
        answer = yield Request(pepper_c1.count_tags(), pepper_c1.COUNT)
        if not _is_done(answer) or len(answer.data) != 1:
            return Inventory()
        count = answer.data[0]
        if count < self._MOST_COUNTED:
            return (yield from self._read_counted(count))
        listed = yield from self._list_all()
        return listed if listed.tags else (yield from self._read_counted(count))

    def is_restart(self, message: Message) -> bool:
        """Return False: no notice of a restart is known; a time-out shows it."""
        return False

    def _read_counted(self, count: int) -> Dialog[Inventory]:
        raw: list[bytes] = []
        for index in range(min(count, self._MOST_COUNTED)):
            answer = yield Request(pepper_c1.get_uid(index), pepper_c1.UID)
            if _is_done(answer):
                raw.append(answer.data[2:])
        tags = self._counted_order.canonical(raw)
        return Inventory(tags, is_complete=len(tags) == count < self._MOST_COUNTED)

    def _list_all(self) -> Dialog[Inventory]:
        raw: list[bytes] = []
        request = Request(pepper_c1.start_inventory(), pepper_c1.INVENTORY)
        is_whole = False
        while not is_whole and len(raw) < self._MOST_LISTED:
            answer = yield request
            if not _is_done(answer):
                break
            raw.append(answer.data[:8])
            is_whole = answer.is_complete
            request = Request(pepper_c1.next_in_inventory(), pepper_c1.INVENTORY_NEXT)
        tags = self._listed_order.canonical(raw)
        return Inventory(tags, is_complete=is_whole and len(tags) == len(raw))


DIALECTS: dict[str, Callable[[], Dialect]] = {pepper_c1.FAMILY.name: PepperC1}
"""Every family that can be talked to, by its name."""


class _ByteOrder:
    """In which order a command's answers carry the bytes of a UID; learned from what they carry.

    An ISO 15693 UID has eight bytes, E0 the most significant. One that has E0 at both ends tells
    nothing and is read as the last one that told something.
    """

    def __init__(self, *, is_reversed: bool) -> None:
        self._is_reversed = is_reversed

    def canonical(self, raw: list[bytes]) -> tuple[Tag, ...]:
        """Return the UIDs of one inventory in canonical form, each once."""
        for each in raw:
            if len(each) == 8 and (each[0] == 0xE0) is not (each[-1] == 0xE0):
                self._is_reversed = each[-1] == 0xE0
        return tuple(dict.fromkeys(Tag(self._spell(each)) for each in raw))

    def _spell(self, raw: bytes) -> str:
        return uid_lsb(raw) if self._is_reversed and len(raw) == 8 else uid_msb(raw)


def _is_done(answer: Message) -> bool:
    return answer.status != "error"


def _text(data: bytes) -> str:
    return data.decode("ascii", "replace").rstrip("\x00").strip()
