"""A simulated RDM6300: a 125 kHz pad that says what lies on it and takes no commands.

``02 | ten hex digits | two hex digits: XOR of the five bytes | 03``.

Known from the vectors. Assumed: that it says a card ten times a second, and nothing where several
lie on it, as it resolves no collision.
"""

from functools import reduce
from operator import xor
from typing import ClassVar

from engine.cards import Tag
from hw_fixtures.devices.device import EM4100, Reply, TagKind, TellingDevice


def encode(tag: Tag) -> bytes:
    """Return the frame that says a card's number."""
    return b"\x02" + f"{tag}{reduce(xor, bytes.fromhex(tag)):02X}".encode("ascii") + b"\x03"


class Rdm6300(TellingDevice):
    """The state of a pad; it has no name to tell."""

    KIND: ClassVar[TagKind] = EM4100

    def restart(self) -> None:
        """Start anew, telling."""
        super().restart()
        self.is_polling = True

    def notices(self) -> list[Reply]:
        """Say the card that lies on the pad."""
        tags = self._look([1]).tags
        return [self._tell(encode(tags[0]), tags, is_first=False)] if len(tags) == 1 else []
