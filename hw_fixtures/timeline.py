"""A hand as it happens at the table: what is moved, turned, said and seen, and when.

Times are seconds from the beginning of the timeline, at the pace of a real table.
"""

from typing import Literal

from msgspec import Struct

from engine.cards import Card, Pack, Place, Tag
from engine.setup import Game

Irregularity = Literal[
    "exposed", "count", "duplicate", "foreign", "skipped", "misplaced", "fouled"
]  # fmt: skip


class Move(Struct, frozen=True, kw_only=True, tag=True):
    """A card was carried from one place to another."""

    at_s: float
    tag: Tag
    source: Place
    target: Place
    is_face_up: bool = False
    """How it lies after that."""


class Turn(Struct, frozen=True, kw_only=True, tag=True):
    """A card was turned over where it lies."""

    at_s: float
    tag: Tag
    place: Place
    is_face_up: bool


class Said(Struct, frozen=True, kw_only=True, tag=True):
    """An operator said something, in the words of ``misdeal say``."""

    at_s: float
    text: str


class Seen(Struct, frozen=True, kw_only=True, tag=True):
    """A camera saw a card lie face up."""

    at_s: float
    place: Place
    card: Card


class Lost(Struct, frozen=True, kw_only=True, tag=True):
    """A camera saw that a face-up card is no longer there."""

    at_s: float
    place: Place
    card: Card


Step = Move | Turn | Said | Seen | Lost


class Timeline(Struct, frozen=True, kw_only=True):
    """One hand, from the pack on the pad to the pack on the pad."""

    number: int
    """Of the hand; a replay has the number of the hand that it replays."""
    game: Game
    button: Place
    seats: tuple[Place, ...]
    pack: Pack
    """The pack that is dealt."""
    irregularity: Irregularity | None = None
    is_replay: bool = False
    steps: tuple[Step, ...]
    """In order of time."""
    faces: dict[Tag, Card]
    """What is printed on every card that is moved, those of no register included."""
    length_s: float
    """When the next timeline may begin."""
