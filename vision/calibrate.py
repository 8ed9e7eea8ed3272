"""Where the table lies in the picture: by ArUco marks or four corners; its places; how it is drawn.

Millimetres on the table, x to the right and y down as in the picture, from the first corner: the
middle of mark 0, or the first of four corners that are given.
"""

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from msgspec import Struct

from engine.cards import Place
from vision.errors import MarksError
from vision.geometry import (
    Outline,
    Plane,
    area,
    box,
    centre,
    contains,
    distance,
    plane_between,
    signed_area,
)
from vision.seen import Corners, Picture, Point

MARKS = (0, 1, 2, 3)
"""The marks at the corners of the table, clockwise from the top left of the picture."""

CARD_MM = (63.5, 88.9)
"""A poker card, 2.5 by 3.5 inches; a bridge card is 57.2 mm wide."""

MOST_OFF = 0.05
"""By how much the side of a mark may differ from what was printed: more is a wrong measure."""

LEAST_CARD_PX = 60.0
"""A card that is narrower in the picture cannot be read.

Source: ../shared/vision/findings.md, section 0.5: at 60 px an index is 20 px high; below, fewer
than 94 % of them were read.
"""

CUT = Place("cut")
"""The cut pad: no place where cards are dealt, but one that is looked at."""

_DICTIONARY = cv2.aruco.DICT_4X4_50
_BITS = 6  # four by four and a black rim
_GREEN, _WHITE, _RED = (80, 220, 60), (255, 255, 255), (60, 60, 230)


class Calibration(Struct, frozen=True, kw_only=True):
    """How one camera sees one table."""

    picture_wh_px: tuple[int, int]
    size_mm: tuple[float, float]
    """Between the four corners."""
    corners_px: Corners
    """Where they are in the picture, clockwise from its top left."""
    zones: Mapping[Place, tuple[Point, ...]]
    """The outlines of the places, in millimetres, the cut pad's among them."""
    card_mm: tuple[float, float] = CARD_MM

    @property
    def table_mm(self) -> Corners:
        """The corners on the table."""
        width, height = self.size_mm
        return (0.0, 0.0), (width, 0.0), (width, height), (0.0, height)

    def plane(self) -> Plane:
        """Return where the table lies in the picture.

        Raises:
            MarksError: If the corners are no corners of a table.
        """
        found = plane_between(self.table_mm, self.corners_px)
        if found is None or signed_area(self.corners_px) <= 0:
            raise MarksError("corners in a line or the wrong way round", "four, clockwise")
        return found

    def outlines_px(self) -> dict[Place, tuple[Point, ...]]:
        """Return the outlines of the places in the picture, in pixels."""
        plane = self.plane()
        return {place: plane.to_px(zone) for place, zone in self.zones.items()}

    def card_width_px(self, place: Place | None = None) -> float:
        """Return how wide a card is in the picture, at a place or in the middle of all."""
        zones = [self.zones[place]] if place else list(self.zones.values())
        scales = sorted(self.plane().px_per_mm(centre(zone)) for zone in zones or [self.table_mm])
        return self.card_mm[0] * scales[len(scales) // 2]


# ---------------------------------------------------------------- the marks
def find_marks(picture: Picture) -> dict[int, Corners]:
    """Return the ArUco marks of a picture by their numbers, with their corners in pixels."""
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    quads, numbers, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(picture)
    found: dict[int, Corners] = {}
    if not quads:
        return found
    for number, quad in zip(np.ravel(numbers), quads, strict=True):
        a, b, c, d = ((float(x), float(y)) for x, y in np.reshape(quad, (4, 2)))
        found[int(number)] = (a, b, c, d)
    return found


def corners_by_marks(
    marks: Mapping[int, Corners], size_mm: tuple[float, float], mark_mm: float
) -> Corners:
    """Return where the corners of the table are: the middles of its marks.

    Args:
        marks: The marks that were found.
        size_mm: How far their middles are apart, across and down.
        mark_mm: How wide they were printed; what they measure by the corners must agree.

    Raises:
        MarksError: If a mark is missing, or the measures contradict each other.
    """
    missing = [number for number in MARKS if number not in marks]
    if missing:
        there = ", ".join(map(str, sorted(marks))) or "none"
        wanted = ", ".join(map(str, MARKS))
        found, expected = f"marks {there}", f"marks {wanted}, whole and flat on the table"
        raise MarksError(found, expected)
    a, b, c, d = (_crossing(marks[number]) for number in MARKS)
    corners = (a, b, c, d)
    plane = Calibration(picture_wh_px=(0, 0), size_mm=size_mm, corners_px=corners, zones={}).plane()
    for number in MARKS:
        across_mm, down_mm = _sides(plane.to_mm(marks[number]))
        if max(abs(across_mm - mark_mm), abs(down_mm - mark_mm)) > MOST_OFF * mark_mm:
            table = f"a table of {size_mm[0]:g} by {size_mm[1]:g} mm"
            found = f"mark {number} {across_mm:.1f} by {down_mm:.1f} mm large on {table}"
            expected = f"{mark_mm:g} mm: measure again from middle to middle of the marks"
            raise MarksError(found, expected)
    return corners


def _sides(corners: Outline) -> tuple[float, float]:
    """Return how wide and how high a square is, each the middle of two sides."""
    a, b, c, d = corners
    return (distance(a, b) + distance(c, d)) / 2, (distance(b, c) + distance(d, a)) / 2


def _crossing(corners: Corners) -> Point:
    """Return where the diagonals cross: the middle of a square, also when seen at an angle."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    across = (x0 - x2) * (y1 - y3) - (y0 - y2) * (x1 - x3)
    if across == 0:
        return centre(corners)
    one, other = x0 * y2 - y0 * x2, x1 * y3 - y1 * x3
    return (
        (one * (x1 - x3) - (x0 - x2) * other) / across,
        (one * (y1 - y3) - (y0 - y2) * other) / across,
    )


def marks_sheet(mark_mm: float) -> str:
    """Return a sheet with the four marks to print and cut out, as SVG in true size."""
    cell = mark_mm / _BITS
    room = mark_mm + 4 * cell
    pieces: list[str] = []
    for number in MARKS:
        left, top = (number in (1, 2)) * room + 2 * cell, (number in (2, 3)) * room + 2 * cell
        pieces += [
            f'<rect x="{left + column * cell:.3f}" y="{top + row * cell:.3f}" '
            f'width="{cell:.3f}" height="{cell:.3f}"/>'
            for row, column in _black(number)
        ]
        pieces.append(
            f'<text x="{left:.3f}" y="{top + mark_mm + 1.2 * cell:.3f}" '
            f'font-size="{0.8 * cell:.3f}">{number}</text>'
        )
    side = f"{2 * room:.3f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}mm" height="{side}mm" '
        f'viewBox="0 0 {side} {side}" shape-rendering="crispEdges">\n'
        f'<rect width="{side}" height="{side}" fill="white"/>\n' + "\n".join(pieces) + "\n</svg>\n"
    )


def _black(number: int) -> list[tuple[int, int]]:
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    bits = cv2.aruco.generateImageMarker(dictionary, number, _BITS)
    return [
        (row, column) for row in range(_BITS) for column in range(_BITS) if not bits[row, column]
    ]


# ---------------------------------------------------------------- what is wrong with it
def misfits(calibration: Calibration) -> list[tuple[str, str, str]]:
    """Return what does not fit together: the key, what was found, what was expected."""
    found: list[tuple[str, str, str]] = []
    width, height = calibration.picture_wh_px
    try:
        plane = calibration.plane()
    except MarksError as error:
        return [("corners_px", error.found, error.expected)]
    for place, zone in calibration.zones.items():
        key = f"zones.{place}"
        if len(zone) < 3 or area(zone) < calibration.card_mm[0] * calibration.card_mm[1]:
            found.append((key, f"{len(zone)} corners around less than a card", "room for a card"))
            continue
        left, top, right, bottom = box(plane.to_px(zone))
        if left < 0 or top < 0 or right > width or bottom > height:
            reach = f"{left:.0f},{top:.0f} to {right:.0f},{bottom:.0f} px"
            found.append((key, reach, f"all of it within {width}x{height}"))
        elif calibration.card_width_px(place) < LEAST_CARD_PX:
            wide = f"cards {calibration.card_width_px(place):.0f} px wide"
            found.append((key, wide, f"{LEAST_CARD_PX:.0f} or more: a camera that is nearer"))
    return found + _crossings(calibration.zones)


def _crossings(zones: Mapping[Place, Outline]) -> list[tuple[str, str, str]]:
    """Return the places whose middle lies within another place."""
    return [
        (f"zones.{place}", f"its middle within {other}", "places apart from each other")
        for place, zone in zones.items()
        for other, outline in zones.items()
        if place != other and contains(outline, centre(zone))
    ]


# ---------------------------------------------------------------- the places of a usual table
def usual_zones(
    size_mm: tuple[float, float], seats: Sequence[Place], others: Sequence[Place]
) -> dict[Place, tuple[Point, ...]]:
    """Return places to begin with: the dealer at the top of the picture, seats clockwise.

    Args:
        size_mm: The table between its four corners.
        seats: The seats, from the dealer's left on.
        others: ``D``, ``P``, ``B``, ``board``, ``burn``, ``muck``, ``shoe``, ``cut`` as there are.
    """
    width, height = size_mm
    zones: dict[Place, tuple[Point, ...]] = {}
    for at, seat in enumerate(seats):
        # Three quarters of the way round; the fourth, at the top, is the dealer's.
        angle = math.radians(-45 + 270 * (at + 0.5) / len(seats))
        zones[seat] = _oblong(
            (width * (0.5 + 0.4 * math.cos(angle)), height * (0.5 + 0.36 * math.sin(angle))),
            (0.13 * width, 0.2 * height),
        )
    for place in others:
        middle, share = _USUAL[place]
        zones[place] = _oblong(
            (width * middle[0], height * middle[1]), (width * share[0], height * share[1])
        )
    return zones


_USUAL: dict[str, tuple[Point, Point]] = {
    "D": ((0.5, 0.15), (0.2, 0.2)),
    "P": ((0.36, 0.62), (0.2, 0.2)),
    "B": ((0.64, 0.62), (0.2, 0.2)),
    "board": ((0.5, 0.5), (0.3, 0.2)),
    "burn": ((0.28, 0.45), (0.08, 0.18)),
    "muck": ((0.72, 0.45), (0.1, 0.18)),
    "shoe": ((0.72, 0.1), (0.08, 0.15)),
    "cut": ((0.3, 0.1), (0.1, 0.18)),
}
"""The middle and the size of each place, as shares of the table."""


def _oblong(middle: Point, size: Point) -> Corners:
    (x, y), (width, height) = middle, size
    left, top = round(x - width / 2), round(y - height / 2)
    right, bottom = left + round(width), top + round(height)
    return (left, top), (right, top), (right, bottom), (left, bottom)


# ---------------------------------------------------------------- a picture to look at
def annotated(picture: Picture, calibration: Calibration) -> Picture:
    """Return the picture with corners, places and a card in each place drawn on it."""
    drawn = picture.copy()
    plane = calibration.plane()
    _draw(drawn, plane.to_px(calibration.table_mm), _RED)
    for place, zone in calibration.zones.items():
        _draw(drawn, plane.to_px(zone), _GREEN)
        x, y = centre(zone)
        _draw(drawn, plane.to_px(_oblong((x, y), calibration.card_mm)), _WHITE)
        column, row = plane.to_px([zone[0]])[0]
        cv2.putText(
            drawn,
            place,
            (round(column) + 6, round(row) + 26),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.8,
            _GREEN,
            2,
        )
    return drawn


def _draw(picture: Picture, outline: Outline, colour: tuple[int, int, int]) -> None:
    points = np.array(outline, np.float64).round().astype(np.int32)
    cv2.polylines(picture, [points], isClosed=True, color=colour, thickness=2, lineType=cv2.LINE_AA)
