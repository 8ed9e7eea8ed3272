"""Cards that are seen face up and should not be, and cards that lay face up in the pack."""

from typing import Any

from msgspec.structs import replace

from engine.betting import live_seats
from engine.cards import BOARD, BURN, DEALER, FLOOR, HANDS, MUCK, RACK, SHOE, STUB
from engine.events import Stated
from engine.state import Finding, Landed, Seen, Table, Told, TurnedUp, Withdrawn


def turned_up(table: Table, happening: TurnedUp) -> tuple[Table, list[Finding]]:
    """Decide whether a card that is seen face up was exposed."""
    seen = happening.seen
    if happening.place == SHOE:
        return table, [_boxed(table, seen, happening)] if seen else []
    if happening.place != FLOOR and _is_regular(table, seen, happening):
        return table, []
    finding = Finding(
        kind="exposed_card",
        place=happening.place,
        card=happening.card,
        tag=seen.tag if seen else None,
        at_ns=happening.at_ns,
        facts=_facts(table, seen, happening),
    )
    if seen is not None:
        marked = replace(table.hand.cards[seen.tag], is_exposed=True)
        cards = {**table.hand.cards, seen.tag: marked}
        table = replace(table, hand=replace(table.hand, cards=cards))
    return table, [finding]


def _facts(table: Table, seen: Seen | None, happening: TurnedUp) -> dict[str, Any]:
    return {
        "number": seen.number if seen else 0,
        "nth": seen.nth if seen else 0,
        "landed_up": happening.landed_up,
        "in_deal": _is_in_deal(table, seen, happening),
        "where": _where(happening.place),
        "street": table.hand.street,
    }


def _is_in_deal(table: Table, seen: Seen | None, happening: TurnedUp) -> bool:
    """Say whether it was exposed during the initial deal, by its last card included."""
    if not table.hand.is_deal_over:
        return table.hand.is_started
    is_of_deal = seen is not None and 0 < seen.nth <= table.plan.hand_cards
    return happening.landed_up and is_of_deal


def _where(place: str) -> str:
    if place == DEALER:
        return "dealer"
    return "seat" if place in HANDS else place


def _is_regular(table: Table, seen: Seen | None, happening: TurnedUp) -> bool:
    """Say whether a face-up card is no exposure at all."""
    hand, place = table.hand, happening.place
    if seen is None:
        return not hand.is_started
    if seen.is_boxed or place in (BOARD, BURN, MUCK, RACK) or hand.pot_taken_ns is not None:
        return True
    if place in HANDS and (seen.hand is None or place in hand.tabled):
        return True
    if table.plan.all_open or _is_scheduled(table, seen):
        return True
    return place != STUB and hand.is_deal_over and _is_shown(table)


def _is_shown(table: Table) -> bool:
    """Say whether hands are turned over by the course of the game now.

    Where nobody enters actions nobody tells when hands are tabled either, so a hand turned over
    after the deal is taken as tabled.
    """
    return table.setup.actions == "none" or _is_showdown(table)


def _is_scheduled(table: Table, seen: Seen) -> bool:
    """Say whether the game itself deals this card face up."""
    is_dealer = seen.hand == DEALER
    if table.plan.face(seen.nth, is_dealer=is_dealer) == "down":
        return False
    # A dealer's card that was exposed stays up, and his last is dealt down. Source: K-14.6.
    return not (is_dealer and _dealer_exposed(table, seen))


def _dealer_exposed(table: Table, seen: Seen) -> bool:
    cards = table.hand.cards
    return any(
        cards[tag].is_up and cards[tag].was_down
        for tag in table.hand.hands.get(DEALER, ())
        if tag != seen.tag
    )


def _is_showdown(table: Table) -> bool:
    """Say whether all have acted, so that hands are turned over by the course of the game."""
    hand, plan = table.hand, table.plan
    if hand.betting.to_act or not hand.betting.seats_acted:
        return False
    if plan.is_banked or len(live_seats(table)) <= 1:
        return True
    return hand.street >= len(plan.streets) + plan.has_exchange or bool(hand.betting.all_in)


def _boxed(table: Table, seen: Seen, happening: TurnedUp) -> Finding:
    hand = table.hand
    return Finding(
        kind="boxed_card",
        card=seen.card,
        tag=seen.tag,
        at_ns=happening.at_ns,
        facts={
            "in_deal": not hand.is_deal_over,
            "boxed_before": hand.boxed - 1,
        },
    )


def landed(table: Table, happening: Landed) -> tuple[Table, list[Finding]]:
    """Say where a boxed card came to lie."""
    seen = happening.seen
    if not seen.is_boxed:
        return table, []
    return table, [
        Finding(
            kind="boxed_card", place=seen.place, card=seen.card, tag=seen.tag, at_ns=seen.landed_ns
        )
    ]


def told(table: Table, happening: Told) -> tuple[Table, list[Withdrawn]]:
    """A hand that proves to be tabled was not exposed."""
    event = happening.event
    if not isinstance(event, Stated) or event.topic != "tabled":
        return table, []
    return table, [
        Withdrawn(
            kind="exposed_card", place=event.seat, only_asking=True, reason="the hand was tabled"
        )
    ]
