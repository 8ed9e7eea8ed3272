"""A session and a simulated reader of any family, on a wire of no length and a clock of the test's.

What arrives, and when, is the wire's to say: it may lose, delay, double, cut or garble.
"""

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from engine.cards import Card, Tag, seat_place
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.dialects.dialect import SILENCE, Dialog, Found, Inventory
from firmware_bridge.families.family import Family, Frame, Message
from firmware_bridge.framing import Framer
from firmware_bridge.polls import Poll
from firmware_bridge.session import Session, Step
from firmware_bridge.standing import State
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.devices.catalogue import FAMILIES as DEVICES
from hw_fixtures.devices.device import Device, Heard

MS = 1_000_000

ICODES = tuple(Tag(f"E00401087A1B{n:04X}") for n in range(1, 129))
EPCS = tuple(Tag(f"E28011606000020{n:09X}") for n in range(1, 129))
NFC = tuple(Tag(f"04{n:012X}") for n in range(1, 9))
EM = tuple(Tag(f"0004{n:06X}") for n in range(1, 9))


class Kind(Struct, frozen=True, kw_only=True):
    """What the tests need to know of a simulated family."""

    family: str
    """As the bridge calls it."""
    identity: str
    """What the simulated reader is called when it is made."""
    told: str
    """What the bridge hears of that."""
    tags: tuple[Tag, ...] = ICODES
    antennas: int = 1
    most: int = 60
    """Tags that one inventory is tried with."""
    knows_empty: bool = True
    """Whether the family can vouch for an empty place."""
    knows_all: bool = True
    """Whether the family can vouch for having heard everything."""
    is_listening: bool = False


_TM = "0710230001000003201410070107020900000010"
_CHAFON = "00160C034E001E0A01000000"

KINDS: dict[str, Kind] = {
    "pepper_c1": Kind(family="pepper_c1", identity="C1 A", told="C1 A", antennas=8),
    "metratec_ascii": Kind(
        family="metratec_ascii", identity="QuasarMX", told="QuasarMX 01000218", antennas=8
    ),
    "metratec_at": Kind(family="metratec_ascii", identity="20200908", told="20200908", antennas=4),
    "feig": Kind(family="feig", identity="00012345", told="00012345", antennas=8),
    "anyid7e55": Kind(family="anyid7e55", identity="R321 A", told="R321 A", antennas=6),
    "pn532_hsu": Kind(
        family="pn532_hsu", identity="32010607", told="32010607", tags=NFC, most=2, knows_all=False
    ),
    "r200": Kind(
        family="r200",
        identity="M100 26dBm V1.0",
        told="M100 26dBm V1.0",
        tags=EPCS,
        knows_empty=False,
        knows_all=False,
        is_listening=True,
    ),
    "chafon_uhf": Kind(family="chafon_uhf", identity=_CHAFON, told=_CHAFON, tags=EPCS, antennas=4),
    "chafon_rr3036_hf": Kind(family="chafon_rr3036_hf", identity="", told="0100 36", most=27),
    "thingmagic": Kind(
        family="thingmagic",
        identity=_TM,
        told=_TM,
        tags=EPCS,
        knows_empty=False,
        knows_all=False,
        is_listening=True,
    ),
    "twn4_simple": Kind(
        family="twn4_simple", identity="TWN4 V3.15", told="TWN4 V3.15", most=1, knows_all=False
    ),
    "ti_trf796x_ascii": Kind(
        family="ti_trf796x_ascii", identity="Firmware V2.0", told="firmware v2.0", most=16
    ),
    "rdm6300": Kind(
        family="rdm6300",
        identity="",
        told="",
        tags=EM,
        most=1,
        knows_empty=False,
        knows_all=False,
        is_listening=True,
    ),
    "front_end": Kind(family="front_end", identity="007", told="007", antennas=8, most=27),
    "front_end_shoe": Kind(family="front_end", identity="008", told="008", most=27),
    "code_shoe": Kind(
        family="code_shoe",
        identity="",
        told="",
        knows_empty=False,
        knows_all=False,
        is_listening=True,
    ),
}
"""Every simulated family, by the name of its simulator."""

POLLED = [name for name, kind in KINDS.items() if not kind.is_listening]
LISTENED = [name for name, kind in KINDS.items() if kind.is_listening]
MULTI = [name for name in POLLED if KINDS[name].antennas > 1]

Arrivals = list[tuple[float, bytes]]
"""Bytes, and by how many milliseconds later than the command they arrive."""
Wire = Callable[[bytes, list[tuple[float, bytes]]], Arrivals]
"""Carries answers: from a command and its undisturbed answers to what arrives."""


def clean(command: bytes, answers: Arrivals) -> Arrivals:
    """Carry everything as it is."""
    del command
    return answers


class Wired:
    """A session, a simulated reader, and the wire between them.

    Args:
        name: The simulated family.
        cards: What each antenna hears, from the start.
        antennas: How many are wired.
        wire: What happens to answers.
        changes: What else of the spec is not as usual.
    """

    def __init__(
        self,
        name: str,
        cards: Mapping[int, tuple[Tag, ...]] | None = None,
        *,
        antennas: int = 1,
        wire: Wire = clean,
        identity: str | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        self.kind = KINDS[name]
        self.cards = dict(cards or {})
        self.is_whole = True
        self.device: Device = DEVICES[name].make(
            name=self.kind.identity, antennas=antennas, baud=DEVICES[name].baud, hear=self._hear
        )
        usual: dict[str, Any] = {
            "antennas": {n: seat_place(n) for n in range(1, antennas + 1)},
            "codes": {str(tag): Card("9h") for tag in ICODES},
        }
        self.spec = ReaderSpec(
            name="A",
            port="",
            family=self.kind.family,
            identity=identity,
            **{**usual, **(changes or {})},
        )
        self.session = Session(self.spec, DIALECTS[self.kind.family](self.spec.options))
        self.wire = wire
        self.now_ns = 0
        self.deaf_until_ns = 0
        self.to_host: list[tuple[int, int, bytes]] = []
        self.sent: list[bytes] = []
        self.polls: list[Poll] = []
        self.states: list[State] = []
        self.signatures: list[tuple[Tag, bytes]] = []
        self.is_hopeless = False
        self._count = 0
        self._tick_ns = 100 * MS
        self._started = False

    def _hear(self, antenna: int) -> Heard:
        return Heard(self.cards.get(antenna, ()), self.is_whole)

    # ------------------------------------------------------------ what the test does
    def open(self) -> None:
        self.follow(self.session.open(self.now_ns))

    def ready(self) -> "Wired":
        """Open the link and let the handshake pass on a clean wire; forget what it said."""
        wire, self.wire = self.wire, clean
        self.open()
        self.run(2_500)
        assert self.session.state == "READY", (self.session.state, self.session.why, self.sent)
        self.wire = wire
        self.sent.clear()
        self.states.clear()
        self.polls.clear()
        return self

    def ask(self, antenna: int = 1) -> Poll:
        """Ask one antenna and return what came of it."""
        before = len(self.polls)
        self.follow(self.session.ask(antenna, self.now_ns))
        for _ in range(200):
            told = [poll for poll in self.polls[before:] if not poll.is_pushed]
            if told:
                return told[0]
            self.run(50)
        raise AssertionError(self.sent)

    def brown_out(self) -> None:
        """Let the reader's supply break down: it starts anew, and says so where it can."""
        self.device.restart()
        self.deaf_until_ns = self.now_ns + round(self.device.timing.restart_ms * MS)
        self.to_host.clear()
        for reply in self.device.greet():
            self._deliver(self.deaf_until_ns, reply.data)

    def run(self, for_ms: float, *, asking: Iterable[int] = ()) -> None:
        """Let time pass; whenever the session is idle, ask the next antenna of a round."""
        antennas = list(asking)
        end_ns = self.now_ns + round(for_ms * MS)
        turn = 0
        while True:
            if self.session.is_idle and antennas:
                self.follow(self.session.ask(antennas[turn % len(antennas)], self.now_ns))
                turn += 1
            next_ns = self._next_ns()
            if next_ns > end_ns:
                self.now_ns = end_ns
                return
            self.now_ns = max(self.now_ns, next_ns)
            self._live()

    def follow(self, step: Step) -> None:
        self.polls += step.polls
        self.signatures += step.signatures
        self.is_hopeless = self.is_hopeless or step.is_hopeless
        if step.state is not None:
            self.states.append(step.state)
        if step.write:
            self.sent.append(step.write)
            self._take_command(step.write)

    # ------------------------------------------------------------ what happens by itself
    def _next_ns(self) -> int:
        due_ns = self.session.due_ns
        times = [self._tick_ns]
        if due_ns is not None:
            times.append(due_ns)
        if self.to_host:
            times.append(min(self.to_host)[0])
        return min(times)

    def _live(self) -> None:
        if self.to_host and min(self.to_host)[0] <= self.now_ns:
            first = min(self.to_host)
            self.to_host.remove(first)
            self.follow(self.session.receive(first[2], self.now_ns))
        elif self._tick_ns <= self.now_ns:
            self._tick_ns += 100 * MS
            if self.device.is_polling and self.now_ns >= self.deaf_until_ns:
                self._send(b"", [reply.data for reply in self.device.notices()])
        else:
            self.follow(self.session.advance(self.now_ns))

    def _take_command(self, command: bytes) -> None:
        if self.now_ns < self.deaf_until_ns:
            return
        replies = self.device.receive_data(command)
        self._send(command, [reply.data for reply in replies if reply.data])
        if any(reply.restarts for reply in replies):
            self.brown_out()

    def _send(self, command: bytes, answers: list[bytes]) -> None:
        if not answers:
            return
        spaced = [(5.0 + n, data) for n, data in enumerate(answers)]
        for wait_ms, data in self.wire(command, spaced):
            self._deliver(self.now_ns + round(wait_ms * MS), data)

    def _deliver(self, at_ns: int, data: bytes) -> None:
        self._count += 1
        self.to_host.append((at_ns, self._count, data))


def unlucky(rng: random.Random, wired: Wired, *, has_losses: bool = True) -> Wire:
    """Return a wire on which much goes wrong; a reader answers in the order it was asked."""
    busy_until_ms = 0.0
    ills = ["late", "twice", "cut", "turned", *(["lost"] if has_losses else [])]

    def carry(command: bytes, answers: Arrivals) -> Arrivals:
        nonlocal busy_until_ms
        del command
        arrived: Arrivals = []
        now_ms = wired.now_ns / MS
        for _, answer in answers:
            is_fine = rng.random() >= 0.3
            kind = "fine" if is_fine else rng.choice(ills)
            wait_ms = rng.choice([600, 1_200, 2_200]) if kind == "late" else rng.randrange(2, 30)
            busy_until_ms = max(busy_until_ms, now_ms + wait_ms) + 1
            for n in range({"lost": 0, "twice": 2}.get(kind, 1)):
                arrived.append((busy_until_ms - now_ms + 3 * n, spoilt(answer, kind, rng)))
        return arrived

    return carry


def spoilt(data: bytes, kind: str, rng: random.Random) -> bytes:
    """Return bytes that were cut short, but not to nothing, or of which one bit was turned."""
    if kind == "cut":
        return data[: rng.randrange(1, len(data))] if len(data) > 1 else data
    if kind == "turned":
        at = rng.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    return data


def converse(
    dialog: Dialog[Found], family: Family, exchanges: Iterable[tuple[bytes, bytes | None]]
) -> tuple[Found, list[Message]]:
    """Lead a dialog by golden bytes.

    Args:
        dialog: What is led.
        family: Whose frames the answers are.
        exchanges: Each command that must be asked (empty for "one more answer to the command
            before"), and its answer as it comes over the wire; None where nothing comes.

    Returns:
        What the dialog returned, and the messages that fitted nothing.
    """
    unfit: list[Message] = []
    left = list(exchanges)
    try:
        request = next(dialog)
        while True:
            assert left, f"it asks on: {request.data!r}"
            command, answer = left.pop(0)
            assert request.data.hex() == command.hex()
            if answer is None:
                assert request.silence_ms is not None
                request = dialog.send(SILENCE)
                continue
            messages = decoded(family, answer)
            fitting = [message for message in messages if request.fits(message)]
            unfit += [message for message in messages if not request.fits(message)]
            assert fitting, f"nothing answers {request.data!r}"
            request = dialog.send(fitting[0])
    except StopIteration as end:
        assert not left
        return end.value, unfit


def decoded(family: Family, data: bytes) -> list[Message]:
    """Return the messages in what comes over a wire."""
    framer = Framer(family)
    frames = [each for each in framer.feed(data) + framer.flush() if isinstance(each, Frame)]
    return [family.decode(frame.data, "rx") for frame in frames]


def heard(uids: Iterable[str], *, is_complete: bool = False) -> Inventory:
    """Return an inventory of tags that are written as text."""
    return Inventory(tuple(map(Tag, uids)), is_complete=is_complete)
