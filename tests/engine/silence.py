"""Clean hands by the thousand: every game, with and without entries; not one ruling may come.

``measure_silence`` is for a bench; the tests run the same over a few hands.
"""

import itertools
import random
from typing import get_args

from msgspec import Struct

from engine.rulebook import RuleBook
from engine.setup import Game
from tests.engine.dealer import GAMES, Deal, Entries
from tests.engine.deeds import FULL
from tests.engine.felt import book
from tests.engine.hands import clean_deal
from tests.engine.neutral import neutral_book, watched


class Silence(Struct, frozen=True, kw_only=True):
    """What clean hands of one game gave."""

    game: Game
    entries: Entries
    hands: int
    events: int
    rulings: int


def books_of(deal: Deal) -> tuple[RuleBook, RuleBook]:
    """Return the book that notes every finding, and the game's own."""
    return neutral_book(deal.dealt_by), book(deal.rulebook)


def measure_silence(seed: int, hands: int) -> list[Silence]:
    """Return a row for each game and each habit of entering, of as many hands in all as are asked.

    Each hand is watched with all sensors, by the book that notes every finding.
    """
    cases = list(itertools.product(GAMES, get_args(Entries)))
    each = -(-hands // len(cases))
    return [_silence(game, entries, each, seed) for game, entries in cases]


def _silence(game: Game, entries: Entries, hands: int, seed: int) -> Silence:
    rng = random.Random(f"{seed} {game} {entries}")
    events = rulings = 0
    for _ in range(hands):
        told = "entered" if entries == "all" and rng.random() < 0.5 else "inferred"
        deal = clean_deal(game, rng, entries=entries, hands=told)
        happened = deal.sensed(FULL, rng.randrange(2**32)).events
        _, changes = watched(deal.setup, happened, neutral_book(deal.dealt_by))
        events += len(happened)
        rulings += len(changes)
    return Silence(game=game, entries=entries, hands=hands, events=events, rulings=rulings)
