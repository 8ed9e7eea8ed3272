"""FEIG OBID i-scan readers: one antenna, outputs of their own, or an 8-channel multiplexer."""

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
)
from firmware_bridge.families import feig


class Feig(Dialect):
    """MR102, MR200, LR and kin.

    A tag that was told stays silent for as long as it is powered: so each inventory begins by
    taking the field away (69). Then B0 01 on the antenna, and again with MORE as long as 94 says
    that there is more. 83, 84 and 93 give cards, and no word about what else is there.

    A reader that is wired with antenna 1 alone is not told an antenna, as a single-antenna reader
    refuses the byte. With ``multiplexer`` the antenna is a channel of an ISC.ANT.MUX.
    """

    family = feig.FAMILY
    reset = feig.reset()
    # ASSUMED: the manuals tell no time.
    reset_ms = 1000
    max_tags = MOST_LISTED

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._is_switched = self.options.antennas != (1,) and not self.options.has_multiplexer

    def probe(self) -> Dialog[None]:
        """Ask for the versions, which nothing else asks for."""
        yield Request(feig.get_version(), echo(feig.VERSION))

    def greet(self) -> Dialog[Greeting]:
        """Return the device's id, as eight hex digits. Nothing is set up: a reader keeps it."""
        told = yield Request(feig.get_device_id(), echo(feig.INFORMATION))
        return Greeting((told.data[:4].hex().upper(),) if is_done(told) else ())

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Switch to an antenna, wake its tags and ask for all of them."""
        if self.options.has_multiplexer:
            switched = yield Request(feig.select_channel(antenna), echo(feig.TRANSPARENT))
            # Flags and status of the multiplexer: 0 where it did it.
            if not is_done(switched) or switched.data[:2] != b"\0\0":
                return UNHEARD
        woken = yield Request(feig.reset_radio(), echo(feig.RADIO_RESET))
        if not is_done(woken):
            return UNHEARD
        uids: list[str] = []
        request = feig.start_inventory(antenna if self._is_switched else None)
        while True:
            answer = yield Request(request, echo(feig.INVENTORY), work_ms=self.family.timeout_ms)
            uids += answer.uids
            if answer.code != feig.MORE_DATA or len(uids) >= MOST_LISTED:
                return found(uids, is_complete=answer.is_complete)
            request = feig.continue_inventory()
