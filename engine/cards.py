"""Cards, tags, packs and places: the nouns that every other module speaks in.

A card is its two-character code (``9h``, ``Td``, ``JK`` for a joker); a tag is the identity of
one physical card, whatever is printed on it. Two tags may bear one face, one tag bears one.
"""

import re
from typing import NewType

from msgspec import Struct

from engine.errors import CardError, PlaceError

Card = NewType("Card", str)
"""A face: rank then suit, or ``JK``."""

Tag = NewType("Tag", str)
"""One physical card. For RFID the canonical UID: upper-case hex, most significant byte first."""

Place = NewType("Place", str)
"""Where a card can lie: ``S1`` to ``S10``, ``D``, ``P``, ``B`` or a named spot of the table."""

RANKS = "23456789TJQKA"
SUITS = "shdc"
JOKER = Card("JK")
FULL_PACK: tuple[Card, ...] = tuple(Card(r + s) for s in SUITS for r in reversed(RANKS))

SHOE = Place("shoe")
BOARD = Place("board")
BURN = Place("burn")
MUCK = Place("muck")
RACK = Place("rack")
STUB = Place("stub")
FLOOR = Place("floor")
PACK = Place("pack")
DEALER = Place("D")
PLAYER = Place("P")
BANKER = Place("B")

HANDS: frozenset[Place] = frozenset(
    [Place(f"S{n}") for n in range(1, 11)] + [DEALER, PLAYER, BANKER]
)
"""Places where a hand lies."""

PLACES: frozenset[Place] = HANDS | {SHOE, BOARD, BURN, MUCK, RACK, STUB, FLOOR, PACK}

_CARD = re.compile(rf"[{RANKS}][{SUITS}]|JK")
_BY_CODE: dict[str, Card] = {card: card for card in (*FULL_PACK, JOKER)}
_BY_NAME: dict[str, Place] = {place: place for place in PLACES}


class TaggedCard(Struct, frozen=True):
    """One line of a pack register: which tag bears which face."""

    tag: Tag
    card: Card
    spare: bool = False
    """A registered second copy of a face, kept to replace a dead tag; not part of the pack."""


class Pack(Struct, frozen=True):
    """A registered pack: its name and its cards."""

    name: str
    cards: tuple[TaggedCard, ...]

    def own_tags(self) -> frozenset[Tag]:
        """Return the tags that make the pack whole, spares left out."""
        return frozenset(line.tag for line in self.cards if not line.spare)


def parse_card(text: str) -> Card:
    """Return the card that a code names.

    Raises:
        CardError: If the text is no card code.
    """
    card = _BY_CODE.get(text)
    if card is None:
        raise CardError(text)
    return card


def parse_place(text: str) -> Place:
    """Return the place that a word names.

    Raises:
        PlaceError: If the text names no place.
    """
    place = _BY_NAME.get(text)
    if place is None:
        raise PlaceError(text)
    return place


def seat_place(number: int) -> Place:
    """Return the place of a seat, 1 to 10.

    Raises:
        PlaceError: If no table has such a seat.
    """
    return parse_place(f"S{number}")


def seat_number(place: Place) -> int | None:
    """Return the number of a seat, or None where the place is no numbered seat."""
    return int(place[1:]) if place[0] == "S" and place[1:].isdigit() else None


def is_card_code(text: str) -> bool:
    """Say whether a text names a card."""
    return _CARD.fullmatch(text) is not None
