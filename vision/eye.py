"""The eye: a picture in, the cards in it out; right, or silent.

Two networks do it. The finder looks for corner indices, at one scale where the size of a card is
known, else at several; the reader names each and says where it really lies, so that it can be cut
out once more and read again. A face that the reader will not name is told as unread.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import cards_of, unread_of
from vision.detect import FACE, Indices, Map, find, joined, without_twins
from vision.facedown import backs_of
from vision.nets import FINDER, READER, Net, load
from vision.read import Readings, halves_of, read
from vision.seen import Picture, Seen, SeenCard

SURE = 0.8
"""A reading below this is none.

Source: of 838 cards in photographs 826 are read right from it on, 828 from 0.7 on, where the first
one is read wrong.
"""
SURE_AT_A_TABLE = 0.9
"""The same for one crop of a calibrated picture, which is not read at three sizes: the camera looks
again anyway."""
_LEAST_HIGH_PX = 12
"""A lower index is not read: print in court cards looks like one. Source: 13 pixels are read to two
thirds (measured on photographs scaled down), 9 were misread."""

_SIDES_PX = (480, 800, 1280, 1920)
"""Longer sides at which a picture of unknown scale is looked at."""
_CARD_PX = 28
"""How wide a card is made for the finder, where its width is known: enough to find its indices, and
what it costs grows with the square."""
_FAINT, _PLAIN = 0.15, 0.35
"""The least heat of an index: where there is time to look twice, and where there is not."""
_HOPEFUL = 0.02
"""Below this chance of being any card an index is not read again."""
_CLEAR = 0.9
"""From this confidence on, one reading of one index of a card is enough."""
_MOSTLY = 0.6
"""Share of an unread card that must look like a face: an index is sooner imagined than a face."""
_SAME_CARD = 0.35
"""Two indices head to head whose cards' middles are so near, in card widths, are one card's."""
_SIZES = (0.88, 1.0, 1.13)
"""Sizes of the crops that are read of each index, where there is time."""


def open_eye(
    card_width_px: float | None = None, threads: int = 1, *, by_opencv: bool = False
) -> "CardEye":
    """Return an eye with the networks that ship.

    Args:
        card_width_px: How wide a card is in the pictures; None to try several scales.
        threads: How many processors onnxruntime may use; OpenCV has a setting of its own.
        by_opencv: Run the networks by OpenCV even where onnxruntime is installed.
    """
    finder = load(FINDER, threads, by_opencv=by_opencv)
    reader = load(READER, threads, by_opencv=by_opencv)
    return CardEye(finder, reader, card_width_px)


class CardEye:
    """Finds and reads cards."""

    def __init__(self, finder: Net, reader: Net, card_width_px: float | None = None) -> None:
        """Take two networks.

        Args:
            finder: Finds indices.
            reader: Reads them.
            card_width_px: How wide a card is in the pictures; None to try several scales.
        """
        self._finder = finder
        self._reader = reader
        self._card_width_px = card_width_px

    def look(self, picture: Picture) -> Seen:
        """Return the cards and backs of a picture."""
        if self._card_width_px is None:
            return self._look_around(picture)
        side = round(max(picture.shape[:2]) * _CARD_PX / self._card_width_px)
        seen = find(self._finder, picture, side, _PLAIN)
        indices = without_twins(seen.indices)
        return self._seen(seen, self._read_once(picture, indices, self._card_width_px))

    def _look_around(self, picture: Picture) -> Seen:
        longest = max(picture.shape[:2])
        sides = [side for side in _SIDES_PX if side <= 1.7 * longest] or [longest]
        maps = [find(self._finder, picture, side, _FAINT) for side in sides]
        indices = without_twins(joined([each.indices for each in maps]))
        return self._seen(maps[len(maps) // 2], self._read_well(picture, indices))

    def _seen(self, seen: Map, readings: Readings) -> Seen:
        sure = SURE if self._card_width_px is None else SURE_AT_A_TABLE
        cards = cards_of(readings, sure, self._card_width_px)
        cards += [each for each in unread_of(readings, sure, cards) if _is_face(seen, each)]
        width = self._card_width_px or _width_of(cards)
        return Seen(tuple(cards), tuple(backs_of(seen, width)))

    def _read_once(self, picture: Picture, indices: Indices, card_wide: float) -> Readings:
        """Read one index of each card, and more only where that is not clear."""
        halves = halves_of(picture, 3)
        other = _others(indices, card_wide)
        is_first = other < 0
        first = read(self._reader, halves, indices.take(is_first))
        is_clear = np.zeros(len(indices), bool)
        is_clear[is_first] = (first.confidence() >= _CLEAR) | (first.odds.sum(1) < _HOPEFUL)
        needed = np.flatnonzero(~is_first)[~is_clear[other[~is_first]]]
        second = read(self._reader, halves, indices.take(needed))
        once = Readings(
            joined([first.indices, second.indices]), np.concatenate([first.odds, second.odds])
        )
        doubtful = (once.odds.sum(1) >= _HOPEFUL) & (once.confidence() < _CLEAR)
        again = read(self._reader, halves, once.indices.take(doubtful))
        once.odds[doubtful] = again.odds
        return _told_once(once)

    def _read_well(self, picture: Picture, indices: Indices) -> Readings:
        """Read each index where the first reading has it, in crops of several sizes."""
        halves = halves_of(picture)
        first = read(self._reader, halves, indices)
        again = read(self._reader, halves, first.indices.take(first.odds.sum(1) > _HOPEFUL))
        odds = [read(self._reader, halves, again.indices.sized(size)).odds for size in _SIZES]
        return _told_once(Readings(again.indices, np.mean(odds, axis=0)))


def _is_face(seen: Map, card: SeenCard) -> bool:
    """Return whether the finder takes most of a card for a face, and not for a back or felt."""
    outline = (np.array(card.corners_px) / seen.cell_px).round().astype(np.int32)
    inside = np.zeros(seen.ground.shape, np.uint8)
    cv2.fillConvexPoly(inside, outline, 1)
    cells = seen.ground[inside > 0]
    return len(cells) > 0 and float((cells == FACE).mean()) >= _MOSTLY


def _others(indices: Indices, card_wide: float) -> NDArray[np.intp]:
    """Return for each index the surer one that is on the same card, by its row; -1 for none."""
    other = np.full(len(indices), -1, np.intp)
    rows = np.argsort(-indices.heat)
    for at, row in enumerate(rows):
        before = rows[:at][other[rows[:at]] < 0]
        apart = np.hypot(*(indices.card_at[before] - indices.card_at[row]).T)
        is_same = (apart < _SAME_CARD * card_wide) & (
            indices.down[before] @ indices.down[row] < -0.8
        )
        if is_same.any():
            other[row] = before[np.flatnonzero(is_same)[0]]
    return other


def _width_of(cards: list[SeenCard]) -> float | None:
    """Return how wide the cards of a picture are; None where none lies face up."""
    widths = [float(np.hypot(*np.subtract(*card.corners_px[:2]))) for card in cards if card.card]
    return float(np.median(widths)) if widths else None


def _told_once(readings: Readings) -> Readings:
    """Return the readings without what is too small, and of those that lie together the surest."""
    of = readings.indices
    kept: list[int] = []
    for row in np.argsort(-readings.confidence()):
        far: NDArray[np.float32] = np.hypot(*(of.at[kept] - of.at[row]).T)
        if of.high[row] >= _LEAST_HIGH_PX and not (far < 0.4 * of.high[row]).any():
            kept.append(int(row))
    rows = np.array(kept, np.intp)
    return Readings(of.take(rows), readings.odds[rows])
