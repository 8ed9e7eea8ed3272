"""A back of another design is a card of another pack."""

import pytest

from engine.cards import Card, Place, Tag
from engine.events import BackMarked
from tests.engine.felt import Felt, book


def told_foreign(felt: Felt, place: str, tag: str | None = None) -> list[str]:
    return felt.tell(
        BackMarked(
            at_ns=felt.at_ns,
            place=Place(place),
            tag=Tag(tag) if tag else None,
            card=Card(tag) if tag else None,
            is_foreign=True,
        )
    )


@pytest.mark.parametrize(
    ("place", "cards", "verdict"),
    [
        ("S2", 1, "deal_void"),
        ("shoe", 1, "deal_void"),
        ("stub", 1, "hand_continues"),
        ("pack", 0, "hand_continues"),
        ("shoe", 0, "hand_continues"),
    ],
)
def test_it_is_in_play_once_the_hand_has_begun_and_it_is_off_the_pack(
    place: str, cards: int, verdict: str
) -> None:
    felt = Felt(rules=book("robert-rules-11"))
    felt.round("S1" if cards else "none") if cards else None
    assert told_foreign(felt, place) == [f"foreign_card {place} -> {verdict} final"]


def test_a_card_that_its_reader_knows_is_one_finding_with_it() -> None:
    felt = Felt(rules=book("robert-rules-11"))
    felt.deal("S1", "X1")
    assert felt.standing() == ["foreign_card S1 -> deal_void final"]
    felt.tell(BackMarked(at_ns=felt.at_ns, place=Place("S1"), tag=Tag("X1"), is_foreign=True))
    assert felt.standing() == ["foreign_card S1 -> deal_void final"]
