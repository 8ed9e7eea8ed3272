"""Seven-card stud: two down, four up, one down."""

from engine.games.plan import FULL, Plan

STUD7 = Plan(
    game="stud7",
    kind="stud",
    pack=FULL,
    hand_cards=3,
    streets=(1, 1, 1, 1),
    up=frozenset({3, 4, 5, 6}),
)
