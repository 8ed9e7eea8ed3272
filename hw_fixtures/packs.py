"""Packs of tagged cards, made from a seed."""

import random

from engine.cards import FULL_PACK, Card, Pack, Tag, TaggedCard

# Spare copies of a face that a pack's register knows.
SPARES = 4


def new_tag(rng: random.Random) -> Tag:
    """Return the UID of a card as it comes from the printer: an ICODE SLIX2 of NXP.

    Source: E0 = ISO 15693, 04 = NXP, 01 with bit 35 set and bit 36 clear = SLIX2
    (proxmark3, cmdhf15).
    """
    return Tag(f"E00401{0x08 | rng.randrange(8):02X}{rng.getrandbits(32):08X}")


def make_pack(name: str, faces: tuple[Card, ...], rng: random.Random) -> Pack:
    """Make a pack of these faces and a few registered spares, each with a tag of its own."""
    spares = rng.sample(faces, SPARES)
    tags: dict[Tag, None] = {}
    while len(tags) < len(faces) + SPARES:
        tags[new_tag(rng)] = None
    lines = [(face, False) for face in faces] + [(face, True) for face in spares]
    return Pack(
        name=name,
        cards=tuple(
            TaggedCard(tag=tag, card=face, spare=is_spare)
            for tag, (face, is_spare) in zip(tags, lines, strict=True)
        ),
    )


def demo_packs(seed: int, faces: tuple[Card, ...] = FULL_PACK) -> tuple[Pack, Pack]:
    """Return the two packs that alternate at the demo table, the same for the same seed."""
    rng = random.Random(f"packs {seed}")
    return make_pack("red", faces, rng), make_pack("blue", faces, rng)


def own_cards(pack: Pack) -> tuple[TaggedCard, ...]:
    """Return the cards that make the pack whole."""
    return tuple(card for card in pack.cards if not card.spare)


def spare_cards(pack: Pack) -> tuple[TaggedCard, ...]:
    """Return the registered spares."""
    return tuple(card for card in pack.cards if card.spare)
