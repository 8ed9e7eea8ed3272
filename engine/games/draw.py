"""Draw games: five cards face down, a bet, an exchange, a bet."""

from engine.games.plan import FULL, Plan

DRAW5 = Plan(game="draw5", kind="draw", pack=FULL, hand_cards=5, has_exchange=True)
LOWBALL27 = Plan(game="lowball27", kind="draw", pack=FULL, hand_cards=5, has_exchange=True)
