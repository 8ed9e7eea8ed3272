"""Whether the camera still looks where it did when it was calibrated.

Marked spots of the table (print on the felt, seams, marks) are remembered from the picture of the
bare table and sought again near their place. A spot that a card, a chip or an arm covers is not
found and says nothing; those that are found must agree.
"""

import math

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vision.gate import CELL_PX, Cells, Change
from vision.geometry import Outline, Plane, distance
from vision.seen import Picture, Point

_MS = 1_000_000

MOST_SPOTS = 24
PATCH_PX = 33
"""The side of what is sought, in pixels: some 40 mm of the table where a card is 90 wide."""

NEAR_PX, FAR_PX = 6, 60
"""How far around its place a spot is sought: first near, and where that finds too few, far."""

MARK_ROOM_MM = 70.0
"""So far around its corners nothing is chosen: there lie the marks, which are taken away again."""

ALIKE = 0.75
"""A patch is found where it correlates by so much. Chosen: above what felt gives by chance."""

LEAST_SPOTS = 4
"""Fewer are not believed."""

AGREE_PX = 2.0
"""Spots agree whose shifts lie so near their middle; a camera that was turned shifts them apart by
more, and so may this far from the middle be half of them."""

MOST_DRIFT_MM = 10.0
"""A picture that has moved by more over the table is a fault. Chosen: two thirds of what a card may
be off and still be found again where it was."""

_DRIFT_NS = 1_000 * _MS
_DRIFT_AGAIN_NS = 500 * _MS
"""How often the camera's place is checked: while all is well, and while it is not."""

_LOST_NS = 2_000 * _MS
"""After a bump the table must be found again within this."""

_SHAKEN_NS = 5_000 * _MS
"""A camera that does not come to rest for so long is a fault."""

_BUMPED_SHARE, _CALM_SHARE = 0.35, 0.25
"""The picture may be bumped where so many of its spots move at once, and is calm where so few do.

Chosen: the arms of two people cover a quarter of a table. Where it was none, one check tells."""

PRINT_LEVELS = 4.0
"""A patch with print varies by so much, blurred, as a standard deviation of 255. Chosen: noise of 5
levels is 1 then, a line of 3 pixels that is brighter by 25 levels is 4.8."""

_BLUR_PX = 5
_CORNERNESS = 0.02
_APART_PX = 60

Grey = NDArray[np.uint8]


class Drift(Struct, frozen=True):
    """How far the picture has moved over the table."""

    found: int
    """How many of the spots were found."""
    mm: float | None
    """The middle of their shifts; None where too few were found, or they do not agree."""


class Spot(Struct, frozen=True):
    """A spot of the table that is known again."""

    at_px: tuple[int, int]
    patch: Grey


class Reference:
    """What the bare table looked like when the camera was calibrated."""

    def __init__(self, bare: Picture, plane: Plane, table_mm: Outline) -> None:
        """Choose the spots.

        Args:
            bare: The picture of the bare table.
            plane: Where the table lies in it.
            table_mm: Around the part of the table that does not move.
        """
        self._plane = plane
        grey = _grey(bare)
        mask = np.zeros(grey.shape, np.uint8)
        outline = np.array(plane.to_px(table_mm), np.float64).round().astype(np.int32)
        cv2.fillPoly(mask, [outline], 255)
        for corner, middle in zip(table_mm, outline.tolist(), strict=True):
            room_px = MARK_ROOM_MM * plane.px_per_mm(corner)
            cv2.circle(mask, middle, math.ceil(room_px), 0, -1)
        edge = PATCH_PX // 2 + FAR_PX
        mask[:edge], mask[-edge:], mask[:, :edge], mask[:, -edge:] = 0, 0, 0, 0
        corners = cv2.goodFeaturesToTrack(grey, MOST_SPOTS, _CORNERNESS, _APART_PX, mask=mask)
        # None where there is none, whatever the stubs say.
        points = [] if corners is None else corners.reshape(-1, 2).tolist()  # type: ignore[redundant-expr]
        found = (_spot(grey, (round(x), round(y))) for x, y in points)
        self.spots = tuple(spot for spot in found if _is_print(spot))

    def drift(self, picture: Picture, *, is_near: bool = False) -> Drift:
        """Return how far a picture of the same size has moved.

        Args:
            picture: The picture.
            is_near: Whether it is enough to seek near, which costs a tenth.
        """
        near = self._sought(picture, NEAR_PX)
        if is_near or (near.mm is not None and near.found >= len(self.spots) // 2):
            return near
        far = self._sought(picture, FAR_PX)
        return near if far.mm is None else far

    def _sought(self, picture: Picture, reach_px: int) -> Drift:
        found = [(spot, at) for spot in self.spots if (at := _seek(spot, picture, reach_px))]
        if len(found) < LEAST_SPOTS:
            return Drift(len(found), None)
        shifts = np.array([(at[0] - s.at_px[0], at[1] - s.at_px[1]) for s, at in found])
        off_px = np.hypot(*(shifts - np.median(shifts, axis=0)).T)
        if (off_px <= AGREE_PX + 0.1 * reach_px).sum() < len(found) / 2:
            return Drift(len(found), None)
        moved_mm = [self._moved_mm(spot, at) for spot, at in found]
        return Drift(len(found), float(np.median(moved_mm)))

    def _moved_mm(self, spot: Spot, at: Point) -> float:
        was, now = self._plane.to_mm(((float(spot.at_px[0]), float(spot.at_px[1])), at))
        return distance(was, now)


def _grey(picture: Picture) -> Grey:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def _spot(grey: Grey, at_px: tuple[int, int]) -> Spot:
    x, y = at_px
    half = PATCH_PX // 2
    return Spot(at_px, grey[y - half : y + half + 1, x - half : x + half + 1].copy())


def _is_print(spot: Spot) -> bool:
    """Say whether there is more than noise and weave: little of them is left by a blur."""
    return float(np.std(cv2.blur(spot.patch, (_BLUR_PX, _BLUR_PX)))) >= PRINT_LEVELS


def _seek(spot: Spot, picture: Picture, reach_px: int) -> Point | None:
    """Return where a spot is in a picture, to a fraction of a pixel; None where it is not seen."""
    x, y = spot.at_px
    reach = PATCH_PX // 2 + reach_px
    window = _grey(picture[y - reach : y + reach + 1, x - reach : x + reach + 1])
    alike = np.asarray(cv2.matchTemplate(window, spot.patch, cv2.TM_CCOEFF_NORMED), np.float64)
    _, best, _, (column, row) = cv2.minMaxLoc(alike)
    is_at_rim = not (0 < column < 2 * reach_px and 0 < row < 2 * reach_px)
    if not best >= ALIKE or is_at_rim:
        return None
    dx = _peak(alike[row, column - 1 : column + 2])
    dy = _peak(alike[row - 1 : row + 2, column])
    return x + column - reach_px + dx, y + row - reach_px + dy


def _peak(three: NDArray[np.float64]) -> float:
    """Return where the top of the parabola through three values lies, -0.5 to 0.5."""
    left, middle, right = three.tolist()
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else max(-0.5, min(0.5, 0.5 * (left - right) / bend))


class Standpoint:
    """Whether the camera stands where it stood."""

    def __init__(self, reference: Reference, shape: tuple[int, int]) -> None:
        """Begin before the first frame.

        Args:
            reference: The bare table.
            shape: How many rows and columns of cells the gate has.
        """
        self._reference = reference
        rows, columns = shape
        middles = np.array([spot.at_px for spot in reference.spots], np.intp).reshape(-1, 2)
        self._rows = np.minimum(middles[:, 1] // CELL_PX, rows - 1)
        self._columns = np.minimum(middles[:, 0] // CELL_PX, columns - 1)
        self._can_tell = len(reference.spots) >= LEAST_SPOTS
        self._checked_ns: int | None = None
        self._bumped_ns = 0
        self._found = 0
        self._unsure_ns: int | None = None
        """Since when it may have been moved; now, as long as it has not."""
        self._wrong: str | None = None
        self.is_bumped = self._can_tell
        """Whether it may have been moved just now, so that nothing is to be believed yet."""

    def look(self, frame: Picture, change: Change) -> str | None:
        """Take a frame; return how the camera has moved, None where it has not."""
        if not self._can_tell:
            return None
        moving = self._moving_share(change.moving)
        if self._unsure_ns is None or not self.is_bumped:
            self._unsure_ns = change.at_ns
        if moving > _BUMPED_SHARE:
            self._bumped_ns = change.at_ns
            self.is_bumped = True
        elif self._is_due(moving, change.at_ns):
            self._check(frame, change.at_ns)
        if self.is_bumped and self._wrong is None and change.at_ns - self._unsure_ns >= _SHAKEN_NS:
            self._wrong = "shakes: all of the picture moves"
        return self._wrong

    def _moving_share(self, moving: Cells) -> float:
        """Return the share of the spots that something moves at."""
        if not moving.any():
            return 0.0
        around = np.asarray(cv2.dilate(moving.astype(np.uint8), np.ones((3, 3), np.uint8)))
        return float(around[self._rows, self._columns].mean())

    def _is_due(self, moving: float, at_ns: int) -> bool:
        if self.is_bumped and moving >= _CALM_SHARE:
            return False
        is_well = self._wrong is None and not self.is_bumped
        every_ns = _DRIFT_NS if is_well else _DRIFT_AGAIN_NS
        since_ns = max(self._checked_ns or 0, self._bumped_ns if self.is_bumped else 0)
        is_first = self._checked_ns is None or (
            self.is_bumped and self._checked_ns < self._bumped_ns
        )
        return is_first or at_ns - since_ns >= every_ns

    def _check(self, frame: Picture, at_ns: int) -> None:
        self._checked_ns = at_ns
        is_well = self._wrong is None and not self.is_bumped
        drift = self._reference.drift(frame, is_near=is_well)
        if drift.mm is not None:
            self.is_bumped = False
            is_off = drift.mm > MOST_DRIFT_MM
            self._wrong = f"was moved by {drift.mm:.0f} mm over the table" if is_off else None
        elif is_well and drift.found * 4 < self._found:
            self.is_bumped, self._bumped_ns, self._checked_ns = True, at_ns, None
        elif self.is_bumped and at_ns - self._bumped_ns >= _LOST_NS:
            self._wrong = "does not show the table as it was calibrated"
        self._found = drift.found
