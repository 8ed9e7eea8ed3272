"""From what readers hear, poll by poll, to cards that come and go."""

from collections.abc import Iterable

from msgspec import Struct, field

from engine.cards import BURN, MUCK, PACK, RACK, SHOE, STUB, Card, Place, Tag
from engine.events import CardGone, CardRead, DeviceFaulted, DeviceRestored, PackCounted
from firmware_bridge.copies import CopyWatch, NearBy
from firmware_bridge.polls import Poll
from firmware_bridge.register import Register
from firmware_bridge.suspicion import Suspicion, copied
from firmware_bridge.wiring import are_neighbours, device_of

BridgeEvent = CardRead | CardGone | PackCounted | DeviceFaulted | DeviceRestored

ABSENT_POLLS = 3
ABSENT_NS = 300_000_000
"""A card is gone after this many polls that positively miss it, spread over at least this time.

Source: miguelbalboa/rfid#188, #279, #352, #437, #113: a still card answers every second poll.
"""

CONFIRM_POLLS = 4
"""A second, equal read confirms a tag if it comes within so many polls that told something.

Counted in polls, not in time, so that a slow reader can confirm too. Chosen: it spans the
yes/no stream of the reports above with two polls to spare.
"""

CONFIRM_PUSHED_NS = 2_000_000_000
"""What a reader tells unasked is one tag at a time: there a second read within this confirms.

Chosen: a UHF module hears each card of a pack about once a second.
"""

DOUBLED_NS = 50_000_000
"""What a reader tells unasked twice within this may be one frame, doubled on its way.

Chosen: a line is quiet after so long; no reader tells a card so often, no card follows so soon.
"""

PASSED_NS = 2_000_000_000
"""A shoe that tells its cards unasked never says that one is gone: what is told again after so
long has passed it again. Chosen: a reader repeats a card that lies still several times a second.
"""

BLIND_POLLS = 3
BLIND_NS = 1_000_000_000
"""A place is blind after so many polls, over at least this time, that all told nothing."""

MAX_TAGS = 512
"""Most tags that a place holds or hopes for: the discard rack of an eight-pack shoe takes 416 and
some spares; more are counted and dropped."""

# Cards lie on one another here and hide each other: that fewer answer says nothing.
_PILES = frozenset({MUCK, BURN, RACK, STUB})

_GHOST_DIGITS = frozenset({"0", "F"})


class _Run(Struct):
    """Polls in a row that tell one thing."""

    polls: int = 0
    since_ns: int = 0

    def has_lasted(self, at_ns: int, *, polls: int, ns: int) -> bool:
        """Count one more poll; say whether they are so many, over at least so long."""
        if self.polls == 0:
            self.since_ns = at_ns
        self.polls += 1
        return self.polls >= polls and at_ns - self.since_ns >= ns


class _Stay(Struct):
    """A tag that lies at a place."""

    read_ns: int
    """When it was last read there."""
    missed: _Run = field(default_factory=_Run)
    """The polls in a row that miss it."""


class _Glimpse(Struct, frozen=True):
    """A read that a second one must confirm."""

    poll: int
    at_ns: int


class _Passage(Struct, frozen=True):
    """A card that passed a shoe which tells its face alone."""

    card: Card
    at_ns: int


class _Spot(Struct):
    """What is known of one place."""

    polls: int = 0
    """Polls that told something."""
    held: dict[Tag, _Stay] = field(default_factory=dict)
    """The tags that lie there."""
    hoped: dict[Tag, _Glimpse] = field(default_factory=dict)
    """The tags read once."""
    passed: _Passage | None = None
    """The last card that a shoe named here."""
    unknown: _Run = field(default_factory=_Run)
    """The polls that told nothing since the last that did."""


class _Pad(Struct):
    """What lies on the pack pad."""

    tags: tuple[Tag, ...] = ()
    unchanged: _Run = field(default_factory=_Run)
    told: tuple[Tag, ...] = ()


class Presence:
    """Keeps what lies where; turns polls into arrivals and departures, each told once.

    A card has come when its tag was read twice, so that no verdict rests on one garbled or
    passing read. The shoe is the exception: a card passes it in a fraction of a second and may
    be heard once; there one read counts if a register knows the tag, since a UID with a good
    checksum that is by chance one of some hundred registered ones is no noise. Where the family's
    checksum is none or weak it takes two reads at the shoe as well.

    A card has gone when its place positively missed it often and long enough. Errors and
    incomplete inventories never count, and in a pile a card counts as missed only where the
    whole pile is gone or the card is held elsewhere.

    A tag that its old place still hears after it came to a new one is told at the old place
    again, once: A, B, A is how the engine knows a cross-read; a plain move is A, B. Two places
    that go on hearing it and cannot hear one card are a suspicion: a copied tag.

    Args:
        register: Knows the cards.
        near: Which places may hear each other's cards.
    """

    def __init__(self, register: Register, near: NearBy = are_neighbours) -> None:
        self._register = register
        self._copies = CopyWatch(near)
        self._spots: dict[Place, _Spot] = {}
        self._pad = _Pad()
        self._told: dict[Tag, Place] = {}
        """Where each held tag was last told to be."""
        self._crossed: set[Tag] = set()
        self._faulted: set[Place] = set()
        self._named = 0
        """Cards that shoes named by their faces."""
        self.ghosts = 0
        """Reads of UIDs that no tag has (all zero, all ones)."""
        self.dropped = 0
        """Reads beyond what a place can hold."""
        self.suspicions: list[Suspicion] = []
        """The copied tags that were found since somebody took them from here."""

    def take(self, poll: Poll) -> list[BridgeEvent]:
        """Take one poll; return what it proves, in order."""
        spot = self._spots.setdefault(poll.place, _Spot())
        if poll.outcome == "unknown":
            return self._note_blindness(spot, poll)
        spot.unknown.polls = 0
        spot.polls += 1
        tags = [tag for tag in poll.tags if not _is_ghost(tag)]
        ghosts = len(poll.tags) - len(tags)
        self.ghosts += ghosts
        is_complete = poll.is_complete and not ghosts
        events = self._restore(poll)
        if poll.place == PACK:
            return events + (self._count_pack(tags, poll.at_ns) if is_complete else [])
        events += self._passages(spot, poll)
        events += self._arrivals(spot, poll, tags)
        if is_complete:
            events += self._departures(spot, poll)
        return events

    def is_unsure(self, place: Place) -> bool:
        """Say whether a tag was read at a place that a second read must confirm."""
        spot = self._spots.get(place)
        return spot is not None and any(
            spot.polls - first.poll < CONFIRM_POLLS for first in spot.hoped.values()
        )

    def fault(self, places: Iterable[Place], reason: str, at_ns: int) -> list[BridgeEvent]:
        """Note that nothing is heard of places any more; what they hold stays.

        The first poll that tells something of a place restores it.

        Returns:
            One event for each place that was heard until now.
        """
        fresh = [place for place in places if place not in self._faulted]
        self._faulted.update(fresh)
        for place in fresh:
            self._spots.setdefault(place, _Spot()).hoped.clear()
        return [
            DeviceFaulted(device=device_of(place), reason=reason, at_ns=at_ns) for place in fresh
        ]

    def _note_blindness(self, spot: _Spot, poll: Poll) -> list[BridgeEvent]:
        if not spot.unknown.has_lasted(poll.at_ns, polls=BLIND_POLLS, ns=BLIND_NS):
            return []
        return self.fault([poll.place], "its antenna gives no good answer", poll.at_ns)

    def _restore(self, poll: Poll) -> list[BridgeEvent]:
        if poll.place not in self._faulted:
            return []
        self._faulted.discard(poll.place)
        return [DeviceRestored(device=device_of(poll.place), at_ns=poll.at_ns)]

    def _passages(self, spot: _Spot, poll: Poll) -> list[BridgeEvent]:
        """Tell the cards that a shoe named by their faces: each of them is one, told at once.

        Which physical card it is only a register of one pack can say; else the card gets a tag
        that no other has.
        """
        events: list[BridgeEvent] = []
        for card in poll.cards:
            before, spot.passed = spot.passed, _Passage(card, poll.at_ns)
            is_doubled = before is not None and poll.at_ns - before.at_ns < DOUBLED_NS
            if before is None or before.card != card or not is_doubled:
                self._named += 1
                events.append(self._passage(poll, card))
        return events

    def _passage(self, poll: Poll, card: Card) -> CardRead:
        known = self._register.tag_of(card)
        tag, pack = known or (Tag(f"CODE-{poll.at_ns}-{self._named}"), None)
        return CardRead(place=poll.place, tag=tag, card=card, pack=pack, at_ns=poll.at_ns)

    def _arrivals(self, spot: _Spot, poll: Poll, tags: Iterable[Tag]) -> list[BridgeEvent]:
        events: list[BridgeEvent] = []
        for tag in tags:
            stay = spot.held.get(tag)
            if stay is not None:
                is_news = self._is_told_again(poll, tag, stay)
            else:
                is_news = self._is_confirmed(spot, poll, tag) and self._hold(spot, poll, tag)
            if is_news:
                self._told[tag] = poll.place
                events.append(self._read(poll, tag))
        return events

    def _is_told_again(self, poll: Poll, tag: Tag, stay: _Stay) -> bool:
        """Take a read of a held tag; say whether it is news all the same."""
        quiet_ns = poll.at_ns - stay.read_ns
        stay.read_ns = poll.at_ns
        stay.missed.polls = 0
        self._watch_copies(poll, tag)
        if poll.is_pushed and poll.place == SHOE and quiet_ns >= PASSED_NS:
            return True
        return self._told[tag] != poll.place and self._is_cross_read(tag)

    def _is_cross_read(self, tag: Tag) -> bool:
        """Say whether a tag told elsewhere is news at its old place: once for each crossing.

        Where the other place has lost it meanwhile it is news as well: it lies here after all.
        """
        if tag in self._crossed:
            return False
        if self._count_holders(tag) > 1:
            self._crossed.add(tag)
        return True

    def _watch_copies(self, poll: Poll, tag: Tag) -> None:
        holders = [place for place, spot in self._spots.items() if tag in spot.held]
        if len(holders) < 2:
            return
        other = self._copies.hear(tag, poll.place, holders, self._spots)
        if other is not None and len(self.suspicions) < MAX_TAGS:
            self.suspicions.append(copied(tag, (other, poll.place), poll.at_ns))

    def _is_confirmed(self, spot: _Spot, poll: Poll, tag: Tag) -> bool:
        is_known = self._register.lookup(tag) is not None
        if poll.place == SHOE and poll.reads_to_trust == 1 and is_known:
            return True
        first = spot.hoped.get(tag)
        if first is not None and poll.is_pushed and poll.at_ns - first.at_ns < DOUBLED_NS:
            return False
        spot.hoped.pop(tag, None)
        if first is not None and _is_second(first, spot, poll):
            return True
        if len(spot.hoped) >= MAX_TAGS:
            spot.hoped.pop(next(iter(spot.hoped)))
            self.dropped += 1
        spot.hoped[tag] = _Glimpse(spot.polls, poll.at_ns)
        return False

    def _hold(self, spot: _Spot, poll: Poll, tag: Tag) -> bool:
        if len(spot.held) >= MAX_TAGS:
            self.dropped += 1
            return False
        spot.held[tag] = _Stay(poll.at_ns)
        return True

    def _read(self, poll: Poll, tag: Tag) -> CardRead:
        known = self._register.lookup(tag)
        return CardRead(
            place=poll.place,
            tag=tag,
            card=known.card if known else None,
            pack=known.pack if known else None,
            at_ns=poll.at_ns,
        )

    def _departures(self, spot: _Spot, poll: Poll) -> list[BridgeEvent]:
        heard = frozenset(poll.tags)
        is_pile = poll.place in _PILES and bool(heard)
        for tag in spot.held.keys() - heard:
            self._copies.miss(tag)
        gone = [
            tag
            for tag, stay in spot.held.items()
            if tag not in heard
            and not (is_pile and self._count_holders(tag) == 1)
            and stay.missed.has_lasted(poll.at_ns, polls=ABSENT_POLLS, ns=ABSENT_NS)
        ]
        for tag in gone:
            del spot.held[tag]
            self._forget(tag)
        return [CardGone(place=poll.place, tag=tag, at_ns=poll.at_ns) for tag in gone]

    def _forget(self, tag: Tag) -> None:
        holders = self._count_holders(tag)
        if holders < 2:
            self._crossed.discard(tag)
            self._copies.forget(tag)
        if holders == 0:
            del self._told[tag]

    def _count_holders(self, tag: Tag) -> int:
        return sum(tag in spot.held for spot in self._spots.values())

    def _count_pack(self, tags: Iterable[Tag], at_ns: int) -> list[BridgeEvent]:
        """Tell the pack once it has lain unchanged as long as a card must be missed to be gone.

        A bare pad is no count: the pack is in play. When it comes back it is counted again.
        """
        pad, found = self._pad, tuple(sorted(tags))
        if found != pad.tags:
            pad.tags, pad.unchanged = found, _Run()
        if not pad.unchanged.has_lasted(at_ns, polls=ABSENT_POLLS, ns=ABSENT_NS):
            return []
        is_news = found != pad.told
        pad.told = found
        if not is_news or not found:
            return []
        return [PackCounted(count=len(found), is_complete=True, tags=found, at_ns=at_ns)]


def _is_second(first: _Glimpse, spot: _Spot, poll: Poll) -> bool:
    """Say whether a read confirms an earlier one."""
    if poll.is_pushed:
        return poll.at_ns - first.at_ns <= CONFIRM_PUSHED_NS
    return spot.polls - first.poll < CONFIRM_POLLS


def _is_ghost(tag: Tag) -> bool:
    """Say whether a UID is noise: esprfid/esp-rfid#411, arendst/Tasmota#9522."""
    return len(set(tag)) == 1 and tag[0] in _GHOST_DIGITS
