"""All readers of a table: ports, sessions, turns and presence, joined; it decides nothing."""

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from engine.cards import PACK, Pack, Place, Tag
from engine.events import AnyEvent
from firmware_bridge.actuators import Output
from firmware_bridge.copies import NearBy
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.errors import NoOutputsError
from firmware_bridge.link import Backoff, Link, PortSettings
from firmware_bridge.polls import Poll
from firmware_bridge.ports import check_devices
from firmware_bridge.presence import Presence
from firmware_bridge.register import Register
from firmware_bridge.rota import Rota
from firmware_bridge.session import Session, Step
from firmware_bridge.standing import State
from firmware_bridge.suspicion import Suspicion, Verifier
from firmware_bridge.turns import Turns
from firmware_bridge.wiring import ReaderSpec, are_neighbours, check_wiring

_LOG = logging.getLogger(__name__)

DEALING_PACE_MS = 400.0
"""A round of the antennas that takes longer is slower than the deal.

Assumed: a brisk dealer pitches two to three cards a second.
"""

MOST_SUSPICIONS = 100
"""How many are kept; the oldest go first."""

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
    repeats: int = 0
    """Numbered commands that were sent again."""
    overruns: int = 0
    """Bytes that the system lost or found garbled before we could read them."""
    outputs_due: int = 0
    """Orders to lamps, buzzer and gate that the device has not acknowledged yet."""
    outputs_refused: tuple[str, ...] = ()
    """Orders that it refused, and why."""


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
        signatures: The signatures of the tags that were registered with one.
        hand_cards: How many cards a hand of the game has; 0 where that is not known.
        near: Which places may hear each other's cards: what a survey found, else the layout.
        on_poll: Takes each look at each place, in order, before any of it is believed.

    Raises:
        WiringError: If the readers cannot be wired so.
        RegisterError: If two packs claim one tag.
    """

    def __init__(  # noqa: PLR0913 - what a table is made of, each by its name
        self,
        specs: Sequence[ReaderSpec],
        packs: Sequence[Pack],
        *,
        emit: Callable[[AnyEvent], None],
        clock: Callable[[], int],
        rng: random.Random,
        signatures: Mapping[Tag, bytes] | None = None,
        hand_cards: int = 0,
        near: NearBy = are_neighbours,
        on_poll: Callable[[Poll], None] | None = None,
    ) -> None:
        check_wiring(specs, hand_cards=hand_cards)
        self._specs = tuple(specs)
        self._emit = emit
        self._turns = Turns(near)
        self._on_poll = on_poll
        register = Register(packs, signatures)
        self._presence = Presence(register, near)
        self._verifier = Verifier(register)
        self._on_pad: tuple[Tag, ...] = ()
        self._suspicions: deque[Suspicion] = deque(maxlen=MOST_SUSPICIONS)
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

    def command(self, device: str, output: Output) -> None:
        """Have an output of a device set: now, and again until it acknowledges it.

        Args:
            device: The name of the reader that has it.
            output: What it shall do.

        Raises:
            NoOutputsError: If there is no such device, or it has no outputs.
        """
        reader = next((each for each in self._readers if each.spec.name == device), None)
        if reader is None or not DIALECTS[reader.spec.family].has_outputs:
            raise NoOutputsError(device)
        reader.command(output)

    def suspicions(self) -> tuple[Suspicion, ...]:
        """Return the tags that may be forged or copied, the latest last."""
        return tuple(self._suspicions)

    # ------------------------------------------------------------ told by the readers
    def follow(self, reader: "_Reader", step: Step, now_ns: int) -> None:
        """Emit what a step of a reader's session proves; let whoever is free take a turn."""
        for poll in step.polls:
            if self._on_poll is not None:
                self._on_poll(poll)
            self._note_pad(poll)
            self._tell(self._presence.take(poll))
        for tag, signature in step.signatures:
            self._suspect(self._verifier.take(tag, signature, PACK, now_ns))
        while self._presence.suspicions:
            self._suspect(self._presence.suspicions.pop(0))
        if reader.session.state in _BLIND:
            places = reader.spec.antennas.values()
            self._tell(self._presence.fault(places, reader.session.why, now_ns))
        for each in self._readers:
            each.take_turn(self._presence.is_unsure)

    def choose(self, reader: "_Reader", due: Collection[Place]) -> Place | None:
        """Return which of its places a reader may ask now, if any.

        Args:
            reader: Who asks.
            due: Its places, the most urgent first.
        """
        others = [each for each in self._readers if each is not reader]
        asked = [each.asked_place for each in others if each.asked_place is not None]
        working = [each.spec.antennas.values() for each in others if each.session.state == "READY"]
        return self._turns.choose(due, asked, frozenset(chain.from_iterable(working)))

    def tag_to_verify(self) -> Tag | None:
        """Return the tag on the pack pad that is to be asked for its signature next, if any."""
        return self._verifier.next_tag(self._on_pad)

    def _note_pad(self, poll: Poll) -> None:
        if poll.place == PACK and poll.outcome != "unknown":
            self._on_pad = poll.tags
            if poll.outcome == "empty":
                self._verifier.forget()

    def _suspect(self, suspicion: Suspicion | None) -> None:
        if suspicion is not None:
            self._suspicions.append(suspicion)
            _LOG.warning("%s", suspicion.why)

    def _tell(self, events: Iterable[AnyEvent]) -> None:
        for event in events:
            self._emit(event)


class _Reader:
    """One reader: carries bytes and time to its session, and what follows to the port."""

    def __init__(
        self, bridge: Bridge, spec: ReaderSpec, clock: Callable[[], int], backoff: Backoff
    ) -> None:
        dialect = DIALECTS[spec.family](spec.options)
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
        self._dialect = dialect
        self._pad = next((n for n, place in spec.antennas.items() if place == PACK), None)
        self._is_turn_of_signatures = False

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

    def take_turn(self, is_unsure: Callable[[Place], bool]) -> None:
        """Ask the next antenna, if the reader is idle and one may be asked."""
        if not self.session.is_idle:
            return
        now_ns = self._clock()
        step = self._ask_signature(now_ns)
        if step is None:
            due = self.rota.due(is_unsure)
            place = self._bridge.choose(self, due)
            if place is None:
                return
            antenna = due[place]
            self.rota.take_turn(antenna, now_ns)
            step = self.session.ask(antenna, now_ns)
        self._set_timer(now_ns)
        self.link.write(step.write)

    def command(self, output: Output) -> None:
        """Carry an order for an output to the session; it waits there until the link is open."""
        now_ns = self._clock()
        step = self.session.command(output, now_ns)
        if self.session.state != "LINK_LOST":
            self._follow(step, now_ns)

    def _ask_signature(self, now_ns: int) -> Step | None:
        """Ask a tag on the pack pad for its signature, in turn with the inventories."""
        self._is_turn_of_signatures = not self._is_turn_of_signatures
        if self._pad is None or not self._is_turn_of_signatures:
            return None
        tag = self._bridge.tag_to_verify() if self._dialect.reads_signatures else None
        return None if tag is None else self.session.ask_signature(self._pad, tag, now_ns)

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
            repeats=tally.repeats,
            overruns=self.link.overruns,
            outputs_due=self.session.outputs_due,
            outputs_refused=self.session.outputs_refused,
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
