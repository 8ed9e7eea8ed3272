"""All readers of a table: ports, sessions, turns and presence, joined; it decides nothing."""

import asyncio
import logging
import random
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct

from engine.cards import Pack, Place
from engine.events import AnyEvent
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.link import Backoff, Link, PortSettings
from firmware_bridge.ports import check_devices
from firmware_bridge.presence import Presence
from firmware_bridge.register import Register
from firmware_bridge.rota import Rota
from firmware_bridge.session import Session, State, Step
from firmware_bridge.wiring import ReaderSpec, are_neighbours, check_wiring

_LOG = logging.getLogger(__name__)

DEALING_PACE_MS = 400.0
"""A round of the antennas that takes longer is slower than the deal.

Assumed: a brisk dealer pitches two to three cards a second.
"""

_BLIND: frozenset[State] = frozenset({"STALE", "WRONG_DEVICE", "LINK_LOST"})

_NS_PER_S = 1_000_000_000
_NS_PER_MS = 1_000_000


class ReaderHealth(Struct, frozen=True, kw_only=True):
    """How one reader does; counts are since the start."""

    name: str
    state: State
    why: str
    """The reason of the state; empty where all is well."""
    places: tuple[Place, ...]
    frames: int
    checksum_errors: int
    noise_bytes: int
    timeouts: int
    retries: int
    """Questions of the handshake that had to be asked again."""
    strays: int
    """Answers that nobody waited for."""
    restarts: int
    cycle_ms: float
    """How long the slowest antenna last waited from turn to turn; 0 before a second round."""
    is_slow: bool
    """Whether that is slower than cards are dealt."""
    is_degraded: bool
    """Whether more than 1 % of a minute's frames were bad."""
    last_good_ns: int | None


class Bridge:
    """Reads a table: opens its readers, keeps them open, and emits what they prove.

    ``at_ns`` of an event is the moment at which the bytes that completed its evidence were
    received.

    Args:
        specs: The readers.
        packs: The registered packs.
        emit: Takes each event, in order, from within the event loop; must not block.
        clock: Gives the table's time in nanoseconds.
        rng: Spreads the tries to reconnect.

    Raises:
        WiringError: If the readers cannot be wired so.
        RegisterError: If two packs claim one tag.
    """

    def __init__(
        self,
        specs: Sequence[ReaderSpec],
        packs: Sequence[Pack],
        *,
        emit: Callable[[AnyEvent], None],
        clock: Callable[[], int],
        rng: random.Random,
    ) -> None:
        check_wiring(specs)
        self._specs = tuple(specs)
        self._emit = emit
        self._presence = Presence(Register(packs))
        self._readers = [_Reader(self, spec, clock, Backoff(rng)) for spec in specs]

    async def run(self) -> None:
        """Read until the bridge is closed or the task is cancelled.

        Raises:
            WiringError: If two readers are wired to one device.
        """
        check_devices(self._specs)
        try:
            async with asyncio.TaskGroup() as group:
                for reader in self._readers:
                    group.create_task(reader.link.run())
        finally:
            await self.close()

    async def close(self) -> None:
        """Close every port; ``run`` returns. No device is faulted by it. May be called twice."""
        for reader in self._readers:
            await reader.close()

    def health(self) -> tuple[ReaderHealth, ...]:
        """Return how each reader does, in the order of the specs."""
        return tuple(reader.health() for reader in self._readers)

    def prefer(self, places: Collection[Place]) -> None:
        """Have the antennas of these places asked first: those that are due the next cards."""
        for reader in self._readers:
            reader.rota.prefer(places)

    # ------------------------------------------------------------ told by the readers
    def follow(self, reader: "_Reader", step: Step, now_ns: int) -> None:
        """Emit what a step of a reader's session proves; let whoever is free take a turn."""
        for poll in step.polls:
            self._tell(self._presence.take(poll))
        if reader.session.state in _BLIND:
            places = reader.spec.antennas.values()
            self._tell(self._presence.fault(places, reader.session.why, now_ns))
        for each in self._readers:
            each.take_turn(self._is_free, self._presence.is_unsure)

    def _tell(self, events: Iterable[AnyEvent]) -> None:
        for event in events:
            self._emit(event)

    def _is_free(self, place: Place) -> bool:
        """Say whether no other reader is polling a neighbour of a place."""
        asked = (reader.asked_place for reader in self._readers)
        return not any(other is not None and are_neighbours(place, other) for other in asked)


class _Reader:
    """One reader: carries bytes and time to its session, and what follows to the port."""

    def __init__(
        self, bridge: Bridge, spec: ReaderSpec, clock: Callable[[], int], backoff: Backoff
    ) -> None:
        dialect = DIALECTS[spec.family]()
        self.spec = spec
        self.session = Session(spec, dialect)
        self.rota = Rota(spec.antennas)
        settings = PortSettings(
            path=spec.port,
            baud=spec.baud or dialect.family.baud,
            parity=dialect.family.parity,
            reset_on_open=spec.reset_on_open,
        )
        self.link = Link(settings, self, backoff)
        self._bridge = bridge
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ns = 0
        self._logged: State | None = None

    @property
    def asked_place(self) -> Place | None:
        """The place that is being polled, if any."""
        antenna = self.session.asked
        return None if antenna is None else self.spec.antennas[antenna]

    async def close(self) -> None:
        """End the conversation and close the port; nothing is told."""
        if self._timer is not None:
            self._timer.cancel()
        self.session.lose("closed", self._clock())
        await self.link.close()

    def link_opened(self) -> None:
        """Begin the conversation."""
        now_ns = self._clock()
        self._follow(self.session.open(now_ns), now_ns)

    def link_lost(self, why: str) -> None:
        """End the conversation."""
        now_ns = self._clock()
        self._follow(self.session.lose(why, now_ns), now_ns)

    def bytes_received(self, data: bytes) -> None:
        """Carry bytes to the session."""
        now_ns = self._clock()
        self._follow(self.session.receive(data, now_ns), now_ns)

    def take_turn(
        self, is_free: Callable[[Place], bool], is_unsure: Callable[[Place], bool]
    ) -> None:
        """Ask the next antenna, if the reader is idle and one may be asked."""
        if not self.session.is_idle:
            return
        antenna = self.rota.choose(is_free, is_unsure)
        if antenna is None:
            return
        now_ns = self._clock()
        self.rota.take_turn(antenna, now_ns)
        step = self.session.ask(antenna, now_ns)
        self._set_timer(now_ns)
        self.link.write(step.write)

    def health(self) -> ReaderHealth:
        """Return how the reader does."""
        tally = self.session.tally
        cycle_ms = self.rota.cycle_ns / _NS_PER_MS
        return ReaderHealth(
            name=self.spec.name,
            state=self.session.state,
            why=self.session.why,
            places=tuple(self.spec.antennas.values()),
            frames=tally.frames,
            checksum_errors=tally.checksum_errors,
            noise_bytes=tally.noise_bytes,
            timeouts=tally.timeouts,
            retries=tally.retries,
            strays=tally.strays,
            restarts=tally.restarts,
            cycle_ms=cycle_ms,
            is_slow=cycle_ms > DEALING_PACE_MS,
            is_degraded=tally.is_degraded,
            last_good_ns=self.session.last_good_ns,
        )

    def _tick(self) -> None:
        self._timer = None
        now_ns = self._clock()
        self._follow(self.session.advance(now_ns), now_ns)

    def _follow(self, step: Step, now_ns: int) -> None:
        if step.state is not None:
            self._note_state(step.state)
        if step.write:
            self.link.write(step.write)
        self._bridge.follow(self, step, now_ns)
        self._set_timer(now_ns)
        if step.is_hopeless:
            self.link.drop(f"no handshake for {self.spec.connect_s:g} s")

    def _note_state(self, state: State) -> None:
        """Log a new state, but not a quarantine: it is over at once, and the counters tell it."""
        if state == "READY":
            self.link.praise()
        if state in ("QUARANTINED", self._logged):
            return
        self._logged = state
        why = f": {self.session.why}" if self.session.why else ""
        _LOG.info("reader %s is %s%s", self.spec.name, state, why)

    def _set_timer(self, now_ns: int) -> None:
        """See to it that the session's time comes; a timer that rings too early is left alone."""
        due_ns = self.session.due_ns
        if due_ns is None or (self._timer is not None and self._timer_ns <= due_ns):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ns = due_ns
        wait_s = max(0, due_ns - now_ns) / _NS_PER_S
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._tick)
