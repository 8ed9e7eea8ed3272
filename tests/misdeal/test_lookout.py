"""The camera's process as the controller holds it: heard, ended, started anew."""

import asyncio
import sys
from collections.abc import Callable

import msgspec
import pytest

from engine.cards import BOARD, Card
from engine.coverage import unwatched
from engine.events import AnyEvent, CardSighted, DeviceFaulted, DeviceRestored
from hw_fixtures.picture.calibrated import calibration
from misdeal.health import as_reader, reader_words, unwatched_clauses
from misdeal.lookout import CameraHealth, Lookout
from misdeal.tablefile import Layout
from vision.sources import Wanted
from vision.watching import Pulse, Task, Told

TASK = Task(wanted=Wanted(source="nowhere"), calibration=calibration(), bare="", ahead_ns=600)

SIGHT = CardSighted(at_ns=5, place=BOARD, card=Card("9h"))
FAULT = DeviceFaulted(device="camera", reason="is dark", at_ns=6)
RESTORED = DeviceRestored(device="camera", at_ns=7)


def line(event: AnyEvent | None = None, pulse: Pulse | None = None) -> str:
    return msgspec.json.encode(Told(event=event, pulse=pulse)).decode()  # type: ignore[arg-type]


def saying(*lines: str, then: str = "") -> tuple[str, ...]:
    """Return the command of a process that says some lines, and then does something."""
    script = f"import sys, os, json\ntask = json.loads(sys.stdin.readline())\n{'{}'}"
    said = "\n".join(f"print({text!r}, flush=True)" for text in lines)
    return (sys.executable, "-c", script.replace("{}", f"{said}\n{then}"))


STAY = "sys.stdin.read()"


class Table:
    """What a table hears of its camera."""

    def __init__(self, command: tuple[str, ...], *, silence_s: float = 30.0) -> None:
        self.events: list[AnyEvent] = []
        self.waits: list[float] = []
        self.lookout = Lookout(
            TASK,
            emit=self.events.append,
            clock=lambda: 1_000,
            command=command,
            sleep=self._sleep,
            silence_s=silence_s,
        )

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)

    def watch_until(self, is_so: Callable[[], bool]) -> None:
        async def watch() -> None:
            running = asyncio.create_task(self.lookout.run())
            while not is_so() and not running.done():  # noqa: ASYNC110 - half of it is no event
                await asyncio.sleep(0)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

        asyncio.run(asyncio.wait_for(watch(), 30))


def test_what_the_process_tells_is_passed_on() -> None:
    pulse = Pulse(frames=30, dropped=0, looking_ms=12.5)
    table = Table(saying(line(SIGHT), "what a library prints", line(None, pulse), then=STAY))
    table.watch_until(lambda: table.lookout.health().is_well)
    assert table.events == [SIGHT]
    assert table.lookout.health() == CameraHealth(
        is_well=True, fps=30, looking_ms=12.5, frames=30, last_good_ns=1_000
    )


def test_a_camera_is_not_well_before_it_was_seen_through() -> None:
    table = Table(saying(line(SIGHT), then=STAY))
    table.watch_until(lambda: bool(table.events))
    assert table.lookout.health().why == "it has not been seen through yet"


def test_a_fault_is_told_and_shown_until_it_is_over() -> None:
    seen: list[CameraHealth] = []
    table = Table(saying(line(FAULT), then=STAY))
    table.watch_until(lambda: bool(table.events))
    seen.append(table.lookout.health())
    table = Table(saying(line(FAULT), line(RESTORED), then=STAY))
    table.watch_until(lambda: len(table.events) == 2)
    seen.append(table.lookout.health())
    assert [health.why for health in seen] == ["is dark", "it has not been seen through yet"]


def test_a_process_that_ends_is_a_fault_and_another_one_is_started_later_each_time() -> None:
    table = Table(saying(then="sys.exit(3)"))
    table.watch_until(lambda: len(table.waits) == 3)
    why = "the process that watches it ended with status 3"
    assert table.events == [DeviceFaulted(device="camera", reason=why, at_ns=1_000)]
    assert table.waits == [0.5, 1.0, 2.0]


def test_a_process_that_is_killed_is_a_fault() -> None:
    table = Table(saying(line(SIGHT), then="os.kill(os.getpid(), 9)"))
    table.watch_until(lambda: bool(table.waits))
    (_, fault) = table.events
    assert isinstance(fault, DeviceFaulted)
    assert fault.reason == "the process that watches it ended with status -9"


def test_a_process_that_saw_something_is_replaced_soon() -> None:
    pulse = line(None, Pulse(frames=30, dropped=0, looking_ms=1.0))
    table = Table(saying(pulse))
    table.watch_until(lambda: len(table.waits) == 3)
    assert table.waits == [0.5, 0.5, 0.5]


def test_the_next_process_hears_that_the_camera_is_faulted_and_how_far_the_clock_is() -> None:
    say = """
pulse = {"frames": int(task["is_down"]), "dropped": 0, "looking_ms": task["ahead_ns"]}
print(json.dumps({"pulse": pulse}), flush=True)
"""
    table = Table(saying(then=say))
    seen: list[tuple[float, float]] = []

    def note() -> bool:
        pulse = table.lookout.pulse
        if pulse is not None:
            seen.append((pulse.frames, pulse.looking_ms))
        return len(table.waits) == 2

    table.watch_until(note)
    assert sorted(set(seen)) == [(0, 600), (1, 600)]


def test_a_process_that_is_silent_is_ended() -> None:
    table = Table(saying(then="import time; time.sleep(60)"), silence_s=0.0)
    table.watch_until(lambda: bool(table.waits))
    (fault,) = table.events
    assert isinstance(fault, DeviceFaulted)
    assert fault.reason == "the process that watches it was silent for 0 s"


@pytest.mark.parametrize("then", [STAY, "import time; time.sleep(60)"])
def test_no_process_is_left_when_the_table_is_closed(then: str) -> None:
    table = Table(saying(line(SIGHT), then=then))
    table.watch_until(lambda: bool(table.events))
    assert table.events == [SIGHT]


# ---------------------------------------------------------------- beside the readers
def test_the_camera_is_shown_as_one_more_reader_whose_turn_is_from_picture_to_picture() -> None:
    shown = as_reader(CameraHealth(is_well=True, fps=25, frames=99, restarts=2, last_good_ns=7))
    assert (shown.name, shown.state, shown.why, shown.places) == ("camera", "READY", "", ())
    assert (shown.cycle_ms, shown.frames, shown.restarts, shown.last_good_ns) == (40.0, 99, 2, 7)
    assert reader_words(shown) == "camera: well"


def test_a_camera_that_sees_nothing_says_why_and_what_is_not_watched(layout: Layout) -> None:
    shown = as_reader(CameraHealth(is_well=False, why="is dark"))
    assert shown.cycle_ms == 0.0
    assert reader_words(shown) == "camera: stale (is dark); unseen: which way up cards lie"
    missed = unwatched(layout.book, layout.setup, frozenset({"camera"}))
    assert unwatched_clauses(layout, [shown]) == tuple(
        dict.fromkeys(each.clause for each in missed)
    )
    assert "T-A1" in unwatched_clauses(layout, [shown])
