"""Hands as a camera films them, and the eye that is told what lies there."""

import itertools

import numpy as np
import pytest

from engine.cards import BOARD, MUCK, PACK, SHOE, STUB, Card, Place, Tag
from hw_fixtures.demo import DemoDealer
from hw_fixtures.picture.layout import FULL_HD, VIEW_MM
from hw_fixtures.picture.reel import (
    Exposure,
    Hands,
    Landing,
    exposures,
    in_a_row,
    landings,
    scenes,
)
from hw_fixtures.picture.scene import Scene, lay, turn
from hw_fixtures.picture.truth import TruthEye
from hw_fixtures.timeline import Move, Said, Step, Turn

A, B = Tag("A"), Tag("B")
FACES = {A: Card("9h"), B: Card("Kd")}
S1 = Place("S1")
PX_PER_MM = FULL_HD[0] / VIEW_MM[0]
FRAME = np.zeros((1080, 1920, 3), np.uint8)


def move(at_s: float, tag: Tag, target: Place, *, up: bool = False) -> Move:
    return Move(at_s=at_s, tag=tag, source=PACK, target=target, is_face_up=up)


# ---------------------------------------------------------------- what ought to be told
def test_a_card_is_exposed_from_its_rest_to_its_going() -> None:
    steps: list[Step] = [
        Said(at_s=0, text="shuffle"),
        move(1.0, A, BOARD, up=True),
        move(1.5, B, S1),
        Turn(at_s=2.0, tag=B, place=S1, is_face_up=True),
        move(3.0, A, STUB),
        Turn(at_s=4.0, tag=B, place=S1, is_face_up=False),
    ]
    assert exposures(steps, FACES, 10.0) == [
        Exposure(place=BOARD, card=Card("9h"), from_s=1.2, until_s=3.0),
        Exposure(place=S1, card=Card("Kd"), from_s=2.2, until_s=4.0),
    ]


def test_a_face_that_lies_at_the_end_lies_until_the_end_and_in_the_muck_none_is_told() -> None:
    steps = [move(1.0, A, BOARD, up=True), move(1.0, B, MUCK, up=True), move(9.9, A, S1, up=True)]
    assert exposures(steps, FACES, 10.0) == [
        Exposure(place=BOARD, card=Card("9h"), from_s=1.2, until_s=9.9)
    ]


def test_a_card_lands_where_it_is_laid_or_turned_face_down() -> None:
    steps: list[Step] = [
        move(1.0, A, S1),
        move(1.0, B, BOARD, up=True),
        move(2.0, A, MUCK),
        Turn(at_s=3.0, tag=B, place=BOARD, is_face_up=False),
    ]
    assert landings(steps) == [Landing(S1, 1.2), Landing(BOARD, 3.2)]


def test_hands_follow_one_another_by_one_clock() -> None:
    first, second = itertools.islice(DemoDealer(1), 2)
    hands = in_a_row(DemoDealer(1), first.length_s + 1.0)
    assert hands.length_s == first.length_s + 1.0
    assert len(hands.steps) == len(first.steps) + len(second.steps)
    assert hands.steps[len(first.steps)].at_s == round(second.steps[0].at_s + first.length_s, 3)
    assert hands.faces == first.faces | second.faces


def test_a_film_shows_the_table_as_it_is_at_each_picture() -> None:
    hands = Hands((move(0.05, A, S1), move(0.2, B, S1)), FACES, 0.3)
    shown = [
        (round(at_s, 3), [card.tag for card in scene.cards]) for at_s, scene in scenes(hands, 10)
    ]
    assert shown == [(0.0, []), (0.1, [A]), (0.2, [A, B])]


# ---------------------------------------------------------------- the eye that is told
def seen_of(scene: Scene, at_s: float) -> tuple[list[str], int]:
    eye = TruthEye(FULL_HD)
    eye.face(FRAME, scene, at_s)
    seen = eye.look(FRAME)
    return [str(card.card) for card in seen.cards], len(seen.backs)


def test_it_sees_what_lies_still_and_nothing_on_its_way() -> None:
    scene = lay(lay(Scene(), A, FACES[A], S1, True, 0.0), B, FACES[B], S1, False, 0.0)
    assert seen_of(scene, 0.1) == ([], 0)
    assert seen_of(scene, 0.4) == (["9h"], 1)


def test_it_sees_no_card_under_a_hand() -> None:
    scene = lay(Scene(), A, FACES[A], BOARD, True, 0.0)
    assert seen_of(scene, 0.3) == (["9h"], 0)
    # The arm of the dealer reaches over the board to a second card that is laid at seat 7.
    for number, at_s in enumerate((1.0, 2.0)):
        scene = lay(scene, Tag(f"{number}"), FACES[B], Place("S7"), False, at_s)
    assert seen_of(scene, 2.19) == ([], 1)


def test_it_sees_a_card_whose_index_shows_and_no_back_whose_middle_is_covered() -> None:
    scene = Scene()
    for number in range(4):
        tag = Tag(f"{number}")
        scene = lay(scene, tag, FACES[A], S1, number in (0, 3), 0.0)
    assert seen_of(scene, 1.0) == (["9h", "9h"], 2)
    scene = turn(scene, Tag("0"), False, 1.0)
    assert seen_of(scene, 2.0) == (["9h"], 2)


def test_it_knows_which_piece_of_a_picture_it_looks_at() -> None:
    scene = lay(Scene(), A, FACES[A], SHOE, True, 0.0)
    eye = TruthEye(FULL_HD)
    eye.face(FRAME, scene, 1.0)
    middle = scene.cards[0].pose.x_mm * PX_PER_MM, scene.cards[0].pose.y_mm * PX_PER_MM
    (whole,) = eye.look(FRAME).cards
    (piece,) = eye.look(FRAME[100:900, 1000:1800]).cards
    assert np.mean(whole.corners_px, axis=0) == pytest.approx(middle)
    assert np.subtract(whole.corners_px, piece.corners_px) == pytest.approx(
        np.array([[1000, 100]] * 4)
    )
    assert eye.look(FRAME[:100, :100]).cards == ()
