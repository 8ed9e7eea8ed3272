"""What a card is: doubled faces, cards of another pack, cards that the game does not know."""

from msgspec.structs import replace

from engine.cards import Card, Place
from engine.state import Arrived, Finding, Landed, Left, Seen, Table, TurnedUp


def left(table: Table, happening: Left) -> tuple[Table, list[Finding]]:
    """Look at a card as it leaves the shoe, before it is anywhere."""
    return table, _faces(table, happening.seen)


def landed(table: Table, happening: Landed | Arrived) -> tuple[Table, list[Finding]]:
    """Look at a card where it lies."""
    seen = happening.seen
    found = _faces(table, seen)
    if not found or found[0].kind == "nonstandard_card":
        found += _foreign(table, seen)
    return table, found


def turned_up(table: Table, happening: TurnedUp) -> tuple[Table, list[Finding]]:
    """A face in the undealt pack that a reader has placed elsewhere is there twice."""
    card = happening.card
    if happening.seen is not None or card is None or card not in table.plan.pack:
        return table, []
    same = [seen for seen in table.hand.cards.values() if seen.card == card and seen.path]
    if len(same) < table.setup.decks:
        return table, []
    finding = _doubled(table, card, same)
    facts = {**finding.facts, "copies": len(same) + 1}
    return table, [replace(finding, facts=facts)]


def _faces(table: Table, seen: Seen) -> list[Finding]:
    card = seen.card
    if card is None:
        return []
    if card not in table.plan.pack:
        return [
            Finding(
                kind="nonstandard_card",
                card=card,
                tag=seen.tag,
                at_ns=seen.landed_ns or seen.left_ns,
            )
        ]
    same = [other for other in table.hand.cards.values() if other.card == card]
    if len(same) <= table.setup.decks:
        return []
    return [_doubled(table, card, same)]


def _doubled(table: Table, card: Card, same: list[Seen]) -> Finding:
    places: list[Place] = [seen.path[-1] for seen in same if seen.path]
    return Finding(
        kind="duplicate_card",
        card=card,
        at_ns=table.now_ns,
        facts={"copies": len(same), "places": tuple(places)},
    )


def _foreign(table: Table, seen: Seen) -> list[Finding]:
    if seen.pack is not None and seen.pack == table.pack:
        return []
    return [
        Finding(
            kind="foreign_card",
            place=seen.place,
            card=seen.card,
            tag=seen.tag,
            at_ns=seen.landed_ns,
            facts={
                "is_known": seen.card is not None,
                "in_play": seen.place != "stub",
                "of_pack": seen.pack or "",
            },
        )
    ]
