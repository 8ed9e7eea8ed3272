"""The faces and backs of the simulated packs, drawn from nothing but polygons and OpenCV's letters.

They are not those that the network was trained on: who reads them reads a deck he never saw.
"""

from functools import cache
from typing import Literal

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from engine.cards import JOKER, Card
from vision.seen import Picture

Ink = tuple[int, int, int]
"""Blue, green, red."""

PX_PER_MM = 8
"""How finely faces are drawn, before they are made as small as a camera sees them."""

CARD_MM = (63.0, 88.0)
"""Width and height of a poker card: 2.5 by 3.5 inches."""

_CORNER_MM = 3.2
_RED, _BLACK, _BLUE, _GREEN = (36, 28, 190), (24, 22, 20), (170, 70, 10), (40, 120, 20)
_YELLOW = (60, 190, 235)
_PAPER = (250, 252, 252)


class Deck(Struct, frozen=True, kw_only=True):
    """How the cards of a pack look."""

    letters: Literal["sans", "italic"] = "sans"
    weight: int = 700
    """Of the letters: 400 is regular, 700 bold."""
    is_jumbo: bool = False
    is_four_colour: bool = False
    back: Literal["red", "blue"] = "blue"

    def ink(self, suit: str) -> Ink:
        """Return the colour of a suit."""
        four = {"s": _BLACK, "h": _RED, "d": _BLUE, "c": _GREEN}
        two = {"s": _BLACK, "h": _RED, "d": _RED, "c": _BLACK}
        return (four if self.is_four_colour else two)[suit]


class _Index(Struct, frozen=True):
    """The measures of a corner index, in mm."""

    rank_mm: float
    suit_mm: float
    column_mm: float
    """The widest that a rank may be; a ten is squeezed into it."""
    middle_mm: float
    """From the card's edge to the middle of the column."""
    top_mm: float


_STANDARD = _Index(10.5, 8.5, 9.5, 7.0, 4.5)
_JUMBO = _Index(17.0, 12.0, 15.0, 10.5, 4.0)
_GAP_MM = 1.5

# Where the pips of a rank stand, as shares of the card: those of the upper half, which the lower
# half repeats upside down, and those that stand alone.
_L, _M, _R = 0.31, 0.5, 0.69
_CORNERS = ((_L, 0.2), (_R, 0.2))
_SIDES = ((_L, 0.5), (_R, 0.5))
_TALL = (*_CORNERS, (_L, 0.4), (_R, 0.4))
_PIPS: dict[str, tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]] = {
    "2": (((_M, 0.2),), ()),
    "3": (((_M, 0.2),), ((_M, 0.5),)),
    "4": (_CORNERS, ()),
    "5": (_CORNERS, ((_M, 0.5),)),
    "6": (_CORNERS, _SIDES),
    "7": (_CORNERS, (*_SIDES, (_M, 0.35))),
    "8": ((*_CORNERS, (_M, 0.35)), _SIDES),
    "9": (_TALL, ((_M, 0.5),)),
    "T": ((*_TALL, (_M, 0.3)), ()),
}


@cache
def face(card: Card, deck: Deck) -> Picture:
    """Return a card's face, upright.

    Returns:
        Shape (704, 504, 4): blue, green, red and how opaque it is; not to be written to.
    """
    sheet = _sheet()
    if card == JOKER:
        _draw_joker(sheet, deck)
    else:
        _draw_index(sheet, card, deck)
        if card[0] in "JQK":
            _draw_court(sheet, card, deck)
    if card[0] in _PIPS:
        _draw_pips(sheet, card, deck, _PIPS[card[0]][0])
    sheet = np.ascontiguousarray(np.minimum(sheet, sheet[::-1, ::-1]))
    if card[0] in _PIPS:
        _draw_pips(sheet, card, deck, _PIPS[card[0]][1])
    elif card[0] == "A":
        _stamp(sheet, _suit(card[1]), (31.5, 44.0), 22.0, deck.ink(card[1]))
    return _cut_out(sheet)


@cache
def back(deck: Deck) -> Picture:
    """Return the back of a deck, as ``face`` does: a lattice in a white border, and a rose."""
    colour: Ink = (40, 30, 165) if deck.back == "red" else (150, 60, 25)
    sheet = _sheet()
    _box(sheet, (4.0, 4.0), (59.0, 84.0), colour, -1)
    inner = _window(sheet, (4.0, 4.0), (59.0, 84.0))
    height, width = inner.shape[:2]
    for start in range(-height, width, 34):
        cv2.line(inner, (start, 0), (start + height, height), _PAPER, 6, cv2.LINE_AA)
        cv2.line(inner, (start + height, 0), (start, height), _PAPER, 6, cv2.LINE_AA)
    middle = (width // 2, height // 2)
    for radius, ink in ((120, _PAPER), (108, colour), (70, _PAPER), (58, colour), (20, _PAPER)):
        cv2.circle(inner, middle, radius, ink, -1, cv2.LINE_AA)
    _box(sheet, (4.0, 4.0), (59.0, 84.0), colour, 8)
    return _cut_out(sheet)


def pixels(array: ArrayLike) -> Picture:
    """Return what OpenCV made of a picture as the picture that it is; its types do not say so."""
    return np.asarray(array, np.uint8)


# ---------------------------------------------------------------- paper
def _px(mm: float) -> int:
    return round(mm * PX_PER_MM)


def _sheet() -> Picture:
    return np.full((_px(CARD_MM[1]), _px(CARD_MM[0]), 3), _PAPER, np.uint8)


def _box(
    sheet: Picture, one: tuple[float, float], other: tuple[float, float], ink: Ink, thickness: int
) -> None:
    corners = [(_px(x), _px(y)) for x, y in (one, other)]
    cv2.rectangle(sheet, corners[0], corners[1], ink, thickness, cv2.LINE_AA)


def _window(sheet: Picture, one: tuple[float, float], other: tuple[float, float]) -> Picture:
    """Return a part of a sheet to draw on; what is drawn is on the sheet."""
    return sheet[_px(one[1]) : _px(other[1]), _px(one[0]) : _px(other[0])]


def _cut_out(sheet: Picture) -> Picture:
    """Round the corners of a card."""
    height, width = sheet.shape[:2]
    radius = _px(_CORNER_MM)
    opaque = np.zeros((height, width), np.uint8)
    cv2.rectangle(opaque, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(opaque, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(opaque, (x, y), radius, 255, -1, cv2.LINE_AA)
    edge = cv2.subtract(opaque, cv2.erode(opaque, np.ones((5, 5), np.uint8)))
    sheet[edge > 0] = (205, 208, 208)
    card: Picture = np.dstack([sheet, opaque])
    card.setflags(write=False)
    return card


def _stamp(
    sheet: Picture,
    shape: Picture,
    middle_mm: tuple[float, float],
    height_mm: float,
    ink: Ink,
    most_mm: float = 99.0,
) -> None:
    """Print a shape, so high and not wider than it may be.

    Args:
        sheet: Is printed on.
        shape: How much ink goes where, from 0 to 255.
        middle_mm: Its middle.
        height_mm: Its height.
        ink: Its colour.
        most_mm: The widest that it may be.
    """
    high = _px(height_mm)
    wide = min(round(shape.shape[1] * high / shape.shape[0]), _px(most_mm))
    amount = cv2.resize(shape, (wide, high), interpolation=cv2.INTER_AREA)[..., None] / 255.0
    left, top = _px(middle_mm[0]) - wide // 2, _px(middle_mm[1]) - high // 2
    spot = sheet[top : top + high, left : left + wide]
    spot[:] = np.rint(spot * (1 - amount) + np.array(ink) * amount)


def _cropped(mask: Picture) -> Picture:
    x, y, width, height = cv2.boundingRect(mask)
    return mask[y : y + height, x : x + width]


# ---------------------------------------------------------------- shapes
@cache
def _glyph(text: str, letters: str, weight: int) -> Picture:
    """Return letters as a shape, cropped."""
    mask = np.zeros((420, 300 * len(text) + 200, 3), np.uint8)
    cv2.putText(mask, text, (60, 320), (255, 255, 255), cv2.FontFace(letters), 300, weight)
    return _cropped(np.ascontiguousarray(mask[..., 0]))


@cache
def _suit(suit: str) -> Picture:
    """Return a suit's sign as a shape, cropped."""
    mask = np.zeros((400, 400), np.uint8)
    if suit == "d":
        turns = np.linspace(0, 2 * np.pi, 200)
        x = 150 * np.sign(np.cos(turns)) * np.abs(np.cos(turns)) ** 2.3
        y = 195 * np.sign(np.sin(turns)) * np.abs(np.sin(turns)) ** 2.3
        _fill(mask, np.stack([200 + x, 200 + y], axis=1))
    elif suit == "c":
        for middle in ((200, 110), (110, 215), (290, 215)):
            cv2.circle(mask, middle, 82, 255, -1, cv2.LINE_AA)
        cv2.circle(mask, (200, 190), 45, 255, -1, cv2.LINE_AA)
        _draw_stem(mask)
    else:
        turns = np.linspace(0, 2 * np.pi, 300)
        x = 10.6 * 16 * np.sin(turns) ** 3
        y = 10.6 * (13 * np.cos(turns) - 5 * np.cos(2 * turns) - 2 * np.cos(3 * turns))
        y = y - 10.6 * np.cos(4 * turns)
        _fill(mask, np.stack([200 + x, (200 - y) if suit == "h" else (170 + y * 0.9)], axis=1))
        if suit == "s":
            _draw_stem(mask)
    return _cropped(mask)


def _fill(mask: Picture, points: NDArray[np.floating]) -> None:
    cv2.fillPoly(mask, [np.rint(points).astype(np.int32)], 255, cv2.LINE_AA)


def _draw_stem(mask: Picture) -> None:
    _fill(mask, np.array([(192, 200), (208, 200), (222, 330), (262, 362), (138, 362), (178, 330)]))


# ---------------------------------------------------------------- what is printed
def _draw_index(sheet: Picture, card: Card, deck: Deck) -> None:
    size = _JUMBO if deck.is_jumbo else _STANDARD
    rank, suit = ("10" if card[0] == "T" else card[0]), card[1]
    ink = deck.ink(suit)
    rank_at = (size.middle_mm, size.top_mm + size.rank_mm / 2)
    suit_at = (size.middle_mm, size.top_mm + size.rank_mm + _GAP_MM + size.suit_mm / 2)
    _stamp(
        sheet, _glyph(rank, deck.letters, deck.weight), rank_at, size.rank_mm, ink, size.column_mm
    )
    _stamp(sheet, _suit(suit), suit_at, size.suit_mm, ink)


def _draw_pips(
    sheet: Picture, card: Card, deck: Deck, places: tuple[tuple[float, float], ...]
) -> None:
    height_mm, closer = (9.0, 0.65) if deck.is_jumbo else (12.0, 1.0)
    for x, y in places:
        middle = ((0.5 + (x - 0.5) * closer) * CARD_MM[0], y * CARD_MM[1])
        _stamp(sheet, _suit(card[1]), middle, height_mm, deck.ink(card[1]))


def _draw_court(sheet: Picture, card: Card, deck: Deck) -> None:
    """Draw the upper half of a court card: a crowned bust in a frame, its suit beside it."""
    ink = deck.ink(card[1])
    frame = ((18.5, 9.0), (44.5, 79.0)) if deck.is_jumbo else ((14.5, 8.0), (48.5, 80.0))
    _box(sheet, *frame, (120, 60, 20), 3)
    upper = _window(sheet, frame[0], (frame[1][0], 44.0))
    height, width = upper.shape[:2]
    robe = np.array([(0, height), (width, height), (width * 0.85, height * 0.62),
                     (width * 0.62, height * 0.5), (width * 0.38, height * 0.5),
                     (width * 0.15, height * 0.62)], np.int32)  # fmt: skip
    cv2.fillPoly(upper, [robe], _RED if card[0] != "J" else _BLUE, cv2.LINE_AA)
    for start in range(0, width, 40):
        cv2.line(upper, (start, height), (start + 30, round(height * 0.66)), _YELLOW, 9)
    hair = {"K": (70, 90, 110), "Q": (70, 150, 200), "J": (40, 60, 90)}[card[0]]
    head = (width // 2, round(height * 0.36))
    cv2.ellipse(upper, head, (58, 62), 0, 0, 360, hair, -1, cv2.LINE_AA)
    cv2.ellipse(upper, head, (38, 48), 0, 0, 360, (190, 215, 245), -1, cv2.LINE_AA)
    for side in (-14, 14):
        cv2.circle(upper, (head[0] + side, head[1] - 8), 5, _BLACK, -1, cv2.LINE_AA)
    cv2.line(upper, (head[0] - 12, head[1] + 22), (head[0] + 12, head[1] + 22), _RED, 4)
    spikes = {"K": 5, "Q": 7, "J": 2}[card[0]]
    edge = np.linspace(head[0] - 52, head[0] + 52, 2 * spikes + 1)
    crown = [(x, head[1] - (95 if at % 2 else 58)) for at, x in enumerate(edge)]
    crown += [(head[0] + 52, head[1] - 36), (head[0] - 52, head[1] - 36)]
    cv2.fillPoly(upper, [np.array(crown, np.int32)], _YELLOW, cv2.LINE_AA)
    _stamp(sheet, _suit(card[1]), (frame[0][0] + 5.5, frame[0][1] + 7.5), 8.0, ink)


def _draw_joker(sheet: Picture, deck: Deck) -> None:
    for at, letter in enumerate("JOKER"):
        _stamp(
            sheet,
            _glyph(letter, deck.letters, deck.weight),
            (6.0, 7.5 + at * 6.0),
            4.8,
            _BLACK,
            5.0,
        )
    turns = np.linspace(0, 2 * np.pi, 11) + np.pi / 2
    reach = np.where(np.arange(11) % 2, 6.0, 14.0) * PX_PER_MM
    star = np.stack([31.5 * PX_PER_MM + reach * np.cos(turns),
                     44.0 * PX_PER_MM + reach * np.sin(turns)], axis=1)  # fmt: skip
    cv2.fillPoly(sheet, [np.rint(star).astype(np.int32)], (150, 40, 120), cv2.LINE_AA)
