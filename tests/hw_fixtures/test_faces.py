import numpy as np
import pytest

from engine.cards import FULL_PACK, JOKER, Card
from hw_fixtures.picture.faces import Deck, back, face

CLASSIC = Deck()


def inked(card: Card, deck: Deck, left_mm: float, right_mm: float) -> np.ndarray:
    """Return which rows of the upper half have ink within a column, in pixels of 1/8 mm."""
    column = face(card, deck)[8 : 44 * 8, round(left_mm * 8) : round(right_mm * 8), :3]
    return np.flatnonzero((column.min(axis=2) < 128).any(axis=1)) + 8


def test_every_card_has_a_face_of_its_own() -> None:
    for deck in (CLASSIC, Deck(letters="italic", is_jumbo=True, is_four_colour=True)):
        faces = [face(card, deck) for card in (*FULL_PACK, JOKER)]
        assert len({each.tobytes() for each in faces}) == 53
        assert {each.shape for each in faces} == {(704, 504, 4)}


@pytest.mark.parametrize(
    ("deck", "height_mm"),
    [(CLASSIC, 10.5 + 1.5 + 8.5), (Deck(is_jumbo=True), 17.0 + 1.5 + 12.0)],
)
def test_an_index_is_as_high_as_its_rank_and_suit(deck: Deck, height_mm: float) -> None:
    rows = inked(Card("As"), deck, 2.0, 12.0)
    assert (rows[-1] - rows[0] + 1) / 8 == pytest.approx(height_mm, abs=0.5)


@pytest.mark.parametrize(
    ("suit", "two", "four"), [("s", "k", "k"), ("h", "r", "r"), ("d", "r", "b"), ("c", "k", "g")]
)
def test_suits_have_two_colours_or_four(suit: str, two: str, four: str) -> None:
    for deck, expected in ((CLASSIC, two), (Deck(is_four_colour=True), four)):
        middle = face(Card(f"A{suit}"), deck)[352, 252, :3]
        blue, green, red = (bool(value > 100) for value in middle)
        seen = {(0, 0, 0): "k", (0, 0, 1): "r", (1, 0, 0): "b", (0, 1, 0): "g"}
        assert seen[int(blue), int(green), int(red)] == expected


def test_a_face_reads_the_same_from_both_ends_and_its_corners_are_round() -> None:
    for card in ("Td", "4c", "Kh", "Js"):
        sheet = face(Card(card), CLASSIC)[8:-8, 8:-8]
        assert np.array_equal(sheet[..., :3], sheet[::-1, ::-1, :3])
    opaque = face(Card("Td"), CLASSIC)[..., 3]
    assert (opaque[0, 0], opaque[0, 252], opaque[352, 252]) == (0, 255, 255)


def test_a_back_is_red_or_blue_within_a_white_border() -> None:
    for colour, strongest in (("blue", 0), ("red", 2)):
        sheet = back(Deck(back=colour))  # type: ignore[arg-type]
        assert int(sheet[34, 252, :3].argmax()) == strongest
        assert sheet[16, 252, :3].min() > 240
