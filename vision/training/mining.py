"""Scenes from the eye's own mistakes and from labelled photographs, to train on once more.

What the finder takes for an index and is none becomes a row that must not be read. Photographs are
those of a folder whose ``labels.csv`` names the one card of each; where its indices are, the eye
says itself, and only where it reads the card that the label names.
"""

import csv
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Indices, find, joined, without_twins
from vision.nets import Net
from vision.read import CARDS, halves_of, read
from vision.seen import Picture
from vision.training.samples import HIDDEN, UNKNOWN, Stored
from vision.training.scenes import HIGH, X, Y

_SIDES = (320, 480, 800)
_RANKS, _SUITS = "A23456789TJQK", "cdhs"


def _found(finder: Net, picture: Picture, least: float = 0.2) -> Indices:
    parts = [find(finder, picture, side, least).indices for side in _SIDES]
    return without_twins(joined(parts))


def _rows(indices: Indices, rank: int, suit: int, visible: float) -> NDArray[np.float32]:
    n = len(indices)
    rows = np.zeros((n, 11), np.float32)
    rows[:, 0:2], rows[:, 2:4], rows[:, 4], rows[:, 5] = (
        indices.at,
        indices.down,
        indices.high,
        indices.card_wide,
    )
    rows[:, 6:8], rows[:, 8], rows[:, 9], rows[:, 10] = indices.card_at, rank, suit, visible
    return rows


def with_mistakes(finder: Net, stored: Stored) -> Stored:
    """Return scenes in which the finder's false indices are rows that must not be read."""
    jpegs, truths, grounds = stored
    richer = []
    for jpeg, truth in zip(jpegs, truths, strict=True):
        picture = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
        found = _found(finder, picture)
        is_false = np.ones(len(found), bool)
        for row in truth:
            is_false &= np.hypot(*(found.at - row[[X, Y]]).T) > 0.5 * row[HIGH] + 4
        wrong = _rows(found.take(is_false), 0, 0, 0.0)
        richer.append(np.concatenate([truth.reshape(-1, 11), wrong]).astype(np.float32))
    return jpegs, richer, grounds


def photographs(finder: Net, reader: Net, folder: Path) -> Stored:
    """Return labelled photographs of one card each as scenes."""
    jpegs, truths, grounds = [], [], []
    for row in csv.DictReader((folder / "labels.csv").open(newline="")):
        picture = cv2.imread(str(folder / row["image"]))
        if picture is None:
            continue
        side = max(picture.shape[:2])
        square = np.full((side, side, 3), 127, np.uint8)
        square[: picture.shape[0], : picture.shape[1]] = picture
        card = CARDS.index(row["card"][0] + row["card"][1].lower())  # type: ignore[arg-type]
        halves = halves_of(square)
        again = read(reader, halves, read(reader, halves, _found(finder, square)).indices)
        right = again.odds[:, card] > 0.3
        none = again.odds.sum(1) < 0.05
        good = _rows(
            again.indices.take(right),
            _RANKS.index(row["card"][0]),
            _SUITS.index(row["card"][1].lower()),
            1.0,
        )
        wrong = _rows(again.indices.take(none), 0, 0, HIDDEN / 2)
        jpegs.append(cv2.imencode(".jpg", square, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])
        truths.append(np.concatenate([good, wrong]))
        grounds.append(np.full((side // 8, side // 8), UNKNOWN, np.uint8))
    return jpegs, truths, grounds
