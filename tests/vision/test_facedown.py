"""Patches of backs become cards: one, or as many as there is room for."""

import numpy as np
import pytest

from vision.detect import BACK, FACE, Indices, Map
from vision.facedown import backs_of

CELL = 4.0
NONE = Indices(*(np.zeros(shape, np.float32) for shape in (0, (0, 2), (0, 2), 0, 0, (0, 2))))


def seen(*boxes: tuple[int, int, int, int], kind: int = BACK) -> Map:
    """Return a map of 100 by 100 cells with patches (left, top, width, height), in cells."""
    ground = np.zeros((100, 100), np.uint8)
    for left, top, width, height in boxes:
        ground[top : top + height, left : left + width] = kind
    return Map(NONE, ground, (CELL, CELL))


def test_a_card_alone_has_its_corners() -> None:
    (back,) = backs_of(seen((20, 10, 15, 21)), 60.0)
    xs, ys = zip(*back.corners_px, strict=True)
    assert (min(xs), max(xs), min(ys), max(ys)) == pytest.approx((80, 140, 40, 124), abs=1)
    assert back.confidence > 0.9


def test_the_first_side_is_a_short_one() -> None:
    (back,) = backs_of(seen((20, 10, 21, 15)), 60.0)
    a, b, c, _ = (np.array(corner) for corner in back.corners_px)
    assert np.hypot(*(b - a)) < np.hypot(*(c - b))


def test_faces_and_felt_are_no_backs() -> None:
    assert backs_of(seen((20, 10, 15, 21), kind=FACE), 60.0) == []
    assert backs_of(seen(), 60.0) == []


@pytest.mark.parametrize("size", [(4, 4), (9, 9), (5, 30)])
def test_what_is_less_than_half_a_card_is_none(size: tuple[int, int]) -> None:
    assert backs_of(seen((20, 10, *size)), 60.0) == []


@pytest.mark.parametrize("count", [2, 3])
def test_cards_side_by_side_are_counted(count: int) -> None:
    backs = backs_of(seen((10, 10, 15 * count, 21)), 60.0)
    middles = sorted(float(np.mean([x for x, _ in back.corners_px])) for back in backs)
    assert middles == pytest.approx([70 + 60 * at for at in range(count)], abs=2)


def test_cards_end_to_end_are_counted() -> None:
    assert len(backs_of(seen((10, 10, 15, 42)), 60.0)) == 2


def test_a_card_half_over_another_makes_two() -> None:
    assert len(backs_of(seen((20, 10, 15, 21), (27, 15, 15, 21)), 60.0)) == 2


def test_without_a_known_size_a_patch_is_one_card_the_surer_the_more_it_looks_like_one() -> None:
    (card,) = backs_of(seen((20, 10, 15, 21)), None)
    (square,) = backs_of(seen((20, 10, 21, 21)), None)
    assert card.confidence > 0.9
    assert square.confidence <= 0.5


def test_without_a_known_size_crumbs_are_nothing() -> None:
    assert backs_of(seen((20, 10, 4, 4)), None) == []
