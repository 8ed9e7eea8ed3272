"""One card that lies on the table, look after look: which it is, and whether it lies still."""

import math
from collections import deque
from collections.abc import Iterable

from msgspec import Struct, field

from engine.cards import Card, Place
from vision.geometry import distance
from vision.seen import Corners, Point, Seen

AGREE, OF_LOOKS = 4, 6
"""A card is told once so many of the last looks agree.

Source: ../shared/vision/findings.md, section 5, "Track/debounce".
"""

UNREAD_LOOKS = 8
"""A face that no looks agree on is told as unread after so many: 270 ms at 30 frames/s."""

MARGIN = 8.0
"""By how much a reading must lead every rival, in nats. Chosen: more than one look at 0.9 gives."""

RENAME_MARGIN = 24.0
"""By how much, once it has been told as another card: nine looks on end, for one that has lain for
a while."""

_FADE = 0.9
"""What a look before counts beside the present one: some ten looks count, so that a card that was
taken for another one is found out, and one odd look in ten changes nothing."""

_KEPT = 12.0
"""What is left of the evidence for a card that was covered: two good looks."""

NOTHING, BACK, UNREAD = "nothing", "back", "unread"

_FACES = 53
_MOST_SURE = 0.999

NEAR = 0.2
"""A card that is found again within so much of its size (the root of its area) has not moved."""


class Item(Struct, frozen=True):
    """A card in one look."""

    corners: Corners
    is_back: bool
    card: Card | None
    confidence: float
    middle: Point
    reach_px: float
    """How far off it is still the same card in the same place."""


def items_of(seen: Seen) -> list[Item]:
    """Return what was seen, the surest first; what is no shape, or is found twice, left out."""
    found = [_item(each.corners_px, each.confidence, each.card, False) for each in seen.cards]
    found += [_item(each.corners_px, each.confidence, None, True) for each in seen.backs]
    kept: list[Item] = []
    for item in sorted(filter(_is_shape, found), key=_by_sureness):
        if not any(_is_same(item, other) for other in kept):
            kept.append(item)
    return kept


def _item(corners: Corners, confidence: float, card: Card | None, is_back: bool) -> Item:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    middle = ((x0 + x1 + x2 + x3) / 4, (y0 + y1 + y2 + y3) / 4)
    size = abs((x2 - x0) * (y3 - y1) - (x3 - x1) * (y2 - y0)) / 2
    reach_px = NEAR * math.sqrt(size) if math.isfinite(size) else math.nan
    return Item(corners, is_back, card, confidence, middle, reach_px)


def _is_shape(item: Item) -> bool:
    """Say whether an item is one pixel large at least, and all of its numbers are numbers."""
    return item.reach_px >= NEAR and all(map(math.isfinite, (*item.middle, item.confidence)))


def _by_sureness(item: Item) -> tuple[bool, float]:
    return item.card is None, -item.confidence


def _is_same(item: Item, other: Item) -> bool:
    """Say whether two finds are one card: both faces or both backs, at one place."""
    return (
        item.is_back == other.is_back
        and item.card in (other.card, None)
        and distance(item.middle, other.middle) < other.reach_px
    )


class Lying(Struct, kw_only=True):
    """A card at a place of the table, or what may become one."""

    place: Place
    is_back: bool
    corners: Corners
    middle: Point
    first_ns: int
    """The first frame that showed it as it lies."""
    is_told: bool = False
    card: Card | None = None
    """What it was told as; None for a back, and for a face that was not read."""
    home: Point = (0.0, 0.0)
    """Where its middle was when it was told."""
    looks: int = 0
    votes: deque[str] = field(default_factory=lambda: deque(maxlen=UNREAD_LOOKS))
    """What the last looks gave: a card's code, ``back``, ``unread`` or ``nothing``."""
    evidence: dict[Card, float] = field(default_factory=dict)
    """The summed log-probability of each reading, against one by chance; older looks fade."""
    is_met: bool = False
    """Whether it has been found in the look that is being taken."""
    is_seen: bool = True
    """Whether the last look showed it."""
    was_held: bool = False
    """Whether something has covered it since it was seen."""
    empty_frames: int = 0
    empty_ns: int = 0
    """The first frame that showed its place empty."""

    def distance_to(self, item: Item) -> float | None:
        """Return how far off an item lies, or None where it is no sight of this card."""
        if self.is_back != item.is_back:
            return None
        off = distance(self.middle, item.middle)
        return off if off <= item.reach_px else None

    def take(self, item: Item, *, is_still: bool, still_ns: int) -> None:
        """Take a look that showed it; one in which something moves there says nothing new."""
        self.is_seen, self.empty_frames = True, 0
        if self.was_held:
            self.was_held = False
            self.first_ns = self.first_ns if self.card is None else still_ns
            self.votes.clear()
            self.evidence = {card: min(each, _KEPT) for card, each in self.evidence.items()}
        if not is_still:
            return
        if not self.is_told:
            self._settle(item, still_ns)
        self.corners, self.middle = item.corners, item.middle
        self._vote(item)

    def _settle(self, item: Item, still_ns: int) -> None:
        """Begin anew where it has not come to rest yet; note the frame with which it has."""
        if distance(self.middle, item.middle) > item.reach_px / 3:
            self.votes.clear()
            self.evidence.clear()
        if all(vote == NOTHING for vote in self.votes):
            self.first_ns = still_ns

    def _vote(self, item: Item) -> None:
        self.looks += 1
        self.votes.append(item.card or (BACK if item.is_back else UNREAD))
        self.evidence = {card: each * _FADE for card, each in self.evidence.items()}
        if item.card is not None:
            sure = min(max(item.confidence, 1 / _FACES), _MOST_SURE)
            gain = math.log(_FACES * sure / (1 - sure))
            self.evidence[item.card] = self.evidence.get(item.card, 0.0) + gain

    def miss(self, *, is_still: bool) -> None:
        """Take a look that did not show it."""
        self.is_seen = False
        if is_still and not self.is_told:
            self.looks += 1
            self.votes.append(NOTHING)

    # ------------------------------------------------------------ what follows
    def _count(self, vote: str) -> int:
        return list(self.votes)[-OF_LOOKS:].count(vote)

    def reading(self) -> Card | None:
        """Return the face on which the last looks agree, with a lead over every other."""
        if not self.evidence:
            return None
        best, *rivals = sorted(self.evidence, key=lambda card: -self.evidence[card])
        lead = self.evidence[best] - (self.evidence[rivals[0]] if rivals else 0.0)
        needed = MARGIN if self.card in (None, best) else RENAME_MARGIN
        return best if self._count(best) >= AGREE and lead >= needed else None

    def is_ripe(self) -> bool:
        """Say whether it may be told: as a back, as a reading, or as a face that none can read."""
        if self.is_back:
            return self._count(BACK) >= AGREE
        seen = len(self.votes) - self.votes.count(NOTHING)
        is_unread = len(self.votes) == UNREAD_LOOKS and seen >= UNREAD_LOOKS - 2
        return is_unread or self.reading() is not None

    def is_gone_again(self) -> bool:
        """Say whether it was missed so often that it was nothing."""
        return self._count(NOTHING) == OF_LOOKS


def nearest(lying: Iterable[Lying], item: Item) -> Lying | None:
    """Return the card that an item is a sight of: the one of its kind that lies nearest."""
    near = [(off, each) for each in lying if (off := each.distance_to(item)) is not None]
    return min(near, key=lambda pair: pair[0], default=(0.0, None))[1]
