"""The pack as a whole: shuffle, cut, count, marked backs, and the census when a hand is over."""

from typing import Any

from engine.cards import PACK, STUB
from engine.events import BackMarked, CutMade
from engine.state import (
    Collected,
    Counted,
    Finding,
    HandStarted,
    Landed,
    Table,
    Told,
    Withdrawn,
    is_stuck,
)

Found = list[Finding | Withdrawn]


def hand_started(table: Table, happening: HandStarted) -> tuple[Table, Found]:
    """Look back at shuffle, cut and dealer when the first card comes off the pack."""
    found: Found = []
    at_ns = table.now_ns
    if not table.hand.is_shuffled:
        found.append(Finding(kind="not_shuffled", at_ns=at_ns))
    if not table.hand.is_cut:
        found.append(Finding(kind="not_cut", at_ns=at_ns))
    if table.is_player_dealt and table.dealer != table.due_dealer:
        found.append(Finding(kind="dealer_out_of_turn", at_ns=at_ns))
    return table, found


def told(table: Table, happening: Told) -> tuple[Table, Found]:
    """Look at a cut or a marked back."""
    match happening.event:
        case CutMade() as cut:
            return table, _cut(cut)
        case BackMarked(is_foreign=True) as mark:
            return table, [_foreign(table, mark)]
        case BackMarked() as mark:
            return table, [_marked(table, mark)]
        case _:
            return table, []


def _cut(cut: CutMade) -> Found:
    """The cut that counts is the last one before the deal."""
    found: Found = [
        Withdrawn(kind="cut_too_thin", reason="cut again"),
        Withdrawn(kind="card_exposed_in_cut", reason="cut again"),
    ]
    thin = min(cut.top, cut.bottom)
    if thin < FEWEST_IN_CUT:
        found.append(Finding(kind="cut_too_thin", at_ns=cut.at_ns, facts={"fewest": thin}))
    found += [
        Finding(kind="card_exposed_in_cut", card=card, at_ns=cut.at_ns) for card in cut.faces_up
    ]
    return found


# A cut must leave five cards in each packet. Source: laws of poker, redeal 2.
FEWEST_IN_CUT = 5


def _marked(table: Table, mark: BackMarked) -> Finding:
    hand = table.hand
    seen = hand.cards.get(mark.tag) if mark.tag else None
    return Finding(
        kind="marked_card",
        card=mark.card,
        tag=mark.tag,
        at_ns=mark.at_ns,
        facts={
            "in_deal": hand.is_started and not hand.is_deal_over,
            "is_dealt": bool(seen and seen.path),
        },
    )


def _foreign(table: Table, mark: BackMarked) -> Finding:
    """A back of another design is a card of another pack, whatever its face."""
    return Finding(
        kind="foreign_card",
        place=mark.place,
        card=mark.card,
        tag=mark.tag,
        at_ns=mark.at_ns,
        facts={
            "is_known": mark.card is not None,
            "in_play": table.hand.is_started and mark.place not in (PACK, STUB),
            "of_pack": "",
        },
    )


def stuck(table: Table, happening: Landed) -> tuple[Table, Found]:
    """Two cards that left the shoe at one moment and came to one hand were stuck together."""
    seen = happening.seen
    if not is_stuck(table, seen):
        return table, []
    return table, [Finding(kind="stuck_cards", at_ns=seen.landed_ns)]


def counted(table: Table, happening: Counted) -> tuple[Table, Found]:
    """Compare a count of the pack with what the game is played with."""
    due = len(table.plan.pack) * table.setup.decks
    if happening.count == due:
        return table, []
    return table, [_wrong_pack(table, happening.count, due)]


def _wrong_pack(table: Table, count: int, due: int) -> Finding:
    facts: dict[str, Any] = {"count": count, "due": due}
    if not table.hand.is_started and not table.is_next_begun:
        facts["pot_taken"] = _is_pot_taken(table)
    return Finding(kind="wrong_pack_count", at_ns=table.now_ns, facts=facts)


def _is_pot_taken(table: Table) -> bool:
    """Say whether the pot was taken: that of the hand, or between hands of the one before."""
    if table.hand.is_started or table.is_next_begun:
        return table.hand.pot_taken_ns is not None
    return table.past.pot_taken_ns is not None


def collected(table: Table, happening: Collected) -> tuple[Table, Found]:
    """Name the cards that are not back, and where each was last read."""
    before = happening.before
    faces: dict[str, Any] = {
        line.tag: line.card for pack in before.setup.packs for line in pack.cards
    }
    found: Found = []
    for tag in happening.missing:
        seen = before.hand.cards.get(tag)
        last = seen.path[-1] if seen and seen.path else before.past.places.get(tag)
        found.append(
            Finding(
                kind="missing_card",
                card=faces.get(tag),
                tag=tag,
                at_ns=table.now_ns,
                facts={
                    "last_place": last or "the pack",
                    "pot_taken": _is_pot_taken(before),
                },
            )
        )
    return table, found
