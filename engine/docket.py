"""Rulings, the matters that they answer, and the docket that holds them all."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Card, Place
from engine.judging import Ask
from engine.state import Finding

State = Literal["open", "final", "expired", "superseded"]


class Until(Struct, frozen=True):
    """What closes the window of a ruling."""

    event: str
    at_ns: int | None = None


class Ruling(Struct, frozen=True, kw_only=True):
    """What the rules require on one finding."""

    id: str
    finding: str
    place: Place | None = None
    card: Card | None = None
    verdict: str | None = None
    state: State
    decider: str
    callable_by: tuple[Place, ...] = ()
    until: Until | None = None
    asks: tuple[Ask, ...] = ()
    next_dealer: Place | None = None
    remedy: tuple[str, ...] = ()
    cite: tuple[str, ...] = ()
    rulebook: str
    book_version: str
    book_hash: str
    because: str
    superseded_by: str | None = None
    hand: int = 1
    """Which hand it is of."""
    matter: str = ""
    """The finding it answers; rulings of one matter follow each other."""


class Matter(Struct, frozen=True, kw_only=True):
    """A finding that is alive in the hand, and its rulings."""

    finding: Finding
    slots: dict[str, str] = {}
    """Slot of an outcome -> id of the ruling that stands for it."""
    past: tuple[str, ...] = ()
    """Ids of all its rulings, oldest first."""
    is_settled: bool = False
    upheld: str | None = None
    """The slot whose claim was upheld."""
    claim: Finding | None = None
    """The claim that was upheld, and after how many statements; an undo has it answered anew."""
    upheld_after: int = 0


class Docket(Struct, frozen=True, kw_only=True):
    """All rulings at a table and the matters that are still alive."""

    matters: dict[str, Matter] = {}
    rulings: dict[str, Ruling] = {}
    """The rulings of this hand and the one before, and whatever is still open."""
    count: int = 0
    """Rulings given so far."""
    waiting: tuple[Finding, ...] = ()
    """Claims that cannot be answered before something else is."""

    def of_matter(self, matter: Matter) -> list[Ruling]:
        """Return the rulings of a matter, oldest first."""
        return [self.rulings[ruling_id] for ruling_id in matter.past]


Change = tuple[Docket, list[Ruling]]
"""A docket and the rulings in it that are new or changed."""


def put(docket: Docket, ruling: Ruling) -> Docket:
    """Return the docket with a ruling as it now stands."""
    count = docket.count + (ruling.id not in docket.rulings)
    return replace(docket, rulings={**docket.rulings, ruling.id: ruling}, count=count)
