"""The camera of a table as the controller holds it: a process that watches, and what it tells.

The process has its own core's worth of work and its own way to die: one that ends, or is silent
for long, is a faulted camera, and another one is started.
"""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import vision
from engine.events import AnyEvent, DeviceFaulted, DeviceRestored
from vision.health import CAMERA
from vision.watching import Pulse, Task, Told

SILENCE_S = 15.0
"""A process that does not tell that it lives for so long is ended; it has a pulse every second, and
needs some to load its libraries on a busy machine (assumed)."""

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
"""How long is waited before another process is started: twice as long each time, until one sees."""

_LEAVE_S = 2.0
"""How long a process has to end by itself."""

Pipe = TypeVar("Pipe")

COMMAND = (sys.executable, "-P", "-m", "vision.watching")


class CameraHealth(Struct, frozen=True, kw_only=True):
    """How the camera does."""

    is_well: bool
    why: str = ""
    fps: float = 0.0
    """Pictures that were looked at in the last second."""
    looking_ms: float = 0.0
    """The longest that one took in the last second."""
    frames: int = 0
    """Pictures that were looked at since the start."""
    restarts: int = 0
    """How often another process had to be started."""
    last_good_ns: int | None = None
    """When it last told that it looks, on the table's clock."""


class Lookout:
    """Keeps a process that watches the camera.

    Args:
        task: What it watches.
        emit: Takes its events.
        clock: The table's clock.
        command: Starts it.
        sleep: Waits before another one is started.
        silence_s: How long it may be silent.
    """

    def __init__(
        self,
        task: Task,
        *,
        emit: Callable[[AnyEvent], None],
        clock: Callable[[], int],
        command: Sequence[str] = COMMAND,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._task = task
        self._emit = emit
        self._clock = clock
        self._command = command
        self._sleep = sleep
        self._silence_s = silence_s
        self._fault: str | None = None
        self._frames = 0
        self._restarts = 0
        self._last_good_ns: int | None = None
        self.pulse: Pulse | None = None
        """The last one of the process that watches now."""

    def health(self) -> CameraHealth:
        """Return how the camera does."""
        waits = "" if self.pulse is not None else "it has not been seen through yet"
        why = self._fault if self._fault is not None else waits
        return CameraHealth(
            is_well=not why,
            why=why,
            fps=self.pulse.frames if self.pulse else 0.0,
            looking_ms=self.pulse.looking_ms if self.pulse else 0.0,
            frames=self._frames,
            restarts=self._restarts,
            last_good_ns=self._last_good_ns,
        )

    async def run(self) -> None:
        """Watch until cancelled."""
        wait_s = FIRST_WAIT_S
        while True:
            why = await self._attend()
            if self._fault is None:
                self._take(DeviceFaulted(device=CAMERA, reason=why, at_ns=self._clock()))
            if self.pulse is not None:
                wait_s = FIRST_WAIT_S
            await self._sleep(wait_s)
            self._restarts += 1
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _attend(self) -> str:
        """Start a process and take what it tells; return why it came to its end."""
        self.pulse = None
        process = await self._start()
        try:
            return await self._listen(process)
        finally:
            await _end(process)

    async def _start(self) -> Process:
        # The child finds the very packages that started it, not others of the same name.
        home = str(Path(vision.__file__).parents[1])
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            env={
                # A camera that is silent is lost after 2 s, as vision.sources has it for others.
                "OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "2",
                # One thread holds back no picture while others are decoded.
                "OPENCV_FFMPEG_THREADS": "1",
                # What is wrong is told as an event.
                "OPENCV_LOG_LEVEL": "OFF",
                "OPENCV_FFMPEG_LOGLEVEL": "-8",
                **os.environ,
                "PYTHONPATH": home,
            },
            start_new_session=True,  # Ctrl-C is for the program, which then ends the process
        )
        task = replace(self._task, is_down=self._fault is not None)
        _present(process.stdin).write(msgspec.json.encode(task) + b"\n")
        return process

    async def _listen(self, process: Process) -> str:
        lines = _present(process.stdout)
        while True:
            try:
                line = await asyncio.wait_for(lines.readline(), self._silence_s)
            except TimeoutError:
                return f"the process that watches it was silent for {self._silence_s:.0f} s"
            if not line:
                return f"the process that watches it ended with status {await process.wait()}"
            with contextlib.suppress(msgspec.MsgspecError):  # what a library may print
                self._hear(msgspec.json.decode(line, type=Told))

    def _hear(self, told: Told) -> None:
        if told.pulse is not None:
            self.pulse = told.pulse
            self._frames += told.pulse.frames
            self._last_good_ns = self._clock() if told.pulse.frames else self._last_good_ns
        if told.event is not None:
            self._take(told.event)

    def _take(self, event: AnyEvent) -> None:
        match event:
            case DeviceFaulted(device="camera"):
                self._fault = event.reason
            case DeviceRestored(device="camera"):
                self._fault = None
            case _:
                pass
        self._emit(event)


async def _end(process: Process) -> None:
    """End a process: gently, then by force."""
    _present(process.stdin).close()
    try:
        async with asyncio.timeout(_LEAVE_S):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _present(pipe: Pipe | None) -> Pipe:
    if pipe is None:
        raise RuntimeError("the process was started without pipes")
    return pipe
