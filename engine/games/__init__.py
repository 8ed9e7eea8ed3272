"""One module a game: who is due the next card, and how it is to be dealt."""

from engine.games.baccarat import BACCARAT
from engine.games.blackjack import BLACKJACK
from engine.games.casino import CARIBBEAN_STUD, THREE_CARD
from engine.games.draw import DRAW5, LOWBALL27
from engine.games.holdem import HOLDEM, OMAHA, SHORTDECK
from engine.games.plan import Plan
from engine.games.stud import STUD7

PLANS: dict[str, Plan] = {
    plan.game: plan
    for plan in (
        HOLDEM,
        OMAHA,
        SHORTDECK,
        STUD7,
        DRAW5,
        LOWBALL27,
        CARIBBEAN_STUD,
        THREE_CARD,
        BACCARAT,
        BLACKJACK,
    )
}
"""Every game the engine knows, by the name that scripts and table files use."""
