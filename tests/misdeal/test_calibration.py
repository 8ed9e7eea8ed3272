from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from hw_fixtures.picture.calibrated import calibration
from misdeal.calibration import FILE, bare_of, read_calibration, write_calibration
from misdeal.errors import CalibrationError

BARE = np.full((1080, 1920, 3), 60, np.uint8)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_calibration(tmp_path / FILE, calibration(), BARE)
    return tmp_path / FILE


def faults_of(file: Path) -> list[str]:
    with pytest.raises(CalibrationError) as caught:
        read_calibration(file)
    return [line.removeprefix(f"{file.parent}/") for line in str(caught.value).splitlines()]


def test_a_calibration_is_read_as_it_was_written(file: Path) -> None:
    assert read_calibration(file) == calibration()
    assert np.array_equal(cv2.imread(str(bare_of(file))), BARE)  # type: ignore[arg-type]


def test_the_simulated_camera_is_calibrated_without_a_fault() -> None:
    found = calibration()
    # 63 mm of 1324 mm over 1920 pixels.
    assert found.card_width_px() == pytest.approx(91.36, abs=0.01)
    assert found.plane().to_px([(662.0, 372.375)])[0] == pytest.approx((960, 540))


def test_a_calibration_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert faults_of(tmp_path / FILE) == [
        "camera.json: found No such file or directory, expected what misdeal calibrate wrote"
    ]


def test_a_text_that_is_no_json_is_told(file: Path) -> None:
    file.write_text("{")
    (fault,) = faults_of(file)
    assert fault.startswith("camera.json: found no JSON (Input data was truncated), expected")


def test_everything_that_is_wrong_is_told_at_once(file: Path) -> None:
    document = msgspec.json.decode(file.read_bytes())
    del document["size_mm"]
    document["card_mm"] = ["wide", 88]
    file.write_bytes(msgspec.json.encode(document))
    assert faults_of(file) == [
        'camera.json: card_mm[0]: found "wide", expected float',
        "camera.json: size_mm: found nothing, expected a value",
    ]


def test_what_does_not_fit_together_and_a_missing_picture_are_told_at_once(file: Path) -> None:
    document = msgspec.json.decode(file.read_bytes())
    document["zones"]["board"] = [[0, 0], [10, 0], [10, 10]]
    file.write_bytes(msgspec.json.encode(document))
    bare_of(file).unlink()
    zone = "camera.json: zones.board: found 3 corners around less than a card"
    assert faults_of(file) == [
        f"{zone}, expected room for a card",
        "camera.png: found no picture of the bare table, expected what misdeal calibrate wrote",
    ]
