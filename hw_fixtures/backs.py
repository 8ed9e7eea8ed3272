"""Card backs that are drawn here, marks upon them, and pictures taken of them; all by seed.

The designs are of our own drawing. A mark is laid on before the picture is taken, so it is blurred,
lit and made noisy with the rest.
"""

from collections.abc import Callable
from random import Random

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Point = tuple[float, float]

CARD_MM = (63.0, 88.0)
# Of the drawing: fine enough that a picture of 6 pixels to the millimetre is taken of detail.
DRAWN_PX_PER_MM = 12
_SIZE_PX = (round(CARD_MM[0] * DRAWN_PX_PER_MM), round(CARD_MM[1] * DRAWN_PX_PER_MM))

RED = (52, 34, 176)
BLUE = (140, 62, 30)


class Back(Struct, frozen=True):
    """A card's back as drawn."""

    pixels: Pixels
    """Shape (h, w, 3), blue-green-red, 12 pixels to the millimetre."""
    is_card: Pixels
    """Shape (h, w): 255 where there is card, 0 where the table shows."""


class Shot(Struct, frozen=True):
    """A picture of a back."""

    picture: Pixels
    corners_px: tuple[Point, Point, Point, Point]
    """Where a finder of cards says that the corners are: some tenths of a millimetre off."""


class Camera(Struct, frozen=True, kw_only=True):
    """How a picture is taken; ranges are those of one fixed camera in one room."""

    px_per_mm: float = 5.0
    tilt: float = 0.04
    """How far a corner is out of square, as a share of the width."""
    light: float = 0.15
    """How much brighter one side may be than the other."""
    sheen: float = 0.0
    """Grey levels of a broad gloss."""
    blur_px: float = 0.7
    noise: float = 2.5
    """Grey levels, standard deviation."""
    finder_mm: float = 0.4
    """How far off the finder's corners may be."""
    print_mm: float = 0.3
    """How far the print may lie off the middle of the card."""
    quality: int = 88


# ---------------------------------------------------------------- designs
def lattice(colour: tuple[int, int, int] = RED, pitch_mm: float = 3.2) -> Back:
    """Draw diamonds that run off the edge: a back without a border."""
    return Back(_diamonds(colour, pitch_mm), _outline())


def framed(colour: tuple[int, int, int] = BLUE, seed: int = 1) -> Back:
    """Draw a white border around a panel of circles and curls, alike both ways round."""
    rng = Random(seed)
    pixels = np.full((_SIZE_PX[1], _SIZE_PX[0], 3), 244, np.uint8)
    border = round(rng.uniform(3, 5) * DRAWN_PX_PER_MM)
    inner = pixels[border:-border, border:-border]
    inner[:] = colour
    half = inner[: inner.shape[0] // 2]
    for _ in range(90):
        centre = (rng.randrange(half.shape[1]), rng.randrange(half.shape[0]))
        radius = round(rng.uniform(1, 9) * DRAWN_PX_PER_MM)
        start = rng.randrange(360)
        wide = round(rng.uniform(0.3, 0.8) * DRAWN_PX_PER_MM)
        cv2.ellipse(half, centre, (radius, round(radius * rng.uniform(0.4, 1))), start, 0,
                    rng.randrange(120, 360), (235, 238, 240), wide, cv2.LINE_AA)  # fmt: skip
    inner[-half.shape[0] :] = half[::-1, ::-1]
    edge = round(0.6 * DRAWN_PX_PER_MM)
    cv2.rectangle(pixels, (border, border), (_SIZE_PX[0] - border, _SIZE_PX[1] - border),
                  colour, edge, cv2.LINE_AA)  # fmt: skip
    return Back(pixels, _outline())


def printed(pixels: Pixels) -> Back:
    """Make a card of a back that comes from elsewhere."""
    size = cv2.resize(pixels, _SIZE_PX, interpolation=cv2.INTER_AREA)
    return Back(np.asarray(size, np.uint8), _outline())


def _diamonds(colour: tuple[int, int, int], pitch_mm: float) -> Pixels:
    width, height = _SIZE_PX
    x, y = np.meshgrid(np.arange(float(width)), np.arange(float(height)))
    pitch = pitch_mm * DRAWN_PX_PER_MM
    x, y = (x - width / 2) / pitch, (y - height / 2) / (1.6 * pitch)
    across = np.minimum(np.abs((x + y) % 1 - 0.5), np.abs((x - y) % 1 - 0.5))
    line = np.clip((across - 0.09) * 12, 0, 1)[..., None]
    return np.asarray(line * np.array(colour) + (1 - line) * 240, np.uint8)


def _outline(radius_mm: float = 3.5) -> Pixels:
    width, height = _SIZE_PX
    radius = round(radius_mm * DRAWN_PX_PER_MM)
    is_card = np.zeros((height, width), np.uint8)
    cv2.rectangle(is_card, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(is_card, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(is_card, (x, y), radius, 255, -1)
    return is_card


# ---------------------------------------------------------------- marks
def dot(back: Back, size_mm: float, rng: Random) -> tuple[Back, Point]:
    """Put a dot of dark ink on a back; return where, in mm from its top left corner."""
    return _tinted(back, _spot(size_mm, 1.0, rng), (60, 30, 30), 0.85)


def stain(back: Back, size_mm: float, rng: Random) -> tuple[Back, Point]:
    """Put a pale brown stain on a back, its rim uneven and soft."""
    return _tinted(back, _spot(size_mm, 0.6, rng), (96, 140, 168), 0.35)


def nick(back: Back, size_mm: float, rng: Random) -> tuple[Back, Point]:
    """Take a nick of that depth and width out of an edge."""
    width, height = CARD_MM
    side = rng.choice([(0, 1), (width, 1), (0, 0), (height, 0)])
    along = rng.uniform(8, (height if side[1] else width) - 8)
    where = (float(side[0]), along) if side[1] else (along, float(side[0]))
    is_card = back.is_card.copy()
    half, deep = size_mm / 2, size_mm
    inward = 1 if side[0] == 0 else -1
    tip = (where[0] + inward * deep, where[1]) if side[1] else (where[0], where[1] + inward * deep)
    ends = [(where[0], where[1] + s * half) if side[1] else (where[0] + s * half, where[1])
            for s in (-1, 1)]  # fmt: skip
    _fill(is_card, [*ends, tip])
    return Back(back.pixels, is_card), where


def torn(back: Back, size_mm: float, rng: Random) -> tuple[Back, Point]:
    """Tear a corner off: what was within that distance of it, measured along both edges."""
    width, height = CARD_MM
    x, y = rng.choice([0.0, width]), rng.choice([0.0, height])
    is_card = back.is_card.copy()
    to_x, to_y = (1 if x == 0 else -1), (1 if y == 0 else -1)
    _fill(is_card, [(x, y), (x + to_x * size_mm, y), (x, y + to_y * size_mm)])
    return Back(back.pixels, is_card), (x, y)


def bend(back: Back, size_mm: float, rng: Random) -> tuple[Back, Point]:
    """Put a bend line of that length on a back: 0.4 mm of shade beside 0.4 mm of gloss, faint."""
    reach = size_mm / 2 + 3
    angle = rng.uniform(0, np.pi)
    reach_x, reach_y = abs(reach * np.cos(angle)), abs(reach * np.sin(angle))
    x, y = (rng.uniform(min(m, s / 2), max(s - m, s / 2))
            for m, s in zip((reach_x, reach_y), CARD_MM, strict=True))  # fmt: skip
    run = np.array([np.cos(angle), np.sin(angle)])
    shade = np.ones(back.pixels.shape[:2], np.float32)
    for aside_mm, factor in ((-0.2, 0.85), (0.2, 1.12)):
        middle = np.array([x, y]) + aside_mm * np.array([-run[1], run[0]])
        line = np.zeros(back.pixels.shape[:2], np.uint8)
        ends = [middle + s * run * size_mm / 2 for s in (-1, 1)]
        first, last = ((round(p[0] * DRAWN_PX_PER_MM), round(p[1] * DRAWN_PX_PER_MM)) for p in ends)
        cv2.line(line, first, last, 255, round(0.4 * DRAWN_PX_PER_MM), cv2.LINE_AA)
        shade *= 1 + (factor - 1) * line.astype(np.float32) / 255
    pixels = np.clip(back.pixels * shade[..., None], 0, 255).astype(np.uint8)
    return Back(pixels, back.is_card), (x, y)


MARKS: dict[str, Callable[[Back, float, Random], tuple[Back, Point]]] = {
    "ink dot": dot,
    "stain": stain,
    "nick": nick,
    "torn corner": torn,
    "bend line": bend,
}
"""Every kind of mark, by its name."""


def _spot(size_mm: float, firmness: float, rng: Random) -> tuple[NDArray[np.float32], Point]:
    """Return how strongly each pixel is covered by a spot somewhere on the card, and where."""
    margin = 2.5 + size_mm / 2
    x, y = (rng.uniform(margin, size - margin) for size in CARD_MM)
    cover = np.zeros((_SIZE_PX[1], _SIZE_PX[0]), np.float32)
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    waves = [(rng.uniform(-1, 1) * (1 - firmness) / n, n, rng.uniform(0, 7)) for n in (2, 3, 5)]
    rim = 1 + sum(a * np.sin(n * turns + p) for a, n, p in waves)
    points = np.stack([x + rim * size_mm / 2 * np.cos(turns),
                       y + rim * size_mm / 2 * np.sin(turns)], axis=1)  # fmt: skip
    cv2.fillPoly(cover, [np.round(points * DRAWN_PX_PER_MM).astype(np.int32)], 1.0)
    soft = max(0.08, (1 - firmness) * size_mm / 6) * DRAWN_PX_PER_MM
    return np.asarray(cv2.GaussianBlur(cover, None, soft), np.float32), (x, y)  # type: ignore[call-overload]


def _tinted(
    back: Back,
    spot: tuple[NDArray[np.float32], Point],
    colour: tuple[int, int, int],
    strength: float,
) -> tuple[Back, Point]:
    """Let a colour shine through where the spot is: ink takes light away and never adds any."""
    cover, where = spot
    filtered = back.pixels * (np.array(colour, np.float32) / 255)
    share = (strength * cover)[..., None]
    pixels = back.pixels * (1 - share) + filtered * share
    return Back(pixels.astype(np.uint8), back.is_card), where


def _fill(is_card: Pixels, points_mm: list[Point]) -> None:
    points = np.round(np.array(points_mm) * DRAWN_PX_PER_MM).astype(np.int32)
    cv2.fillPoly(is_card, [points], 0)


# ---------------------------------------------------------------- pictures
def photograph(back: Back, camera: Camera, rng: Random) -> Shot:
    """Take a picture of a back on dark felt, either way round."""
    scale = camera.px_per_mm
    width, height = CARD_MM[0] * scale, CARD_MM[1] * scale
    margin = 6 * scale
    size = (round(width + 2 * margin), round(height + 2 * margin))
    there = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) + margin
    loose = camera.tilt * width
    there += np.array([[rng.uniform(-loose, loose) for _ in range(2)] for _ in range(4)])
    there += np.array([rng.uniform(-margin / 3, margin / 3) for _ in range(2)])
    there = there.astype(np.float32)
    if rng.random() < 0.5:
        there = np.roll(there, 2, axis=0)
    drawn = np.array([(0, 0), (_SIZE_PX[0], 0), _SIZE_PX, (0, _SIZE_PX[1])], np.float32) - 0.5
    pixels, is_card = _reprinted(back, camera, rng), back.is_card
    # Twice as fine, then averaged: what a sensor's pixel does.
    way = np.diag([2.0, 2.0, 1.0]) @ cv2.getPerspectiveTransform(drawn, there)
    fine = (2 * size[0], 2 * size[1])
    blurred = cv2.GaussianBlur(pixels, None, DRAWN_PX_PER_MM / scale / 4)  # type: ignore[call-overload]
    card = cv2.warpPerspective(blurred, way, fine, borderMode=cv2.BORDER_REPLICATE)
    share = cv2.warpPerspective(is_card, way, fine)[..., None] / 255
    felt = _felt(fine, rng)
    picture = cv2.resize(card * share + felt * (1 - share), size, interpolation=cv2.INTER_AREA)
    picture = _developed(picture.astype(np.float32), camera, rng)
    off = camera.finder_mm * scale
    found = [(float(x) + rng.uniform(-off, off), float(y) + rng.uniform(-off, off))
             for x, y in there]  # fmt: skip
    return Shot(picture, (found[0], found[1], found[2], found[3]))


def _reprinted(back: Back, camera: Camera, rng: Random) -> Pixels:
    """Return the print of one card: a little off the middle, a little lighter or darker."""
    off = [rng.uniform(-camera.print_mm, camera.print_mm) * DRAWN_PX_PER_MM for _ in range(2)]
    way = np.array([[1, 0, off[0]], [0, 1, off[1]]])
    moved = cv2.warpAffine(back.pixels, way, _SIZE_PX, borderMode=cv2.BORDER_REFLECT)
    ink = rng.uniform(0.97, 1.03)
    return np.asarray(np.clip(255 - (255 - moved.astype(np.float32)) * ink, 0, 255), np.uint8)


def _felt(size: tuple[int, int], rng: Random) -> NDArray[np.float32]:
    grain = np.random.default_rng(rng.randrange(2**32)).normal(0, 7, (size[1], size[0], 1))
    return (np.array([52, 84, 38]) + grain).astype(np.float32)


def _developed(picture: NDArray[np.float32], camera: Camera, rng: Random) -> Pixels:
    """Light a picture, blur it, add noise, and press it as JPEG."""
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    tilt = [rng.uniform(-camera.light, camera.light) / 2 for _ in range(2)]
    gain = (rng.uniform(0.9, 1.05) * (1 + tilt[0] * x + tilt[1] * y))[..., None]
    balance = np.array([rng.uniform(0.98, 1.02) for _ in range(3)])
    centre = [rng.uniform(-0.8, 0.8) for _ in range(2)]
    gloss = camera.sheen * np.exp(-((x - centre[0]) ** 2 + (y - centre[1]) ** 2))[..., None]
    lit = picture * gain * balance + gloss
    blur = camera.blur_px * rng.uniform(0.85, 1.2)
    lit = cv2.GaussianBlur(lit.astype(np.float32), None, blur)  # type: ignore[call-overload]
    noise = np.random.default_rng(rng.randrange(2**32)).normal(0, camera.noise, lit.shape)
    raw = np.clip(lit + noise, 0, 255).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", raw, [cv2.IMWRITE_JPEG_QUALITY, camera.quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
