"""Readings that come late: they are put where they belong, and what they overturn is taken back.

Sensors differ in how long they take to tell. An event whose capture is older than the newest is
put among the recent ones in the order of capture, and the table is followed again from there.
So the rulings that stand in the end are those of the order in which things happened.
"""

from msgspec import Struct
from msgspec.structs import replace

from engine.docket import Docket, Ruling
from engine.events import AnyEvent
from engine.following import Now, follow
from engine.rulebook import RuleBook
from engine.setup import TableSetup

# What one sensor saw may be told a window late, and what waits for it another window.
KEPT_WINDOWS = 3


class Moment(Struct, frozen=True):
    """An event, and the table as it was before it."""

    event: AnyEvent
    before: Now


Moments = tuple[Moment, ...]


def remember(recent: Moments, moment: Moment, setup: TableSetup) -> Moments:
    """Return the recent moments with one more, those left out that are too old to matter."""
    oldest_ns = moment.event.at_ns - KEPT_WINDOWS * setup.window_ns
    if recent and recent[0].event.at_ns < oldest_ns:
        recent = tuple(m for m in recent if m.event.at_ns >= oldest_ns)
    return (*recent, moment)


def put_in_order(
    book: RuleBook, now: Now, recent: Moments, event: AnyEvent
) -> tuple[Now, Moments, list[Ruling]]:
    """Follow the table again from where a late event belongs.

    An event that is older than all that is remembered is taken as it comes.
    """
    at = next(n for n, m in enumerate((*recent, None)) if m is None or m.event.at_ns > event.at_ns)
    if at == len(recent) or (at == 0 and event.at_ns < recent[0].event.at_ns - _reach(now)):
        then, changes = follow(book, now, event)
        return then, (*recent, Moment(event, now)), changes
    start = recent[at].before
    then = Now(start.table, replace(start.docket, count=now.docket.count))
    moments: list[Moment] = list(recent[:at])
    for each in (event, *(moment.event for moment in recent[at:])):
        moments.append(Moment(each, then))
        then, _ = follow(book, then, each)
    docket, changes = _reconcile(start.docket, now.docket, then.docket)
    return Now(then.table, docket), tuple(moments), changes


def _reach(now: Now) -> int:
    return KEPT_WINDOWS * now.table.setup.window_ns


def _reconcile(start: Docket, told: Docket, again: Docket) -> tuple[Docket, list[Ruling]]:
    """Give rulings that stand again the ids under which they were told; take back the rest.

    Args:
        start: The rulings before the late event.
        told: The rulings as they were told without it.
        again: The rulings that the second following gave.
    """
    names: dict[str, str] = {}
    free = [ruling for ruling_id, ruling in told.rulings.items() if ruling_id not in start.rulings]
    for ruling_id, ruling in again.rulings.items():
        if ruling_id in start.rulings:
            continue
        same = next((old for old in free if _is_same(old, ruling)), None)
        if same is not None:
            names[ruling_id] = same.id
            free.remove(same)
    docket = _renamed(again, names)
    taken_back = [
        replace(ruling, state="superseded", asks=(), callable_by=(), because=_LATE)
        for ruling in free
        if ruling.state in ("open", "final")
    ]
    rulings = {**docket.rulings, **{ruling.id: ruling for ruling in (*free, *taken_back)}}
    changes = [r for r in docket.rulings.values() if told.rulings.get(r.id) != r]
    return replace(docket, rulings=rulings), [*taken_back, *changes]


_LATE = "Taken back: a reading that came late shows that it was not so."


def _is_same(old: Ruling, new: Ruling) -> bool:
    return (old.matter, old.verdict, old.cite, old.place) == (
        new.matter,
        new.verdict,
        new.cite,
        new.place,
    )


def _renamed(docket: Docket, names: dict[str, str]) -> Docket:
    """Return a docket with some of its rulings under other ids."""
    if not names:
        return docket

    def name(ruling_id: str) -> str:
        return names.get(ruling_id, ruling_id)

    rulings = {
        name(ruling_id): replace(
            ruling,
            id=name(ruling_id),
            superseded_by=name(ruling.superseded_by) if ruling.superseded_by else None,
        )
        for ruling_id, ruling in docket.rulings.items()
    }
    matters = {
        key: replace(
            matter,
            slots={slot: name(ruling_id) for slot, ruling_id in matter.slots.items()},
            past=tuple(map(name, matter.past)),
        )
        for key, matter in docket.matters.items()
    }
    return replace(docket, rulings=rulings, matters=matters)
