"""The number of cards in each hand: omitted hands and rounds, short and long hands."""

from msgspec.structs import replace

from engine.betting import live_seats
from engine.cards import HANDS, SHOE, Place
from engine.events import Stated
from engine.state import (
    Acted,
    DealOver,
    Finding,
    Landed,
    Moved,
    Settled,
    Table,
    Told,
    Withdrawn,
    count_of,
)

Found = list[Finding | Settled | Withdrawn]


def allowed(table: Table, place: Place) -> int | None:
    """Return how many cards a hand may hold now; None where the game sets no number."""
    plan, hand = table.plan, table.hand
    if hand.is_deal_over and (plan.all_open or _is_seen_alone(table, place)):
        return None
    if plan.kind == "stud":
        return plan.hand_cards + hand.street
    return plan.hand_cards


def _is_seen_alone(table: Table, place: Place) -> bool:
    """Say whether only a camera sees the place, which cannot count what is taken from it."""
    readers = table.setup.readers
    return place not in readers and SHOE not in readers


def deal_over(table: Table, happening: DealOver) -> tuple[Table, Found]:
    """Count every hand once the initial deal is over."""
    wanted = table.plan.hand_cards
    counts = [count_of(table, place) for place in table.order]
    found: Found = []
    was_counted = table.hand.is_counted
    table = replace(table, hand=replace(table.hand, is_counted=True))
    if all(count == wanted for count in counts):
        found.extend(_completed(table))
        return table, found + _back_for_replay(table)
    if was_counted:
        return table, found
    only_rounds = _stopped_early(table, counts)
    if only_rounds:
        found.append(
            Finding(
                kind="rounds_omitted",
                at_ns=table.hand.ended_ns,
                facts={"lacking": sum(wanted - count for count in counts)},
            )
        )
    for place, count in zip(table.order, counts, strict=True):
        if count == 0:
            found.append(_omitted(table, place, only_rounds=only_rounds))
        elif count != wanted:
            finding = wrong_count(table, place, wanted, only_rounds=only_rounds)
            found.append(replace(finding, at_ns=table.hand.ended_ns))
    return table, found + _back_for_replay(table)


def _completed(table: Table) -> Found:
    """Settle what was short once the missing cards have been dealt."""
    if not table.hand.deal_ended:
        return []
    return [
        Settled(kind="rounds_omitted"),
        *(Settled(kind="wrong_count", place=place) for place in table.order),
    ]


def _stopped_early(table: Table, counts: list[int]) -> bool:
    """Say whether the hands are what a deal in order that only stopped early leaves."""
    is_prefix = counts[0] - counts[-1] <= 1 and sorted(counts, reverse=True) == counts
    return is_prefix and counts[0] <= table.plan.hand_cards and not table.hand.slips


def _omitted(table: Table, place: Place, *, only_rounds: bool) -> Finding:
    return Finding(
        kind="omitted_hand",
        place=place,
        at_ns=table.hand.ended_ns,
        facts={"rounds_omitted": only_rounds, "is_dealer": place == "D"},
    )


def wrong_count(
    table: Table, place: Place, due: int, *, only_rounds: bool = False, count: int | None = None
) -> Finding:
    """Return the finding that a hand has not the number of cards that it is due."""
    number = count_of(table, place) if count is None else count
    return Finding(
        kind="wrong_count",
        place=place,
        at_ns=table.now_ns,
        facts={
            "count": number,
            "due": due,
            "rounds_omitted": only_rounds,
            "is_button": place == table.button and not table.is_player_dealt,
            "is_dealer": place == "D",
            "after_draw": bool(table.hand.given),
            "extra_to_first": _is_extra_to_first(table, place),
            "came_from": _came_from(table, place),
        },
    )


def _came_from(table: Table, place: Place) -> Place | None:
    """Return where a card of the hand that was not dealt lay in the hand before, if it did."""
    hand = table.hand
    strays = (tag for tag in hand.hands.get(place, ()) if not hand.cards[tag].number)
    return next((table.past.places[tag] for tag in strays if tag in table.past.places), None)


def _is_extra_to_first(table: Table, place: Place) -> bool:
    """Say whether the deal was whole and went on with one card to the first hand."""
    hand = table.hand
    tags = hand.hands.get(place, ())
    whole = table.plan.hand_cards * len(table.order)
    return place == table.order[0] and bool(tags) and hand.cards[tags[-1]].number == whole + 1


def moved(table: Table, happening: Moved) -> tuple[Table, Found]:
    """A hand that gave a card back and has its number is a matter that is done."""
    place = happening.before.hand
    if place is None or place not in table.entitled:
        return table, []
    is_right = count_of(table, place) == allowed(table, place)
    return table, [Settled(kind="wrong_count", place=place)] if is_right else []


def _back_for_replay(table: Table) -> Found:
    """Tell of players who were away when this deal was made first and are back for it now."""
    return [
        Finding(
            kind="unentitled_hand",
            place=seat,
            at_ns=table.now_ns,
            facts={"is_back": True, "first_number": 0},
        )
        for seat in table.order
        if seat in table.was_absent
    ]


def landed(table: Table, happening: Landed) -> tuple[Table, Found]:
    """Find the card that makes a hand too long, and settle the hand that it completes."""
    place = happening.seen.hand
    table, found = _moved_in(table)
    if place is None or place not in table.entitled:
        return table, found
    limit = allowed(table, place)
    if limit is None:
        return table, found
    count = count_of(table, place)
    if 0 < count - limit <= _exposed(table, place) and happening.due is None:
        # It may replace an exposed card; whether that one goes is seen when play goes on.
        moved_in = table.hand.moved_in | {place}
        table = replace(table, hand=replace(table.hand, moved_in=moved_in))
    elif count > limit:
        found.append(wrong_count(table, place, limit))
    elif count == limit and table.hand.is_deal_over:
        found.append(Settled(kind="wrong_count", place=place))
    if table.hand.drawn and happening.due is None:
        found += _left_behind(table, place)
    return table, found


def _exposed(table: Table, place: Place) -> int:
    """Return how many cards of a hand were exposed and may have to be replaced."""
    hand = table.hand
    return sum(hand.cards[tag].is_exposed for tag in hand.hands.get(place, ()))


def _left_behind(table: Table, place: Place) -> Found:
    """Find a hand that drew too few before the dealer went on to the next."""
    hand = table.hand
    return [
        wrong_count(table, seat, table.plan.hand_cards)
        for seat, drawn in hand.drawn.items()
        if seat != place and 0 < drawn < hand.given.get(seat, 0)
    ]


def _moved_in(table: Table) -> tuple[Table, Found]:
    """Count the hands that a card came to from elsewhere, now that play has gone on."""
    hand = table.hand
    if not hand.moved_in:
        return table, []
    found: Found = []
    for place in sorted(hand.moved_in):
        limit = allowed(table, place)
        if place in table.entitled and limit is not None and count_of(table, place) > limit:
            found.append(wrong_count(table, place, limit))
    return replace(table, hand=replace(hand, moved_in=frozenset())), found


def acted(table: Table, happening: Acted) -> tuple[Table, Found]:
    """Count the hands again as play goes on: after an exchange each must be whole."""
    table, found = _moved_in(table)
    if not table.plan.has_exchange:
        return table, found
    wanted = table.plan.hand_cards
    for seat in table.hand.given:
        if seat in live_seats(table) and count_of(table, seat) != wanted:
            found.append(wrong_count(table, seat, wanted))
    return table, found


def told(table: Table, happening: Told) -> tuple[Table, Found]:
    """Take a hand that was counted by hand, or announced as wrong."""
    event = happening.event
    if not isinstance(event, Stated) or event.seat is None or event.seat not in HANDS:
        return table, []
    limit = allowed(table, event.seat)
    if limit is None or event.topic not in ("counted", "found"):
        return table, []
    count = event.number if event.topic == "counted" else count_of(table, event.seat)
    if count == limit:
        is_counted = event.topic == "counted"
        return table, [
            Withdrawn(kind="wrong_count", place=event.seat, reason="counted by hand")
        ] * is_counted
    if not count or event.seat not in table.entitled or not table.hand.is_deal_over:
        return table, []
    counts = [count if seat == event.seat else count_of(table, seat) for seat in table.order]
    only_rounds = _stopped_early(table, counts)
    return table, [wrong_count(table, event.seat, limit, only_rounds=only_rounds, count=count)]
