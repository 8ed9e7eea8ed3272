"""Chafon and RRU UHF readers: an inventory in many frames until one that closes it."""

from msgspec.structs import replace

from firmware_bridge.dialects.dialect import (
    Dialect,
    Dialog,
    Fits,
    Greeting,
    Inventory,
    Options,
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

    The frames of an inventory are not counted, so one that is lost is not missed: a list is whole
    only where the list before it was the same.
    """

    family = chafon.FAMILY

    # More frames than 200 tags of one each: a reader that goes on for ever is not believed.
    _MOST_FRAMES = 256

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._before: dict[int, frozenset[str]] = {}

    def probe(self) -> Dialog[None]:
        """Ask for version and type, which nothing else asks for."""
        yield Request(chafon.get_information(), echo(chafon.INFORMATION))

    def greet(self) -> Dialog[Greeting]:
        """Return what the reader says of itself, as hex: version, type, settings."""
        told = yield Request(chafon.get_information(), echo(chafon.INFORMATION))
        return Greeting((told.data.hex().upper(),) if is_done(told) else ())

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Ask for the tags at an antenna and take frames until the last."""
        heard = yield from self._take_frames(antenna)
        tags = frozenset(heard.tags)
        is_same, self._before[antenna] = self._before.get(antenna) == tags, tags
        return replace(heard, is_complete=heard.is_complete and is_same)

    def _take_frames(self, antenna: int) -> Dialog[Inventory]:
        is_288m = self.options.antennas != (1,)
        command = chafon.start_inventory(antenna if is_288m else None)
        fits = _is_from(antenna) if is_288m else echo(chafon.INVENTORY)
        uids: list[str] = []
        for _ in range(self._MOST_FRAMES):
            answer = yield Request(command, fits, work_ms=self.family.timeout_ms)
            uids += answer.uids
            if answer.code != chafon.MORE_FRAMES:
                return found(uids, is_complete=answer.is_complete)
            command = b""
        return found(uids, is_complete=False)


def _is_from(antenna: int) -> Fits:
    """Return the test for a frame of an inventory of an antenna, or for a refusal."""
    is_inventory = echo(chafon.INVENTORY)
    mask = bytes([1 << antenna - 1])
    return lambda message: (
        is_inventory(message) and (message.status == "error" or message.data[:1] == mask)
    )
