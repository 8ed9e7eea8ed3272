"""Where each card comes to lie: from the shoe to a hand, the board, the burn, and on from there.

The shoe says in which order cards left the pack, the other readers say where they landed. A
card is placed in the order of the shoe, so that a slow reader changes nothing: what landed
early waits for the card before it, and a card that nobody reads is placed by the deal plan.
"""

from msgspec.structs import replace

from engine.betting import open_street
from engine.cards import BOARD, BURN, HANDS, Card, Place, Tag
from engine.games import baccarat
from engine.state import (
    DealOver,
    Hand,
    HandStarted,
    Happening,
    Landed,
    Left,
    Seen,
    Table,
    Unread,
    count_of,
)

Step = tuple[Table, list[Happening]]

# A card of the shoe that nobody reads is placed by the plan once two later ones have landed, or
# after this time. Dealers pitch two to three cards a second; a reader that has not named a card
# in the time of four has missed it.
GIVEN_UP_NS = 2_000_000_000
GIVEN_UP_CARDS = 2

IN_ORDER = HANDS | {BURN, BOARD}
"""Places to which cards go straight from the pack, in the order in which they left it."""


def cards_of(table: Table, place: Place) -> list[Card | None]:
    """Return the faces that a hand holds, in the order they came; None for one not known."""
    hand = table.hand
    named = [hand.cards[tag].card for tag in hand.hands.get(place, ())]
    return named + [None] * hand.unread.get(place, 0)


def is_of_deal(table: Table, seen: Seen) -> bool:
    """Say whether a card left the shoe before the initial deal ended."""
    hand = table.hand
    return not hand.is_deal_over or 0 < seen.left_ns <= hand.ended_ns


def due_hand(table: Table, seen: Seen | None = None) -> Place | None:
    """Return the hand whose turn it is in the initial deal, or None.

    Args:
        table: The table.
        seen: A card that is on its way; one that left the shoe before the deal ended is still
            due to a hand.
    """
    hand = table.hand
    if table.plan.places:
        due = baccarat.due(cards_of(table, table.order[0]), cards_of(table, table.order[1]))
        return Place(due) if due in ("P", "B") else None
    if hand.is_deal_over and not (seen and is_of_deal(table, seen)):
        return None
    order, wanted = table.order, table.plan.hand_cards
    size = len(order)
    for step in range(size):
        place = order[(hand.turn + step) % size]
        if len(hand.hands.get(place, ())) + hand.unread.get(place, 0) < wanted:
            return place
    return None


def leave_shoe(table: Table, seen: Seen) -> Step:
    """Note that a card left the shoe."""
    hand = table.hand
    happenings: list[Happening] = []
    if not hand.is_started:
        happenings.append(HandStarted())
    hand = replace(
        hand, cards={**hand.cards, seen.tag: seen}, air=(*hand.air, seen.tag), is_started=True
    )
    table = replace(table, hand=hand, is_next_begun=True)
    happenings.append(Left(seen))
    return table, happenings


def land(table: Table, tag: Tag, place: Place, at_ns: int) -> Step:
    """Place a card of the shoe, or let it wait for the one before it."""
    hand = table.hand
    if place in IN_ORDER and hand.air and hand.air[0] != tag and tag in hand.air:
        early = {**hand.landed_early, tag: (place, at_ns)}
        table = replace(table, hand=replace(hand, landed_early=early))
        if len(early) < GIVEN_UP_CARDS:
            return table, []
        return infer_oldest(table, at_ns)
    table, happenings = place_card(table, tag, place, at_ns)
    return _drain(table, happenings)


def infer_oldest(table: Table, at_ns: int) -> Step:
    """Place the oldest card on its way by the deal plan, and what waited for it."""
    hand = table.hand
    tag = hand.air[0]
    due = due_hand(table, hand.cards[tag])
    if due is None and any(place in (BURN, BOARD) for place, _ in hand.landed_early.values()):
        # The street has gone on without it, so it lies on the burn or the board, unread.
        due = due_pile(table)
    if due is None:
        table = replace(table, hand=replace(hand, air=hand.air[1:]))
        return _drain(table, [])
    cards = {**hand.cards, tag: replace(hand.cards[tag], is_inferred=True)}
    table, happenings = place_card(replace(table, hand=replace(hand, cards=cards)), tag, due, at_ns)
    if due in (BURN, BOARD) and due in table.setup.readers:
        happenings = [*happenings, Unread(due, None, at_ns)]
    return _drain(table, happenings)


def due_pile(table: Table) -> Place | None:
    """Return where the next card off the pack goes when no hand is due one: burn or board."""
    hand, plan = table.hand, table.plan
    if plan.kind not in ("flop", "stud") or table.is_player_dealt or not hand.is_deal_over:
        return None
    if hand.street >= len(plan.streets):
        return None
    if hand.burns + hand.spare_burns == 0 and hand.street_cards == 0:
        return BURN
    return BOARD if plan.kind == "flop" else None


def _drain(table: Table, happenings: list[Happening]) -> Step:
    """Place the cards that waited, as far as their turn has come."""
    while table.hand.air and (waited := table.hand.landed_early.get(table.hand.air[0])):
        tag = table.hand.air[0]
        early = {t: w for t, w in table.hand.landed_early.items() if t != tag}
        table = replace(table, hand=replace(table.hand, landed_early=early))
        table, more = place_card(table, tag, *waited)
        happenings = happenings + more
    return table, happenings


def place_card(table: Table, tag: Tag, place: Place, at_ns: int) -> Step:
    """Put a card where it landed and say what follows from it."""
    hand = table.hand
    seen = hand.cards[tag]
    air = tuple(t for t in hand.air if t != tag) if tag in hand.air else hand.air
    if place in HANDS:
        return deal_to(replace(table, hand=replace(hand, air=air)), seen, place, at_ns)
    happenings: list[Happening] = []
    opens_street = place in (BURN, BOARD) and table.plan.kind in ("flop", "stud", "draw")
    if opens_street and not hand.is_deal_over and hand.is_started:
        table, happenings = end_deal(table, at_ns, was_said=False)
        hand = table.hand
    seen = replace(
        seen,
        place=place,
        landed_ns=at_ns,
        path=(*seen.path, place),
        number=seen.number or hand.dealt + 1,
    )
    hand = replace(hand, air=air, cards={**hand.cards, tag: seen}, dealt=hand.dealt + 1)
    if place == BURN:
        hand = replace(hand, burns=hand.burns + _counts(table, seen))
    elif place == BOARD:
        hand = replace(hand, board=(*hand.board, tag))
    happenings.append(Landed(seen, None))
    return replace(table, hand=hand), happenings


def _counts(table: Table, seen: Seen) -> bool:
    """Say whether a card counts on the burn or the board: a scrap of paper does not."""
    return seen.card is None or seen.card in table.plan.pack


def _unbox(table: Table, place: Place) -> Table:
    """Take a card that lay face up in the pack out of a hand: it is as if it were not there."""
    hand = table.hand
    held = hand.hands.get(place, ())
    if hand.is_deal_over or not held or not hand.cards[held[-1]].is_boxed:
        return table
    boxed = replace(hand.cards[held[-1]], hand=None)
    hand = replace(
        hand,
        cards={**hand.cards, boxed.tag: boxed},
        hands={**hand.hands, place: held[:-1]},
    )
    return replace(table, hand=give_back_turn(table, hand, place))


def give_back_turn(table: Table, hand: Hand, place: Place) -> Hand:
    """Return the hand with the turn at a place that was served with a card that is none."""
    if hand.is_deal_over or place not in table.entitled:
        return hand
    return replace(hand, turn=table.order.index(place), served=hand.served - 1)


def take_turn(table: Table, hand: Hand, place: Place, *, is_new: bool) -> Hand:
    """Return the hand with a place served by a card that was moved to where it was due.

    Args:
        table: The table before the card was moved.
        hand: The hand after it.
        place: Where the card went.
        is_new: It lay where nobody is entitled to a hand and counts from now on.
    """
    if place not in table.entitled or hand.is_deal_over:
        return hand
    turn = (table.order.index(place) + 1) % len(table.order)
    if is_new and place == due_hand(table):
        return replace(hand, turn=turn, served=hand.served + 1)
    if place in hand.slips:
        return replace(hand, turn=turn, slips=tuple(s for s in hand.slips if s != place))
    return hand


def deal_to(table: Table, seen: Seen, place: Place, at_ns: int) -> Step:
    """Give a card to the hand at whose place it landed."""
    if table.hand.boxed:
        table = _unbox(table, place)
    if not is_of_deal(table, seen) and not _counts(table, seen):
        return _lay_aside(table, seen, place, at_ns)
    hand = table.hand
    due = due_hand(table, seen)
    held = hand.hands.get(place, ())
    nth = len(held) + hand.unread.get(place, 0) + 1
    scheduled = table.plan.face(nth, is_dealer=place == "D")
    seen = replace(
        seen,
        place=place,
        hand=place,
        nth=nth,
        number=hand.dealt + 1,
        landed_ns=at_ns,
        path=(*seen.path, place),
        was_down=scheduled == "down",
    )
    drawn = hand.drawn
    is_initial = is_of_deal(table, seen)
    if not is_initial and table.plan.has_exchange:
        drawn = {**drawn, place: drawn.get(place, 0) + 1}
    order = table.order
    turn, served = hand.turn, hand.served
    if is_initial and place in table.entitled:
        served += 1
        if place != order[turn - 1] or place == due:
            turn = (order.index(place) + 1) % len(order)
    hand = replace(
        hand,
        cards={**hand.cards, seen.tag: seen},
        hands={**hand.hands, place: (*held, seen.tag)},
        dealt=hand.dealt + 1,
        served=served,
        turn=turn,
        drawn=drawn,
    )
    table, more = end_if_complete(replace(table, hand=hand), at_ns)
    return table, [Landed(seen, due), *more]


def end_if_complete(table: Table, at_ns: int) -> Step:
    """End the initial deal once every entitled hand has its number."""
    hand = table.hand
    if (hand.is_deal_over and not hand.is_to_count) or not _is_complete(table):
        return table, []
    return end_deal(table, hand.ended_ns if hand.is_deal_over else at_ns, was_said=False)


def _lay_aside(table: Table, seen: Seen, place: Place, at_ns: int) -> Step:
    """Put a card that the game does not know where it landed; it is part of no hand."""
    seen = replace(seen, place=place, landed_ns=at_ns, path=(*seen.path, place))
    cards = {**table.hand.cards, seen.tag: seen}
    return replace(table, hand=replace(table.hand, cards=cards)), [Landed(seen, None)]


def _is_complete(table: Table) -> bool:
    """Say whether every entitled hand has its number of cards."""
    wanted = table.plan.hand_cards
    return table.hand.served >= wanted * len(table.order) and all(
        count_of(table, place) >= wanted for place in table.order
    )


def end_deal(table: Table, at_ns: int, *, was_said: bool) -> Step:
    """Close the initial deal; the betting, or the decisions, begin.

    Hands that are whole are counted at once. What seems to lack may still be on its way, so
    anything else is counted when the slowest sensor has had its time.
    """
    hand = table.hand
    is_first = not hand.is_deal_over
    hand = replace(
        hand,
        is_deal_over=True,
        deal_ended=hand.deal_ended or was_said,
        ended_ns=at_ns,
        is_to_count=True,
    )
    table = replace(table, hand=hand)
    if is_first:
        betting = replace(open_street(table), is_open=table.plan.kind == "flop")
        table = replace(table, hand=replace(hand, betting=betting))
    return _count(table) if _is_complete(table) else (table, [])


def count_late(table: Table, now_ns: int) -> Step:
    """Count the hands once nothing that could change the count can still come."""
    hand = table.hand
    is_waiting = any(is_of_deal(table, hand.cards[tag]) for tag in hand.air)
    if is_waiting or now_ns - hand.ended_ns <= table.setup.window_ns:
        return table, []
    return _count(table)


def _count(table: Table) -> Step:
    return replace(table, hand=replace(table.hand, is_to_count=False)), [DealOver()]
