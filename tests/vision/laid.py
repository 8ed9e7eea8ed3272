"""A table that is told look by look, without a picture: what lies where, and what covers it."""

from typing import Any

from msgspec import Struct, field

from engine.cards import Card, Place
from engine.events import BackSighted, CardLost, CardSighted, Event
from tests.vision.painted import FRAME_NS, S1, ZONES, corners
from vision.geometry import Outline, contains, overlap
from vision.seen import Seen, SeenBack, SeenCard
from vision.track import Tracker

NINE, KING, ACE = Card("9h"), Card("Kd"), Card("As")
LEFT, MIDDLE, RIGHT = (110.0, 140.0), (190.0, 140.0), (270.0, 140.0)
"""Where cards lie apart from each other in S1; no two of them overlap."""


class Table(Struct):
    """What lies where, and what a camera and an eye make of it."""

    tracker: Tracker = field(default_factory=lambda: Tracker(ZONES))
    cards: dict[tuple[float, float], Card | None] = field(default_factory=dict)
    """By their middle: a face, or None for a back."""
    unread: set[tuple[float, float]] = field(default_factory=set)
    hidden: set[tuple[float, float]] = field(default_factory=set)
    """What a hand covers."""
    moving: list[tuple[float, float]] = field(default_factory=list)
    changed_ns: int = 0
    frame: int = 0
    told: list[tuple[int, Event]] = field(default_factory=list)

    # -------------------------------------------------------- as a scene
    @property
    def at_ns(self) -> int:
        return self.frame * FRAME_NS

    def is_still(self, outline: Outline) -> bool:
        return not any(contains(outline, point) for point in self.moving)

    def still_since_ns(self, outline: Outline) -> int:
        return self.changed_ns

    def bare_share(self, outline: Outline) -> float:
        lies = [*self.cards, *self.hidden]
        covered = max((overlap(outline, corners(*at)) for at in lies), default=0.0)
        return 1.0 - covered

    # -------------------------------------------------------- as a table
    def change(self, **what: Any) -> None:
        """Change what lies there with the next frame."""
        self.changed_ns = (self.frame + 1) * FRAME_NS
        for name, value in what.items():
            setattr(self, name, value)

    def seen(self) -> Seen:
        open_to_view = {at: card for at, card in self.cards.items() if at not in self.hidden}
        return Seen(
            cards=tuple(
                SeenCard(None if at in self.unread else card, 0.97, corners(*at))
                for at, card in open_to_view.items()
                if card is not None
            ),
            backs=tuple(
                SeenBack(0.97, corners(*at)) for at, card in open_to_view.items() if card is None
            ),
        )

    def look(self, frames: int, seen: Seen | None = None) -> list[Event]:
        events: list[Event] = []
        for _ in range(frames):
            self.frame += 1
            found = self.tracker.see(self.seen() if seen is None else seen, self)
            self.told += [(self.frame, event) for event in found]
            events += found
        return events

    def rest(self, frames: int) -> list[Event]:
        events: list[Event] = []
        for _ in range(frames):
            self.frame += 1
            events += self.tracker.rest(self)
        return events


def sighted(card: Card | None, frame: int, place: Place = S1) -> CardSighted:
    return CardSighted(at_ns=frame * FRAME_NS, place=place, card=card)


def lost(card: Card | None, frame: int, place: Place = S1) -> CardLost:
    return CardLost(at_ns=frame * FRAME_NS, place=place, card=card)


def back(frame: int, place: Place = S1) -> BackSighted:
    return BackSighted(at_ns=frame * FRAME_NS, place=place)


def with_nine() -> Table:
    """A table with the nine told at the left of S1, after ten frames."""
    table = Table()
    table.change(cards={LEFT: NINE})
    assert table.look(10) == [sighted(NINE, 1)]
    return table
