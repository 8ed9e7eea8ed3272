"""One link's conversation when it goes wrong: time-outs, quarantine, loss; and its bounds."""

import random
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Tag
from firmware_bridge.dialects.pepper_c1 import PepperC1
from firmware_bridge.families import pepper_c1
from firmware_bridge.families.family import Message
from tests.firmware_bridge.lines import (
    ACE,
    ANTENNAS,
    DUMMY,
    KING,
    MS,
    NINE,
    NOTICE,
    REBOOT,
    S1,
    S2,
    S3,
    Arrivals,
    Line,
    Wire,
    clean,
    ready,
)


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
    assert line.session.why == "No such file or directory"
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
