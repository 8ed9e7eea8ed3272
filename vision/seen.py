"""What one look at a picture gives: cards that lie face up, and backs."""

from typing import Protocol

from msgspec import Struct
from numpy import uint8
from numpy.typing import NDArray

from engine.cards import Card

Picture = NDArray[uint8]
"""Shape (height, width, 3), blue-green-red, as OpenCV decodes it."""

Point = tuple[float, float]
"""x to the right and y down, in pixels of the picture, from its top left corner."""

Corners = tuple[Point, Point, Point, Point]
"""Around a card: its own top left, top right, bottom right and bottom left."""


class SeenCard(Struct, frozen=True):
    """A card that lies face up."""

    card: Card | None
    """What was read; None where it could not be read with confidence."""
    confidence: float
    """From 0 to 1: of the reading, or of there being a face where nothing could be read."""
    corners_px: Corners


class SeenBack(Struct, frozen=True):
    """A card that lies face down."""

    confidence: float
    corners_px: Corners


class Seen(Struct, frozen=True):
    """Everything seen in one picture."""

    cards: tuple[SeenCard, ...] = ()
    backs: tuple[SeenBack, ...] = ()


class Eye(Protocol):
    """Whatever finds the cards in a picture."""

    def look(self, picture: Picture) -> Seen:
        """Return the cards and backs of a picture."""
