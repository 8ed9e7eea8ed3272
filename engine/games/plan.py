"""The deal plan: what a game's own schedule says of each card, as data.

A game is one ``Plan``. Whoever is due the next card of the initial deal follows from the order
and the number of cards that each hand gets; streets, draws and the banker's table come after.
"""

from typing import Literal

from msgspec import Struct

from engine.cards import FULL_PACK, Card

Kind = Literal["flop", "stud", "draw", "casino"]
"""What a game has: a board, door cards, an exchange, or a house dealer."""


class Plan(Struct, frozen=True, kw_only=True):
    """The schedule of one game."""

    game: str
    kind: Kind
    pack: frozenset[Card]
    """The faces that belong to the game."""
    hand_cards: int
    """Cards that the initial deal gives to each hand."""
    streets: tuple[int, ...] = ()
    """Board cards of each street after the initial deal; in stud a 1 for each later round."""
    up: frozenset[int] = frozenset()
    """Which cards of a player's hand come face up, counted from 1."""
    dealer_up: frozenset[int] = frozenset()
    """Which cards of the house dealer's hand come face up."""
    is_banked: bool = False
    """The house banks the game and deals itself a hand at D."""
    all_open: bool = False
    """Every card lies open sooner or later by the game's own course, so that none is exposed."""
    has_exchange: bool = False
    places: tuple[str, ...] = ()
    """Hands that the game names itself (baccarat's P and B) in place of seats."""

    @property
    def is_closed(self) -> bool:
        """Say whether every card of a player's hand is dealt face down."""
        return not self.up and self.kind == "draw"

    def face(self, nth: int, *, is_dealer: bool) -> Literal["up", "down"]:
        """Return how the nth card of a hand is to be dealt."""
        scheduled = self.dealer_up if is_dealer else self.up
        return "up" if nth in scheduled else "down"


FULL = frozenset(FULL_PACK)
SHORT = frozenset(card for card in FULL_PACK if card[0] in "6789TJQKA")
