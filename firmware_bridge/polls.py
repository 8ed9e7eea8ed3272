"""What one look at one place gave: the only thing that readers say to the rest."""

from typing import Literal

from msgspec import Struct

from engine.cards import Place, Tag


class Poll(Struct, frozen=True, kw_only=True):
    """The result of one inventory of one antenna.

    ``seen``: tags answered. ``empty``: the reader said that none did. ``unknown``: a time-out, a
    collision, an error; it says nothing about the place, least of all that it is empty.
    """

    place: Place
    outcome: Literal["seen", "empty", "unknown"]
    tags: tuple[Tag, ...] = ()
    """Canonical, each once, in the order of the reader."""
    is_complete: bool = False
    """True only where the reader vouches that no other tag is there."""
    at_ns: int
    """When the bytes that completed the answer were received."""
