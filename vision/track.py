"""From looks to events: cards that come to lie face up or down, that are turned and taken away.

Pure: a look and what moves goes in, frame by frame, events come out; the frames bear the time. A
card is told when it lies still and the looks agree on it, and is lost when the bare table shows
where it lay. What is covered by a hand, by another card or by nothing that is known stays where it
is. A card that is pushed within its place is the same card.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

from engine.cards import BOARD, FLOOR, HANDS, SHOE, STUB, Place
from engine.events import BackSighted, CardLost, CardSighted
from vision.geometry import Outline, box, contains, distance, overlap, shrunk
from vision.lying import Item, Lying, items_of, nearest
from vision.seen import Seen

Sight = CardSighted | CardLost | BackSighted

FACES_AT: frozenset[Place] = HANDS | {BOARD, FLOOR, SHOE, STUB}
"""Where faces are told: where one that lies open means something. In a muck, a burn pile, a rack or
on the pack's pad cards lie as they like."""

BACKS_AT: frozenset[Place] = HANDS | {BOARD}
"""Where backs are told: elsewhere they lie on one another, and none can be told from the next."""

EMPTY_SHARE = 0.5
"""A card's place is empty where so much of it looks as the bare table: a card is not bent."""

_INNER = 0.2
"""So much is left out around a card's outline, which is never found to the pixel."""

EMPTY_FRAMES = 10
"""A card is lost once its place was seen empty in so many frames on end, and nothing moves about.

Source: ../shared/vision/findings.md, section 5, "Track/debounce".
"""

EMPTY_NS = 1_500_000_000
"""After so long it is lost whatever moves: until then it may be pushed to where it will lie."""

BACK_NS = 4_000_000_000
"""A back that was taken up and comes down again within this is not another card. Chosen: longer
than a look at one's own cards, shorter than it takes until the next hand is dealt."""

SAME_SHARE = 0.7
"""A back that covers so much of a face is that card, turned over; and the other way round."""

TWIN_NS = 2_000_000_000
"""So long a face waits to be told where the same one lies covered in its place: it may be that
card, pushed under a hand, or one of another pack."""

_ASIDE = 0.15
"""A card has moved aside where so much of its outline at least is covered no more."""

PATIENCE_LOOKS = 45
"""So many looks are asked for on account of one card that cannot be made out, and then no more."""

MOST_CARDS = 120
"""Cards that are followed at once, two packs and some; more are not begun with."""


class Scene(Protocol):
    """What one frame shows beside the cards; outlines are in pixels."""

    @property
    def at_ns(self) -> int:
        """When it was captured."""

    def is_still(self, outline: Outline) -> bool:
        """Say whether nothing moves within an outline."""

    def still_since_ns(self, outline: Outline) -> int:
        """Return the first frame that showed an outline as it is now."""

    def bare_share(self, outline: Outline) -> float:
        """Return how much of an outline looks as the bare table does, 0 to 1."""


class Tracker:
    """Follows the cards of one table."""

    def __init__(self, zones: Mapping[Place, Outline]) -> None:
        """Begin with an empty table.

        Args:
            zones: The places, as outlines in pixels; where two overlap the first one counts.
        """
        self._zones = dict(zones)
        self._boxes = {place: box(zone) for place, zone in zones.items()}
        self._lying: list[Lying] = []

    # ------------------------------------------------------------ frames
    def see(self, seen: Seen, scene: Scene, looked: Collection[Place] | None = None) -> list[Sight]:
        """Take a frame that was looked at.

        Args:
            seen: What was found, in pixels of the whole picture.
            scene: What the frame shows beside it.
            looked: The places that were looked at; None for all.

        Returns:
            What has come about, in the order of time.
        """
        within = [each for each in self._lying if looked is None or each.place in looked]
        for item in items_of(seen):
            place = self._place_of(item)
            near = [
                each for each in within if not each.is_met and each.distance_to(item) is not None
            ]
            card = nearest((each for each in near if _may_be(each, item, place)), item)
            if card is None and place is not None and (looked is None or place in looked):
                card = self._begin(item, place, scene)
            if card is not None:
                card.is_met = True
                inner = shrunk(item.corners, _INNER)
                is_still, since_ns = scene.is_still(inner), scene.still_since_ns(inner)
                card.take(item, is_still=is_still, still_ns=since_ns)
        for each in within:
            if not each.is_met:
                each.miss(is_still=scene.is_still(each.corners))
        for each in self._lying:
            each.is_met = False
        return self._follow(scene)

    def rest(self, scene: Scene) -> list[Sight]:
        """Take a frame that was not looked at."""
        return self._follow(scene)

    def pause(self) -> None:
        """Take note that for a time nothing could be seen: what was half sure begins anew."""
        self._lying = [each for each in self._lying if each.is_told]
        for each in self._lying:
            each.empty_frames, each.was_held = 0, True

    def pending(self) -> frozenset[Place]:
        """Return the places that want more looks."""
        return frozenset(each.place for each in self._lying if _wants_looks(each))

    @property
    def is_waiting(self) -> bool:
        """Whether something is about to be told or lost, so that every frame counts."""
        return any(not each.is_told or each.empty_frames for each in self._lying)

    @property
    def cards(self) -> tuple[Lying, ...]:
        """The cards that have been told and not lost."""
        return tuple(each for each in self._lying if each.is_told)

    # ------------------------------------------------------------ cards come
    def _begin(self, item: Item, place: Place, scene: Scene) -> Lying | None:
        if len(self._lying) >= MOST_CARDS:
            return None
        card = Lying(
            place=place,
            is_back=item.is_back,
            corners=item.corners,
            middle=item.middle,
            first_ns=scene.at_ns,
        )
        self._lying.append(card)
        return card

    def _place_of(self, item: Item) -> Place | None:
        told_at = BACKS_AT if item.is_back else FACES_AT
        x, y = item.middle
        for place, (left, top, right, bottom) in self._boxes.items():
            is_near = left <= x <= right and top <= y <= bottom
            if is_near and place in told_at and contains(self._zones[place], item.middle):
                return place
        return None

    def _follow(self, scene: Scene) -> list[Sight]:
        """Tell what is ripe, and what is gone."""
        told: list[Sight] = []
        for each in [each for each in self._lying if not each.is_told]:
            if each.is_gone_again():
                self._drop(each)
            elif each.is_ripe() and not self._may_be_told(each, scene):
                told += self._tell(each, scene)
        for each in self.cards:
            told += self._name_again(each) if each.is_seen else self._miss(each, scene)
        return sorted(told, key=_when)

    def _may_be_told(self, card: Lying, scene: Scene) -> bool:
        """Say whether it may be a card that was told, whose own spot is covered for the moment."""
        twins = self._twins(card) if card.reading() is not None else []
        is_early = scene.at_ns - card.first_ns < TWIN_NS
        return is_early and bool(twins) and not any(_has_left(each, card, scene) for each in twins)

    def _tell(self, card: Lying, scene: Scene) -> list[Sight]:
        card.is_told, card.card, card.home = True, card.reading(), card.middle
        told: list[Sight] = []
        before = self._before(card)
        if before is not None:
            self._drop(before)
            told += [] if before.is_back else [_lost(before, card.first_ns)]
        elif (moved := self._moved(card, scene)) is not None:
            self._drop(moved)
            return []
        if card.is_back:
            return [*told, BackSighted(at_ns=card.first_ns, place=card.place)]
        return [*told, _sighted(card)]

    def _before(self, card: Lying) -> Lying | None:
        """Return the card that was told at this spot: its other side up, or of another place."""
        return next(
            (
                each
                for each in self.cards
                if (each.is_back, each.place) != (card.is_back, card.place)
                and not each.is_seen
                and overlap(each.corners, card.corners) >= SAME_SHARE
            ),
            None,
        )

    def _moved(self, card: Lying, scene: Scene) -> Lying | None:
        """Return the card that was told elsewhere in this place, and is not there any more."""
        return next((each for each in self._twins(card) if _has_left(each, card, scene)), None)

    def _twins(self, card: Lying) -> list[Lying]:
        """Return the cards of its place that were told as the same, and are not seen now."""
        face = card.reading()
        return [
            each
            for each in self.cards
            if each is not card
            and (each.place, each.is_back, each.card) == (card.place, card.is_back, face)
            and not each.is_seen
        ]

    def _name_again(self, card: Lying) -> list[Sight]:
        """Tell a face that has been read since, or proves to be another one."""
        reading = None if card.is_back else card.reading()
        if reading in (None, card.card):
            return []
        told: list[Sight] = [] if card.card is None else [_lost(card, card.first_ns)]
        card.card = reading
        return [*told, _sighted(card)]

    # ------------------------------------------------------------ cards go
    def _miss(self, card: Lying, scene: Scene) -> list[Sight]:
        """Look whether a card that is not seen has gone or is covered."""
        if scene.bare_share(shrunk(card.corners, _INNER)) < EMPTY_SHARE:
            card.empty_frames, card.was_held = 0, True
            return []
        if card.empty_frames == 0:
            card.empty_ns = scene.at_ns
        card.empty_frames += 1
        if not self._is_gone(card, scene):
            return []
        self._drop(card)
        return [] if card.is_back else [_lost(card, card.empty_ns)]

    def _is_gone(self, card: Lying, scene: Scene) -> bool:
        empty_ns = scene.at_ns - card.empty_ns
        if card.is_back:
            return empty_ns >= BACK_NS
        if empty_ns >= EMPTY_NS:
            return True
        may_come = any(
            each.place == card.place and not each.is_told and not each.is_back
            for each in self._lying
        )
        is_quiet = not may_come and scene.is_still(self._zones[card.place])
        return card.empty_frames >= EMPTY_FRAMES and is_quiet

    def _drop(self, card: Lying) -> None:
        self._lying = [each for each in self._lying if each is not card]


def _may_be(card: Lying, item: Item, place: Place | None) -> bool:
    """Say whether an item may be a card: not where it was pushed into another place."""
    if place in (None, card.place):
        return True
    return card.is_told and distance(card.home, item.middle) <= item.reach_px


def _has_left(card: Lying, other: Lying, scene: Scene) -> bool:
    """Say whether a card has left its spot: felt shows there, beside another one that is seen."""
    inner = shrunk(card.corners, _INNER)
    beside = 1 - overlap(inner, other.corners)
    return bool(card.empty_frames) or (
        beside >= _ASIDE and scene.bare_share(inner) >= EMPTY_SHARE * beside
    )


def _wants_looks(card: Lying) -> bool:
    is_open = not card.is_told or (card.card is None and not card.is_back and card.is_seen)
    return is_open and card.looks < PATIENCE_LOOKS


def _sighted(card: Lying) -> CardSighted:
    return CardSighted(at_ns=card.first_ns, place=card.place, card=card.card)


def _lost(card: Lying, at_ns: int) -> CardLost:
    return CardLost(at_ns=at_ns, place=card.place, card=card.card)


def _when(sight: Sight) -> tuple[int, bool]:
    return sight.at_ns, not isinstance(sight, CardLost)
