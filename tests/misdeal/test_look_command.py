"""``misdeal look``: cards in pictures, whatever else is among the files."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import BOARD, Card, Place, Tag
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.scene import Scene, lay
from tests.misdeal.said import Said, rows
from vision.seen import Picture

BOARD_CARDS = ("9h", "Kd", "2c")


def table(*, up: tuple[str, ...] = BOARD_CARDS, down: int = 0) -> Picture:
    """Return a painted table: cards face up on the board, and backs at the seats."""
    scene = Scene()
    for at, card in enumerate(up):
        scene = lay(scene, Tag(f"{at:016X}"), Card(card), BOARD, True, -9.0)
    for at in range(down):
        scene = lay(scene, Tag(f"{at + 99:016X}"), Card("3s"), Place(f"S{at + 1}"), False, -9.0)
    return Painter(Deck(), seed=3).render(scene, 0.0)


def keep(path: Path, picture: Picture) -> Path:
    _, data = cv2.imencode(path.suffix, picture)
    path.write_bytes(data.tobytes())
    return path


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a table with three cards face up and two backs."""
    return keep(tmp_path_factory.mktemp("table") / "table.png", table(down=2))


def test_cards_are_named_and_backs_are_counted(said: Said, picture: Path) -> None:
    status, out, err = said("look", picture, "--json")
    assert (status, err) == (0, "")
    (seen,) = rows(out)
    assert seen["image"] == str(picture)
    assert seen["size_wh_px"] == [1920, 1080]
    assert seen["ms"] > 0
    assert sorted(card["card"] for card in seen["cards"]) == sorted(BOARD_CARDS)
    assert all(card["confidence"] >= 0.9 for card in seen["cards"])
    assert len(seen["backs"]) == 2


def test_corners_are_where_the_card_is_its_own_top_left_first(said: Said, picture: Path) -> None:
    status, out, _ = said("look", picture, "--json", "--card-width-px", "90")
    assert status == 0
    (seen,) = rows(out)
    for card in seen["cards"]:
        (x0, y0), (x1, y1), (x2, y2), _ = card["corners_px"]
        assert 80 < np.hypot(x1 - x0, y1 - y0) < 100
        assert 112 < np.hypot(x2 - x1, y2 - y1) < 140


def test_without_json_a_line_is_for_people(said: Said, picture: Path) -> None:
    status, out, _ = said("look", picture)
    assert status == 0
    assert out.count("\n") == 1
    assert "1920x1080" in out
    assert all(card in out for card in BOARD_CARDS)
    assert "2 face down" in out


def test_what_was_seen_is_drawn(said: Said, picture: Path, tmp_path: Path) -> None:
    status, _, _ = said("look", picture, "--annotate", tmp_path / "seen")
    assert status == 0
    drawn = cv2.imread(str(tmp_path / "seen" / "table.jpg"))
    plain = cv2.imread(str(picture))
    assert drawn is not None
    assert plain is not None
    assert drawn.shape == plain.shape
    green = (np.abs(drawn.astype(int) - (60, 200, 60)).max(axis=2) < 30).sum()
    assert green > 1000


def test_a_table_without_cards_is_no_card(said: Said, tmp_path: Path) -> None:
    status, out, _ = said("look", keep(tmp_path / "bare.png", table(up=())), "--json")
    assert status == 0
    (seen,) = rows(out)
    assert (seen["cards"], seen["backs"]) == ([], [])


def test_each_file_that_is_no_picture_is_a_line_and_the_others_are_done(
    said: Said, picture: Path, tmp_path: Path
) -> None:
    text = tmp_path / "notes.jpg"
    text.write_text("no picture")
    broken = tmp_path / "broken.png"
    broken.write_bytes(picture.read_bytes()[:300])
    empty = tmp_path / "empty"
    empty.mkdir()
    gone = tmp_path / "gone.jpg"
    status, out, err = said("look", text, broken, empty, gone, picture, "--json")
    assert status == 2
    assert [row["image"] for row in rows(out)] == [str(picture)]
    lines = err.splitlines()
    assert len(lines) == 4
    for path in (text, broken, empty, gone):
        assert sum(line.startswith(str(path)) for line in lines) == 1
    assert "Traceback" not in err


def test_of_an_animation_the_first_picture_is_looked_at(said: Said, tmp_path: Path) -> None:
    film = cv2.Animation()
    film.frames = [table(), table(up=("5s",))]
    film.durations = [100, 100]
    path = tmp_path / "film.webp"
    assert cv2.imwriteanimation(str(path), film)
    status, out, err = said("look", path, "--json")
    assert status == 0
    assert err == f"{path}: 2 pictures; the first is looked at\n"
    assert sorted(card["card"] for card in rows(out)[0]["cards"]) == sorted(BOARD_CARDS)


def test_fifty_megapixels_are_looked_at(said: Said, tmp_path: Path) -> None:
    large = cv2.resize(table(), (9600, 5400), interpolation=cv2.INTER_LINEAR)
    path = keep(tmp_path / "large.jpg", np.asarray(large, np.uint8))
    status, out, _ = said("look", path, "--json")
    assert status == 0
    (seen,) = rows(out)
    assert seen["size_wh_px"] == [9600, 5400]
    assert sorted(card["card"] for card in seen["cards"]) == sorted(BOARD_CARDS)


def test_a_width_that_is_none_is_refused(said: Said, picture: Path) -> None:
    status, _, err = said("look", picture, "--card-width-px", "wide")
    assert status == 2
    assert "--card-width-px" in err
