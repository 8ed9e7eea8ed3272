"""Backs at the shoe's mouth: which are told, once, and with which picture."""

from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from engine.cards import BOARD, PACK, SHOE, Place
from hw_fixtures.backs import RED, Back, dot, lattice
from tests.vision.mouth import CALIBRATION, FRAME_NS, Mouth, OutlineEye, marked
from tests.vision.shots import DESIGN, enrolled, shot
from vision.backfile import write_back
from vision.calibrate import Calibration
from vision.enrolled import enrol
from vision.likeness import Frame
from vision.resting import misfit
from vision.sources import Wanted
from vision.watching import Task, Told, resting_backs

ENROLLED = enrolled().model


@pytest.fixture(scope="module")
def dotted() -> Back:
    """A back with a dot of ink, 2 mm wide."""
    return dot(DESIGN, 2.0, Random(4))[0]


def test_a_marked_back_at_the_shoes_mouth_is_told_once_and_a_clean_one_never(dotted: Back) -> None:
    mouth = Mouth()
    assert mouth.lay(DESIGN, 101) == []
    mouth.clear()
    laid = mouth.frame
    (event,) = mouth.lay(dotted, 102)
    # Still with the second frame; calm from the fourth on, 100 ms later.
    assert (event.place, event.is_foreign) == (SHOE, False)
    assert 4 <= event.at_ns // FRAME_NS - laid <= 6
    assert event.how.startswith("a dark spot, about 2.")
    assert event.how.endswith("(3 of 3 looks); picture 1")
    ((picture, at_ns),) = mouth.kept
    assert at_ns == event.at_ns
    assert (picture == (0, 255, 255)).all(axis=-1).any()
    mouth.clear()
    assert mouth.lay(DESIGN, 103) == []


def test_a_card_that_a_hand_passes_over_is_told_once_and_the_next_one_again(dotted: Back) -> None:
    mouth = Mouth()
    assert len(mouth.lay(dotted, 102)) == 1
    assert marked([*mouth.run(20, hand=True), *mouth.run(40)]) == []
    mouth.clear()
    assert len(mouth.lay(dotted, 102)) == 1


def test_a_face_at_the_mouth_is_compared_with_no_back(dotted: Back) -> None:
    mouth = Mouth()
    mouth.eye.is_face = True
    assert mouth.lay(dotted, 102) == []


def test_a_card_of_another_design_is_foreign_unless_its_pack_is_enrolled_too() -> None:
    red = lattice(RED)
    mouth = Mouth()
    (event,) = mouth.lay(red, 102)
    assert (event.is_foreign, event.how) == (True, "another design (3 of 3 looks); picture 1")
    assert marked([*mouth.run(20, hand=True), *mouth.run(40)]) == []
    both = Mouth([ENROLLED, enrol([shot(red, seed) for seed in range(12)]).model])
    assert both.lay(red, 102) == []
    assert both.lay(DESIGN, 101) == []


def test_what_the_eye_does_not_see_may_be_marked_but_never_foreign(dotted: Back) -> None:
    mouth = Mouth()
    mouth.eye.is_blind = True
    assert [event.is_foreign for event in mouth.lay(dotted, 102)] == [False]
    mouth.clear()
    assert mouth.lay(lattice(RED), 102) == []


def test_a_card_that_lies_half_in_view_or_is_of_another_size_is_not_compared(dotted: Back) -> None:
    bridge = replace(ENROLLED, frame=Frame(57.0, 88.0))
    assert Mouth([bridge]).lay(dotted, 102) == []
    mouth = Mouth()
    mouth.cover = (0, 260)
    assert mouth.lay(dotted, 102) == []


def test_the_process_compares_with_the_backs_of_its_task_and_keeps_the_picture(
    dotted: Back, tmp_path: Path
) -> None:
    task = Task(wanted=Wanted(source=""), calibration=CALIBRATION, bare="", ahead_ns=10**9)
    assert resting_backs(task, OutlineEye()) is None
    file, album = tmp_path / "blue.back.npz", tmp_path / "journal-backs"
    file.write_bytes(write_back(ENROLLED))
    task = replace(task, enrolled=(str(file),), album=str(album))
    (event,) = Mouth(backs=resting_backs(task, OutlineEye())).lay(dotted, 102)
    (kept,) = album.iterdir()
    assert int(kept.stem) == event.at_ns + 10**9
    assert event.how.endswith(f"; picture journal-backs/{kept.name}")
    line = msgspec.json.encode(Told(event=event))
    assert msgspec.json.decode(line, type=Told).event == event


def _with(places: dict[Place, float], wide_px: int) -> Calibration:
    zones = {
        place: ((x, 0.0), (x + 90, 0.0), (x + 90, 110.0), (x, 110.0)) for place, x in places.items()
    }
    corners = (
        (0.0, 0.0),
        (float(wide_px), 0.0),
        (float(wide_px), wide_px / 2),
        (0.0, wide_px / 2),
    )
    return replace(CALIBRATION, zones=zones, size_mm=(800.0, 400.0), corners_px=corners)


@pytest.mark.parametrize(
    ("places", "wide_px", "found"),
    [
        ({SHOE: 0.0, PACK: 100.0}, 2000, None),
        (
            {SHOE: 0.0, PACK: 100.0},
            1920,
            "2.4 px a millimetre at shoe, 2.4 px a millimetre at pack",
        ),
        ({BOARD: 0.0}, 4000, "no place shoe or pack in the calibration"),
    ],
)
def test_a_camera_that_cannot_compare_backs_is_told(
    places: dict[Place, float], wide_px: int, found: str | None
) -> None:
    said = misfit(_with(places, wide_px))
    assert (said and said[0]) == found
