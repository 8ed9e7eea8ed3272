"""``misdeal calibrate``: a picture of the bare table in, a calibration and two pictures out."""

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from engine.cards import BOARD
from misdeal.calibration import FILE, read_calibration
from tests.misdeal.said import Said, rows, write
from vision.seen import Picture

FULL = (1080, 1920)
TABLE = """\
config_version = 1
name = "t"
game = "{game}"
rulebook = "{book}"
seats = [1, 2, 3]
"""
HOLDEM = {"game": "holdem", "book": "tda-2024"}


def felt(marks: tuple[int, ...] = (0, 1, 2, 3)) -> Picture:
    """Paint a table of 1200 by 640 mm, a pixel and a half a millimetre, marks at its corners."""
    picture = np.full((*FULL, 3), (60, 110, 40), np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number in marks:
        x, y = ((60, 60), (1860, 60), (1860, 1020), (60, 1020))[number]
        picture[y - 60 : y + 60, x - 60 : x + 60] = 255
        mark = cv2.aruco.generateImageMarker(dictionary, number, 90)
        picture[y - 45 : y + 45, x - 45 : x + 45] = np.asarray(mark)[..., np.newaxis]
    return picture


@pytest.fixture
def table(tmp_path: Path) -> Path:
    cv2.imwrite(str(tmp_path / "bare.png"), felt())
    return write(tmp_path / "table.toml", TABLE.format(**HOLDEM))


def calibrate(said: Said, table: Path, *more: object) -> tuple[int, str, str]:
    status, out, err = said(
        "calibrate", table, "--picture", table.parent / "bare.png", "--size", "1200x640", *more
    )
    return status, out.replace(f"{table.parent}/", ""), err.replace(f"{table.parent}/", "")


# ---------------------------------------------------------------- what is written
def test_marks_at_the_corners_make_a_calibration(said: Said, table: Path) -> None:
    status, out, err = calibrate(said, table)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "camera.json: 8 places; camera-drawn.png shows them, look at it",
        "a card is 95 to 95 pixels wide",
        "the table is known again by 0 spots: too few, a bumped camera will not be noticed",
    ]
    found = read_calibration(table.parent / FILE)
    assert list(found.zones) == ["S1", "S2", "S3", "board", "burn", "muck", "shoe", "cut"]
    wanted = ((60, 60), (1860, 60), (1860, 1020), (60, 1020))
    assert list(found.corners_px) == [pytest.approx(corner, abs=1) for corner in wanted]
    drawn = cv2.imread(str(table.parent / "camera-drawn.png"))
    assert drawn is not None
    assert drawn.shape == (*FULL, 3)


def test_corners_may_be_given_in_any_order_in_place_of_marks(said: Said, table: Path) -> None:
    cv2.imwrite(str(table.parent / "bare.png"), felt(()))
    corners = ("--corners", "1860,1020", "60,60", "1860,60", "60,1020")
    assert calibrate(said, table, *corners)[0] == 0
    found = read_calibration(table.parent / FILE)
    assert found.corners_px == ((60, 60), (1860, 60), (1860, 1020), (60, 1020))


def test_places_stand_a_line_each_and_outlive_a_new_calibration(said: Said, table: Path) -> None:
    calibrate(said, table)
    file = table.parent / FILE
    text = file.read_text()
    (line,) = (line for line in text.splitlines() if '"board"' in line)
    mended = '    "board": [[400, 250], [800, 250], [800, 400], [400, 400]],'
    file.write_text(text.replace(line, mended).replace("63.5", "57.2"))
    status, out, _ = said("calibrate", table, "--picture", table.parent / "bare.png")
    assert status == 0
    assert "a card is 86 to 86 pixels wide" in out
    found = read_calibration(file)
    assert found.zones[BOARD] == ((400, 250), (800, 250), (800, 400), (400, 400))
    assert found.card_mm == (57.2, 88.9)


@pytest.mark.parametrize(
    ("game", "book", "places"),
    [
        ("blackjack", "south-dakota-blackjack", ["S1", "S2", "S3", "D", "shoe", "cut"]),
        ("baccarat", "pa-baccarat", ["P", "B", "shoe", "cut"]),
        ("stud7", "robert-rules-11", ["S1", "S2", "S3", "burn", "muck", "shoe", "cut"]),
    ],
)
def test_the_places_are_those_of_the_game(
    said: Said, table: Path, game: str, book: str, places: list[str]
) -> None:
    table.write_text(TABLE.format(game=game, book=book))
    assert calibrate(said, table)[0] == 0
    assert list(read_calibration(table.parent / FILE).zones) == places


def test_a_place_that_does_not_fit_is_told_and_drawn_all_the_same(said: Said, table: Path) -> None:
    calibrate(said, table)
    file = table.parent / FILE
    document = msgspec.json.decode(file.read_bytes())
    document["zones"]["board"] = [[1200, 100], [1500, 100], [1500, 400]]
    file.write_bytes(msgspec.json.encode(document))
    (table.parent / "camera-drawn.png").unlink()
    status, out, err = said("calibrate", table, "--draw")
    assert status == 1
    assert "camera-drawn.png shows them" in out
    assert "camera.json: zones.board: found 1860,2" in err
    assert err.endswith("px, expected all of it within 1920x1080\n")
    assert (table.parent / "camera-drawn.png").exists()


def test_a_picture_comes_from_the_tables_camera_where_there_is_one(said: Said, table: Path) -> None:
    film = table.parent / "film"
    film.mkdir()
    cv2.imwrite(str(film / "1.png"), felt())
    table.write_text(table.read_text() + '[camera]\nsource = "film"\n')
    assert said("calibrate", table, "--size", "1200x640")[0] == 0
    assert read_calibration(table.parent / FILE).picture_wh_px == (1920, 1080)


def test_or_from_one_that_is_named(said: Said, table: Path) -> None:
    film = table.parent / "film"
    film.mkdir()
    cv2.imwrite(str(film / "1.png"), felt())
    assert said("calibrate", table, "--size", "1200x640", "--camera", film)[0] == 0


def test_a_sheet_of_marks_is_written(said: Said, table: Path) -> None:
    sheet = table.parent / "marks.svg"
    status, out, _ = said("calibrate", "--marks", sheet, "--mark-mm", "45")
    assert (status, out) == (0, f"{sheet}: print it in true size; a mark is then 45 mm wide\n")
    assert 'width="150.000mm"' in sheet.read_text()


def test_what_came_of_it_is_told_as_json(said: Said, table: Path) -> None:
    status, out, _ = calibrate(said, table, "--json")
    (told,) = rows(out)
    assert (status, told["spots"]) == (0, 0)
    assert told["card_width_px"] == pytest.approx([95.25, 95.25], abs=0.2)
    assert told["places"] == ["S1", "S2", "S3", "board", "burn", "muck", "shoe", "cut"]
    assert (told["file"], told["drawn"]) == ("camera.json", "camera-drawn.png")


# ---------------------------------------------------------------- what is wrong
def test_corners_that_are_none_are_told_and_not_drawn(said: Said, table: Path) -> None:
    calibrate(said, table)
    file = table.parent / FILE
    document = msgspec.json.decode(file.read_bytes())
    document["corners_px"] = document["corners_px"][::-1]
    file.write_bytes(msgspec.json.encode(document))
    status, out, err = said("calibrate", table, "--draw")
    assert (status, out) == (1, "")
    assert "camera.json: corners_px: found corners in a line or the wrong way round" in err


def test_the_wrong_measure_is_told(said: Said, table: Path) -> None:
    status, out, err = calibrate(said, table, "--mark-mm", "80")
    assert (status, out) == (2, "")
    assert err.startswith(
        "found mark 0 59.9 by 59.9 mm large on a table of 1200 by 640 mm, expected"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--picture", "bare.png"], "--size: how far apart are the middles of the marks"),
        (["--picture", "bare.png", "--size", "0x640"], "--size: how far apart are the middles"),
        (["--size", "12by9"], "found '12by9', expected two numbers like 1800x900"),
        (["--size", "1200x640"], "expected --picture FILE, --camera SOURCE, or a table file"),
        (["--picture", "none.png"], "none.png: found no such file or directory, expected"),
        (["--picture", "table.toml"], "table.toml: found no picture that can be decoded"),
        (["--camera", "none.mp4", "--size", "9x9"], "none.mp4"),
        (["--draw"], "camera.json: found No such file or directory, expected"),
        (["--marks", "none/marks.svg"], "No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_a_line(
    said: Said,
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(table.parent)
    status, out, err = said("calibrate", "table.toml", *arguments)
    assert (status, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_a_calibration_that_cannot_be_read_is_not_written_over(said: Said, table: Path) -> None:
    file = write(table.parent / FILE, "{")
    status, _, err = calibrate(said, table)
    assert status == 2
    assert err.startswith("camera.json: found no JSON")
    assert file.read_text() == "{"
