"""One link's conversation: requests, time-outs, quarantine, handshake, identity.

Pure: bytes and the time go in, bytes and polls come out. Most protocols that readers speak have no
sequence numbers, so an answer is believed only if it fits the pending command, and after a
time-out no real command is sent before the line has gone quiet and a probe, which nothing else
uses, was answered: a late answer never reaches another question.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar, Literal

from msgspec import Struct

from engine.cards import Tag
from firmware_bridge.actuators import Actuators, Output
from firmware_bridge.dialects.dialect import (
    SILENCE,
    UNHEARD,
    Dialect,
    Dialog,
    Greeting,
    Inventory,
)
from firmware_bridge.ear import Ear
from firmware_bridge.families.family import Message, Noise
from firmware_bridge.polls import Poll
from firmware_bridge.standing import STALE_NS, Standing, State
from firmware_bridge.talk import MS, Patience, Talk
from firmware_bridge.tally import Tally
from firmware_bridge.wiring import ReaderSpec

Phase = Literal["closed", "resting", "draining", "pausing", "talking", "idle", "listening"]
"""``pausing``: the next command waits, as the reader wants some time between two."""

MOST_DRAIN_NS = 1_000 * MS
"""A line that never goes quiet is probed after so long all the same."""

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
    signatures: tuple[tuple[Tag, bytes], ...] = ()
    """What tags gave that were asked for their signature; nothing where one gave none."""


class Session:
    """The conversation with one reader over one link, from opening to loss, again and again.

    Each link begins with the handshake: the reader is left alone while it may boot, the line is
    drained until it is quiet, a probe is answered, the reader is set up and says who it is. The
    same follows after a time-out and after a restart. An identity that is not the specified one
    makes a wrong device, which is asked again from time to time and never for cards.

    Between two inventories what waits is done: outputs first. A reader that is never asked is
    listened to instead.
    """

    def __init__(self, spec: ReaderSpec, dialect: Dialect) -> None:
        self._spec = spec
        self._dialect = dialect
        self.tally = Tally()
        self._ear = Ear(dialect.family, self.tally)
        self._patience = Patience(dialect.family.timeout_ms)
        self._actuators = Actuators()
        if spec.safe_state is not None:
            self._actuators.want(spec.safe_state)
        self._phase: Phase = "closed"
        self._phase_end_ns = 0
        self._drain_end_ns = 0
        self._free_ns = 0
        self._talk: Talk | None = None
        self._standing = Standing()
        self._out = b""
        self._polls: list[Poll] = []
        self._signatures: list[tuple[Tag, bytes]] = []
        self.state: State = "LINK_LOST"
        self.why = self._standing.trouble
        """The reason of the present state, for people; empty where all is well."""
        self.last_good_ns: int | None = None
        """When the last good answer came."""

    @property
    def is_idle(self) -> bool:
        """Whether the session is ready to ask an antenna."""
        return self._phase == "idle"

    @property
    def asked(self) -> int | None:
        """The antenna whose inventory is under way, if any."""
        return self._talk.antenna if self._talk is not None else None

    @property
    def outputs_due(self) -> int:
        """How many orders for outputs the device has not acknowledged yet."""
        return self._actuators.due

    @property
    def outputs_refused(self) -> tuple[str, ...]:
        """What the device refused to do, and why."""
        return self._actuators.refused

    @property
    def due_ns(self) -> int | None:
        """When ``advance`` has something to do, if nothing comes before; None for never."""
        end_ns = self._end_ns()
        due = [] if end_ns is None else [end_ns]
        if self._ear.held:
            due.append(self._ear.quiet_ns)
        asking_since_ns = self._standing.asking_since_ns
        if asking_since_ns is not None and self.state not in ("STALE", "WRONG_DEVICE"):
            due.append(asking_since_ns + STALE_NS)
        return min(due, default=None)

    # ------------------------------------------------------------ what happens
    def open(self, now_ns: int) -> Step:
        """Begin a link: its port was opened, the reader may have booted by that."""
        self._standing.open(now_ns)
        self._patience = Patience(self._dialect.family.timeout_ms)
        self.tally.checksum_run = 0
        settled_ns = now_ns + round(self._spec.settle_s * 1_000) * MS
        self._ear.attach(settled_ns)
        self._rest(settled_ns)
        return self._step(now_ns)

    def lose(self, why: str, now_ns: int) -> Step:
        """End a link: its port is gone."""
        self._abandon(now_ns)
        self._ear.attach(now_ns)
        self._phase = "closed"
        self._standing.lose(why)
        return self._step(now_ns)

    def receive(self, data: bytes, now_ns: int) -> Step:
        """Take bytes of the reader."""
        heard = self._ear.take(data, now_ns)
        if self._phase == "draining":
            self._phase_end_ns = min(self._ear.quiet_ns, self._drain_end_ns)
        self._take(heard, now_ns)
        return self._step(now_ns)

    def advance(self, now_ns: int) -> Step:
        """Let time pass."""
        self._take(self._ear.pause(now_ns), now_ns)
        end_ns = self._end_ns()
        if end_ns is not None and now_ns >= end_ns:
            self._ENDS[self._phase](self, now_ns)
        return self._step(now_ns)

    def ask(self, antenna: int, now_ns: int) -> Step:
        """Begin the inventory of an antenna; only while the session is idle."""
        finish = partial(self._note_inventory, antenna)
        self._begin(self._dialect.inventory(antenna), finish, now_ns, antenna)
        return self._step(now_ns)

    def ask_signature(self, antenna: int, tag: Tag, now_ns: int) -> Step:
        """Ask a tag at an antenna for its maker's signature; only while the session is idle."""
        finish = partial(self._note_signature, tag)
        self._begin(self._dialect.read_signature(antenna, tag), finish, now_ns)
        return self._step(now_ns)

    def command(self, output: Output, now_ns: int) -> Step:
        """Have an output set: as soon as the reader is free, and until it acknowledges it."""
        self._actuators.want(output)
        if self._phase in ("idle", "listening"):
            self._serve(now_ns)
        return self._step(now_ns)

    # ------------------------------------------------------------ what was heard
    def _take(self, heard: Iterable[Message | Noise], now_ns: int) -> None:
        for item in heard:
            if isinstance(item, Message):
                self._hear(item, now_ns)
            elif item.reason != "noise" and self._talk is not None:
                self._talk.note_garbled()

    def _hear(self, message: Message, now_ns: int) -> None:
        """Sort one message: the answer, a restart, what the reader tells unasked, or a stray."""
        talk = self._talk
        if talk is not None and talk.fits(message):
            self._accept(talk, message, now_ns)
        elif message.kind == "notice" and self._dialect.is_restart(message):
            self._note_restart("the reader restarted", now_ns)
        else:
            self._overhear(message, now_ns)

    def _overhear(self, message: Message, now_ns: int) -> None:
        self._out += self._dialect.acknowledge(message)
        told = self._dialect.overhear(message)
        if message.kind == "notice":
            self.tally.notices += 1
        elif told is None:
            self.tally.strays += 1
        if told is None or not self._standing.is_trusted:
            return
        self._note_good(now_ns)
        if told.antenna in self._spec.antennas:
            self._report(told.antenna, told.found, now_ns, is_pushed=True)

    def _note_good(self, now_ns: int) -> None:
        self.last_good_ns = now_ns
        self.tally.checksum_run = 0
        if self._phase == "listening":
            self._listen(now_ns)

    def _accept(self, talk: Talk, answer: Message, now_ns: int) -> None:
        self._note_good(now_ns)
        self._patience.learn(now_ns - talk.asked_ns)
        self._standing.note_answered()
        self._free_ns = now_ns + self._dialect.gap_ms * MS
        self._go_on(talk, answer, now_ns)

    def _go_on(self, talk: Talk, answer: Message, now_ns: int) -> None:
        try:
            talk.pending = talk.dialog.send(answer)
        except StopIteration as end:
            self._talk = None
            talk.finish(talk.doubt(end.value), now_ns)
        else:
            self._put(talk, now_ns)

    # ------------------------------------------------------------ what came of it
    def _note_inventory(self, antenna: int, found: Inventory, now_ns: int) -> None:
        self._report(antenna, found, now_ns)
        if found.is_unset:
            self._note_restart("the reader has lost its set-up", now_ns)
        else:
            self._become_free(now_ns)

    def _note_signature(self, tag: Tag, signature: bytes, now_ns: int) -> None:
        self._signatures.append((tag, signature))
        self._become_free(now_ns)

    def _note_output(self, output: Output, refusal: str, now_ns: int) -> None:
        if refusal:
            self._actuators.note_refused(output, refusal)
        else:
            self._actuators.note_done(output)
        self._become_free(now_ns)

    def _note_kept_alive(self, _found: None, now_ns: int) -> None:
        self._become_free(now_ns)

    def _note_restart(self, why: str, now_ns: int) -> None:
        self.tally.restarts += 1
        self._recover(why, now_ns)
        self._drain(now_ns)

    def _recognise(self, greeting: Greeting, now_ns: int) -> None:
        stranger = greeting.flaw or None
        if self._spec.identity not in (None, *greeting.names):
            stranger = f"it calls itself {' / '.join(greeting.names) or 'nothing'}"
        self._standing.greet(stranger)
        if stranger is not None:
            self._rest(now_ns + RECHECK_NS)
            return
        self._actuators.renew()
        self._become_free(now_ns)

    def _report(
        self, antenna: int, found: Inventory, now_ns: int, *, is_pushed: bool = False
    ) -> None:
        is_empty = found.is_complete and not found.tags
        cards = [card for code in found.codes if (card := self._spec.codes.get(code))]
        self.tally.strays += len(found.codes) - len(cards)
        self._polls.append(
            Poll(
                place=self._spec.antennas[antenna],
                outcome="empty" if is_empty else "seen" if found.is_good else "unknown",
                tags=found.tags,
                cards=tuple(cards),
                is_complete=found.is_complete,
                is_pushed=is_pushed,
                reads_to_trust=self._dialect.family.reads_to_trust,
                at_ns=now_ns,
            )
        )

    # ------------------------------------------------------------ what is done
    def _greet(self, now_ns: int) -> None:
        self._begin(self._dialect.handshake(), self._recognise, now_ns)

    def _begin(
        self,
        dialog: Dialog[Any],
        finish: Callable[[Any, int], None],
        now_ns: int,
        antenna: int | None = None,
    ) -> None:
        try:
            pending = next(dialog)
        except StopIteration as end:
            finish(end.value, now_ns)
        else:
            self._talk = Talk(dialog, pending, finish, antenna)
            self._put(self._talk, now_ns)

    def _put(self, talk: Talk, now_ns: int) -> None:
        """Send the pending request, or wait until the reader takes one."""
        talk.is_sent = False
        talk.tries_left = talk.pending.tries
        if now_ns < self._free_ns:
            self._phase, self._phase_end_ns = "pausing", self._free_ns
        else:
            self._send(now_ns)

    def _send(self, now_ns: int) -> None:
        if self._talk is None:
            return
        self._phase = "talking"
        self._out += self._talk.send(now_ns, self._patience)
        self._standing.note_asked(now_ns)

    def _rest(self, until_ns: int) -> None:
        self._phase, self._phase_end_ns = "resting", until_ns

    def _drain(self, now_ns: int) -> None:
        self._phase, self._phase_end_ns = "draining", max(now_ns, self._ear.quiet_ns)
        self._drain_end_ns = now_ns + MOST_DRAIN_NS

    def _become_free(self, now_ns: int) -> None:
        """Do what waits besides inventories; then be there for those."""
        if self._dialect.is_listening:
            self._listen(now_ns)
        else:
            self._phase = "idle"
            self._phase_end_ns = now_ns + (self._dialect.keep_alive_ms or 0) * MS
        self._serve(now_ns)

    def _listen(self, now_ns: int) -> None:
        self._phase = "listening"
        self._phase_end_ns = now_ns + (self._dialect.quiet_ms or 0) * MS

    def _serve(self, now_ns: int) -> None:
        output = self._actuators.next_due()
        if output is not None:
            finish = partial(self._note_output, output)
            self._begin(self._dialect.carry_out(output), finish, now_ns)

    def _keep_alive(self, now_ns: int) -> None:
        self._begin(self._dialect.keep_alive(), self._note_kept_alive, now_ns)

    def _note_quiet(self, now_ns: int) -> None:
        """Set up a reader again that should tell something and does not."""
        self._recover("it tells nothing any more", now_ns)
        self._drain(now_ns)

    def _time_out(self, now_ns: int) -> None:
        talk = self._talk
        if talk is None:
            return
        if talk.pending.silence_ms is not None and not talk.is_garbled:
            self._go_on(talk, SILENCE, now_ns)
        elif talk.tries_left > 0:
            self.tally.repeats += 1
            self._send(now_ns)
        else:
            self._give_up(talk, now_ns)

    def _give_up(self, talk: Talk, now_ns: int) -> None:
        if talk.antenna is None:
            self.tally.retries += 1
        else:
            self.tally.timeouts += 1
        if talk.is_garbled:
            self._recover("a garbled answer", now_ns)
        else:
            self._patience.lengthen()
            self._recover("no answer in time", now_ns)
        self._standing.misses += 1
        if self._standing.is_hung(now_ns, self._dialect.family.timeout_ms * MS):
            self._reset(now_ns)
        else:
            self._drain(now_ns)

    def _reset(self, now_ns: int) -> None:
        self._standing.misses = 0
        self.tally.restarts += bool(self._dialect.reset)
        self._out += self._dialect.reset
        self._rest(now_ns + self._dialect.reset_ms * MS)

    def _recover(self, trouble: str, now_ns: int) -> None:
        self._abandon(now_ns)
        self._standing.recover(trouble, now_ns)

    def _abandon(self, now_ns: int) -> None:
        if self._talk is not None and self._talk.antenna is not None:
            self._report(self._talk.antenna, UNHEARD, now_ns)
        self._talk = None

    def _end_ns(self) -> int | None:
        """When the phase ends by itself; None where it lasts until something happens."""
        if self._phase == "talking" and self._talk is not None:
            return self._talk.end_ns(self._ear.quiet_ns)
        is_lasting = {
            "closed": True,
            "idle": self._dialect.keep_alive_ms is None,
            "listening": self._dialect.quiet_ms is None,
        }
        return None if is_lasting.get(self._phase) else self._phase_end_ns

    _ENDS: ClassVar[dict[Phase, Callable[["Session", int], None]]] = {
        "resting": _drain,
        "draining": _greet,
        "pausing": _send,
        "talking": _time_out,
        "idle": _keep_alive,
        "listening": _note_quiet,
    }

    # ------------------------------------------------------------ what is told
    def _step(self, now_ns: int) -> Step:
        before = self.state
        self.state, self.why = self._standing.judge(now_ns, self.tally.checksum_run)
        connect_ns = round(self._spec.connect_s * 1_000) * MS
        step = Step(
            write=self._out,
            polls=tuple(self._polls),
            state=self.state if self.state != before else None,
            is_hopeless=self._standing.is_hopeless(now_ns, connect_ns),
            signatures=tuple(self._signatures),
        )
        if self._talk is not None:
            self._talk.is_sent = self._phase == "talking"
        self._out = b""
        self._polls.clear()
        self._signatures.clear()
        return step
