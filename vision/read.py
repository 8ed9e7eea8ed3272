"""Reads crops of corner indices: rank, suit, how sure; and where the index really lies."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER, Card
from vision.detect import Indices
from vision.nets import Net
from vision.seen import Picture

CROP_H, CROP_W = 48, 32
REACH = 1.5
"""Height of a crop, in heights of the index."""

RANKS = "A23456789TJQK"
SUITS = "cdhs"
_JOKER, _NO_RANK, _NO_SUIT = 13, 14, 4
_RANK, _SUIT, _LIES = slice(0, 15), slice(15, 20), slice(20, 24)

CARDS: tuple[Card, ...] = (*(Card(r + s) for r in RANKS for s in SUITS), JOKER)
"""The order of what is read: rank by rank, the joker last."""

_MOST_AT_ONCE = 64
_COARSE = 1.6
"""More pixels of the picture to one of the crop, and the crop is cut from the halved picture."""


@dataclass(frozen=True)
class Readings:
    """What was read of indices, one row of each array an index."""

    indices: Indices
    """Where they lie, as the reader has it."""
    odds: NDArray[np.float32]
    """Shape (n, 53): the probability of each of `CARDS`; the rest is that of no index."""

    def best(self) -> NDArray[np.intp]:
        """Return the likeliest card of each, as a row of `CARDS`."""
        return np.asarray(self.odds.argmax(1), np.intp)

    def confidence(self) -> NDArray[np.float32]:
        """Return the probability of the likeliest card of each."""
        return np.asarray(self.odds.max(1), np.float32)


def halves_of(picture: Picture, most: int = 5) -> list[Picture]:
    """Return a picture, and itself halved again and again, for crops without false detail."""
    halves = [picture]
    while len(halves) < most and min(halves[-1].shape[:2]) >= 64:
        size = (halves[-1].shape[1] // 2, halves[-1].shape[0] // 2)
        half = cv2.resize(halves[-1], size, interpolation=cv2.INTER_AREA)
        halves.append(np.asarray(half, np.uint8))
    return halves


def crop(
    halves: list[Picture], at: NDArray[np.float32], down: NDArray[np.float32], high: float
) -> Picture:
    """Return the upright crop around an index, shape (48, 32, 3).

    Args:
        halves: The picture as `halves_of` gives it.
        at: The middle of the index, in pixels of the whole picture.
        down: Unit vector from its rank to its suit.
        high: Its height in pixels.
    """
    scale = REACH * high / CROP_H
    x, y = float(at[0]), float(at[1])
    level = 0
    while scale > _COARSE and level + 1 < len(halves):
        scale, x, y, level = scale / 2, (x + 0.5) / 2 - 0.5, (y + 0.5) / 2 - 0.5, level + 1
    c, s = float(down[0]) * scale, float(down[1]) * scale
    # A pixel of the crop to the right is (s, -c) in the picture, one down is (c, s).
    half_w, half_h = (CROP_W - 1) / 2, (CROP_H - 1) / 2
    matrix = np.array([[s, c, x - s * half_w - c * half_h], [-c, s, y + c * half_w - s * half_h]])
    cut = cv2.warpAffine(
        halves[level], matrix, (CROP_W, CROP_H),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.asarray(cut, np.uint8)


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True), np.float32)


def read(net: Net, halves: list[Picture], indices: Indices) -> Readings:
    """Read indices where they are thought to lie.

    Args:
        net: The reader.
        halves: The picture as `halves_of` gives it.
        indices: Where to look.

    Returns:
        What was read, and where the indices lie as seen from the crops.
    """
    if not len(indices):
        return Readings(indices, np.zeros((0, len(CARDS)), np.float32))
    places = zip(indices.at, indices.down, indices.high, strict=True)
    crops = [crop(halves, *place) for place in places]
    parts = [
        net.run(
            np.asarray(cv2.dnn.blobFromImages(crops[start : start + _MOST_AT_ONCE]), np.float32)
        )
        for start in range(0, len(crops), _MOST_AT_ONCE)
    ]
    said = np.concatenate(parts)
    rank, suit = _softmax(said[:, _RANK]), _softmax(said[:, _SUIT])
    faces = rank[:, :13, None] * suit[:, None, :4]
    joker = rank[:, _JOKER] * suit[:, _NO_SUIT]
    odds = np.concatenate([faces.reshape(len(said), 52), joker[:, None]], axis=1)
    return Readings(_moved(indices, said[:, _LIES]), odds)


def _moved(indices: Indices, lies: NDArray[np.float32]) -> Indices:
    """Return the indices where the reader has them: right, down, log size, turn."""
    right, down, size, turn = np.clip(lies, -0.35, 0.35).T
    across = np.stack([indices.down[:, 1], -indices.down[:, 0]], 1)
    step = REACH * indices.high[:, None]
    at = indices.at + step * (right[:, None] * across + down[:, None] * indices.down)
    cos, sin = np.cos(turn), np.sin(turn)
    turned = np.stack(
        [
            indices.down[:, 0] * cos - indices.down[:, 1] * sin,
            indices.down[:, 0] * sin + indices.down[:, 1] * cos,
        ],
        axis=1,
    )
    return Indices(
        indices.heat, at, turned, indices.high * np.exp(size), indices.card_wide, indices.card_at
    )
