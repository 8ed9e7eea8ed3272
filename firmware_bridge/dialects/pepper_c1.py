"""The Eccel Pepper C1 and C1 MUX: counted tags one by one, more than five by going through them."""

from engine.cards import Tag
from firmware_bridge.dialects.dialect import (
    MOST_LISTED,
    UNHEARD,
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Options,
    Request,
    echo,
    found,
    is_done,
    text,
)
from firmware_bridge.families import pepper_c1
from firmware_bridge.families.family import uid_lsb, uid_msb


class PepperC1(Dialect):
    """The Eccel Pepper C1 and C1 MUX.

    An antenna is asked by 0F (antenna), 02 (count) and, for each of up to four tags, 03 (UID).
    02 counts five tags at most, so five may be more: then 90 and 91 go through all of them, and the
    next time at once, as it is the air that takes long and 02 would hear every tag once more. But
    02 alone says that there is none.

    Wire cost at 115200 baud, 8N1, both ways: an empty antenna 36 bytes, 3.1 ms; each tag 28
    bytes, 2.4 ms more; so eight empty antennas 25 ms, eight seats with two cards each 64 ms, a
    pack of 52 on the pad 128 ms. The reader's own work comes on top.

    ASSUMED, as no public bytes show it: that a count of 0 means an empty field, that counts
    below five are whole, and that the name follows its length in the answer of 13.
    """

    family = pepper_c1.FAMILY
    reset = pepper_c1.reboot()
    # Source: comment on reboot in Eccel's C1 library, "about a second".
    reset_ms = 1000
    reads_signatures = True
    max_tags = MOST_LISTED

    _MOST_COUNTED = pepper_c1.FAMILY.max_tags

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        # ASSUMED until a UID shows it: 03 as public clients print it, 90 "in inverted order".
        self._counted_order = _ByteOrder(is_reversed=False)
        self._listed_order = _ByteOrder(is_reversed=True)
        self._crowded: set[int] = set()
        """The antennas at which more tags were listed last than can be counted."""

    def probe(self) -> Dialog[None]:
        """Ask by the dummy command, which nothing else uses."""
        yield Request(pepper_c1.dummy(), echo(0x01))

    def greet(self) -> Dialog[Greeting]:
        """Stop polling by the reader itself; return its name and its version."""
        yield Request(pepper_c1.set_polling(on=False), echo(0x06))
        name = yield Request(pepper_c1.frame(b"\x13\x00"), echo(0x13))
        version = yield Request(pepper_c1.get_version(), echo(0x0B))
        names = (text(name.data[4:]) if is_done(name) else "", text(version.data))
        return Greeting(tuple(each for each in names if each))

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Switch to an antenna and ask for its tags."""
        if not (yield from self._switch(antenna)):
            return UNHEARD
        if antenna in self._crowded:
            listed = yield from self._list_all(antenna)
            if listed.tags:
                return listed
        count = yield from self._count()
        if count is None:
            return UNHEARD
        if count < self._MOST_COUNTED:
            return (yield from self._read_counted(count))
        listed = yield from self._list_all(antenna)
        return listed if listed.tags else (yield from self._read_counted(count))

    def read_signature(self, antenna: int, tag: Tag) -> Dialog[bytes]:
        """Find the tag among those that are counted, make it the active one and ask it.

        ASSUMED: that 04 takes the number that 03 takes, and that the answer of A9 is r then s.
        """
        if not (yield from self._switch(antenna)):
            return b""
        count = yield from self._count()
        for index in range(min(count or 0, self._MOST_COUNTED)):
            answer = yield Request(pepper_c1.get_uid(index), echo(pepper_c1.UID))
            if is_done(answer) and self._counted_order.canonical([answer.data[2:]]) == (tag,):
                yield Request(pepper_c1.activate(index), echo(pepper_c1.ACTIVATE))
                signed = yield Request(pepper_c1.read_signature(), echo(pepper_c1.READ_SIGNATURE))
                return signed.data if is_done(signed) else b""
        return b""

    def _switch(self, antenna: int) -> Dialog[bool]:
        """Switch to an antenna; say whether that was done."""
        switched = yield Request(pepper_c1.set_antenna(antenna), echo(0x0F))
        return is_done(switched)

    def _count(self) -> Dialog[int | None]:
        """Count the tags; None where that failed."""
        answer = yield Request(pepper_c1.count_tags(), echo(pepper_c1.COUNT))
        return answer.data[0] if is_done(answer) and len(answer.data) == 1 else None

    def _read_counted(self, count: int) -> Dialog[Inventory]:
        raw: list[bytes] = []
        for index in range(min(count, self._MOST_COUNTED)):
            answer = yield Request(pepper_c1.get_uid(index), echo(pepper_c1.UID))
            if is_done(answer):
                raw.append(answer.data[2:])
        tags = self._counted_order.canonical(raw)
        return found(tags, is_complete=len(tags) == count < self._MOST_COUNTED)

    def _list_all(self, antenna: int) -> Dialog[Inventory]:
        raw: list[bytes] = []
        request = Request(pepper_c1.start_inventory(), echo(pepper_c1.INVENTORY))
        is_whole = False
        while not is_whole and len(raw) < MOST_LISTED:
            answer = yield request
            if not is_done(answer):
                break
            raw.append(answer.data[:8])
            is_whole = answer.is_complete
            request = Request(pepper_c1.next_in_inventory(), echo(pepper_c1.INVENTORY_NEXT))
        tags = self._listed_order.canonical(raw)
        is_crowded = len(tags) >= self._MOST_COUNTED
        (self._crowded.add if is_crowded else self._crowded.discard)(antenna)
        return found(tags, is_complete=is_whole and len(tags) == len(raw))


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
