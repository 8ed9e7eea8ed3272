"""Card faces drawn by chance: any letter, any pip, any size of index, two colours or four.

A network that has seen a hundred such decks reads one that it has never seen.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vision.training.faces import CODES, FACE_H, JOKERS, Deck

_PIPS = {"C": "\u2663", "D": "\u2666", "H": "\u2665", "S": "\u2660"}
# Columns and rows of the pips, as shares of the field between the indices.
_L, _M, _R = 0.0, 0.5, 1.0
_LAYOUT: dict[str, tuple[tuple[float, float], ...]] = {
    "A": ((_M, 0.5),),
    "2": ((_M, 0), (_M, 1)),
    "3": ((_M, 0), (_M, 0.5), (_M, 1)),
    "4": ((_L, 0), (_R, 0), (_L, 1), (_R, 1)),
    "5": ((_L, 0), (_R, 0), (_M, 0.5), (_L, 1), (_R, 1)),
    "6": ((_L, 0), (_R, 0), (_L, 0.5), (_R, 0.5), (_L, 1), (_R, 1)),
    "7": ((_L, 0), (_R, 0), (_M, 0.25), (_L, 0.5), (_R, 0.5), (_L, 1), (_R, 1)),
    "8": ((_L, 0), (_R, 0), (_M, 0.25), (_L, 0.5), (_R, 0.5), (_M, 0.75), (_L, 1), (_R, 1)),
    "9": (
        (_L, 0), (_R, 0), (_L, 1 / 3), (_R, 1 / 3), (_M, 0.5), (_L, 2 / 3), (_R, 2 / 3), (_L, 1),
        (_R, 1),
    ),
    "T": (
        (_L, 0), (_R, 0), (_M, 1 / 6), (_L, 1 / 3), (_R, 1 / 3), (_L, 2 / 3), (_R, 2 / 3),
        (_M, 5 / 6), (_L, 1), (_R, 1),
    ),
}  # fmt: skip

Colour = tuple[int, int, int]


def glyph(font: str, text: str, height: int, stretch: float = 1.0) -> NDArray[np.float32] | None:
    """Return the ink of a text, from 0 to 1, cut to its bounds and scaled to a height.

    Args:
        font: The file of the font.
        text: What to draw.
        height: Rows of the result.
        stretch: How much wider than the font draws it.
    """
    face = ImageFont.truetype(font, 160)
    box = face.getbbox(text)
    wide, high = int(box[2] - box[0]), int(box[3] - box[1])
    if wide < 8 or high < 8:
        return None
    canvas = Image.new("L", (wide + 4, high + 4))
    ImageDraw.Draw(canvas).text((2 - box[0], 2 - box[1]), text, font=face, fill=255)
    ink = np.asarray(canvas, np.float32) / 255
    width = max(2, round(ink.shape[1] * height / ink.shape[0] * stretch))
    return cv2.resize(ink, (width, height), interpolation=cv2.INTER_AREA)


class _Style:
    """What all cards of one deck have in common."""

    def __init__(self, rng: np.random.Generator, letters: str, pips: str) -> None:
        self.letters, self.pips = letters, pips
        self.width = round(FACE_H * rng.uniform(0.64, 0.73))
        jumbo = rng.random() < 0.35
        self.rank_h = round(
            FACE_H * (rng.uniform(0.13, 0.2) if jumbo else rng.uniform(0.085, 0.125))
        )
        self.suit_h = round(self.rank_h * rng.uniform(0.55, 0.95))
        self.gap = round(FACE_H * rng.uniform(0.006, 0.028))
        self.stretch = rng.uniform(0.6, 1.15)
        self.ten_stretch = self.stretch * rng.uniform(0.6, 0.85)
        self.top = round(FACE_H * rng.uniform(0.02, 0.055))
        self.centre_x = round(self.width * rng.uniform(0.085, 0.12) + (0.03 * self.width * jumbo))
        dark = int(rng.integers(0, 50))
        red: Colour = (
            int(rng.integers(0, 70)),
            int(rng.integers(0, 60)),
            int(rng.integers(150, 240)),
        )
        black: Colour = (dark, dark, dark)
        self.colours = {"C": black, "S": black, "D": red, "H": red}
        if rng.random() < 0.3:
            self.colours["C"] = (
                int(rng.integers(0, 80)),
                int(rng.integers(90, 160)),
                int(rng.integers(0, 60)),
            )
            self.colours["D"] = (
                (int(rng.integers(150, 240)), int(rng.integers(40, 120)), int(rng.integers(0, 60)))
                if rng.random() < 0.7
                else (20, int(rng.integers(110, 170)), int(rng.integers(200, 245)))
            )
        paper = rng.uniform(225, 255)
        self.paper = np.clip(paper - rng.uniform(0, 14, 3), 0, 255)
        self.has_frame = rng.random() < 0.3
        self.corners = 4 if rng.random() < 0.2 else 2
        self.ten = "10" if rng.random() < 0.92 else "T"


def _stamp(
    card: NDArray[np.float32], ink: NDArray[np.float32], x: float, y: float, colour: Colour
) -> None:
    """Print ink with its centre at (x, y); what lies outside is cut."""
    high, wide = ink.shape
    top, left = round(y - high / 2), round(x - wide / 2)
    y0, x0 = max(0, top), max(0, left)
    y1, x1 = min(card.shape[0], top + high), min(card.shape[1], left + wide)
    if y1 <= y0 or x1 <= x0:
        return
    part = ink[y0 - top : y1 - top, x0 - left : x1 - left, None]
    card[y0:y1, x0:x1] = card[y0:y1, x0:x1] * (1 - part) + np.array(colour, np.float32) * part


def _field(
    card: NDArray[np.float32],
    code: str,
    style: _Style,
    rng: np.random.Generator,
    art: NDArray[np.uint8] | None,
) -> None:
    height, width = card.shape[:2]
    x0 = 2 * style.centre_x + 0.06 * width
    colour = style.colours[code[1]]
    if code[0] in _LAYOUT:
        size = round(FACE_H * (0.3 if code[0] == "A" and rng.random() < 0.5 else 0.155))
        pip = glyph(style.pips, _PIPS[code[1]], size)
        if pip is None:
            return
        for column, row in _LAYOUT[code[0]]:
            x = x0 + size * 0.35 + column * (width - 2 * x0 - size * 0.7)
            y = 0.17 * height + row * 0.66 * height
            _stamp(card, pip if row <= 0.5 else pip[::-1], x, y, colour)
        return
    y0 = 0.09 * height
    box = (round(x0), round(y0), round(width - x0), round(height - y0))
    if art is not None and art.any():
        inner = art[
            round(0.08 * FACE_H) : round(0.92 * FACE_H),
            round(0.19 * art.shape[1]) : round(0.81 * art.shape[1]),
        ]
        size = (box[2] - box[0], box[3] - box[1])
        card[box[1] : box[3], box[0] : box[2]] = cv2.resize(
            inner, size, interpolation=cv2.INTER_AREA
        )
    cv2.rectangle(card, box[:2], box[2:], colour, 2)


def draw_deck(seed: int, letters: str, pips: str, courts: Sequence[Deck]) -> Deck | None:
    """Return a deck in letters of one font and pips of another.

    Args:
        seed: What chance follows.
        letters: The font file of the ranks.
        pips: The font file of the suits.
        courts: Decks whose court pictures may be taken.

    Returns:
        The deck; None where a font lacks a letter.
    """
    rng = np.random.default_rng(seed)
    style = _Style(rng, letters, pips)
    art = courts[int(rng.integers(len(courts)))] if courts else None
    stack = np.zeros((54, FACE_H, style.width, 3), np.uint8)
    high = style.rank_h + style.gap + style.suit_h
    wide = 0.0
    for at, code in enumerate(CODES):
        card = np.empty((FACE_H, style.width, 3), np.float32)
        card[:] = style.paper
        if style.has_frame and code[0] in "JQK":
            cv2.rectangle(card, (6, 6), (style.width - 7, FACE_H - 7), (90, 90, 90), 1)
        _field(card, code, style, rng, art.faces[at] if art else None)
        is_ten = code[0] == "T"
        rank = glyph(
            letters,
            style.ten if is_ten else code[0],
            style.rank_h,
            style.ten_stretch if is_ten else style.stretch,
        )
        suit = glyph(pips, _PIPS[code[1]], style.suit_h)
        if rank is None or suit is None:
            return None
        if rank.shape[1] > 1.9 * style.centre_x:
            rank = cv2.resize(
                rank, (int(1.9 * style.centre_x), style.rank_h), interpolation=cv2.INTER_AREA
            )
        if suit.shape[1] > 1.9 * style.centre_x:
            suit = cv2.resize(
                suit, (int(1.9 * style.centre_x), style.suit_h), interpolation=cv2.INTER_AREA
            )
        wide = max(wide, rank.shape[1], suit.shape[1])
        _index(card, rank, suit, style, style.colours[code[1]])
        stack[at] = card.astype(np.uint8)
    for at, code in enumerate(JOKERS, start=52):
        joker = _joker(style, code, rng, art)
        if joker is not None:
            stack[at] = joker
    box = (style.centre_x - wide / 2, float(style.top), wide, float(high))
    index = (box[0] / style.width, box[1] / FACE_H, box[2] / style.width, box[3] / FACE_H)
    name = f"drawn{style.corners}-{seed}"
    return Deck(name, stack, index)


def _index(
    card: NDArray[np.float32],
    rank: NDArray[np.float32],
    suit: NDArray[np.float32],
    style: _Style,
    colour: Colour,
) -> None:
    """Print an index into two corners or all four, the lower ones upside down."""
    for flip in (False, True):
        view = card[::-1, ::-1] if flip else card
        for x in (style.centre_x, style.width - style.centre_x)[: style.corners // 2]:
            _stamp(view, rank, x, style.top + style.rank_h / 2, colour)
            _stamp(view, suit, x, style.top + style.rank_h + style.gap + style.suit_h / 2, colour)


def _joker(
    style: _Style, code: str, rng: np.random.Generator, art: Deck | None
) -> NDArray[np.uint8] | None:
    card = np.empty((FACE_H, style.width, 3), np.float32)
    card[:] = style.paper
    colour = style.colours["S" if code == "XB" else "H"]
    if art is not None:
        _field(
            card, "K" + ("S" if code == "XB" else "H"), style, rng, art.faces[52 + (code == "XR")]
        )
    letter_h = max(8, round(style.rank_h * 0.5))
    for view in (card, card[::-1, ::-1]):
        for at, letter in enumerate("JOKER"):
            ink = glyph(style.letters, letter, letter_h, style.stretch)
            if ink is None:
                return None
            _stamp(view, ink, style.centre_x, style.top + letter_h * (0.5 + 1.1 * at), colour)
    return card.astype(np.uint8)
