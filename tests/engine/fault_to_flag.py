"""From fault to flag: how long it takes until each kind of irregularity is told.

``measure`` puts faults into random hands, lets the deal go on as if nobody had noticed, and counts
what passes until the finding: with all sensors, with a shoe alone, with a camera alone.
``measure_pack`` puts a pack into play that is not whole or not clean, and counts hands.
"""

import random
import statistics
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import JOKER, Card, Tag
from engine.events import AnyEvent
from engine.setup import TableSetup
from engine.state import FindingKind
from engine.watch import advance, begin
from tests.engine.dealer import shuffled
from tests.engine.deeds import CAMERA_ALONE, FULL, SHOE_ALONE, Physical, Sensors, sense
from tests.engine.faults import GAMES_OF, faulty_deal
from tests.engine.felt import packs, seats
from tests.engine.hands import dealt
from tests.engine.neutral import neutral_book

SENSORS: dict[str, Sensors] = {
    "all sensors": FULL,
    "shoe alone": SHOE_ALONE,
    "camera alone": CAMERA_ALONE,
}
PACK_FAULTS: tuple[FindingKind, ...] = (
    "duplicate_card", "foreign_card", "nonstandard_card", "missing_card",
)  # fmt: skip
MOST_HANDS = 30
"""Hands after which a pack that nothing has found wrong is given up."""


class Row(Struct, frozen=True, kw_only=True):
    """How soon one kind of fault was flagged with one set of sensors."""

    kind: FindingKind
    sensors: str
    tried: int
    flagged: int
    events: float | None
    """Events that passed from the first that shows the fault to the flag, median; None: never."""
    most_events: int | None
    hands: float
    """Whole hands that passed before the one in which it was flagged, median."""


class Passed(Struct, frozen=True):
    """What passed until one fault was flagged."""

    events: int
    hands: int


def measure(seed: int, hands: int) -> list[Row]:
    """Return the rows of faults of a deal.

    Args:
        seed: Settles every hand.
        hands: Hands for each kind and each set of sensors.
    """
    rows = []
    for kind, games in GAMES_OF.items():
        for name, sensors in SENSORS.items():
            rng = random.Random(f"{seed} {kind}")
            passed = [_passed(kind, rng.choice(games), sensors, rng) for _ in range(hands)]
            rows.append(_row(kind, name, passed))
    return rows


def _passed(kind: FindingKind, game: str, sensors: Sensors, rng: random.Random) -> Passed | None:
    fault = faulty_deal(game, kind, rng)  # type: ignore[arg-type]
    sensed = fault.sensed(sensors, rng.randrange(2**32))
    setup = replace(fault.setup, readers=sensors.readers, has_camera=sensors.has_camera)
    watch = begin(setup, neutral_book(fault.dealt_by))
    first = sensed.first(fault.begins)
    for at, event in enumerate(sensed.events):
        watch, changed = advance(watch, event)
        if at >= first and any(ruling.finding == kind for ruling in changed):
            return Passed(at - first, 0)
    return None


def _row(kind: FindingKind, sensors: str, passed: list[Passed | None]) -> Row:
    seen = [each for each in passed if each is not None]
    return Row(
        kind=kind,
        sensors=sensors,
        tried=len(passed),
        flagged=len(seen),
        events=statistics.median(each.events for each in seen) if seen else None,
        most_events=max((each.events for each in seen), default=None),
        hands=statistics.median(each.hands for each in seen) if seen else MOST_HANDS,
    )


# ---------------------------------------------------------------- packs
def measure_pack(seed: int, packs_tried: int) -> list[Row]:
    """Return the rows of packs with a card too many, of another kind, or missing.

    A nine-handed hold'em table plays hand after hand with the pack; nobody enters anything, and
    the pack lies on its pad between two hands.
    """
    rows = []
    for kind in PACK_FAULTS:
        for name, sensors in SENSORS.items():
            rng = random.Random(f"{seed} {kind}")
            passed = [_pack_passed(kind, sensors, rng) for _ in range(packs_tried)]
            rows.append(_row(kind, name, passed))
    return rows


def _pack_passed(kind: FindingKind, sensors: Sensors, rng: random.Random) -> Passed | None:
    setup = TableSetup(
        game="holdem",
        seats=seats("1 2 3 4 5 6 7 8 9"),
        packs=packs("holdem"),
        readers=sensors.readers,
        has_camera=sensors.has_camera,
        actions="none",
        hands="inferred",
    )
    watch = begin(setup, neutral_book())
    count = 0
    for number, events in enumerate(_hands(setup, kind, sensors, rng)):
        for event in events:
            watch, changed = advance(watch, event)
            if any(ruling.finding in (kind, "wrong_pack_count") for ruling in changed):
                return Passed(count, number)
            count += 1
    return None


def _hands(
    setup: TableSetup, kind: FindingKind, sensors: Sensors, rng: random.Random
) -> Iterator[tuple[AnyEvent, ...]]:
    """Yield the events of hand after hand with one pack, the button moving on."""
    cards = shuffled(setup.packs[0], rng)
    if kind == "missing_card":
        cards.pop()
    else:
        cards.append(_odd_card(kind, rng.choice(cards)))
    own = frozenset(card.tag for card in cards)
    start_ns = 0
    for number in range(MOST_HANDS):
        button = setup.seats[(number - 1) % len(setup.seats)]
        rng.shuffle(cards)
        deal = dealt(replace(setup, button=button), cards, rng, entries="none")
        events = sense(deal.deeds, sensors, own=own, decks=1, seed=rng.randrange(2**32)).events
        yield tuple(replace(event, at_ns=event.at_ns + start_ns) for event in events)
        start_ns += events[-1].at_ns + 10_000_000_000


def _odd_card(kind: FindingKind, other: Physical) -> Physical:
    if kind == "duplicate_card":
        return Physical(Tag(f"{other.card}#2"), other.card)
    if kind == "foreign_card":
        return Physical(Tag("X1"), None, None, Card("9h"))
    return Physical(Tag(JOKER), JOKER)
