"""A laid-out back in several coarsenesses, and what stands out from those of its pack.

A dot stands out at full size, a stain when four pixels are one, and a bend line, too faint
for any single pixel, along its length. Each of these pictures is a band; all are linear in the
pixels, so their mean and spread over a pack's good backs say what is usual at each place.
"""

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.likeness import Array

COARSENESSES = 4
BANDS = COARSENESSES + 1
LINES = COARSENESSES
"""The number of the band of lines."""
_DIRECTIONS = 12
# A bend line is felt for over this length, at half size.
_LINE_MM = 14
_HALF_PX_PER_MM = 2


def bands(pixels: Array, reference: Array, mask: NDArray[np.bool_]) -> tuple[Array, ...]:
    """Return the bands of a back, finest first, the lines last.

    Args:
        pixels: Shape (h, w, 3), laid over the reference.
        reference: Shape (h, w, 3); stands in where there is no card, so that nothing shows there.
        mask: Shape (h, w): where there is card.
    """
    inside = np.where(mask[..., None], pixels, reference)
    level: Array = np.asarray(cv2.GaussianBlur(inside, (0, 0), 0.7), np.float32)
    levels = [level]
    for _ in range(COARSENESSES - 1):
        levels.append(np.asarray(cv2.pyrDown(levels[-1]), np.float32))
    grey = cv2.cvtColor(levels[1], cv2.COLOR_BGR2GRAY)
    lines = [cv2.filter2D(grey, cv2.CV_32F, kernel) for kernel in _line_kernels()]
    return (*levels, np.stack(lines, axis=-1))


@cache
def _line_kernels() -> tuple[Array, ...]:
    """Return a feeler for a thin line in each of twelve directions; each sums to nothing."""
    reach = _LINE_MM * _HALF_PX_PER_MM // 2
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
    kernels = []
    for step in range(_DIRECTIONS):
        angle = np.pi * step / _DIRECTIONS
        along, aside = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        across = (1 - aside**2) * np.exp(-(aside**2) / 2)
        kernel = across * np.exp(-(along**2) / (2 * (reach / 2) ** 2))
        kernel -= kernel.mean()
        kernels.append((kernel / np.abs(kernel).sum()).astype(np.float32))
    return tuple(kernels)


def within(mask: NDArray[np.bool_], number: int) -> NDArray[np.bool_]:
    """Return where a band has card; shape that of the band."""
    level = mask.astype(np.uint8) * 255
    for _ in range(1 if number == LINES else number):
        level = np.asarray(cv2.pyrDown(level), np.uint8)
    return np.asarray(level > 127)


def outstanding(band: Array, mean: Array, spread: Array, *, is_lines: bool) -> Array:
    """Return how far each place is from what is usual there, in spreads; shape (h, w)."""
    off = np.abs(band - mean) / spread
    if is_lines:
        return np.asarray(off.max(axis=-1))
    return np.asarray(np.sqrt(np.square(off).mean(axis=-1)))
