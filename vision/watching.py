"""The process that watches a camera: pictures in, events out as lines, until its owner is gone.

A camera blocks and an eye computes, so both are kept away from the loop of the table. The first
line of the input says what is watched; the end of the input ends the process, so that none is
left over whichever way its owner ended.
"""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

import cv2
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.events import BackSighted, DeviceFaulted, DeviceRestored
from vision.album import Album
from vision.backfile import read_back
from vision.calibrate import Calibration
from vision.camera import Lost, Newest, film
from vision.errors import CameraError
from vision.health import CAMERA
from vision.resting import RestingBacks
from vision.seen import Eye, Picture
from vision.sources import Shot, Wanted
from vision.watcher import CameraEvent, Watcher

PULSE_NS = 1_000_000_000
"""How often the process tells that it lives."""

FOUND_NS = 500_000_000
"""What the camera finds within this after it begins to see lay there before. Chosen: the looks that
must agree take a third of it, and a card that a dealer pitches in it was pitched at a blind eye."""

_WAIT_S = 0.25
"""How long a picture is waited for before time is let pass without one."""


_NICE = 5
"""By how much the process gives way: a ruling comes before a picture."""


class Task(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is watched: the first line to the process."""

    wanted: Wanted
    calibration: Calibration
    bare: str
    """The picture of the bare table that was calibrated with."""
    enrolled: tuple[str, ...] = ()
    """The files of the enrolled backs with which backs are compared."""
    album: str = ""
    """The folder in which pictures of marked backs are kept."""
    ahead_ns: int = 0
    """How far the table's clock is ahead of the machine's monotonic one."""
    tells_backs: bool = True
    """Whether cards that come to lie face down are told."""
    is_down: bool = False
    """Whether the table takes the camera for faulted, so that it must hear when it is not."""


class Pulse(Struct, frozen=True, kw_only=True):
    """How the watching went since the last pulse."""

    frames: int
    """Pictures that were looked at."""
    dropped: int
    """Pictures that a newer one replaced before they were looked at."""
    looking_ms: float
    """The longest that one took, decoding included."""


class Told(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line from the process."""

    event: CameraEvent | None = None
    pulse: Pulse | None = None


class Watching(Protocol):
    """Whatever makes events of pictures: a ``Watcher``."""

    def see(self, frame: Picture, at_ns: int) -> list[CameraEvent]:
        """Take a picture and when it was captured."""

    def lose(self, reason: str, at_ns: int) -> list[CameraEvent]:
        """Take note that there are no pictures any more, and why."""

    def pass_time(self, now_ns: int) -> list[CameraEvent]:
        """Take note that no picture has come until now."""


def attend(
    newest: Newest,
    watcher: Watching,
    tell: Callable[[Told], None],
    *,
    clock_ns: Callable[[], int] = time.monotonic_ns,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Look at the newest picture, again and again.

    Args:
        newest: Where it is.
        watcher: Looks at it.
        tell: Takes the events, by the monotonic clock, and a pulse every second.
        clock_ns: The monotonic clock.
        is_over: Asked after each look whether that is enough.
    """
    pulse_ns, frames, dropped, longest_ns = clock_ns(), 0, newest.dropped, 0
    newcomers = Newcomers()
    while not is_over():
        news = newest.take(_WAIT_S)
        start_ns = clock_ns()
        if isinstance(news, Shot):
            newcomers.begin(news.at_ns)
        for event in newcomers.among(_look(news, watcher, start_ns)):
            tell(Told(event=event))
        end_ns = clock_ns()
        if isinstance(news, Shot):
            frames, longest_ns = frames + 1, max(longest_ns, end_ns - start_ns)
        if end_ns - pulse_ns >= PULSE_NS:
            since, dropped = newest.dropped - dropped, newest.dropped
            tell(Told(pulse=Pulse(frames=frames, dropped=since, looking_ms=longest_ns / 1e6)))
            pulse_ns, frames, longest_ns = end_ns, 0, 0


class Newcomers:
    """Leaves out the backs that the camera finds when it begins to see, or sees again.

    They did not come then. A reader has told them long ago, and the engine would take them for
    others that no reader hears. Faces are told: one that lies open then is open now.
    """

    def __init__(self) -> None:
        self._sees_ns: int | None = None

    def begin(self, at_ns: int) -> None:
        """Take the time of a picture; only that of the first one counts."""
        if self._sees_ns is None:
            self._sees_ns = at_ns

    def among(self, events: Iterable[CameraEvent]) -> Iterator[CameraEvent]:
        """Yield the events that tell of what has come about."""
        for event in events:
            if isinstance(event, DeviceRestored):
                self._sees_ns = event.at_ns
            is_found = self._sees_ns is not None and event.at_ns <= self._sees_ns + FOUND_NS
            if not (isinstance(event, BackSighted) and is_found):
                yield event


def _look(news: Shot | Lost | None, watcher: Watching, now_ns: int) -> Iterable[CameraEvent]:
    match news:
        case Lost():
            return watcher.lose(news.reason, news.at_ns)
        case Shot() if (picture := news.picture()) is not None:
            return watcher.see(picture, news.at_ns)
        case _:
            return watcher.pass_time(now_ns)


def run(orders: BinaryIO, reports: BinaryIO, make_watcher: Callable[[Task], Watching]) -> None:
    """Watch what the first order says; returns only where that fails, and tells why.

    Args:
        orders: Where the task comes from; at its end the process ends.
        reports: Where the lines go.
        make_watcher: Makes what looks at the pictures.
    """
    task = msgspec.json.decode(orders.readline(), type=Task)
    _end_with(orders)
    clock_ns = time.monotonic_ns

    def tell(told: Told) -> None:
        if isinstance(told.event, BackSighted) and not task.tells_backs:
            return
        if told.event is not None:
            event = replace(told.event, at_ns=told.event.at_ns + task.ahead_ns)
            told = Told(event=event)
        reports.write(msgspec.json.encode(told) + b"\n")
        reports.flush()

    try:
        watcher = make_watcher(task)
        if task.is_down:
            watcher.lose("", clock_ns())  # what the table knows already
        newest = Newest()
        threading.Thread(target=film, args=(task.wanted, newest), daemon=True).start()
        attend(newest, watcher, tell)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the table must hear of it
        why = str(error) if isinstance(error, CameraError) else _our_fault(error)
        fault = DeviceFaulted(device=CAMERA, reason=why, at_ns=clock_ns())
        tell(Told(event=fault))


def _our_fault(error: Exception) -> str:
    if os.environ.get("MISDEAL_DEBUG"):
        traceback.print_exc()
    return f"watching it failed: {type(error).__name__}: {error}"


def _end_with(orders: BinaryIO) -> None:
    """End the process when its input ends, whatever it is doing."""

    def wait() -> None:
        # Not by the buffer, whose lock a thread that waits would hold when the process ends.
        while os.read(orders.fileno(), 4096):
            pass
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def bare_table(task: Task) -> Picture:
    """Return the picture of the bare table.

    Raises:
        CameraError: If it cannot be read.
    """
    file = Path(task.bare)
    bare = cv2.imread(str(file), cv2.IMREAD_COLOR) if file.is_file() else None
    if bare is None:
        raise CameraError(task.bare, "is no picture of the bare table; run misdeal calibrate")
    return bare.astype("uint8", copy=False)


def watch_table(task: Task) -> Watching:
    """Return a watcher with the eye that ships.

    Raises:
        CameraError: If there is no picture of the bare table.
        BackFileError: If a back that was enrolled cannot be read.
    """
    from vision.eye import open_eye  # noqa: PLC0415 - only who watches loads the networks

    eye = open_eye(task.calibration.card_width_px())
    return Watcher(task.calibration, bare_table(task), eye, resting_backs(task, eye))


def resting_backs(task: Task, eye: Eye) -> RestingBacks | None:
    """Return what compares backs; None where none are enrolled.

    Raises:
        BackFileError: If one cannot be read.
        OSError: If there is none.
    """
    if not task.enrolled:
        return None
    models = [read_back(Path(file).read_bytes(), file) for file in task.enrolled]
    album = Album(Path(task.album), ahead_ns=task.ahead_ns)
    return RestingBacks(task.calibration, models, eye, album.keep)


def main(make_watcher: Callable[[Task], Watching] = watch_table) -> int:
    """Watch until the input ends."""
    cv2.setNumThreads(1)  # one core is the eye's, the other one is the table's
    os.nice(_NICE)
    try:
        run(sys.stdin.buffer, sys.stdout.buffer, make_watcher)
    except BrokenPipeError:
        os._exit(0)  # nobody reads any more; closing the pipe would say so again
    return 1


if __name__ == "__main__":
    sys.exit(main())
