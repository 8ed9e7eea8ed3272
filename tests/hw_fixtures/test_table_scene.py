from itertools import combinations

import pytest

from engine.cards import BOARD, FLOOR, MUCK, PACK, SHOE, STUB, Card, Place, Tag
from hw_fixtures.picture.layout import DEALER_AT, SPOTS, VIEW_MM, outline, pose, shoulder
from hw_fixtures.picture.scene import Scene, happen, lay, lift, pose_at, turn
from hw_fixtures.timeline import Move, Said, Step, Turn

A, B, C, D = (Tag(name) for name in "ABCD")
FACES = {A: Card("9h"), B: Card("Kd"), C: Card("2c"), D: Card("Ts")}
S1, S4 = Place("S1"), Place("S4")


def dealt(*tags: Tag, place: Place, at_s: float = 0.0) -> Scene:
    scene = Scene()
    for tag in tags:
        scene = lay(scene, tag, FACES[tag], place, False, at_s)
    return scene


def test_places_lie_in_view_and_none_over_another() -> None:
    boxes = {place: (outline(place)[0], outline(place)[2]) for place in SPOTS}
    for place, (one, other) in boxes.items():
        assert min(one) >= 0, place
        assert other[0] <= VIEW_MM[0], place
        assert other[1] <= VIEW_MM[1], place
    for (first, a), (second, b) in combinations(boxes.items(), 2):
        apart = a[1][0] <= b[0][0] or b[1][0] <= a[0][0] or a[1][1] <= b[0][1] or b[1][1] <= a[0][1]
        assert apart, (first, second)


def test_the_next_row_of_a_hand_leaves_the_index_of_the_row_before_in_sight() -> None:
    below, above = pose(S4, 0, A), pose(S4, 3, A)
    assert below
    assert above
    assert above.x_mm - below.x_mm == pytest.approx(0, abs=4)
    assert above.y_mm - below.y_mm >= 4.5 + 10.5 + 1.5 + 8.5


def test_nobody_sees_the_floor() -> None:
    assert pose(FLOOR, 0, A) is None


@pytest.mark.parametrize(
    ("place", "from_mm"), [("S1", (942, -180)), ("S3", (1524, 432)), ("S9", (-200, 432)),
                           ("S6", (677, 924.75))],
)  # fmt: skip
def test_an_arm_comes_from_where_its_owner_sits(place: str, from_mm: tuple[float, float]) -> None:
    assert shoulder(Place(place)) == from_mm


def test_a_card_comes_to_rest_a_fifth_of_a_second_after_it_set_out() -> None:
    scene = dealt(A, place=S1, at_s=5.0)
    (card,) = scene.cards
    assert [scene.moving(5.0), scene.resting(5.1)] == [(card,), ()]
    assert [scene.moving(5.21), scene.resting(5.21)] == [(), (card,)]
    assert pose_at(card, 5.0).y_mm == DEALER_AT[1]
    # After half of the time three quarters of the way are done.
    assert pose_at(card, 5.1).y_mm == pytest.approx(0.75 * card.pose.y_mm + 0.25 * -180)
    assert pose_at(card, 5.3) == card.pose


def test_a_card_takes_the_first_spot_of_its_place_that_is_free() -> None:
    scene = dealt(A, B, C, place=S4)
    assert [card.slot for card in scene.cards] == [0, 1, 2]
    scene = lay(lift(scene, [B]), D, FACES[D], S4, True, 1.0)
    assert {card.tag: card.slot for card in scene.cards} == {A: 0, C: 2, D: 1}


def test_a_card_is_pitched_from_the_shoe_and_carried_from_elsewhere() -> None:
    scene = dealt(A, place=SHOE)
    pitched = lay(scene, A, FACES[A], S1, False, 1.0)
    assert pitched.cards[0].how == "pitched"
    assert pitched.cards[0].source == scene.cards[0].pose
    assert pitched.hands(1.1) == ()
    carried = lay(pitched, A, FACES[A], MUCK, False, 2.0)
    (hand,) = carried.hands(2.1)
    assert (hand.shoulder, hand.reach) == (DEALER_AT, 1.0)
    assert carried.hands(2.275)[0].reach == pytest.approx(0.5)
    assert carried.hands(2.36) == ()


def test_a_card_is_turned_by_the_hand_of_its_player() -> None:
    scene = turn(dealt(A, B, place=S1), A, True, 3.0)
    first, second = scene.cards
    assert (first.is_face_up, first.was_face_up, first.how) == (True, False, "turned")
    assert not second.is_face_up
    assert scene.hands(3.1)[0].shoulder == shoulder(S1)
    assert scene.moving(3.1) == (first,)


def test_of_a_pile_three_cards_show_and_inside_the_shoe_none() -> None:
    assert [card.tag for card in dealt(A, B, C, D, place=MUCK).cards] == [B, C, D]
    assert dealt(A, place=STUB).cards == ()
    assert lay(Scene(), A, FACES[A], STUB, True, 0.0).cards != ()


def test_what_is_said_moves_nothing() -> None:
    steps: list[Step] = [
        Move(at_s=0, tag=A, source=PACK, target=BOARD, is_face_up=True),
        Said(at_s=0, text="deal ends"),
        Turn(at_s=0, tag=A, place=BOARD, is_face_up=False),
    ]
    (card,) = happen(Scene(), steps, FACES, 1.0).cards
    assert (card.place, card.face, card.is_face_up) == (BOARD, "9h", False)
