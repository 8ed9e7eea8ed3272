"""A crop is upright whichever way its index lies, and a reading is a probability for each card."""

import cv2
import numpy as np
import pytest

from engine.cards import FULL_PACK, JOKER
from vision.detect import Indices
from vision.read import CARDS, CROP_H, CROP_W, REACH, crop, halves_of, read


class Says:
    """A reader that answers each crop with the same logits."""

    def __init__(self, **raised: float) -> None:
        self.said = np.zeros(24, np.float32)
        for name, value in raised.items():
            self.said[int(name[1:])] = value
        self.asked = 0

    def run(self, blob: np.ndarray) -> np.ndarray:
        self.asked += len(blob)
        return np.tile(self.said, (len(blob), 1))


def index(x: float, y: float, turn: float, high: float) -> Indices:
    radians = np.radians(turn)
    one = np.ones(1, np.float32)
    down = np.array([[np.cos(radians), np.sin(radians)]], np.float32)
    at = np.array([[x, y]], np.float32)
    return Indices(one, at, down, one * high, one * 90, at)


def test_every_card_can_be_read_once() -> None:
    assert sorted(CARDS) == sorted((*FULL_PACK, JOKER))


@pytest.mark.parametrize("turn", [0, 37, 90, 180, 270])
def test_a_crop_is_upright(turn: float) -> None:
    picture = np.zeros((200, 200, 3), np.uint8)
    radians = np.radians(turn)
    # A white spot above the middle of the index, as its rank is, and a grey one right of it.
    up = (round(100 - 16 * np.cos(radians)), round(100 - 16 * np.sin(radians)))
    right = (round(100 + 16 * np.sin(radians)), round(100 - 16 * np.cos(radians)))
    cv2.circle(picture, up, 4, (255, 255, 255), -1)
    cv2.circle(picture, right, 4, (120, 120, 120), -1)
    one = index(100, 100, turn, 48)
    cut = crop(halves_of(picture, 1), one.at[0], one.down[0], 48)
    assert cut.shape == (CROP_H, CROP_W, 3)
    scale = CROP_H / (REACH * 48)
    assert cut[round(CROP_H / 2 - 0.5 - 16 * scale), CROP_W // 2].min() > 200
    assert 80 < cut[CROP_H // 2, round(CROP_W / 2 - 0.5 + 16 * scale)].min() < 160


def test_a_large_index_is_cut_from_the_halved_picture() -> None:
    stripes = np.zeros((512, 512, 3), np.uint8)
    stripes[::2] = 255  # finer than a crop of it can show: even grey, not false stripes
    one = index(256, 256, 90, 256)
    cut = crop(halves_of(stripes), one.at[0], one.down[0], 256)
    assert np.ptp(cut.astype(int)) <= 2
    assert abs(int(cut.mean()) - 127) <= 2


def test_the_probability_of_a_card_is_that_of_its_rank_times_its_suit() -> None:
    sure = read(
        Says(_8=9, _17=9), halves_of(np.zeros((90, 90, 3), np.uint8)), index(40, 40, 90, 20)
    )
    rank = np.exp(9) / (np.exp(9) + 14)
    suit = np.exp(9) / (np.exp(9) + 4)
    assert CARDS[int(sure.best()[0])] == "9h"
    assert sure.confidence().tolist() == pytest.approx([rank * suit], rel=1e-4)


def test_a_joker_has_no_suit_and_no_index_has_no_rank() -> None:
    picture = halves_of(np.zeros((90, 90, 3), np.uint8))
    assert CARDS[int(read(Says(_13=9, _19=9), picture, index(40, 40, 90, 20)).best()[0])] == "JK"
    assert read(Says(_14=9, _19=9), picture, index(40, 40, 90, 20)).odds.sum() < 0.01


def test_the_reader_says_where_the_index_lies() -> None:
    # 0.1 of the crop to the right, 0.2 down, a tenth larger, a quarter radian turned.
    reader = Says(_20=0.1, _21=0.2, _22=np.log(1.1), _23=0.25)
    upright = read(
        reader, halves_of(np.zeros((90, 90, 3), np.uint8)), index(40, 40, 90, 20)
    ).indices
    assert upright.at.tolist() == [pytest.approx([40 + 3, 40 + 6])]
    assert upright.high.tolist() == pytest.approx([22])
    assert np.degrees(np.arctan2(*upright.down[0][::-1])) == pytest.approx(90 + np.degrees(0.25))


def test_no_index_asks_nothing() -> None:
    reader = Says()
    none = index(0, 0, 0, 20).take(np.zeros(0, np.intp))
    assert read(reader, halves_of(np.zeros((90, 90, 3), np.uint8)), none).odds.shape == (0, 53)
    assert reader.asked == 0


def test_more_than_a_batch_is_read_whole() -> None:
    reader = Says(_8=9, _17=9)
    many = index(40, 40, 90, 20).take(np.zeros(150, np.intp))
    assert len(read(reader, halves_of(np.zeros((90, 90, 3), np.uint8)), many).odds) == 150
    assert reader.asked == 150
