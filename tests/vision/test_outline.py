"""The corners of a single card."""

from random import Random

import cv2
import numpy as np
import pytest

from hw_fixtures.backs import BLUE, Back, Camera, framed, lattice, nick, photograph, torn
from tests.vision.shots import Marker
from vision.outline import find_card

EXACT = Camera(px_per_mm=5.0, finder_mm=0.0)


def off_px(back: Back, seed: int) -> float:
    """Return how far the worst corner is off, either way round."""
    taken = photograph(back, EXACT, Random(seed))
    found = find_card(taken.picture)
    assert found is not None
    there = np.array(taken.corners_px)
    return float(
        min(np.hypot(*(np.array(found) - np.roll(there, way, axis=0)).T).max() for way in (0, 2))
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("back", [lattice(), framed(BLUE)], ids=["lattice", "framed"])
def test_corners_are_found_to_within_a_millimetre(back: Back, seed: int) -> None:
    assert off_px(back, seed) < 5.0


@pytest.mark.parametrize("marker", [torn, nick])
def test_a_corner_that_is_gone_is_told_where_it_would_be(marker: Marker) -> None:
    back, _ = marker(lattice(), 8.0, Random(3))
    assert off_px(back, 1) < 5.0


def test_a_card_on_its_side_has_its_short_side_first() -> None:
    taken = photograph(lattice(), EXACT, Random(1))
    found = find_card(np.ascontiguousarray(np.rot90(taken.picture)))
    assert found is not None
    sides = np.hypot(*(np.roll(np.array(found), -1, axis=0) - np.array(found)).T)
    assert max(sides[0], sides[2]) < min(sides[1], sides[3])


def ground() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((300, 400, 3), 70, np.uint8)


def drawn(*points: tuple[int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    picture = ground()
    cv2.fillPoly(picture, [np.array(points)], (230, 230, 230))
    return picture


@pytest.mark.parametrize(
    "picture",
    [
        ground(),
        drawn((100, 100), (110, 100), (110, 114), (100, 114)),
        drawn((100, 100), (200, 100), (200, 200), (100, 200)),
        drawn((10, 100), (390, 100), (390, 200), (10, 200)),
        drawn((100, 20), (250, 270), (60, 270)),
        drawn((100, 100), (200, 100), (200, 299), (100, 299)),
    ],
    ids=["nothing", "too small", "square", "too long", "a triangle", "cut off"],
)
def test_what_is_no_whole_card_is_not_found(
    picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
) -> None:
    assert find_card(picture) is None
