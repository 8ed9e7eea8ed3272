"""Cards that the shoe has not told of: missed by it, read before it, or dealt without one."""

from msgspec.structs import replace

from engine.cards import BOARD, BURN, FLOOR, HANDS, SHOE, Place, Tag
from engine.landing import IN_ORDER, Step, deal_to, due_hand, due_pile, land, place_card
from engine.state import (
    Arrived,
    HandStarted,
    Happening,
    Seen,
    Table,
    TurnedUp,
    count_of,
)


def arrive(table: Table, seen: Seen, place: Place, at_ns: int) -> Step:
    """Take in a card that no shoe gave out."""
    if not table.hand.is_started and seen.tag in table.past.places and place not in HANDS:
        # A card of the hand before, told once more where it was laid.
        return table, []
    if table.hand.unread.get(place):
        return _name_unread(table, seen, place, at_ns)
    hand = table.hand
    readers = table.setup.readers
    is_dealing = not hand.is_deal_over or hand.is_to_count
    off_the_pack = (place in HANDS and is_dealing) or place in (BURN, BOARD)
    if off_the_pack and SHOE in readers:
        # The shoe may be about to tell of it; until it does, or too long has passed, it waits.
        ahead = (*hand.ahead, (seen, place, at_ns))
        return replace(table, hand=replace(hand, ahead=ahead)), []
    if off_the_pack or SHOE not in readers:
        return land_without_shoe(table, seen, place, at_ns)
    seen = replace(seen, place=place, landed_ns=at_ns, path=(place,))
    hands = hand.hands
    moved_in = hand.moved_in
    if place in HANDS:
        seen = replace(seen, hand=place, nth=count_of(table, place) + 1)
        hands = {**hands, place: (*hands.get(place, ()), seen.tag)}
        moved_in = moved_in | {place}
    hand = replace(hand, cards={**hand.cards, seen.tag: seen}, hands=hands, moved_in=moved_in)
    return replace(table, hand=hand), [Arrived(seen)]


def _name_unread(table: Table, seen: Seen, place: Place, at_ns: int) -> Step:
    """Take a card that is read at last for the one that a camera saw land there."""
    hand = table.hand
    nth = count_of(table, place)
    seen = replace(
        seen,
        place=place,
        hand=place,
        nth=nth,
        landed_ns=at_ns,
        path=(place,),
        was_down=table.plan.face(nth, is_dealer=place == "D") == "down",
    )
    hand = replace(
        hand,
        cards={**hand.cards, seen.tag: seen},
        hands={**hand.hands, place: (*hand.hands.get(place, ()), seen.tag)},
        unread={**hand.unread, place: hand.unread[place] - 1},
    )
    return replace(table, hand=hand), [Arrived(seen)]


def land_without_shoe(table: Table, seen: Seen, place: Place, at_ns: int) -> Step:
    """Place a card of the pack that the shoe, if there is one, has not read.

    Where it lies at the hand whose turn it is, it is that card. Elsewhere it came after those
    that are still on their way from the shoe; without a shoe it waits for the card that is due,
    which a slower reader may be about to tell.
    """
    hand = table.hand
    happenings: list[Happening] = [] if hand.is_started else [HandStarted()]
    if hand.is_deal_over and hand.is_to_count:
        seen = replace(seen, left_ns=hand.ended_ns)
    due = due_hand(table, seen) or due_pile(table)
    waits = place in IN_ORDER and bool(hand.air) and place != due
    hand = replace(
        hand,
        cards={**hand.cards, seen.tag: seen},
        air=(*hand.air, seen.tag) if waits else hand.air,
        is_started=True,
    )
    table = replace(table, hand=hand, is_next_begun=True)
    if SHOE not in table.setup.readers and place in IN_ORDER and due not in (None, place):
        ahead = (*hand.ahead, (seen, place, at_ns))
        return replace(table, hand=replace(hand, ahead=ahead)), happenings
    table, more = land(table, seen.tag, place, at_ns)
    table, after = _catch_up(table)
    return table, happenings + more + after


def _catch_up(table: Table) -> Step:
    """Place the cards that were read ahead and whose turn has come."""
    happenings: list[Happening] = []
    while table.hand.ahead and SHOE not in table.setup.readers:
        due = due_hand(table) or due_pile(table)
        ready = next((each for each in table.hand.ahead if due in (None, each[1])), None)
        if ready is None:
            break
        table, more = _place_ahead(table, ready)
        happenings += more
    return table, happenings


def _place_ahead(table: Table, ready: tuple[Seen, Place, int]) -> Step:
    seen, place, at_ns = ready
    ahead = tuple(each for each in table.hand.ahead if each is not ready)
    table = replace(table, hand=replace(table.hand, ahead=ahead))
    if seen.tag in table.hand.cards:
        return land(table, seen.tag, place, at_ns)
    return land_without_shoe(table, seen, place, at_ns)


def land_ahead(table: Table, tag: Tag) -> Step:
    """Place a card that was read where it lies before the shoe told of it."""
    ready = next((each for each in table.hand.ahead if each[0].tag == tag), None)
    return _place_ahead(table, ready) if ready else (table, [])


def give_up_waiting(table: Table, now_ns: int) -> Step:
    """Place the cards that have waited long enough for the one that was due."""
    happenings: list[Happening] = []
    while table.hand.ahead and now_ns - table.hand.ahead[0][2] > table.setup.window_ns:
        table, more = _place_ahead(table, table.hand.ahead[0])
        table, after = _catch_up(table)
        happenings += more + after
    return table, happenings


def drop_off_table(table: Table, seen: Seen, at_ns: int) -> Step:
    """Give a card that fell off the table to the hand that was due it."""
    due = due_hand(table, seen)
    if due is None:
        table, happenings = place_card(table, seen.tag, FLOOR, at_ns)
    else:
        table, happenings = deal_to(
            replace(
                table,
                hand=replace(table.hand, air=tuple(t for t in table.hand.air if t != seen.tag)),
            ),
            seen,
            due,
            at_ns,
        )
    fallen = replace(table.hand.cards[seen.tag], place=FLOOR, is_up=True, path=(FLOOR,))
    table = replace(table, hand=replace(table.hand, cards={**table.hand.cards, seen.tag: fallen}))
    happenings.append(TurnedUp(fallen, FLOOR, fallen.card, True, at_ns))
    return table, happenings
