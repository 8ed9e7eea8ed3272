"""The process that watches: what it looks at, what it tells, and that it ends with its owner."""

import os
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from engine.cards import BOARD, Card
from engine.events import BackSighted, CardSighted, DeviceFaulted, DeviceRestored
from hw_fixtures.picture.calibrated import calibration
from vision.camera import Lost, Newest
from vision.errors import CameraError
from vision.seen import Picture
from vision.sources import Shot, Wanted
from vision.watcher import CameraEvent
from vision.watching import Newcomers, Pulse, Task, Told, attend, bare_table

PICTURE = np.zeros((4, 4, 3), np.uint8)
SIGHT = CardSighted(at_ns=5, place=BOARD, card=Card("9h"))


class Noter:
    """A watcher that notes what it is shown, and tells one sight for each picture."""

    def __init__(self) -> None:
        self.noted: list[object] = []

    def see(self, frame: Picture, at_ns: int) -> list[CameraEvent]:
        self.noted.append(("see", frame.shape, at_ns))
        return [SIGHT]

    def lose(self, reason: str, at_ns: int) -> list[CameraEvent]:
        self.noted.append(("lose", reason, at_ns))
        return [DeviceFaulted(device="camera", reason=reason, at_ns=at_ns)]

    def pass_time(self, now_ns: int) -> list[CameraEvent]:
        self.noted.append(("pass", now_ns))
        return []


class Teller(Noter):
    """Tells a back with each sight, long after the camera began to see."""

    def see(self, frame: Picture, at_ns: int) -> list[CameraEvent]:
        return [SIGHT, BackSighted(at_ns=at_ns + 10**9, place=BOARD)]


class Script(Newest):
    """Gives one piece of news after the other without waiting."""

    def __init__(self, news: Iterable[Shot | Lost | None]) -> None:
        super().__init__()
        self.left = list(news)

    def take(self, wait_s: float) -> Shot | Lost | None:
        self.dropped += 2
        return self.left.pop(0)


def told(*news: Shot | Lost | None, step_ns: int = 100_000_000) -> tuple[Noter, list[Told]]:
    """Return what is noted and told of the news; each look at the clock takes a step."""
    watcher, script, lines = Noter(), Script(news), list[Told]()
    now_ns: Iterator[int] = iter(range(0, 10**12, step_ns))
    attend(
        script,
        watcher,
        lines.append,
        clock_ns=lambda: next(now_ns),
        is_over=lambda: not script.left,
    )
    return watcher, lines


def test_what_comes_is_looked_at_and_told() -> None:
    watcher, lines = told(Shot(7, PICTURE), Lost(8, "was cut off"), None, Shot(9, b"broken"))
    assert watcher.noted == [
        ("see", (4, 4, 3), 7),
        ("lose", "was cut off", 8),
        ("pass", 500_000_000),
        ("pass", 700_000_000),
    ]
    assert [line.event for line in lines] == [
        SIGHT,
        DeviceFaulted(device="camera", reason="was cut off", at_ns=8),
    ]


def test_a_pulse_tells_every_second_how_it_goes() -> None:
    # Two looks at the clock of 0.2 s for each picture: after the third 1.2 s are over.
    _, lines = told(*[Shot(at, PICTURE) for at in range(4)], step_ns=200_000_000)
    assert [line.pulse for line in lines if line.pulse] == [
        Pulse(frames=3, dropped=6, looking_ms=200.0)
    ]


def back(at_ms: int) -> BackSighted:
    return BackSighted(at_ns=at_ms * 1_000_000, place=BOARD)


def sight(at_ms: int) -> CardSighted:
    return CardSighted(at_ns=at_ms * 1_000_000, place=BOARD, card=Card("9h"))


def test_backs_that_lie_there_when_the_camera_begins_to_see_have_not_come_then() -> None:
    newcomers = Newcomers()
    for at_ms in (1000, 1033):
        newcomers.begin(at_ms * 1_000_000)
    events: list[CameraEvent] = [sight(1000), back(1000), back(1500), back(1501), sight(1502)]
    assert list(newcomers.among(events)) == [sight(1000), back(1501), sight(1502)]


def test_backs_that_lie_there_when_the_camera_sees_again_have_not_come_then() -> None:
    newcomers = Newcomers()
    newcomers.begin(0)
    restored = DeviceRestored(device="camera", at_ns=9_000_000_000)
    assert list(newcomers.among([sight(1000), back(8000)])) == [sight(1000), back(8000)]
    assert list(newcomers.among([restored, back(8900), back(9400), back(9600)])) == [
        *(restored, back(9600)),
    ]


def test_a_bare_table_that_is_no_picture_is_told(tmp_path: Path) -> None:
    file = tmp_path / "camera.png"
    task = Task(wanted=Wanted(source=""), calibration=calibration(), bare=str(file))
    with pytest.raises(CameraError, match="is no picture of the bare table; run misdeal calib"):
        bare_table(task)
    file.write_text("no picture")
    with pytest.raises(CameraError):
        bare_table(task)
    cv2.imwrite(str(file), PICTURE)
    assert bare_table(task).shape == (4, 4, 3)


# ---------------------------------------------------------------- as a process
FAKE = """
import sys
from tests.vision.test_watching import Teller
from vision.watching import bare_table, main

def make(task):
    bare_table(task)
    return 1 / 0 if task.wanted.source == "fail" else Teller()

sys.exit(main(make))
"""


class Process:
    """The process with a watcher that tells a sight for each picture."""

    def __init__(self, task: Task, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", FAKE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.orders, self.lines = self.process.stdin, self.process.stdout
        self.orders.write(msgspec.json.encode(task) + b"\n")
        self.orders.flush()

    def close(self) -> bytes:
        """Wait until it has ended; return what it complained about."""
        with self.process:
            assert self.process.stderr
            return self.process.stderr.read()

    def next_line(self) -> Told:
        return msgspec.json.decode(self.lines.readline(), type=Told)


@pytest.fixture
def task(tmp_path: Path) -> Task:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((48, 64, 3), np.uint8))
    return Task(
        wanted=Wanted(source=str(tmp_path)),
        calibration=calibration(),
        bare=str(tmp_path / "a.png"),
        ahead_ns=1_000_000,
    )


def test_the_process_tells_by_the_clock_of_the_table_and_ends_with_its_input(
    task: Task, root: Path
) -> None:
    running = Process(task, root)
    event = running.next_line().event
    assert event == CardSighted(at_ns=1_000_005, place=BOARD, card=Card("9h"))
    running.orders.close()
    assert (running.close(), running.process.returncode) == (b"", 0)


def test_a_process_that_is_not_to_tell_backs_tells_the_rest(task: Task, root: Path) -> None:
    for tells_backs, second in ((False, CardSighted), (True, BackSighted)):
        running = Process(msgspec.structs.replace(task, tells_backs=tells_backs), root)
        assert [type(running.next_line().event) for _ in range(2)] == [CardSighted, second]
        running.orders.close()
        running.close()


def test_a_process_whose_camera_is_faulted_already_does_not_tell_it_again(
    task: Task, root: Path
) -> None:
    running = Process(msgspec.structs.replace(task, is_down=True), root)
    assert isinstance(running.next_line().event, CardSighted)
    running.orders.close()
    running.close()


def test_a_process_that_cannot_begin_says_why_and_ends(task: Task, root: Path) -> None:
    running = Process(msgspec.structs.replace(task, bare="nowhere.png"), root)
    event = running.next_line().event
    assert isinstance(event, DeviceFaulted)
    assert event.reason == "nowhere.png is no picture of the bare table; run misdeal calibrate"
    assert (running.close(), running.process.returncode) == (b"", 1)


def test_a_process_whose_watcher_fails_says_so_without_a_traceback(task: Task, root: Path) -> None:
    running = Process(msgspec.structs.replace(task, wanted=Wanted(source="fail")), root)
    event = running.next_line().event
    assert isinstance(event, DeviceFaulted)
    assert event.reason == "watching it failed: ZeroDivisionError: division by zero"
    assert (running.close(), running.process.returncode) == (b"", 1)


def test_a_process_that_nobody_hears_ends_without_a_word(task: Task, root: Path) -> None:
    running = Process(task, root)
    running.next_line()
    running.lines.close()
    assert (running.close(), running.process.returncode) == (b"", 0)


OWNER = """
import subprocess, sys
child = subprocess.Popen(
    [sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
child.stdin.write(sys.argv[2].encode() + b"\\n")
child.stdin.flush()
child.stdout.readline()
print(child.pid, flush=True)
child.wait()
"""


def test_no_process_is_left_over_when_its_owner_is_killed(task: Task, root: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, FAKE, msgspec.json.encode(task).decode()],
        stdout=subprocess.PIPE,
        cwd=root,
    )
    assert owner.stdout
    left = os.pidfd_open(int(owner.stdout.readline()))
    owner.kill()
    owner.wait()
    assert select.select([left], [], [], 30)[0] == [left]
    os.close(left)
    owner.stdout.close()
