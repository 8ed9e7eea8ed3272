"""What happens to cards at a table, and what a set of sensors tells of it.

A deed is a physical fact: a card is dealt, carried, turned over, a word is said. Sensing turns
deeds into the events of any set of readers and a camera, so that one hand can be told fully, by
a shoe alone, or by a camera alone.
"""

import random
from collections.abc import Iterable, Sequence

from msgspec import Struct

from engine.cards import BOARD, BURN, HANDS, PACK, PLACES, RACK, SHOE, Card, Place, Tag
from engine.events import (
    AnyEvent,
    BackSighted,
    CardGone,
    CardLost,
    CardRead,
    CardSighted,
    PackCounted,
    TimePassed,
)

MS = 1_000_000
S = 1_000_000_000

# What a reader takes from a card's landing to its read, and a camera to its sighting, at most:
# well within the window of a table, 400 ms. A camera is as late for one card as for the next,
# give or take a frame.
READ_MS, SIGHT_MS, FRAME_MS = 120, 200, 33


class Physical(Struct, frozen=True):
    """One physical card: its tag, and the face and pack that the tag is registered under."""

    tag: Tag
    card: Card | None
    pack: str | None = "main"
    face: Card | None = None
    """What is printed on it, where no register says so."""

    @property
    def printed(self) -> Card | None:
        """What a camera sees of it."""
        return self.face or self.card


class Deed(Struct, frozen=True, kw_only=True):
    """Something that happens, and when."""

    at_ns: int


class Dealt(Deed, frozen=True, kw_only=True):
    """A card leaves the shoe and lands."""

    card: Physical
    place: Place
    is_up: bool = False
    is_read: bool = True
    """False where its tag gives no answer, neither at the shoe nor where it lands."""


class Boxed(Deed, frozen=True, kw_only=True):
    """A card lies face up in the pack and is set aside."""

    card: Physical


class Carried(Deed, frozen=True, kw_only=True):
    """A card is carried from where it lies to another place."""

    card: Physical
    place: Place


class Strayed(Deed, frozen=True, kw_only=True):
    """The reader of a place also hears a card that lies elsewhere, which is then heard there."""

    card: Physical
    place: Place


class Turned(Deed, frozen=True, kw_only=True):
    """A card that lies face down is turned face up."""

    card: Physical


class Mistaken(Deed, frozen=True, kw_only=True):
    """The camera takes the face of a card that lies on a tag for another."""

    card: Physical
    face: Card


class Told(Deed, frozen=True, kw_only=True):
    """A person, or a device that is not ours, tells something."""

    event: AnyEvent


class Gathered(Deed, frozen=True, kw_only=True):
    """All cards go back: to the pack pad, or in a game with several packs to the rack."""

    missing: frozenset[Tag] = frozenset()


AnyDeed = Dealt | Boxed | Carried | Strayed | Turned | Mistaken | Told | Gathered


class Sensors(Struct, frozen=True, kw_only=True):
    """What watches a table."""

    readers: frozenset[Place]
    has_camera: bool = True
    sees_backs: bool = False
    """The camera tells of face-down cards that land at a hand as well."""
    is_prompt: bool = False
    """Each thing is captured in the moment in which it happens."""


EVERY_PLACE = frozenset(PLACES - {Place("floor"), Place("stub")})
FULL = Sensors(readers=EVERY_PLACE)
FULL_AND_BACKS = Sensors(readers=EVERY_PLACE, sees_backs=True)
SHOE_ALONE = Sensors(readers=frozenset({SHOE}), has_camera=False)
SHOE_AND_PAD = Sensors(readers=frozenset({SHOE, PACK, RACK}), has_camera=False)
PROMPT = Sensors(readers=EVERY_PLACE, is_prompt=True)
PROMPT_AND_BACKS = Sensors(readers=EVERY_PLACE, sees_backs=True, is_prompt=True)
CAMERA_ALONE = Sensors(readers=frozenset(), sees_backs=True)

_FACES_SEEN = HANDS | {BOARD}
_BACKS_SEEN = HANDS | {BURN}


class Sensed(Struct, frozen=True, kw_only=True):
    """The events of some deeds in order of their capture, and which deed each comes from."""

    events: tuple[AnyEvent, ...]
    deeds: tuple[int, ...]
    """For each event the index of its deed; time that passes belongs to the deed before it."""

    def first(self, deed: int) -> int:
        """Return the index of the first event at or after a deed."""
        return next((at for at, of in enumerate(self.deeds) if of >= deed), len(self.events))

    def last(self, deed: int, *, with_time: bool = True) -> int:
        """Return the index of the last event of a deed or of those before it.

        Args:
            deed: The deed.
            with_time: Whether the time that passes after it counts.
        """
        return max(
            at
            for at, of in enumerate(self.deeds)
            if of <= deed and (with_time or not isinstance(self.events[at], TimePassed))
        )


class _Table:
    """What lies where while deeds are told."""

    def __init__(
        self, sensors: Sensors, own: frozenset[Tag], decks: int, rng: random.Random
    ) -> None:
        self._sensors = sensors
        self._rng = rng
        self._sight_ns = self._lag_ns(SIGHT_MS)
        self._own = own
        self._decks = decks
        self._lies: dict[Tag, tuple[Physical, Place]] = {}
        self._up: set[Tag] = set()

    def tell(self, deed: AnyDeed) -> list[AnyEvent]:
        """Return what the sensors tell of a deed."""
        match deed:
            case Dealt():
                return self._dealt(deed)
            case Carried():
                told = self._leave(deed.card, deed.at_ns)
                return told + self._arrive(
                    deed.card, deed.place, deed.at_ns + self._lag_ns(READ_MS)
                )
            case Told():
                return [deed.event]
            case Gathered():
                return self._gathered(deed)
            case _:
                return self._amiss(deed)

    def _amiss(self, deed: Boxed | Strayed | Turned | Mistaken) -> list[AnyEvent]:
        """Return what the sensors tell of a deed that is seldom regular."""
        card, at_ns = deed.card, deed.at_ns
        match deed:
            case Boxed():
                return self._read(card, SHOE, at_ns) + self._sight(card, SHOE, at_ns)
            case Turned():
                return self._turned(card, at_ns)
            case Strayed():
                stray = self._read(card, deed.place, at_ns)
                return stray + self._read(card, self._lies[card.tag][1], at_ns + 20 * MS)
            case Mistaken():
                return self._mistaken(deed)

    def _read(self, card: Physical, place: Place, at_ns: int) -> list[AnyEvent]:
        if place not in self._sensors.readers or place == PACK:
            return []
        return [CardRead(at_ns=at_ns, place=place, tag=card.tag, card=card.card, pack=card.pack)]

    def _sight(self, card: Physical, place: Place, at_ns: int) -> list[AnyEvent]:
        if not self._sensors.has_camera:
            return []
        return [CardSighted(at_ns=at_ns, place=place, card=card.printed)]

    def _arrive(self, card: Physical, place: Place, at_ns: int) -> list[AnyEvent]:
        self._lies[card.tag] = card, place
        return self._read(card, place, at_ns)

    def _dealt(self, deed: Dealt) -> list[AnyEvent]:
        card, place = deed.card, deed.place
        landed_ns = deed.at_ns + 10 * MS
        told: list[AnyEvent] = []
        if deed.is_read:
            told += self._read(card, SHOE, deed.at_ns)
            told += self._arrive(card, place, landed_ns + self._lag_ns(READ_MS))
        if not self._sensors.has_camera:
            return told
        seen_ns = landed_ns + self._sight_ns + self._lag_ns(FRAME_MS)
        if deed.is_up and place in _FACES_SEEN:
            self._up.add(card.tag)
            told.append(CardSighted(at_ns=seen_ns, place=place, card=card.printed))
        elif place in _BACKS_SEEN and (self._sensors.sees_backs or not deed.is_read):
            told.append(BackSighted(at_ns=seen_ns, place=place))
        return told

    def _lag_ns(self, most_ms: int) -> int:
        return 0 if self._sensors.is_prompt else self._rng.randint(0, most_ms) * MS

    def _leave(self, card: Physical, at_ns: int) -> list[AnyEvent]:
        _, place = self._lies.pop(card.tag)
        told: list[AnyEvent] = []
        if place in self._sensors.readers:
            told.append(CardGone(at_ns=at_ns, place=place, tag=card.tag))
        if card.tag in self._up:
            self._up.discard(card.tag)
            if self._sensors.has_camera:
                told.append(CardLost(at_ns=at_ns, place=place, card=card.printed))
        return told

    def _turned(self, card: Physical, at_ns: int) -> list[AnyEvent]:
        if card.tag in self._up:
            return []
        self._up.add(card.tag)
        return self._sight(card, self._lies[card.tag][1], at_ns)

    def _mistaken(self, deed: Mistaken) -> list[AnyEvent]:
        if not self._sensors.has_camera or not self._sensors.readers:
            return []
        _, place = self._lies[deed.card.tag]
        return [CardSighted(at_ns=deed.at_ns, place=place, card=deed.face, tag=deed.card.tag)]

    def _gathered(self, deed: Gathered) -> list[AnyEvent]:
        told: list[AnyEvent] = []
        for card, place in list(self._lies.values()):
            if place == RACK:
                continue
            told += self._leave(card, deed.at_ns)
            if self._decks > 1:
                told += self._arrive(card, RACK, deed.at_ns + 10 * MS)
        if self._decks > 1 or PACK not in self._sensors.readers:
            return told
        tags = tuple(sorted(self._own - deed.missing))
        counted = PackCounted(
            at_ns=deed.at_ns + S, count=len(tags), is_complete=True, tags=tags
        )  # fmt: skip
        return [*told, counted]


def sense(
    deeds: Sequence[AnyDeed], sensors: Sensors, *, own: frozenset[Tag], decks: int, seed: int = 0
) -> Sensed:
    """Return what sensors tell of some deeds, in order of capture.

    Wherever nothing happens for longer than the window of a table, time passes.

    Args:
        deeds: What happens, in order of time.
        sensors: What watches.
        own: The tags of the pack that is in play.
        decks: Packs in the shoe.
        seed: Settles how long each sensor takes.
    """
    table = _Table(sensors, own, decks, random.Random(seed))
    told: list[tuple[int, int, AnyEvent]] = []
    for number, deed in enumerate(deeds):
        told += [(event.at_ns, number, event) for event in table.tell(deed)]
        until_ns = deeds[number + 1].at_ns if number + 1 < len(deeds) else deed.at_ns + 2 * S
        if until_ns - deed.at_ns > 800 * MS:
            told.append((until_ns - MS, number, TimePassed(at_ns=until_ns - MS)))
    told.sort(key=lambda each: each[0])
    return Sensed(events=tuple(t[2] for t in told), deeds=tuple(t[1] for t in told))


def delayed(events: Iterable[AnyEvent], rng: random.Random, *, window_ns: int) -> list[AnyEvent]:
    """Return events in an order in which sensors with delays of their own may tell them.

    Each sensor (a reader, the camera) tells its own events in order, each up to the window of the
    table after its capture; what people say comes at once, and so does the clock. So that no two
    tell one happening further apart than the window, all must have captured it at once.
    """
    told: list[tuple[int, int, AnyEvent]] = []
    latest: dict[str, int] = {}
    for number, event in enumerate(events):
        sensor = _sensor_of(event)
        told_ns = event.at_ns
        if sensor is not None:
            told_ns = max(latest.get(sensor, 0), event.at_ns + rng.randint(0, window_ns))
            latest[sensor] = told_ns
        told.append((told_ns, number, event))
    return [event for _, _, event in sorted(told, key=lambda each: each[:2])]


def _sensor_of(event: AnyEvent) -> str | None:
    match event:
        case CardRead() | CardGone():
            return event.place
        case CardSighted() | CardLost() | BackSighted():
            return "camera"
        case _:
            return None
