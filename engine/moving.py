"""Where cards go once they have landed: to another hand, the muck, the board, or nowhere.

A tag that is read at a second place is not believed to have moved until the first lets it go.
"""

from msgspec.structs import replace

from engine.betting import drop
from engine.cards import BOARD, BURN, HANDS, MUCK, RACK, Place, Tag
from engine.landing import Step, give_back_turn, take_turn
from engine.state import CrossRead, Hand, Moved, Seen, Table


def read_elsewhere(table: Table, seen: Seen, place: Place, at_ns: int) -> Step:
    """Follow a card that had a place and is read at another."""
    hand = table.hand
    if seen.place == place:
        other = seen.contest or seen.path[-1]
        if other == place:
            sure = replace(seen, is_inferred=False)
            cards = {**hand.cards, seen.tag: sure} if seen.is_inferred else hand.cards
            return replace(table, hand=replace(hand, cards=cards)), []
        seen = replace(seen, contest=None, path=(*seen.path, other, place))
        table = replace(table, hand=replace(hand, cards={**hand.cards, seen.tag: seen}))
        return table, [CrossRead(seen, other)]
    if seen.place is not None and not seen.is_inferred:
        cards = {**hand.cards, seen.tag: replace(seen, contest=place)}
        return replace(table, hand=replace(hand, cards=cards)), []
    return move(table, seen, place, at_ns)


def let_go(table: Table, seen: Seen, place: Place, at_ns: int) -> Step:
    """Follow a card that a place no longer holds."""
    hand = table.hand
    if seen.contest == place:
        # Read there and gone from there; whether it is still at the first place, that one says.
        seen = replace(seen, contest=None, path=(*seen.path, place))
        return replace(table, hand=replace(hand, cards={**hand.cards, seen.tag: seen})), []
    if seen.place != place:
        return table, []
    if seen.contest is not None:
        return move(table, seen, seen.contest, at_ns)
    cards = {**hand.cards, seen.tag: replace(seen, place=None, is_up=False)}
    board = tuple(t for t in hand.board if t != seen.tag) if place == BOARD else hand.board
    return replace(table, hand=replace(hand, cards=cards, board=board)), []


def move(table: Table, before: Seen, place: Place, at_ns: int) -> Step:
    """Put a card that had a place, or had one, into another."""
    hand = table.hand
    old = before.hand
    into = place if place in HANDS else None
    seen = replace(
        before,
        place=place,
        hand=into,
        contest=None,
        is_inferred=False,
        landed_ns=at_ns,
        path=(*before.path, place),
        is_up=False,
    )
    if before.path and before.path[-1] == place and old == into:
        # Lifted and laid down again where it was.
        seen = replace(seen, path=before.path, landed_ns=before.landed_ns)
        return replace(table, hand=replace(hand, cards={**hand.cards, seen.tag: seen})), []
    hand = replace(hand, cards={**hand.cards, seen.tag: seen})
    if old != into:
        hand = _change_hands(hand, seen.tag, old, into)
    hand = _change_piles(hand, before, place)
    if before.is_boxed and old is not None:
        hand = give_back_turn(table, hand, old)
    elif into is not None and old != into:
        hand = take_turn(table, hand, into, is_new=old not in table.entitled)
    table = replace(table, hand=_give_up(table, hand, old, place))
    return table, [Moved(before, seen)]


def _change_hands(hand: Hand, tag: Tag, old: Place | None, into: Place | None) -> Hand:
    """Take a card out of one hand and put it into another, where there is one."""
    hands, moved_in = hand.hands, hand.moved_in
    if old is not None:
        hands = {**hands, old: tuple(t for t in hands.get(old, ()) if t != tag)}
    if into is not None:
        hands = {**hands, into: (*hands.get(into, ()), tag)}
        moved_in = moved_in | {into}
    return replace(hand, hands=hands, moved_in=moved_in)


def _change_piles(hand: Hand, before: Seen, place: Place) -> Hand:
    """Follow a card to and from the board, and an exposed card that is taken as the burn."""
    tag = before.tag
    if before.path[-1:] == (BOARD,) and place != BOARD:
        hand = replace(hand, board=tuple(t for t in hand.board if t != tag))
    if place == BOARD:
        hand = replace(hand, board=(*hand.board, tag))
    if place == BURN and before.hand is not None:
        if before.is_exposed:
            return replace(hand, spare_burns=hand.spare_burns + 1)
        return replace(hand, extra_burns=hand.extra_burns + 1)
    return hand


def _give_up(table: Table, hand: Hand, old: Place | None, place: Place) -> Hand:
    """Note a card that left a hand for the discards: a fold, or a part of an exchange."""
    if old is None or place not in (MUCK, RACK):
        return hand
    if not hand.hands.get(old):
        hand = replace(hand, betting=drop(hand.betting, old)) if not _exchanges(table) else hand
    if _exchanges(table):
        hand = replace(hand, given={**hand.given, old: hand.given.get(old, 0) + 1})
    return hand


def _exchanges(table: Table) -> bool:
    """Say whether cards that go to the discards are given up for others."""
    is_betting = table.setup.actions == "entered" and table.hand.betting.to_act
    return table.plan.has_exchange and table.hand.is_deal_over and not is_betting
