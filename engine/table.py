"""One step of the table: an event goes in, the table after it and what was found come out.

``step`` never raises, whatever the order of events: what makes no sense where it comes changes
nothing. Each kind of event has one handler in ``HANDLERS``; each kind of happening has the
detectors that look at it in ``engine.detect``.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine import events as ev
from engine.betting import act, open_street
from engine.cards import (
    DEALER,
    FLOOR,
    HANDS,
    PACK,
    RACK,
    SHOE,
    STUB,
    Card,
    Place,
)
from engine.detect import look_at
from engine.errors import SetupError
from engine.games import PLANS
from engine.landing import (
    GIVEN_UP_NS,
    Step,
    arrive,
    drop_off_table,
    end_deal,
    infer_oldest,
    land,
    leave_shoe,
    let_go,
    read_elsewhere,
)
from engine.setup import TableSetup
from engine.state import (
    Acted,
    Collected,
    Counted,
    Finding,
    Happening,
    Hand,
    Mismatched,
    Moved,
    Past,
    Seen,
    Settled,
    Table,
    Told,
    TurnedUp,
    Unread,
    Withdrawn,
    seat_after,
)

Found = Finding | Withdrawn | Settled

# Fewer cards than this missing from a complete inventory are missing; more are cards that have
# not been laid on the pad yet. The largest loss in a public report is two cards (SIT-031).
MOST_MISSING = 3


def open_table(setup: TableSetup, *, is_player_dealt: bool = False) -> Table:
    """Return the table before its first event.

    Raises:
        SetupError: If the game is unknown or nobody is entitled to a hand.
    """
    plan = PLANS.get(setup.game)
    if plan is None:
        raise SetupError(f"game {setup.game!r} is unknown: expected one of {', '.join(PLANS)}")
    if not setup.seats and not plan.places:
        raise SetupError(f"{setup.game} needs at least one seat entitled to a hand")
    last = setup.seats[-1] if setup.seats else None
    dealer = setup.dealer or last
    table = Table(
        setup=setup,
        plan=plan,
        is_player_dealt=is_player_dealt and not plan.is_banked,
        own_tags={pack.name: pack.own_tags() for pack in setup.packs},
        seats=setup.seats,
        button=setup.button or last,
        dealer=dealer,
        due_dealer=setup.due_dealer or dealer,
        absent=setup.absent,
        penalty=dict(setup.penalty),
        pack=setup.packs[0].name if setup.packs else None,
        hand=_fresh_hand(setup),
    )
    return arrange(table)


def _fresh_hand(setup: TableSetup) -> Hand:
    return Hand(is_shuffled=setup.prepared, is_cut=setup.prepared)


def arrange(table: Table) -> Table:
    """Return the table with its order of dealing as button, dealer and seats now stand."""
    plan, seats = table.plan, table.seats
    if plan.places:
        order = tuple(Place(name) for name in plan.places)
    elif plan.is_banked:
        order = (*seats, DEALER)
    else:
        start = seat_after(seats, table.dealer if table.is_player_dealt else table.button)
        at = seats.index(start) if start in seats else 0
        order = seats[at:] + seats[:at]
    return replace(table, order=order, entitled=frozenset(order))


# ---------------------------------------------------------------- readers
def _card_read(table: Table, event: ev.CardRead) -> Step:
    place, tag = event.place, event.tag
    if place == PACK:
        return table, []
    seen = table.hand.cards.get(tag)
    if place == SHOE:
        if seen is not None:
            return table, []
        seen = Seen(tag=tag, card=event.card, pack=event.pack, left_ns=event.at_ns)
        table, happenings = leave_shoe(table, seen)
        return _match_boxed(table, seen, happenings, event.at_ns)
    if seen is None:
        seen = Seen(tag=tag, card=event.card, pack=event.pack)
        table, happenings = arrive(table, seen, place, event.at_ns)
    elif not seen.path:
        table, happenings = land(table, tag, place, event.at_ns)
    else:
        table, happenings = read_elsewhere(table, seen, place, event.at_ns)
        if place == RACK and _is_cleared(table):
            table, more = collect(table)
            return table, happenings + more
    return _match_sightings(table, happenings, event.at_ns)


def _is_cleared(table: Table) -> bool:
    """Say whether the last card of a round has gone to the rack of a shoe game."""
    hand = table.hand
    return table.setup.decks > 1 and not hand.air and not any(hand.hands.values())


def _match_boxed(table: Table, seen: Seen, happenings: list[Happening], at_ns: int) -> Step:
    """Join a card that leaves the shoe with a face that the camera saw at its mouth."""
    if table.setup.readers <= {SHOE}:
        table, more = infer_oldest(table, at_ns)
        happenings = happenings + more
    for sighting in table.hand.sightings:
        if sighting[0] == SHOE and sighting[1] == seen.card:
            rest = tuple(s for s in table.hand.sightings if s is not sighting)
            table = replace(table, hand=replace(table.hand, sightings=rest))
            table, more = _box(table, table.hand.cards[seen.tag], at_ns)
            return table, happenings + more
    return table, happenings


def _match_sightings(table: Table, happenings: list[Happening], at_ns: int) -> Step:
    """Join the cards that have just landed with what the camera saw there before."""
    if not table.hand.sightings and not table.hand.backs:
        return table, happenings
    for happening in tuple(happenings):
        seen = getattr(happening, "seen", None)
        if seen is None or seen.place is None:
            continue
        sightings = table.hand.sightings
        match = next((s for s in sightings if s[:2] == (seen.place, seen.card)), None)
        if match is not None:
            rest = tuple(s for s in sightings if s is not match)
            table = replace(table, hand=replace(table.hand, sightings=rest))
            table, more = _turn_up(table, seen, match[2])
            happenings = happenings + more
            continue
        backs = table.hand.backs
        back = next((b for b in backs if b[0] == seen.place), None)
        if back is not None:
            rest_backs = tuple(b for b in backs if b is not back)
            table = replace(table, hand=replace(table.hand, backs=rest_backs))
    return table, happenings


def _card_gone(table: Table, event: ev.CardGone) -> Step:
    seen = table.hand.cards.get(event.tag)
    return let_go(table, seen, event.place, event.at_ns) if seen else (table, [])


def _pack_counted(table: Table, event: ev.PackCounted) -> Step:
    if event.tags is None:
        return table, [Counted(event.count)]
    own = table.own_tags.get(table.pack or "", frozenset())
    heard = frozenset(event.tags)
    if not event.is_complete or not own:
        return table, []
    other = next((name for name, tags in table.own_tags.items() if heard & tags == tags), None)
    if not table.hand.is_started and other and other != table.pack:
        return replace(table, pack=other), []
    missing = own - heard
    if len(missing) > MOST_MISSING:
        return table, []
    if not table.hand.is_started:
        return table, [Counted(event.count)] if heard != own else []
    lying = [
        seen for seen in table.hand.cards.values()
        if seen.place not in (None, FLOOR) and not seen.is_inferred and seen.tag not in heard
    ]
    if lying:
        return table, []
    return collect(table, tuple(sorted(missing)))


def collect(table: Table, missing: tuple[Any, ...] = ()) -> Step:
    """End the hand: its cards are back; the same deal is due again until it is said otherwise."""
    hand = table.hand
    places = {tag: seen.path[-1] for tag, seen in hand.cards.items() if seen.path}
    past = Past(places=places, pot_taken_ns=hand.pot_taken_ns)
    after = replace(
        table,
        hand=_fresh_hand(table.setup),
        past=past,
        is_next_begun=False,
        bets_closed=False,
    )
    return after, [Collected(table, missing)]


# ---------------------------------------------------------------- camera
def _card_sighted(table: Table, event: ev.CardSighted) -> Step:
    hand = table.hand
    if event.tag is not None and event.card is not None and event.tag in hand.cards:
        seen = hand.cards[event.tag]
        if seen.card is not None and seen.card != event.card:
            return table, [Mismatched(seen, event.card)]
    if event.place == STUB:
        stub = next((s for s in hand.cards.values() if s.place == STUB and s.card == event.card), None)
        return table, [TurnedUp(stub, STUB, event.card, False, event.at_ns)]
    found = _find(table, event)
    if event.place == SHOE:
        return _box(table, found, event.at_ns) if found else _wait(table, event)
    if found is None:
        return _wait(table, event)
    if event.place == FLOOR:
        return drop_off_table(table, found, event.at_ns) if not found.path else (table, [])
    return _turn_up(table, found, event.at_ns)


def _find(table: Table, event: ev.CardSighted) -> Seen | None:
    """Return the card that the camera sees, if a reader has named it there."""
    cards = table.hand.cards
    if event.tag is not None:
        return cards.get(event.tag)
    if event.card is None:
        return None
    for seen in cards.values():
        if seen.card != event.card:
            continue
        is_there = seen.place == event.place or (seen.place is None and seen.hand == event.place)
        if is_there or (event.place in (SHOE, FLOOR) and not seen.path):
            return seen
    return None


def _wait(table: Table, event: ev.CardSighted) -> Step:
    """Keep a sighting until a reader names the card, or too long has passed."""
    sighting = (event.place, event.card, event.at_ns)
    if sighting in table.hand.sightings:
        return table, []
    hand = replace(table.hand, sightings=(*table.hand.sightings, sighting))
    return replace(table, hand=hand), []


def _turn_up(table: Table, seen: Seen, at_ns: int) -> Step:
    hand = table.hand
    seen = hand.cards[seen.tag]
    if seen.is_up:
        return table, []
    landed_up = seen.number > 0 and abs(at_ns - seen.landed_ns) <= table.setup.window_ns
    up = replace(seen, is_up=True)
    table = replace(table, hand=replace(hand, cards={**hand.cards, seen.tag: up}))
    place = seen.place or seen.hand
    return table, [TurnedUp(up, place, up.card, landed_up, at_ns)] if place else []


def _box(table: Table, seen: Seen, at_ns: int) -> Step:
    """Note a card that lay face up in the pack; it is set aside unless it lands somewhere."""
    hand = table.hand
    seen = replace(seen, is_boxed=True, is_up=True)
    hand = replace(
        hand,
        cards={**hand.cards, seen.tag: seen},
        air=tuple(tag for tag in hand.air if tag != seen.tag),
        boxed=hand.boxed + 1,
    )
    return replace(table, hand=hand), [TurnedUp(seen, SHOE, seen.card, False, at_ns)]


def _card_lost(table: Table, event: ev.CardLost) -> Step:
    hand = table.hand
    for seen in hand.cards.values():
        if seen.card == event.card and event.place in (seen.place, seen.hand) and seen.is_up:
            cards = {**hand.cards, seen.tag: replace(seen, is_up=False)}
            return replace(table, hand=replace(hand, cards=cards)), []
    return table, []


def _back_sighted(table: Table, event: ev.BackSighted) -> Step:
    hand = table.hand
    named = any(
        seen.place == event.place and abs(event.at_ns - seen.landed_ns) <= table.setup.window_ns
        for seen in hand.cards.values()
    )
    if named or (event.place, event.at_ns) in hand.backs:
        return table, []
    return replace(table, hand=replace(hand, backs=(*hand.backs, (event.place, event.at_ns)))), []


# ---------------------------------------------------------------- people
def _deal_ended(table: Table, event: ev.DealEnded) -> Step:
    return end_deal(table, was_said=True) if table.hand.is_started else (table, [])


def _action_entered(table: Table, event: ev.ActionEntered) -> Step:
    happenings: list[Happening] = []
    if not table.hand.is_started:
        return table, []
    if not table.hand.is_deal_over:
        table, happenings = end_deal(table, was_said=False)
    if table.plan.has_exchange and not table.hand.betting.to_act and table.hand.street == 0:
        table = replace(table, hand=replace(table.hand, betting=open_street(table), street=1))
    hand = replace(table.hand, betting=act(table, event))
    if event.action in ("stand", "double"):
        hand = replace(hand, stood=hand.stood | {event.seat})
    happenings.append(Acted(event.seat, event.action, event.is_out_of_turn))
    return replace(table, hand=hand), happenings


def _hand_touched(table: Table, event: ev.HandTouched) -> Step:
    return replace(table, hand=replace(table.hand, touched=table.hand.touched | {event.seat})), []


def _hand_looked(table: Table, event: ev.HandLooked) -> Step:
    hand = table.hand
    hand = replace(hand, touched=hand.touched | {event.seat}, looked=hand.looked | {event.seat})
    return replace(table, hand=hand), []


def _pack_shuffled(table: Table, event: ev.PackShuffled) -> Step:
    hand = replace(table.hand, is_shuffled=event.is_done)
    begun = table.is_next_begun or not table.hand.is_started
    return replace(table, hand=hand, is_next_begun=begun), []


def _cut_made(table: Table, event: ev.CutMade) -> Step:
    return replace(table, hand=replace(table.hand, is_cut=True)), [Told(event)]


def _cut_refused(table: Table, event: ev.CutRefused) -> Step:
    return replace(table, hand=replace(table.hand, is_cut=event.was_offered)), []


def _approved(table: Table, event: ev.Approved) -> Step:
    return replace(table, approved_ns=max(event.at_ns, table.approved_ns)), [Told(event)]


def _told(table: Table, event: ev.AnyEvent) -> Step:
    return table, [Told(event)]


def _stated(table: Table, event: ev.Stated) -> Step:
    handler = STATEMENTS.get(event.topic)
    if handler is not None:
        return handler(table, event)
    hand = replace(table.hand, said=(*table.hand.said, event))
    return replace(table, hand=hand), [Told(event)]


def _undo(table: Table, event: ev.Stated) -> Step:
    return replace(table, hand=replace(table.hand, said=table.hand.said[:-1])), []


def _tabled(table: Table, event: ev.Stated) -> Step:
    if event.seat is None:
        return table, []
    hand = replace(table.hand, tabled=table.hand.tabled | {event.seat})
    return replace(table, hand=hand), [Told(event)]


def _pot_taken(table: Table, event: ev.Stated) -> Step:
    betting = replace(table.hand.betting, to_act=frozenset())
    hand = replace(table.hand, pot_taken_ns=event.at_ns, betting=betting)
    return replace(table, hand=hand), []


def _next_hand(table: Table, event: ev.Stated) -> Step:
    return next_hand(table), [Told(event)]


def next_hand(table: Table) -> Table:
    """Return the table with the button, or the deal, one seat on and newcomers dealt in."""
    seats = tuple(sorted({*table.seats, *table.newcomers}, key=lambda seat: int(seat[1:])))
    if not table.newcomers:
        seats = table.seats
    dealer = table.next_dealer or seat_after(seats, table.dealer)
    table = replace(
        table,
        seats=seats,
        newcomers=frozenset(),
        hand_no=table.hand_no + 1,
        button=seat_after(seats, table.button),
        dealer=dealer,
        due_dealer=dealer,
        next_dealer=None,
        penalty={seat: left - 1 for seat, left in table.penalty.items() if left > 1},
        was_absent=frozenset(),
        is_next_begun=table.is_next_begun,
        in_break=False,
    )
    return arrange(table)


def _sits(table: Table, event: ev.Stated) -> Step:
    seat = event.seat
    if seat is None or seat in table.seats or seat not in HANDS or table.plan.places:
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
    was = table.was_absent | {event.seat}
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
    "undo": _undo,
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

HANDLERS: dict[type, Callable[[Table, Any], Step]] = {
    ev.CardRead: _card_read,
    ev.CardGone: _card_gone,
    ev.PackCounted: _pack_counted,
    ev.DeviceFaulted: _told,
    ev.DeviceRestored: _told,
    ev.CardSighted: _card_sighted,
    ev.CardLost: _card_lost,
    ev.BackSighted: _back_sighted,
    ev.BackMarked: _told,
    ev.CutMade: _cut_made,
    ev.PackShuffled: _pack_shuffled,
    ev.CutRefused: _cut_refused,
    ev.DealEnded: _deal_ended,
    ev.ActionEntered: _action_entered,
    ev.ClaimMade: _told,
    ev.HandTouched: _hand_touched,
    ev.HandLooked: _hand_looked,
    ev.Stated: _stated,
    ev.Reported: _told,
    ev.Approved: _approved,
    ev.TimePassed: lambda table, event: (table, []),
}


# ---------------------------------------------------------------- the clock
def _ripen(table: Table, now_ns: int) -> Step:
    """Draw the conclusions that only time allows: what no reader named in time is unread."""
    hand = table.hand
    happenings: list[Happening] = []
    if hand.air:
        oldest = hand.cards[hand.air[0]]
        if now_ns - oldest.left_ns > GIVEN_UP_NS:
            table, happenings = infer_oldest(table, now_ns)
            hand = table.hand
    window = table.setup.window_ns
    late = tuple(s for s in hand.sightings if now_ns - s[2] > window)
    late_backs = tuple(b for b in hand.backs if now_ns - b[1] > window)
    if not late and not late_backs:
        return table, happenings
    hand = replace(
        hand,
        sightings=tuple(s for s in hand.sightings if s not in late),
        backs=tuple(b for b in hand.backs if b not in late_backs),
    )
    table = replace(table, hand=hand)
    for place, card, at_ns in (*late, *((place, None, at) for place, at in late_backs)):
        table, more = _leave_unread(table, place, card, at_ns)
        happenings += more
    return table, happenings


def _leave_unread(table: Table, place: Place, card: Card | None, at_ns: int) -> Step:
    """Count a card that a camera saw land and that no reader names."""
    hand = table.hand
    happenings: list[Happening] = []
    if place in HANDS and hand.is_started:
        unread = {**hand.unread, place: hand.unread.get(place, 0) + 1}
        turn = hand.turn
        if place in table.entitled and not hand.is_deal_over:
            turn = (table.order.index(place) + 1) % len(table.order)
        hand = replace(hand, unread=unread, turn=turn, served=hand.served + 1, dealt=hand.dealt + 1)
        table = replace(table, hand=hand)
    happenings.append(Unread(place, card, at_ns))
    return table, happenings


def step(table: Table, event: ev.AnyEvent) -> tuple[Table, list[Found]]:
    """Return the table after an event and what was found; pure, and never raises."""
    now_ns = event.at_ns if event.at_ns > table.now_ns else table.now_ns
    happenings: list[Happening] = []
    hand = table.hand
    if hand.air or hand.sightings or hand.backs:
        table, happenings = _ripen(table, now_ns)
    table, more = HANDLERS[type(event)](table, event)
    table = replace(table, now_ns=now_ns)
    if happenings:
        more = happenings + more
    return look_at(table, more) if more else (table, [])
