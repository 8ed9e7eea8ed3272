"""The eye with the networks that ship, on painted tables in faces they were not trained on."""

import cv2
import numpy as np
import pytest

from engine.cards import BOARD, FULL_PACK, Card, Place, Tag
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.scene import Scene, lay
from vision.drawn import drawn
from vision.eye import open_eye
from vision.seen import Picture, Seen, SeenBack, SeenCard

CARD_PX = 90.0


def table(faces: list[str], deck: Deck | None = None) -> Picture:
    """Return a painted table with cards face up on the board and then at the seats."""
    scene = Scene()
    for at, face in enumerate(faces):
        place = BOARD if at < 5 else Place(f"S{at // 2 - 1}")
        scene = lay(scene, Tag(f"{at:016X}"), Card(face), place, True, -9.0)
    return Painter(deck or Deck(), seed=2).render(scene, 0.0)


def named(seen: Seen) -> list[str]:
    return sorted(str(each.card) for each in seen.cards if each.card)


@pytest.mark.parametrize(
    "deck",
    [Deck(), Deck(is_jumbo=True), Deck(letters="italic", is_four_colour=True, back="red")],
    ids=["usual", "jumbo", "italic in four colours"],
)
def test_no_card_of_a_pack_is_read_as_another(deck: Deck) -> None:
    eye = open_eye(CARD_PX, by_opencv=True)
    for start in range(0, 52, 13):
        there = [str(card) for card in FULL_PACK[start : start + 13]]
        read = named(eye.look(table(there, deck)))
        assert set(read) <= set(there)
        assert len(read) == len(set(read)) >= 11


def test_both_ways_of_looking_see_the_same() -> None:
    picture = table(["9h", "Kd", "2c"])
    assert named(open_eye(CARD_PX).look(picture)) == named(open_eye().look(picture))


def test_a_bare_table_shows_no_face() -> None:
    assert open_eye(CARD_PX).look(table([])).cards == ()


@pytest.mark.parametrize("shape", [(40, 40, 3), (33, 700, 3), (1200, 64, 3)])
def test_any_picture_can_be_looked_at(shape: tuple[int, int, int]) -> None:
    noise = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    for eye in (open_eye(), open_eye(CARD_PX)):
        assert named(eye.look(noise)) == []


def test_a_piece_of_a_picture_is_read_like_the_whole() -> None:
    picture = table(["9h", "Kd", "2c"])
    eye = open_eye(CARD_PX)
    whole = eye.look(picture)
    xs, ys = np.array([each.corners_px for each in whole.cards]).reshape(-1, 2).T
    top, left = int(ys.min()) - 60, int(xs.min()) - 60
    piece = picture[top : int(ys.max()) + 60, left : int(xs.max()) + 60]
    assert named(eye.look(np.ascontiguousarray(piece))) == named(whole)


def test_what_was_seen_is_drawn_on_a_copy() -> None:
    picture = np.zeros((200, 300, 3), np.uint8)
    quad = ((100.0, 40.0), (160.0, 40.0), (160.0, 124.0), (100.0, 124.0))
    away = ((200.0, 40.0), (260.0, 40.0), (260.0, 124.0), (200.0, 124.0))
    seen = Seen(
        (SeenCard(Card("9h"), 0.98, quad), SeenCard(None, 0.6, away)), (SeenBack(0.9, away),)
    )
    shown = drawn(picture, seen)
    assert picture.max() == 0
    assert shown[40, 130].tolist() == [60, 200, 60]
    assert cv2.countNonZero(shown[..., 0]) > 500
