"""Millimetres to pixels and back, and shapes, worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.geometry import (
    Plane,
    area,
    box,
    centre,
    contains,
    distance,
    in_order,
    overlap,
    plane_between,
    shifted,
    shrunk,
    signed_area,
)
from vision.seen import Point

SQUARE = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))
# A letter L: the upper right quarter of the square is missing.
BENT = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (4.0, 2.0), (4.0, 4.0), (0.0, 4.0))

TABLE = ((0.0, 0.0), (1800.0, 0.0), (1800.0, 900.0), (0.0, 900.0))
# Seen from the near side: what is far off is narrower.
SEEN = ((400.0, 100.0), (1500.0, 120.0), (1800.0, 1000.0), (100.0, 980.0))


def tilted() -> Plane:
    plane = plane_between(TABLE, SEEN)
    assert plane is not None
    return plane


def near(points: tuple[Point, ...]) -> list[object]:
    return [pytest.approx(point, abs=1e-3) for point in points]


# ---------------------------------------------------------------- the plane
def test_the_corners_of_the_table_are_carried_to_the_picture_and_back() -> None:
    assert list(tilted().to_px(TABLE)) == near(SEEN)
    assert list(tilted().to_mm(SEEN)) == near(TABLE)


def test_a_picture_twice_as_large_has_two_pixels_a_millimetre() -> None:
    plane = plane_between(SQUARE, [(2 * x + 10, 2 * y + 20) for x, y in SQUARE])
    assert plane is not None
    assert list(plane.to_px([(1.0, 3.0)])) == near(((12.0, 26.0),))
    assert plane.px_per_mm((1.0, 1.0)) == pytest.approx(2.0)


def test_what_is_nearer_is_larger() -> None:
    assert tilted().px_per_mm((900.0, 850.0)) > 1.3 * tilted().px_per_mm((900.0, 50.0))


@given(st.tuples(st.floats(0, 1800), st.floats(0, 900)))
def test_there_and_back_is_the_same_point(point: Point) -> None:
    there = tilted().to_px([point])
    assert list(tilted().to_mm(there)) == near((point,))


@pytest.mark.parametrize(
    "corners",
    [
        ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)),
        ((5.0, 5.0), (5.0, 5.0), (5.0, 5.0), (5.0, 5.0)),
    ],
    ids=["in a line", "in one point"],
)
def test_corners_that_span_nothing_are_no_plane(corners: tuple[Point, ...]) -> None:
    assert plane_between(TABLE, corners) is None


# ---------------------------------------------------------------- shapes
@pytest.mark.parametrize(("shape", "size"), [(SQUARE, 16.0), (BENT, 12.0), (BENT[::-1], 12.0)])
def test_an_area(shape: tuple[Point, ...], size: float) -> None:
    assert area(shape) == size


def test_clockwise_in_the_picture_is_above_nought() -> None:
    assert signed_area(SQUARE) == 16.0
    assert signed_area(SQUARE[::-1]) == -16.0


@pytest.mark.parametrize(
    ("point", "is_inside"),
    [((1, 1), True), ((3, 3), True), ((3, 1), False), ((5, 3), False), ((-1, 3), False)],
)
def test_a_point_within_a_bent_shape(point: Point, is_inside: bool) -> None:
    assert contains(BENT, point) is is_inside


@pytest.mark.parametrize(
    ("by", "share"), [((0, 0), 1.0), ((2, 0), 0.5), ((2, 2), 0.25), ((4, 0), 0.0), ((9, 9), 0.0)]
)
def test_squares_that_overlap(by: Point, share: float) -> None:
    moved = [(x + by[0], y + by[1]) for x, y in SQUARE]
    assert overlap(SQUARE, moved) == pytest.approx(share)
    assert overlap(moved[::-1], SQUARE) == pytest.approx(share)


def test_a_shape_without_an_area_overlaps_nothing() -> None:
    assert overlap(SQUARE, [(1.0, 1.0)] * 4) == 0.0


def test_a_small_square_within_a_large_one_is_covered_whole() -> None:
    assert overlap(SQUARE, shrunk(SQUARE, 0.5)) == pytest.approx(1.0)


def test_shrinking_draws_corners_towards_the_middle() -> None:
    assert shrunk(SQUARE, 0.5) == ((1, 1), (3, 1), (3, 3), (1, 3))
    assert centre(SQUARE) == (2, 2)
    assert distance((0, 0), (3, 4)) == 5
    assert box([(3, 9), (1, 4), (2, 5)]) == (1, 4, 3, 9)
    assert shifted(SQUARE, (10, 20)) == ((10, 20), (14, 20), (14, 24), (10, 24))


@given(st.permutations(SQUARE), st.floats(-40, 40))
def test_corners_are_put_in_order_however_they_come_and_are_turned(
    corners: list[Point], turn_deg: float
) -> None:
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))

    def turned(points: list[Point] | tuple[Point, ...]) -> list[Point]:
        return [
            (2 + (x - 2) * cos - (y - 2) * sin, 2 + (x - 2) * sin + (y - 2) * cos)
            for x, y in points
        ]

    assert list(in_order(turned(corners))) == near(tuple(turned(SQUARE)))
