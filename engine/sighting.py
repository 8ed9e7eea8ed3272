"""What the camera sees, joined with what the readers name.

A face that is seen where a reader has named that card is that card. What no reader has named
yet waits for a moment; a card that none names in time is unread, not absent.
"""

from msgspec.structs import replace

from engine import events as ev
from engine.arriving import drop_off_table, land_without_shoe
from engine.cards import DEALER, FLOOR, HANDS, SHOE, STUB, Card, Place, Tag
from engine.landing import IN_ORDER, Step, due_hand, end_if_complete, infer_oldest, land
from engine.state import Happening, Mismatched, Seen, Table, TurnedUp, Unread, count_of


def card_sighted(table: Table, event: ev.CardSighted) -> Step:
    """Join a face-up card with the one that lies there."""
    hand = table.hand
    if event.tag is not None and event.card is not None and event.tag in hand.cards:
        seen = hand.cards[event.tag]
        if seen.card is not None and seen.card != event.card:
            return table, [Mismatched(seen, event.card)]
    if event.place == STUB:
        stub = next(
            (s for s in hand.cards.values() if s.place == STUB and s.card == event.card), None
        )
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
    """Return the card that the camera sees, if a reader has named it there.

    A tag that no register knows has no face to compare, and a face that could not be read neither:
    the card that has just landed there is taken for it. Where several packs are dealt, a face that
    is up already is another card.
    """
    cards = table.hand.cards
    if event.tag is not None:
        return cards.get(event.tag)
    there = [seen for seen in cards.values() if _may_be(table, seen, event)]
    told = next((seen for seen in there if seen.is_up and seen.up_ns == event.at_ns), None)
    if told is not None:
        return told
    down = next((seen for seen in there if not seen.is_up), None)
    if down is not None or table.setup.decks > 1:
        return down
    return there[0] if there else None


def _may_be(table: Table, seen: Seen, event: ev.CardSighted) -> bool:
    place = event.place
    is_there = seen.place == place or (seen.place is None and seen.hand == place)
    is_new = abs(event.at_ns - seen.landed_ns) <= table.setup.window_ns
    if event.card is None:
        return seen.place == place and not seen.is_up and is_new
    if seen.card is None:
        return seen.pack is None and seen.place == place and is_new
    if seen.card != event.card:
        return False
    return is_there or (place in (SHOE, FLOOR) and not seen.path)


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
    up = replace(seen, is_up=True, up_ns=at_ns, landed_up=seen.landed_up or landed_up)
    table = replace(table, hand=replace(hand, cards={**hand.cards, seen.tag: up}))
    place = seen.place or seen.hand
    return table, [TurnedUp(up, place, up.card, landed_up, at_ns)] if place else []


def _box(table: Table, seen: Seen, at_ns: int) -> Step:
    """Note a card that lay face up in the pack; it is set aside unless it lands somewhere."""
    hand = table.hand
    if seen.is_boxed:
        return table, []
    seen = replace(seen, is_boxed=True, is_up=True, up_ns=at_ns)
    hand = replace(
        hand,
        cards={**hand.cards, seen.tag: seen},
        air=tuple(tag for tag in hand.air if tag != seen.tag),
        boxed=hand.boxed + 1,
    )
    return replace(table, hand=hand), [TurnedUp(seen, SHOE, seen.card, False, at_ns)]


def card_lost(table: Table, event: ev.CardLost) -> Step:
    """Note that a face-up card was turned down or taken away."""
    hand = table.hand
    for seen in hand.cards.values():
        if seen.card == event.card and event.place in (seen.place, seen.hand) and seen.is_up:
            turned = replace(seen, is_up=False, down_ns=event.at_ns)
            cards = {**hand.cards, seen.tag: turned}
            return replace(table, hand=replace(hand, cards=cards)), []
    return table, []


def back_sighted(table: Table, event: ev.BackSighted) -> Step:
    """Note a face-down card, unless one was named or turned down there just now."""
    hand = table.hand
    named = any(
        seen.place == event.place
        and min(abs(event.at_ns - at_ns) for at_ns in (seen.landed_ns, seen.down_ns))
        <= table.setup.window_ns
        for seen in hand.cards.values()
    )
    if named or (event.place, event.at_ns) in hand.backs:
        return table, []
    return replace(table, hand=replace(hand, backs=(*hand.backs, (event.place, event.at_ns)))), []


def match_boxed(table: Table, seen: Seen, happenings: list[Happening], at_ns: int) -> Step:
    """Join a card that leaves the shoe with a face that the camera saw at its mouth."""
    if not table.setup.readers & HANDS:
        table, more = infer_oldest(table, at_ns)
        happenings = happenings + more
    for sighting in table.hand.sightings:
        if sighting[0] == SHOE and sighting[1] == seen.card:
            rest = tuple(s for s in table.hand.sightings if s is not sighting)
            table = replace(table, hand=replace(table.hand, sightings=rest))
            table, more = _box(table, table.hand.cards[seen.tag], at_ns)
            return table, happenings + more
    return table, happenings


def match_sightings(table: Table, happenings: list[Happening], at_ns: int) -> Step:
    """Join the cards that have just landed with what the camera saw there before."""
    if not table.hand.sightings and not table.hand.backs:
        return table, happenings
    for happening in tuple(happenings):
        seen = getattr(happening, "seen", None)
        if seen is None or seen.place is None:
            continue
        sightings = table.hand.sightings
        match = next(
            (s for s in sightings if s[0] == seen.place and seen.card in (s[1], None)), None
        )
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


def give_up(table: Table, now_ns: int) -> Step:
    """Take what a camera saw and no reader named in time as unread."""
    hand = table.hand
    happenings: list[Happening] = []
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
    seen = [*late, *((place, None, at_ns) for place, at_ns in late_backs)]
    for place, card, at_ns in sorted(seen, key=lambda each: each[2]):
        tag = _on_its_way(table, card)
        if tag is not None and place in IN_ORDER:
            table, more = _land_by_sight(table, tag, place, at_ns)
        elif card is None and (place, at_ns) not in late_backs and _lies_down(table, place):
            # One of the cards that a reader has named there was turned up: which, is not known.
            more = [Unread(place, None, at_ns)]
        else:
            table, more = _leave_unread(table, place, card, at_ns)
        happenings += more
    return table, happenings


def _lies_down(table: Table, place: Place) -> bool:
    return any(seen.place == place and not seen.is_up for seen in table.hand.cards.values())


def _on_its_way(table: Table, card: Card | None) -> Tag | None:
    """Return the card of the shoe that the camera sees where no reader has named it yet."""
    hand = table.hand
    return next((tag for tag in hand.air if card and hand.cards[tag].card == card), None)


def _land_by_sight(table: Table, tag: Tag, place: Place, at_ns: int) -> Step:
    """Take shoe and camera together for the slow reader that should have named the card."""
    hand = table.hand
    cards = {**hand.cards, tag: replace(hand.cards[tag], is_inferred=True)}
    table, happenings = land(replace(table, hand=replace(hand, cards=cards)), tag, place, at_ns)
    seen = table.hand.cards[tag]
    if seen.place is None:
        return table, happenings
    table, more = _turn_up(table, seen, at_ns)
    return table, happenings + more


def _leave_unread(table: Table, place: Place, card: Card | None, at_ns: int) -> Step:
    """Count a card that a camera saw land and that no reader names."""
    readers = table.setup.readers
    if SHOE not in readers and place not in readers:
        return _by_camera_alone(table, place, card, at_ns)
    hand = table.hand
    unread: list[Happening] = [Unread(place, card, at_ns)]
    if place not in HANDS or not hand.is_started:
        return table, unread
    hand = replace(
        hand,
        unread={**hand.unread, place: hand.unread.get(place, 0) + 1},
        dealt=hand.dealt + 1,
    )
    if place in table.entitled and not hand.is_deal_over:
        turn = (table.order.index(place) + 1) % len(table.order)
        hand = replace(hand, turn=turn, served=hand.served + 1)
    table, happenings = end_if_complete(replace(table, hand=hand), at_ns)
    return table, unread + happenings


def _is_new_face(table: Table, place: Place) -> bool:
    """Say whether a face at a place is a card that has just been dealt there."""
    if place == due_hand(table):
        return True
    nth = count_of(table, place) + 1
    return place != DEALER and table.plan.face(nth, is_dealer=False) == "up"


def _by_camera_alone(table: Table, place: Place, card: Card | None, at_ns: int) -> Step:
    """Follow a card where no reader could have named it.

    A face that shows where a card lies face down is that card turned over, unless the place is
    due another.
    """
    hand = table.hand
    if card is not None and not _is_new_face(table, place):
        for tag in hand.hands.get(place, ()):
            seen = hand.cards[tag]
            if seen.card is None and not seen.is_up:
                named = replace(seen, card=card)
                hand = replace(hand, cards={**hand.cards, tag: named})
                return _turn_up(replace(table, hand=hand), named, at_ns)
    seen = Seen(tag=Tag(f"unnamed {place} {at_ns}"), card=card, pack=table.pack)
    table, happenings = land_without_shoe(table, seen, place, at_ns)
    if card is None or seen.tag not in table.hand.cards:
        return table, happenings
    table, more = _turn_up(table, seen, at_ns)
    return table, happenings + more
