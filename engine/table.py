"""One step of the table: an event goes in, the table after it and what was found come out.

``step`` never raises, whatever the order of events: what makes no sense where it comes changes
nothing. Each kind of event has one handler in ``HANDLERS``; each kind of happening has the
detectors that look at it in ``engine.detect``.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine import events as ev
from engine import sighting, telling
from engine.arriving import arrive, give_up_waiting, land_ahead
from engine.cards import PACK, RACK, SHOE
from engine.collecting import (
    back_on_pad,
    begins_anew,
    collect,
    collect_late,
    is_cleared,
    is_over,
    pack_counted,
)
from engine.detect import look_at
from engine.landing import GIVEN_UP_NS, Step, count_late, infer_oldest, land, leave_shoe
from engine.moving import let_go, read_elsewhere
from engine.state import Finding, Hand, Happening, Overdue, Seen, Settled, Table, Withdrawn

Found = Finding | Withdrawn | Settled


def _card_read(table: Table, event: ev.CardRead) -> Step:
    place, tag = event.place, event.tag
    if place == SHOE:
        return _read_at_shoe(table, event)
    seen = table.hand.cards.get(tag)
    if place == PACK:
        return (back_on_pad(table, seen) if seen and seen.path else table), []
    if seen is None:
        seen = Seen(tag=tag, card=event.card, pack=event.pack)
        table, happenings = arrive(table, seen, place, event.at_ns)
    elif not seen.path:
        table, happenings = land(table, tag, place, event.at_ns)
    else:
        table, happenings = read_elsewhere(table, seen, place, event.at_ns)
        if place == RACK and is_cleared(table):
            table, more = collect(table)
            return table, happenings + more
    return sighting.match_sightings(table, happenings, event.at_ns)


def _read_at_shoe(table: Table, event: ev.CardRead) -> Step:
    if event.tag in table.hand.cards:
        return table, []
    seen = Seen(tag=event.tag, card=event.card, pack=event.pack, left_ns=event.at_ns)
    table, happenings = leave_shoe(table, seen)
    table, happenings = sighting.match_boxed(table, seen, happenings, event.at_ns)
    if not table.hand.ahead:
        return table, happenings
    table, landed = land_ahead(table, event.tag)
    return sighting.match_sightings(table, happenings + landed, event.at_ns)


def _card_gone(table: Table, event: ev.CardGone) -> Step:
    seen = table.hand.cards.get(event.tag)
    if seen is None:
        return table, []
    table, happenings = let_go(table, seen, event.place, event.at_ns)
    if table.hand.cards[event.tag].place == RACK and is_cleared(table):
        table, more = collect(table)
        happenings = happenings + more
    return table, happenings


HANDLERS: dict[type, Callable[[Table, Any], Step]] = {
    ev.CardRead: _card_read,
    ev.CardGone: _card_gone,
    ev.PackCounted: pack_counted,
    ev.DeviceFaulted: telling.told,
    ev.DeviceRestored: telling.told,
    ev.CardSighted: sighting.card_sighted,
    ev.CardLost: sighting.card_lost,
    ev.BackSighted: sighting.back_sighted,
    ev.BackMarked: telling.told,
    ev.CutMade: telling.cut_made,
    ev.PackShuffled: telling.pack_shuffled,
    ev.CutRefused: telling.cut_refused,
    ev.DealEnded: telling.deal_ended,
    ev.ActionEntered: telling.action_entered,
    ev.ClaimMade: telling.told,
    ev.HandTouched: telling.hand_touched,
    ev.HandLooked: telling.hand_looked,
    ev.Stated: telling.stated,
    ev.Reported: telling.told,
    ev.Approved: telling.approved,
    ev.TimePassed: lambda table, event: (table, []),
}
"""What each kind of event does to the table; every event of the vocabulary has one."""


def _ripen(table: Table, now_ns: int) -> Step:
    """Draw the conclusions that only time allows."""
    hand = table.hand
    happenings: list[Happening] = []
    if hand.air and now_ns - hand.cards[hand.air[0]].left_ns > GIVEN_UP_NS:
        table, happenings = infer_oldest(table, now_ns)
    if table.hand.ahead:
        table, more = give_up_waiting(table, now_ns)
        happenings = happenings + more
    if table.hand.is_to_count:
        table, more = count_late(table, now_ns)
        happenings = happenings + more
    if table.hand.pending:
        table, more = _end_grace(table, now_ns)
        happenings = happenings + more
    table, more = sighting.give_up(table, now_ns)
    return table, happenings + more


# How long an operator may lag behind the cards with what he enters, and a reader behind him.
GRACE_NS = 900_000_000


def _end_grace(table: Table, now_ns: int) -> Step:
    """Tell what nothing has explained in time."""
    hand = table.hand
    open_still = [p for p in hand.pending if p.seats or hand.street <= p.street]
    late = [p for p in open_still if now_ns - p.finding.at_ns > GRACE_NS]
    hand = replace(hand, pending=tuple(p for p in open_still if p not in late))
    return replace(table, hand=hand), [Overdue(p.finding) for p in late]


def is_waiting(hand: Hand) -> bool:
    """Say whether the passing of time alone may change something."""
    return bool(
        hand.air or hand.sightings or hand.backs or hand.is_to_count or hand.ahead or hand.pending
    )


def step(table: Table, event: ev.AnyEvent) -> tuple[Table, list[Found]]:
    """Return the table after an event and what was found; pure, and never raises."""
    now_ns = max(table.now_ns, event.at_ns)
    found: list[Found] = []
    if is_waiting(table.hand):
        table, happenings = _ripen(table, now_ns)
        if happenings:
            table, found = look_at(replace(table, now_ns=now_ns), happenings)
    before = table
    table, happenings = HANDLERS[type(event)](table, event)
    table = _hand_on(before, replace(table, now_ns=now_ns))
    if not happenings:
        return table, found
    table, more = look_at(table, happenings)
    return table, found + more


def ends_before(table: Table, event: ev.AnyEvent, *, is_stopped: bool) -> bool:
    """Say whether an event shows that the hand had ended without anybody telling.

    Args:
        table: The table before the event.
        event: The event.
        is_stopped: A ruling in force has stopped the hand.
    """
    if isinstance(event, ev.CardRead) and event.place == SHOE:
        return begins_anew(table, event.tag, is_stopped=is_stopped)
    if isinstance(event, _OF_THE_PACK):
        return is_over(table, is_stopped=is_stopped)
    is_new_round = isinstance(event, ev.Stated) and event.topic == "bets closed"
    return is_new_round and table.bets_closed and is_over(table, is_stopped=True)


def end_late(table: Table) -> tuple[Table, list[Found]]:
    """Return the table after the end of a hand that nobody told, and what the census found."""
    after, happenings = collect_late(table)
    return look_at(_hand_on(table, after), happenings)


def keep_for_next(table: Table, event: ev.AnyEvent, *, is_stopped: bool) -> Table:
    """Return the table with what is told of the pack of the next deal before this one is cleared.

    Once a ruling has stopped the deal the cards are gathered and shuffled, faster than readers tell
    that they are gone.
    """
    hand = table.hand
    if not (is_stopped and hand.is_started and isinstance(event, _OF_THE_PACK)):
        return table
    return replace(table, hand=replace(hand, for_next=(*hand.for_next, event)))


_OF_THE_PACK = (ev.PackShuffled, ev.CutMade, ev.CutRefused)


def _hand_on(before: Table, after: Table) -> Table:
    """Let what was told for the next deal count for it, once it is due."""
    if after.deal_no == before.deal_no:
        return after
    for event in before.hand.for_next:
        after, _ = HANDLERS[type(event)](after, event)
    return after
