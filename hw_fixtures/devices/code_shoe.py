"""A simulated shoe that says the cards which pass it as text, a code a line.

No casino shoe's protocol is public and none is claimed. This one's code for a card is the UID of
its tag, so the map file of a pack lists each tag with its card; a line ends in CR LF.
"""

from engine.cards import Tag
from hw_fixtures.devices.device import Reply, TellingDevice


def encode(code: str) -> bytes:
    """Return the line that says a code."""
    return f"{code}\r\n".encode("ascii")


class CodeShoe(TellingDevice):
    """The state of a shoe; it has no name to tell."""

    def restart(self) -> None:
        """Start anew: what lies in the mouth is said again."""
        super().restart()
        self.is_polling = True
        self._present: tuple[Tag, ...] = ()

    def notices(self) -> list[Reply]:
        """Say each card that came since the last look, once."""
        present = self._look([1]).tags
        came = [tag for tag in present if tag not in self._present]
        self._present = present
        return [self._tell(encode(tag), [tag], is_first=False) for tag in came]
