"""From indices that were read to cards: two indices of one card are one card, with its corners."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER, Card
from vision.read import CARDS, Readings
from vision.seen import Corners, SeenCard

TALL = 1.4
"""Height of a card by its width. Poker size, 88 by 63 mm; bridge size is 1.54."""

_SAME = 0.55
"""Indices whose cards' middles are nearer than this, in card widths, may belong to one card."""
_SHORT, _BROAD, _LONG = 1.2, 5.4, 6.8
"""Indices of one card are so many of their heights apart: at least, across the card, along it.

Source: 1.4 to 4.2 across and 1.9 to 5.7 along, for indices of 0.14 to 0.32 of a card's length.
"""
_PARALLEL = 0.7

_RIM = 0.04
"""How far an index is from the end of its card, by the card's length.

Source: 0.03 to 0.05 in the designs that were trained on, jumbo or not.
"""

_SIDE = 0.1
"""How far the middle of an index is from the side of its card, by the card's width."""

_SURE_JOKER = 0.993
"""A word that stands upright is easily taken for a joker's."""


@dataclass(frozen=True, eq=False)
class _Index:
    card: Card
    confidence: float
    at: NDArray[np.float32]
    down: NDArray[np.float32]
    high: float
    wide: float
    middle: NDArray[np.float32]


def cards_of(
    readings: Readings, least: float, card_width_px: float | None = None
) -> list[SeenCard]:
    """Return the cards whose indices were read.

    Args:
        readings: What was read.
        least: The confidence from which on a reading counts.
        card_width_px: How wide a card is, where that is known.
    """
    best, sure = readings.best(), readings.confidence()
    needed = np.where(best == CARDS.index(JOKER), np.maximum(least, _SURE_JOKER), least)
    rows = [int(row) for row in np.argsort(-sure) if sure[row] >= needed[row]]
    of = readings.indices
    indices = [
        _Index(
            CARDS[int(best[row])], float(sure[row]), of.at[row], of.down[row],
            float(of.high[row]), float(of.card_wide[row]), of.card_at[row],
        )
        for row in rows
    ]  # fmt: skip
    groups: list[list[_Index]] = []
    for index in indices:
        own = [group for group in groups if any(_is_one(index, each) for each in group)]
        groups = [group for group in groups if group not in own]
        groups.append([each for group in own for each in group] + [index])
    return [_card(group, card_width_px) for group in groups]


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
    wide, high = (a.wide + b.wide) / 2, (a.high + b.high) / 2
    if float(np.hypot(*(a.middle - b.middle))) < _SAME * wide:
        return True
    # The middles are a guess; how the indices lie to each other is seen.
    way = b.at - a.at
    along = float(way @ a.down)
    across = float(way @ np.array([a.down[1], -a.down[0]]))
    alike = float(a.down @ b.down)
    if alike < -_PARALLEL:
        return _SHORT * high < along < _LONG * high and abs(across) < _BROAD * high
    beside = _SHORT * high < abs(across) < min(_BROAD * high, 1.25 * wide)
    return alike > _PARALLEL and beside and abs(along) < 0.8 * high


def _card(group: list[_Index], known_wide: float | None) -> SeenCard:
    first = max(group, key=lambda each: each.confidence)
    other = next((each for each in group if float(each.down @ first.down) < -_PARALLEL), None)
    if other is None and known_wide is not None:
        down, middle, wide = first.down, _middle(first, known_wide), known_wide
    elif other is None:
        down, middle = first.down, first.middle
        wide = float(np.median([each.wide for each in group]))
    else:
        along = first.down - other.down
        down = np.asarray(along / (np.hypot(*along) + 1e-6), np.float32)
        middle = np.asarray((first.at + other.at) / 2, np.float32)
        apart = abs(float((other.at - first.at) @ down))
        wide = (apart + (first.high + other.high) / 2) / (1 - 2 * _RIM) / TALL
    # The chance that every reading of the group is wrong in the same way is that of the surest.
    return SeenCard(first.card, round(first.confidence, 4), corners(middle, down, wide))


def _middle(index: _Index, wide: float) -> NDArray[np.float32]:
    """Return the middle of a card of known width, by the index in its corner."""
    right = np.array([index.down[1], -index.down[0]], np.float32)
    side = np.sign(float((index.middle - index.at) @ right)) or 1.0
    across = side * (0.5 - _SIDE) * wide
    along = (0.5 - _RIM) * TALL * wide - index.high / 2
    return np.asarray(index.at + across * right + along * index.down, np.float32)


def corners(middle: NDArray[np.float32], down: NDArray[np.float32], wide: float) -> Corners:
    """Return the corners of a card: its top left, top right, bottom right, bottom left."""
    right = np.array([down[1], -down[0]])
    x, y = right * wide / 2, down * wide * TALL / 2
    quad = [middle - x - y, middle + x - y, middle + x + y, middle - x + y]
    a, b, c, d = ((round(float(px), 1), round(float(py), 1)) for px, py in quad)
    return a, b, c, d
