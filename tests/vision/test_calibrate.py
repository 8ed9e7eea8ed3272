"""Where the table lies in a picture: marks, corners, places, and what does not fit together."""

import re

import cv2
import numpy as np
import pytest

from engine.cards import BOARD, BURN, DEALER, MUCK, SHOE, Place, seat_place
from tests.vision.painted import CALIBRATION, S1, bare
from vision.calibrate import (
    CUT,
    MARKS,
    Calibration,
    annotated,
    corners_by_marks,
    find_marks,
    marks_sheet,
    misfits,
    usual_zones,
)
from vision.errors import MarksError
from vision.geometry import Plane, plane_between
from vision.seen import Corners, Picture

SIZE = (1800.0, 900.0)
MARK = 60.0
SEEN: Corners = ((300.0, 150.0), (1620.0, 170.0), (1800.0, 980.0), (120.0, 960.0))
"""Where the middles of the marks are to be in the picture."""


def plane() -> Plane:
    found = plane_between(((0, 0), (1800, 0), (1800, 900), (0, 900)), SEEN)
    assert found is not None
    return found


def picture(marks: tuple[int, ...] = MARKS, mark_mm: float = MARK) -> Picture:
    """Paint the felt with its marks as a camera sees them that looks on at an angle."""
    scene = np.full((1080, 1920, 3), (60, 110, 40), np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number in marks:
        x, y = ((0, 0), (1800, 0), (1800, 900), (0, 900))[number]
        side = 8 * mark_mm / 6 / 2  # a white rim of one cell
        sheet = np.full((160, 160), 255, np.uint8)
        sheet[20:140, 20:140] = cv2.aruco.generateImageMarker(dictionary, number, 120)
        on_table = [
            (x - side, y - side),
            (x + side, y - side),
            (x + side, y + side),
            (x - side, y + side),
        ]
        source = np.array([(0, 0), (160, 0), (160, 160), (0, 160)], np.float32)
        target = np.array(plane().to_px(on_table), np.float32)
        warp = cv2.getPerspectiveTransform(source, target)
        flags = cv2.INTER_AREA
        laid = cv2.warpPerspective(
            cv2.cvtColor(sheet, cv2.COLOR_GRAY2BGR), warp, (1920, 1080), flags=flags
        )
        where = cv2.warpPerspective(np.full((160, 160), 255, np.uint8), warp, (1920, 1080))
        scene[where > 127] = np.asarray(laid, np.uint8)[where > 127]
    return scene


# ---------------------------------------------------------------- marks
def test_the_corners_are_the_middles_of_the_marks() -> None:
    corners = corners_by_marks(find_marks(picture()), SIZE, MARK)
    assert [pytest.approx(corner, abs=0.6) for corner in SEEN] == list(corners)


@pytest.mark.parametrize(
    ("there", "message"),
    [
        ((0, 1, 3), "found marks 0, 1, 3, expected marks 0, 1, 2, 3, whole and flat on the table"),
        ((), "found marks none, expected marks 0, 1, 2, 3, whole and flat on the table"),
    ],
)
def test_a_mark_that_is_missing_is_told(there: tuple[int, ...], message: str) -> None:
    with pytest.raises(MarksError, match=re.escape(message)):
        corners_by_marks(find_marks(picture(there)), SIZE, MARK)


def test_a_table_that_was_measured_wrong_is_told_by_the_width_of_its_marks() -> None:
    # By a table of 2000 mm in place of 1800 mm each mark would be wider than it was printed.
    with pytest.raises(
        MarksError, match=r"found mark 0 66\.\d by [56]\d\.\d mm large on a table of 2000 by"
    ):
        corners_by_marks(find_marks(picture()), (2000.0, 900.0), MARK)


def test_marks_in_another_order_are_told() -> None:
    marks = find_marks(picture())
    marks[1], marks[3] = marks[3], marks[1]
    with pytest.raises(MarksError, match="the wrong way round"):
        corners_by_marks(marks, SIZE, MARK)


def test_the_sheet_has_the_marks_in_true_size() -> None:
    sheet = marks_sheet(MARK)
    assert 'width="200.000mm"' in sheet
    cells = [
        tuple(map(float, found)) for found in re.findall(r'x="([\d.]+)" y="([\d.]+)" w', sheet)
    ]
    painted = np.full((1000, 1000), 255, np.uint8)
    for x, y in cells:
        painted[round(y * 5) : round(y * 5 + 50), round(x * 5) : round(x * 5 + 50)] = 0
    found = find_marks(cv2.cvtColor(painted, cv2.COLOR_GRAY2BGR).astype(np.uint8))
    assert sorted(found) == list(MARKS)
    # Clockwise from the top left; 60 mm are 300 pixels here.
    assert [found[number][0] for number in MARKS] == [
        pytest.approx(corner, abs=2) for corner in ((100, 100), (600, 100), (600, 600), (100, 600))
    ]
    assert found[0][2] == pytest.approx((400, 400), abs=2)


# ---------------------------------------------------------------- what follows
def calibration(zones: dict[Place, tuple[tuple[float, float], ...]] | None = None) -> Calibration:
    usual = usual_zones(SIZE, [seat_place(n) for n in range(1, 10)], [BOARD, BURN, MUCK, SHOE, CUT])
    return Calibration(
        picture_wh_px=(1920, 1080),
        size_mm=SIZE,
        corners_px=SEEN,
        zones=usual if zones is None else zones,
    )


def test_a_card_has_a_width_at_each_place() -> None:
    found = calibration()
    assert found.card_width_px(seat_place(5)) > found.card_width_px(SHOE) > 40
    # A pixel a millimetre.
    assert CALIBRATION.card_width_px(S1) == pytest.approx(63.5)
    assert CALIBRATION.outlines_px()[S1][2] == pytest.approx((340.0, 240.0))


def test_without_a_place_the_width_is_that_in_the_middle_of_the_table() -> None:
    found = calibration({})
    assert found.card_width_px() == pytest.approx(63.5 * found.plane().px_per_mm((900, 450)))


FLAT: Corners = ((60.0, 20.0), (1860.0, 20.0), (1860.0, 995.0), (60.0, 995.0))


def flat(zones: dict[Place, tuple[tuple[float, float], ...]]) -> Calibration:
    """A table that is seen from straight above, at 1.5 pixels a millimetre."""
    return Calibration(
        picture_wh_px=(1920, 1080), size_mm=(1200.0, 650.0), corners_px=FLAT, zones=zones
    )


@pytest.mark.parametrize("seats", [2, 6, 9, 10])
def test_the_usual_places_of_a_poker_table_lie_apart_and_in_the_picture(seats: int) -> None:
    places = [seat_place(n) for n in range(1, seats + 1)]
    zones = usual_zones((1200.0, 650.0), places, [BOARD, BURN, MUCK, SHOE, CUT])
    assert misfits(flat(zones)) == []
    # At the dealer's left: to the right in the picture.
    assert zones[places[0]][0][0] > 600


@pytest.mark.parametrize(
    ("seats", "others"), [(7, [DEALER, SHOE, CUT]), (0, [Place("P"), Place("B"), SHOE, CUT])]
)
def test_so_do_those_of_casino_tables(seats: int, others: list[Place]) -> None:
    places = [seat_place(n) for n in range(1, seats + 1)]
    assert misfits(flat(usual_zones((1200.0, 650.0), places, others))) == []


def square(x: float, y: float, side: float) -> tuple[tuple[float, float], ...]:
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


@pytest.mark.parametrize(
    ("zones", "fault"),
    [
        (
            {S1: square(100, 100, 60)},
            "zones.S1: found 4 corners around less than a card, expected room for a card",
        ),
        (
            {S1: square(100, 100, 200)[:2]},
            "zones.S1: found 2 corners around less than a card, expected room for a card",
        ),
        (
            {S1: square(1100, 100, 200)},
            "zones.S1: found 1710,170 to 2010,470 px, expected all of it within 1920x1080",
        ),
        (
            {S1: square(500, 200, 200), BOARD: square(550, 250, 110)},
            "zones.S1: found its middle within board, expected places apart from each other",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(
    zones: dict[Place, tuple[tuple[float, float], ...]], fault: str
) -> None:
    told = [f"{key}: found {what}, expected {want}" for key, what, want in misfits(flat(zones))]
    assert told[0] == fault


def test_cards_that_are_too_small_to_be_read_are_told() -> None:
    far = calibration({S1: square(100, 10, 200)})
    assert misfits(far) == [("zones.S1", "cards 48 px wide", "60 or more: a camera that is nearer")]


def test_corners_the_wrong_way_round_are_no_table() -> None:
    mirrored = Calibration(
        picture_wh_px=(1920, 1080), size_mm=SIZE, corners_px=(*SEEN[1::-1], *SEEN[:1:-1]), zones={}
    )
    assert misfits(mirrored)[0][0] == "corners_px"


# ---------------------------------------------------------------- the picture to look at
def test_the_places_are_drawn_where_they_are() -> None:
    drawn = annotated(bare(), CALIBRATION)
    # The left side of S1 in green, a side of the card in its middle in white.
    assert drawn[140, 40].tolist() == [80, 220, 60]
    assert drawn[140, 190 - 32].tolist() == [255, 255, 255]
    assert (drawn != bare()).any(axis=2).mean() < 0.07
