"""Finds the corner indices in a picture, and which of it is face, back or neither."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.nets import Net
from vision.seen import Picture

CELL = 4
"""Pixels of the finder's input to a cell of what it gives."""

# What the finder gives of each cell: see vision/training/network.py.
_HEAT, _COS, _SIN, _HIGH, _WIDE, _DX, _DY, _CX, _CY = range(9)
_GROUND = slice(9, 12)
FELT, FACE, BACK = 0, 1, 2

_CENTRE_UNIT = 16
"""The vector to the middle of the card is told in steps of so many pixels."""


@dataclass(frozen=True)
class Indices:
    """Corner indices found, one row of each array an index; lengths in pixels of the picture."""

    heat: NDArray[np.float32]
    """How sure the finder is, 0 to 1."""
    at: NDArray[np.float32]
    """Shape (n, 2): their middles."""
    down: NDArray[np.float32]
    """Shape (n, 2): unit vectors from rank to suit."""
    high: NDArray[np.float32]
    """Their heights."""
    card_wide: NDArray[np.float32]
    """The widths of their cards."""
    card_at: NDArray[np.float32]
    """Shape (n, 2): the middles of their cards."""

    def __len__(self) -> int:
        return len(self.heat)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> "Indices":
        """Return some of them."""
        return Indices(
            self.heat[rows], self.at[rows], self.down[rows], self.high[rows],
            self.card_wide[rows], self.card_at[rows],
        )  # fmt: skip

    def sized(self, factor: float) -> "Indices":
        """Return them with another height."""
        high = self.high * np.float32(factor)
        return Indices(self.heat, self.at, self.down, high, self.card_wide, self.card_at)


def joined(parts: list[Indices]) -> Indices:
    """Return the indices of several looks as one."""
    return Indices(*(
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("heat", "at", "down", "high", "card_wide", "card_at")
    ))  # fmt: skip


@dataclass(frozen=True)
class Map:
    """What the finder gives of a picture."""

    indices: Indices
    ground: NDArray[np.uint8]
    """FELT, FACE or BACK of each cell."""
    cell_px: tuple[float, float]
    """Width and height of a cell, in pixels of the picture."""


def find(net: Net, picture: Picture, long_side: int, least_heat: float) -> Map:
    """Look for indices at one scale.

    Args:
        net: The finder.
        picture: The picture.
        long_side: To how many pixels the longer side of the picture is brought first.
        least_heat: Leave out what is less sure.
    """
    height, width = picture.shape[:2]
    scale = long_side / max(height, width)
    high, wide = (max(32, round(side * scale / 16) * 16) for side in (height, width))
    small = _resized(picture, wide, high)
    seen = net.run(np.asarray(cv2.dnn.blobFromImage(small), np.float32))[0]
    cell = (CELL * width / wide, CELL * height / high)
    return Map(_peaks(seen, cell, least_heat), seen[_GROUND].argmax(0).astype(np.uint8), cell)


def _resized(picture: Picture, wide: int, high: int) -> Picture:
    """Scale a picture; by halves first, which is cheaper than one large step and as smooth."""
    while picture.shape[1] >= 2 * wide and picture.shape[0] >= 2 * high:
        half = (picture.shape[1] // 2, picture.shape[0] // 2)
        picture = np.asarray(cv2.resize(picture, half, interpolation=cv2.INTER_AREA), np.uint8)
    small = cv2.resize(picture, (wide, high), interpolation=cv2.INTER_LINEAR)
    return np.asarray(small, np.uint8)


def _peaks(seen: NDArray[np.float32], cell_px: tuple[float, float], least_heat: float) -> Indices:
    logits = seen[_HEAT]
    least = float(np.log(least_heat / (1 - least_heat)))
    top = cv2.dilate(logits, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((logits >= top) & (logits > least))
    of = seen[:, rows, columns]
    across, along = cell_px[0] / CELL, cell_px[1] / CELL
    size = (across + along) / 2
    middle = np.stack([columns * CELL + CELL / 2, rows * CELL + CELL / 2]).astype(np.float32)
    stretch = np.array([[across], [along]], np.float32)
    length = np.hypot(of[_COS], of[_SIN]) + 1e-6
    return Indices(
        heat=1 / (1 + np.exp(-of[_HEAT])),
        at=((middle + of[_DX : _DY + 1]) * stretch).T,
        down=(of[_COS : _SIN + 1] / length).T,
        high=np.exp(np.clip(of[_HIGH], 0, 6)) * size,
        card_wide=np.exp(np.clip(of[_WIDE], 0, 7)) * size,
        card_at=((middle + of[_CX : _CY + 1] * _CENTRE_UNIT) * stretch).T,
    )


def without_twins(indices: Indices, apart: float = 0.35) -> Indices:
    """Return the indices with each told once: of those that lie together the surest.

    Args:
        indices: Indices, of several looks perhaps.
        apart: How far two are apart at least, in heights of an index.
    """
    kept: list[int] = []
    for row in np.argsort(-indices.heat):
        far = np.hypot(*(indices.at[kept] - indices.at[row]).T)
        near = far < apart * np.minimum(indices.high[kept], indices.high[row])
        alike = (indices.down[kept] @ indices.down[row]) > 0.5
        if not (near & alike).any():
            kept.append(int(row))
    return indices.take(np.array(kept, np.intp))
