"""What sensors tell of a hand: the events that bridge, vision and operators would emit.

For tests of the engine alone, by the thousand, without ports and without waiting. Every place
with an antenna tells each card that comes and each that goes, the pack pad tells the pack when it
has lain still, the camera tells what it saw.
"""

import math
import random
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from engine.cards import PACK, SHOE, Pack, Place, Tag
from engine.events import AnyEvent, CardGone, CardRead, PackCounted, TimePassed
from engine.setup import TableSetup
from engine.statements import parse_statement
from hw_fixtures.camera import as_event
from hw_fixtures.timeline import Lost, Move, Said, Seen, Step, Timeline
from hw_fixtures.world import READ_PLACES

READERS: frozenset[Place] = READ_PLACES | {Place("S10")}
"""Every place of a full table that has an antenna."""

TELLING = READERS - {PACK}
"""Where cards are told one by one; the pack pad tells a count."""

# How long a pack lies still before its pad tells it.
COUNT_S = 1.0


class Lags(Struct, frozen=True, kw_only=True):
    """How much later than it happens a reader tells a thing, in seconds; ideal where all is 0."""

    read_s: float = 0.0
    gone_s: float = 0.0
    jitter_s: float = 0.0
    """Up to so much is added to each, by chance."""
    seed: int = 0


POLLED = Lags(read_s=0.03, gone_s=0.4, jitter_s=0.15)
"""As polled readers tell: an arrival after a round or two, a departure after three that miss."""


def setup_of(
    timeline: Timeline,
    *,
    packs: tuple[Pack, ...] = (),
    actions: Literal["entered", "none"] = "entered",
    hands: Literal["entered", "inferred"] = "entered",
) -> TableSetup:
    """Return the set-up of the full table at which a hand is dealt.

    Args:
        timeline: The hand.
        packs: The registered packs; left out, the one that is dealt.
        actions: Whether betting is entered.
        hands: Whether hands are told or inferred.
    """
    return TableSetup(
        game=timeline.game,
        seats=timeline.seats,
        button=timeline.button,
        packs=packs or (timeline.pack,),
        readers=READERS,
        actions=actions,
        hands=hands,
    )


def as_events(timeline: Timeline, *, start_ns: int = 0, lags: Lags | None = None) -> list[AnyEvent]:
    """Return the events of a hand, in order of their capture.

    Args:
        timeline: The hand.
        start_ns: When it begins, on the table's clock.
        lags: How much later than they happen things are told; left out, at once.
    """
    antennas = _Antennas(timeline.pack, lags or Lags())
    events: list[AnyEvent] = []
    for step in timeline.steps:
        at_ns = start_ns + round(step.at_s * 1e9)
        if isinstance(step, Said):
            events.append(parse_statement(step.text, at_ns))
        elif isinstance(step, (Seen, Lost)):
            events.append(as_event(step, at_ns))
        elif isinstance(step, Move):
            events += antennas.tell(step, at_ns)
    events += _counts(timeline.steps, start_ns)
    events.sort(key=lambda event: event.at_ns)
    return [*events, TimePassed(at_ns=start_ns + round(timeline.length_s * 1e9))]


class _Antennas:
    """Tells of cards that come and go, each a little later than it happens."""

    def __init__(self, pack: Pack, lags: Lags) -> None:
        self._pack = pack.name
        self._known = {card.tag: card.card for card in pack.cards}
        self._lags = lags
        self._rng = random.Random(lags.seed)

    def tell(self, move: Move, at_ns: int) -> Iterator[CardGone | CardRead]:
        """Yield what two antennas tell of a card that is carried from one to the other."""
        if move.source in TELLING:
            gone_ns = at_ns + self._lag_ns(self._lags.gone_s)
            yield CardGone(place=move.source, tag=move.tag, at_ns=gone_ns)
        if move.target in TELLING:
            # The shoe is polled without a pause, so that no card slips by.
            read_ns = at_ns if move.target == SHOE else at_ns + self._lag_ns(self._lags.read_s)
            card = self._known.get(move.tag)
            yield CardRead(
                place=move.target,
                tag=move.tag,
                card=card,
                pack=None if card is None else self._pack,
                at_ns=read_ns,
            )

    def _lag_ns(self, lag_s: float) -> int:
        return round((lag_s + self._rng.random() * self._lags.jitter_s) * 1e9)


def _counts(steps: Iterable[Step], start_ns: int) -> list[PackCounted]:
    """Return the counts of the pack pad: one whenever what lies on it has lain still."""
    changes: dict[float, set[Tag]] = {}
    lies: set[Tag] = set()
    for step in steps:
        if isinstance(step, Move) and PACK in {step.source, step.target}:
            lies = lies | {step.tag} if step.target == PACK else lies - {step.tag}
            changes[step.at_s] = lies
    next_at = [*list(changes)[1:], math.inf]
    return [
        PackCounted(
            count=len(tags),
            is_complete=True,
            tags=tuple(sorted(tags)),
            at_ns=start_ns + round((at_s + COUNT_S) * 1e9),
        )
        for (at_s, tags), until_s in zip(changes.items(), next_at, strict=False)
        if tags and until_s - at_s >= COUNT_S
    ]
