"""What of a journal may be told: no identity of a face-down card while its hand is live."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from engine.cards import Card, Place
from engine.docket import Ruling
from engine.events import AnyEvent, BackMarked, CardGone, CardRead
from engine.watch import Watch, public
from misdeal.replay import Played

# Events that tell what card lies face down somewhere.
_FACE_DOWN = (CardRead, CardGone, BackMarked)


def faces_up(watch: Watch) -> dict[Place, tuple[Card, ...]]:
    """Return the cards that a camera sees face up, by place; everybody at the table sees them."""
    faces: dict[Place, tuple[Card, ...]] = {}
    for seen in watch.table.hand.cards.values():
        if seen.is_up and seen.card is not None and seen.place is not None:
            faces[seen.place] = (*faces.get(seen.place, ()), seen.card)
    return faces


class Row(Struct, frozen=True):
    """A row of a journal as it may be told."""

    seq: int
    kind: str
    at_ns: int
    body: dict[str, Any]


def conceal(played: Played) -> Row:
    """Return a row without the identity of any card that may lie face down."""
    record = played.record
    if played.event is not None:
        body = _without_identity(played.event)
    elif record.kind == "ruling":
        body = msgspec.to_builtins(_public(played.watch, record.body))
    else:
        body = msgspec.json.decode(record.body)
    return Row(record.seq, record.kind, record.at_ns, body)


def disclose(rows: Iterable[Played]) -> Iterator[Row]:
    """Return rows in full, but conceal those of a hand that has not ended with the last row."""
    live: list[Played] = []
    for played in rows:
        live.append(played)
        if not played.watch.table.hand.is_started:
            yield from map(_in_full, live)
            live.clear()
    yield from map(conceal, live)


def _in_full(played: Played) -> Row:
    record = played.record
    return Row(record.seq, record.kind, record.at_ns, msgspec.json.decode(record.body))


def _without_identity(event: AnyEvent) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(event)
    hidden = {"tag", "tags", "card"} if isinstance(event, _FACE_DOWN) else {"tag", "tags"}
    return {key: value for key, value in body.items() if key not in hidden}


def _public(watch: Watch, body: str) -> Ruling:
    return public(watch, msgspec.json.decode(body, type=Ruling))
