"""AnyID readers of the 7E55 kind: 25 tags an answer, and how many remain."""

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
from firmware_bridge.families import anyid7e55 as anyid
from firmware_bridge.families import iso15693
from firmware_bridge.families.family import Message


class AnyId(Dialect):
    """R321 and kin, asked for their tags; what they upload unasked is confirmed and not counted.

    An upload names no antenna. Where the antenna stays the same the field is taken away before a
    query, so that all tags start anew; a change of antenna does that by itself (ASSUMED).
    """

    family = anyid.FAMILY
    reset = anyid.reset()
    # ASSUMED: the manual tells no time.
    reset_ms = 1000
    # Source: rfid/protocols 2.4, "at least 50 ms between requests".
    gap_ms = 50
    max_tags = MOST_LISTED
    reads_signatures = True

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._antenna: int | None = None

    def probe(self) -> Dialog[None]:
        """Ask for the version, which nothing else asks for."""
        self._antenna = None
        yield Request(anyid.get_version(), echo(anyid.VERSION))

    def greet(self) -> Dialog[Greeting]:
        """Return the CPU's id, 24 hex digits, and as text where it is one."""
        told = yield Request(anyid.get_cpu_id(), echo(anyid.CPU_ID))
        if not is_done(told):
            return Greeting()
        number = told.data[:12]
        return Greeting((number.hex().upper(), text(number)))

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Switch to an antenna, or wake its tags, and ask for all of them."""
        if not (yield from self._choose(antenna)):
            return UNHEARD
        uids: dict[str, None] = {}
        while True:
            answer = yield Request(anyid.query_tags(), echo(anyid.QUERY))
            news = [uid for uid in answer.uids if uid not in uids]
            uids.update(dict.fromkeys(news))
            is_over = answer.status != "partial" or not news
            if is_over or len(uids) >= MOST_LISTED:
                return found(uids, is_complete=answer.is_complete)

    def acknowledge(self, message: Message) -> bytes:
        """Confirm an upload; the reader repeats it otherwise."""
        return anyid.confirm_upload() if message.name == "tag" else b""

    def read_signature(self, antenna: int, tag: Tag) -> Dialog[bytes]:
        """Have the reader pass the question on to the tag."""
        if not (yield from self._choose(antenna)):
            return b""
        answer = yield Request(anyid.read_signature(tag), echo(anyid.TRANSPARENT))
        return iso15693.read_answer(answer.data[:-2]).data

    def _choose(self, antenna: int) -> Dialog[bool]:
        """Switch to an antenna; return whether its tags can be asked."""
        is_switch = self.options.antennas != (1,) and antenna != self._antenna
        command, code = (
            (anyid.set_antenna(antenna), anyid.ANTENNAS)
            if is_switch
            else (anyid.reset_radio(), anyid.RADIO)
        )
        self._antenna = None
        chosen = yield Request(command, echo(code))
        if is_done(chosen):
            self._antenna = antenna
        return is_done(chosen)
