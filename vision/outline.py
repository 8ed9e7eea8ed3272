"""The four corners of a single card on a plain ground, as the camera at a shoe's mouth sees it.

The sides are fitted, each to its middle part, and the corners are where they cross: a corner that
is torn off, or rounded, is told where it would be.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seen import Corners, Picture

# A card in the picture covers no less of it, nor does its longer side measure more, than this.
_LEAST_SHARE = 0.03
_MOST_RATIO = 1.9
_LEAST_RATIO = 1.1
# Of a side, so much at each end is left to rounded and torn corners.
_END = 0.2
# The work is done at about this width: a tenth of a millimetre of a card that fills the picture.
_WIDTH_PX = 960


def find_card(picture: Picture) -> Corners | None:
    """Return the corners of the one card in a picture, or None if there is none to be sure of.

    Args:
        picture: A card that is wholly in the picture, on a ground of another colour.
    """
    factor = min(1.0, _WIDTH_PX / picture.shape[1])
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    contours, _ = cv2.findContours(
        _unlike_ground(np.asarray(small, np.uint8)), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    if not contours:
        return None
    contour = np.asarray(max(contours, key=cv2.contourArea), np.int32)
    box = cv2.boxPoints(cv2.minAreaRect(contour))
    sides = np.hypot(*(np.roll(box, -1, axis=0) - box).T)
    long, short = sides[:2].max(), sides[:2].min()
    area = cv2.contourArea(contour)
    is_card = (
        area > _LEAST_SHARE * small.shape[0] * small.shape[1]
        and _LEAST_RATIO < long / max(short, 1) < _MOST_RATIO
        and area > 0.8 * long * short
        and _is_within(contour, small.shape)
    )
    if not is_card:
        return None
    # Clockwise on the screen, and the first side a short one: the card's own top or bottom.
    if sides[0] > sides[1]:
        box = np.roll(box, -1, axis=0)
    corners = _cross(contour[:, 0].astype(np.float64), box.astype(np.float64))
    full = (corners + 0.5) / factor - 0.5
    first, second, third, fourth = ((round(float(x), 1), round(float(y), 1)) for x, y in full)
    return first, second, third, fourth


def _unlike_ground(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return where a picture is unlike its own rim; 255 there, 0 elsewhere."""
    rim = max(2, picture.shape[1] // 60)
    soft = cv2.GaussianBlur(picture, (5, 5), 0).astype(np.int16)
    edges = (soft[:rim], soft[-rim:], soft[:, :rim], soft[:, -rim:])
    ground = np.median(np.concatenate([each.reshape(-1, 3) for each in edges]), axis=0)
    unlike = np.abs(soft - ground).max(axis=-1).clip(0, 255).astype(np.uint8)
    _, found = cv2.threshold(unlike, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    reach = max(3, picture.shape[1] // 60)
    closed = cv2.morphologyEx(found, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    return np.asarray(closed, np.uint8)


def _is_within(contour: NDArray[np.int32], shape: tuple[int, ...]) -> bool:
    left, top, width, height = cv2.boundingRect(contour)
    return left > 0 and top > 0 and left + width < shape[1] and top + height < shape[0]


def _cross(points: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where the four sides cross, each fitted to the outline near the middle of a side."""
    sides = []
    for start, end in zip(box, np.roll(box, -1, axis=0), strict=True):
        run = (end - start) / np.hypot(*(end - start))
        length = float(np.hypot(*(end - start)))
        along, aside = (points - start) @ run, (points - start) @ np.array([-run[1], run[0]])
        near = (np.abs(aside) < 0.15 * length) & (np.abs(along / length - 0.5) < 0.5 - _END)
        x_way, y_way, x, y = cv2.fitLine(
            points[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01
        ).ravel()
        sides.append(np.cross([x, y, 1.0], [x + x_way, y + y_way, 1.0]))
    crossings = [
        np.cross(before, after) for before, after in zip(sides[-1:] + sides, sides, strict=False)
    ]
    return np.array([each[:2] / each[2] for each in crossings])
