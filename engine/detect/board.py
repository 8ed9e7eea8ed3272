"""Board and burns: one burn a street, the right number of cards, no card before its time."""

from msgspec.structs import replace

from engine.betting import open_street
from engine.cards import BOARD, BURN
from engine.events import Stated
from engine.state import Acted, Finding, Landed, Moved, Overdue, Pending, Seen, Table, Told

# Cards of a flop are put out in one go; a card that follows within this time belongs to it.
ONE_GO_NS = 800_000_000


def landed(table: Table, happening: Landed) -> tuple[Table, list[Finding]]:
    """Follow the streets of a flop game or of stud."""
    seen = happening.seen
    if seen.place == BURN:
        return table, _burned(table, seen) if table.plan.streets else []
    if seen.place == BOARD and table.plan.kind == "flop":
        return _on_board(table, seen)
    if table.plan.kind == "stud" and seen.hand and table.hand.is_deal_over:
        return _stud_street(table, seen)
    return table, []


def _burned(table: Table, seen: Seen) -> list[Finding]:
    if table.hand.burns < 2 or seen.card not in (None, *table.plan.pack):
        return []
    return [_burn_error(table, burns=table.hand.burns)]


def _burn_error(table: Table, *, burns: int) -> Finding:
    return Finding(
        kind="burn_error",
        at_ns=table.now_ns,
        facts={
            "burns": burns,
            "street": table.hand.street,
            "actions_then": _actions(table),
            "extra_as_burn": table.hand.extra_burns > 0,
        },
    )


def _actions(table: Table) -> int:
    """Return how many actions had been entered in the hand."""
    return table.hand.betting.in_turn


def _on_board(table: Table, seen: Seen) -> tuple[Table, list[Finding]]:
    hand = table.hand
    if seen.card is not None and seen.card not in table.plan.pack:
        return table, []
    streets = table.plan.streets
    is_extra = hand.street_cards == 0 and hand.street > 0 and _is_in_one_go(table, seen)
    if hand.street >= len(streets) or is_extra:
        return table, [_board_count(table, hand.street_cards + 1, from_pack=True)]
    found: list[Finding] = []
    if hand.street_cards == 0:
        table, found = _opening(table, seen)
        hand = table.hand
    put_out = hand.street_cards + 1
    hand = replace(hand, street_cards=put_out, last_board_ns=seen.landed_ns)
    if put_out == streets[hand.street]:
        hand = replace(
            hand, street=hand.street + 1, street_cards=0, burns=0, spare_burns=0, extra_burns=0
        )
        table = replace(table, hand=hand)
        hand = replace(hand, betting=open_street(table))
    return replace(table, hand=hand), found


def _is_in_one_go(table: Table, seen: Seen) -> bool:
    """Say whether a card came with the street that is already complete."""
    hand = table.hand
    nothing_between = not hand.burns and not hand.betting.street_actions
    return nothing_between and seen.landed_ns - hand.last_board_ns <= ONE_GO_NS


def _opening(table: Table, seen: Seen) -> tuple[Table, list[Finding]]:
    """Look at the first card of a street."""
    hand = table.hand
    found: list[Finding] = []
    if hand.burns + hand.spare_burns == 0 and not table.is_player_dealt:
        found.append(_burn_error(table, burns=0))
    to_act = hand.betting.to_act
    if table.setup.actions == "entered" and to_act:
        finding = Finding(
            kind="premature_card",
            card=seen.card,
            tag=seen.tag,
            at_ns=seen.landed_ns,
            facts={"street": hand.street, "to_act": tuple(sorted(to_act))},
        )
        table = _wait(table, Pending(finding, to_act, hand.street))
    return table, found


def _wait(table: Table, pending: Pending) -> Table:
    hand = table.hand
    return replace(table, hand=replace(hand, pending=(*hand.pending, pending)))


def overdue(table: Table, happening: Overdue) -> tuple[Table, list[Finding]]:
    """Nothing came that would have explained it."""
    return table, [happening.finding]


def _board_count(table: Table, count: int, *, from_pack: bool) -> Finding:
    return Finding(
        kind="board_count",
        at_ns=table.now_ns,
        facts={"count": count, "from_pack": from_pack, "street": table.hand.street},
    )


def moved(table: Table, happening: Moved) -> tuple[Table, list[Finding]]:
    """A card that comes to the board from anywhere but the pack is none of its cards."""
    if happening.seen.place != BOARD or happening.before.path[-1:] == (BOARD,):
        return table, []
    return table, [_board_count(table, len(table.hand.board), from_pack=False)]


def acted(table: Table, happening: Acted) -> tuple[Table, list[Finding]]:
    """Play that goes on before a street is whole finds it short; a late entry explains a card."""
    hand = table.hand
    left = [replace(p, seats=p.seats - {happening.seat}) if p.seats else p for p in hand.pending]
    explained = [
        not now.seats and bool(was.seats) for was, now in zip(hand.pending, left, strict=True)
    ]
    hand = replace(
        hand, pending=tuple(p for p, done in zip(left, explained, strict=True) if not done)
    )
    table = replace(table, hand=hand)
    if hand.street_cards and table.plan.kind == "flop":
        finding = _board_count(table, hand.street_cards, from_pack=True)
        table = _wait(table, Pending(finding, frozenset(), hand.street))
    return table, []


def told(table: Table, happening: Told) -> tuple[Table, list[Finding]]:
    """The dealer dropped the stub."""
    event = happening.event
    if not isinstance(event, Stated) or event.topic != "stub dropped":
        return table, []
    finding = Finding(
        kind="stub_disordered", at_ns=event.at_ns, facts={"is_mixed": event.text == "mixed"}
    )
    return table, [finding]


def _stud_street(table: Table, seen: Seen) -> tuple[Table, list[Finding]]:
    hand, plan = table.hand, table.plan
    if seen.nth != plan.hand_cards + hand.street + 1 or hand.street >= len(plan.streets):
        return table, []
    table, found = _opening(table, seen)
    hand = replace(table.hand, street=hand.street + 1, burns=0, spare_burns=0, extra_burns=0)
    table = replace(table, hand=hand)
    return replace(table, hand=replace(hand, betting=open_street(table))), found
