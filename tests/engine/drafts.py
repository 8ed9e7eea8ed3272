"""A legal hand on its way to one with a fault: deeds cut, added, changed, and timed anew."""

import random
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Place
from engine.setup import TableSetup
from engine.state import FindingKind
from engine.statements import parse_statement
from tests.engine.dealer import Deal
from tests.engine.deeds import (
    FULL,
    MS,
    AnyDeed,
    Dealt,
    Gathered,
    Sensed,
    Sensors,
    Told,
    sense,
)

S = 1_000_000_000


class Fault(Struct, frozen=True, kw_only=True):
    """A hand in which one thing goes wrong."""

    setup: TableSetup
    deeds: tuple[AnyDeed, ...]
    kind: FindingKind
    place: Place | None
    """Where it is to be found; None for a finding that has no place."""
    begins: int
    """The deed that is wrong."""
    found: int
    """The deed by the end of which it must have been found."""
    dealt_by: Literal["house", "players"] = "house"

    def sensed(self, sensors: Sensors = FULL, seed: int = 0) -> Sensed:
        """Return what a set of sensors tells of it."""
        own = self.setup.packs[0].own_tags()
        return sense(self.deeds, sensors, own=own, decks=self.setup.decks, seed=seed)


class Draft(Struct, frozen=True, kw_only=True):
    """A hand while something is put wrong in it."""

    deal: Deal
    before: tuple[AnyDeed, ...]
    """What happens before the first card."""
    pitches: tuple[Dealt, ...]
    """The initial deal."""

    @property
    def order(self) -> tuple[Place, ...]:
        """The hands in the order in which they are served."""
        return tuple(dict.fromkeys(pitch.place for pitch in self.pitches))

    @property
    def layout_is_open(self) -> bool:
        """Every card of the game lies open sooner or later."""
        return self.deal.setup.game in ("baccarat", "blackjack")


Wrong = tuple[Sequence[AnyDeed], int, int, Place | None]
"""Deeds, the wrong one, the one by which it is found, and the place."""
Injector = Callable[[Draft, random.Random], Wrong | None]


def draft_of(deal: Deal) -> Draft:
    first, last = deal.initial[0], deal.initial[-1]
    pitches = tuple(d for d in deal.deeds[first : last + 1] if isinstance(d, Dealt))
    return Draft(deal=deal, before=deal.deeds[:first], pitches=pitches)


def timed(deeds: Sequence[AnyDeed], gaps_ms: dict[int, int] | None = None) -> list[AnyDeed]:
    """Give deeds times again: 400 ms apart, or as many as are given for some of them."""
    at_ns = S
    timed: list[AnyDeed] = []
    for number, deed in enumerate(deeds):
        at_ns += (gaps_ms or {}).get(number, 400) * MS
        timed.append(moved(deed, at_ns))
    return timed


def moved(deed: AnyDeed, at_ns: int) -> AnyDeed:
    if isinstance(deed, Told):
        return Told(at_ns=at_ns, event=replace(deed.event, at_ns=at_ns))
    return replace(deed, at_ns=at_ns)


def said(text: str) -> Told:
    """Return an operator's sentence as a deed; its time is given later."""
    return Told(at_ns=0, event=parse_statement(text, 0))


def dealt_out(
    draft: Draft, pitches: Sequence[AnyDeed], gaps_ms: dict[int, int] | None = None
) -> tuple[list[AnyDeed], int]:
    """Return a whole deal of some pitches to the end, and the index of the first pitch.

    Args:
        draft: The hand.
        pitches: The deal as it is made.
        gaps_ms: Milliseconds before a pitch, by its number among the pitches.
    """
    start = len(draft.before)
    end = start + len(pitches)
    gaps = {start + number: gap for number, gap in (gaps_ms or {}).items()}
    deeds = [*draft.before, *pitches, said("deal ends"), Gathered(at_ns=0)]
    return timed(deeds, {**gaps, end: 1000, end + 1: 3000}), start


def at_pitch(draft: Draft, pitches: Sequence[AnyDeed], number: int, place: Place | None) -> Wrong:
    deeds, start = dealt_out(draft, pitches)
    return deeds, start + number, start + number, place


def at_end(draft: Draft, pitches: Sequence[AnyDeed], number: int, place: Place | None) -> Wrong:
    """A fault that shows when the deal is taken as complete."""
    deeds, start = dealt_out(draft, pitches)
    return deeds, start + number, start + len(pitches), place


def with_pitch(pitches: Sequence[Dealt], number: int, pitch: AnyDeed) -> list[AnyDeed]:
    return [*pitches[:number], pitch, *pitches[number + 1 :]]


def plus(pitches: Sequence[Dealt], number: int, *deeds: AnyDeed) -> list[AnyDeed]:
    return [*pitches[:number], *deeds, *pitches[number:]]
