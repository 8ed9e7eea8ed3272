"""One link's conversation, on a wire of no length and a clock that only the test moves."""

import random
import tracemalloc
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Place, Tag
from firmware_bridge.dialects.dialect import echo
from firmware_bridge.dialects.pepper_c1 import PepperC1
from firmware_bridge.families import pepper_c1
from firmware_bridge.families.family import Message
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


# ---------------------------------------------------------------- the handshake
def test_bugs_30_a_link_begins_with_quiet_a_probe_set_up_and_the_readers_names() -> None:
    line = Line()
    line.open()
    line.run(49)
    assert line.sent == []
    line.run(200)
    assert line.sent == [DUMMY, POLLING_OFF, NAME, VERSION]
    assert line.states == ["CONNECTING", "READY"]


@pytest.mark.parametrize("settle_s", [0.0, 3.0])
def test_bugs_1_2_3_a_reader_that_boots_for_2500_ms_becomes_ready(settle_s: float) -> None:
    line = Line(settle_s=settle_s)
    line.wire = lambda _command, answer: [(5, answer)] if line.now_ns > 2_500 * MS else []
    line.open()
    line.run(4_000)
    assert line.session.state == "READY"
    assert REBOOT not in line.sent
    assert line.session.tally.timeouts == 0
    assert (line.session.tally.retries == 0) is (settle_s == 3.0)


def test_bugs_4_a_handshake_that_takes_too_long_has_the_port_opened_afresh() -> None:
    line = Line(wire=lambda _command, _answer: [])
    line.open()
    line.run(10_500)
    assert line.states == ["CONNECTING", "STALE"]
    assert 10_000 <= line.hopeless_ms[0] <= 10_500


@pytest.mark.parametrize("cut", [0, 1, 7, 12])
def test_bugs_7_and_30_a_banner_and_probes_of_other_programs_are_noise(cut: int) -> None:
    line = Line()
    line.on_the_wire = [
        (3 * MS, b"\r\nready\r\n"[cut:]),
        (20 * MS, b"AT\rAT\r"),
        (30 * MS, b"\xf5"),
    ]
    line.open()
    line.run(300)
    assert line.session.state == "READY"
    assert line.session.tally.noise_bytes > 0


def test_bugs_9_another_reader_is_a_wrong_device_and_is_asked_for_its_name_alone() -> None:
    line = Line({1: (NINE,)}, name="C1 B")
    line.open()
    line.run(12_000, asking=(1, 2, 3))
    assert line.states == ["CONNECTING", "WRONG_DEVICE"]
    assert line.session.why == "it calls itself C1 B / 2.56 C1 B"
    assert line.polls == []
    assert {frame[5] for frame in line.sent} == {0x01, 0x06, 0x13, 0x0B}


@pytest.mark.parametrize("identity", [None, "C1 A", "2.56 C1 A"])
def test_a_reader_is_known_by_its_name_or_its_version_or_taken_as_it_is(
    identity: str | None,
) -> None:
    line = Line(identity=identity)
    line.open()
    line.run(200)
    assert line.session.state == "READY"


def test_bugs_9_a_wrong_device_that_is_put_right_becomes_ready() -> None:
    line = Line(name="C1 B")
    line.open()
    line.run(1_000)
    line.reader = PepperReader(name="C1 A", antennas=8, hear=lambda _antenna: ())
    line.run(6_000)
    assert line.states == ["CONNECTING", "WRONG_DEVICE", "READY"]


# ---------------------------------------------------------------- a transaction
def test_an_empty_antenna_costs_two_commands_and_36_bytes() -> None:
    line = ready()
    assert line.poll(2).outcome == "empty"
    assert [frame[5] for frame in line.sent] == [0x0F, 0x02]
    assert line.sent[1] == COUNT
    answers = [pepper_c1.frame(payload) for payload in (b"\x00\x0f", b"\x00\x02\x00")]
    assert sum(map(len, line.sent + answers)) == 36


def test_a_poll_is_one_transaction_and_bears_the_time_of_the_bytes_that_completed_it() -> None:
    line = ready({2: (NINE, KING)})
    poll = line.poll(2)
    assert [frame[5] for frame in line.sent] == [0x0F, 0x02, 0x03, 0x03]
    assert line.sent[2] == UID_0
    assert poll == Poll(
        place=S2, outcome="seen", tags=(NINE, KING), is_complete=True, at_ns=220 * MS
    )


def test_the_next_command_is_written_in_the_step_that_takes_the_answer() -> None:
    line = ready({2: (NINE,)}, wire=lambda _command, _answer: [])
    step = line.session.ask(2, line.now_ns)
    [answer] = line.reader.receive_data(step.write)
    assert line.session.receive(answer.data, line.now_ns).write == COUNT


def test_bugs_47_five_tags_may_be_more_so_all_are_listed() -> None:
    deck = tuple(Tag(f"E00401500000{n:04X}") for n in range(1, 53))
    line = ready({1: deck, 2: deck[:5], 3: deck[:4]})
    whole, five, four = line.poll(1), line.poll(2), line.poll(3)
    assert (whole.tags, whole.is_complete) == (deck, True)
    assert (five.tags, five.is_complete) == (deck[:5], True)
    assert (four.tags, four.is_complete) == (deck[:4], True)
    assert LIST in line.sent


def test_bugs_47_without_the_listing_five_tags_are_a_part() -> None:
    def deaf_to_lists(command: bytes, answer: bytes) -> Arrivals:
        refused = pepper_c1.frame(bytes([0xFF, 0x90, 0x24, 0x00]))
        return [(5, refused if command[5] == 0x90 else answer)]

    deck = tuple(Tag(f"E00401500000{n:04X}") for n in range(1, 9))
    poll = ready({1: deck}, wire=deaf_to_lists).poll(1)
    assert (poll.outcome, poll.tags, poll.is_complete) == ("seen", deck[:5], False)


def test_bugs_48_a_listing_that_breaks_off_is_a_part() -> None:
    def breaks_off(command: bytes, answer: bytes) -> Arrivals:
        broken = pepper_c1.frame(bytes([0xFF, 0x91, 0x01, 0x00]))
        return [(5, broken if command[5] == 0x91 else answer)]

    deck = tuple(Tag(f"E00401500000{n:04X}") for n in range(1, 9))
    poll = ready({1: deck}, wire=breaks_off).poll(1)
    assert (poll.outcome, poll.tags, poll.is_complete) == ("seen", deck[:1], False)


def test_a_listing_that_names_a_tag_twice_is_a_part() -> None:
    deck = tuple(Tag(f"E00401500000{n:04X}") for n in range(1, 6))
    poll = ready({1: (*deck, deck[0])}).poll(1)
    assert (poll.tags, poll.is_complete) == (deck, False)


def test_bugs_44_before_any_uid_showed_it_a_listing_is_taken_as_inverted() -> None:
    deck = tuple(Tag(f"E00401500000{n:02X}E0") for n in range(1, 6))
    assert ready({1: deck}).poll(1).tags == deck


def test_a_listing_without_end_is_not_believed() -> None:
    def endless(command: bytes, answer: bytes) -> Arrivals:
        more = pepper_c1.frame(bytes([0x00, command[5]]) + bytes(8) + b"\x00\x01")
        return [(1, more if command[5] in (0x90, 0x91) else answer)]

    poll = ready({1: (NINE,) * 5}, wire=endless).poll(1)
    assert not poll.is_complete


@pytest.mark.parametrize("refused", [0x0F, 0x02, 0x03])
def test_an_error_is_neither_a_card_nor_an_empty_place(refused: int) -> None:
    def refuses(command: bytes, answer: bytes) -> Arrivals:
        error = pepper_c1.frame(bytes([0xFF, command[5], 0x01, 0x00]))
        return [(5, error if command[5] == refused else answer)]

    poll = ready({1: (NINE,)}, wire=refuses).poll(1)
    assert (poll.outcome, poll.tags, poll.is_complete) == ("unknown", (), False)


def test_a_card_that_leaves_between_count_and_uid_leaves_a_part() -> None:
    def loses_the_second(command: bytes, answer: bytes) -> Arrivals:
        error = pepper_c1.frame(bytes([0xFF, 0x03, 0x01, 0x00]))
        return [(5, error if command[5:7] == b"\x03\x01" else answer)]

    poll = ready({1: (NINE, KING)}, wire=loses_the_second).poll(1)
    assert (poll.outcome, poll.tags, poll.is_complete) == ("seen", (NINE,), False)


def test_bugs_44_uids_are_canonical_in_whichever_order_they_come_once_one_has_shown_it() -> None:
    def turned(command: bytes, answer: bytes) -> Arrivals:
        if command[5] != 0x03:
            return [(5, answer)]
        payload = answer[5:-2]
        return [(5, pepper_c1.frame(payload[:4] + payload[:3:-1]))]

    line = ready({1: (NINE,), 2: (ACE,)}, wire=turned)
    assert line.poll(1).tags == (NINE,)
    assert line.poll(2).tags == (ACE,)


def test_bugs_44_a_uid_with_e0_at_both_ends_is_read_right_in_both_commands() -> None:
    deck = (ACE, *(Tag(f"E00401500000{n:04X}") for n in range(1, 6)))
    line = ready({1: (ACE,), 2: deck})
    assert line.poll(1).tags == (ACE,)
    assert line.poll(2).tags == deck


def test_bugs_22_a_start_byte_in_a_uid_cuts_no_frame() -> None:
    line = ready({1: (NINE,)}, wire=lambda command, answer: [
        (5, UID_WITH_F5 if command[5] == 0x03 else answer)
    ])  # fmt: skip
    assert line.poll(1).tags == ("E004015095F5F500",)


# ---------------------------------------------------------------- what is no answer
def test_bugs_52_an_asynchronous_packet_is_never_an_answer() -> None:
    line = ready({1: (NINE,)}, wire=lambda _command, answer: [(3, NOTICE), (5, answer)])
    assert line.poll(1).tags == (NINE,)
    assert line.session.tally.notices == 3


def test_bugs_29_a_full_echo_changes_nothing() -> None:
    line = ready({1: (NINE,)}, wire=lambda command, answer: [(1, command), (5, answer)])
    assert line.poll(1).tags == (NINE,)
    assert line.session.tally.timeouts == 0


@pytest.mark.parametrize(
    ("kind", "echoes", "asked", "fits"),
    [
        ("answer", 2, 2, True),
        ("answer", 2, 3, False),
        ("answer", None, 3, False),
        ("notice", 2, 2, False),
        ("command", None, 2, False),
    ],
)
def test_an_answer_fits_by_its_kind_and_by_what_it_echoes(
    kind: Literal["answer", "notice", "command"], echoes: int | None, asked: int, *, fits: bool
) -> None:
    assert echo(asked)(Message(kind=kind, name="any", echoes=echoes)) is fits


def test_doubled_answers_never_reach_the_next_question() -> None:
    deck = (NINE, KING)
    line = ready({1: deck, 2: ()}, wire=lambda _command, answer: [(5, answer + answer)])
    line.run(2_000, asking=(1, 2))
    assert {(poll.place, poll.tags) for poll in line.polls} == {(S1, deck), (S2, ())}
    assert line.session.tally.strays > 0


def test_a_doubled_uid_that_comes_between_two_questions_makes_a_part_at_most() -> None:
    line = ready({1: (NINE, KING)}, wire=lambda _command, answer: [(5, answer), (6, answer)])
    poll = line.poll(1)
    assert (poll.tags, poll.is_complete) == ((NINE,), False)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda answer: b"\xf5" + answer, id="stray F5"),
        pytest.param(lambda answer: b"\xf5\x20\x00\xdf\xff" + answer, id="false length"),
        pytest.param(lambda answer: b"\x7e\x55\x3d\x01\x00" + answer, id="another family"),
        pytest.param(lambda answer: answer[:7] + answer, id="false start of its own"),
    ],
)
def test_bugs_18_19_52_bytes_before_an_answer_cost_no_answer(
    spoil: Callable[[bytes], bytes],
) -> None:
    line = ready({1: (NINE,)}, wire=lambda _command, answer: [(5, spoil(answer))])
    assert line.poll(1).tags == (NINE,)
    assert line.session.tally.timeouts == 0


def test_bugs_23_an_answer_byte_by_byte_is_an_answer() -> None:
    line = ready({1: (NINE,)}, wire=lambda _command, answer: [
        (5 + n, answer[n : n + 1]) for n in range(len(answer))
    ])  # fmt: skip
    assert line.poll(1).tags == (NINE,)


# ---------------------------------------------------------------- time-outs and quarantine
def late(delay_ms: int, of: int) -> Wire:
    """Carry the first answer to one command late, all others in time."""
    done: list[bool] = []

    def carry(command: bytes, answer: bytes) -> Arrivals:
        if command[5] == of and not done:
            done.append(True)
            return [(delay_ms, answer)]
        return [(5, answer)]

    return carry


@pytest.mark.parametrize("of", [0x0F, 0x02, 0x03])
@pytest.mark.parametrize("delay_ms", [101, 120, 140, 151, 160, 250, 501, 700])
def test_bugs_52_a_late_answer_goes_nowhere(of: int, delay_ms: int) -> None:
    line = ready({1: (NINE,), 2: ()}, wire=late(delay_ms, of))
    line.run(2_000, asking=(1, 2, 3))
    first, *others = line.polls
    assert (first.place, first.outcome) == (S1, "unknown")
    assert {(poll.place, poll.tags) for poll in others} == {(S1, (NINE,)), (S2, ()), (S3, ())}
    assert line.session.tally.strays == 1


def test_bugs_52_after_a_time_out_nothing_but_a_probe_is_asked_until_it_is_answered() -> None:
    line = ready({1: (NINE,)}, wire=late(10_000, 0x02))
    line.run(1_000, asking=(1,))
    after = [frame[5] for frame in line.sent[2:]]
    assert after[:5] == [0x01, 0x06, 0x13, 0x0B, 0x0F]
    assert line.states == ["QUARANTINED", "READY"]


def test_bugs_52_the_probe_waits_until_the_line_is_quiet() -> None:
    def mumbles(command: bytes, answer: bytes) -> Arrivals:
        if command[5] == 0x02:
            return [(90 + 20 * n, b"\x55") for n in range(10)]
        return [(5, answer)]

    line = ready({1: (NINE,)}, wire=mumbles)
    last_byte_ms = line.now_ns // MS + 5 + 90 + 180
    line.follow(line.session.ask(1, line.now_ns))
    line.run(last_byte_ms + 49)
    assert DUMMY not in line.sent
    line.run(last_byte_ms + 51)
    assert DUMMY in line.sent


def test_each_miss_doubles_the_wait_up_to_the_familys_own() -> None:
    line = ready(wire=lambda _command, _answer: [])
    asked_ms: list[int] = []
    carry = line.wire

    def note(command: bytes, answer: bytes) -> Arrivals:
        asked_ms.append(line.now_ns // MS)
        return carry(command, answer)

    line.wire = note
    line.run(1_800, asking=(1,))
    waits = [b - a for a, b in pairwise(asked_ms)]
    assert waits == [100, 200, 400, 500]


def test_a_slow_reader_is_waited_for_and_a_slow_moment_is_forgotten() -> None:
    slow_ms = 90
    line = ready(wire=lambda _command, answer: [(slow_ms, answer)])
    line.run(1_000, asking=(1,))
    assert line.session.tally.timeouts == 0
    assert line.session._patience.wait_ns() == 4 * 90 * MS
    slow_ms = 5
    line.run(2_000, asking=(1,))
    assert line.session._patience.wait_ns() == 100 * MS


def test_a_line_that_is_never_quiet_is_probed_all_the_same() -> None:
    line = ready(wire=lambda command, answer: [] if command[5] == 0x0F else [(5, answer)])
    line.on_the_wire = [(line.now_ns + 20 * n * MS, NOTICE) for n in range(500)]
    line.run(3_000, asking=(1,))
    assert DUMMY in line.sent


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda answer: answer[:-1] + bytes([answer[-1] ^ 1]), id="bad checksum"),
        pytest.param(lambda answer: answer[:-1], id="cut short"),
    ],
)
def test_a_garbled_answer_is_not_waited_for_longer_than_the_line_is_noisy(
    spoil: Callable[[bytes], bytes],
) -> None:
    line = ready({1: (NINE,)}, wire=lambda command, answer: [
        (5, spoil(answer) if command[5] == 0x02 else answer)
    ])  # fmt: skip
    asked_ns = line.now_ns
    poll = line.poll(1)
    assert poll.outcome == "unknown"
    assert poll.at_ns - asked_ns == (5 + 5 + 50) * MS


def test_bugs_50_a_reader_that_restarts_in_an_inventory_is_set_up_again() -> None:
    line = ready({1: (NINE,)})
    back_ns = line.now_ns + 1_000 * MS
    line.wire = lambda _command, answer: [(5, answer)] if line.now_ns > back_ns else []
    line.run(3_000, asking=(1,))
    assert line.states == ["QUARANTINED", "STALE", "QUARANTINED", "READY"]
    assert line.polls[0].outcome == "unknown"
    assert line.polls[-1].tags == (NINE,)
    assert 0x06 in {frame[5] for frame in line.sent}


class Telling(PepperC1):
    """A dialect whose reader tells of its restarts by a notice."""

    def is_restart(self, message: Message) -> bool:
        return message.kind == "notice"


def test_bugs_50_a_restart_that_is_told_has_the_reader_set_up_again_at_once() -> None:
    line = ready({1: (NINE,)})
    line.session._dialect = Telling()
    line.follow(line.session.ask(1, line.now_ns))
    line.on_the_wire.insert(0, (line.now_ns + MS, NOTICE))
    line.run(line.now_ns // MS + 100)
    assert [poll.outcome for poll in line.polls] == ["unknown"]
    assert [frame[5] for frame in line.sent] == [0x0F, 0x01, 0x06, 0x13, 0x0B]
    assert line.session.tally.restarts == 1


def test_bugs_40_a_reader_that_answers_no_more_is_restarted_and_set_up_again() -> None:
    line = ready(wire=lambda _command, _answer: [])
    line.run(4_800, asking=(1,))
    assert line.sent[1:] == [*[DUMMY] * 4, REBOOT, *[DUMMY] * 3, REBOOT]
    line.wire = clean
    line.run(6_000, asking=(1,))
    assert line.session.state == "READY"


def test_bugs_40_a_reader_that_stays_silent_has_its_port_opened_afresh() -> None:
    line = ready(wire=lambda _command, _answer: [])
    quarantined_ms = line.now_ns // MS + 100
    line.run(12_000, asking=(1,))
    assert 0 <= line.hopeless_ms[0] - quarantined_ms - 10_000 <= 1_000


# ---------------------------------------------------------------- stale, lost
def test_bugs_38_a_second_without_a_good_answer_is_stale() -> None:
    line = ready({1: (NINE,)}, wire=lambda _command, _answer: [])
    line.run(1_199, asking=(1,))
    assert line.states == ["QUARANTINED"]
    line.run(1_201)
    assert line.states == ["QUARANTINED", "STALE"]
    assert line.session.why == "no answer in time"


def test_bugs_38_a_hundred_checksum_errors_in_a_row_are_stale() -> None:
    line = ready({1: (NINE,)}, wire=lambda _command, _answer: [])
    bad = NOTICE[:-1] + b"\x00"
    line.follow(line.session.ask(1, line.now_ns))
    line.on_the_wire = [(line.now_ns + n * MS, bad) for n in range(1, 100)]
    line.run(line.now_ns // MS + 100)
    assert line.states == []
    line.on_the_wire = [(line.now_ns, bad)]
    line.run(line.now_ns // MS + 1)
    assert line.states == ["STALE"]
    assert line.session.why == "100 bad checksums in a row"
    assert line.session.tally.checksum_errors == 100


def test_a_stale_reader_that_answers_again_is_ready() -> None:
    line = ready({1: (NINE,)}, wire=lambda _command, _answer: [])
    line.run(2_000, asking=(1,))
    line.wire = clean
    line.run(4_000, asking=(1,))
    assert line.states == ["QUARANTINED", "STALE", "QUARANTINED", "READY"]


def test_an_idle_reader_is_not_stale() -> None:
    line = ready()
    line.run(60_000)
    assert line.states == []
    assert line.session.due_ns is None


def test_bugs_10_a_lost_link_is_told_once_and_leaves_the_antenna_unknown() -> None:
    line = ready({1: (NINE,)})
    line.follow(line.session.ask(1, line.now_ns))
    line.follow(line.session.lose("Input/output error", line.now_ns))
    line.follow(line.session.lose("No such file or directory", line.now_ns))
    assert line.states == ["LINK_LOST"]
    assert [poll.outcome for poll in line.polls] == ["unknown"]
    assert line.session.due_ns is None


def test_a_link_that_comes_back_begins_with_the_handshake() -> None:
    line = ready({1: (NINE,)})
    line.follow(line.session.lose("unplugged", line.now_ns))
    line.open()
    line.run(500, asking=(1,))
    assert line.states == ["LINK_LOST", "CONNECTING", "READY"]
    assert line.polls[-1].tags == (NINE,)


# ---------------------------------------------------------------- bounds and invariants
def test_bugs_25_a_storm_of_notices_does_not_grow_the_session() -> None:
    line = ready()
    for n in range(5_000):
        line.session.receive(NOTICE * 2 + NOTICE[:9], n * 2 * MS)
    assert line.session._ear.held < pepper_c1.FAMILY.max_frame
    assert line.session.tally.notices == 10_000


@pytest.mark.parametrize("size", [63, 64, 65, 128])
def test_bugs_12_frames_of_any_packet_size_pass(size: int) -> None:
    line = ready({1: (NINE,)})
    padded = pepper_c1.frame(b"\xfe" + bytes(size - 8))
    assert len(padded) == size
    line.wire = lambda _command, answer: [(5, padded + answer)]
    assert line.poll(1).tags == (NINE,)


@given(
    st.lists(
        st.tuples(st.integers(0, 700), st.binary(max_size=40) | st.sampled_from([NOTICE, DUMMY])),
        max_size=40,
    )
)
def test_bugs_31_no_bytes_at_any_time_raise_and_none_become_cards(
    arrivals: list[tuple[int, bytes]],
) -> None:
    line = ready(wire=lambda _command, _answer: [])
    at_ns = line.now_ns
    for gap_ms, data in arrivals:
        at_ns += gap_ms * MS
        line.on_the_wire.append((at_ns, data))
    line.run(at_ns // MS + 2_000, asking=(1, 2, 3))
    assert not any(poll.tags for poll in line.polls)


def unlucky_line(cards: dict[int, tuple[Tag, ...]], rng: random.Random) -> Line:
    """Return a ready line on whose wire much goes wrong.

    A reader answers in the order in which it was asked, however late.
    """
    busy_until_ms = 0

    def unlucky(command: bytes, answer: bytes) -> Arrivals:
        nonlocal busy_until_ms
        kind = rng.choice(["fine"] * 12 + ["lost", "late", "twice", "cut", "turned", "noise"])
        wait_ms = rng.choice([520, 560, 700, 1_300]) if kind == "late" else rng.randrange(2, 30)
        if kind == "cut":
            answer = answer[: rng.randrange(len(answer))]
        if kind == "turned":
            at = rng.randrange(len(answer))
            answer = answer[:at] + bytes([answer[at] ^ 1 << rng.randrange(8)]) + answer[at + 1 :]
        if kind == "noise":
            answer = rng.randbytes(rng.randrange(9)) + answer
        times = {"lost": 0, "twice": 2}.get(kind, 1)
        now_ms = line.now_ns // MS
        busy_until_ms = max(busy_until_ms, now_ms + wait_ms) + 1
        return [(busy_until_ms - now_ms + 3 * n, answer) for n in range(times)]

    line = ready(cards, wire=unlucky)
    return line


@given(st.integers(0, 2**32))
def test_whatever_happens_on_the_wire_no_tag_is_booked_to_a_place_that_does_not_hear_it(
    seed: int,
) -> None:
    cards: dict[int, tuple[Tag, ...]] = {1: (NINE, KING), 2: (), 3: (ACE,)}
    line = unlucky_line(cards, random.Random(seed))
    line.run(20_000, asking=(1, 2, 3))
    heard = {place: set(cards[antenna]) for antenna, place in ANTENNAS.items()}
    for poll in line.polls:
        assert set(poll.tags) <= heard[poll.place]
        if poll.is_complete:
            assert set(poll.tags) == heard[poll.place]


def test_bugs_45_a_session_that_lives_through_ten_minutes_of_faults_has_not_grown() -> None:
    line = unlucky_line({1: (NINE, KING), 2: (), 3: (ACE,)}, random.Random(1))
    sizes: list[int] = []
    tracemalloc.start()
    for minute in range(1, 11):
        line.run(60_000 * minute, asking=(1, 2, 3))
        line.sent.clear()
        line.polls.clear()
        line.states.clear()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert line.session.tally.timeouts > 100
    assert sizes[-1] - sizes[1] < 50_000
