"""One rule of a book, and the words that its keys may have."""

from typing import Literal

from msgspec import Struct

from engine.conditions import Condition
from engine.state import FindingKind

KINDS: frozenset[str] = frozenset(FindingKind.__args__)  # type: ignore[attr-defined]
SENSOR_KINDS = frozenset({"cross_read", "unread_card", "face_mismatch", "equipment_fault"})
"""Findings about the sensors themselves: without a clause they are noted."""

CALLABLE_BY = frozenset({"not_looked", "receiver"})
NEXT_DEALER = frozenset({"left_of_dealer", "due_dealer", "same_dealer"})
UNTIL = frozenset({
    "substantial_action", "second_round", "next_card_to_hand", "hand_touched", "next_hand",
    "pot_taken", "further_card", "approval", "answer", "action",
})  # fmt: skip
PER = frozenset({"blind"})
CHIPS = {
    "needed": "what is needed",
    "put": "what was put in",
    "limit": "the limit",
    "minimum": "the minimum",
    "raised": "the raise",
    "announced": "what was announced",
    "lacking_chips": "what is lacking",
    "excess_chips": "the excess",
}
"""Numbers that a remedy may name in braces, and what stands there where they were not told."""

LAYERS = ("book", "jurisdiction", "house")

NEVER_ASKED_OF_A_BOOK = frozenset({"claim", "extra_hand"})
"""A claim is answered from the grounds; more hands than players are unentitled hands."""

OF_A_KIND_OF_GAME: dict[str, frozenset[str]] = {
    "burn_error": frozenset({"flop", "stud"}),
    "board_count": frozenset({"flop"}),
    "premature_card": frozenset({"flop", "stud"}),
    "stub_disordered": frozenset({"flop", "stud", "draw"}),
    "early_draw": frozenset({"casino"}),
    "wrong_draw": frozenset({"casino"}),
}
"""Findings that only some kinds of games can have."""

Basis = Literal["text", "derived", "practice", "house"]


class Clause(Struct, frozen=True, kw_only=True):
    """One rule: what must have been found, what must hold, and what follows."""

    id: str
    finding: str
    verdict: str
    when: Condition
    games: frozenset[str] = frozenset()
    """Games that it is for; empty for all of the book."""
    decider: str = "book"
    callable_by: str | None = None
    """Who may claim it, where the book leaves it to a claim."""
    until: str | None = None
    """The event that closes its window."""
    next_dealer: str | None = None
    per: str | None = None
    """It holds once for each such seat, at that seat."""
    also: bool = False
    """It holds beside another clause on the same finding."""
    on: str | None = None
    """The name under which an entered action reports it."""
    remedy: tuple[str, ...] = ()
    cite: tuple[str, ...] = ()
    source: str = ""
    basis: Basis = "text"
    plain: str = ""
    layer: int = 0
    """0 for the book, 1 for a jurisdiction, 2 for the house."""
    file: str = ""
    line: int = 0
    """Where it stands, for faults."""

    @property
    def precedence(self) -> tuple[int, bool]:
        """The later layer over the earlier; what is said for a game over what is for all."""
        return self.layer, bool(self.games)
