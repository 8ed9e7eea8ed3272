"""A card's back laid over a reference back: where it lies, how it is lit, and how alike it is."""

from functools import cache

import cv2
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from vision.seen import Corners, Picture

Array = NDArray[np.float32]

# A poker card, and what a pixel of a laid-out back stands for. Four to the millimetre is what a
# camera at the shoe's mouth gives that sees a card 250 pixels wide.
CARD_MM = (63.0, 88.0)
PX_PER_MM = 4
# Assumed: the corners of the cards in use are rounded by about so much.
CORNER_MM = 3.5
# A back is laid over by its print, and the print is not always in the middle of the card: so near
# to the cut edge it is chance whether the table shows.
EDGE_MM = 0.75


class Frame(Struct, frozen=True):
    """The size of a back that is laid out: upright, x to the right and y down."""

    width_mm: float = CARD_MM[0]
    height_mm: float = CARD_MM[1]

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height, each a multiple of 4, for it is halved twice."""
        width, height = (4 * round(mm * PX_PER_MM / 4) for mm in (self.width_mm, self.height_mm))
        return width, height

    def mask(self) -> NDArray[np.bool_]:
        """Return which pixels are card, whatever lies under its rounded corners; shape (h, w)."""
        return _mask(self)


@cache
def _mask(frame: Frame) -> NDArray[np.bool_]:
    width, height = frame.size_px
    edge, radius = round(EDGE_MM * PX_PER_MM), round(CORNER_MM * PX_PER_MM)
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    from_x = np.maximum(radius - np.minimum(x, width - x), 0)
    from_y = np.maximum(radius - np.minimum(y, height - y), 0)
    is_inside = np.hypot(from_x, from_y) <= radius - edge
    is_off_edge = np.minimum.reduce([x, y, width - x, height - y]) >= edge
    return np.asarray(is_inside & is_off_edge)


class Laid(Struct, frozen=True):
    """A back laid over the reference: the same pixel is the same place of the card."""

    pixels: Array
    """Shape (h, w, 3), blue-green-red, in the light of the reference."""
    likeness: float
    """From -1 to 1: how the pictures correlate, colours included."""
    to_picture: NDArray[np.float64]
    """Shape (3, 3): from pixels of the laid-out back to pixels of the picture."""


def lay_out(picture: Picture, to_picture: NDArray[np.float64], frame: Frame) -> Array:
    """Return the back as seen from straight above."""
    flat = cv2.warpPerspective(
        picture,
        to_picture,
        frame.size_px,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return flat.astype(np.float32)


def upright(corners_px: Corners, frame: Frame) -> NDArray[np.float64]:
    """Return the way from pixels of the laid-out back to those of the picture."""
    width, height = frame.size_px
    own = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - 0.5
    there = np.array(corners_px, np.float32)
    return np.asarray(cv2.getPerspectiveTransform(own, there), np.float64)


def half_turn(frame: Frame) -> NDArray[np.float64]:
    """Return the way from a laid-out back to one that lies the other way round."""
    width, height = frame.size_px
    return np.array([[-1, 0, width - 1], [0, -1, height - 1], [0, 0, 1]], np.float64)


def lay_over(picture: Picture, corners_px: Corners, reference: Array, frame: Frame) -> Laid:
    """Lay a back over the reference, whichever way round it lies.

    Args:
        picture: The picture that shows it.
        corners_px: Of the card; a millimetre off does no harm.
        reference: Shape (h, w, 3), the laid-out back to compare with.
        frame: Of the reference.
    """
    picture, shrink = _smaller(picture, corners_px, frame)
    straight = shrink @ upright(corners_px, frame)
    # Until it is in place a fine pattern may look less like itself than like its other way round.
    laid = [
        _settle(picture, way, reference, frame) for way in (straight, straight @ half_turn(frame))
    ]
    best = max(laid, key=lambda each: each.likeness)
    return replace(best, to_picture=np.linalg.inv(shrink) @ best.to_picture)


def _smaller(
    picture: Picture, corners_px: Corners, frame: Frame
) -> tuple[Picture, NDArray[np.float64]]:
    """Shrink a picture whose card is much larger than needed, so that nothing is skipped over."""
    sides = np.array(corners_px) - np.roll(np.array(corners_px), 1, axis=0)
    factor = frame.size_px[0] / float(np.hypot(*sides.T).min())
    if factor > 1 / 1.5:
        return picture, np.eye(3)
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    shift = (factor - 1) / 2  # the middle of a pixel is where its number says
    way = np.array([[factor, 0, shift], [0, factor, shift], [0, 0, 1]])
    return np.asarray(small, np.uint8), way


def _settle(
    picture: Picture,
    way: NDArray[np.float64],
    reference: Array,
    frame: Frame,
) -> Laid:
    """Bring a back into place, first as a whole, then piece by piece, and into the same light."""
    mask = frame.mask()
    way = way @ _whole(lay_out(picture, way, frame), reference, mask)
    pixels = relit(lay_out(picture, way, frame), reference, mask)
    for _ in range(2):
        pixels = _piecewise(pixels, reference)
    pixels = relit(pixels, reference, mask)
    likeness = alike(pixels, reference, mask)
    return Laid(pixels, likeness, way)


def alike(pixels: Array, reference: Array, mask: NDArray[np.bool_]) -> float:
    """Return how two backs correlate over all their colours, seen to the millimetre."""
    one, other = (cv2.resize(each, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
                  for each in (pixels, reference))  # fmt: skip
    small = cv2.resize(mask.astype(np.uint8), (one.shape[1], one.shape[0])) > 0
    return float(np.corrcoef(one[small].ravel(), other[small].ravel())[0, 1])


def _whole(pixels: Array, reference: Array, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the small change of perspective that brings a back into place; none if none helps."""
    one, other = (cv2.pyrDown(cv2.cvtColor(each, cv2.COLOR_BGR2GRAY))
                  for each in (pixels, reference))  # fmt: skip
    small = cv2.resize(mask.astype(np.uint8), (one.shape[1], one.shape[0]))
    change = np.eye(3, dtype=np.float32)
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-4)
    try:
        cv2.findTransformECC(other, one, change, cv2.MOTION_HOMOGRAPHY, until, small, 3)
    except cv2.error:
        return np.eye(3)
    double = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1]])
    return np.asarray(double @ change @ np.linalg.inv(double), np.float64)


def _piecewise(pixels: Array, reference: Array) -> Array:
    """Shift each piece of a back by the part of a pixel that it still is off: a bent card."""
    one, other = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY) for each in (pixels, reference))
    over_x, over_y = (cv2.Scharr(other, cv2.CV_32F, *d, scale=1 / 32) for d in ((1, 0), (0, 1)))
    off = other - one
    off = np.clip(off, -40, 40)
    terms = np.stack([over_x * over_x, over_x * over_y, over_y * over_y,
                      over_x * off, over_y * off], axis=-1)  # fmt: skip
    reach = 2 * round(PIECE_MM * PX_PER_MM / 2) + 1
    xx, xy, yy, xo, yo = np.moveaxis(
        cv2.blur(cv2.blur(terms, (reach, reach)), (reach, reach)), -1, 0
    )
    xx, yy = xx + 4, yy + 4
    below = xx * yy - xy * xy
    shift_x, shift_y = (yy * xo - xy * yo) / below, (xx * yo - xy * xo) / below
    rows, columns = np.indices(one.shape, dtype=np.float32)
    return np.asarray(
        cv2.remap(
            pixels,
            columns + np.clip(shift_x, -1, 1),
            rows + np.clip(shift_y, -1, 1),
            cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REPLICATE,
        )
    )


# A piece is wide enough that a mark in it does not pull it along.
PIECE_MM = 8


def relit(pixels: Array, reference: Array, mask: NDArray[np.bool_]) -> Array:
    """Return a back in the light of the reference.

    Light that falls unevenly and sheen that lies over it are each taken as a smooth surface of the
    second degree, fitted to what most of the card agrees on, so that a stain does not count. Light
    may be a little warmer or colder; beyond that the card is of another colour and stays so.
    """
    size = (pixels.shape[1] // 4, pixels.shape[0] // 4)
    small, known = (
        cv2.resize(each, size, interpolation=cv2.INTER_AREA) for each in (pixels, reference)
    )
    inside = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA) > 0.99
    ours, theirs = (np.asarray(each[inside], np.float32) for each in (known, small))
    gain, sheen, tint = _light(ours, theirs, _surface(size)[inside])
    surface = _surface((pixels.shape[1], pixels.shape[0]))
    gains = np.maximum(surface @ gain, 0.2)[..., None]
    even = (pixels / tint - (surface @ sheen)[..., None]) / gains
    return np.asarray(np.clip(even, -64, 320), np.float32)


@cache
def _surface(size: tuple[int, int]) -> Array:
    """Return the terms of a surface of the second degree; shape (h, w, 6)."""
    x, y = np.meshgrid(np.linspace(-1, 1, size[0]), np.linspace(-1, 1, size[1]))
    return np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1).astype(np.float32)


# How much warmer or colder light may become under one camera whose white balance is fixed.
_MOST_TINT = 0.15
_GREY = 128.0


def _light(known: Array, seen: Array, surface: Array) -> tuple[Array, Array, Array]:
    """Fit ``seen = tint * (gain * known + sheen)`` by what most pixels agree on.

    Args:
        known: Shape (n, 3).
        seen: Shape (n, 3).
        surface: Shape (n, 6).

    Returns:
        The six terms of the gain, those of the sheen, and the tint of each channel.
    """
    every = np.concatenate([surface] * 3)
    known_all = known.T.ravel()
    terms = np.concatenate([every * known_all[:, None], every * _GREY], axis=1)
    stay = np.zeros(12, np.float32)
    stay[0] = 1.0
    # Where the back has no contrast, gain and sheen are one thing: it is then taken as gain.
    ridge = np.diag(np.array([1] * 6 + [40] * 6, np.float32)) * _GREY**2 * len(terms) * 1e-4
    tint = np.ones(3, np.float32)
    weights = np.ones(len(terms), np.float32)
    fit = stay
    for _ in range(4):
        even = (seen / tint).T.ravel()
        weighed = terms * weights[:, None]
        fit = np.linalg.solve(weighed.T @ terms + ridge, weighed.T @ even + ridge @ stay)
        due = terms @ fit
        off = np.abs(even - due)
        scale = max(1.0, 1.5 * float(np.median(off)))
        weights = 1 / (1 + (off / (2 * scale)) ** 2) ** 2
        by_channel = [(weights * each).reshape(3, -1).sum(axis=1) for each in (even, due)]
        tint = tint * by_channel[0] / np.maximum(by_channel[1], 1.0)
        tint = np.clip(tint / tint.mean(), 1 - _MOST_TINT, 1 + _MOST_TINT).astype(np.float32)
    return fit[:6], fit[6:] * _GREY, tint
