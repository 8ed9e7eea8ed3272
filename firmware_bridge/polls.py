"""What one look at one place gave: the only thing that readers say to the rest."""

from typing import Literal

from msgspec import Struct

from engine.cards import Card, Place, Tag


class Poll(Struct, frozen=True, kw_only=True):
    """The result of one inventory of one antenna, or what a reader told of it unasked.

    ``seen``: what answered is told; without tags, the antenna works and the reader vouches for
    nothing. ``empty``: the reader said that no tag is there. ``unknown``: a time-out, a collision,
    an error; it says nothing about the place, least of all that it is empty.
    """

    place: Place
    outcome: Literal["seen", "empty", "unknown"]
    tags: tuple[Tag, ...] = ()
    """Canonical, each once, in the order of the reader."""
    cards: tuple[Card, ...] = ()
    """Faces that a shoe told without tags: each is a card that passed it."""
    is_complete: bool = False
    """True only where the reader vouches that no other tag is there."""
    is_pushed: bool = False
    """True where the reader told it unasked: the next such word may be about another tag."""
    reads_to_trust: int = 1
    """Equal reads before a new tag counts, whatever the place: 2 where the checksum is weak."""
    at_ns: int
    """When the bytes that completed the answer were received."""
