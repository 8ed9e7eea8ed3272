"""Two indices of one card are one card; what was not read is told as unread, and once."""

import numpy as np
import pytest

from engine.cards import Card
from vision.cards import cards_of, unread_of
from vision.detect import Indices
from vision.read import CARDS, Readings

WIDE, TALL = 100.0, 140.0


def readings(*rows: tuple[str, float, tuple[float, float], float, tuple[float, float]]) -> Readings:
    """Readings from (card, confidence, index at, turn of its down in degrees, card's middle)."""
    n = len(rows)
    odds = np.zeros((n, len(CARDS)), np.float32)
    for row, (card, sure, *_) in enumerate(rows):
        odds[row, CARDS.index(Card(card))] = sure
    turn = np.radians([row[3] for row in rows])
    down = np.stack([np.cos(turn), np.sin(turn)], 1).astype(np.float32)
    at, middle = (np.array([row[i] for row in rows], np.float32).reshape(-1, 2) for i in (2, 4))
    ones = np.ones(n, np.float32)
    return Readings(Indices(ones, at, down, 25 * ones, WIDE * ones, middle), odds)


def test_the_two_indices_of_a_card_are_one_card_with_its_corners() -> None:
    # Upright, its middle at (200, 200): indices at its top left and bottom right.
    both = readings(
        ("9h", 0.97, (162, 148.1), 90, (205, 195)), ("9h", 0.99, (238, 251.9), 270, (190, 204))
    )
    (card,) = cards_of(both, 0.9)
    assert card.card == "9h"
    assert card.confidence == pytest.approx(0.99, abs=1e-4)
    assert card.corners_px[0] == pytest.approx((250, 270), abs=0.2)  # upside down is as good
    assert card.corners_px[2] == pytest.approx((150, 130), abs=0.2)


def test_one_index_gives_a_card_by_its_own_guess() -> None:
    (card,) = cards_of(readings(("Ks", 0.95, (162, 150), 90, (200, 200))), 0.9)
    assert card.corners_px[0] == pytest.approx((150, 130), abs=0.2)
    assert card.corners_px[1] == pytest.approx((250, 130), abs=0.2)
    assert card.corners_px[2] == pytest.approx((250, 270), abs=0.2)


def test_head_to_head_a_card_long_is_one_card_though_the_middles_are_far() -> None:
    wild = readings(
        ("9h", 0.97, (162, 150), 90, (120, 100)), ("9h", 0.99, (238, 250), 270, (300, 330))
    )
    assert len(cards_of(wild, 0.9)) == 1


def test_the_same_face_twice_is_two_cards() -> None:
    far = readings(
        ("9h", 0.97, (162, 150), 90, (200, 200)), ("9h", 0.99, (462, 150), 90, (500, 200))
    )
    assert [card.card for card in cards_of(far, 0.9)] == ["9h", "9h"]


def test_below_the_confidence_no_card_is_named() -> None:
    one = readings(("9h", 0.85, (162, 150), 90, (200, 200)))
    assert cards_of(one, 0.9) == []
    (unread,) = unread_of(one, 0.9, [])
    assert unread.card is None
    assert unread.confidence == pytest.approx(0.85, abs=1e-4)


def test_an_unread_index_of_a_card_that_was_read_is_silent() -> None:
    both = readings(
        ("9h", 0.97, (162, 150), 90, (200, 200)), ("6h", 0.6, (238, 250), 270, (204, 196))
    )
    assert unread_of(both, 0.9, cards_of(both, 0.9)) == []


def test_the_two_unread_indices_of_a_card_are_one_unread_card() -> None:
    both = readings(
        ("9h", 0.7, (162, 150), 90, (200, 200)), ("6h", 0.6, (238, 250), 270, (204, 196))
    )
    assert len(unread_of(both, 0.9, [])) == 1


def test_what_is_hardly_an_index_is_not_even_unread() -> None:
    assert unread_of(readings(("9h", 0.4, (162, 150), 90, (200, 200))), 0.9, []) == []


@pytest.mark.parametrize(
    ("guess", "top_left"),
    [((205, 195), (150, 130)), ((110, 195), (70, 130))],
    ids=["left", "right"],
)
def test_where_the_width_is_known_one_index_gives_the_card(
    guess: tuple[float, float], top_left: tuple[float, float]
) -> None:
    # An index 25 high whose middle is a tenth of the width from the side and 18.1 from the top.
    one = readings(("Ks", 0.95, (160, 148.1), 90, guess))
    one.indices.card_wide[:] = 77  # a wrong guess
    (card,) = cards_of(one, 0.9, WIDE)
    assert card.corners_px[0] == pytest.approx(top_left, abs=0.3)
    assert card.corners_px[2] == pytest.approx((top_left[0] + 100, 270), abs=0.3)


def test_four_indices_in_four_corners_are_one_card_whichever_is_surest() -> None:
    # Each guesses its card's middle as if it were another card's.
    corners = [
        ("Ts", 0.99, (160, 148), 90, (130, 110)), ("Ts", 0.98, (240, 148), 90, (290, 110)),
        ("Ts", 0.97, (240, 252), 270, (290, 300)), ("Ts", 0.96, (160, 252), 270, (110, 300)),
    ]  # fmt: skip
    for start in range(4):
        turned = corners[start:] + corners[:start]
        assert len(cards_of(readings(*turned), 0.9)) == 1
