"""How far a picture has moved over the table, and when that is noticed."""

import cv2
import numpy as np
import pytest

from tests.vision.painted import CALIBRATION, FRAME_NS, HIGH, WIDE, Painted, bare
from vision.drift import Reference, Standpoint
from vision.gate import Gate, shrink
from vision.geometry import plane_between
from vision.seen import Picture

TABLE = CALIBRATION.table_mm


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference(bare(), CALIBRATION.plane(), TABLE)


def test_the_print_of_the_felt_is_known_again(reference: Reference) -> None:
    assert len(reference.spots) == 24


@pytest.mark.parametrize(
    ("bump_px", "moved_mm"),
    [((0, 0), 0.0), ((3, 4), 5.0), ((12, 5), 13.0), ((-40, 30), 50.0), ((0, 55), 55.0)],
)
def test_a_shift_is_measured_in_millimetres(
    reference: Reference, bump_px: tuple[int, int], moved_mm: float
) -> None:
    drift = reference.drift(Painted(bump_px=bump_px).frame())
    assert drift.found >= 20
    assert drift.mm == pytest.approx(moved_mm, abs=0.5)


def test_a_picture_twice_as_large_moves_by_half_the_millimetres() -> None:
    half = [(x / 2, y / 2) for x, y in TABLE]
    plane = plane_between(half, TABLE)
    assert plane is not None
    drift = Reference(bare(), plane, half).drift(Painted(bump_px=(12, 5)).frame())
    assert drift.mm == pytest.approx(6.5, abs=0.3)


def test_other_light_is_no_shift(reference: Reference) -> None:
    drift = reference.drift(Painted(light=(0.5, 0.6, 0.7)).frame())
    assert drift.mm == pytest.approx(0.0, abs=0.2)


def test_a_camera_that_was_turned_has_moved(reference: Reference) -> None:
    turn = cv2.getRotationMatrix2D((WIDE / 2, HIGH / 2), 4.0, 1.0)
    turned = np.asarray(cv2.warpAffine(bare(), turn, (WIDE, HIGH)), np.uint8)
    drift = reference.drift(turned)
    # 4 degrees are 70 mm to the metre; half of the print lies more than 190 mm from the middle.
    assert drift.mm is None or drift.mm > 10


def test_what_is_covered_says_nothing(reference: Reference) -> None:
    drift = reference.drift(Painted(hands=[(0, 0, 500, 544)], bump_px=(6, 8)).frame())
    assert 8 <= drift.found < 16
    assert drift.mm == pytest.approx(10.0, abs=0.5)


def test_of_a_picture_of_something_else_nothing_is_said(reference: Reference) -> None:
    noise = np.random.default_rng(3).integers(0, 255, (HIGH, WIDE, 3), np.uint8)
    assert reference.drift(noise).mm is None


@pytest.mark.parametrize("noise", [0.0, 5.0])
def test_felt_without_any_print_cannot_tell(noise: float) -> None:
    weave = np.random.default_rng(4).normal(0, noise, (HIGH, WIDE, 3))
    plain = np.asarray(np.clip(np.array((60, 110, 40)) + weave, 0, 255), np.uint8)
    reference = Reference(plain, CALIBRATION.plane(), TABLE)
    assert reference.spots == ()
    standpoint = Standpoint(reference, (34, 60))
    change = Gate(shrink(plain)).see(shrink(plain), 0)
    assert standpoint.look(plain, change) is None
    assert not standpoint.is_bumped


# ---------------------------------------------------------------- when it is noticed
class Post:
    def __init__(self, reference: Reference) -> None:
        self._gate = Gate(shrink(bare()))
        self._standpoint = Standpoint(reference, self._gate.shape)
        self._at_ns = 0
        self.every_ns = FRAME_NS

    def show(self, frames: int, **table: object) -> list[tuple[bool, str | None]]:
        """Show a table so often; return whether it may be bumped, and what is wrong."""
        painted = Painted(**table)  # type: ignore[arg-type]
        return [self._look(painted.frame()) for _ in range(frames)]

    def _look(self, picture: Picture) -> tuple[bool, str | None]:
        self._at_ns += self.every_ns
        wrong = self._standpoint.look(picture, self._gate.see(shrink(picture), self._at_ns))
        return self._standpoint.is_bumped, wrong


MOVED = "was moved by 50 mm over the table"
LOST = "does not show the table as it was calibrated"


def test_the_first_still_frame_is_checked(reference: Reference) -> None:
    assert Post(reference).show(3) == [(True, None), (False, None), (False, None)]
    moved = Post(reference).show(3, bump_px=(40, 30))
    assert moved == [(True, None), (False, MOVED), (False, MOVED)]


def test_a_bump_is_not_believed_for_a_single_frame(reference: Reference) -> None:
    post = Post(reference)
    post.show(10)
    assert post.show(3, bump_px=(40, 30)) == [(True, None), (False, MOVED), (False, MOVED)]


def test_a_camera_that_is_put_back_is_believed_again(reference: Reference) -> None:
    post = Post(reference)
    post.show(2)
    post.show(10, bump_px=(40, 30))
    assert post.show(2) == [(True, MOVED), (False, None)]


def test_a_camera_that_sinks_slowly_is_noticed(reference: Reference) -> None:
    post = Post(reference)
    post.show(2)
    # A pixel a second: no frame differs much from the one before.
    post.every_ns = 500_000_000
    found = [post.show(2, bump_px=(0, down))[-1][1] for down in range(14)]
    assert found[:10] == [None] * 10
    assert found[12] == "was moved by 12 mm over the table"


def test_a_table_that_is_not_found_again_in_two_seconds_is_another_view(
    reference: Reference,
) -> None:
    post = Post(reference)
    post.show(10)
    # As if the camera had been turned to the wall.
    found = post.show(90, bump_px=(300, 200))
    assert found[0] == found[50] == (True, None)
    assert found[-1] == (True, LOST)


def test_a_bump_that_moves_little_is_found_by_the_check_of_every_second(
    reference: Reference,
) -> None:
    dim = {"light": (0.25, 0.25, 0.25)}
    post = Post(reference)
    post.show(5, **dim)
    found = post.show(60, bump_px=(40, 30), **dim)
    first = found.index((True, None))
    assert found[:first] == [(False, None)] * first
    assert first <= 30
    assert found[first + 1] == (False, MOVED)


def test_a_camera_that_shakes_without_end_is_a_fault_until_it_is_calm(
    reference: Reference,
) -> None:
    post = Post(reference)
    post.show(10)
    found = [post.show(1, bump_px=(8 * (at % 2), 0))[0] for at in range(1, 160)]
    assert set(found[:140]) == {(True, None)}
    assert found[-1] == (True, "shakes: all of the picture moves")
    assert post.show(3)[-1] == (False, None)


def test_a_hand_over_the_table_is_no_bump(reference: Reference) -> None:
    post = Post(reference)
    post.show(10)
    for step in range(10):
        arm = (100.0 + 60 * step, 0.0, 260.0 + 60 * step, 350.0)
        assert post.show(1, hands=[arm]) == [(False, None)]
