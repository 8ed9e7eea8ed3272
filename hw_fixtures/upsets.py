"""What goes wrong in a deal: each irregularity turns a regular hand into the course it takes.

Pure and seeded. A course goes on for as long as a dealer would before anybody notices.
"""

import random
from collections.abc import Callable

from msgspec.structs import replace

from engine.cards import Pack, Place, TaggedCard
from hw_fixtures.dealing import Course, Pitch, initial_deal
from hw_fixtures.hands import RULES, Hand
from hw_fixtures.packs import new_tag, spare_cards
from hw_fixtures.timeline import Irregularity


def irregularity_at(hand_no: int, seed: int) -> Irregularity | None:
    """Return what goes wrong in a hand: every second one is clean, every kind comes in turn.

    Args:
        hand_no: The number of the hand, from 1; the even ones go wrong.
        seed: Settles the order of the kinds.
    """
    if hand_no % 2:
        return None
    kinds = list(_UPSETS)
    random.Random(f"irregularities {seed}").shuffle(kinds)
    return kinds[(hand_no // 2 - 1) % len(kinds)]


def regular(hand: Hand) -> Course:
    """Return the course of a hand in which nothing goes wrong."""
    return Course(hand=hand, pitches=initial_deal(hand))


def upset(hand: Hand, kind: Irregularity, pack: Pack, rng: random.Random) -> Course:
    """Return the course of a hand in which something goes wrong.

    Args:
        hand: A regular hand; for ``fouled`` one that reaches a flop.
        kind: What goes wrong.
        pack: The pack that it is dealt from.
        rng: Settles where and to whom it happens.
    """
    return _UPSETS[kind](hand, pack, rng)


def reaches_flop(hand: Hand) -> bool:
    """Say whether the flop is dealt, so that substantial action lies before it.

    Whoever sees it has called or raised or, in the big blind, checked behind a call: two actions
    in turn, one with chips (TDA 2024, rule 36).
    """
    return len(hand.betting) > 1


def _exposed(hand: Hand, pack: Pack, rng: random.Random) -> Course:
    """The first or second card off the pack is dealt face up, or two later ones are."""
    pitches = list(initial_deal(hand))
    last = len(pitches) - 1
    up = rng.choice([[0], [1], sorted(rng.sample(range(2, last), 2))])
    for index in up:
        pitches[index] = replace(pitches[index], is_face_up=True)
    return Course(hand=hand, pitches=tuple(pitches[: up[-1] + 1]), stops_at="pitch")


def _count(hand: Hand, pack: Pack, rng: random.Random) -> Course:
    """A seat, never the button's, gets two cards in the last round and so one too many."""
    places = [pitch.place for pitch in initial_deal(hand)]
    at = rng.randrange(len(places) - len(hand.order), len(places) - 1)
    places.insert(at, places[at])
    return Course(hand=hand, pitches=_dealt(hand, places), stops_at="deal")


def _skipped(hand: Hand, pack: Pack, rng: random.Random) -> Course:
    """A seat is passed over in every round."""
    left_out = rng.choice(hand.order[1:-1])
    places = [pitch.place for pitch in initial_deal(hand) if pitch.place != left_out]
    return Course(hand=hand, pitches=_dealt(hand, places), stops_at="deal")


def _misplaced(hand: Hand, pack: Pack, rng: random.Random) -> Course:
    """The deal begins one seat too far; it is noticed after the second card."""
    places = list(hand.order[1:3])
    return Course(hand=hand, pitches=_dealt(hand, places), stops_at="pitch")


def _foreign(hand: Hand, pack: Pack, rng: random.Random) -> Course:
    """A card that no register knows is dealt to a seat."""
    at = rng.randrange(2, len(initial_deal(hand)))
    stranger = TaggedCard(tag=new_tag(rng), card=rng.choice(hand.cards).card)
    return _with_added(hand, stranger, at, stops_at=at)


def _duplicate(hand: Hand, pack: Pack, rng: random.Random) -> Course:
    """A spare of a face is dealt to one seat while another holds the card of that face."""
    number = len(initial_deal(hand))
    own_at, spare_at = sorted(rng.sample(range(number), 2))
    hand, spare = _meet(hand, pack, rng, own_at)
    return _with_added(hand, spare, spare_at, stops_at=spare_at)


def _fouled(hand: Hand, pack: Pack, rng: random.Random) -> Course:
    """After betting, a board card proves to be the second of a face that lies in a hand."""
    pitches = initial_deal(hand)
    hand, spare = _meet(hand, pack, rng, rng.randrange(len(pitches)))
    street = len(hand.betting) - 1
    before = sum(1 + boards for boards in RULES[hand.game].streets[: street - 1])
    hand = replace(hand, betting=(*hand.betting[:-1], ()), showdown=(), is_tabled_early=False)
    return _with_added(hand, spare, len(pitches) + before + 1, stops_at=None)


def _meet(hand: Hand, pack: Pack, rng: random.Random, own_at: int) -> tuple[Hand, TaggedCard]:
    """Choose a spare and bring the card of its face to a position in the pack."""
    spare = rng.choice(spare_cards(pack))
    cards = list(hand.cards)
    lies_at = next(index for index, card in enumerate(cards) if card.card == spare.card)
    cards[own_at], cards[lies_at] = cards[lies_at], cards[own_at]
    return replace(hand, cards=tuple(cards)), spare


def _with_added(hand: Hand, added: TaggedCard, position: int, *, stops_at: int | None) -> Course:
    """Slip a card into the pack; stop after a pitch, or after the last street."""
    cards = (*hand.cards[:position], added, *hand.cards[position:])
    hand = replace(hand, cards=cards)
    pitches = initial_deal(hand)
    if stops_at is None:
        return Course(hand=hand, pitches=pitches, added=(added,), stops_at="street")
    return Course(hand=hand, pitches=pitches[: stops_at + 1], added=(added,), stops_at="pitch")


def _dealt(hand: Hand, places: list[Place]) -> tuple[Pitch, ...]:
    return tuple(
        Pitch(card=card, place=place) for card, place in zip(hand.cards, places, strict=False)
    )


_UPSETS: dict[Irregularity, Callable[[Hand, Pack, random.Random], Course]] = {
    "exposed": _exposed,
    "count": _count,
    "duplicate": _duplicate,
    "foreign": _foreign,
    "skipped": _skipped,
    "misplaced": _misplaced,
    "fouled": _fouled,
}
