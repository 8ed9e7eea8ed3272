"""What is sent to the pages: one message an event, encoded once, kept for those who come back.

The messages lie in one ring. A page has no queue of its own but a place in the ring, so that a
page that reads slowly or not at all costs nothing and waits for itself alone. A page that comes
back goes on behind the last message that it had; one that has been away for longer than the ring
reaches, or comes from another controller, begins anew with a snapshot.
"""

import asyncio
import secrets
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import islice

import msgspec
from msgspec import Struct

from engine.docket import Ruling
from misdeal.feed import Shown
from misdeal.web.scene import LogLine, ReaderScene, TableScene, as_ms, ruling_scene, table_scene

RING = 1000
"""Messages that are kept: three minutes of a brisk deal. About 3 MB."""

LOG = 300
"""Lines of the log that a page begins with."""

PULSE_S = 1.0
"""How often a page hears that all is well; after three times that it says that it does not."""

BATCH = 50
"""Messages that are handed over at once to a page that has fallen behind."""


class Delta(Struct, frozen=True):
    """What an event changed."""

    now_ms: float
    table: TableScene
    log: tuple[LogLine, ...]


class ReadersNow(Struct, frozen=True):
    """How the readers do, and the clauses of which less is seen than with every reader."""

    now_ms: float
    readers: tuple[ReaderScene, ...]
    unwatched: tuple[str, ...]
    log: tuple[LogLine, ...] = ()


class Pulse(Struct, frozen=True):
    """All is well, and nothing has changed."""

    now_ms: float


class Snapshot(Struct, frozen=True, kw_only=True):
    """All that a page shows."""

    now_ms: float
    table: TableScene
    log: tuple[LogLine, ...]
    """Oldest first."""
    readers: tuple[ReaderScene, ...]
    unwatched: tuple[str, ...]


class Stream:
    """Everything that the pages of one table are sent.

    Args:
        first: The table as it stands.
        clock: The table's clock.
        past: Rulings of before, with their times, oldest first.
        epoch: Tells the messages of one controller from those of another.
    """

    def __init__(
        self,
        first: Shown,
        clock: Callable[[], int],
        *,
        past: Iterable[tuple[int, Ruling]] = (),
        epoch: str | None = None,
    ) -> None:
        self._clock = clock
        self._epoch = epoch or secrets.token_hex(4)
        self._ring: deque[bytes] = deque(maxlen=RING)
        self._count = 0
        self._arrived = asyncio.Event()
        self._since_ns: dict[str, int] = {}
        self._log: deque[LogLine] = deque(maxlen=LOG)
        self._readers = ReadersNow(0, (), ())
        for at_ns, ruling in past:
            self._note(ruling, at_ns)
        self._table = table_scene(first, self._since_ns)
        self._is_closed = False
        self.events = 0
        """Events that were told, since the start."""
        self._ruled: Counter[tuple[str, str]] = Counter()
        self.followers = 0
        """Pages that listen."""

    # ------------------------------------------------------------ what happens
    def tell(self, shown: Shown) -> None:
        """Take what is shown after an event."""
        self.events += 1
        lines = [self._note(ruling, shown.at_ns) for ruling in shown.rulings]
        self._ruled.update((each.verdict or "ask", each.state) for each in shown.rulings)
        if shown.said:
            line = LogLine(
                at_ms=as_ms(shown.at_ns), hand=shown.table.hand_no, said=shown.said, by=shown.by
            )
            self._log.append(line)
            lines.append(line)
        in_force = {ruling.id for ruling in shown.table.in_force}
        self._since_ns = {key: at for key, at in self._since_ns.items() if key in in_force}
        table = table_scene(shown, self._since_ns)
        if lines or table != self._table:
            self._table = table
            self._send("table", Delta(as_ms(shown.at_ns), table, tuple(lines)))

    def tell_readers(self, readers: tuple[ReaderScene, ...], unwatched: tuple[str, ...]) -> None:
        """Take how the readers do; a reader in another state than before is a line of the log."""
        was = {reader.name: _manner(reader) for reader in self._readers.readers}
        now_ms = as_ms(self._clock())
        lines = tuple(
            LogLine(at_ms=now_ms, hand=self._table.hand, reader=each.name, state=each.state)
            for each in readers
            if was.get(each.name, _manner(each)) != _manner(each)
        )
        self._log.extend(lines)
        self._readers = ReadersNow(now_ms, readers, unwatched, lines)
        self._send("readers", self._readers)

    def _note(self, ruling: Ruling, at_ns: int) -> LogLine:
        self._since_ns[ruling.id] = at_ns
        line = LogLine(at_ms=as_ms(at_ns), hand=ruling.hand, ruling=ruling_scene(ruling, at_ns))
        self._log.append(line)
        return line

    def _send(self, event: str, body: Struct) -> None:
        self._count += 1
        self._ring.append(_message(event, body, f"{self._epoch}-{self._count}"))
        self._arrived.set()
        self._arrived = asyncio.Event()

    # ------------------------------------------------------------ who listens
    def snapshot(self) -> Snapshot:
        """Return all that a page shows now."""
        return Snapshot(
            now_ms=as_ms(self._clock()),
            table=self._table,
            log=tuple(self._log),
            readers=self._readers.readers,
            unwatched=self._readers.unwatched,
        )

    def since(self, count: int) -> list[bytes]:
        """Return the messages behind so many, those of them that are still kept."""
        missing = min(self._count - count, len(self._ring))
        return list(islice(self._ring, len(self._ring) - missing, None))

    def close(self) -> None:
        """End every stream: the controller ends."""
        self._is_closed = True
        self._arrived.set()

    async def follow(
        self, last_id: str | None, is_welcome: Callable[[], Awaitable[bool]]
    ) -> AsyncIterator[bytes]:
        """Yield what a page is sent, from where it left off.

        Args:
            last_id: The id of the last message that it had; None for a page that begins.
            is_welcome: Asked about once in a pulse; the stream ends when it says no.
        """
        self.followers += 1
        loop = asyncio.get_running_loop()
        at, asked_s = self._place_of(last_id), loop.time()
        try:
            yield b"retry: 1000\n\n"
            while not self._is_closed:
                if loop.time() - asked_s >= PULSE_S:
                    asked_s = loop.time()
                    if not await is_welcome():
                        yield _message("signed-out", None)
                        return
                at, piece = self._next_piece(at)
                if piece or not await self._hears_something():
                    yield piece or _message("pulse", Pulse(as_ms(self._clock())))
        finally:
            self.followers -= 1

    def _next_piece(self, at: int | None) -> tuple[int, bytes]:
        """Return what a page is sent next, and its place behind that; nothing where it has all."""
        behind = self._count - at if at is not None else RING + 1
        if behind > len(self._ring):
            message_id = f"{self._epoch}-{self._count}"
            return self._count, _message("snapshot", self.snapshot(), message_id)
        batch = self.since(self._count - behind)[:BATCH]
        return self._count - behind + len(batch), b"".join(batch)

    def _place_of(self, last_id: str | None) -> int | None:
        """Return behind which message a page goes on; None for one that must begin anew."""
        epoch, _, number = (last_id or "").partition("-")
        if epoch != self._epoch or not number.isdecimal() or int(number) > self._count:
            return None
        return int(number)

    async def _hears_something(self) -> bool:
        """Wait for the next message, for as long as a pulse; say whether there was one."""
        try:
            async with asyncio.timeout(PULSE_S):
                await self._arrived.wait()
        except TimeoutError:
            return False
        return True

    @property
    def ruled(self) -> Counter[tuple[str, str]]:
        """How many rulings there were, by verdict and state."""
        return self._ruled


def _manner(reader: ReaderScene) -> object:
    return reader.is_well or reader.state


def _message(event: str, body: object, message_id: str = "") -> bytes:
    """Return a server-sent event. Source: WHATWG HTML, section 9.2."""
    head = f"id: {message_id}\n" if message_id else ""
    return f"{head}event: {event}\ndata: ".encode() + msgspec.json.encode(body) + b"\n\n"
