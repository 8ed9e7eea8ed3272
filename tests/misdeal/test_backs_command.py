"""``misdeal backs``: a pack's back enrolled, cards checked against it."""

from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

from hw_fixtures.backs import RED, Back, dot, lattice
from misdeal.pictures import picture_files, read_picture
from tests.misdeal.said import Said, rows
from tests.vision.shots import COUNT, DESIGN, enrolled, shot, shots
from vision.backfile import read_back, write_back
from vision.seen import Picture


def keep(path: Path, picture: Picture) -> Path:
    _, data = cv2.imencode(".png", picture)
    path.write_bytes(data.tobytes())
    return path


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with pictures of good backs."""
    folder = tmp_path_factory.mktemp("good")
    for number, (picture, _) in enumerate(shots()):
        keep(folder / f"{number:02}.png", picture)
    return folder


@pytest.fixture
def blue(tmp_path: Path) -> Path:
    """Return the file of an enrolled back."""
    path = tmp_path / "blue.back.npz"
    path.write_bytes(write_back(enrolled().model))
    return path


def pictures(folder: Path, back: Back, count: int = 3) -> list[Path]:
    return [keep(folder / f"look{n}.png", shot(back, 100 + n).picture) for n in range(count)]


# ---------------------------------------------------------------- enrol
def test_a_back_is_enrolled_from_a_folder(said: Said, good: Path, tmp_path: Path) -> None:
    odd = keep(tmp_path / "odd.png", shot(lattice(), 5).picture)
    target = tmp_path / "blue.back.npz"
    status, out, err = said("backs", "enrol", "blue", good, odd, "--file", target)
    assert (status, err) == (0, "")
    told = out.splitlines()
    assert told[0] == f"{odd}: stands out from the rest and was left out: is that back good?"
    assert told[1] == f"blue: {COUNT + 1} pictures, 1 left out, in {target}"
    # One of 17 is over: 1 - 0.25 is the rate at which at most one of 17 comes 1 time in 20.
    assert told[2].startswith("a good back is called marked at less than 25 % of looks (19 times")
    assert read_back(target.read_bytes(), "x").false_alarms.shots == COUNT + 1


def test_an_enrolment_in_json(said: Said, good: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.npz"
    status, out, _ = said("backs", "enrol", "blue", good, "--file", target, "--json")
    (told,) = rows(out)
    assert status == 0
    assert (told["pack"], told["file"], told["strange"]) == ("blue", str(target), [])
    assert told["false_alarms"]["over"] == 0


def test_an_enrolled_back_is_not_overwritten(said: Said, blue: Path, good: Path) -> None:
    status, _, err = said("backs", "enrol", "blue", good, "--file", blue)
    assert (status, err) == (2, f"{blue} is there already; it is not overwritten\n")


def test_every_picture_that_cannot_be_used_is_told_of(said: Said, tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("no picture", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    plain = keep(tmp_path / "plain.png", np.full((200, 200, 3), 90, np.uint8))
    names = [tmp_path / "empty", text, tmp_path / "none.jpg", plain]
    status, out, err = said("backs", "enrol", "x", *names, "--file", tmp_path / "x.npz")
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        f"{tmp_path / 'empty'}: found a folder without pictures, expected pictures",
        f"{text}: found no picture that can be decoded, expected a JPEG or PNG",
        f"{tmp_path / 'none.jpg'}: found no such file or directory, expected a picture",
        f"{plain}: found no card to be sure of, expected one card, whole, on plain ground",
    ]
    assert not (tmp_path / "x.npz").exists()


def test_a_rate_that_cannot_be_shown_is_refused(said: Said, good: Path, tmp_path: Path) -> None:
    status, _, err = said(
        "backs", "enrol", "x", good, "--rate", "0.001", "--file", tmp_path / "x.npz"
    )
    assert status == 2
    assert err == (
        f"found {COUNT} pictures of good backs, expected at least 2995 to show a false-alarm rate "
        "of 0.1 %\n"
    )


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--corners", "1,2 3", "found '1,2 3', expected four points 'x,y x,y x,y x,y'"),
        ("--card", "88x63", "found '88x63', expected width x height in mm, like 63x88"),
        ("--card", "small", "found 'small', expected width x height in mm, like 63x88"),
    ],
)
def test_an_option_is_explained(said: Said, option: str, value: str, why: str) -> None:
    status, _, err = said("backs", "enrol", "x", "a.jpg", option, value)
    assert status == 2
    assert why in err


# ---------------------------------------------------------------- check
def test_looks_at_a_marked_card_agree(said: Said, blue: Path, tmp_path: Path) -> None:
    looks = pictures(tmp_path, dot(DESIGN, 2.0, Random(4))[0])
    marked = tmp_path / "marked"
    status, out, err = said(
        "backs", "check", "blue", *looks, "--file", blue, "--same", "--annotate", marked
    )
    assert (status, err) == (1, "")
    told = out.splitlines()
    assert [line.partition(": ")[0] for line in told[:3]] == [str(each) for each in looks]
    assert told[3].startswith("a dark spot, about 2.")
    assert told[3].endswith("(3 of 3 looks)")
    assert sorted(path.name for path in marked.iterdir()) == [f"look{n}.jpg" for n in range(3)]


def test_a_good_back_is_one_of_its_pack(said: Said, blue: Path, tmp_path: Path) -> None:
    looks = pictures(tmp_path, DESIGN, 1)
    status, out, _ = said("backs", "check", "blue", *looks, "--file", blue, "--same")
    assert status == 0
    assert out.splitlines()[0].startswith(f"{looks[0]}: nothing stands out (score ")
    assert out.splitlines()[1] == "the looks agree on nothing"


def test_another_design_is_told(said: Said, blue: Path, tmp_path: Path) -> None:
    looks = pictures(tmp_path, lattice(RED), 1)
    status, out, _ = said("backs", "check", "blue", *looks, "--file", blue)
    assert status == 1
    assert out.startswith(f"{looks[0]}: another design (score ")


def test_a_check_in_json(said: Said, blue: Path, tmp_path: Path) -> None:
    looks = pictures(tmp_path, dot(DESIGN, 2.0, Random(4))[0])
    corners = " ".join(f"{x},{y}" for x, y in shot(DESIGN, 100).corners_px)
    status, out, _ = said(
        "backs", "check", "blue", looks[0], "--file", blue, "--json", "--corners", corners
    )
    (told,) = rows(out)
    assert status == 1
    assert set(told) == {
        "image", "score", "likeness", "is_foreign", "marks", "threshold", "corners_px",
    }  # fmt: skip
    assert told["marks"][0]["what"] == "dark"
    status, out, _ = said("backs", "check", "blue", *looks, "--file", blue, "--json", "--same")
    assert rows(out)[3]["verdict"]["agreeing"] == 3


def test_what_cannot_be_judged_is_a_line_and_the_rest_is_done(
    said: Said, blue: Path, tmp_path: Path
) -> None:
    (good,) = pictures(tmp_path, DESIGN, 1)
    small = keep(tmp_path / "small.png", cv2.resize(shot(DESIGN, 3).picture, None, fx=0.4, fy=0.4))  # type: ignore[arg-type]
    none = tmp_path / "none.png"
    status, out, err = said("backs", "check", "blue", small, none, good, "--file", blue)
    assert status == 2
    assert out.startswith(f"{good}: nothing stands out")
    first, second = err.splitlines()
    assert first.startswith(f"{small}: found 1.")
    assert first.endswith(
        " px a millimetre, expected at least 2.5, expected a back that can be judged"
    )
    assert second == f"{none}: found no such file or directory, expected a picture"


def test_a_file_that_is_no_enrolled_back_is_refused(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "x.back.npz"
    path.write_bytes(b"nothing")
    status, _, err = said("backs", "check", "x", "a.jpg", "--file", path)
    assert (status, err) == (
        2,
        f"{path} cannot be read as an enrolled back: it is damaged or another kind of file\n",
    )
    status, _, err = said("backs", "check", "x", "a.jpg", "--file", tmp_path / "none")
    assert status == 2


# ---------------------------------------------------------------- pictures
def test_a_folder_stands_for_its_pictures(tmp_path: Path) -> None:
    for name in ("b.PNG", "a.jpg", "c.txt"):
        (tmp_path / name).write_bytes(b"")
    files, faults = picture_files([tmp_path, tmp_path / "z.gif"])
    assert [path.name for path in files] == ["a.jpg", "b.PNG", "z.gif"]
    assert faults == []


def test_an_empty_file_is_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"")
    assert str(read_picture(path)) == (
        f"{path}: found no picture that can be decoded, expected a JPEG or PNG"
    )
