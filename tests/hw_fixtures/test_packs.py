"""Packs of the demo: whole, registered with spares, every tag once."""

from hw_fixtures.packs import SPARES, demo_packs, own_cards, spare_cards


def test_each_pack_has_every_face_once_and_a_few_spares() -> None:
    for pack in demo_packs(1):
        assert len({card.card for card in own_cards(pack)}) == len(own_cards(pack)) == 52
        assert len({card.card for card in spare_cards(pack)}) == SPARES


def test_no_two_cards_of_both_packs_share_a_tag() -> None:
    tags = [card.tag for pack in demo_packs(1) for card in pack.cards]
    assert len(set(tags)) == len(tags) == 2 * (52 + SPARES)


def test_tags_are_canonical_uids_of_one_chip() -> None:
    tags = [bytes.fromhex(card.tag) for pack in demo_packs(2) for card in pack.cards]
    assert {(tag[:3].hex(), len(tag), tag[3] & 0x18) for tag in tags} == {("e00401", 8, 0x08)}
    assert all(card.tag == card.tag.upper() for pack in demo_packs(2) for card in pack.cards)


def test_packs_are_settled_by_the_seed() -> None:
    assert demo_packs(3) == demo_packs(3)
    assert demo_packs(3) != demo_packs(4)
