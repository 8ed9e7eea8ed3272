"""What the page shows of a table, in the shape in which it is sent."""

from msgspec import Struct

from engine.cards import Card, Place
from engine.docket import Ruling
from engine.judging import Ask
from engine.words import STOPPING
from firmware_bridge.bridge import ReaderHealth
from misdeal.feed import Shown
from misdeal.health import is_well

_NANOSECONDS_PER_MS = 1_000_000


def as_ms(at_ns: int) -> float:
    """Return a moment in milliseconds: a browser's numbers hold no nanoseconds."""
    return at_ns / _NANOSECONDS_PER_MS


class Choice(Struct, frozen=True):
    """An answer to a question."""

    answer: str
    verdict: str | None
    """What it leads to; None where more is asked or nothing follows."""
    say: str
    """The statement that gives it; empty where there is none."""


class Question(Struct, frozen=True):
    """What is asked of whoever stands at the table."""

    fact: str
    choices: tuple[Choice, ...]


class RulingScene(Struct, frozen=True, kw_only=True):
    """A ruling as the page shows it."""

    id: str
    hand: int
    at_ms: float
    """When it last changed."""
    sort: str
    """``stop``, ``open``, ``final`` or ``noted``: what its colour and shape say; what is over is
    ``noted``."""
    state: str
    verdict: str | None
    finding: str
    place: Place | None
    card: Card | None
    because: str
    cite: tuple[str, ...]
    decider: str
    callable_by: tuple[Place, ...]
    until: str | None
    until_ms: float | None
    questions: tuple[Question, ...]
    next_dealer: Place | None
    remedy: tuple[str, ...]
    superseded_by: str | None


class PlaceScene(Struct, frozen=True, kw_only=True):
    """A hand, the board or a pile."""

    place: Place
    cards: int
    due: int | None
    unread: int
    is_next: bool
    faces: tuple[Card, ...]
    """Those of its cards that lie face up."""


class TableScene(Struct, frozen=True, kw_only=True):
    """A table as the page draws it."""

    phase: str
    hand: int
    button: Place | None
    places: tuple[PlaceScene, ...]
    in_force: tuple[RulingScene, ...]
    can_undo: bool


class LogLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event that mattered."""

    at_ms: float
    hand: int
    ruling: RulingScene | None = None
    said: str = ""
    by: str = ""
    reader: str = ""
    state: str = ""


class ReaderScene(Struct, frozen=True, kw_only=True):
    """A reader as the strip of devices shows it."""

    name: str
    is_well: bool
    state: str
    why: str
    places: tuple[Place, ...]
    cycle_ms: float
    frames: int
    errors: int
    is_slow: bool
    is_degraded: bool
    last_good_ms: float | None


def table_scene(shown: Shown, since_ns: dict[str, int]) -> TableScene:
    """Return a table as the page draws it.

    Args:
        shown: What may be shown of it.
        since_ns: When each ruling last changed.
    """
    table = shown.table
    return TableScene(
        phase=table.phase,
        hand=table.hand_no,
        button=table.button,
        places=tuple(
            PlaceScene(
                place=each.place,
                cards=each.cards,
                due=each.due,
                unread=each.unread,
                is_next=each.is_next,
                faces=shown.faces.get(each.place, ())[: each.cards],
            )
            for each in table.places
        ),
        in_force=tuple(
            ruling_scene(each, since_ns.get(each.id, shown.at_ns)) for each in table.in_force
        ),
        can_undo=shown.can_undo,
    )


def ruling_scene(ruling: Ruling, at_ns: int) -> RulingScene:
    """Return a ruling, which must be fit to be shown, as the page shows it."""
    until = ruling.until if ruling.state == "open" else None
    return RulingScene(
        id=ruling.id,
        hand=ruling.hand,
        at_ms=as_ms(at_ns),
        sort=_sort(ruling),
        state=ruling.state,
        verdict=ruling.verdict,
        finding=ruling.finding,
        place=ruling.place,
        card=ruling.card,
        because=ruling.because,
        cite=ruling.cite,
        decider=ruling.decider,
        callable_by=ruling.callable_by if ruling.state == "open" else (),
        until=until.event if until else None,
        until_ms=as_ms(until.at_ns) if until and until.at_ns is not None else None,
        questions=tuple(_question(ask, ruling) for ask in ruling.asks),
        next_dealer=ruling.next_dealer,
        remedy=ruling.remedy,
        superseded_by=ruling.superseded_by,
    )


def _sort(ruling: Ruling) -> str:
    if ruling.state == "open":
        return "open"
    if ruling.verdict == "noted" or ruling.state != "final":
        return "noted"
    return "stop" if ruling.verdict in STOPPING else "final"


def _question(ask: Ask, ruling: Ruling) -> Question:
    return Question(
        ask.fact,
        tuple(
            Choice(answer, verdict, _statement(ask.fact, answer, ruling))
            for answer, verdict in ask.verdicts.items()
        ),
    )


def _statement(fact: str, answer: str, ruling: Ruling) -> str:
    """Return the statement that answers a question; empty where only deeds answer it."""
    match fact:
        case "substantial_action":
            return f"say substantial {answer}"
        case "handled":
            return f"say handled {answer}"
        case "exposed_by" if ruling.card:
            return f"say exposed {ruling.card} by={answer}"
        case "looked" if ruling.place:
            return f"say looked {ruling.place} {answer}"
        case "anted" if ruling.place:
            return f"say {'ante' if answer == 'yes' else 'no-ante'} {ruling.place}"
        case _:
            return ""


def reader_scene(reader: ReaderHealth) -> ReaderScene:
    """Return a reader as the strip of devices shows it."""
    last = reader.last_good_ns
    return ReaderScene(
        name=reader.name,
        is_well=is_well(reader),
        state=reader.state,
        why=reader.why,
        places=reader.places,
        cycle_ms=round(reader.cycle_ms, 1),
        frames=reader.frames,
        errors=reader.checksum_errors + reader.timeouts,
        is_slow=reader.is_slow,
        is_degraded=reader.is_degraded,
        last_good_ms=None if last is None else as_ms(last),
    )
