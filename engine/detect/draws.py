"""Draws against the table of draws: baccarat's third cards and blackjack's dealer.

The next card is always due to one place or to none, so a wrong draw is known as soon as the
card leaves the shoe, and its place when it lands.
"""

from msgspec.structs import replace

from engine.cards import BANKER, DEALER, PLAYER, RACK, Place
from engine.games import baccarat, blackjack
from engine.landing import cards_of
from engine.state import Finding, Landed, Moved, Seen, Table

Found = tuple[Table, list[Finding]]


def landed(table: Table, happening: Landed) -> Found:
    """Look at a card where the draw put it."""
    early = _early(table, happening.seen)
    if table.plan.game == "baccarat":
        table, found = _coup(table, happening)
    elif table.plan.game == "blackjack":
        table, found = _round(table, happening.seen)
    else:
        found = []
    return table, early + found


def _early(table: Table, seen: Seen) -> list[Finding]:
    """A card that comes to a hand before the betting is closed; a burn card is none."""
    is_told = table.plan.is_banked and table.setup.actions == "entered"
    if not is_told or table.bets_closed or seen.hand is None:
        return []
    return [Finding(kind="early_draw", card=seen.card, tag=seen.tag, at_ns=seen.landed_ns)]


def _coup(table: Table, happening: Landed) -> Found:
    seen, due = happening.seen, happening.due
    hand = table.hand
    if (seen.hand == due and not hand.wrong_draws) or seen.number <= 4 or any(hand.unread.values()):
        # Where a card of the coup could not be read, nobody knows what is due.
        return table, []
    finding = _wrong(table, seen, seen.hand, due or "none")
    return replace(table, hand=replace(hand, wrong_draws=hand.wrong_draws + 1)), [finding]


def _wrong(table: Table, seen: Seen | None, place: Place | None, due: str) -> Finding:
    return Finding(
        kind="wrong_draw",
        place=place,
        card=seen.card if seen else None,
        tag=seen.tag if seen else None,
        at_ns=table.now_ns,
        facts={
            "due_draw": due,
            "landed_draw": place or "none",
            "is_up": bool(seen and seen.is_up),
            "player_total": _total(table, PLAYER),
            "banker_total": _total(table, BANKER),
            "draws_before": table.hand.wrong_draws,
        },
    )


def _total(table: Table, place: Place) -> int:
    """Return the total of the first two cards of a baccarat hand; -1 where it is not known."""
    total = baccarat.total(cards_of(table, place)[:2])
    return -1 if total is None else total


def _round(table: Table, seen: Seen) -> Found:
    """In blackjack a card for one who stands, or for a dealer on 17 and more, is wrong."""
    place = seen.hand
    if place is None or seen.nth <= table.plan.hand_cards:
        return table, []
    before = blackjack.total(cards_of(table, place)[:-1])
    if place == DEALER:
        is_wrong = before is not None and before >= blackjack.DEALER_STANDS
    else:
        is_wrong = _is_done(table, seen, place, before)
    return table, [_wrong(table, seen, place, "none")] if is_wrong else []


def _is_done(table: Table, seen: Seen, place: Place, total_before: int | None) -> bool:
    """Say whether a player was to get no more cards before this one came."""
    hand = table.hand
    splits = hand.splits.get(place, 0)
    if hand.stands.get(place, 0) > splits and seen.landed_ns >= hand.stood_ns[place]:
        return True
    if splits:
        # Two hands lie on one reader; their total says nothing of either.
        return False
    doubled_at = hand.doubled.get(place)
    if doubled_at is not None and len(hand.hands[place]) > doubled_at + 1:
        return True
    return total_before is not None and total_before >= 21


def moved(table: Table, happening: Moved) -> Found:
    """Find the draw that was not made when the cards of a coup are taken in."""
    before = happening.before
    if table.plan.game != "baccarat" or happening.seen.place != RACK:
        return table, []
    hand = table.hand
    if before.hand is None or hand.wrong_draws or before.tag not in hand.cards:
        return table, []
    held = (*hand.hands.get(before.hand, ()), before.tag)
    in_order = tuple(sorted(held, key=lambda tag: hand.cards[tag].nth))
    whole = {**hand.hands, before.hand: in_order}
    if sum(len(tags) for tags in whole.values()) != hand.dealt:
        return table, []
    then = replace(table, hand=replace(hand, hands=whole))
    due = baccarat.due(cards_of(then, PLAYER), cards_of(then, BANKER))
    if due not in (PLAYER, BANKER) or hand.dealt < 4:
        return table, []
    table = replace(table, hand=replace(hand, wrong_draws=1))
    return table, [_wrong(then, None, Place(due), due)]
