"""The cut pad: how many cards are in each packet, told only where that is sure."""

import functools
import math
from random import Random

import numpy as np
import pytest

from engine.cards import Card
from engine.events import CutMade
from hw_fixtures.cutpad import PAD_MM, PadCamera, Pixels, Stack, picture
from vision.boxfit import Box, PadView, card_outline
from vision.cut import (
    Cut,
    WholePack,
    cut_event,
    enrol_pack,
    look_at_cut,
    packets,
    question,
    weighed,
)
from vision.seen import Corners, Seen, SeenCard

CAMERA = PadCamera(distance_mm=380.0, focal_px=1700.0, size_px=(1100, 640))
WHOLE = Stack(52, 160.0, 60.0, 0.05)


@functools.cache
def view(camera: PadCamera = CAMERA) -> PadView:
    found = PadView.seen(camera.corners_px(), PAD_MM, camera.focal_px, camera.centre_px)
    assert found is not None
    return found


@functools.cache
def empty() -> Pixels:
    return picture([], CAMERA, Random(1))


@functools.cache
def pack() -> WholePack:
    found = enrol_pack(picture([WHOLE], CAMERA, Random(2)), empty(), view(), 52)
    assert found is not None
    return found


@functools.cache
def cut_at(top: int, x_mm: float = 55.0, angle: float = -0.1, cards: int = 52) -> Pixels:
    lifted = Stack(top, x_mm, 62.0, angle)
    return picture([lifted, Stack(cards - top, 161.0, 60.0, 0.05)], CAMERA, Random(top))


def looked(shown: Pixels, seen: Seen | None = None) -> Cut:
    return look_at_cut(shown, empty(), view(), pack(), seen or Seen())


def test_the_view_is_that_of_the_camera() -> None:
    due = CAMERA.matrix() / CAMERA.matrix()[2, 3]
    assert np.allclose(view().matrix / view().matrix[2, 3], due, atol=1e-6)
    pad = view().to_mm(np.array(CAMERA.corners_px()))
    assert np.allclose(pad, [(0, 0), (220, 0), (220, 120), (0, 120)], atol=1e-3)


FLAT: Corners = ((0.0, 0.0), (10.0, 0.0), (20.0, 0.0), (30.0, 0.0))
FROM_BELOW: Corners = ((100.0, 100.0), (900.0, 100.0), (800.0, 500.0), (200.0, 500.0))


@pytest.mark.parametrize("corners", [FLAT, FROM_BELOW], ids=["in a line", "from below"])
def test_corners_that_no_camera_above_sees_give_no_view(corners: Corners) -> None:
    assert PadView.seen(corners, PAD_MM, 1700.0, CAMERA.centre_px) is None


def test_the_outline_of_a_card_has_its_size() -> None:
    outline = card_outline((63.0, 88.0))
    assert outline.max(axis=0) == pytest.approx([31.5, 44.0])
    assert outline.min(axis=0) == pytest.approx([-31.5, -44.0])


def test_the_pack_is_measured_where_it_stands() -> None:
    box = pack().box
    assert (box.x_mm, box.y_mm) == pytest.approx((160.0, 60.0), abs=0.3)
    assert box.height_mm == pytest.approx(52 * 0.295, abs=0.25)
    assert 0.04 < box.sigma_mm < 0.3


def test_a_view_that_is_known_less_well_counts_less_well() -> None:
    shown = picture([WHOLE], CAMERA, Random(2))
    vague = PadView.seen(CAMERA.corners_px(), PAD_MM, CAMERA.focal_px, CAMERA.centre_px, 1.0)
    assert vague is not None
    (box,) = packets(shown, empty(), vague)
    # 1.7 * 1 px / 4.5 px a mm is what the view adds.
    added = math.sqrt(box.sigma_mm**2 - pack().box.sigma_mm ** 2)
    assert added == pytest.approx(1.7 / view().px_per_mm, rel=0.05)


def test_an_empty_pad_has_no_pack() -> None:
    assert enrol_pack(empty(), empty(), view(), 52) is None


@pytest.mark.parametrize("top", [3, 26, 45])
def test_packets_are_counted(top: int) -> None:
    cut = looked(cut_at(top))
    assert cut.top == pytest.approx(top, abs=0.6)
    assert cut.top + cut.bottom == pytest.approx(52)
    assert abs(cut.top - top) < 4 * cut.sigma


def test_a_sure_cut_is_told() -> None:
    assert looked(cut_at(26)).unsure == ""
    event = cut_event(looked(cut_at(26)), 7)
    assert event is not None
    assert (event.at_ns, event.faces_up) == (7, ())
    assert abs(event.top - 26) <= 1
    assert event.top + event.bottom == 52


def test_an_uncut_pack_is_no_cut() -> None:
    cut = looked(picture([WHOLE], CAMERA, Random(3)))
    assert cut == Cut(unsure="1 packets on the pad, expected 2")
    assert cut_event(cut, 0) is None
    assert question(cut) == (
        "the cut was not counted (1 packets on the pad, expected 2): say `cut TOP/BOTTOM`"
    )


def test_packets_that_are_not_the_pack_are_not_told() -> None:
    cut = looked(cut_at(20, cards=44))
    assert cut.unsure.startswith("the packets are 1")
    assert cut.unsure.endswith(f"mm together, the pack is {pack().box.height_mm:.1f} mm")


def on_the_top_packet(card: str | None) -> SeenCard:
    top = next(box for box in packets(cut_at(26), empty(), view()) if box.x_mm < 100)
    ((x, y),) = view().to_px(np.array([(top.x_mm, top.y_mm, top.height_mm)]))
    corners: Corners = ((x - 5, y - 5), (x + 5, y - 5), (x + 5, y + 5), (x - 5, y + 5))
    return SeenCard(Card(card) if card else None, 0.99, corners)


def test_a_face_in_the_cut_is_named_and_one_beside_it_is_not() -> None:
    beside = SeenCard(Card("2c"), 0.99, ((0, 0), (9, 0), (9, 9), (0, 9)))
    cut = looked(cut_at(26), Seen(cards=(on_the_top_packet("9h"), beside)))
    assert cut.faces_up == (Card("9h"),)
    event = cut_event(cut, 0)
    assert event is not None
    assert event.faces_up == (Card("9h"),)


def test_a_face_that_cannot_be_read_is_asked_for() -> None:
    cut = looked(cut_at(26), Seen(cards=(on_the_top_packet(None),)))
    assert cut.unsure == "a card lies face up and cannot be read"
    low, high = round(cut.top - 2 * cut.sigma), round(cut.top + 2 * cut.sigma)
    assert question(cut) == (
        "the cut was not counted (a card lies face up and cannot be read; "
        f"{low} to {high} on top): say `cut TOP/BOTTOM`"
    )


def stood(top_mm: float, sigma_mm: float) -> Cut:
    """Return what is made of two packets of those heights, without a picture."""
    whole = 52 * 0.3
    boxes = (Box(50, 60, 0, top_mm, 0, sigma_mm, 0.2),
             Box(160, 60, 0, whole - top_mm, 0, sigma_mm, 0.2))  # fmt: skip
    return weighed(boxes, WholePack(52, Box(160, 60, 0, whole)))


@pytest.mark.parametrize(
    ("cards", "sigma_mm", "event"),
    [
        # 0.03 mm is a tenth of a card: the next number is 12 sigma off.
        (4.0, 0.03, (4, 48)),
        (4.1, 0.03, (4, 48)),
        # Half way between two numbers nobody knows.
        (4.5, 0.03, None),
        # 0.15 mm is half a card.
        (4.0, 0.15, None),
        (48.0, 0.03, (48, 4)),
        # Of 26 cards 8 % is two: 0.3 mm on each is a card, and with air two sigma are 1.5.
        (26.0, 0.3, (26, 26)),
        (26.4, 0.3, (26, 26)),
        (26.0, 0.6, None),
    ],
)
def test_a_thin_packet_is_told_to_the_card_and_a_thick_one_nearly(
    cards: float, sigma_mm: float, event: tuple[int, int] | None
) -> None:
    told = cut_event(stood(0.3 * cards, sigma_mm), 0)
    assert told == (event and CutMade(at_ns=0, top=event[0], bottom=event[1]))


def test_the_uncertainty_adds_edges_and_air() -> None:
    # Edges: 52 * hypot(7.8 * 0.3, 7.8 * 0.3) / 15.6^2 = 0.707.
    # Air: 52 * sqrt(2) * 0.01 / 4 = 0.184.
    assert stood(7.8, 0.3).sigma == pytest.approx(math.hypot(0.7071, 0.1838), abs=1e-3)


def test_the_packet_that_stayed_is_the_bottom() -> None:
    boxes = (Box(150, 60, 0, 3.0, 0, 0.03), Box(40, 60, 0, 12.6, 0, 0.03))
    cut = weighed(boxes, WholePack(52, Box(160, 60, 0, 15.6)))
    assert (round(cut.top, 1), round(cut.bottom, 1)) == (42.0, 10.0)
