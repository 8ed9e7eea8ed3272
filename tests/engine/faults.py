"""Irregularities of every kind, put into a legal hand at a random place.

Each takes a legal hand and gives the same hand with one thing wrong: which deed it is, and by the
end of which deed it must have been found, and where. The deal goes on as if nobody had noticed,
until the cards go back.
"""

import random
from collections.abc import Sequence

from msgspec.structs import replace

from engine.cards import HANDS, JOKER, Card, Place, Tag, seat_place
from engine.events import AnyEvent, BackMarked, CutMade, PackCounted, PackShuffled
from engine.setup import Game, TableSetup
from engine.state import FindingKind
from tests.engine import later_faults
from tests.engine.dealer import LAYOUTS, Entries
from tests.engine.deeds import (
    FULL,
    AnyDeed,
    Boxed,
    Dealt,
    Mistaken,
    Physical,
    Strayed,
    Told,
    Turned,
)
from tests.engine.drafts import (
    Draft,
    Fault,
    Injector,
    Wrong,
    at_end,
    at_pitch,
    dealt_out,
    draft_of,
    plus,
    said,
    with_pitch,
)
from tests.engine.hands import clean_deal


# ---------------------------------------------------------------- faces
def _exposed(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.layout_is_open:
        return None
    down = [n for n, pitch in enumerate(draft.pitches) if not pitch.is_up]
    number = rng.choice(down)
    pitch = draft.pitches[number]
    if rng.random() < 0.5:
        dealt_up = replace(pitch, is_up=True)
        return at_pitch(draft, with_pitch(draft.pitches, number, dealt_up), number, pitch.place)
    if number + 1 == len(draft.pitches):
        return None
    later = rng.randint(number + 1, len(draft.pitches) - 1)
    turned = Turned(at_ns=0, card=pitch.card)
    return at_pitch(draft, plus(draft.pitches, later, turned), later, pitch.place)


def _boxed(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randrange(len(draft.pitches))
    boxed = Boxed(at_ns=0, card=draft.deal.stub[-1])
    return at_pitch(draft, plus(draft.pitches, number, boxed), number, None)


def _mismatched(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randint(1, len(draft.pitches) - 1)
    card = rng.choice(draft.pitches[:number]).card
    face = next(c.card for c in draft.deal.stub if c.card != card.card)
    if face is None:
        return None
    mistaken = Mistaken(at_ns=0, card=card, face=face)
    return at_pitch(draft, plus(draft.pitches, number, mistaken), number, None)


# ---------------------------------------------------------------- places and counts
def _misplaced(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.deal.setup.game == "baccarat":
        return None
    place = rng.choice(draft.order[1:])
    pitch = replace(draft.pitches[0], place=place)
    return at_pitch(draft, with_pitch(draft.pitches, 0, pitch), 0, None)


def _unentitled(draft: Draft, rng: random.Random) -> Wrong | None:
    free = [seat for seat in map(seat_place, range(1, 11)) if seat not in draft.order]
    if not free or draft.deal.setup.game == "baccarat":
        return None
    place = rng.choice(free)
    number = rng.randint(1, len(draft.pitches) - 1)
    stray = Dealt(at_ns=0, card=draft.deal.stub[-1], place=place)
    return at_pitch(draft, plus(draft.pitches, number, stray), number, place)


def _omitted(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.deal.setup.game == "baccarat":
        return None
    place = rng.choice(draft.order)
    number = draft.order.index(place)
    pitches = [pitch for pitch in draft.pitches if pitch.place != place]
    return at_end(draft, pitches, min(number, len(pitches) - 1), place)


def _miscounted(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.deal.setup.game == "baccarat":
        return None
    return (_too_many if rng.random() < 0.5 else _too_few)(draft, rng)


def _too_many(draft: Draft, rng: random.Random) -> Wrong | None:
    # After the last card of the deal one more is a draw, or opens the next street of stud.
    is_next_due = draft.layout_is_open or draft.deal.setup.game == "stud7"
    seats = draft.order[:-1] if is_next_due else draft.order
    place = rng.choice(seats)
    number = max(n for n, pitch in enumerate(draft.pitches) if pitch.place == place) + 1
    extra = Dealt(at_ns=0, card=draft.deal.stub[-1], place=place)
    return at_pitch(draft, plus(draft.pitches, number, extra), number, place)


def _too_few(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randrange(len(draft.order), len(draft.pitches))
    place = draft.pitches[number].place
    pitches = [*draft.pitches[:number], *draft.pitches[number + 1 :]]
    return at_end(draft, pitches, min(number, len(pitches) - 1), place)


def _out_of_order(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randint(1, len(draft.pitches) - 2)
    one, two = draft.pitches[number : number + 2]
    swapped = [replace(one, place=two.place), replace(two, place=one.place)]
    pitches = [*draft.pitches[:number], *swapped, *draft.pitches[number + 2 :]]
    return at_pitch(draft, pitches, number, None)


def _stopped(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.deal.setup.game == "baccarat":
        return None
    kept = draft.pitches[: rng.randint(1, len(draft.pitches) - 1)]
    return at_end(draft, kept, len(kept) - 1, None)


def _stuck(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randrange(len(draft.pitches) - 1)
    one, two = draft.pitches[number : number + 2]
    pitches = with_pitch(draft.pitches, number + 1, replace(two, place=one.place))
    deeds, start = dealt_out(draft, pitches, {number + 1: 0})
    return deeds, start + number, start + number + 1, None


def _unread(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randint(1, len(draft.pitches) - 1)
    pitch = replace(draft.pitches[number], is_read=False)
    pitches = with_pitch(draft.pitches, number, pitch)
    deeds, start = dealt_out(draft, pitches, {number + 1: 1000})
    return deeds, start + number, start + number, pitch.place


# ---------------------------------------------------------------- what a card is
def _as_card(draft: Draft, rng: random.Random, card: Physical, number: int, place: bool) -> Wrong:
    pitch = replace(draft.pitches[number], card=card)
    pitches = with_pitch(draft.pitches, number, pitch)
    return at_pitch(draft, pitches, number, pitch.place if place else None)


def _duplicate(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.deal.setup.decks > 1:
        return None
    number = rng.randint(1, len(draft.pitches) - 1)
    face = rng.choice(draft.pitches[:number]).card.card
    return _as_card(draft, rng, Physical(Tag(f"{face}#2"), face), number, place=False)


def _foreign(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randint(0, len(draft.pitches) - 1)
    face = draft.deal.stub[-1].card
    known = Physical(Tag(f"{face}@other"), face, "other")
    unknown = Physical(Tag("X1"), None, None, face)
    return _as_card(draft, rng, rng.choice((known, unknown)), number, place=True)


def _nonstandard(draft: Draft, rng: random.Random) -> Wrong | None:
    low = [Card("2c"), Card("5h")] if draft.deal.setup.game == "shortdeck" else []
    face = rng.choice([JOKER, *low])
    number = rng.randint(0, len(draft.pitches) - 1)
    return _as_card(draft, rng, Physical(Tag(face), face), number, place=False)


# ---------------------------------------------------------------- what is told of the pack
def _told_before(draft: Draft, events: Sequence[AnyEvent], found: int) -> Wrong:
    """Something is told before the deal; it is found so many deeds after the first of it."""
    told = [Told(at_ns=0, event=event) for event in events]
    others = [deed for deed in draft.before if not _is_preparation(deed)]
    deeds, _ = dealt_out(replace(draft, before=(*told, *others)), draft.pitches)
    start = 0 if events else len(others)
    return deeds, start, start + found, None


def _is_preparation(deed: AnyDeed) -> bool:
    return isinstance(deed, Told) and isinstance(deed.event, (PackShuffled, CutMade))


SHUFFLED = PackShuffled(at_ns=0)


def _wrong_pack(draft: Draft, rng: random.Random) -> Wrong | None:
    whole = len(LAYOUTS[draft.deal.setup.game].faces) * draft.deal.setup.decks
    counted = PackCounted(at_ns=0, count=whole + rng.choice((-2, -1, 1)), is_complete=True)
    return _told_before(draft, [SHUFFLED, CutMade(at_ns=0, top=20, bottom=20), counted], 2)


def _thin_cut(draft: Draft, rng: random.Random) -> Wrong | None:
    thin, thick = rng.randint(1, 4), 30
    top, bottom = (thin, thick) if rng.random() < 0.5 else (thick, thin)
    return _told_before(draft, [SHUFFLED, CutMade(at_ns=0, top=top, bottom=bottom)], 1)


def _exposed_in_cut(draft: Draft, rng: random.Random) -> Wrong | None:
    face = draft.deal.stub[-1].card
    cut = CutMade(at_ns=0, top=20, bottom=20, faces_up=(face,) if face else ())
    return _told_before(draft, [SHUFFLED, cut], 1)


def _unshuffled(draft: Draft, rng: random.Random) -> Wrong | None:
    others = [deed for deed in draft.before if not _is_preparation(deed)]
    stacked = replace(SHUFFLED, is_done=False)
    cut = CutMade(at_ns=0, top=20, bottom=20)
    return _told_before(draft, [stacked, cut], 2 + len(others))


def _uncut(draft: Draft, rng: random.Random) -> Wrong | None:
    others = [deed for deed in draft.before if not _is_preparation(deed)]
    return _told_before(draft, [SHUFFLED], 1 + len(others))


def _missing(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.deal.setup.decks > 1:
        return None
    deeds, _ = dealt_out(draft, draft.pitches)
    lost = rng.choice([*(pitch.card for pitch in draft.pitches), *draft.deal.stub]).tag
    gathered = replace(deeds[-1], missing=frozenset({lost}))
    return [*deeds[:-1], gathered], len(deeds) - 1, len(deeds) - 1, None


def _marked(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randint(1, len(draft.pitches) - 1)
    pitch = rng.choice(draft.pitches[:number])
    event = BackMarked(at_ns=0, place=pitch.place, tag=pitch.card.tag, card=pitch.card.card)
    told = Told(at_ns=0, event=event)
    return at_pitch(draft, plus(draft.pitches, number, told), number, None)


def _out_of_turn(draft: Draft, rng: random.Random) -> Wrong | None:
    if draft.deal.dealt_by != "players":
        return None
    return at_pitch(draft, draft.pitches, 0, None)


def _early(draft: Draft, rng: random.Random) -> Wrong | None:
    if not LAYOUTS[draft.deal.setup.game].is_banked:
        return None
    return at_pitch(replace(draft, before=()), draft.pitches, 0, None)


# ---------------------------------------------------------------- readers, devices, people
def _crossed(draft: Draft, rng: random.Random) -> Wrong | None:
    number = rng.randint(1, len(draft.pitches) - 1)
    pitch = rng.choice(draft.pitches[:number])
    place = rng.choice([place for place in sorted(HANDS) if place != pitch.place])
    strayed = Strayed(at_ns=0, card=pitch.card, place=place)
    return at_pitch(draft, plus(draft.pitches, number, strayed), number, None)


def _telling(*texts: str) -> Injector:
    """Return an injector that lets somebody say one of some sentences during the deal."""

    def inject(draft: Draft, rng: random.Random) -> Wrong | None:
        number = rng.randint(1, len(draft.pitches) - 1)
        told = said(rng.choice(texts).replace("SEAT", draft.order[0]))
        place = getattr(told.event, "seat", None) or getattr(told.event, "place", None)
        return at_pitch(draft, plus(draft.pitches, number, told), number, place)

    return inject


INJECTORS: dict[FindingKind, Injector] = {
    "exposed_card": _exposed,
    "boxed_card": _boxed,
    "first_card_misplaced": _misplaced,
    "unentitled_hand": _unentitled,
    "omitted_hand": _omitted,
    "wrong_count": _miscounted,
    "out_of_sequence": _out_of_order,
    "rounds_omitted": _stopped,
    "duplicate_card": _duplicate,
    "foreign_card": _foreign,
    "nonstandard_card": _nonstandard,
    "missing_card": _missing,
    "marked_card": _marked,
    "wrong_pack_count": _wrong_pack,
    "cut_too_thin": _thin_cut,
    "card_exposed_in_cut": _exposed_in_cut,
    "not_shuffled": _unshuffled,
    "not_cut": _uncut,
    "dealer_out_of_turn": _out_of_turn,
    "burn_error": later_faults.burn,
    "premature_card": later_faults.premature,
    "board_count": later_faults.board,
    "wrong_draw": later_faults.wrong_draw,
    "stuck_cards": _stuck,
    "stub_disordered": _telling("say stub dropped", "say stub dropped mixed"),
    "equipment_fault": _telling("fault shuffler", "fault jackpot-meter", "fault camera"),
    "cross_read": _crossed,
    "face_mismatch": _mismatched,
    "unread_card": _unread,
    "early_draw": _early,
    "report": _telling("report report"),
}
"""Every kind that can be put into a hand; claims are people's, ``test_claims`` has them."""

WAITS: frozenset[FindingKind] = frozenset({
    "omitted_hand", "wrong_count", "rounds_omitted", "premature_card", "board_count",
    "unread_card",
})  # fmt: skip
"""What is found once nothing that could overturn it can still be told: a card on its way, a word
that is entered late. All others are found with the event that shows them."""

UNPREPARED = frozenset({
    "cut_too_thin", "card_exposed_in_cut", "not_shuffled", "not_cut", "wrong_pack_count",
})  # fmt: skip

# Games in which a kind can happen at all; a kind that is not named can happen in every game.
_POKER: tuple[Game, ...] = ("holdem", "omaha", "shortdeck", "stud7", "draw5", "lowball27")
_HOUSE: tuple[Game, ...] = ("caribbean-stud", "three-card", "baccarat", "blackjack")
_ALL = (*_POKER, *_HOUSE)
_SEATED = tuple(game for game in _ALL if game != "baccarat")
_CLOSED = tuple(game for game in _SEATED if game != "blackjack")
GAMES_OF: dict[FindingKind, tuple[Game, ...]] = {
    **dict.fromkeys(INJECTORS, _ALL),
    **dict.fromkeys(
        ("first_card_misplaced", "unentitled_hand", "omitted_hand", "wrong_count",
         "rounds_omitted"), _SEATED
    ),
    "exposed_card": _CLOSED,
    "duplicate_card": _SEATED,
    "missing_card": _SEATED,
    "dealer_out_of_turn": ("draw5",),
    "burn_error": ("holdem", "omaha", "shortdeck", "stud7"),
    "premature_card": ("holdem", "omaha", "shortdeck", "stud7"),
    "board_count": ("holdem", "omaha", "shortdeck"),
    "wrong_draw": ("baccarat", "blackjack"),
    "early_draw": _HOUSE,
}  # fmt: skip


def faulty_deal(
    game: Game, kind: FindingKind, rng: random.Random, *, entries: Entries = "all"
) -> Fault:
    """Return a random hand in which something of a kind goes wrong."""
    while True:
        deal = clean_deal(game, rng, entries=entries)
        setup = deal.setup
        if kind in UNPREPARED:
            setup = replace(setup, prepared=False)
        if kind == "dealer_out_of_turn":
            others = [seat for seat in setup.seats if seat != setup.dealer]
            setup = replace(setup, due_dealer=rng.choice(others))
        deal = replace(deal, setup=setup)
        wrong = INJECTORS[kind](draft_of(deal), rng)
        if wrong is not None:
            deeds, begins, found, place = wrong
            return Fault(
                setup=setup,
                deeds=tuple(deeds),
                kind=kind,
                place=place,
                begins=begins,
                found=found,
                dealt_by=deal.dealt_by,
            )


def with_fault(
    game: Game, kind: FindingKind, rng: random.Random
) -> tuple[TableSetup, tuple[AnyEvent, ...], FindingKind, Place | None, int]:
    """Return a hand with a fault as the events of a full set of sensors.

    Returns:
        The set-up, the events, the kind and the place of the finding, and the index of the event
        after which it must have been found.
    """
    fault = faulty_deal(game, kind, rng)
    sensed = fault.sensed(FULL, rng.randrange(2**32))
    last = sensed.last(fault.found, with_time=kind in WAITS)
    return fault.setup, sensed.events, kind, fault.place, last
