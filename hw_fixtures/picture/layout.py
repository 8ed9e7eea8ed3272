"""Where things are on the simulated table, seen from above: places, and where their cards lie.

Millimetres from the top left corner of what the camera sees, x to the right and y down. The
dealer sits at the top; seats are counted clockwise from his left.
"""

import random
import zlib

from msgspec import Struct

from engine.cards import (
    BANKER,
    BOARD,
    BURN,
    DEALER,
    MUCK,
    PACK,
    PLAYER,
    RACK,
    SHOE,
    STUB,
    Place,
    Tag,
    seat_place,
)

VIEW_MM = (1324.0, 744.75)
"""What the camera sees: a small table, so that a card is 91 pixels wide at 1080 lines."""

FULL_HD = (1920, 1080)


class Pose(Struct, frozen=True):
    """Where a card lies: its middle, and how far it is turned clockwise."""

    x_mm: float
    y_mm: float
    turn_deg: float = 0.0


class Spot(Struct, frozen=True, kw_only=True):
    """A place: the middle of its first card, and how the others lie beside it."""

    x_mm: float
    y_mm: float
    step_mm: float = 0.0
    """From card to card; 0 for a pile."""
    row: int = 1
    """Cards of a row; the next row lies over it, so much lower that every index shows."""
    width_mm: float = 90.0
    height_mm: float = 112.0
    """Of the place, around its cards."""
    slack_deg: float = 0.0
    """How carelessly cards are laid there."""


def _hand(left_mm: float, y_mm: float, height_mm: float = 172.0) -> Spot:
    """Return a place for a hand: three cards side by side, more of them over those."""
    return Spot(
        x_mm=left_mm + 40,
        y_mm=y_mm,
        step_mm=70,
        row=3,
        width_mm=230,
        height_mm=height_mm,
        slack_deg=3,
    )


def _pile(x_mm: float, y_mm: float, slack_deg: float = 2.0) -> Spot:
    return Spot(x_mm=x_mm, y_mm=y_mm, slack_deg=slack_deg)


_COLUMNS = [12 + at * 265 for at in range(5)]
_TOP, _BOTTOM = 62.0, 628.0
_SIDE = 372.0
_ROW_MM = 30.0
_MARGIN_MM = 56.0

SPOTS: dict[Place, Spot] = {
    seat_place(1): _hand(_COLUMNS[3], _TOP),
    seat_place(2): _hand(_COLUMNS[4], _TOP),
    seat_place(3): _hand(_COLUMNS[4], _SIDE),
    seat_place(4): _hand(_COLUMNS[4], _BOTTOM),
    seat_place(5): _hand(_COLUMNS[3], _BOTTOM),
    seat_place(6): _hand(_COLUMNS[2], _BOTTOM),
    seat_place(7): _hand(_COLUMNS[1], _BOTTOM),
    seat_place(8): _hand(_COLUMNS[0], _BOTTOM),
    seat_place(9): _hand(_COLUMNS[0], _SIDE),
    seat_place(10): _hand(_COLUMNS[0], _TOP),
    DEALER: _hand(_COLUMNS[2], _TOP),
    PLAYER: _hand(_COLUMNS[1] + 30, 520.0, 108.0),
    BANKER: _hand(_COLUMNS[2] + 110, 520.0, 108.0),
    BOARD: Spot(x_mm=480, y_mm=_SIDE, step_mm=72, row=5, width_mm=388, height_mm=142, slack_deg=1),
    MUCK: _pile(930, 245, 25),
    BURN: _pile(360, _SIDE),
    SHOE: _pile(930, _SIDE),
    STUB: _pile(420, 245),
    PACK: _pile(540, 245),
    RACK: _pile(740, 245),
}
"""Every place that the camera sees; what lies on the floor it does not see."""

DEALER_AT = (_COLUMNS[2] + 120.0, -180.0)
"""Where the dealer's shoulder is."""


def pose(place: Place, slot: int, tag: Tag) -> Pose | None:
    """Return where a card lies, a little askew, the same each time; None where nobody sees it.

    Args:
        place: Where it is laid.
        slot: How many places of that kind are taken before it.
        tag: The card.
    """
    spot = SPOTS.get(place)
    if spot is None:
        return None
    rng = random.Random(zlib.crc32(f"{place} {slot} {tag}".encode()))
    layer, column = (slot // spot.row, slot % spot.row) if spot.step_mm else (0, 0)
    return Pose(
        spot.x_mm + column * spot.step_mm + rng.uniform(-2, 2),
        spot.y_mm + min(layer, 3) * _ROW_MM + rng.uniform(-2, 2),
        rng.uniform(-spot.slack_deg, spot.slack_deg),
    )


def outline(place: Place) -> tuple[tuple[float, float], ...]:
    """Return the corners of a place, clockwise from its top left, in mm."""
    spot = SPOTS[place]
    left = spot.x_mm - (45 if spot.step_mm else spot.width_mm / 2)
    top = spot.y_mm - _MARGIN_MM
    right, bottom = left + spot.width_mm, top + spot.height_mm
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def shoulder(place: Place) -> tuple[float, float]:
    """Return where the arm of the person who sits at a place comes from, in mm."""
    spot = SPOTS[place]
    middle = spot.x_mm + 35
    if spot.y_mm == _SIDE:
        return (-200.0 if middle < VIEW_MM[0] / 2 else VIEW_MM[0] + 200, spot.y_mm + 60)
    return (middle + 60, -180.0 if spot.y_mm < _SIDE else VIEW_MM[1] + 180)
