"""What two rule books would have ruled on the same hands.

There was one table, and how it went on after a misdeal followed from the book that was in force.
So that book carries the table, and the two that are compared judge the deals of that table.
"""

from collections.abc import Iterable

from msgspec import Struct

from engine.closing import close_deal
from engine.docket import Docket, Ruling
from engine.events import AnyEvent, Stated
from engine.rulebook import RuleBook
from engine.watch import Watch, advance

_Matter = tuple[int, str]
"""The number of its deal, and the finding."""


class Difference(Struct, frozen=True):
    """One matter on which two books rule differently."""

    one: tuple[Ruling, ...]
    """What stood in the end under the first book: none where it is silent, seldom several."""
    two: tuple[Ruling, ...]


def compare(
    watch: Watch, events: Iterable[AnyEvent], one: RuleBook, two: RuleBook, *, only_ended: bool
) -> list[Difference]:
    """Judge the same events by two books.

    What the floor set aside is compared as it was ruled: a dismissal names a ruling of the book
    that was in force.

    Args:
        watch: The table before the events, with the book that was in force.
        events: What happened.
        one: A book.
        two: Another.
        only_ended: Leave out a deal whose cards are still out after the last event, so that no
            face-down card of a live hand is named.

    Returns:
        Where they differ, in the order in which it was found.
    """
    judges = (_Judge(watch, one), _Judge(watch, two))
    for event in events:
        before, (watch, _) = watch, advance(watch, event)
        for judge in judges:
            judge.take(event, before, watch)
    live = watch.table.deal_no if only_ended and watch.table.hand.is_started else None
    matters = dict.fromkeys((*judges[0].stood, *judges[1].stood))
    pairs = [
        Difference(*(tuple(judge.stood.get(matter, {}).values()) for judge in judges))
        for matter in matters
        if matter[0] != live
    ]
    return [pair for pair in pairs if set(map(_said, pair.one)) != set(map(_said, pair.two))]


def _said(ruling: Ruling) -> tuple[object, ...]:
    """Return what two rulings must share to be the same; a claim that nobody made is none."""
    asks = tuple((ask.fact, *ask.verdicts.items()) for ask in ruling.asks)
    is_unclaimed = ruling.decider == "claim" and ruling.state != "final"
    return ruling.place, ruling.verdict, is_unclaimed, asks


class _Judge:
    """One book's rulings on the deals of a table that another book carried."""

    def __init__(self, carried: Watch, book: RuleBook) -> None:
        self._watch = Watch(table=carried.table, docket=Docket(), book=book)
        self._matters: dict[str, _Matter] = {}
        self.stood: dict[_Matter, dict[str, Ruling]] = {}

    def take(self, event: AnyEvent, before: Watch, after: Watch) -> None:
        """Judge an event; ``before`` and ``after`` it is how the book in force has the table."""
        if isinstance(event, Stated) and event.topic == "dismiss":
            return
        self._watch, rulings = advance(self._watch, event)
        for ruling in rulings:
            matter = self._matters.setdefault(ruling.id, (before.table.deal_no, ruling.matter))
            standing = self.stood.setdefault(matter, {})
            if ruling.state == "superseded":
                standing.pop(ruling.id, None)
            else:
                standing[ruling.id] = ruling
        self._follow(before, after)

    def _follow(self, before: Watch, after: Watch) -> None:
        """Go on with the table as it was, wherever a deal has ended."""
        own = self._watch
        deals = {watch.table.deal_no for watch in (before, after, own)}
        if len(deals) == 1:
            return
        is_behind = own.table.deal_no != after.table.deal_no
        docket = close_deal(own.docket)[0] if is_behind else own.docket
        self._watch = Watch(table=after.table, docket=docket, book=own.book)
