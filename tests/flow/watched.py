"""A table that is watched in a thread of its own, so that a browser can be driven beside it."""

import asyncio
import random
import select
import socket
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from argon2 import PasswordHasher

from engine.cards import SHOE, Place, Tag
from engine.events import AnyEvent
from hw_fixtures.packs import demo_packs, own_cards
from hw_fixtures.simulated import SimulatedReaders
from misdeal.app import App, attend
from misdeal.clock import table_clock
from misdeal.demo import until_ready, write_table
from misdeal.door import Answer
from misdeal.people import People
from misdeal.tablefile import load
from misdeal.web.serving import Page

SEED = 5
PASSWORD = "correct horse battery"  # noqa: S105 - opens nothing
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

_T = TypeVar("_T")


class Watched:
    """A table with a page; its readers are simulated, or it has none.

    Args:
        folder: Where its files go.
        changes: What is written otherwise into the demo's table file.
        has_readers: Whether it has readers.
    """

    def __init__(self, folder: Path, changes: dict[str, str], *, has_readers: bool = False) -> None:
        self._folder = folder
        self._changes = changes
        self._has_readers = has_readers
        self._up: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._pack = [line.tag for line in own_cards(demo_packs(SEED)[0])]
        self.app: App
        self.page: Page
        self.readers: SimulatedReaders
        self._loop: asyncio.AbstractEventLoop
        self._over: asyncio.Event

    def __enter__(self) -> Self:
        self._thread.start()
        self._up.result(timeout=30)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(timeout=30)

    def do(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Do something in the table's thread and return what it gives."""
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(timeout=30)

    def say(self, text: str) -> Answer:
        """Say something by the operator's door."""
        return self.do(lambda: self.app.controller.say(text))

    def offer(self, event: AnyEvent) -> None:
        """Let something happen."""
        self._loop.call_soon_threadsafe(self.app.controller.offer, event)

    def deal(self, *places: str) -> None:
        """Deal cards of the pack under the antennas, one after the other, each when it is read."""
        for place in places:
            tag = self._pack.pop()
            self.do(lambda tag=tag: self._carry(tag, SHOE))  # type: ignore[misc]
            self.do(lambda tag=tag, place=place: self._carry(tag, Place(place)))  # type: ignore[misc]

    async def _carry(self, tag: Tag, place: Place) -> None:
        """Carry a card to a place and wait until the table knows it there."""
        self.readers.move([tag], place)
        while not self._has(tag, place):  # noqa: ASYNC110 - what readers tell is no event of ours
            await asyncio.sleep(0.01)

    def _has(self, tag: Tag, place: Place) -> bool:
        seen = self.app.controller.watch.table.hand.cards.get(tag)
        return seen is not None and place in (*seen.path, SHOE)

    # ------------------------------------------------------------ in the thread
    def _run(self) -> None:
        try:
            asyncio.run(self._attend())
        except BaseException as error:
            if not self._up.done():
                self._up.set_exception(error)
            raise

    async def _attend(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        if not self._has_readers:
            await self._watch(write_table(self._folder, demo_packs(SEED), {}, wirings=()))
            return
        async with await SimulatedReaders.start() as self.readers:
            await self._watch(write_table(self._folder, demo_packs(SEED), self.readers.ports))

    async def _watch(self, path: Path) -> None:
        _change(path, self._changes)
        layout = load(path)
        people = People(layout.people, hasher=QUICK)
        for role in ("inspector", "dealer", "auditor"):
            if people.find(role) is None:
                people.add(role, role, PASSWORD)
        with Page(layout) as self.page:
            works = (self._until_over, self.page.serve)
            await attend(layout, *works, start_clock=table_clock, rng=random.Random(SEED))

    async def _until_over(self, app: App) -> None:
        self.app = app
        await until_ready(app)
        self._up.set_result(None)
        await self._over.wait()


def _change(path: Path, changes: dict[str, str]) -> None:
    text = path.read_text()
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)


class Cable:
    """A cable between a browser and a page, which can be pulled and put in again."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._is_in = True
        self._is_frozen = False
        self._wake, self._woken = socket.socketpair()
        self._is_over = False
        self._thread = threading.Thread(target=self._carry, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._wake.send(b"x")
        self._thread.join(timeout=10)
        for each in (self._listening, self._wake, self._woken):
            each.close()

    def pull(self) -> None:
        """Pull it: what is connected breaks, and nothing connects any more."""
        self._is_in = False
        self._wake.send(b"x")

    def plug(self) -> None:
        """Put it in again."""
        self._is_in = True

    def freeze(self, *, is_frozen: bool = True) -> None:
        """Let nothing through, and keep what is connected; or let it through again."""
        self._is_frozen = is_frozen
        self._wake.send(b"x")

    def _carry(self) -> None:
        while not self._is_over:
            heard = () if self._is_frozen else (self._listening, *self._pairs)
            ready, _, _ = select.select([self._woken, *heard], [], [])
            for each in ready:
                if each is self._listening:
                    self._connect()
                elif each is self._woken:
                    each.recv(16)
                elif each in self._pairs:
                    self._pass_on(each)
            if not self._is_in or self._is_over:
                for each in list(self._pairs):
                    self._drop(each)

    def _connect(self) -> None:
        near, _ = self._listening.accept()
        if not self._is_in:
            near.close()
            return
        far = socket.create_connection(("127.0.0.1", self._to))
        self._pairs[near], self._pairs[far] = far, near

    def _pass_on(self, source: socket.socket) -> None:
        try:
            data = source.recv(65536)
            if data:
                self._pairs[source].sendall(data)
        except OSError:
            data = b""
        if not data:
            self._drop(source)

    def _drop(self, one: socket.socket) -> None:
        other = self._pairs.pop(one, None)
        if other is not None:
            self._pairs.pop(other, None)
            other.close()
        one.close()
