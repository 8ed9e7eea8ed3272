"""Irregularities after the initial deal: burns, boards, cards before their time, wrong draws."""

import random
from collections.abc import Sequence

from engine.cards import BOARD, BURN, DEALER, Place
from engine.events import ActionEntered
from tests.engine.deeds import (
    MS,
    AnyDeed,
    Dealt,
    Gathered,
    Told,
)
from tests.engine.drafts import Draft, Wrong, moved
from tests.engine.hands import blackjack_total

S = 1_000_000_000


def cut_off(deeds: Sequence[AnyDeed], begins: int, found: int, place: Place | None) -> Wrong:
    """Let a hand end after the deed by which a fault is found."""
    kept = list(deeds[: found + 1])
    gathered = Gathered(at_ns=kept[-1].at_ns + 3 * S)
    return [*kept, gathered], begins, found, place


def later_by(deeds: Sequence[AnyDeed], number: int, by_ms: int) -> list[AnyDeed]:
    """Move the deeds from a number on to a later time."""
    return [
        *deeds[:number], *(moved(deed, deed.at_ns + by_ms * MS) for deed in deeds[number:]),
    ]  # fmt: skip


def _burns(deeds: Sequence[AnyDeed]) -> list[int]:
    return [n for n, d in enumerate(deeds) if isinstance(d, Dealt) and d.place == BURN]


def burn(draft: Draft, rng: random.Random) -> Wrong | None:
    deeds = draft.deal.deeds
    if not (burns := _burns(deeds)):
        return None
    number = rng.choice(burns)
    if rng.random() < 0.5:
        return cut_off([*deeds[:number], *deeds[number + 1 :]], number, number, None)
    second = Dealt(
        at_ns=deeds[number].at_ns + 300 * MS, card=draft.deal.stub[-1], place=BURN
    )  # fmt: skip
    later = later_by(deeds, number + 1, 400)
    twice = [*later[: number + 1], second, *later[number + 1 :]]
    return cut_off(twice, number + 1, number + 1, None)


def premature(draft: Draft, rng: random.Random) -> Wrong | None:
    deeds = draft.deal.deeds
    if any(_is_action(deed, "allin") for deed in deeds):
        # Who acts behind an all-in is let off: it may have been a call for less.
        return None
    dropped = [
        number - 1 for number in _burns(deeds) if _is_action(deeds[number - 1], "check", "call")
    ]
    if not dropped:
        return None
    number = rng.choice(dropped)
    # The burn stands where the action stood; the card after it comes too early.
    return cut_off([*deeds[:number], *deeds[number + 1 :]], number, number + 1, None)


def board(draft: Draft, rng: random.Random) -> Wrong | None:
    deeds = draft.deal.deeds
    boards = [n for n, d in enumerate(deeds) if isinstance(d, Dealt) and d.place == BOARD]
    last = [n for n in boards if n + 1 not in boards]
    if not last:
        return None
    if rng.random() < 0.5:
        number = rng.choice(last)
        fourth = Dealt(
            at_ns=deeds[number].at_ns + 300 * MS, card=draft.deal.stub[-1], place=BOARD, is_up=True
        )
        later = later_by(deeds, number + 1, 400)
        return cut_off(
            [*later[: number + 1], fourth, *later[number + 1 :]], number + 1, number + 1, None
        )
    number, after = last[0], last[0] + 1
    if after >= len(deeds) or not _is_action(deeds[after]):
        return None
    return cut_off([*deeds[:number], *deeds[after:]], number, number, None)


def _is_action(deed: AnyDeed, *actions: str) -> bool:
    if not isinstance(deed, Told) or not isinstance(deed.event, ActionEntered):
        return False
    return not actions or deed.event.action in actions


def wrong_draw(draft: Draft, rng: random.Random) -> Wrong | None:
    game = draft.deal.setup.game
    if game == "baccarat":
        return _baccarat_draw(draft, rng)
    return _blackjack_draw(draft) if game == "blackjack" else None


def _baccarat_draw(draft: Draft, rng: random.Random) -> Wrong | None:
    deeds = draft.deal.deeds[: draft.deal.initial[-1] + 1]
    draws = [d for d in draft.deal.deeds[len(deeds) :] if isinstance(d, Dealt)]
    gathered = Gathered(at_ns=deeds[-1].at_ns + 8 * S)
    if draws and rng.random() < 0.5:
        # The draw is not made; it is found when the cards are taken in.
        return [*deeds, gathered], len(deeds), len(deeds), draws[0].place
    place = Place(rng.choice("PB"))
    if draws and draws[0].place == place:
        place = Place("B" if place == "P" else "P")
    wrong = Dealt(
        at_ns=deeds[-1].at_ns + 2 * S, card=draft.deal.stub[-1], place=place, is_up=True
    )  # fmt: skip
    return [*deeds, wrong, gathered], len(deeds), len(deeds), place


def _blackjack_draw(draft: Draft) -> Wrong | None:
    deeds = draft.deal.deeds
    end = next(number for number, deed in enumerate(deeds) if isinstance(deed, Gathered))
    held = [d.card for d in deeds[:end] if isinstance(d, Dealt) and d.place == DEALER]
    if blackjack_total(held) < 17:
        return None
    at_ns = deeds[end - 1].at_ns + S
    wrong = Dealt(at_ns=at_ns, card=draft.deal.stub[-1], place=DEALER, is_up=True)
    return cut_off([*deeds[:end], wrong], end, end, DEALER)
