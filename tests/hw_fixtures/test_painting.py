import numpy as np
import pytest

from engine.cards import BOARD, SHOE, Card, Place, Tag
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.layout import VIEW_MM
from hw_fixtures.picture.mishaps import Mishaps, spoil
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.scene import Scene, lay, pose_at, turn
from vision.seen import Picture

SIZE = (960, 540)
PX_PER_MM = 960 / VIEW_MM[0]
A = Tag("A")


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter(Deck(), size_wh_px=SIZE, seed=1)


def board_card(at_s: float = 10.0, *, is_face_up: bool = True) -> Scene:
    return lay(Scene(), A, Card("2c"), BOARD, is_face_up, at_s)


def colour_at(picture: Picture, x_mm: float, y_mm: float) -> np.ndarray:
    """Return the mean colour of 4 by 4 mm."""
    x, y = round(x_mm * PX_PER_MM), round(y_mm * PX_PER_MM)
    return np.asarray(picture[y - 1 : y + 2, x - 1 : x + 2].mean(axis=(0, 1)))


def test_the_same_moment_gives_the_same_picture(painter: Painter) -> None:
    scene = board_card()
    first = painter.render(scene, 10.1)
    assert first.shape == (540, 960, 3)
    assert np.array_equal(first, painter.render(scene, 10.1))
    assert np.array_equal(first, Painter(Deck(), size_wh_px=SIZE, seed=1).render(scene, 10.1))
    assert not np.array_equal(first, painter.render(scene, 10.2))


def test_a_card_that_lies_face_up_shows_paper_where_it_lies(painter: Painter) -> None:
    scene = board_card()
    where = scene.cards[0].pose
    assert colour_at(painter.render(Scene(), 11.0), where.x_mm, where.y_mm).max() < 130
    assert colour_at(painter.render(scene, 11.0), where.x_mm, where.y_mm).min() > 190


def test_a_card_that_lies_face_down_shows_its_back(painter: Painter) -> None:
    scene = board_card(is_face_up=False)
    where = scene.cards[0].pose
    blue, _, red = colour_at(painter.render(scene, 11.0), where.x_mm + 9, where.y_mm)
    assert blue > red + 40


def test_a_card_on_its_way_is_smeared(painter: Painter) -> None:
    scene = lay(lay(Scene(), A, Card("2c"), SHOE, True, 0.0), A, Card("2c"), Place("S9"), True, 5.0)
    picture = painter.render(scene, 5.02)
    where = pose_at(scene.cards[0], 5.02)
    # In 1/120 s it comes 66 mm nearer: it is there for most, for a part and for none of it.
    trail = [colour_at(picture, where.x_mm + at, where.y_mm - 40)[2] for at in (34, 80, 125)]
    assert trail[0] > trail[1] + 30 > trail[2] + 60


def test_a_hand_hides_what_it_carries_and_withdraws(painter: Painter) -> None:
    scene = board_card(10.0)
    where = scene.cards[0].pose
    above = (where.x_mm + 14, where.y_mm - 25)
    blue, _, red = colour_at(painter.render(scene, 10.2), *above)
    assert red > blue + 40
    assert colour_at(painter.render(scene, 10.4), *above).min() > 190


def test_a_card_that_is_turned_is_a_line_half_way(painter: Painter) -> None:
    scene = turn(board_card(0.0, is_face_up=False), A, True, 5.0)
    where = scene.cards[0].pose
    beside = (where.x_mm + 20, where.y_mm - 35)
    assert colour_at(painter.render(scene, 5.1), *beside).max() < 140
    assert colour_at(painter.render(scene, 5.5), *beside).min() > 190


def test_a_shadow_passes_now_and_then(painter: Painter) -> None:
    # It needs six of every 23 seconds; after three it is in the middle of the lower edge.
    x_mm, y_mm = VIEW_MM[0] / 2, VIEW_MM[1] - 4
    shaded = colour_at(painter.render(Scene(), 3.0), x_mm, y_mm)
    plain = colour_at(painter.render(Scene(), 10.0), x_mm, y_mm)
    assert shaded[1] < 0.75 * plain[1]


@pytest.mark.parametrize(
    ("mishaps", "low", "high"),
    [
        (Mishaps(), 99, 101),
        (Mishaps(is_dark=True), 2, 4),
        (Mishaps(is_blinded=True), 254, 255),
        (Mishaps(noise=20), 99, 101),
    ],
)
def test_a_mishap_changes_the_light(mishaps: Mishaps, low: float, high: float) -> None:
    picture = np.full((60, 80, 3), 100, np.uint8)
    assert low <= spoil(picture, mishaps, np.random.default_rng(1)).mean() <= high


def test_a_mishap_moves_or_shrinks_the_picture() -> None:
    picture = np.zeros((60, 80, 3), np.uint8)
    picture[20, 30] = 255
    rng = np.random.default_rng(1)
    pushed = spoil(picture, Mishaps(bump_px=(5, -3)), rng)
    assert np.argwhere(pushed[..., 0]).tolist() == [[17, 35]]
    assert spoil(picture, Mishaps(shrink=2), rng).shape == (30, 40, 3)
    assert spoil(picture, Mishaps(noise=20), rng).std() == pytest.approx(12, abs=3)
