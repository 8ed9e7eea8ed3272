"""Made-up scenes of cards, with the truth about each: what a network is shown.

A scene is drawn from a number alone, so a set of scenes can be made again to the last pixel.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import surfaces
from vision.training.faces import Deck

SIZE = 448
"""Rows and columns of a scene, in pixels."""

GROUND, FACE, BACK = 0, 1, 2
JOKER_SHARE = 0.34
"""Height of a joker's upright word, as a share of the card's."""

# Columns of the truth about an index.
X, Y, COS, SIN, HIGH, WIDE, CENTRE_X, CENTRE_Y, RANK, SUIT, VISIBLE = range(11)

Rng = np.random.Generator


@dataclass(frozen=True)
class Stock:
    """What scenes are made of."""

    decks: Sequence[Deck]
    backs: Sequence[NDArray[np.uint8]]
    photos: Sequence[NDArray[np.uint8]]
    glyphs: Sequence[NDArray[np.float32]]
    back_share: float | None = None
    """How many of the cards lie face down; None for mostly none."""
    chip_share: float = 0.2
    """In how many of the scenes chips lie, too."""


@dataclass(frozen=True)
class Scene:
    """A picture and the truth about it."""

    picture: NDArray[np.uint8]
    """Shape (SIZE, SIZE, 3)."""
    indices: NDArray[np.float32]
    """One row an index, columns as named above: centre, direction of its upright, its height, the
    card's width and centre in pixels; rank 0 to 12 or 13 for a joker, suit 0 to 3; the share of
    the index that is in view."""
    ground: NDArray[np.uint8]
    """Shape (SIZE / 8, SIZE / 8): GROUND, FACE or BACK."""


@dataclass(frozen=True)
class _Lying:
    """A card in the scene: `deck.faces[face]`, or the back for -1."""

    deck: Deck
    face: int
    centre: NDArray[np.float64]
    width: float
    turn: float


def _scattered(rng: Rng, n: int, width: float) -> list[tuple[float, float, float]]:
    base = rng.uniform(0, 2 * np.pi)
    free = rng.random() < 0.6
    places: list[tuple[float, float, float]] = []
    apart = width * rng.choice([0.5, 1.1, 1.3])
    for _ in range(n * 4):
        x, y = rng.uniform(-0.05 * SIZE, 1.05 * SIZE, 2)
        if all(np.hypot(x - a, y - b) > apart for a, b, _ in places):
            turn = rng.uniform(0, 2 * np.pi) if free else base + rng.normal(0, 0.15)
            places.append((x, y, turn))
        if len(places) == n:
            break
    return places


def _row(rng: Rng, n: int, width: float) -> list[tuple[float, float, float]]:
    turn = rng.uniform(0, 2 * np.pi)
    step = width * rng.uniform(0.35, 1.25)
    along = np.array([np.cos(turn), np.sin(turn)])
    first = rng.uniform(0.2, 0.8, 2) * SIZE - along * step * (n - 1) / 2
    jitter = rng.normal(0, 0.04, (n, 3))
    return [
        (*(first + along * step * at + jitter[at, :2] * width), turn + jitter[at, 2])
        for at in range(n)
    ]


def _fan(rng: Rng, n: int, width: float) -> list[tuple[float, float, float]]:
    pivot = rng.uniform(0.2, 0.8, 2) * SIZE
    radius = width * rng.uniform(0.6, 2.4)
    step = rng.uniform(0.11, 0.3) * width / (radius + 0.7 * width)
    start = rng.uniform(0, 2 * np.pi) - step * n / 2
    places = []
    for at in range(n):
        turn = start + step * at + rng.normal(0, 0.1) * step
        up = np.array([np.sin(turn), -np.cos(turn)])
        x, y = pivot + up * (radius + rng.normal(0, 0.02) * width)
        places.append((x, y, turn))
    return places if rng.random() < 0.85 else places[::-1]


def _pairs(rng: Rng, n: int, width: float) -> list[tuple[float, float, float]]:
    places = []
    for x, y, turn in _scattered(rng, (n + 1) // 2, 1.6 * width):
        across, down = rng.uniform(0.15, 0.7) * width, rng.uniform(-0.35, 0.35) * width
        c, s = np.cos(turn), np.sin(turn)
        places.append((x, y, turn))
        places.append(
            (x + c * across - s * down, y + s * across + c * down, turn + rng.normal(0, 0.2))
        )
    return places


def _lay(rng: Rng, stock: Stock) -> list[_Lying]:
    """Return cards as they may lie, the lowest first."""
    width = float(np.exp(rng.uniform(np.log(40), np.log(250))))
    room = max(1, int((SIZE / width) ** 2 * 0.55))
    kind = rng.random()
    if kind < 0.33:
        places = _scattered(rng, int(rng.integers(1, min(room, 14) + 1)), width)
    elif kind < 0.5:
        places = _row(rng, int(rng.integers(2, 8)), width)
    elif kind < 0.7:
        places = _pairs(rng, int(rng.integers(2, min(room, 10) + 2)), width)
    else:
        places = [
            p for _ in range(1 + (width < 80)) for p in _fan(rng, int(rng.integers(3, 14)), width)
        ]
    deck = stock.decks[int(rng.integers(len(stock.decks)))]
    share = rng.choice([0, 0.15, 0.5, 1.0], p=[0.7, 0.17, 0.08, 0.05])
    share = share if stock.back_share is None else stock.back_share
    known = [at for at in range(54) if deck.faces[at].any()]
    cards = []
    for x, y, turn in places:
        face = -1 if rng.random() < share else int(rng.choice(known))
        cards.append(_Lying(deck, face, np.array([x, y]), width * rng.uniform(0.97, 1.03), turn))
    return cards


def _tilt(rng: Rng) -> NDArray[np.float64]:
    """Return the homography of a camera that looks at the table from some side."""
    corners = np.array([[0, 0], [SIZE, 0], [SIZE, SIZE], [0, SIZE]], np.float32)
    if rng.random() < 0.35:
        return np.eye(3)
    squeeze = np.array([rng.uniform(0.6, 1) if rng.random() < 0.5 else rng.uniform(0.85, 1), 1.0])
    middle = SIZE / 2
    turn = rng.uniform(0, np.pi)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved = ((corners - middle) @ spin * squeeze) @ spin.T + middle
    moved += rng.uniform(-0.05, 0.05, (4, 2)) * SIZE
    return cv2.getPerspectiveTransform(corners, moved.astype(np.float32))


def _outline(height: int, width: int) -> NDArray[np.float32]:
    """Return where a card with round corners is."""
    mask = np.zeros((height, width), np.uint8)
    r = max(2, round(0.05 * width))
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x in (r, width - 1 - r):
        for y in (r, height - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1)
    return mask.astype(np.float32) / 255


def _put(
    rng: Rng,
    picture: NDArray[np.uint8],
    owner: NDArray[np.int16],
    by: int,
    texture: NDArray[np.uint8],
    to_scene: NDArray[np.float64],
) -> None:
    """Paint a card; `owner` learns whose pixels are its."""
    height, width = texture.shape[:2]
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float32)
    quad = cv2.perspectiveTransform(corners, to_scene)[0]
    x0, y0 = np.floor(quad.min(0)).astype(int) - 3
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 4
    x0, y0, x1, y1 = max(0, x0), max(0, y0), min(SIZE, x1), min(SIZE, y1)
    if x1 - x0 < 3 or y1 - y0 < 3:
        return
    scale = np.sqrt(cv2.contourArea(quad) / (height * width))
    outline = _outline(height, width)
    while scale < 0.6:
        texture = cv2.resize(texture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        outline = cv2.resize(
            outline, (texture.shape[1], texture.shape[0]), interpolation=cv2.INTER_AREA
        )
        to_scene = to_scene @ np.diag([width / texture.shape[1], height / texture.shape[0], 1])
        height, width = texture.shape[:2]
        scale *= 2
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]], float)
    size = (int(x1 - x0), int(y1 - y0))
    printed = cv2.warpPerspective(
        texture, shift @ to_scene, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    mask = cv2.warpPerspective(outline, shift @ to_scene, size, flags=cv2.INTER_LINEAR)
    view = picture[y0:y1, x0:x1].astype(np.float32)
    if rng.random() < 0.7:
        dark = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.8, 3)) * rng.uniform(0.1, 0.5)
        view *= 1 - dark[..., None]
    tone = rng.uniform(0.86, 1.02)
    lift = rng.uniform(0, 22)
    paint = (printed.astype(np.float32) * (1 - lift / 255) + lift) * tone
    m = mask[..., None]
    picture[y0:y1, x0:x1] = np.clip(view * (1 - m) + paint * m, 0, 255).astype(np.uint8)
    owner[y0:y1, x0:x1][mask > 0.5] = by


def _index_boxes(card: _Lying) -> list[tuple[float, float, float, float, bool]]:
    """Return the index boxes of a face, in pixels of its texture, and whether they are turned."""
    height, width = card.deck.faces.shape[1:3]
    x, y, w, h = card.deck.index_xywh
    if card.face >= 52:
        h = JOKER_SHARE
    box = (x * width, y * height, w * width, h * height)
    boxes = [(*box, False), (width - box[0] - box[2], height - box[1] - box[3], *box[2:], True)]
    if card.deck.name.startswith("drawn4") and card.face < 52:
        boxes.append((width - box[0] - box[2], box[1], *box[2:], False))
        boxes.append((box[0], height - box[1] - box[3], *box[2:], True))
    return boxes


def _row_of(
    card: _Lying,
    box: tuple[float, float, float, float, bool],
    to_scene: NDArray[np.float64],
    owner: NDArray[np.int16],
    by: int,
) -> NDArray[np.float32]:
    x, y, w, h, is_turned = box
    height, width = card.deck.faces.shape[1:3]
    sign = -1 if is_turned else 1
    middle = (x + w / 2, y + h / 2)
    ends = [(middle[0], middle[1] - sign * h / 2), (middle[0], middle[1] + sign * h / 2)]
    sides = [(0, height / 2), (width, height / 2)]
    points = np.array([[middle, *ends, *sides, (width / 2, height / 2)]], np.float32)
    at, top, bottom, left, right, centre = cv2.perspectiveTransform(points, to_scene)[0]
    down = bottom - top
    high = float(np.hypot(*down))
    grid = np.stack(np.meshgrid(np.linspace(x, x + w, 7), np.linspace(y, y + h, 11)), -1)
    spots = (
        cv2.perspectiveTransform(grid.reshape(1, -1, 2).astype(np.float32), to_scene)[0]
        .round()
        .astype(int)
    )
    inside = ((spots >= 0) & (spots < SIZE)).all(1)
    seen = np.zeros(len(spots), bool)
    seen[inside] = owner[spots[inside, 1], spots[inside, 0]] == by
    rank, suit = (13, card.face - 52) if card.face >= 52 else (card.face % 13, card.face // 13)
    return np.array(
        [
            *at,
            down[0] / high,
            down[1] / high,
            high,
            np.hypot(*(right - left)),
            *centre,
            rank,
            suit,
            seen.mean(),
        ],
        np.float32,
    )


def draw(seed: int, stock: Stock) -> Scene:
    """Return the scene of a number."""
    rng = np.random.default_rng(seed)
    picture = surfaces.ground(rng, SIZE, stock.photos)
    if rng.random() < 0.3:
        surfaces.lettering(rng, picture, stock.glyphs)
    owner = np.full((SIZE, SIZE), -1, np.int16)
    cards = _lay(rng, stock) if rng.random() > 0.05 else []
    tilt = _tilt(rng)
    back = stock.backs[int(rng.integers(len(stock.backs)))]
    placed = []
    for by, card in enumerate(cards):
        texture = back if card.face < 0 else card.deck.faces[card.face]
        scale = card.width / texture.shape[1]
        c, s = np.cos(card.turn) * scale, np.sin(card.turn) * scale
        middle = np.array([texture.shape[1] / 2, texture.shape[0] / 2])
        turn = np.array([[c, -s], [s, c]])
        lie = np.eye(3)
        lie[:2, :2], lie[:2, 2] = turn, card.centre - turn @ middle
        placed.append(tilt @ lie)
        _put(rng, picture, owner, by, texture, placed[-1])
    over = len(cards)
    if rng.random() < 0.25:
        surfaces.hand(rng, picture, owner, over)
    for _ in range(int(rng.integers(1, 8)) if rng.random() < stock.chip_share else 0):
        surfaces.chips(rng, picture, owner, over)
    rows = [
        _row_of(card, box, to_scene, owner, by)
        for by, (card, to_scene) in enumerate(zip(cards, placed, strict=True))
        if card.face >= 0
        for box in _index_boxes(card)
    ]
    kinds = np.array(
        [BACK if card.face < 0 else FACE for card in cards] + [GROUND, GROUND], np.uint8
    )
    picture = surfaces.lens(rng, surfaces.light(rng, picture))
    return Scene(
        picture,
        np.array(rows, np.float32).reshape(-1, 11),
        kinds[owner[4::8, 4::8]],
    )
