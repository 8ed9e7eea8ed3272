"""Paints a scene as the camera over the table sees it: felt, cards, arms, light, blur and noise.

What lies still is painted once. The same scene at the same moment gives the same picture.
"""

import math
from collections import OrderedDict
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import HANDS, PACK, RACK, SHOE
from hw_fixtures.picture.faces import CARD_MM, PX_PER_MM, Deck, back, face, pixels
from hw_fixtures.picture.layout import FULL_HD, SPOTS, VIEW_MM, Pose, outline
from hw_fixtures.picture.scene import TURN_S, Hand, Lying, Scene, pose_at
from vision.seen import Picture

EXPOSURE_S = 1 / 120
"""How long the shutter is open: what moves is smeared by so much. Assumed, for indoor light."""

_SMEARS = 5
_NOISE_TILES = 4
_BASES_KEPT = 4

_FELT = (58, 92, 34)
_SKIN, _SLEEVE = (128, 160, 208), (52, 40, 38)


class Painter:
    """Paints scenes.

    Args:
        deck: How the cards look.
        size_wh_px: How large the pictures are.
        seed: Settles felt and noise.
    """

    def __init__(self, deck: Deck, *, size_wh_px: tuple[int, int] = FULL_HD, seed: int = 0) -> None:
        self._deck = deck
        self._size = size_wh_px
        self._px_per_mm = size_wh_px[0] / VIEW_MM[0]
        rng = np.random.default_rng(seed)
        self._cloth = _paint_cloth(size_wh_px, self._px_per_mm, rng)
        self._noise = [_noise(size_wh_px, rng) for _ in range(_NOISE_TILES)]
        self._lamp = _lamp(size_wh_px)
        self._shade = _shade(round(420 * self._px_per_mm))
        self._small: dict[int, Picture] = {}
        self._bases: OrderedDict[tuple[Lying, ...], Picture] = OrderedDict()

    def render(self, scene: Scene, at_s: float) -> Picture:
        """Return the picture of a moment.

        Returns:
            Shape (height, width, 3), blue-green-red.
        """
        picture = self._base(scene.resting(at_s)).copy()
        for card in scene.moving(at_s):
            self._paint_moving(picture, card, at_s)
        for hand in scene.hands(at_s):
            _paint_hand(picture, hand, self._px_per_mm)
        self._cast_shade(picture, at_s)
        return self._expose(picture, at_s)

    # ------------------------------------------------------------ what lies still
    def _base(self, resting: tuple[Lying, ...]) -> Picture:
        base = self._bases.get(resting)
        if base is None:
            base = self._cloth.copy()
            for card in resting:
                sprite = self._sprite(card, card.pose, is_face_up=card.is_face_up)
                _lay_on(base, *sprite, shadow_px=3)
            lit = cv2.multiply(base, self._lamp, scale=1 / 255)
            base = pixels(cv2.GaussianBlur(lit, (0, 0), 0.6))
            self._bases[resting] = base
            if len(self._bases) > _BASES_KEPT:
                self._bases.popitem(last=False)
        return base

    # ------------------------------------------------------------ what moves
    def _paint_moving(self, picture: Picture, card: Lying, at_s: float) -> None:
        if card.how == "turned":
            share = (at_s - card.since_s) / TURN_S
            is_face_up = card.is_face_up if share > 0.5 else card.was_face_up
            narrow = max(0.06, abs(math.cos(share * math.pi)))
            sprite = self._sprite(card, card.pose, is_face_up=is_face_up, narrow=narrow)
            _lay_on(picture, *sprite, shadow_px=6)
            return
        moments = at_s + np.linspace(-EXPOSURE_S, 0, _SMEARS)
        poses = [pose_at(card, moment) for moment in moments]
        sprites = [self._sprite(card, pose, is_face_up=card.was_face_up) for pose in poses]
        _lay_on(picture, *_smear(sprites), shadow_px=8)

    def _sprite(
        self, card: Lying, pose: Pose, *, is_face_up: bool, narrow: float = 1.0
    ) -> tuple[Picture, int, int]:
        """Return a card as it is seen, with the pixel where its picture begins.

        Returns:
            Shape (n, n, 4), blue, green, red and how opaque; then x and y of its corner.
        """
        sheet = self._shrunk(face(card.face, self._deck) if is_face_up else back(self._deck))
        scale = CARD_MM[0] * self._px_per_mm / sheet.shape[1]
        side = 2 * math.ceil(math.hypot(*CARD_MM) / 2 * self._px_per_mm + 2)
        x_px, y_px = pose.x_mm * self._px_per_mm, pose.y_mm * self._px_per_mm
        left, top = round(x_px) - side // 2, round(y_px) - side // 2
        turn = math.radians(pose.turn_deg)
        cos, sin = math.cos(turn) * scale, math.sin(turn) * scale
        half_w, half_h = sheet.shape[1] / 2, sheet.shape[0] / 2
        across = np.array([[cos * narrow, -sin, 0.0], [sin * narrow, cos, 0.0]])
        across[:, 2] = np.array([x_px - left, y_px - top]) - across[:, :2] @ np.array(
            [half_w, half_h]
        )
        sprite = cv2.warpAffine(sheet, across, (side, side), flags=cv2.INTER_LINEAR)
        return pixels(sprite), left, top

    def _shrunk(self, sheet: Picture) -> Picture:
        """Return a card drawn as finely as a picture can show it, the same each time."""
        small = self._small.get(id(sheet))
        if small is None:
            share = min(1.0, 1.4 * self._px_per_mm / PX_PER_MM)
            small = pixels(
                cv2.resize(sheet, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
            )
            self._small[id(sheet)] = small
        return small

    # ------------------------------------------------------------ light
    def _cast_shade(self, picture: Picture, at_s: float) -> None:
        """Let the shadow of somebody who leans over glide along the rail, now and then."""
        share = (at_s % 23.0) / 6.0
        if share >= 1:
            return
        size = self._shade.shape[0]
        left = round(share * (self._size[0] + size)) - size
        _multiply(picture, self._shade, left, self._size[1] - size // 2)

    def _expose(self, picture: Picture, at_s: float) -> Picture:
        gain = 1 + 0.04 * math.sin(2 * math.pi * at_s / 17) + 0.015 * math.sin(at_s * 2.3)
        picture = pixels(cv2.convertScaleAbs(picture, alpha=gain))
        brighter, darker = self._noise[int(at_s * 1000) % _NOISE_TILES]
        cv2.add(picture, brighter, dst=picture)
        cv2.subtract(picture, darker, dst=picture)
        return picture


# ---------------------------------------------------------------- laying one picture on another
def _overlap(picture: Picture, shape: Sequence[int], left: int, top: int) -> tuple[slice, ...]:
    """Return rows and columns of a picture that another covers, and those of the other."""
    height, width = picture.shape[:2]
    y0, y1 = max(0, top), max(0, min(height, top + shape[0]))
    x0, x1 = max(0, left), max(0, min(width, left + shape[1]))
    return slice(y0, y1), slice(x0, x1), slice(y0 - top, y1 - top), slice(x0 - left, x1 - left)


def _lay_on(picture: Picture, sprite: Picture, left: int, top: int, *, shadow_px: int) -> None:
    opaque = cv2.GaussianBlur(sprite[..., 3], (0, 0), 1 + shadow_px / 2)
    dark: Picture = (255 - opaque * 0.4).astype(np.uint8)
    _multiply(picture, pixels(cv2.merge([dark] * 3)), left + shadow_px // 2, top + shadow_px)
    rows, columns, own_rows, own_columns = _overlap(picture, sprite.shape, left, top)
    spot, own = picture[rows, columns], sprite[own_rows, own_columns]
    if spot.size:
        amount = own[..., 3:].astype(np.uint16)
        spot[:] = (spot * (255 - amount) + own[..., :3] * amount + 127) // 255


def _multiply(picture: Picture, dark: Picture, left: int, top: int) -> None:
    rows, columns, own_rows, own_columns = _overlap(picture, dark.shape, left, top)
    spot = picture[rows, columns]
    if spot.size:
        spot[:] = cv2.multiply(
            spot, np.ascontiguousarray(dark[own_rows, own_columns]), scale=1 / 255
        )


def _smear(sprites: Sequence[tuple[Picture, int, int]]) -> tuple[Picture, int, int]:
    """Return several sprites as one that is each of them for a part of the time."""
    left, top = min(s[1] for s in sprites), min(s[2] for s in sprites)
    side = sprites[0][0].shape[0]
    width = max(s[1] for s in sprites) - left + side
    height = max(s[2] for s in sprites) - top + side
    total = np.zeros((height, width, 4), np.float32)
    for sprite, x, y in sprites:
        part = sprite.astype(np.float32)
        part[..., :3] *= part[..., 3:]
        total[y - top : y - top + side, x - left : x - left + side] += part
    total[..., :3] /= np.maximum(total[..., 3:], 1)
    total[..., 3] /= len(sprites)
    return total.astype(np.uint8), left, top


# ---------------------------------------------------------------- the table
def _paint_cloth(
    size_wh_px: tuple[int, int], px_per_mm: float, rng: np.random.Generator
) -> Picture:
    """Paint felt with the lines that are printed on it, a shoe, chips and a button."""
    width, height = size_wh_px
    weave = rng.normal(0, 5, (height, width, 1))
    patches = cv2.resize(
        rng.normal(0, 5, (9, 16)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )
    cloth: Picture = np.clip(np.array(_FELT) + weave + patches[..., None], 0, 255).astype(np.uint8)
    for place in SPOTS:
        ink = (120, 150, 110) if place not in (SHOE, PACK, RACK) else (40, 60, 30)
        corners = np.rint(np.array(outline(place)) * px_per_mm).astype(np.int32)
        cv2.polylines(cloth, [corners], isClosed=True, color=ink, thickness=2, lineType=cv2.LINE_AA)
    _paint_shoe(cloth, px_per_mm)
    for place in sorted(HANDS):
        _paint_chips(cloth, SPOTS[place].x_mm + 190, SPOTS[place].y_mm - 20, px_per_mm, rng)
    button = (round(335 * px_per_mm), round(480 * px_per_mm))
    cv2.circle(cloth, button, round(24 * px_per_mm), (235, 240, 240), -1, cv2.LINE_AA)
    cv2.circle(cloth, button, round(20 * px_per_mm), (90, 90, 90), 1, cv2.LINE_AA)
    return cloth


def _paint_shoe(cloth: Picture, px_per_mm: float) -> None:
    x_mm, y_mm = SPOTS[SHOE].x_mm, SPOTS[SHOE].y_mm
    corners = [(x_mm - 45, y_mm + 60), (x_mm + 45, y_mm + 60), (x_mm + 45, y_mm + 150),
               (x_mm - 45, y_mm + 150)]  # fmt: skip
    cv2.fillPoly(cloth, [np.rint(np.array(corners) * px_per_mm).astype(np.int32)], (34, 34, 38))


def _paint_chips(
    cloth: Picture, x_mm: float, y_mm: float, px_per_mm: float, rng: np.random.Generator
) -> None:
    for _ in range(3):
        middle = (
            round((x_mm + rng.uniform(-18, 18)) * px_per_mm),
            round((y_mm + rng.uniform(-12, 12)) * px_per_mm),
        )
        ink = [(40, 40, 190), (160, 80, 30), (60, 60, 60), (70, 140, 40)][rng.integers(4)]
        radius = round(19.5 * px_per_mm)
        cv2.circle(cloth, middle, radius, ink, -1, cv2.LINE_AA)
        for start in range(0, 360, 60):
            cv2.ellipse(
                cloth, middle, (radius - 3, radius - 3), 0, start, start + 22, (230, 230, 230), 5
            )
        cv2.circle(cloth, middle, round(radius * 0.62), ink, -1, cv2.LINE_AA)


def _lamp(size_wh_px: tuple[int, int]) -> Picture:
    """Return how bright the lamp makes each spot: less towards the corners."""
    width, height = size_wh_px
    x = np.linspace(-1, 1, width)[None, :]
    y = np.linspace(-1, 1, height)[:, None]
    bright = 255 * (1 - 0.16 * (x**2 + y**2) / 2 - 0.04 * x)
    return pixels(cv2.merge([np.clip(bright, 0, 255).astype(np.uint8)] * 3))


def _shade(size_px: int) -> Picture:
    """Return a soft round shadow."""
    span = np.linspace(-1, 1, size_px)
    away: NDArray[np.float64] = np.hypot(span[None, :], span[:, None])
    dark = 255 * (1 - 0.45 * np.clip(1 - away, 0, 0.6) / 0.6)
    return pixels(cv2.merge([dark.astype(np.uint8)] * 3))


def _noise(size_wh_px: tuple[int, int], rng: np.random.Generator) -> tuple[Picture, Picture]:
    """Return what a sensor's noise adds and what it takes away."""
    width, height = size_wh_px
    noise = np.rint(rng.normal(0, 2.0, (height, width, 3)))
    return np.clip(noise, 0, 30).astype(np.uint8), np.clip(-noise, 0, 30).astype(np.uint8)


# ---------------------------------------------------------------- people
def _paint_hand(picture: Picture, hand: Hand, px_per_mm: float) -> None:
    """Paint an arm whose fingers lie on a card, or that is on its way back."""
    tip = np.array([hand.over.x_mm, hand.over.y_mm])
    shoulder = np.array(hand.shoulder)
    tip = shoulder + (tip - shoulder) * max(hand.reach, 0.05)
    towards = (tip - shoulder) / max(1.0, float(np.hypot(*(tip - shoulder))))
    aside = np.array([-towards[1], towards[0]])
    knuckles, wrist = tip - towards * 62, tip - towards * 130
    cuff = tip - towards * 210

    def px(at_mm: NDArray[np.float64]) -> tuple[int, int]:
        return round(float(at_mm[0]) * px_per_mm), round(float(at_mm[1]) * px_per_mm)

    def limb(
        one: NDArray[np.float64], other: NDArray[np.float64], mm: float, ink: tuple[int, ...]
    ) -> None:
        cv2.line(picture, px(one), px(other), ink, max(1, round(mm * px_per_mm)), cv2.LINE_AA)

    limb(shoulder, cuff, 96, _SLEEVE)
    limb(cuff, wrist, 58, _SKIN)
    limb(wrist, knuckles - towards * 14, 76, _SKIN)
    for at, short in ((-27, 14), (-9, 0), (9, 3), (27, 16)):
        root, end = knuckles + aside * at * 0.8, tip - towards * short + aside * at * 0.8
        limb(root, end, 17, _SKIN)
        limb(end - towards * 5, end, 9, (150, 180, 225))
    limb(wrist + aside * 32, knuckles + aside * 46 + towards * 6, 19, _SKIN)
