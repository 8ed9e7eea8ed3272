"""What the antennas of a table hear: read rates, cross-talk, cycle times, and what follows.

Pure: looks go in, a survey comes out. Cards are laid at one place after another, in stacks that
grow; meanwhile every antenna of the table is asked as in play. What is heard at the place gives
its read rate, what is heard of those cards elsewhere gives the map of cross-talk.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Literal

import msgspec
from msgspec import Struct, field

from engine.cards import BOARD, HANDS, Place, Tag
from engine.games import PLANS
from engine.games.plan import Plan
from firmware_bridge.copies import NearBy
from firmware_bridge.polls import Poll
from firmware_bridge.presence import ABSENT_NS, ABSENT_POLLS
from firmware_bridge.wiring import are_neighbours

FILE = "survey.json"
"""The survey of a table, beside its table file."""

LOOKS = 50
"""How many looks a rate is measured from. Chosen: 5 s at ten looks a second."""

HAND_S = 120.0
"""How long a hand lies. Assumed: a slow hand of hold'em."""

MOST_FALSE_GONE = 0.05
"""A place is fit where a card that lies there is taken for gone once in twenty hands at most.

Chosen: a card that is told again at once is lifted and laid back, which is no finding.
"""

FORMAT: Literal[1] = 1


class Step(Struct, frozen=True):
    """What is laid where for one measurement."""

    place: Place
    height: int


class Reading(Struct, frozen=True, kw_only=True, tag="reading", tag_field="kind"):
    """How well the cards of one stack were read at their place."""

    place: Place
    height: int
    looks: int
    """Looks that told something."""
    heard: tuple[int, ...]
    """For each card, the lowest first: how many looks read it."""
    unknown: int = 0
    """Looks that told nothing: errors, time-outs."""

    @property
    def rate(self) -> float:
        """The share of looks that read the card that is read worst; 0 without looks."""
        return min(self.heard) / self.looks if self.looks else 0.0


class Crossing(Struct, frozen=True, kw_only=True, tag="crossing", tag_field="kind"):
    """Cards that lie at one place were heard at another."""

    lies_at: Place
    heard_at: Place
    looks: int
    """Looks at the other place meanwhile."""
    hits: int
    """How many of them read such a card."""


class Cycle(Struct, frozen=True, kw_only=True, tag="cycle", tag_field="kind"):
    """How long a place waits from look to look, in milliseconds."""

    place: Place
    median_ms: float
    worst_ms: float


class Verdict(Struct, frozen=True, kw_only=True, tag="verdict", tag_field="kind"):
    """Whether a place is fit for a game."""

    place: Place
    game: str
    cards: int
    """Cards that lie there at the most by the game's own course."""
    is_fit: bool | None
    """None where so high a stack was not measured."""
    false_gone: float | None = None
    """How often a card that lies there is taken for gone, a hand."""


class Survey(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The survey of one table, as ``survey.json`` keeps it."""

    survey: Literal[1] = FORMAT
    table: str
    made: str
    """When, in UTC."""
    readings: tuple[Reading, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    cycles: tuple[Cycle, ...] = ()


def near_of(survey: Survey) -> NearBy:
    """Return what a survey says of which places can hear each other's cards, for the bridge.

    Where both places were measured the survey says it, in whichever direction a card was heard;
    elsewhere the layout of a usual table does.
    """
    heard = frozenset(frozenset({each.lies_at, each.heard_at}) for each in survey.crossings)
    measured = frozenset(reading.place for reading in survey.readings if reading.looks)

    def near(one: Place, other: Place) -> bool:
        if frozenset({one, other}) in heard:
            return True
        return not {one, other} <= measured and are_neighbours(one, other)

    return near


def read_survey(text: str) -> Survey:
    """Read a survey.

    Raises:
        msgspec.DecodeError: If the text is none.
    """
    return msgspec.json.decode(text, type=Survey)


def write_survey(survey: Survey) -> str:
    """Write a survey as ``read_survey`` reads it, for people to read as well."""
    return msgspec.json.format(msgspec.json.encode(survey), indent=1).decode() + "\n"


# ---------------------------------------------------------------- what is to be measured
def most_cards(plan: Plan, place: Place) -> int:
    """Return how many cards lie at a place at the most by a game's own course.

    Where all cards lie open (blackjack, baccarat) it is one drawn card more than is dealt; what is
    drawn beyond, and piles, are told card by card as they come.
    """
    if place in HANDS:
        return plan.hand_cards + (len(plan.streets) if plan.kind == "stud" else plan.all_open)
    return sum(plan.streets) if place == BOARD and plan.kind == "flop" else 1


def plan_steps(places: Iterable[Place], plan: Plan, stack: int | None = None) -> tuple[Step, ...]:
    """Return what is to be laid down, one after the other.

    Args:
        places: The places with an antenna, in the order in which people go through them.
        plan: The game: at each hand and at the board stacks grow to what lies there in it.
        stack: The highest stack at a hand; None for the game's.
    """
    return tuple(
        Step(place, height)
        for place in places
        for height in range(1, _most_height(plan, place, stack) + 1)
    )


def _most_height(plan: Plan, place: Place, stack: int | None) -> int:
    return stack if stack is not None and place in HANDS else most_cards(plan, place)


# ---------------------------------------------------------------- measuring
class _Heard(Struct):
    """What one place gave during a measurement."""

    looks: int = 0
    unknown: int = 0
    hits: Counter[Tag] = field(default_factory=Counter)
    """For each of the laid cards: the looks that read it."""
    any_hits: int = 0


class Measurement:
    """Counts the looks while some cards lie at one place.

    The first look of each place is left out: it may have begun before the cards lay there.

    Args:
        step: What lies where.
        tags: The cards of the stack, the lowest first.
    """

    def __init__(self, step: Step, tags: Sequence[Tag]) -> None:
        self.step = step
        self._tags = tuple(tags)
        self._places: dict[Place, _Heard] = {}

    def take(self, poll: Poll) -> None:
        """Count a look."""
        heard = self._places.get(poll.place)
        if heard is None:
            self._places[poll.place] = _Heard()
            return
        if poll.outcome == "unknown":
            heard.unknown += 1
            return
        ours = [tag for tag in self._tags if tag in poll.tags]
        heard.looks += 1
        heard.any_hits += bool(ours)
        heard.hits.update(ours)

    @property
    def looks(self) -> int:
        """Looks at the place itself so far, those that told nothing included."""
        heard = self._places.get(self.step.place, _Heard())
        return heard.looks + heard.unknown

    def reading(self) -> Reading:
        """Return how well the stack was read at its place."""
        heard = self._places.get(self.step.place, _Heard())
        return Reading(
            place=self.step.place,
            height=self.step.height,
            looks=heard.looks,
            heard=tuple(heard.hits[tag] for tag in self._tags),
            unknown=heard.unknown,
        )

    def crossings(self) -> tuple[Crossing, ...]:
        """Return what was heard of the stack elsewhere; places that heard nothing too."""
        return tuple(
            Crossing(
                lies_at=self.step.place, heard_at=place, looks=heard.looks, hits=heard.any_hits
            )
            for place, heard in self._places.items()
            if place != self.step.place
        )


class Rounds:
    """Measures how long each place waits from look to look."""

    # Gaps that are kept of a place, the newest: two minutes at a hundred looks a second.
    _MOST = 12_000

    def __init__(self) -> None:
        self._last_ns: dict[Place, int] = {}
        self._gaps_ms: dict[Place, list[float]] = {}

    def take(self, poll: Poll) -> None:
        """Take note of a look."""
        last_ns = self._last_ns.get(poll.place)
        self._last_ns[poll.place] = poll.at_ns
        gaps_ms = self._gaps_ms.setdefault(poll.place, [])
        if last_ns is not None:
            gaps_ms.append((poll.at_ns - last_ns) / 1e6)
            del gaps_ms[: -self._MOST]

    def pause(self) -> None:
        """Forget when the last looks were: what follows is no gap of the readers'."""
        self._last_ns.clear()

    def cycles(self) -> tuple[Cycle, ...]:
        """Return the gaps of every place that was looked at twice."""
        return tuple(
            Cycle(place=place, median_ms=median(gaps_ms), worst_ms=max(gaps_ms))
            for place, gaps_ms in self._gaps_ms.items()
            if gaps_ms
        )


def joined(crossings: Iterable[Crossing]) -> tuple[Crossing, ...]:
    """Return the map of cross-talk: each pair of places once, those that heard nothing left out."""
    looks: Counter[tuple[Place, Place]] = Counter()
    hits: Counter[tuple[Place, Place]] = Counter()
    for each in crossings:
        looks[each.lies_at, each.heard_at] += each.looks
        hits[each.lies_at, each.heard_at] += each.hits
    return tuple(
        Crossing(lies_at=pair[0], heard_at=pair[1], looks=looks[pair], hits=count)
        for pair, count in hits.items()
        if count
    )


# ---------------------------------------------------------------- what follows
def false_gone(reading: Reading, cycle_ms: float) -> float:
    """Return how often a card of a stack that lies there is taken for gone, a hand.

    A card is taken for gone when ``ABSENT_POLLS`` looks on end, over ``ABSENT_NS``, miss it. How
    likely a look misses the worst card is estimated by the rule of succession, so that few looks
    without a miss prove no certainty.

    Args:
        reading: How well the stack was read.
        cycle_ms: How long the place waits from look to look.
    """
    miss = 1 - (min(reading.heard) + 1) / (reading.looks + 2)
    in_a_row = max(ABSENT_POLLS, math.ceil(ABSENT_NS / 1e6 / cycle_ms) + 1)
    return HAND_S * 1000 / cycle_ms * miss**in_a_row


def judge(survey: Survey, games: Mapping[str, Plan] = PLANS) -> tuple[Verdict, ...]:
    """Say of each hand's place whether it is fit for each game, and of the board."""
    cycle_ms = {cycle.place: cycle.median_ms for cycle in survey.cycles}
    by_step = {(reading.place, reading.height): reading for reading in survey.readings}
    places = dict.fromkeys(reading.place for reading in survey.readings)
    return tuple(
        _judge(place, plan, by_step, cycle_ms.get(place))
        for place in places
        for plan in games.values()
        if _lies_in(plan, place)
    )


def _lies_in(plan: Plan, place: Place) -> bool:
    """Say whether a game has cards at a place that stay there while it is played."""
    if place == BOARD:
        return plan.kind == "flop"
    if place in ("P", "B"):
        return place in plan.places
    return place in HANDS and not plan.places and (place != "D" or plan.is_banked)


def _judge(
    place: Place, plan: Plan, by_step: Mapping[tuple[Place, int], Reading], cycle_ms: float | None
) -> Verdict:
    cards = most_cards(plan, place)
    stacks = [by_step.get((place, height)) for height in range(1, cards + 1)]
    measured = [reading for reading in stacks if reading is not None]
    rates = [false_gone(reading, cycle_ms) for reading in measured] if cycle_ms else []
    worst = max(rates, default=None)
    is_unfit = worst is not None and worst > MOST_FALSE_GONE
    is_whole = len(rates) == cards
    return Verdict(
        place=place,
        game=plan.game,
        cards=cards,
        is_fit=False if is_unfit else True if is_whole else None,
        false_gone=worst,
    )
