"""The order of the deal: the first card, the turn of each hand, hands that nobody is owed."""

from msgspec.structs import replace

from engine.cards import HANDS, Place
from engine.state import Finding, Landed, Moved, Seen, Settled, Table, count_of, is_stuck


def landed(table: Table, happening: Landed) -> tuple[Table, list[Finding]]:
    """Compare where a card of the initial deal landed with whose turn it was."""
    seen, due = happening.seen, happening.due
    place = seen.hand
    if place == due or place is None or seen.is_inferred or is_stuck(table, seen):
        return table, []
    if table.plan.places:
        return _coup(table, seen, due)
    if due is None or place not in HANDS:
        return _after_deal(table, seen)
    found = [_misplaced(seen, place, due)] if seen.number == 1 else []
    if place not in table.entitled:
        return table, [*found, _unentitled(seen, place)]
    if found or count_of(table, place) > table.plan.hand_cards:
        # A hand that is now too long is a matter of its count, not of the order.
        return table, found
    return _out_of_turn(table, seen, place, due)


def _misplaced(seen: Seen, place: Place, due: Place) -> Finding:
    return Finding(
        kind="first_card_misplaced",
        card=seen.card,
        tag=seen.tag,
        at_ns=seen.landed_ns,
        facts={"due_place": due, "landed_place": place},
    )


def _out_of_turn(table: Table, seen: Seen, place: Place, due: Place) -> tuple[Table, list[Finding]]:
    slips = _slips(table, place, due)
    table = replace(table, hand=replace(table.hand, slips=table.hand.slips + slips))
    if slips == (due,) and _went_astray(table, seen.number - 1):
        # The card before went to a seat without a hand; that one, not this, broke the order.
        return table, []
    finding = Finding(
        kind="out_of_sequence",
        card=seen.card,
        at_ns=seen.landed_ns,
        facts={"due_place": due, "landed_place": place, "first_number": seen.number},
    )
    return table, [finding]


def moved(table: Table, happening: Moved) -> tuple[Table, list[Settled]]:
    """A card that was misplaced and has been moved to its hand is a matter that is done."""
    before, after = happening.before.hand, happening.seen.hand
    if before is None or after is None or table.hand.is_deal_over:
        return table, []
    return table, [
        Settled(kind="unentitled_hand", place=before),
        Settled(kind="first_card_misplaced"),
        Settled(kind="out_of_sequence"),
    ]


def _unentitled(seen: Seen, place: Place) -> Finding:
    return Finding(
        kind="unentitled_hand",
        place=place,
        card=seen.card,
        at_ns=seen.landed_ns,
        facts={"is_back": False, "first_number": seen.number},
    )


def _after_deal(table: Table, seen: Seen) -> tuple[Table, list[Finding]]:
    """A card to a seat without a hand is wrong at any time."""
    place = seen.hand
    if place is None or place in table.entitled or place not in HANDS or seen.is_boxed:
        return table, []
    return table, [_unentitled(seen, place)]


def _slips(table: Table, place: Place, due: Place) -> tuple[Place, ...]:
    """Return the seats at which the order broke: one served twice, or those passed over."""
    order = table.order
    if order[order.index(due) - 1] == place:
        return (place,)
    size, start = len(order), order.index(due)
    passed = [order[(start + step) % size] for step in range((order.index(place) - start) % size)]
    held = table.hand.hands
    return tuple(seat for seat in passed if len(held.get(seat, ())) < table.plan.hand_cards)


def _went_astray(table: Table, number: int) -> bool:
    """Say whether a card of the deal went to a place that is not entitled to a hand."""
    return any(
        seen.number == number and seen.hand is not None and seen.hand not in table.entitled
        for seen in table.hand.cards.values()
    )


def _coup(table: Table, seen: Seen, due: Place | None) -> tuple[Table, list[Finding]]:
    """In baccarat the first four cards have an order; later cards are draws."""
    if due is None or seen.number > 4:
        return table, []
    finding = Finding(
        kind="out_of_sequence",
        at_ns=seen.landed_ns,
        facts={"due_place": due, "landed_place": seen.hand},
    )
    return replace(table, hand=replace(table.hand, slips=(*table.hand.slips, due))), [finding]
