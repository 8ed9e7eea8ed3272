"""A card's back against the enrolled back of its pack: is it marked, and is it of that design?

One look gives no verdict. A thumb, a gloss or a crumb on the felt is not there at the next look;
a mark is found again at the same place of the card.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from engine.cards import Card, Place, Tag
from engine.events import BackMarked
from vision.bands import BANDS, LINES
from vision.enrolled import BackModel, scores_of
from vision.likeness import (
    PX_PER_MM,
    Array,
    Frame,
    Laid,
    half_turn,
    lay_out,
    lay_over,
    upright,
)
from vision.seen import Corners, Picture

Flags = NDArray[np.bool_]
What = Literal["dark", "light", "line", "edge"]

# A look must be taken of so much of the working resolution; below, fine marks are guessed at.
COARSEST_PX_PER_MM = 2.5
LOOKS_NEEDED = 3
# Of the looks at a card, so many must show the mark.
_SHARE = 2 / 3
# The middle of one mark at two looks; a torn edge looks a little different from each side.
_SAME_MM = 3.0
# Beyond this share of the card it is no mark any more: it is covered, or another design.
_MOST_MARKED = 0.3
# Another design differs in nearly every square centimetre, a covering hand does not.
_TILE_MM = 10
_NEARLY_EVERY = 0.8
# Where the pattern is still recognised in some pieces, but not in all, something lies on the card.
# If it is recognised in all of them, the pattern is the same and its colour is not.
_SOME = 0.1
_PIECE_MM = 20
_SLACK_MM = 2
_ALIKE = 0.8
_MAP_PX_PER_MM = PX_PER_MM / 2
# From so far to each side a back is laid over again that did not come to lie where it should.
_AGAIN_MM = 0.7
_LINE_RATIO = 4
_SHORTEST_LINE_MM = 5


class Mark(Struct, frozen=True, kw_only=True):
    """A place of a back that is not as on the pack's good backs.

    Millimetres are of the card as it was enrolled: from its top left corner, to the right and down.
    """

    what: What
    x_mm: float
    y_mm: float
    box_mm: tuple[float, float, float, float]
    """Left, top, right, bottom."""
    score: float
    outline_px: Corners
    """The box in the picture."""


class BackLook(Struct, frozen=True, kw_only=True):
    """What one look at a back shows."""

    score: float
    """The highest of the back; it is marked where this is above the model's threshold."""
    likeness: float
    is_foreign: bool = False
    """The design is another one."""
    marks: tuple[Mark, ...] = ()
    """The most outstanding first."""
    unfit: str = ""
    """Why nothing can be said; empty where something can."""


class BackVerdict(Struct, frozen=True, kw_only=True):
    """What several looks at one card agree on."""

    is_foreign: bool = False
    mark: Mark | None = None
    looks: int
    agreeing: int


def compare(picture: Picture, corners_px: Corners, model: BackModel) -> BackLook:
    """Look at a back once.

    Args:
        picture: The picture that shows it.
        corners_px: Of the card; a millimetre off does no harm, nor which way round it lies.
        model: The enrolled back of its pack.
    """
    scale = px_per_mm(corners_px, model.frame)
    if scale < COARSEST_PX_PER_MM:
        why = f"{scale:.1f} px a millimetre, expected at least {COARSEST_PX_PER_MM}"
        return BackLook(score=0.0, likeness=0.0, unfit=why)
    laid = _laid(picture, corners_px, model, scale)
    heat = _heat(laid, model)
    score, likeness = round(float(heat.max()), 1), round(laid.likeness, 3)
    is_hot = heat.max(axis=0) > model.threshold
    inside = _halved(model.frame.mask().astype(np.float32)) > 0
    share = (is_hot & inside).sum() / inside.sum()
    if share > _MOST_MARKED:
        recognised = _recognised(picture, corners_px, model)
        if _tiles(is_hot, inside) >= _NEARLY_EVERY and not _SOME < recognised < _NEARLY_EVERY:
            return BackLook(score=score, likeness=likeness, is_foreign=True)
        why = f"{round(100 * share)} % of the card is covered or changed"
        return BackLook(score=score, likeness=likeness, unfit=why)
    marks = _marks(heat, inside, laid, model)
    return BackLook(score=score, likeness=likeness, marks=marks)


def _laid(picture: Picture, corners_px: Corners, model: BackModel, scale: float) -> Laid:
    """Lay a back over the enrolled one; of a fine pattern it may first come to lie a period off."""
    laid = lay_over(picture, corners_px, model.reference, model.frame)
    if laid.likeness >= model.least_likeness:
        return laid
    off_px = _AGAIN_MM * scale
    shifts = [(x, y) for x in (-off_px, off_px) for y in (-off_px, off_px)]
    again = [
        lay_over(picture, _moved(corners_px, *shift), model.reference, model.frame)
        for shift in shifts
    ]
    return max(laid, *again, key=lambda each: each.likeness)


def _moved(corners_px: Corners, x: float, y: float) -> Corners:
    (a, b), (c, d), (e, f), (g, h) = corners_px
    return (a + x, b + y), (c + x, d + y), (e + x, f + y), (g + x, h + y)


def px_per_mm(corners_px: Corners, frame: Frame) -> float:
    """Return how many pixels of the picture a millimetre of the card is, where they are fewest."""
    points = np.array(corners_px)
    sides = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
    lengths = np.array([frame.width_mm, frame.height_mm] * 2)
    return float((sides / lengths).min())


def _heat(laid: Laid, model: BackModel) -> Array:
    """Return how far each place stands out in each band, all in one measure.

    Returns:
        Shape (bands, h, w), at half size.
    """
    maps = scores_of(laid.pixels, model.reference, model.usual, model.frame)
    size = (maps[1].shape[1], maps[1].shape[0])
    heat = np.empty((BANDS, *maps[1].shape), np.float32)
    for number, (band, usual) in enumerate(zip(maps, model.usual, strict=True)):
        if number == 0:
            even = _halved(band)
        elif number == LINES:
            even = band
        else:
            even = np.asarray(cv2.resize(band, size, interpolation=cv2.INTER_NEAREST))
        heat[number] = (even - usual.place) / usual.width
    return heat


def _halved(band: Array) -> Array:
    """Halve a map, keeping the highest of each four."""
    height, width = band.shape
    return np.asarray(band.reshape(height // 2, 2, width // 2, 2).max(axis=(1, 3)))


def _tiles(is_hot: Flags, inside: Flags) -> float:
    """Return the share of the card's tiles in which something stands out."""
    tile = round(_TILE_MM * _MAP_PX_PER_MM)
    height, width = (size // tile * tile for size in is_hot.shape)
    hot, card = (
        each[:height, :width].reshape(height // tile, tile, width // tile, tile).any(axis=(1, 3))
        for each in (is_hot & inside, inside)
    )
    return float(hot.sum() / card.sum())


def _recognised(picture: Picture, corners_px: Corners, model: BackModel) -> float:
    """Return in what share of its pieces the pattern is that of the pack, whatever the rest is."""
    frame = model.frame
    way = upright(corners_px, frame)
    reference = _grey_half(model.reference)
    shares = []
    for each in (way, way @ half_turn(frame)):
        pieces = _pieces_alike(_grey_half(lay_out(picture, each, frame)), reference)
        shares.append(float(np.mean(list(pieces))))
    return max(shares)


def _grey_half(pixels: Array) -> Array:
    return np.asarray(cv2.pyrDown(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)), np.float32)


def _pieces_alike(pixels: Array, reference: Array) -> Iterator[bool]:
    piece, slack = (round(mm * _MAP_PX_PER_MM) for mm in (_PIECE_MM, _SLACK_MM))
    height, width = reference.shape
    for top in range(slack, height - piece - slack, piece):
        for left in range(slack, width - piece - slack, piece):
            sought = reference[top : top + piece, left : left + piece]
            around = pixels[top - slack : top + piece + slack, left - slack : left + piece + slack]
            found = cv2.matchTemplate(around, sought, cv2.TM_CCOEFF_NORMED)
            yield bool(found.max() > _ALIKE)


# ---------------------------------------------------------------- places
# A strong mark is felt far off in coarse bands and along lines, so its size is that in the finest
# bands that show it.
_FINEST_FIRST = ((0, 1), (2, 3), (LINES,))


def _marks(heat: Array, inside: Flags, laid: Laid, model: BackModel) -> tuple[Mark, ...]:
    """Return the places above the threshold, each with what hangs together with it."""
    hottest = heat.max(axis=0)
    _, labels = cv2.connectedComponents((hottest > model.threshold / 2).astype(np.uint8))
    marks = []
    for label in set(labels[hottest > model.threshold].tolist()):
        around = labels == label
        whole = _spot(hottest, around, model.threshold)
        fine = next(
            map_
            for map_ in (heat[list(group)].max(axis=0) for group in _FINEST_FIRST)
            if map_[around].max() > model.threshold
        )
        is_line = _is_line(whole)
        spot = whole if is_line else _spot(fine, around, model.threshold)
        what: What = "line" if is_line else _what(spot, inside, laid, model)
        marks.append(_mark(what, spot, float(hottest[around].max()), laid))
    return tuple(sorted(marks, key=lambda mark: -mark.score))


def _spot(heat: Array, around: Flags, threshold: float) -> Flags:
    """Return where a mark itself lies: where it is at least a third as hot as at its hottest."""
    return np.asarray(around & (heat > max(threshold / 2, heat[around].max() / 3)))


def _mark(what: What, spot: Flags, score: float, laid: Laid) -> Mark:
    rows, columns = np.nonzero(spot)
    left, top = int(columns.min()), int(rows.min())
    right, bottom = int(columns.max()) + 1, int(rows.max()) + 1
    corners = [[(left, top), (right, top), (right, bottom), (left, bottom)]]
    own = np.array(corners, np.float64) * (PX_PER_MM / _MAP_PX_PER_MM) - 0.5
    there = cv2.perspectiveTransform(own, laid.to_picture)[0]
    outline = [(round(float(x), 1), round(float(y), 1)) for x, y in there]
    return Mark(
        what=what,
        x_mm=round((float(columns.mean()) + 0.5) / _MAP_PX_PER_MM, 1),
        y_mm=round((float(rows.mean()) + 0.5) / _MAP_PX_PER_MM, 1),
        box_mm=(
            left / _MAP_PX_PER_MM,
            top / _MAP_PX_PER_MM,
            right / _MAP_PX_PER_MM,
            bottom / _MAP_PX_PER_MM,
        ),
        score=round(score, 1),
        outline_px=(outline[0], outline[1], outline[2], outline[3]),
    )


def _is_line(spot: Flags) -> bool:
    short, long = sorted(cv2.minAreaRect(np.argwhere(spot).astype(np.float32))[1])
    return long >= max(_SHORTEST_LINE_MM * _MAP_PX_PER_MM, _LINE_RATIO * (short + 1))


def _what(spot: Flags, inside: Flags, laid: Laid, model: BackModel) -> What:
    rim = inside & (cv2.erode(inside.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0)
    if (spot & rim).any():
        return "edge"
    size = (spot.shape[1], spot.shape[0])
    off = cv2.resize(laid.pixels - model.reference, size, interpolation=cv2.INTER_AREA)
    return "dark" if off[spot].mean() < 0 else "light"


# ---------------------------------------------------------------- several looks
def agree(looks: Sequence[BackLook], model: BackModel) -> BackVerdict | None:
    """Return what the looks at one card agree on; None if that is nothing, or not yet.

    Args:
        looks: At one card, the latest last; those that are unfit do not count.
        model: The enrolled back of its pack.
    """
    fit = [look for look in looks if not look.unfit]
    needed = max(LOOKS_NEEDED, int(np.ceil(_SHARE * len(fit))))
    foreign = sum(look.is_foreign for look in fit)
    if foreign >= needed:
        return BackVerdict(is_foreign=True, looks=len(fit), agreeing=foreign)
    every = [mark for look in reversed(fit) for mark in look.marks]
    for mark in every:
        again = sum(any(is_same(mark, other, model.frame) for other in look.marks) for look in fit)
        if again >= needed:
            return BackVerdict(mark=mark, looks=len(fit), agreeing=again)
    return None


def is_same(one: Mark, other: Mark, frame: Frame) -> bool:
    """Say whether two looks show a mark at one place of the card.

    A place and the one across the middle are one: many designs are alike both ways round.
    """
    across = (frame.width_mm - other.x_mm, frame.height_mm - other.y_mm)
    places = ((other.x_mm, other.y_mm), across)
    reach = max(_SAME_MM, *(_half_size(mark) / 2 for mark in (one, other)))
    return any(np.hypot(one.x_mm - x, one.y_mm - y) <= reach for x, y in places)


def _half_size(mark: Mark) -> float:
    left, top, right, bottom = mark.box_mm
    return max(right - left, bottom - top) / 2


def told(
    verdict: BackVerdict,
    *,
    at_ns: int,
    place: Place,
    tag: Tag | None = None,
    card: Card | None = None,
) -> BackMarked:
    """Return the event of a verdict.

    Args:
        verdict: What the looks agree on.
        at_ns: When the first of them was taken.
        place: Where the card was looked at.
        tag: Of the card, where the place holds it alone.
        card: The face that the tag bears.
    """
    return BackMarked(
        at_ns=at_ns,
        place=place,
        tag=tag,
        card=card,
        how=verdict_words(verdict),
        is_foreign=verdict.is_foreign,
    )


_WORDS: dict[What, str] = {
    "dark": "a dark spot",
    "light": "a light spot",
    "line": "a line",
    "edge": "a damaged edge",
}


def mark_words(mark: Mark) -> str:
    """Say what a mark is and where, as someone with a ruler would."""
    left, top, right, bottom = mark.box_mm
    return (
        f"{_WORDS[mark.what]}, about {right - left:.1f} by {bottom - top:.1f} mm, "
        f"{mark.x_mm:.0f} mm from the left and {mark.y_mm:.0f} mm from the top"
    )


def verdict_words(verdict: BackVerdict) -> str:
    """Say what the looks agree on."""
    what = mark_words(verdict.mark) if verdict.mark else "another design"
    return f"{what} ({verdict.agreeing} of {verdict.looks} looks)"


def annotated(picture: Picture, look: BackLook) -> Picture:
    """Return a picture with its marks drawn on it."""
    drawn = picture.copy()
    for mark in look.marks:
        outline = np.round(np.array(mark.outline_px)).astype(np.int32)
        cv2.polylines(drawn, [outline], isClosed=True, color=(0, 255, 255), thickness=2)
    return drawn
