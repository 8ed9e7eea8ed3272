"""A packet of cards as a box on a flat pad, fitted to its silhouette."""

import math

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vision.likeness import CARD_MM, CORNER_MM
from vision.seen import Corners

Points = NDArray[np.float64]

# How far a corner of the pad may be from where the view has it, as a share of the pad's width.
_MOST_OFF = 0.02
_STEPS = 25
# Height and looseness, in mm.
_LEAST, _MOST = np.array([0.05, -0.5]), np.array([60.0, 2.0])
# A side of an outline that is shorter has no direction to speak of.
_SHORTEST_PX = 0.3
# Where an edge is sought, to each side of where the box has it, in px.
_SEEK_PX = 4.0
_SEEK_STEP_PX = 0.25
# Edges of neighbouring points of an outline are not independent: so many count as one.
_TOGETHER = 6
# Assumed: how far from square a packet may be pushed, which the silhouette shows as height.
_UNSQUARE_MM = 0.05
# By how much heights are off for corners of the pad that are: measured on drawn pads, 0.16 mm for
# 0.58 px at 6.2 px to the millimetre.
_OF_THE_VIEW = 1.7


class Box(Struct, frozen=True):
    """A packet: x to the right and y away from the camera, from the pad's near left corner."""

    x_mm: float
    y_mm: float
    """Of its middle."""
    angle: float
    """From the pad's x axis to the card's short side, in radians."""
    height_mm: float
    loose_mm: float = 0.0
    """How much wider it is than a card, to each side: cards that are not quite square."""
    sigma_mm: float = math.inf
    """One standard deviation of the height."""
    off_px: float = math.inf
    """How far the outline is from the box's, root mean square."""


class PadView(Struct, frozen=True):
    """Where a camera sees the pad from."""

    matrix: Points
    """Shape (3, 4): from millimetres on the pad, z up, to pixels."""
    pad_mm: tuple[float, float]
    """Width and depth of the pad."""
    card_mm: tuple[float, float] = CARD_MM
    corner_px: float = 0.1
    """How well the pad's corners were known, one standard deviation."""

    @classmethod
    def seen(
        cls,
        corners_px: Corners,
        pad_mm: tuple[float, float],
        focal_px: float,
        centre_px: tuple[float, float],
        corner_px: float = 0.1,
    ) -> "PadView | None":
        """Return the view from the pad's four corners in a picture.

        Args:
            corners_px: Near left, near right, far right, far left.
            pad_mm: Width and depth of the pad.
            focal_px: Of the camera, from its calibration.
            centre_px: Where the camera's axis meets the picture: its middle, if nothing is known.
            corner_px: How well the corners are known; a tenth of a pixel is what marks allow.

        Returns:
            None where the corners lie so that no camera above the pad sees them there.
        """
        width, depth = pad_mm
        pad = np.array([(0, 0, 0), (width, 0, 0), (width, depth, 0), (0, depth, 0)], np.float64)
        camera = np.array([[focal_px, 0, centre_px[0]], [0, focal_px, centre_px[1]], [0, 0, 1]])
        there = np.array(corners_px, np.float64)
        try:
            _, turn, shift = cv2.solvePnP(pad, there, camera, None, flags=cv2.SOLVEPNP_SQPNP)
        except cv2.error:
            return None
        rotation = cv2.Rodrigues(turn)[0]
        matrix = camera @ np.hstack([rotation, shift.reshape(3, 1)])
        eye = -rotation.T @ shift.ravel()
        if not np.isfinite(matrix).all() or eye[2] <= 0:
            return None
        view = cls(matrix, pad_mm, corner_px=corner_px)
        off = np.abs(view.to_px(pad) - there).max()
        return view if off < _MOST_OFF * np.ptp(there, axis=0).max() else None

    @property
    def px_per_mm(self) -> float:
        """How many pixels a millimetre is across the middle of the pad."""
        x, y = self.pad_mm[0] / 2, self.pad_mm[1] / 2
        ends = self.to_px(np.array([(x - 10, y, 0), (x + 10, y, 0)]))
        return float(np.hypot(*(ends[1] - ends[0])) / 20)

    @property
    def card_area_px(self) -> float:
        """How large a card is in the middle of the pad."""
        flat = Box(self.pad_mm[0] / 2, self.pad_mm[1] / 2, 0.0, 0.0)
        return float(cv2.contourArea(self.outline(flat).astype(np.float32)))

    def to_px(self, points_mm: Points) -> Points:
        """Return where points of shape (n, 3) are in the picture."""
        there = np.hstack([points_mm, np.ones((len(points_mm), 1))]) @ self.matrix.T
        return np.asarray(there[:, :2] / there[:, 2:])

    def to_mm(self, points_px: Points) -> Points:
        """Return where points of the picture are on the pad itself; shape (n, 2)."""
        flat = np.linalg.inv(self.matrix[:, [0, 1, 3]])
        there = np.hstack([points_px, np.ones((len(points_px), 1))]) @ flat.T
        return np.asarray(there[:, :2] / there[:, 2:])

    def outline(self, box: Box) -> Points:
        """Return the outline of a box in the picture, convex; shape (n, 2)."""
        size = (self.card_mm[0] + 2 * box.loose_mm, self.card_mm[1] + 2 * box.loose_mm)
        ground = card_outline(size) @ _turn(box.angle).T + (box.x_mm, box.y_mm)
        solid = np.vstack(
            [np.hstack([ground, np.full((len(ground), 1), z)]) for z in (0.0, box.height_mm)]
        )
        hull = cv2.convexHull(self.to_px(solid).astype(np.float32))
        return np.asarray(hull, np.float64)[:, 0]


def card_outline(card_mm: tuple[float, float] = CARD_MM) -> Points:
    """Return points around a card whose middle is the origin; shape (n, 2)."""
    half = np.array(card_mm) / 2 - CORNER_MM
    around = np.linspace(0, math.pi / 2, 5)
    corners = []
    for step, (sign_x, sign_y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        angles = around + step * math.pi / 2
        arc = CORNER_MM * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        corners.append(arc + half * (sign_x, sign_y))
    return np.vstack(corners)


def _turn(angle: float) -> Points:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def fit_box(contour_px: Points, unlike: NDArray[np.float32], view: PadView) -> Box:
    """Return the box whose outline is the one that is seen.

    Args:
        contour_px: Shape (n, 2): the outline of a packet, to the pixel.
        unlike: Shape (h, w): how unlike the empty pad each pixel is; edges are sought in it.
        view: Where the camera sees the pad from.
    """
    points = contour_px[:: max(1, len(contour_px) // 240)]
    # Seen as if it were flat it is the ground, drawn out away from the camera by the height.
    flat = cv2.minAreaRect(view.to_mm(points).astype(np.float32))
    (x, y), _, degrees = flat
    starts = [Box(x, y, math.radians(degrees) + side, 8.0) for side in (0.0, math.pi / 2)]
    coarse = min((_fit(points, each, view) for each in starts), key=lambda box: box.off_px)
    return _fit(_edges(unlike, view.outline(coarse)), coarse, view)


def _fit(points: Points, box: Box, view: PadView) -> Box:
    """Move, turn and raise a box until its outline runs through the points, by least squares."""
    now = np.array([box.x_mm, box.y_mm, box.angle, box.height_mm, box.loose_mm])
    steps = np.array([0.05, 0.05, 0.002, 0.05, 0.05])
    damping = 1e-3
    off, slopes = _off(points, now, view), np.empty((len(points), 5))
    for _ in range(_STEPS):
        for number in range(5):
            aside = now.copy()
            aside[number] += steps[number]
            slopes[:, number] = (_off(points, aside, view) - off) / steps[number]
        weights = 1 / np.maximum(1, np.abs(off) / max(0.3, 1.5 * float(np.median(np.abs(off)))))
        weighed = slopes * weights[:, None]
        normal = weighed.T @ slopes
        change = np.linalg.solve(
            normal + damping * np.diag(np.diag(normal) + 1e-9), weighed.T @ off
        )
        tried = now - change
        tried[3:] = np.clip(tried[3:], _LEAST, _MOST)
        new = _off(points, tried, view)
        if float(np.abs(new).sum()) < float(np.abs(off).sum()):
            now, off, damping = tried, new, damping / 3
            if np.abs(change).max() < 1e-4:
                break
        else:
            damping *= 5
    rms = float(np.sqrt(np.mean(np.square(off))))
    spread = np.linalg.pinv(slopes.T @ slopes)[3, 3] * rms**2 * _TOGETHER
    of_view = _OF_THE_VIEW * view.corner_px / view.px_per_mm
    sigma = math.hypot(math.sqrt(max(0.0, float(spread))), _UNSQUARE_MM, of_view)
    x, y, angle, height, loose = (float(each) for each in now)
    return Box(x, y, angle, height, loose, sigma, rms)


def _off(points: Points, values: Points, view: PadView) -> Points:
    """Return how far each point is from the outline of a box: positive outside, in px."""
    x, y, angle, height, loose = (float(each) for each in values)
    hull = view.outline(Box(x, y, angle, height, loose))
    run = np.roll(hull, -1, axis=0) - hull
    lengths = np.hypot(*run.T)
    long = lengths > _SHORTEST_PX
    normals = np.stack([run[:, 1], -run[:, 0]], axis=1)[long] / lengths[long, None]
    start = hull[long]
    normals *= np.sign(((start - hull.mean(axis=0)) * normals).sum(axis=1))[:, None]
    # Of a convex outline, the side that a point is farthest beyond is the one that counts.
    beyond = points @ normals.T - (start * normals).sum(axis=1)
    return np.asarray(beyond.max(axis=1))


def _edges(unlike: NDArray[np.float32], outline: Points) -> Points:
    """Return points of the true outline, to parts of a pixel: where the picture is half changed."""
    ends = np.roll(outline, -1, axis=0)
    lengths = np.hypot(*(ends - outline).T)
    points, normals = [], []
    for start, end, length in zip(outline, ends, lengths, strict=True):
        for share in (np.arange(int(length // 2)) + 0.5) / max(1, int(length // 2)):
            points.append(start + share * (end - start))
            # OpenCV gives a hull clockwise on the screen: outside is to the left of its run.
            normals.append(np.array([end[1] - start[1], start[0] - end[0]]) / length)
    at, out = np.array(points), np.array(normals)
    middle = outline.mean(axis=0)
    out *= np.sign(((at - middle) * out).sum(axis=1))[:, None]
    reach = np.arange(-_SEEK_PX, _SEEK_PX + 1e-9, _SEEK_STEP_PX)
    sampled = at[:, None, :] + reach[None, :, None] * out[:, None, :]
    across = cv2.remap(
        unlike,
        sampled[..., 0].astype(np.float32),
        sampled[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    few = round(1.5 / _SEEK_STEP_PX)
    inside, outside = np.median(across[:, :few], axis=1), np.median(across[:, -few:], axis=1)
    half = (inside + outside) / 2
    is_in = across > half[:, None]
    # The last place that is still inside, and how far beyond it the half is passed.
    last = is_in.shape[1] - 1 - np.argmax(is_in[:, ::-1], axis=1)
    is_clear = (inside - outside > 12) & is_in.any(axis=1) & (last < is_in.shape[1] - 1)
    rows = np.arange(len(at))
    before, after = across[rows, last], across[rows, np.minimum(last + 1, is_in.shape[1] - 1)]
    beyond = (before - half) / np.maximum(before - after, 1e-6)
    found = at + ((reach[last] + beyond * _SEEK_STEP_PX)[:, None] * out)
    return found[is_clear] if is_clear.sum() >= 24 else at
