"""Between millimetres on the felt and pixels of the picture; corners, outlines and overlaps."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vision.seen import Corners, Point

Outline = Sequence[Point]
"""The corners of a convex or bent shape, in order around it."""

Matrix = tuple[tuple[float, float, float], ...]

_FLAT = 1e-9
"""A homography with a smaller determinant makes a line of the table."""


class Plane(Struct, frozen=True):
    """The flat table in the picture: a homography and its inverse, each 3 by 3."""

    to_picture: Matrix
    to_table: Matrix

    def to_px(self, points_mm: Outline) -> tuple[Point, ...]:
        """Return where points of the table are in the picture, in pixels."""
        return _carry(self.to_picture, points_mm)

    def to_mm(self, points_px: Outline) -> tuple[Point, ...]:
        """Return where points of the picture are on the table, in millimetres."""
        return _carry(self.to_table, points_px)

    def px_per_mm(self, at_mm: Point) -> float:
        """Return how many pixels a millimetre is at a point of the table, all directions meant."""
        x, y = at_mm
        square = self.to_px(((x - 5, y - 5), (x + 5, y - 5), (x + 5, y + 5), (x - 5, y + 5)))
        return math.sqrt(area(square)) / 10


def plane_between(points_mm: Outline, points_px: Outline) -> Plane | None:
    """Return the plane that carries points of the table to those of the picture.

    Args:
        points_mm: Four points or more.
        points_px: The same points, in the same order; of more than four the best fit.

    Returns:
        None where they lie so that no plane does it: three in a line, two in one.
    """
    matrix, _ = cv2.findHomography(_array(points_mm), _array(points_px))
    # None where there is none, whatever the stubs say.
    found = np.array(np.nan if matrix is None else matrix, np.float64)  # type: ignore[redundant-expr]
    if not np.isfinite(found).all() or abs(np.linalg.det(found)) < _FLAT:
        return None
    return Plane(_rows(found), _rows(np.linalg.inv(found)))


def _rows(matrix: NDArray[np.floating]) -> Matrix:
    rows = (matrix / matrix[2, 2]).tolist()
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in rows)
    return first, second, third


def _carry(matrix: Matrix, points: Outline) -> tuple[Point, ...]:
    first, second, third = matrix
    carried: list[Point] = []
    for x, y in points:
        scale = third[0] * x + third[1] * y + third[2] or 1e-12
        carried.append(
            (
                (first[0] * x + first[1] * y + first[2]) / scale,
                (second[0] * x + second[1] * y + second[2]) / scale,
            )
        )
    return tuple(carried)


def _array(points: Outline) -> NDArray[np.float32]:
    return np.array(points, np.float32).reshape(-1, 2)


# ---------------------------------------------------------------- shapes
def signed_area(outline: Outline) -> float:
    """Return the area of an outline: above 0 where it runs clockwise in the picture."""
    ends = (*outline[1:], outline[0])
    return sum(x * v - u * y for (x, y), (u, v) in zip(outline, ends, strict=True)) / 2


def area(outline: Outline) -> float:
    """Return the area of an outline."""
    return abs(signed_area(outline))


def centre(outline: Outline) -> Point:
    """Return the middle of the corners."""
    return (
        sum(x for x, _ in outline) / len(outline),
        sum(y for _, y in outline) / len(outline),
    )


def distance(one: Point, other: Point) -> float:
    """Return how far two points are apart."""
    return math.dist(one, other)


def contains(outline: Outline, point: Point) -> bool:
    """Say whether a point lies within an outline, which may be bent inwards."""
    x, y = point
    is_inside = False
    for (x0, y0), (x1, y1) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            is_inside = not is_inside
    return is_inside


def overlap(one: Outline, other: Outline) -> float:
    """Return which share of the smaller of two convex outlines the other one covers, 0 to 1."""
    smaller = min(area(one), area(other))
    if smaller <= 0:
        return 0.0
    shared, _ = cv2.intersectConvexConvex(_array(one), _array(other))
    return min(1.0, float(shared) / smaller)


def shrunk(outline: Outline, by: float) -> tuple[Point, ...]:
    """Return an outline drawn towards its middle; 0 leaves it as it is, 1 makes it a point."""
    x0, y0 = centre(outline)
    return tuple((x + (x0 - x) * by, y + (y0 - y) * by) for x, y in outline)


def in_order(corners: Sequence[Point]) -> Corners:
    """Return four corners clockwise in the picture, the one nearest its top left first."""
    x0, y0 = centre(corners)
    around = sorted(corners, key=lambda corner: math.atan2(corner[1] - y0, corner[0] - x0))
    first = min(range(4), key=lambda at: sum(around[at]))
    a, b, c, d = around[first:] + around[:first]
    return a, b, c, d


def shifted(corners: Corners, by: Point) -> Corners:
    """Return corners moved by so much to the right and down."""
    a, b, c, d = ((x + by[0], y + by[1]) for x, y in corners)
    return a, b, c, d


def box(points: Outline) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of the upright box around points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)
