"""The forms of what an operator may say, for completion on the page.

Words in capitals stand for what is filled in: SEAT, CARD, CLAUSE, RULING, NUMBER, NAME, TEXT.
"""

from misdeal.people import Role
from misdeal.web.rights import may_say

FORMS: tuple[str, ...] = (
    *(f"act SEAT {action}" for action in ("fold", "check", "call", "bet", "raise", "allin")),
    *(f"act SEAT {action}" for action in ("hit", "stand", "double", "split")),
    "act SEAT call out",
    "call misdeal SEAT",
    "call redeal SEAT",
    "report CLAUSE",
    "report CLAUSE SEAT",
    "handle SEAT",
    "look SEAT",
    "shuffle",
    "shuffle none",
    "cut declined",
    "cut none",
    "cut NUMBER/NUMBER",
    "deal ends",
    "pack NUMBER",
    "fault NAME",
    "restore NAME",
    "approve",
    "say interfered SEAT",
    "say found SEAT",
    "say agree short SEAT",
    "say ante SEAT",
    "say no-ante SEAT",
    "say tabled SEAT",
    "say exposed CARD by=dealer",
    "say exposed CARD by=player",
    "say substantial yes",
    "say substantial no",
    "say handled yes",
    "say handled no",
    "say looked SEAT yes",
    "say looked SEAT no",
    "say counted SEAT NUMBER",
    "say dismiss RULING TEXT",
    "say undo",
    "say pack NAME",
    "say blind SEAT",
    "say pot taken",
    "say next hand",
    "say sits SEAT",
    "say leaves SEAT",
    "say back SEAT",
    "say level up",
    "say break",
    "say stub dropped",
    "say stub dropped mixed",
    "say bets closed",
    "say button SEAT",
)


def forms_of(role: Role) -> tuple[str, ...]:
    """Return the forms that a role may say."""
    return tuple(form for form in FORMS if may_say(role, form))
