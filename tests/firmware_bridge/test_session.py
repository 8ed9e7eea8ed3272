"""One link's conversation: the handshake, a transaction, and what is no answer."""

from collections.abc import Callable
from typing import Literal

import pytest

from engine.cards import Tag
from firmware_bridge.dialects.dialect import echo
from firmware_bridge.families import pepper_c1
from firmware_bridge.families.family import Message
from firmware_bridge.polls import Poll
from hw_fixtures.pepper import PepperReader
from tests.firmware_bridge.lines import (
    ACE,
    COUNT,
    DUMMY,
    KING,
    LIST,
    MS,
    NAME,
    NINE,
    NOTICE,
    POLLING_OFF,
    REBOOT,
    S1,
    S2,
    UID_0,
    UID_WITH_F5,
    VERSION,
    Arrivals,
    Line,
    ready,
)


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
