"""The wiring: readers, engine, journal, door and screens of one table, in one loop."""

import asyncio
import json
import random
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from engine.docket import Ruling
from engine.events import AnyEvent
from engine.watch import Watch, next_due, public, view
from firmware_bridge.bridge import Bridge, ReaderHealth
from misdeal import __version__
from misdeal.clock import Clock, StartClock, as_utc, stopwatch_ns
from misdeal.controller import Controller
from misdeal.door import open_door
from misdeal.errors import JournalDivergedError, JournalWriteError
from misdeal.feed import Feed, Shown
from misdeal.health import as_reader
from misdeal.journal import Entry, Journal, JournalReader, Kind
from misdeal.replay import resume
from misdeal.sealing import key_path, seal_of
from misdeal.signals import Signals
from misdeal.tablefile import Layout

if TYPE_CHECKING:
    from misdeal.lookout import Lookout

# How long the loop may keep the interpreter while the journal's thread waits for it. Measured from
# byte to ruling on two busy cores: 3.7 ms with this, 5.0 ms with Python's 5 ms.
_HANDOVER_S = 0.0005

# How long the devices have to shut the gate and sound when the journal fails; chosen: nobody who
# is told to stop dealing minds the wait.
_LAST_WORD_S = 0.5

# Rulings of before that are still told to whoever comes: those of some fifty hands.
_PAST = 200


class App(Struct, frozen=True, kw_only=True):
    """A table that is being watched."""

    layout: Layout
    clock: Clock
    feed: Feed
    bridge: Bridge
    controller: Controller
    lookout: "Lookout | None" = None
    """The camera, where the table has one whose source is known."""
    past: tuple[tuple[int, Ruling], ...] = ()
    """The last rulings that the journal held already, with their times, fit to be shown."""

    def health(self) -> tuple[ReaderHealth, ...]:
        """Return how every reader does, and the camera, which is shown as one more of them."""
        readers = self.bridge.health()
        return readers if self.lookout is None else (*readers, as_reader(self.lookout.health()))


Work = Callable[[App], Awaitable[None]]
"""Something that is done while a table is watched: a screen, the demo's dealer."""


async def attend(layout: Layout, *works: Work, start_clock: StartClock, rng: random.Random) -> None:
    """Watch a table until one of the works is done, or until cancelled.

    A journal that is there already is gone on with: the table is what it was.

    Args:
        layout: The table.
        works: What else is done meanwhile; the first that ends, ends the watching.
        start_clock: Starts the table's clock behind the last moment that the journal knows.
        rng: Spreads the readers' tries to reconnect.

    Raises:
        JournalError: If the journal cannot be gone on with, or not be written any more.
        OSError: If the socket cannot be made.
        WiringError: If two readers are wired to one device.
    """
    sys.setswitchinterval(_HANDOVER_S)
    with _open_journal(layout) as journal:
        with JournalReader(layout.journal) as reader:
            signals = Signals(layout.file.reader)
            past: deque[tuple[int, Ruling]] = deque(maxlen=_PAST)

            def follow(event: AnyEvent, rulings: tuple[Ruling, ...]) -> None:
                signals.follow(event, rulings)
                past.extend((event.at_ns, ruling) for ruling in rulings)

            watch, last_ns, divergence = resume(reader, follow)
        if divergence is not None:
            raise JournalDivergedError(layout.journal, divergence.row)
        clock = start_clock(last_ns)
        app = _assemble(layout, watch, journal, clock, rng, signals)
        app = replace(app, past=tuple((at_ns, public(watch, each)) for at_ns, each in past))
        door = await open_door(layout.socket, app.controller.say)
        _note(journal, "started", clock(), engine=__version__, table=layout.header["table"])
        try:
            await _until_first(
                app.controller.consume(),
                app.controller.tick(),
                _fail_with(journal, partial(signals.stop, app.bridge.command)),
                *([app.bridge.run()] if layout.readers else []),
                *([app.lookout.run()] if app.lookout else []),
                *(_run(work, app) for work in works),
            )
        finally:
            await app.bridge.close()
            await door.close()
            _note(journal, "ended", clock())
            journal.append([Entry("head", clock(), "shift")], lambda: None)
    if journal.failure.done():
        journal.failure.result()


async def until_terminated(app: App) -> None:
    """Do nothing until the process is asked to end."""
    del app
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, asked.set)
    try:
        await asked.wait()
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _assemble(
    layout: Layout,
    watch: Watch,
    journal: Journal,
    clock: Clock,
    rng: random.Random,
    signals: Signals,
) -> App:
    def look_ahead(watch: Watch) -> None:
        due = next_due(watch)
        bridge.prefer([due[0]] if due else [])

    def signal_to_people(event: AnyEvent, shown: Shown) -> None:
        signals.follow(event, shown.rulings)
        signals.show(shown.table.in_force, bridge.command)

    feed = Feed()
    controller = Controller(
        watch, journal, feed, clock=clock, on_move=look_ahead, on_told=signal_to_people
    )
    bridge = Bridge(
        layout.readers,
        layout.setup.packs,
        emit=controller.offer,
        clock=clock,
        rng=rng,
        near=layout.near,
    )
    signals.show(view(watch).in_force, bridge.command)
    return App(
        layout=layout,
        clock=clock,
        feed=feed,
        bridge=bridge,
        controller=controller,
        lookout=_look_out(layout, controller, clock),
    )


def _look_out(layout: Layout, controller: Controller, clock: Clock) -> "Lookout | None":
    if layout.camera is None:
        return None
    from misdeal.lookout import Lookout  # noqa: PLC0415 - OpenCV takes a tenth of a second

    # The process stamps by the monotonic clock, which all processes of a machine share.
    task = replace(layout.camera, ahead_ns=clock() - stopwatch_ns())
    return Lookout(task, emit=controller.offer, clock=clock)


def _open_journal(layout: Layout) -> Journal:
    try:
        seal = seal_of(layout.journal, layout.file.name)
    except OSError as error:
        raise JournalWriteError(key_path(layout.journal), str(error)) from error
    return Journal(layout.journal, layout.header, seal=seal)


def _note(journal: Journal, kind: Kind, at_ns: int, **said: str) -> None:
    body = json.dumps({"utc": as_utc(at_ns), **said}, ensure_ascii=False)
    journal.append([Entry(kind, at_ns, body)], lambda: None)


async def _run(work: Work, app: App) -> None:
    await work(app)


async def _fail_with(journal: Journal, stop: Callable[[], bool]) -> None:
    """Wait until the journal fails; have the devices stop the deal then, and fail with it."""
    failed, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed when the last rows of all fail
            loop.call_soon_threadsafe(failed.set)

    journal.failure.add_done_callback(wake)
    await failed.wait()
    if stop():
        await asyncio.sleep(_LAST_WORD_S)
    journal.failure.result()


async def _until_first(*works: Coroutine[Any, Any, None]) -> None:
    """Run works side by side; when one ends or fails, end the others and do as it did."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
