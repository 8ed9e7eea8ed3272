"""The camera's section of a table file, and the process that a table starts for it."""

import asyncio
import random
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from engine.cards import SHOE
from engine.events import DeviceFaulted
from hw_fixtures.demo import DemoDealer
from hw_fixtures.picture.calibrated import calibration
from misdeal.app import App, attend
from misdeal.calibration import FILE, write_calibration
from misdeal.clock import table_clock
from misdeal.demo import write_table
from misdeal.errors import TableFileError
from misdeal.journal import JournalReader
from misdeal.tablefile import load
from tests.vision.shots import enrolled
from vision.backfile import write_back
from vision.sources import Wanted

BARE = np.full((1080, 1920, 3), 60, np.uint8)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table file without readers and without a camera."""
    path = write_table(tmp_path, DemoDealer(1).packs, {}, wirings=())
    path.write_text(path.read_text().replace("camera = true\n", ""))
    return path


def with_camera(table: Path, *lines: str) -> Path:
    table.write_text(table.read_text() + "\n".join(["\n[camera]", *lines, ""]))
    return table


def faults_of(table: Path) -> list[str]:
    with pytest.raises(TableFileError) as caught:
        load(table)
    return [str(fault).replace(f"{table.parent}/", "") for fault in caught.value.faults]


def test_a_camera_is_true_without_a_source_where_somebody_else_tells_what_is_seen(
    table: Path,
) -> None:
    table.write_text("camera = true\n" + table.read_text())
    layout = load(table)
    assert (layout.setup.has_camera, layout.camera) == (True, None)


def test_no_camera_is_none(table: Path) -> None:
    layout = load(table)
    assert (layout.setup.has_camera, layout.camera) == (False, None)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("rtsp://10.0.0.5/1", "rtsp://10.0.0.5/1"),
        ("/dev/v4l/by-id/usb-A", "/dev/v4l/by-id/usb-A"),
        ("evening.mp4", "{}/evening.mp4"),
    ],
)
def test_a_camera_with_a_source_is_watched_as_it_was_calibrated(
    table: Path, source: str, found: str
) -> None:
    write_calibration(table.parent / FILE, calibration(), BARE)
    layout = load(with_camera(table, f'source = "{source}"', "fps = 60"))
    assert layout.setup.has_camera
    assert layout.camera is not None
    wanted = Wanted(source=found.format(table.parent), size_wh_px=(1920, 1080), fps=60)
    assert layout.camera.wanted == wanted
    assert layout.camera.calibration == calibration()
    assert layout.camera.bare == str(table.parent / "camera.png")
    assert not layout.camera.tells_backs


def test_what_is_wrong_with_the_section_is_told_by_its_key(table: Path) -> None:
    lines = len(table.read_text().splitlines())
    meant = "'source'? (one of source, width, height, fps, backs, calibration, enrolled)"
    assert faults_of(with_camera(table, "sauce = 1", "width = 20")) == [
        f"table.toml:{lines + 3}: camera.sauce: found an unknown key, expected {meant}",
        f"table.toml:{lines + 4}: camera.width: found 20, expected int >= 160",
        f"table.toml:{lines + 2}: camera.source: found nothing, expected where its pictures are",
    ]


def test_a_camera_that_is_neither_true_nor_a_section_is_told(table: Path) -> None:
    table.write_text('camera = "yes"\n' + table.read_text())
    assert faults_of(table) == ['table.toml:1: camera: found "yes", expected bool or table']


def test_a_camera_that_was_not_calibrated_is_told(table: Path) -> None:
    assert faults_of(with_camera(table, 'source = "/dev/video0"')) == [
        "camera.json: found No such file or directory, expected what misdeal calibrate wrote"
    ]


def test_a_camera_of_another_size_than_it_was_calibrated_with_is_told(table: Path) -> None:
    write_calibration(table.parent / FILE, calibration(), BARE)
    (fault,) = faults_of(with_camera(table, 'source = "/dev/video0"', "width = 1280"))
    assert fault.partition(": ")[2] == (
        "camera.width: found 1280 and height = 1080, expected 1920 and height = 1080, as calibrated"
    )


# ---------------------------------------------------------------- enrolled backs
def at_the_mouth(table: Path, wide_px: int) -> None:
    """Calibrate a camera that sees 400 by 200 mm with a shoe's mouth."""
    wide, high = float(wide_px), wide_px / 2
    seen = replace(
        calibration((wide_px, wide_px // 2)),
        size_mm=(400.0, 200.0),
        corners_px=((0.0, 0.0), (wide, 0.0), (wide, high), (0.0, high)),
        zones={SHOE: ((5.0, 5.0), (105.0, 5.0), (105.0, 125.0), (5.0, 125.0))},
    )
    write_calibration(table.parent / FILE, seen, BARE)


def test_the_camera_is_given_the_backs_that_are_enrolled_and_a_folder_beside_the_journal(
    table: Path,
) -> None:
    at_the_mouth(table, 1600)
    (table.parent / "blue.back.npz").write_bytes(write_back(enrolled().model))
    size = ("width = 1600", "height = 800")
    layout = load(
        with_camera(table, 'source = "/dev/video0"', *size, 'enrolled = ["blue.back.npz"]')
    )
    assert layout.camera is not None
    assert layout.camera.enrolled == (str(table.parent / "blue.back.npz"),)
    assert layout.camera.album == str(table.parent / "journal-backs")


def test_what_keeps_backs_from_being_compared_is_told_all_at_once(table: Path) -> None:
    at_the_mouth(table, 960)
    (table.parent / "red.back.npz").write_text("no archive")
    size = ("width = 960", "height = 480")
    backs = 'enrolled = ["red.back.npz", "gone.back.npz"]'
    line = len(table.read_text().splitlines()) + 6
    at = f"table.toml:{line}: camera.enrolled"
    broken, gone, coarse = faults_of(with_camera(table, 'source = "/dev/video0"', *size, backs))
    assert broken == (
        f"{at}[0]: found it is damaged or another kind of file, expected what misdeal backs enrol "
        "wrote"
    )
    assert gone.startswith(f'{at}[1]: found "gone.back.npz", expected a file (')
    assert coarse == (
        f"{at}: found 2.4 px a millimetre at shoe, expected at least 2.5: a camera that is nearer, "
        "or a finer one"
    )


def test_a_table_starts_the_process_of_its_camera_and_journals_what_it_tells(table: Path) -> None:
    write_calibration(table.parent / FILE, calibration(), BARE)
    layout = load(with_camera(table, 'source = "nowhere.mp4"'))

    async def until_faulted(app: App) -> None:
        assert app.lookout is not None
        while not app.lookout.health().why.endswith("is not there"):  # noqa: ASYNC110
            await asyncio.sleep(0)
        await app.controller.say("")

    asyncio.run(attend(layout, until_faulted, start_clock=table_clock, rng=random.Random(1)))
    with JournalReader(layout.journal) as reader:
        events = [record.body for record in reader.records() if record.kind == "event"]
    assert len(events) == 1
    assert DeviceFaulted.__name__ in events[0]
    assert "is not there" in events[0]
