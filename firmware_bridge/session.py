"""One link's conversation: requests, time-outs, quarantine, handshake, identity.

Pure: bytes and the time go in, bytes and polls come out. The protocols that readers speak have no
sequence numbers, so an answer is believed only if it echoes the pending command, and after a
time-out no real command is sent before the line has gone quiet and a probe, which nothing else
uses, was answered: a late answer never reaches another question.
"""

from typing import Literal

from msgspec import Struct

from firmware_bridge.dialects import Dialect, Dialog, Inventory, Request
from firmware_bridge.families.family import Frame, Message, Noise
from firmware_bridge.framing import Framer
from firmware_bridge.polls import Poll
from firmware_bridge.tally import Tally
from firmware_bridge.wiring import ReaderSpec

State = Literal["CONNECTING", "READY", "QUARANTINED", "STALE", "WRONG_DEVICE", "LINK_LOST"]

MS = 1_000_000

STALE_NS = 1_000 * MS
STALE_CHECKSUM_ERRORS = 100
"""A reader is stale after a second of asking without a good answer, or so many bad in a row."""

QUIET_NS = 50 * MS
"""A line is quiet, and an incomplete frame is given up, after so long without a byte.

Source: rfid/bugs row 18: 3 frame times + 50 ms; here counted from the last byte, not the first.
"""

MOST_DRAIN_NS = 1_000 * MS
"""A line that never goes quiet is probed after so long all the same."""

MISSES_TO_RESET = 3
"""Time-outs in a row, of the family's full length together, after which a reader is restarted.

Source: rfid/bugs row 40.
"""

LEAST_PATIENCE_NS = 100 * MS
PATIENCE_FACTOR = 4
"""An answer is waited for four times as long as the slowest of late took, but at least so long.

Chosen: an FTDI adapter adds 16 ms, a busy machine some more. To be wrong costs no card but one
quarantine, and the next wait is twice as long, up to the family's own time-out.
"""

RECHECK_NS = 5_000 * MS
"""How often a wrong device is asked again who it is."""


class Step(Struct, frozen=True, kw_only=True):
    """What follows from one happening."""

    write: bytes = b""
    polls: tuple[Poll, ...] = ()
    state: State | None = None
    """The new state, where it changed."""
    is_hopeless: bool = False
    """The handshake takes too long: the port should be opened afresh."""


class _Talk(Struct):
    """A dialog that is under way, and the request of it that waits for its answer."""

    dialog: Dialog[Inventory | tuple[str, ...]]
    pending: Request
    antenna: int | None
    """None in a handshake."""
    asked_ns: int = 0
    deadline_ns: int = 0
    is_garbled: bool = False
    """Bytes came that may have been the answer: it will not come again."""


class Session:
    """The conversation with one reader over one link, from opening to loss, again and again.

    Each link begins with the handshake: the reader is left alone while it may boot, the line is
    drained until it is quiet, a probe is answered, the reader is set up and says who it is. The
    same follows after a time-out and after a restart. An identity that is not the specified one
    makes a wrong device, which is asked again from time to time and never for cards.
    """

    def __init__(self, spec: ReaderSpec, dialect: Dialect) -> None:
        self._spec = spec
        self._dialect = dialect
        self._framer = Framer(dialect.family)
        self._phase: Literal["closed", "resting", "draining", "talking", "idle"] = "closed"
        self._phase_end_ns = 0
        self._drain_end_ns = 0
        self._quiet_ns = 0
        self._talk: _Talk | None = None
        self._recovering_since_ns: int | None = None
        self._asking_since_ns: int | None = None
        self._misses = 0
        self._slowest_ns: int | None = None
        self._was_ready = False
        self._stranger: str | None = None
        self._trouble = "not opened yet"
        self._out = b""
        self._polls: list[Poll] = []
        self.state: State = "LINK_LOST"
        self.why = self._trouble
        """The reason of the present state, for people; empty where all is well."""
        self.last_good_ns: int | None = None
        """When the last good answer came."""
        self.tally = Tally()

    @property
    def is_idle(self) -> bool:
        """Whether the session is ready to ask an antenna."""
        return self._phase == "idle"

    @property
    def asked(self) -> int | None:
        """The antenna whose inventory is under way, if any."""
        return self._talk.antenna if self._talk is not None else None

    @property
    def due_ns(self) -> int | None:
        """When ``advance`` has something to do, if nothing comes before; None for never."""
        due = [] if self._phase in ("closed", "idle") else [self._end_ns()]
        if self._framer.held:
            due.append(self._quiet_ns)
        if self._asking_since_ns is not None and self.state not in ("STALE", "WRONG_DEVICE"):
            due.append(self._asking_since_ns + STALE_NS)
        return min(due, default=None)

    # ------------------------------------------------------------ what happens
    def open(self, now_ns: int) -> Step:
        """Begin a link: its port was opened, the reader may have booted by that."""
        self._framer = Framer(self._dialect.family)
        self._was_ready = False
        self._stranger = None
        self._misses = 0
        self._slowest_ns = None
        self.tally.checksum_run = 0
        self._recovering_since_ns = now_ns
        self._trouble = "no answer yet"
        settled_ns = now_ns + round(self._spec.settle_s * 1_000) * MS
        self._quiet_ns = settled_ns + QUIET_NS
        self._rest(settled_ns)
        return self._step(now_ns)

    def lose(self, why: str, now_ns: int) -> Step:
        """End a link: its port is gone."""
        self._abandon(now_ns)
        self._framer = Framer(self._dialect.family)
        self._phase = "closed"
        self._asking_since_ns = None
        self._trouble = why
        return self._step(now_ns)

    def receive(self, data: bytes, now_ns: int) -> Step:
        """Take bytes of the reader."""
        self._quiet_ns = max(self._quiet_ns, now_ns + QUIET_NS)
        if self._phase == "draining":
            self._phase_end_ns = min(self._quiet_ns, self._drain_end_ns)
        self._take(self._framer.feed(data), now_ns)
        if not self._framer.held:
            self._take(self._framer.flush(), now_ns)
        return self._step(now_ns)

    def advance(self, now_ns: int) -> Step:
        """Let time pass."""
        if self._framer.held and now_ns >= self._quiet_ns:
            self._take(self._framer.flush(), now_ns)
        if self._phase not in ("closed", "idle") and now_ns >= self._end_ns():
            if self._phase == "resting":
                self._drain(now_ns)
            elif self._phase == "draining":
                self._begin(self._handshake(), None, now_ns)
            else:
                self._time_out(now_ns)
        return self._step(now_ns)

    def ask(self, antenna: int, now_ns: int) -> Step:
        """Begin the inventory of an antenna; only while the session is idle."""
        self._begin(self._dialect.inventory(antenna), antenna, now_ns)
        return self._step(now_ns)

    # ------------------------------------------------------------ what was heard
    def _take(self, found: list[Frame | Noise], now_ns: int) -> None:
        for item in found:
            if isinstance(item, Frame):
                self.tally.count_frame(now_ns)
                self._hear(self._dialect.family.decode(item.data, "rx"), now_ns)
            else:
                self._note_noise(item, now_ns)

    def _note_noise(self, noise: Noise, now_ns: int) -> None:
        self.tally.noise_bytes += noise.length
        if noise.reason == "checksum":
            self.tally.count_checksum_error(now_ns)
        if noise.reason != "noise" and self._talk is not None and not self._out:
            self._talk.is_garbled = True

    def _hear(self, message: Message, now_ns: int) -> None:
        """Sort one message: a restart, a notice, the answer, or a stray.

        While bytes are still to be written the pending request is not on the wire yet, so nothing
        that was heard can be its answer.
        """
        talk = self._talk
        if self._dialect.is_restart(message):
            self.tally.restarts += 1
            self._recover("the reader restarted", now_ns)
            self._drain(now_ns)
        elif message.kind == "notice":
            self.tally.notices += 1
        elif talk is not None and not self._out and _fits(message, talk.pending):
            self._accept(talk, message, now_ns)
        else:
            self.tally.strays += 1

    def _accept(self, talk: _Talk, answer: Message, now_ns: int) -> None:
        self.last_good_ns = now_ns
        # What was slow once is forgotten within some dozen answers.
        self._slowest_ns = max(now_ns - talk.asked_ns, (self._slowest_ns or 0) * 15 // 16)
        self._asking_since_ns = None
        self._misses = 0
        self.tally.checksum_run = 0
        try:
            talk.pending = talk.dialog.send(answer)
        except StopIteration as end:
            self._finish(talk, end.value, now_ns)
        else:
            self._send(talk, now_ns)

    def _finish(self, talk: _Talk, found: Inventory | tuple[str, ...], now_ns: int) -> None:
        self._talk = None
        if isinstance(found, Inventory):
            if talk.antenna is not None:
                self._report(talk.antenna, found, now_ns)
            self._phase = "idle"
        else:
            self._recognise(found, now_ns)

    def _recognise(self, names: tuple[str, ...], now_ns: int) -> None:
        self._recovering_since_ns = None
        if self._spec.identity in (None, *names):
            self._stranger = None
            self._was_ready = True
            self._phase = "idle"
        else:
            self._stranger = f"it calls itself {' / '.join(names) or 'nothing'}"
            self._rest(now_ns + RECHECK_NS)

    def _report(self, antenna: int, found: Inventory, now_ns: int) -> None:
        is_empty = found.is_complete and not found.tags
        self._polls.append(
            Poll(
                place=self._spec.antennas[antenna],
                outcome="seen" if found.tags else "empty" if is_empty else "unknown",
                tags=found.tags,
                is_complete=found.is_complete,
                at_ns=now_ns,
            )
        )

    # ------------------------------------------------------------ what is done
    def _handshake(self) -> Dialog[tuple[str, ...]]:
        yield from self._dialect.probe()
        return (yield from self._dialect.greet())

    def _begin(
        self, dialog: Dialog[Inventory | tuple[str, ...]], antenna: int | None, now_ns: int
    ) -> None:
        self._talk = _Talk(dialog, next(dialog), antenna)
        self._phase = "talking"
        self._send(self._talk, now_ns)

    def _send(self, talk: _Talk, now_ns: int) -> None:
        talk.asked_ns = now_ns
        talk.deadline_ns = now_ns + self._patience_ns()
        talk.is_garbled = False
        self._out += talk.pending.data
        if self._asking_since_ns is None:
            self._asking_since_ns = now_ns

    def _rest(self, until_ns: int) -> None:
        self._phase = "resting"
        self._phase_end_ns = until_ns

    def _drain(self, now_ns: int) -> None:
        self._phase = "draining"
        self._phase_end_ns = max(now_ns, self._quiet_ns)
        self._drain_end_ns = now_ns + MOST_DRAIN_NS

    def _patience_ns(self) -> int:
        limit_ns = self._dialect.family.timeout_ms * MS
        if self._slowest_ns is None:
            return limit_ns
        return min(limit_ns, max(LEAST_PATIENCE_NS, PATIENCE_FACTOR * self._slowest_ns))

    def _time_out(self, now_ns: int) -> None:
        if self.asked is None:
            self.tally.retries += 1
        else:
            self.tally.timeouts += 1
        if self._talk is not None and self._talk.is_garbled:
            self._recover("a garbled answer", now_ns)
        else:
            if self._slowest_ns is not None:
                self._slowest_ns = 2 * self._patience_ns() // PATIENCE_FACTOR
            self._recover("no answer in time", now_ns)
        self._misses += 1
        if self._is_hung(now_ns):
            self._reset(now_ns)
        else:
            self._drain(now_ns)

    def _is_hung(self, now_ns: int) -> bool:
        """Say whether a reader that has worked on this link answers nothing any more."""
        asked_ns = self._asking_since_ns
        silence_ns = 0 if asked_ns is None else now_ns - asked_ns
        patience_ns = MISSES_TO_RESET * self._dialect.family.timeout_ms * MS
        return self._was_ready and self._misses >= MISSES_TO_RESET and silence_ns >= patience_ns

    def _reset(self, now_ns: int) -> None:
        self.tally.restarts += 1
        self._misses = 0
        self._out += self._dialect.reset
        self._rest(now_ns + self._dialect.reset_ms * MS)

    def _recover(self, trouble: str, now_ns: int) -> None:
        self._abandon(now_ns)
        self._trouble = trouble
        if self._recovering_since_ns is None:
            self._recovering_since_ns = now_ns

    def _abandon(self, now_ns: int) -> None:
        if self._talk is not None and self._talk.antenna is not None:
            self._report(self._talk.antenna, Inventory(), now_ns)
        self._talk = None

    def _end_ns(self) -> int:
        talk = self._talk
        if talk is None:
            return self._phase_end_ns
        return min(talk.deadline_ns, self._quiet_ns) if talk.is_garbled else talk.deadline_ns

    # ------------------------------------------------------------ what is told
    def _step(self, now_ns: int) -> Step:
        before = self.state
        self.state, self.why = self._judge(now_ns)
        step = Step(
            write=self._out,
            polls=tuple(self._polls),
            state=self.state if self.state != before else None,
            is_hopeless=self._is_hopeless(now_ns),
        )
        self._out = b""
        self._polls.clear()
        return step

    def _judge(self, now_ns: int) -> tuple[State, str]:
        if self._phase == "closed":
            return "LINK_LOST", self._trouble
        if self._stranger is not None:
            return "WRONG_DEVICE", self._stranger
        if self.tally.checksum_run >= STALE_CHECKSUM_ERRORS:
            return "STALE", f"{self.tally.checksum_run} bad checksums in a row"
        asked_ns = self._asking_since_ns
        if asked_ns is not None and now_ns - asked_ns >= STALE_NS:
            return "STALE", self._trouble
        if self._recovering_since_ns is not None:
            return ("QUARANTINED" if self._was_ready else "CONNECTING"), self._trouble
        return "READY", ""

    def _is_hopeless(self, now_ns: int) -> bool:
        since = self._recovering_since_ns
        limit_ns = round(self._spec.connect_s * 1_000) * MS
        return self._phase != "closed" and since is not None and now_ns - since >= limit_ns


def _fits(message: Message, request: Request) -> bool:
    return message.kind == "answer" and message.echoes == request.echoes
