"""What has changed since the frame before: a quarter-size look, so that still frames cost little.

A frame is shrunk to a quarter and compared in cells of 16 by 16 pixels with three others: the
frame before (what moves), what the eye looked at last (what is new), and the bare table (where
nothing lies). Light that changes for the whole picture alike is reckoned out first, channel by
channel: what was looked at is kept as it would be in the light of the bare table.
"""

from functools import lru_cache

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vision.geometry import Outline
from vision.seen import Picture

SHRINK = 4
CELL_PX = 16
"""The side of a cell in pixels of the picture: a card of 80 pixels is five cells wide."""

_SIDE = CELL_PX // SHRINK

MOVED_LEVELS = 18
"""A channel that differs by more is another thing. Chosen: three times the noise of a webcam at
quarter size, a sixth of what lies between felt and the white of a card."""

BARE_LEVELS = 24
"""As much more is allowed between felt and the felt of another day, which is lit otherwise."""

SHADOW, LIGHT = 0.4, 1.1
"""Felt in a shadow is darker by so much at the most, in the lamp's light brighter by so much, and
of the same colour."""

COLOUR_LEVELS = 9
"""By so much the mean colour of a cell may be off that of its felt in such a light."""

SHARE = 48
"""A cell differs where more of it than this of 255 does: three of its sixteen pixels."""

_STEADY = 0.004
"""Light that changes by less is left as it is: it makes one level of 255."""

MOST_CAST = 1.5
"""Light does not change one channel so many times as much as another. Chosen: from a warm white
lamp to daylight it is a third."""

_PATCH = 8
"""Of every so many pixels, each way, one tells the light."""

_RESTING_FRAMES = 15
"""Where nothing moves, only every so many frames are compared with more than the one before."""

_FAR = 1e5

_LEARN = 0.125
"""How far the bare table follows at a time."""

Cells = NDArray[np.bool_]
"""Shape (height // 16, width // 16)."""

Spots = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Rows and columns of cells."""


def shrink(picture: Picture) -> Picture:
    """Return a picture at a quarter of its size."""
    height, width = picture.shape[:2]
    size = (width // SHRINK, height // SHRINK)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR), np.uint8)


@lru_cache(maxsize=2048)
def cells_of(outline: tuple[tuple[float, float], ...], shape: tuple[int, int]) -> Spots:
    """Return the cells whose middle lies within an outline, in pixels; the nearest one at least.

    Args:
        outline: Its corners, in pixels of the picture.
        shape: How many rows and columns of cells there are.
    """
    corners = np.clip(np.nan_to_num(np.array(outline, np.float64)) / CELL_PX - 0.5, -_FAR, _FAR)
    last = np.array((shape[1] - 1, shape[0] - 1))
    begin = np.clip(np.ceil(corners.min(axis=0)), 0, last).astype(np.intp)
    end = np.clip(np.floor(corners.max(axis=0)), 0, last).astype(np.intp)
    columns = np.arange(begin[0], end[0] + 1)
    rows = np.arange(begin[1], end[1] + 1)[:, np.newaxis]
    is_inside = np.zeros((rows.size, columns.size), np.bool_)
    points = corners.tolist()
    for (x0, y0), (x1, y1) in zip(points, (*points[1:], points[0]), strict=True):
        if y0 != y1:
            crosses = (y0 > rows) != (y1 > rows)
            is_inside ^= crosses & (columns < x0 + (rows - y0) / (y1 - y0) * (x1 - x0))
    if not is_inside.any():
        column, row = np.clip(corners.mean(axis=0).round(), 0, last).astype(np.intp)
        return np.array([row]), np.array([column])
    found = np.nonzero(is_inside)
    return found[0] + begin[1], found[1] + begin[0]


class Change(Struct, frozen=True):
    """What one frame shows beside others."""

    at_ns: int
    moving: Cells
    """Other than in the frame before."""
    fresh: Cells
    """Other than when the eye looked last."""
    bare: Cells
    """As on the bare table."""
    still_ns: NDArray[np.int64]
    """For each cell the first frame that showed it as it is now."""

    def cells(self, outline: Outline) -> Spots:
        """Return the cells of an outline in pixels, which is taken to a quarter of a cell."""
        rows, columns = self.moving.shape
        taken = tuple((SHRINK * round(x / SHRINK), SHRINK * round(y / SHRINK)) for x, y in outline)
        return cells_of(taken, (rows, columns))

    def is_still(self, outline: Outline) -> bool:
        """Say whether nothing moves within an outline."""
        return not self.moving[self.cells(outline)].any()

    def still_since_ns(self, outline: Outline) -> int:
        """Return the first frame that showed an outline as it is now."""
        return int(self.still_ns[self.cells(outline)].max())

    def bare_share(self, outline: Outline) -> float:
        """Return how much of an outline looks as the bare table does, 0 to 1."""
        return float(self.bare[self.cells(outline)].mean())


class Gate:
    """Compares frame after frame; all of one size."""

    def __init__(self, bare: Picture) -> None:
        """Begin with the bare table.

        Args:
            bare: At a quarter of the size, as ``shrink`` gives it.
        """
        self._bare = bare.copy()
        rows, columns = bare.shape[0] // _SIDE, bare.shape[1] // _SIDE
        self.shape = rows, columns
        self._before: Picture | None = None
        self._looked = bare.copy()
        self._still_ns = np.zeros(self.shape, np.int64)
        self._resting = 0
        self._fresh = np.zeros(self.shape, np.bool_)
        self._shown = np.zeros(self.shape, np.bool_)

    def see(self, small: Picture, at_ns: int) -> Change:
        """Compare a frame that has been shrunk with those before it."""
        if self._before is None:
            moving = np.ones(self.shape, np.bool_)
            self._still_ns[:] = at_ns
        else:
            moving = differing(_lit_as(small, self._before), small, MOVED_LEVELS)
            self._still_ns[moving] = at_ns
        self._before = small
        self._compare(small, is_resting=not moving.any())
        return Change(
            at_ns=at_ns,
            moving=moving,
            fresh=self._fresh,
            bare=self._shown,
            still_ns=self._still_ns,
        )

    def _compare(self, small: Picture, *, is_resting: bool) -> None:
        """Compare with what was looked at and with the bare table, where it is worth it."""
        self._resting = self._resting + 1 if is_resting else 0
        if self._resting % _RESTING_FRAMES == 0:
            lit = _lit_as(self._bare, small)
            self._fresh = differing(self._looked, lit, MOVED_LEVELS)
            alike = ~differing(self._bare, lit, BARE_LEVELS)
            self._shown = alike | self._in_shadow(lit)

    def _in_shadow(self, lit: Picture) -> Cells:
        """Return the cells in which the felt shows, in a light of its own."""
        now, felt = self._means(lit), self._means(self._bare)
        light = now.sum(axis=2, keepdims=True) / (felt.sum(axis=2, keepdims=True) + 1)
        off = np.abs(now - light * felt).max(axis=2)
        dim = light[..., 0]
        cells: Cells = (dim >= SHADOW) & (dim <= LIGHT) & (off <= COLOUR_LEVELS)
        return cells

    def _means(self, small: Picture) -> NDArray[np.float32]:
        """Return the mean colour of each cell."""
        rows, columns = self.shape
        cut = small[: rows * _SIDE, : columns * _SIDE]
        means = cv2.resize(cut, (columns, rows), interpolation=cv2.INTER_AREA)
        return np.asarray(means, np.float32)

    def accept(self, cells: Cells) -> None:
        """Take these cells of the last frame as looked at."""
        if self._before is None:
            return
        lit = _lit_as(self._bare, self._before)
        cv2.copyTo(lit, _pixels(cells, lit), self._looked)
        self._fresh = self._fresh & ~cells

    def learn(self, change: Change) -> None:
        """Let the bare table follow the light of the day, where it shows."""
        if self._before is None:
            return
        now = _lit_as(self._bare, self._before)
        mixed = cv2.addWeighted(self._bare, 1 - _LEARN, now, _LEARN, 0)
        cv2.copyTo(mixed, _pixels(change.bare & ~change.moving, self._bare), self._bare)


def differing(one: Picture, other: Picture, levels: int) -> Cells:
    """Return the cells in which two shrunk pictures in the same light differ."""
    rows, columns = other.shape[0] // _SIDE, other.shape[1] // _SIDE
    _, there = cv2.threshold(cv2.absdiff(one, other), levels, 255, cv2.THRESH_BINARY)
    if not there.any():
        return np.zeros((rows, columns), np.bool_)
    blue, green, red = cv2.split(there)
    most = cv2.max(cv2.max(blue, green), red)[: rows * _SIDE, : columns * _SIDE]
    cells: Cells = cv2.resize(most, (columns, rows), interpolation=cv2.INTER_AREA) > SHARE
    return cells


def _lit_as(model: Picture, picture: Picture) -> Picture:
    """Return a picture as it would be in the light of another one of the same scene.

    The light is the middle of the ratios, channel by channel: what came or went on less than half
    of the picture does not count. What covers more, an arm close to the lens, is of another colour
    than the felt, which no lamp explains.
    """
    one = picture[::_PATCH, ::_PATCH].astype(np.float32)
    other = model[::_PATCH, ::_PATCH].astype(np.float32)
    gains = np.median((other + 1) / (one + 1), axis=(0, 1))
    if np.abs(gains - 1).max() < _STEADY or gains.max() > MOST_CAST * gains.min():
        return picture
    levels = np.arange(256, dtype=np.float32)[:, np.newaxis]
    table = np.clip(levels * gains, 0, 255).round().astype(np.uint8)
    return np.asarray(cv2.LUT(picture, table.reshape(1, 256, 3)), np.uint8)


def _pixels(cells: Cells, small: Picture) -> NDArray[np.uint8]:
    """Return a mask of a shrunk picture, 1 where its cell is meant."""
    height, width = small.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    grown = cells.astype(np.uint8).repeat(_SIDE, axis=0).repeat(_SIDE, axis=1)
    mask[: grown.shape[0], : grown.shape[1]] = grown
    return mask
