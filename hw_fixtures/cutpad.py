"""A cut pad as a camera sees it at an angle: packets of cards, each card drawn; by seed."""

import math
from collections.abc import Sequence
from random import Random

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Points = NDArray[np.float64]
Point = tuple[float, float]

CARD_MM = (63.0, 88.0)
PAD_MM = (220.0, 120.0)
_FINE = 3
"""The picture is drawn so many times finer and then averaged, as a sensor's pixel does."""


class Stack(Struct, frozen=True):
    """A packet of cards on the pad."""

    cards: int
    x_mm: float
    y_mm: float
    angle: float = 0.0
    thickness_mm: float = 0.295
    """Of a card with the air above it."""
    loose_mm: float = 0.15
    """How far a card may lie from square."""
    top: tuple[int, int, int] = (60, 40, 150)
    """Blue-green-red of the uppermost face."""


class PadCamera(Struct, frozen=True):
    """A camera at the side of the pad."""

    elevation: float = 0.45
    """Above the pad's plane, in radians."""
    distance_mm: float = 420.0
    focal_px: float = 2600.0
    size_px: tuple[int, int] = (1600, 900)
    blur_px: float = 0.8
    noise: float = 2.5

    def matrix(self) -> Points:
        """Return the way from millimetres on the pad to pixels; shape (3, 4)."""
        centre = np.array([PAD_MM[0] / 2, PAD_MM[1] / 2, 4.0])
        sine, cosine = math.sin(self.elevation), math.cos(self.elevation)
        right, ahead = np.array([1.0, 0, 0]), np.array([0, cosine, -sine])
        down = np.cross(ahead, right)
        turn = np.stack([right, down, ahead])
        eye = centre - self.distance_mm * ahead
        width, height = self.size_px
        inner = np.array([[self.focal_px, 0, (width - 1) / 2],
                          [0, self.focal_px, (height - 1) / 2], [0, 0, 1]])  # fmt: skip
        return np.asarray(inner @ np.hstack([turn, (-turn @ eye)[:, None]]))

    def corners_px(self) -> tuple[Point, Point, Point, Point]:
        """Return the pad's near left, near right, far right and far left corner."""
        width, depth = PAD_MM
        flat = np.array([(0, 0, 0), (width, 0, 0), (width, depth, 0), (0, depth, 0)], np.float64)
        a, b, c, d = ((float(x), float(y)) for x, y in _to_px(self.matrix(), flat))
        return a, b, c, d

    @property
    def centre_px(self) -> Point:
        """Where the axis meets the picture."""
        return (self.size_px[0] - 1) / 2, (self.size_px[1] - 1) / 2


def _to_px(matrix: Points, points: Points) -> Points:
    there = np.hstack([points, np.ones((len(points), 1))]) @ matrix.T
    return np.asarray(there[:, :2] / there[:, 2:])


def picture(stacks: Sequence[Stack], camera: PadCamera, rng: Random) -> Pixels:
    """Take a picture of the pad with some packets on it."""
    width, height = camera.size_px
    fine = np.full((height * _FINE, width * _FINE, 3), (48, 70, 36), np.uint8)
    matrix = camera.matrix()
    for stack in sorted(stacks, key=lambda each: -each.y_mm):
        _draw(fine, stack, matrix, rng)
    small = cv2.resize(fine, camera.size_px, interpolation=cv2.INTER_AREA).astype(np.float32)
    soft = cv2.GaussianBlur(small, (0, 0), camera.blur_px)
    noise = np.random.default_rng(rng.randrange(2**32)).normal(0, camera.noise, soft.shape)
    return np.asarray(np.clip(soft + noise, 0, 255), np.uint8)


def _draw(fine: Pixels, stack: Stack, matrix: Points, rng: Random) -> None:
    """Draw a packet card by card, from the lowest."""
    turn = np.array([[math.cos(stack.angle), -math.sin(stack.angle)],
                     [math.sin(stack.angle), math.cos(stack.angle)]])  # fmt: skip
    for number in range(stack.cards):
        off = [rng.gauss(0, stack.loose_mm / 2) for _ in range(2)]
        ground = _outline() @ turn.T + (stack.x_mm + off[0], stack.y_mm + off[1])
        low, high = (
            np.hstack([ground, np.full((len(ground), 1), (number + n) * stack.thickness_mm)])
            for n in (0, 1)
        )
        shade = 205 + rng.randrange(-25, 10)
        _fill(fine, matrix, np.vstack([low, high]), (shade - 8, shade, shade))
        face = stack.top if number == stack.cards - 1 else (150, 155, 155)
        _fill(fine, matrix, high, face)


def _fill(fine: Pixels, matrix: Points, points: Points, colour: tuple[int, int, int]) -> None:
    there = (_to_px(matrix, points) + 0.5) * _FINE - 0.5
    hull = cv2.convexHull(np.round(there * 16).astype(np.int32))
    cv2.fillConvexPoly(fine, hull, colour, cv2.LINE_8, 4)


def _outline() -> Points:
    radius = 3.5
    half = np.array(CARD_MM) / 2 - radius
    angles = np.linspace(0, math.pi / 2, 7)
    arcs = [
        radius * np.stack([np.cos(angles + n * math.pi / 2), np.sin(angles + n * math.pi / 2)], 1)
        + half * sign
        for n, sign in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    ]
    return np.vstack(arcs)
