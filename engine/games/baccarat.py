"""Baccarat: Player, Banker, Player, Banker, then the table of draws.

The next action is always a single value, so a wrong draw is known as the card leaves the shoe.
Source: 58 Pa. Code 627a.8 (order) and 631a.11 (draws).
"""

from typing import Literal

from engine.cards import BANKER, PLAYER, Card
from engine.games.plan import FULL, Plan

BACCARAT = Plan(
    game="baccarat",
    kind="casino",
    pack=FULL,
    hand_cards=2,
    up=frozenset({1, 2, 3}),
    is_banked=True,
    all_open=True,
    places=(PLAYER, BANKER),
)

Due = Literal["P", "B", "none", "unknown"]

# Banker's total -> values of Player's third card on which Banker draws.
_BANKER_DRAWS: dict[int, frozenset[int]] = {
    0: frozenset(range(10)),
    1: frozenset(range(10)),
    2: frozenset(range(10)),
    3: frozenset(range(10)) - {8},
    4: frozenset(range(2, 8)),
    5: frozenset(range(4, 8)),
    6: frozenset({6, 7}),
}


def value(card: Card) -> int:
    """Return what a card counts: ace 1, ten and courts 0."""
    rank = card[0]
    return 0 if rank in "TJQK" else 1 if rank == "A" else int(rank)


def total(cards: list[Card | None]) -> int | None:
    """Return the total of a hand, 0 to 9; None where a card is not known."""
    known = [card for card in cards if card is not None]
    return sum(map(value, known)) % 10 if len(known) == len(cards) else None


def due(player: list[Card | None], banker: list[Card | None]) -> Due:
    """Return who gets the next card, given the cards both hands hold."""
    if len(player) < 2 or len(banker) < 2:
        return "P" if len(player) <= len(banker) else "B"
    player_total, banker_total = total(player[:2]), total(banker[:2])
    if player_total is None or banker_total is None:
        return "unknown"
    if max(player_total, banker_total) >= 8 or len(banker) > 2:
        return "none"
    if len(player) == 2 and player_total <= 5:
        return "P"
    return _banker(banker_total, player[2:])


def _banker(banker_total: int, third: list[Card | None]) -> Due:
    """Return whether Banker draws, given Player's third card if there is one."""
    if not third:
        return "B" if banker_total <= 5 else "none"
    if third[0] is None:
        return "unknown"
    return "B" if value(third[0]) in _BANKER_DRAWS.get(banker_total, frozenset()) else "none"
