"""What people and their devices tell, and what it changes at the table."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from engine import events as ev
from engine.betting import act, open_street
from engine.cards import seat_number
from engine.collecting import collect
from engine.landing import Step, end_deal
from engine.seating import arrange, next_hand
from engine.state import Acted, Happening, Table, Told


def deal_ended(table: Table, event: ev.DealEnded) -> Step:
    """The dealer takes the deal as complete."""
    return end_deal(table, event.at_ns, was_said=True) if table.hand.is_started else (table, [])


def _can_act(table: Table, event: ev.ActionEntered) -> bool:
    """Say whether there is a hand on which that seat can act."""
    hand = table.hand
    is_in = event.seat in table.entitled and event.seat not in hand.betting.folded
    return hand.is_started and is_in


def action_entered(table: Table, event: ev.ActionEntered) -> Step:
    """A player acts; the first action ends the initial deal."""
    happenings: list[Happening] = []
    if not _can_act(table, event):
        return table, []
    if not table.hand.is_deal_over:
        table, happenings = end_deal(table, event.at_ns, was_said=False)
    betting = table.hand.betting
    is_done = not betting.to_act and event.seat not in betting.may_act
    if table.plan.has_exchange and is_done and table.hand.street == 0:
        table = replace(table, hand=replace(table.hand, betting=open_street(table), street=1))
    hand = replace(table.hand, betting=act(table, event))
    seat = event.seat
    if event.action == "stand":
        hand = replace(
            hand,
            stands={**hand.stands, seat: hand.stands.get(seat, 0) + 1},
            stood_ns={**hand.stood_ns, seat: event.at_ns},
        )
    elif event.action == "split":
        hand = replace(hand, splits={**hand.splits, seat: hand.splits.get(seat, 0) + 1})
    elif event.action == "double":
        hand = replace(hand, doubled={**hand.doubled, seat: len(hand.hands.get(seat, ()))})
    happenings.append(Acted(event.seat, event.action, event.is_out_of_turn))
    return replace(table, hand=hand), happenings


def hand_touched(table: Table, event: ev.HandTouched) -> Step:
    """A player touches his cards."""
    return replace(table, hand=replace(table.hand, touched=table.hand.touched | {event.seat})), []


def hand_looked(table: Table, event: ev.HandLooked) -> Step:
    """A player looks at his cards, and so has touched them."""
    hand = table.hand
    if not hand.hands.get(event.seat) and not hand.unread.get(event.seat):
        # A player whose cards have not arrived has not looked.
        return table, []
    hand = replace(hand, touched=hand.touched | {event.seat}, looked=hand.looked | {event.seat})
    return replace(table, hand=hand), []


def pack_shuffled(table: Table, event: ev.PackShuffled) -> Step:
    """The pack is shuffled, which begins the next hand."""
    hand = replace(table.hand, is_shuffled=event.is_done)
    begun = table.is_next_begun or not table.hand.is_started
    return replace(table, hand=hand, is_next_begun=begun), []


def cut_made(table: Table, event: ev.CutMade) -> Step:
    """The pack is cut."""
    return replace(table, hand=replace(table.hand, is_cut=True)), [Told(event)]


def cut_refused(table: Table, event: ev.CutRefused) -> Step:
    """The cut is declined, or not offered."""
    return replace(table, hand=replace(table.hand, is_cut=event.was_offered)), []


def approved(table: Table, event: ev.Approved) -> Step:
    """The inspector approves that play goes on."""
    return replace(table, approved_ns=max(event.at_ns, table.approved_ns)), [Told(event)]


def told(table: Table, event: ev.AnyEvent) -> Step:
    """Nothing of the table changes; the detectors look at it."""
    return table, [Told(event)]


def stated(table: Table, event: ev.Stated) -> Step:
    """An operator states something."""
    if event.topic == "undo":
        return _undo(table), []
    handler = STATEMENTS.get(event.topic)
    after, happenings = handler(table, event) if handler else _told_alone(table, event)
    hand = replace(
        after.hand,
        said=(*after.hand.said, event),
        undo=(*after.hand.undo, (_changed(table, after), _changed(table.hand, after.hand))),
    )
    return replace(after, hand=hand), happenings


def _told_alone(table: Table, event: ev.Stated) -> Step:
    return table, [Told(event)]


def _changed(before: Struct, after: Struct) -> dict[str, object]:
    """Return what the fields that a statement changed had held."""
    return {
        name: old
        for name in before.__struct_fields__
        if name != "hand" and (old := getattr(before, name)) is not getattr(after, name)
    }


def _undo(table: Table) -> Table:
    hand = table.hand
    if not hand.said:
        return table
    of_table, of_hand = hand.undo[-1]
    hand = replace(hand, **{**of_hand, "said": hand.said[:-1], "undo": hand.undo[:-1]})
    return replace(table, **{**of_table, "hand": hand})


def _tabled(table: Table, event: ev.Stated) -> Step:
    if event.seat is None:
        return table, []
    hand = replace(table.hand, tabled=table.hand.tabled | {event.seat})
    return replace(table, hand=hand), [Told(event)]


def _pot_taken(table: Table, event: ev.Stated) -> Step:
    hand = table.hand
    if not hand.is_started:
        # The cards went back before it was said: it is the pot of the hand before.
        return replace(table, past=replace(table.past, pot_taken_ns=event.at_ns)), []
    betting = replace(hand.betting, to_act=frozenset())
    return replace(table, hand=replace(hand, pot_taken_ns=event.at_ns, betting=betting)), []


def _next_hand(table: Table, event: ev.Stated) -> Step:
    """Without a pack reader this statement is all that ends a hand whose cards are still out."""
    happenings: list[Happening] = []
    if table.hand.is_started:
        table, happenings = collect(table)
    return next_hand(table), [*happenings, Told(event)]


def _sits(table: Table, event: ev.Stated) -> Step:
    seat = event.seat
    if seat is None or seat_number(seat) is None or seat in table.seats or table.plan.places:
        return table, []
    return replace(table, newcomers=table.newcomers | {seat}), []


def _leaves(table: Table, event: ev.Stated) -> Step:
    if table.hand.is_started or event.seat not in table.seats or len(table.seats) < 2:
        return table, []
    seats = tuple(seat for seat in table.seats if seat != event.seat)
    return arrange(replace(table, seats=seats)), []


def _back(table: Table, event: ev.Stated) -> Step:
    if event.seat not in table.absent:
        return table, []
    is_replay = table.is_replay and not table.hand.is_started
    was = table.was_absent | {event.seat} if is_replay else table.was_absent
    return replace(table, absent=table.absent - {event.seat}, was_absent=was), []


def _button(table: Table, event: ev.Stated) -> Step:
    if event.seat not in table.seats or table.hand.is_started:
        return table, []
    dealer = event.seat if table.is_player_dealt else table.dealer
    due = dealer if table.is_player_dealt else table.due_dealer
    return arrange(replace(table, button=event.seat, dealer=dealer, due_dealer=due)), []


def _pack_named(table: Table, event: ev.Stated) -> Step:
    if event.text not in table.own_tags:
        return table, []
    return replace(table, pack=event.text), []


def _break(table: Table, event: ev.Stated) -> Step:
    return replace(table, in_break=True), []


def _bets_closed(table: Table, event: ev.Stated) -> Step:
    return replace(table, bets_closed=True), []


def _nothing(table: Table, event: ev.Stated) -> Step:
    return table, []


STATEMENTS: dict[str, Callable[[Table, ev.Stated], Step]] = {
    "tabled": _tabled,
    "pot taken": _pot_taken,
    "next hand": _next_hand,
    "sits": _sits,
    "leaves": _leaves,
    "back": _back,
    "button": _button,
    "pack": _pack_named,
    "level up": _nothing,
    "break": _break,
    "bets closed": _bets_closed,
}
"""Statements that change the table; all others are answers, kept until they are undone."""
