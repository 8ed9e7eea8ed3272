"""Finds the cards that lie face down: outlines of what the finder takes for backs."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import TALL
from vision.detect import BACK, Map
from vision.seen import Corners, SeenBack

_SLIM, _STOUT = 1.2, 1.85
"""A single card's outline is between so and so many times longer than wide, seen at a slant."""
_FULL = 0.75
"""Share of its own upright box that a single card fills at least."""
_LEAST_CELLS = 8
"""So many cells wide is a patch at least, where the size of a card is not known: chips are not."""
_CLOSE = 0.2
"""A patch that is wide by so much of the picture is cards, whatever its shape."""
_LEAST_SHARE = 0.5
"""So much of a card must be in view, where the size of a card is known."""
_OVER = 1.35
"""A patch that is no deeper than so many cards is one row of them. Patches are larger than what
they show, by up to a cell all around."""

Box = tuple[Sequence[float], Sequence[float], float]
"""Middle, size and turn in degrees, as OpenCV gives the smallest box around points."""


def backs_of(seen: Map, card_width_px: float | None) -> list[SeenBack]:
    """Return the backs in a picture.

    Cards that touch or lie over each other are counted by the size of a card where that is known,
    and their outlines are then about right; else they are told as one.

    Args:
        seen: What the finder gives of the picture.
        card_width_px: How wide a card is, in pixels of the picture.
    """
    mask = (seen.ground == BACK).astype(np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    backs: list[SeenBack] = []
    for outline in outlines:
        box, share = _box(np.asarray(outline, np.int32), seen.cell_px)
        if card_width_px is not None:
            backs += _counted(box, share, card_width_px)
        else:
            likeness = _likeness(box, share)
            is_close = min(box[1]) >= _CLOSE * min(seen.ground.shape) * seen.cell_px[0]
            if is_close or (likeness >= _FULL and min(box[1]) >= _LEAST_CELLS * seen.cell_px[0]):
                backs.append(SeenBack(likeness, _corners(box)))
    return backs


def _box(outline: NDArray[np.int32], cell_px: tuple[float, float]) -> tuple[Box, float]:
    """Return the box around a patch of cells, in pixels, and how much of it is filled."""
    size = np.array(cell_px, np.float32)
    middle, (wide, high), turn = cv2.minAreaRect(
        (outline.reshape(-1, 2) + 0.5).astype(np.float32) * size
    )
    # A contour runs through the middles of its cells: half a cell is missing all around.
    cell = float(size.mean())
    filled = (cv2.contourArea(outline) + cv2.arcLength(outline, closed=True) / 2 + 1) * cell**2
    box = (middle, (wide + cell, high + cell), turn)
    return box, min(1.0, filled / ((wide + cell) * (high + cell)))


def _likeness(box: Box, share: float) -> float:
    """Return how much a patch is like one card."""
    wide, long = sorted(box[1])
    is_card = _SLIM <= long / wide <= _STOUT and share >= _FULL
    return round(share if is_card else share / 2, 3)


def _counted(box: Box, share: float, card_wide: float) -> list[SeenBack]:
    """Return as many backs as a patch has room for, each of a card's size."""
    (x, y), (width, height), turn = box
    if width < height:
        width, height, turn = height, width, turn + 90
    card_long = TALL * card_wide
    fits = share * width * height / (card_wide * card_long)
    if fits < _LEAST_SHARE or height < _LEAST_SHARE * card_wide:
        return []
    # Which way they lie along the patch: as the patch is deep, so are they.
    is_upright = abs(height - card_long) < abs(height - card_wide)
    size = (card_wide, card_long) if is_upright else (card_long, card_wide)
    count = _count(width / size[0], height / size[1], share, fits)
    if count == 1:
        # Chips beside a card make its patch stouter.
        is_card = width / height <= _STOUT and (width / height >= _SLIM or fits >= 1)
        return [SeenBack(_likeness(box, share), _corners(box))] if is_card else []
    along = np.radians(turn)
    room = max(0.0, width - size[0]) / 2
    return [
        SeenBack(
            round(share / 2, 3),
            _corners(((x + at * np.cos(along), y + at * np.sin(along)), size, turn)),
        )
        for at in np.linspace(-room, room, count)
    ]


def _count(along: float, across: float, share: float, fits: float) -> int:
    """Return how many cards a patch is.

    Args:
        along: Its length by that of a card that lies in it.
        across: Its depth by that of such a card.
        share: How much of its box is filled.
        fits: Its area by that of a card.
    """
    if share >= _FULL and across < _OVER:
        return max(1, round(along))
    return max(1, round(fits))


def _corners(box: Box) -> Corners:
    """Return the corners of a box, short side first; which end is up a back does not tell."""
    points = cv2.boxPoints(box)
    if np.hypot(*(points[1] - points[0])) > np.hypot(*(points[2] - points[1])):
        points = np.roll(points, -1, axis=0)
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in points)
    return a, b, c, d
