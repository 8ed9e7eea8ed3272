"""What lies under, over and between the cards of a made-up scene: cloth, hands, chips, backs."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Rng = np.random.Generator


def clouds(
    rng: Rng, size: int, octaves: int = 4, stretch: tuple[float, float] = (1, 1)
) -> NDArray[np.float32]:
    """Return smooth noise around 0 with deviation about 1, shape (size, size)."""
    total = np.zeros((size, size), np.float32)
    for octave in range(octaves):
        cells = 2 ** (octave + 2)
        shape = (max(2, int(cells * stretch[1])), max(2, int(cells * stretch[0])))
        noise = rng.standard_normal(shape).astype(np.float32)
        total += cv2.resize(noise, (size, size), interpolation=cv2.INTER_CUBIC) * 0.6**octave
    return total / (total.std() + 1e-6)


def felt(rng: Rng, size: int) -> Picture:
    """Return cloth of one colour, with fibre and folds."""
    hue = rng.choice([60, 60, 65, 110, 0, 175, 20, 130, int(rng.integers(180))])
    hsv = np.array([[[hue, rng.integers(20, 240), rng.integers(25, 210)]]], np.uint8)
    colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    light = (
        1
        + clouds(rng, size, 2) * rng.uniform(0, 0.12)
        + rng.standard_normal((size, size)) * rng.uniform(0, 0.09)
    )
    return np.clip(colour * light[..., None], 0, 255).astype(np.uint8)


def wood(rng: Rng, size: int) -> Picture:
    """Return boards with a grain."""
    base = np.array([rng.uniform(30, 140), rng.uniform(60, 180), rng.uniform(90, 225)], np.float32)
    grain = clouds(rng, size, 5, (0.5, 12)) * rng.uniform(0.03, 0.15)
    board = int(rng.integers(30, 160))
    steps = np.repeat(rng.normal(0, rng.uniform(0, 0.12), size // board + 2), board)[:size]
    picture = base * (1 + grain + steps[:, None])[..., None]
    picture = np.clip(picture, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.rot90(picture) if rng.random() < 0.5 else picture)


def photo(rng: Rng, size: int, photos: Sequence[Picture]) -> Picture:
    """Return a part of a real picture, turned and scaled by chance."""
    source = photos[int(rng.integers(len(photos)))]
    side = int(min(source.shape[:2]) * rng.uniform(0.25, 1))
    y = int(rng.integers(source.shape[0] - side + 1))
    x = int(rng.integers(source.shape[1] - side + 1))
    part = cv2.resize(
        source[y : y + side, x : x + side], (size, size), interpolation=cv2.INTER_AREA
    )
    return np.ascontiguousarray(np.rot90(part, int(rng.integers(4))))


def ground(rng: Rng, size: int, photos: Sequence[Picture]) -> Picture:
    """Return something for cards to lie on."""
    kind = rng.random()
    if kind < 0.4:
        return felt(rng, size)
    if kind < 0.6:
        return wood(rng, size)
    if kind < 0.7:
        light = rng.uniform(120, 250)
        plain = light + clouds(rng, size, 3)[..., None] * rng.uniform(0, 12) + rng.normal(0, 6, 3)
        return np.clip(plain, 0, 255).astype(np.uint8)
    return photo(rng, size, photos)


def lettering(rng: Rng, picture: Picture, glyphs: Sequence[NDArray[np.float32]]) -> None:
    """Print letters and signs that are no index: on cloth, paper and labels."""
    size = picture.shape[0]
    if rng.random() < 0.5:
        a = rng.integers(0, size, 2)
        b = a + rng.integers(30, 200, 2)
        tone = int(rng.integers(190, 256))
        cv2.rectangle(picture, tuple(map(int, a)), tuple(map(int, b)), (tone, tone, tone), -1)
    for _ in range(int(rng.integers(3, 40))):
        ink = glyphs[int(rng.integers(len(glyphs)))]
        high = int(rng.integers(6, 40))
        ink = cv2.resize(
            ink,
            (max(3, int(ink.shape[1] * high / ink.shape[0])), high),
            interpolation=cv2.INTER_AREA,
        )
        ink = np.ascontiguousarray(np.rot90(ink, int(rng.integers(4))))
        y, x = (int(rng.integers(0, max(1, size - n))) for n in ink.shape)
        view = picture[y : y + ink.shape[0], x : x + ink.shape[1]]
        ink = ink[: view.shape[0], : view.shape[1], None]
        colour = rng.integers(0, 256, 3)
        view[:] = (view * (1 - ink) + colour * ink).astype(np.uint8)


def back(rng: Rng, high: int = 154, wide: int = 110) -> Picture:
    """Return the back of a card: a pattern in one or two colours, mostly with a white border."""
    hsv = np.array(
        [
            [
                [
                    rng.choice([0, 175, 110, 115, 60, int(rng.integers(180))]),
                    rng.integers(60, 255),
                    rng.integers(50, 230),
                ]
            ]
        ],
        np.uint8,
    )
    dark = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    light = (
        np.array([1.0, 1.0, 1.0]) * rng.uniform(170, 255)
        if rng.random() < 0.7
        else dark * rng.uniform(0.4, 0.8)
    )
    y, x = np.mgrid[:high, :wide].astype(np.float32)
    period = rng.uniform(4, 22)
    angle = rng.choice([0, np.pi / 4, np.pi / 4, rng.uniform(0, np.pi)])
    u = (x - wide / 2) * np.cos(angle) + (y - high / 2) * np.sin(angle)
    v = -(x - wide / 2) * np.sin(angle) + (y - high / 2) * np.cos(angle)
    kind = int(rng.integers(6))
    if kind == 0:
        wave = np.sin(2 * np.pi * u / period) * np.sin(2 * np.pi * v / period)
    elif kind == 1:
        wave = np.maximum(np.cos(2 * np.pi * u / period), np.cos(2 * np.pi * v / period)) - 0.6
    elif kind == 2:
        wave = np.cos(2 * np.pi * np.hypot(u, v) / period)
    elif kind == 3:
        wave = np.cos(2 * np.pi * u / period)
    elif kind == 4:
        wave = np.cos(2 * np.pi * np.hypot(u, v * 0.7) / period) + np.cos(
            int(rng.integers(4, 24)) * np.arctan2(v, u)
        )
    else:
        wave = np.full((high, wide), rng.choice([-1.0, 1.0]))
    share = np.clip(wave * 3 + rng.uniform(-1, 1), 0, 1)[..., None]
    card = dark * (1 - share) + light * share
    border = int(rng.choice([0, 4, 6, 8, 10])) * high // 154
    if border:
        white = rng.uniform(215, 255)
        card[:border] = card[-border:] = white
        card[:, :border] = card[:, -border:] = white
    return np.clip(card, 0, 255).astype(np.uint8)


def hand(rng: Rng, picture: Picture, owner: NDArray[np.int16], by: int) -> None:
    """Lay a hand or an arm over the scene."""
    size = picture.shape[0]
    tone = np.array(
        [[[int(rng.integers(5, 18)), int(rng.integers(50, 150)), int(rng.integers(70, 240))]]],
        np.uint8,
    )
    colour = cv2.cvtColor(tone, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    shape = np.zeros((size, size), np.uint8)
    palm = rng.uniform(0, size, 2)
    away = rng.uniform(0, 2 * np.pi)
    thick = rng.uniform(0.05, 0.13) * size
    arm = palm + np.array([np.cos(away), np.sin(away)]) * size
    cv2.line(shape, _at(palm), _at(arm), 255, int(thick * 1.6))
    for finger in range(int(rng.integers(2, 6))):
        turn = away + np.pi + (finger - 2) * rng.uniform(0.15, 0.35)
        tip = palm + np.array([np.cos(turn), np.sin(turn)]) * thick * rng.uniform(1.2, 2.6)
        cv2.line(shape, _at(palm), _at(tip), 255, max(2, int(thick * rng.uniform(0.35, 0.5))))
    soft = cv2.GaussianBlur(shape, (0, 0), rng.uniform(0.8, 3)).astype(np.float32)[..., None] / 255
    shade = cv2.GaussianBlur(shape, (0, 0), thick / 3).astype(np.float32)[..., None] / 255
    skin = colour * (0.55 + 0.5 * shade)
    picture[:] = np.clip(picture * (1 - soft) + skin * soft, 0, 255).astype(np.uint8)
    owner[shape > 127] = by


def chips(rng: Rng, picture: Picture, owner: NDArray[np.int16], by: int) -> None:
    """Lay a chip, a stack of chips or a heap of them."""
    size = picture.shape[0]
    radius = int(rng.uniform(0.02, 0.08) * size)
    heart = rng.uniform(0, size, 2)
    for _ in range(int(rng.choice([1, 1, 3, 4]))):
        x, y = (int(v) for v in heart + rng.uniform(-1.2, 1.2, 2) * radius)
        _stack(rng, picture, owner, by, (x, y, radius))


def _stack(
    rng: Rng, picture: Picture, owner: NDArray[np.int16], by: int, where: tuple[int, int, int]
) -> None:
    x, y, radius = where
    colour = tuple(int(v) for v in rng.integers(0, 256, 3))
    edge = (235, 235, 235) if rng.random() < 0.7 else tuple(int(v) for v in rng.integers(0, 256, 3))
    for level in range(int(rng.integers(1, 5))):
        centre = (x + level, y - level)
        cv2.circle(picture, centre, radius, colour, -1, cv2.LINE_AA)
        for part in range(6):
            start = part * 60 + int(rng.integers(10))
            axes = (radius - 2, radius - 2)
            cv2.ellipse(picture, centre, axes, 0, start, start + 24, edge, max(2, radius // 4))
        cv2.circle(picture, centre, radius // 2, edge, 1, cv2.LINE_AA)
        cv2.circle(owner, centre, radius, by, -1)


def _at(point: NDArray[np.float64]) -> tuple[int, int]:
    return (round(float(point[0])), round(float(point[1])))


def light(rng: Rng, picture: Picture) -> Picture:
    """Return the scene under another light: shadow, cast, glare, contrast."""
    size = picture.shape[0]
    gain = np.ones((size, size), np.float32)
    if rng.random() < 0.5:
        slope = rng.uniform(-0.35, 0.35, 2)
        y, x = np.mgrid[:size, :size].astype(np.float32) / size - 0.5
        gain *= 1 + slope[0] * x + slope[1] * y
    if rng.random() < 0.4:
        shadow = np.zeros((size, size), np.float32)
        corners = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * size
        cv2.fillConvexPoly(shadow, cv2.convexHull(corners.astype(np.int32)), 1.0)
        soft = float(rng.choice([1.5, 5, 20]))
        gain *= 1 - cv2.GaussianBlur(shadow, (0, 0), soft) * rng.uniform(0.2, 0.65)
    result = picture * (gain * rng.uniform(0.55, 1.15))[..., None] * (1 + rng.normal(0, 0.07, 3))
    if rng.random() < 0.2:
        spot = np.zeros((size, size), np.float32)
        cv2.ellipse(
            spot,
            _at(rng.uniform(0, size, 2)),
            _at(rng.uniform(0.03, 0.3, 2) * size),
            float(rng.uniform(0, 180)),
            0,
            360,
            1.0,
            -1,
        )
        result += cv2.GaussianBlur(spot, (0, 0), rng.uniform(4, 25))[..., None] * rng.uniform(
            30, 190
        )
    result = (result - 128) * rng.uniform(0.75, 1.2) + 128 + rng.uniform(-12, 18)
    return np.clip(result, 0, 255).astype(np.uint8)


def lens(rng: Rng, picture: Picture) -> Picture:
    """Return the scene as a camera has it: blur, noise, sharpening."""
    kind = rng.random()
    if kind < 0.5:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.5))
    elif kind < 0.6:
        length = int(rng.integers(3, 8))
        kernel = np.zeros((length, length), np.float32)
        turn = rng.uniform(0, np.pi)
        half = np.array([np.cos(turn), np.sin(turn)]) * length / 2
        middle = np.array([length / 2, length / 2])
        cv2.line(kernel, _at(middle - half), _at(middle + half), 1.0, 1)
        picture = cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1e-6))
    elif kind < 0.75:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.5)
        picture = cv2.addWeighted(picture, 1.6, soft, -0.6, 0)
    if rng.random() < 0.6:
        noise = rng.standard_normal(picture.shape, np.float32) * rng.uniform(1, 11)
        picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    return picture
