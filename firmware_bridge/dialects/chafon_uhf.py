"""Chafon and RRU UHF readers: an inventory in many frames until one that closes it."""

from firmware_bridge.dialects.dialect import (
    UNHEARD,
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Request,
    echo,
    found,
    is_done,
)
from firmware_bridge.families import chafon_uhf as chafon


class ChafonUhf(Dialect):
    """UHFReader18 and 288M, for discard rack and pack check.

    A reader that is wired with antenna 1 alone is asked in the words of UHFReader18, which has no
    other; else in those of the 288M, whose answers name the antenna.
    """

    family = chafon.FAMILY

    # More frames than 200 tags of one each: a reader that goes on for ever is not believed.
    _MOST_FRAMES = 256

    def probe(self) -> Dialog[None]:
        """Ask for version and type, which nothing else asks for."""
        yield Request(chafon.get_information(), echo(chafon.INFORMATION))

    def greet(self) -> Dialog[Greeting]:
        """Return what the reader says of itself, as hex: version, type, settings."""
        told = yield Request(chafon.get_information(), echo(chafon.INFORMATION))
        return Greeting((told.data.hex().upper(),) if is_done(told) else ())

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Ask for the tags at an antenna and take frames until the last."""
        is_288m = self.options.antennas != (1,)
        command = chafon.start_inventory(antenna if is_288m else None)
        uids: list[str] = []
        for _ in range(self._MOST_FRAMES):
            answer = yield Request(command, echo(chafon.INVENTORY), work_ms=self.family.timeout_ms)
            if is_288m and is_done(answer) and answer.data[:1] != bytes([1 << antenna - 1]):
                return UNHEARD
            uids += answer.uids
            if answer.code != chafon.MORE_FRAMES:
                return found(uids, is_complete=answer.is_complete)
            command = b""
        return found(uids, is_complete=False)
