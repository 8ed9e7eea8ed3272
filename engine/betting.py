"""Who has acted and who must still act, as far as actions are entered; no amounts."""

from msgspec.structs import replace

from engine.cards import DEALER, Place
from engine.events import ActionEntered
from engine.state import Betting, Table

_CHIPS = frozenset({"call", "bet", "raise", "allin"})
_RAISES = frozenset({"bet", "raise"})


def live_seats(table: Table) -> frozenset[Place]:
    """Return the seats that still have a live hand."""
    hand = table.hand
    return frozenset(
        seat
        for seat in table.entitled
        if seat not in hand.betting.folded
        and seat not in table.absent
        and seat not in table.penalty
        and (hand.hands.get(seat) or hand.unread.get(seat) or not hand.is_deal_over)
    )


def open_street(table: Table) -> Betting:
    """Return the betting at the start of a street: everybody who can still bet must act.

    Against the house even a player alone has his decision to make.
    """
    betting = table.hand.betting
    able = live_seats(table) - betting.all_in - {DEALER}
    return replace(
        betting,
        to_act=able if len(able) > 1 or table.plan.is_banked else frozenset(),
        may_act=frozenset(),
        street_actions=0,
        is_open=False,
    )


def act(table: Table, event: ActionEntered) -> Betting:
    """Return the betting after an action.

    An all-in after a bet may be a call for less, so it makes nobody act again for certain:
    those who had acted are let off rather than waited for.
    """
    betting = table.hand.betting
    seat, action = event.seat, event.action
    folded = betting.folded | {seat} if action == "fold" else betting.folded
    all_in = betting.all_in | {seat} if action == "allin" else betting.all_in
    to_act = betting.to_act - {seat}
    raises = action in _RAISES or (action == "allin" and not betting.is_open)
    if raises and not table.plan.is_banked:
        # Against the house each player decides for himself; a bet makes nobody act again.
        to_act = live_seats(table) - folded - all_in - {seat}
    if not table.plan.is_banked and len(live_seats(table) - folded) <= 1:
        to_act = frozenset()
    may_act = betting.may_act - {seat} if not raises else frozenset()
    if action == "allin" and not raises and not table.plan.is_banked:
        may_act = live_seats(table) - folded - all_in - to_act
    in_turn = not event.is_out_of_turn
    return replace(
        betting,
        in_turn=betting.in_turn + in_turn,
        has_chips=betting.has_chips or (in_turn and action in _CHIPS),
        seats_acted=betting.seats_acted | {seat},
        folded=folded,
        all_in=all_in,
        to_act=to_act,
        may_act=may_act,
        street_actions=betting.street_actions + 1,
        is_open=betting.is_open or action in _CHIPS,
    )


def drop(betting: Betting, seat: Place) -> Betting:
    """Return the betting after a whole hand went to the muck."""
    return replace(betting, folded=betting.folded | {seat}, to_act=betting.to_act - {seat})
