"""Hold'em and its cousins with other hands or another pack: a board of three, one and one."""

from engine.games.plan import FULL, SHORT, Plan

HOLDEM = Plan(game="holdem", kind="flop", pack=FULL, hand_cards=2, streets=(3, 1, 1))
OMAHA = Plan(game="omaha", kind="flop", pack=FULL, hand_cards=4, streets=(3, 1, 1))
# 36 cards, six to ace. Source: PokerKit's short-deck hold'em.
SHORTDECK = Plan(game="shortdeck", kind="flop", pack=SHORT, hand_cards=2, streets=(3, 1, 1))
