"""From scenes to what a network is shown in one step: views of a picture, crops of indices."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import read
from vision.training.network import RANKS, SUITS
from vision.training.scenes import (
    CENTRE_X,
    CENTRE_Y,
    COS,
    HIGH,
    RANK,
    SIN,
    SUIT,
    VISIBLE,
    WIDE,
    Rng,
    X,
    Y,
)

VIEW = 224
"""Rows and columns of what the finder is shown while it learns."""
CELLS = VIEW // 4
IN_VIEW, HIDDEN = 0.7, 0.35
"""From which share on an index should be found, and up to which it must not be."""
UNKNOWN = 255

Stored = tuple[list[NDArray[np.uint8]], list[NDArray[np.float32]], list[NDArray[np.uint8]]]


def shards(folder: Path, rng: Rng) -> Iterator[Stored]:
    """Yield the stored scenes, a few hundred at once, in an order by chance."""
    files = sorted(folder.glob("*.pkl"))
    for at in rng.permutation(len(files)):
        yield pickle.loads(files[at].read_bytes())  # noqa: S301 - our own file


# ---------------------------------------------------------------- the finder
def view(
    rng: Rng, jpeg: NDArray[np.uint8], truth: NDArray[np.float32], ground: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.uint8]]:
    """Return a part of a scene at a scale by chance, with its truth in the part's own pixels."""
    picture = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    scale = float(np.exp(rng.uniform(np.log(0.4), np.log(0.95))))
    side = max(round(picture.shape[0] * scale / 8) * 8, 8)
    scale = side / picture.shape[0]
    small = cv2.resize(
        picture,
        (side, side),
        interpolation=cv2.INTER_AREA if rng.random() < 0.8 else cv2.INTER_LINEAR,
    )
    kinds = cv2.resize(ground, (side // 4, side // 4), interpolation=cv2.INTER_NEAREST)
    truth = truth.copy()
    truth[:, [X, Y, HIGH, WIDE, CENTRE_X, CENTRE_Y]] *= scale
    shift = 4 * rng.integers(min(0, VIEW - side) // 4, max(0, VIEW - side) // 4 + 1, 2)
    canvas = np.full((VIEW, VIEW, 3), rng.integers(0, 256, 3), np.uint8)
    plan = np.full((CELLS, CELLS), UNKNOWN, np.uint8)
    _paste(canvas, small, shift)
    _paste(plan, kinds, shift // 4)
    truth[:, [X, CENTRE_X]] += shift[0]
    truth[:, [Y, CENTRE_Y]] += shift[1]
    return _turned(int(rng.integers(4)), canvas, truth, plan)


def _paste(canvas: NDArray[np.uint8], picture: NDArray[np.uint8], shift: NDArray[np.int64]) -> None:
    x, y = int(shift[0]), int(shift[1])
    side, wide = canvas.shape[0], picture.shape[0]
    part = picture[max(0, -y) : min(wide, side - y), max(0, -x) : min(wide, side - x)]
    canvas[max(0, y) : max(0, y) + part.shape[0], max(0, x) : max(0, x) + part.shape[1]] = part


def _turned(
    quarters: int, canvas: NDArray[np.uint8], truth: NDArray[np.float32], plan: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.uint8]]:
    """Turn a view by quarters, counter-clockwise."""
    for _ in range(quarters):
        canvas, plan = np.rot90(canvas), np.rot90(plan)
        truth = truth.copy()
        for x, y in ((X, Y), (CENTRE_X, CENTRE_Y)):
            truth[:, x], truth[:, y] = truth[:, y].copy(), VIEW - truth[:, x]
        truth[:, COS], truth[:, SIN] = truth[:, SIN].copy(), -truth[:, COS]
    return np.ascontiguousarray(canvas), truth, np.ascontiguousarray(plan)


def targets(
    truth: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return what the finder should say of a view.

    Returns:
        The heat, shape (CELLS, CELLS), -1 where nothing is asked; the other channels, shape
        (8, CELLS, CELLS); how much each cell's channels count.
    """
    heat = np.zeros((CELLS, CELLS), np.float32)
    rest = np.zeros((8, CELLS, CELLS), np.float32)
    weight = np.zeros((CELLS, CELLS), np.float32)
    unasked = np.zeros((CELLS, CELLS), bool)
    grid_y, grid_x = np.mgrid[:CELLS, :CELLS].astype(np.float32) * 4 + 2
    for row in truth:
        if row[VISIBLE] < HIDDEN:
            continue
        far = (grid_x - row[X]) ** 2 + (grid_y - row[Y]) ** 2
        if row[VISIBLE] < IN_VIEW or not 5 <= row[HIGH] <= 64:
            unasked |= far < (0.6 * row[HIGH] + 3) ** 2
            continue
        spread = max(2.2, 0.11 * row[HIGH])
        bell = np.exp(-far / (2 * spread**2))
        nearest = far == far.min()
        bell[nearest] = 1
        near = (bell > heat) & (bell > 0.3)
        heat = np.maximum(heat, bell)
        weight[near] = bell[near]
        values = (
            row[COS],
            row[SIN],
            np.log(row[HIGH]),
            np.log(row[WIDE]),
            row[X] - grid_x,
            row[Y] - grid_y,
            (row[CENTRE_X] - grid_x) / 16,
            (row[CENTRE_Y] - grid_y) / 16,
        )
        for channel, value in enumerate(values):
            rest[channel][near] = value[near] if isinstance(value, np.ndarray) else value
    heat[unasked & (heat < 0.3)] = -1
    return heat, rest, weight


# ---------------------------------------------------------------- the reader
Halves = list[NDArray[np.uint8]]


def _crop(halves: Halves, x: float, y: float, turn: float, high: float) -> NDArray[np.uint8]:
    """Return what the reader would be shown of an index whose upright points to `turn`."""
    at = np.array([x, y], np.float32)
    return read.crop(halves, at, np.array([np.cos(turn), np.sin(turn)], np.float32), high)


Sample = tuple[NDArray[np.uint8], int, int, tuple[float, float, float, float], bool]
"""Crop, rank, suit, how the index lies in it (right, down, log size, turn), whether that counts."""
NO_RANK, NO_SUIT = RANKS - 1, SUITS - 1


def crops(rng: Rng, picture: NDArray[np.uint8], truth: NDArray[np.float32]) -> Iterator[Sample]:
    """Yield crops of a scene: of its indices as a finder may give them, and of what is none."""
    halves = read.halves_of(picture, 4)
    for row in truth:
        if row[HIGH] < 9 or not (
            4 < row[X] < picture.shape[1] - 4 and 4 < row[Y] < picture.shape[0] - 4
        ):
            continue
        if row[VISIBLE] >= IN_VIEW:
            yield _jittered(rng, halves, row)
            if rng.random() < 0.25:
                yield _wrong(rng, halves, row)
        elif row[VISIBLE] < HIDDEN and rng.random() < 0.5:
            place = _crop(halves, row[X], row[Y], np.arctan2(row[SIN], row[COS]), row[HIGH])
            yield place, NO_RANK, NO_SUIT, (0, 0, 0, 0), False
    for _ in range(2):
        x, y = rng.uniform(0, picture.shape[0], 2)
        turn = rng.uniform(0, 2 * np.pi)
        high = float(np.exp(rng.uniform(np.log(12), np.log(60))))
        if (
            truth.size
            and (
                np.hypot(truth[:, X] - x, truth[:, Y] - y) < 0.6 * truth[:, HIGH] + 0.3 * high
            ).any()
        ):
            continue
        yield (
            _crop(halves, x, y, turn, high),
            NO_RANK,
            NO_SUIT,
            (0, 0, 0, 0),
            False,
        )


def _jittered(rng: Rng, halves: Halves, row: NDArray[np.float32]) -> Sample:
    rough = 2.2 if rng.random() < 0.25 else 1.0
    turn = float(np.clip(rng.normal(0, 0.09 * rough), -0.4, 0.4))
    size = float(np.clip(rng.normal(0, 0.11 * rough), -0.45, 0.45))
    right, down = np.clip(rng.normal(0, 0.07 * rough, 2), -0.3, 0.3)
    high = row[HIGH] * np.exp(size)
    angle = np.arctan2(row[SIN], row[COS]) + turn
    cos, sin = np.cos(angle), np.sin(angle)
    x = row[X] + high * (right * sin + down * cos)
    y = row[Y] + high * (-right * cos + down * sin)
    joker = row[RANK] == 13
    suit = NO_SUIT if joker else int(row[SUIT])
    # Seen from the crop, the index lies where the crop does not.
    lies = (-right / read.REACH, -down / read.REACH, -size, -turn)
    return _crop(halves, x, y, angle, high), int(row[RANK]), suit, lies, True


def _wrong(rng: Rng, halves: Halves, row: NDArray[np.float32]) -> Sample:
    """Return a crop that shows an index and must not be read: turned over, askew, beside it."""
    angle = np.arctan2(row[SIN], row[COS])
    kind = rng.random()
    x, y, high = row[X], row[Y], row[HIGH]
    if kind < 0.5:
        angle += np.pi + rng.normal(0, 0.12)
    elif kind < 0.7:
        angle += rng.choice([-1, 1]) * np.pi / 2 + rng.normal(0, 0.2)
    elif kind < 0.9:
        away = rng.uniform(0, 2 * np.pi)
        x, y = x + np.cos(away) * high * 0.8, y + np.sin(away) * high * 0.8
    else:
        high *= rng.choice([0.4, 2.3])
    return (
        _crop(halves, x, y, angle, high),
        NO_RANK,
        NO_SUIT,
        (0, 0, 0, 0),
        False,
    )
