"""From indices that were read to cards: two indices of one card are one card, with its corners."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cards import Card
from vision.read import CARDS, Readings
from vision.seen import Corners, SeenCard

TALL = 1.4
"""Height of a card by its width. Poker size, 88 by 63 mm; bridge size is 1.54."""

_SAME = 0.55
"""Indices whose cards' middles are nearer than this, in card widths, may belong to one card."""
_FAR = 1.9
"""Two indices of one card are at most so many card widths apart."""


@dataclass(frozen=True)
class _Index:
    card: Card
    confidence: float
    at: NDArray[np.float32]
    down: NDArray[np.float32]
    wide: float
    middle: NDArray[np.float32]


def cards_of(readings: Readings, least: float) -> list[SeenCard]:
    """Return the cards whose indices were read.

    Args:
        readings: What was read.
        least: The confidence from which on a reading counts.
    """
    best, sure = readings.best(), readings.confidence()
    rows = [int(row) for row in np.argsort(-sure) if sure[row] >= least]
    of = readings.indices
    indices = [
        _Index(
            CARDS[int(best[row])], float(sure[row]), of.at[row], of.down[row],
            float(of.card_wide[row]), of.card_at[row],
        )
        for row in rows
    ]  # fmt: skip
    groups: list[list[_Index]] = []
    for index in indices:
        home = next(
            (group for group in groups if all(_is_one(index, each) for each in group)), None
        )
        if home is None:
            groups.append([index])
        else:
            home.append(index)
    return [_card(group) for group in groups]


_PLAINLY = 0.5
"""An index that is no index is improbable below this: heat, and what the reader thinks of it."""


def unread_of(readings: Readings, least: float, cards: list[SeenCard]) -> list[SeenCard]:
    """Return the cards that lie face up and were not read: never one of those that were.

    Args:
        readings: What was read.
        least: The confidence from which on a reading counts.
        cards: The cards that were read.
    """
    of = readings.indices
    is_index = readings.odds.sum(1)
    doubtful = (readings.confidence() < least) & (is_index > _PLAINLY) & (of.heat > _PLAINLY)
    taken = [np.mean(card.corners_px, axis=0) for card in cards]
    unread: list[SeenCard] = []
    for row in np.flatnonzero(doubtful)[np.argsort(-is_index[doubtful])]:
        middle, wide = of.card_at[row], float(of.card_wide[row])
        if any(float(np.hypot(*(middle - other))) < _SAME * wide for other in taken):
            continue
        taken.append(middle)
        quad = corners(middle, of.down[row], wide)
        unread.append(SeenCard(None, round(float(is_index[row]), 4), quad))
    return unread


def _is_one(a: _Index, b: _Index) -> bool:
    """Return whether two indices are on one card."""
    if a.card != b.card:
        return False
    wide = (a.wide + b.wide) / 2
    if float(np.hypot(*(a.middle - b.middle))) < _SAME * wide:
        return True
    # The middles are a guess. Head to head across a card's length they are one card's, too.
    apart = float(np.hypot(*(a.at - b.at)))
    ahead = float((b.at - a.at) @ a.down)
    return float(a.down @ b.down) < -0.7 and apart < _FAR * wide and ahead > 0.5 * wide


def _card(group: list[_Index]) -> SeenCard:
    first = group[0]
    wide = float(np.median([each.wide for each in group]))
    other = next((each for each in group[1:] if float(each.down @ first.down) < -0.7), None)
    if other is None:
        down, middle = first.down, first.middle
    else:
        along = first.down - other.down
        down = np.asarray(along / (np.hypot(*along) + 1e-6), np.float32)
        middle = np.asarray((first.at + other.at) / 2, np.float32)
    # The chance that every reading of the group is wrong in the same way is that of the surest.
    return SeenCard(first.card, round(first.confidence, 4), corners(middle, down, wide))


def corners(middle: NDArray[np.float32], down: NDArray[np.float32], wide: float) -> Corners:
    """Return the corners of a card: its top left, top right, bottom right, bottom left."""
    right = np.array([down[1], -down[0]])
    x, y = right * wide / 2, down * wide * TALL / 2
    quad = [middle - x - y, middle + x - y, middle + x + y, middle - x + y]
    a, b, c, d = ((round(float(px), 1), round(float(py), 1)) for px, py in quad)
    return a, b, c, d
