"""Poker against the house: areas in order, then the dealer, one card at a time."""

from engine.games.plan import FULL, Plan

# The dealer's last card is dealt face up. Source: around-the-clauses 1, "deal itself".
CARIBBEAN_STUD = Plan(
    game="caribbean-stud",
    kind="casino",
    pack=FULL,
    hand_cards=5,
    dealer_up=frozenset({5}),
    is_banked=True,
)
THREE_CARD = Plan(game="three-card", kind="casino", pack=FULL, hand_cards=3, is_banked=True)
