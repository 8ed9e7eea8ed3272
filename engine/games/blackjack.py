"""Blackjack: two rounds, then each player draws as he asks, then the dealer to 17."""

from engine.cards import Card
from engine.games.plan import FULL, Plan

BLACKJACK = Plan(
    game="blackjack",
    kind="casino",
    pack=FULL,
    hand_cards=2,
    up=frozenset(range(1, 22)),
    dealer_up=frozenset({1, *range(3, 22)}),
    is_banked=True,
    all_open=True,
)

# The dealer draws below this total and stands on it. Source: S.D. Admin. R. 20:18:15:28, which
# has a dealer on 17 to 21 draw by mistake.
DEALER_STANDS = 17


def total(cards: list[Card | None]) -> int | None:
    """Return the best total of a hand, an ace as 11 where that does not break it.

    None where a card of the hand is not known.
    """
    points = 0
    aces = 0
    for card in cards:
        if card is None:
            return None
        rank = card[0]
        points += 10 if rank in "TJQK" else 11 if rank == "A" else int(rank)
        aces += rank == "A"
    while points > 21 and aces:
        points -= 10
        aces -= 1
    return points
