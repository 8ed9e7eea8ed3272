"""A session and a simulated reader, on a wire of no length and a clock that the test moves."""

from collections.abc import Callable, Mapping

from engine.cards import Place, Tag
from firmware_bridge.dialects.pepper_c1 import PepperC1
from firmware_bridge.polls import Poll
from firmware_bridge.session import Session, Step
from firmware_bridge.standing import State
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.pepper import PepperReader

MS = 1_000_000
NINE, KING, ACE = Tag("E004015000000009"), Tag("E00401500000000D"), Tag("E0040150000000E0")
S1, S2, S3 = Place("S1"), Place("S2"), Place("S3")
ANTENNAS = {1: S1, 2: S2, 3: S3}

# Golden bytes of tests/firmware_bridge/vectors.jsonl.
DUMMY = bytes.fromhex("f50300fcff01d1f1")  # pepper_c1-010
COUNT = bytes.fromhex("f50300fcff02b2c1")  # pepper_c1-011
REBOOT = bytes.fromhex("f50300fcff0aba40")  # pepper_c1-013
UID_0 = bytes.fromhex("f50400fbff03005c48")  # pepper_c1-014
ANTENNA_4 = bytes.fromhex("f50400fbff0f04b54d")  # pepper_c1-024
LIST = bytes.fromhex("f50400fbff9000e405")  # pepper_c1-025
NOTICE = bytes.fromhex("f50c00f3fffe000100deadbeef1234ef47")  # pepper_c1-023
UID_WITH_F5 = bytes.fromhex("f50e00f1ff00030300e004015095f5f500ed32")  # pepper_c1-022
# By the same frame rule, the checksum computed with binascii.crc_hqx.
POLLING_OFF = bytes.fromhex("f50400fbff0600a9b7")
NAME = bytes.fromhex("f50400fbff13002f4b")
VERSION = bytes.fromhex("f50300fcff0b9b50")

Arrivals = list[tuple[int, bytes]]
"""Bytes and by how many milliseconds later than the command they arrive."""
Wire = Callable[[bytes, bytes], Arrivals]
"""Carries an answer: from the command and its undisturbed answer to what arrives."""


def clean(command: bytes, answer: bytes) -> Arrivals:
    """Carry every answer whole after 5 ms."""
    return [(5, answer)]


class Line:
    """A session, a simulated reader, and the wire between them."""

    def __init__(
        self,
        cards: Mapping[int, tuple[Tag, ...]] | None = None,
        *,
        wire: Wire = clean,
        name: str = "C1 A",
        identity: str | None = "C1 A",
        settle_s: float = 0.0,
    ) -> None:
        self.cards = dict(cards or {})
        self.reader = PepperReader(
            name=name, antennas=8, hear=lambda antenna: self.cards.get(antenna, ())
        )
        spec = ReaderSpec(
            name="A", port="", antennas=ANTENNAS, identity=identity, settle_s=settle_s
        )
        self.session = Session(spec, PepperC1())
        self.wire = wire
        self.now_ns = 0
        self.on_the_wire: list[tuple[int, bytes]] = []
        self.sent: list[bytes] = []
        self.polls: list[Poll] = []
        self.states: list[State] = []
        self.hopeless_ms: list[int] = []
        self.to_ask: list[int] = []

    def open(self) -> None:
        self.follow(self.session.open(self.now_ns))

    def follow(self, step: Step) -> None:
        self.polls += step.polls
        if step.state is not None:
            self.states.append(step.state)
        if step.is_hopeless:
            self.hopeless_ms.append(self.now_ns // MS)
        if step.write:
            self.sent.append(step.write)
            answer = b"".join(reply.data for reply in self.reader.receive_data(step.write))
            for delay_ms, data in self.wire(step.write, answer):
                self.on_the_wire.append((self.now_ns + delay_ms * MS, data))

    def run(self, until_ms: int, *, asking: tuple[int, ...] = ()) -> None:
        """Let time pass; whenever the session is idle, ask the next antenna of a round."""
        turn = 0
        while self.now_ns < until_ms * MS:
            if self.session.is_idle and asking:
                self.follow(self.session.ask(asking[turn % len(asking)], self.now_ns))
                turn += 1
            self.on_the_wire.sort(key=lambda arrival: arrival[0])
            next_ns = self.on_the_wire[0][0] if self.on_the_wire else until_ms * MS
            due_ns = self.session.due_ns
            if due_ns is not None and due_ns < min(next_ns, until_ms * MS):
                assert due_ns >= self.now_ns or self.session.due_ns == due_ns
                self.now_ns = max(self.now_ns, due_ns)
                self.follow(self.session.advance(self.now_ns))
            elif next_ns < until_ms * MS:
                self.now_ns = next_ns
                self.follow(self.session.receive(self.on_the_wire.pop(0)[1], self.now_ns))
            else:
                self.now_ns = until_ms * MS

    def poll(self, antenna: int) -> Poll:
        """Ask one antenna and return what came of it."""
        self.follow(self.session.ask(antenna, self.now_ns))
        before = len(self.polls)
        self.run(self.now_ns // MS + 1_000)
        assert len(self.polls) == before + 1
        return self.polls[-1]


def ready(cards: Mapping[int, tuple[Tag, ...]] | None = None, *, wire: Wire = clean) -> Line:
    """Return a line after its handshake, with a clean wire until then."""
    line = Line(cards)
    line.open()
    line.run(200)
    assert line.session.state == "READY"
    line.wire = wire
    line.sent.clear()
    line.states.clear()
    return line
