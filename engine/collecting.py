"""The end of a hand: the cards come back, the pack is counted, and what is missing is named."""

from msgspec.structs import replace

from engine import events as ev
from engine.cards import BOARD, BURN, FLOOR, MUCK, PACK, RACK, Place, Tag
from engine.landing import Step
from engine.seating import fresh_hand
from engine.state import Collected, Counted, Happening, Past, Seen, Table

# Fewer cards than this missing from a complete inventory are missing; more are cards that have
# not been laid on the pad yet. The largest loss in a public report is two cards (SIT-031).
MOST_MISSING = 3


def pack_counted(table: Table, event: ev.PackCounted) -> Step:
    """Take a count of the pack; a whole inventory with nothing left on the table ends the hand."""
    if event.tags is None:
        return table, [Counted(event.count)]
    own = table.own_tags.get(table.pack or "", frozenset())
    if not event.is_complete or not own:
        return table, []
    heard = frozenset(event.tags)
    if not table.hand.is_started and heard == table.past.inventory:
        return table, []
    if not table.hand.is_started:
        return _before_the_deal(table, event, heard)
    table = replace(table, hand=replace(table.hand, inventory=heard))
    missing = own - heard
    if len(missing) > MOST_MISSING or not _is_clear(table, heard):
        return table, []
    table, happenings = collect(table, tuple(sorted(missing)))
    if heard - own:
        happenings.append(Counted(event.count))
    return table, happenings


def _before_the_deal(table: Table, event: ev.PackCounted, heard: frozenset[Tag]) -> Step:
    """Look at a pack that lies ready: which one it is, and whether it is whole."""
    whole = next((name for name, tags in table.own_tags.items() if tags <= heard), None)
    if whole is not None and whole != table.pack:
        return replace(table, pack=whole), []
    own = table.own_tags[table.pack or ""]
    missing = own - heard
    if len(missing) > MOST_MISSING:
        return table, []
    happenings: list[Happening] = [Counted(event.count)]
    if missing:
        happenings.append(Collected(table, tuple(sorted(missing))))
    return table, happenings


def _is_clear(table: Table, heard: frozenset[Tag]) -> bool:
    """Say whether no reader still holds a card that the inventory has not heard."""
    return all(
        seen.place in (None, FLOOR, PACK) or seen.is_inferred or seen.tag in heard
        for seen in table.hand.cards.values()
    )


def back_on_pad(table: Table, seen: Seen) -> Table:
    """Note that a card of the hand has come back to the pack pad."""
    hand = table.hand
    back = replace(seen, place=PACK, contest=None, is_up=False, path=(*seen.path, PACK))
    return replace(table, hand=replace(hand, cards={**hand.cards, seen.tag: back}))


def begins_anew(table: Table, tag: Tag, *, is_stopped: bool) -> bool:
    """Say whether a card at the shoe means that the hand before is over.

    It does where no reader holds a card any more and the cards have been gathered: the card had
    landed before, or cards are gone from muck, burn or board, where no player lifts them, or
    they lie on the pad, or the pot was taken, or a ruling has stopped the hand. A card that had
    landed, was let go and comes off the pack again proves it even while a slow reader lags, and so
    does any card after a shuffle or a cut that followed such a ruling.
    """
    hand = table.hand
    seen = hand.cards.get(tag)
    if not hand.is_started or hand.air:
        return False
    was_dealt = seen is not None and bool(seen.path)
    is_gathered = hand.pot_taken_ns is not None or any(map(_is_gathered, hand.cards.values()))
    if is_stopped and hand.for_next:
        return True
    if was_dealt and seen is not None and seen.place is None and is_gathered:
        return True
    return _is_clear(table, frozenset()) and (is_stopped or was_dealt or is_gathered)


def is_over(table: Table, *, is_stopped: bool) -> bool:
    """Say whether a shuffle or a cut is the next hand's: this one is played and put away.

    Once the pot is taken a riffle begins the next hand (TDA 2024 rule 23), even where a slow
    reader has not yet told that its cards are gone.
    """
    hand = table.hand
    if hand.pot_taken_ns is not None:
        return hand.is_started
    return hand.is_started and not hand.air and is_stopped and _is_clear(table, frozenset())


def _is_gathered(seen: Seen) -> bool:
    is_gone = seen.place is None and seen.path[-1:] in ((MUCK,), (BURN,), (BOARD,), (RACK,))
    return is_gone or seen.place == PACK


def collect_late(table: Table) -> Step:
    """End a hand that nobody ended before the next one began, with what was last heard of it."""
    heard = table.hand.inventory
    own = table.own_tags.get(table.pack or "", frozenset())
    missing = own - heard if heard is not None else frozenset()
    few = len(missing) <= MOST_MISSING
    return collect(table, tuple(sorted(missing)) if few else ())


def is_cleared(table: Table) -> bool:
    """Say whether the last card of a round has gone to the rack of a shoe game."""
    hand = table.hand
    return table.setup.decks > 1 and not hand.air and not any(hand.hands.values())


# Places that are remembered of a card: a night's worth of the hands that it was in.
LONGEST_PATH = 64


def _lengthened(table: Table) -> dict[Tag, tuple[tuple[int, Place], ...]]:
    """Return the paths of all cards with the deal that has just ended."""
    paths = dict(table.past.paths)
    for tag, seen in table.hand.cards.items():
        now = tuple((table.deal_no, place) for place in seen.path)
        paths[tag] = (*paths.get(tag, ()), *now)[-LONGEST_PATH:]
    return paths


def collect(table: Table, missing: tuple[Tag, ...] = ()) -> Step:
    """End the hand: its cards are back; the same deal is due again until it is said otherwise."""
    hand = table.hand
    places = {
        tag: path[-1]
        for tag, seen in hand.cards.items()
        if (path := tuple(place for place in seen.path if place != PACK))
    }
    after = replace(
        table,
        hand=fresh_hand(table.setup),
        past=Past(places, hand.pot_taken_ns, hand.inventory, _lengthened(table)),
        deal_no=table.deal_no + 1,
        is_replay=True,
        is_next_begun=False,
        bets_closed=False,
    )
    return after, [Collected(table, missing)]
