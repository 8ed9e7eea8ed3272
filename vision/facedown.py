"""Finds the cards that lie face down: outlines of what the finder takes for backs."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import TALL
from vision.detect import BACK, Map
from vision.seen import Corners, SeenBack

_SLIM, _STOUT = 1.15, 1.85
"""A single card's outline is between so and so many times longer than wide, seen at a slant."""
_FULL = 0.72
"""Share of its own upright box that a single card fills at least."""
_LEAST_CELLS = 20


def backs_of(seen: Map, card_width_px: float | None) -> list[SeenBack]:
    """Return the backs in a picture.

    Cards that lie over each other are parted by the size of a card where that is known, else they
    are told as one.

    Args:
        seen: What the finder gives of the picture.
        card_width_px: How wide a card is, in pixels of the picture.
    """
    mask = cv2.morphologyEx(
        (seen.ground == BACK).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
    )
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    backs: list[SeenBack] = []
    for outline in outlines:
        area = cv2.contourArea(outline)
        if area >= _LEAST_CELLS:
            backs += _backs(np.asarray(outline, np.int32), area, seen.cell_px, card_width_px)
    return backs


def _backs(
    outline: NDArray[np.int32],
    area: float,
    cell_px: tuple[float, float],
    card_width_px: float | None,
) -> list[SeenBack]:
    size = np.array(cell_px, np.float32)
    box = cv2.minAreaRect((outline.reshape(-1, 2) + 0.5).astype(np.float32) * size)
    (wide, long) = sorted(box[1])
    # A contour runs through the middles of its cells: half a cell is missing all around.
    wide, long = wide + float(size.mean()), long + float(size.mean())
    share = area * float(size.prod()) / (wide * long)
    is_card = _SLIM <= long / max(wide, 1e-6) <= _STOUT and share >= _FULL
    if card_width_px is not None:
        fits = area * float(size.prod()) / (TALL * card_width_px**2)
        if fits < 0.4:
            return []
        is_card = is_card and 0.55 <= wide / card_width_px <= 1.5
    confidence = round(min(1.0, share) if is_card else 0.5, 3)
    return [SeenBack(confidence, _corners(box))]


def _corners(box: tuple[Sequence[float], Sequence[float], float]) -> Corners:
    """Return the corners of a box, short side first; which end is up a back does not tell."""
    points = cv2.boxPoints(box)
    if np.hypot(*(points[1] - points[0])) > np.hypot(*(points[2] - points[1])):
        points = np.roll(points, -1, axis=0)
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in points)
    return a, b, c, d
