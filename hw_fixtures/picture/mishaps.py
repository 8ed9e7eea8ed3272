"""What goes wrong with a camera, and what its pictures look like then."""

import cv2
import numpy as np
from msgspec import Struct

from hw_fixtures.picture.faces import pixels
from vision.seen import Picture

_DARK = 0.03
_BLIND = 6.0


class Mishaps(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is wrong with a camera; nothing, where all is left out."""

    is_frozen: bool = False
    """It goes on sending the same picture."""
    drop: float = 0.0
    """The share of pictures that get lost."""
    is_dark: bool = False
    """The light is out."""
    is_blinded: bool = False
    """A lamp shines into it."""
    bump_px: tuple[int, int] = (0, 0)
    """It was pushed, so that all is so much farther to the right and down."""
    noise: float = 0.0
    """Standard deviation of what is added, of 255."""
    shrink: int = 1
    """Its pictures are so many times smaller than agreed."""
    is_stalled: bool = False
    """It sends no more, and keeps the connection."""
    is_unplugged: bool = False
    """It is not there: connections are cut, and refused."""


def spoil(picture: Picture, mishaps: Mishaps, rng: np.random.Generator) -> Picture:
    """Return a picture as a camera gives it that something is wrong with.

    Args:
        picture: Shape (height, width, 3).
        mishaps: What is wrong.
        rng: Settles the noise.
    """
    if mishaps.is_dark:
        picture = pixels(cv2.convertScaleAbs(picture, alpha=_DARK))
    if mishaps.is_blinded:
        picture = pixels(cv2.convertScaleAbs(picture, alpha=_BLIND, beta=120))
    if mishaps.bump_px != (0, 0):
        x, y = mishaps.bump_px
        push = np.array([[1.0, 0.0, x], [0.0, 1.0, y]])
        size = (picture.shape[1], picture.shape[0])
        picture = pixels(cv2.warpAffine(picture, push, size, borderMode=cv2.BORDER_REPLICATE))
    if mishaps.noise:
        added = np.empty(picture.shape, np.int16)
        cv2.setRNGSeed(int(rng.integers(1 << 31)))
        cv2.randn(added, np.zeros(3), np.full(3, mishaps.noise))
        picture = pixels(cv2.add(picture, added, dtype=cv2.CV_8U))
    if mishaps.shrink > 1:
        share = 1 / mishaps.shrink
        picture = pixels(
            cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        )
    return picture
