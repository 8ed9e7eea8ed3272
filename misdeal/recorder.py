"""Records a real reader: the port is opened, asked or listened to, and every byte is kept."""

import asyncio
import random
from collections.abc import Callable

from firmware_bridge.families import FAMILIES
from firmware_bridge.link import Backoff, Link, PortSettings
from firmware_bridge.wiring import ReaderSpec
from misdeal.recording import Conversation, Entry, Told


class Recorder:
    """The user of one link.

    Args:
        spec: The reader.
        take: Takes what happened, in order.
        clock: Gives the time in nanoseconds, from 0 where the recording begins.
        rng: Spreads the tries to reconnect.
        is_asked: Whether the reader is asked; else it is only listened to.
    """

    def __init__(
        self,
        spec: ReaderSpec,
        *,
        take: Callable[[Entry], None],
        clock: Callable[[], int],
        rng: random.Random,
        is_asked: bool,
    ) -> None:
        family = FAMILIES[spec.family]
        settings = PortSettings(path=spec.port, baud=spec.baud or family.baud, parity=family.parity)
        self._link = Link(settings, self, Backoff(rng))
        self._conversation = Conversation(spec) if is_asked else None
        self._take = take
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Record until cancelled."""
        try:
            await self._link.run()
        finally:
            if self._timer is not None:
                self._timer.cancel()
            await self._link.close()

    # ------------------------------------------------------------ told by the link
    def link_opened(self) -> None:
        """Begin a link."""
        now_ns = self._clock()
        self._take(Entry(at_ns=now_ns, kind="opened"))
        if self._conversation is not None:
            self._follow(self._conversation.open(now_ns), now_ns)

    def link_lost(self, why: str) -> None:
        """End a link."""
        now_ns = self._clock()
        self._take(Entry(at_ns=now_ns, kind="lost", why=why))
        if self._conversation is not None:
            self._follow(self._conversation.lose(why, now_ns), now_ns)

    def bytes_received(self, data: bytes) -> None:
        """Keep bytes of the reader, and go on asking."""
        now_ns = self._clock()
        self._take(Entry(at_ns=now_ns, kind="rx", hex=data.hex().upper()))
        if self._conversation is not None:
            self._follow(self._conversation.receive(data, now_ns), now_ns)

    def _tick(self) -> None:
        if self._conversation is not None:
            now_ns = self._clock()
            self._take(Entry(at_ns=now_ns, kind="tick"))
            self._follow(self._conversation.advance(now_ns), now_ns)

    def _follow(self, told: Told, now_ns: int) -> None:
        if told.write:
            self._take(Entry(at_ns=now_ns, kind="tx", hex=told.write.hex().upper()))
            self._link.write(told.write)
        if told.is_hopeless:
            self._link.drop("no handshake")
        self._set_timer(now_ns)

    def _set_timer(self, now_ns: int) -> None:
        due_ns = self._conversation.due_ns if self._conversation is not None else None
        if self._timer is not None:
            self._timer.cancel()
        if due_ns is not None:
            wait_s = max(0, due_ns - now_ns) / 1e9
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._tick)
