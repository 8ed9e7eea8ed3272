"""ThingMagic M5e, M6e and kin: a UHF module that streams the tags that it hears."""

from firmware_bridge.dialects.dialect import (
    UNHEARD,
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Overheard,
    Request,
    echo,
    found,
    is_done,
)
from firmware_bridge.families import thingmagic
from firmware_bridge.families.family import Message


class ThingMagic(Dialect):
    """For discard rack and pack check: a stream of tags, and each second a sign of life.

    A module that has started waits in its boot loader until it is told to go on; without a radio
    region, which the table file gives, it reads nothing. The region is never guessed: a wrong one
    breaks the law of the place.
    """

    family = thingmagic.FAMILY
    is_listening = True
    # A sign of life comes each second.
    quiet_ms = 3000

    _BOOT_MS = 2000
    _STOPPED_MS = 300

    def probe(self) -> Dialog[None]:
        """End a stream that may still go on, and ask for the version."""
        # ASSUMED: a module that streams nothing may not answer that; one in its loader refuses it.
        yield Request(
            thingmagic.stop_stream(), echo(thingmagic.STREAM), silence_ms=self._STOPPED_MS
        )
        yield Request(thingmagic.get_version(), echo(thingmagic.VERSION))

    def greet(self) -> Dialog[Greeting]:
        """Boot it where it has not, set it up, start the stream; return its versions as hex."""
        told = yield Request(thingmagic.get_version(), echo(thingmagic.VERSION))
        if told.code == thingmagic.BOOT_LOADER:
            told = yield Request(thingmagic.boot(), echo(thingmagic.BOOT), work_ms=self._BOOT_MS)
        if self.options.region is not None:
            yield Request(thingmagic.set_region(self.options.region), echo(thingmagic.REGION))
        yield Request(thingmagic.set_antennas(self.options.antennas), echo(thingmagic.ANTENNAS))
        yield Request(thingmagic.choose_gen2(), echo(thingmagic.PROTOCOL))
        yield Request(thingmagic.repeat_tags(), echo(thingmagic.OPTION))
        started = yield Request(thingmagic.start_stream(), echo(thingmagic.STREAM))
        names = (told.data.hex().upper(),) if is_done(told) else ()
        return Greeting(names, "" if is_done(started) else f"it reads nothing: {started.error}")

    def overhear(self, message: Message) -> Overheard | None:
        """Take a streamed tag as a read, a sign of life as one."""
        if message.kind != "notice":
            return None
        if message.status == "error":
            return Overheard(self.options.antennas[0], UNHEARD)
        antenna = thingmagic.antenna_of(message.data) if message.uids else None
        heard = found(message.uids, is_complete=False) if message.uids else Inventory()
        return Overheard(antenna or self.options.antennas[0], heard)
