"""What takes no commands: pads that repeat a card, shoes that say a code."""

import pytest

from engine.cards import SHOE, Card
from firmware_bridge.standing import State
from tests.firmware_bridge.wires import EM, MS, Wired


@pytest.mark.parametrize("family", ["rdm6300", "code_shoe"])
def test_a_device_that_tells_is_ready_when_its_line_was_quiet_once(family: str) -> None:
    wired = Wired(family)
    wired.open()
    assert wired.states == ["CONNECTING"]
    wired.run(60)
    assert wired.states == ["CONNECTING", "READY"]
    assert wired.sent == []
    assert wired.session.due_ns is None


@pytest.mark.parametrize(
    ("frame", "tag"),
    [
        # rdm6300-187, 188: the second was refused by BruceDevices/firmware for its sum.
        ("0230303034313443443745413303", "000414CD7E"),
        ("0230314338463030383030333103", "01C8F00800"),
    ],
)
def test_bugs_26_a_frame_with_a_right_sum_is_a_read(frame: str, tag: str) -> None:
    wired = Wired("rdm6300").ready()
    wired.follow(wired.session.receive(bytes.fromhex(frame), wired.now_ns))
    (poll,) = wired.polls
    assert (poll.tags, poll.is_pushed, poll.reads_to_trust) == ((tag,), True, 2)


def test_what_is_told_before_the_link_is_trusted_is_no_card() -> None:
    wired = Wired("rdm6300", {1: EM[:1]})
    wired.open()
    wired.follow(wired.session.receive(b"\x02000414CD7EA3\x03", 10 * MS))
    assert wired.polls == []


def test_bugs_38_a_hundred_bad_sums_make_a_pad_stale_until_a_good_one_comes() -> None:
    wired = Wired("rdm6300").ready()
    good = b"\x020000000001" + b"01\x03"
    for _ in range(100):
        wired.follow(wired.session.receive(b"\x02000000000102\x03", wired.now_ns))
    states: list[State] = ["STALE"]
    assert wired.states == states
    wired.follow(wired.session.receive(good, wired.now_ns))
    assert wired.states == [*states, "READY"]


def test_codes_become_faces_and_those_in_no_map_are_counted() -> None:
    codes = {"3020": Card("2c"), "1010": Card("As")}
    wired = Wired("code_shoe", changes={"antennas": {1: SHOE}, "codes": codes}).ready()
    wired.follow(wired.session.receive(b"3020\r\n1010\r\n3020\r\nhello\r\n", wired.now_ns))
    assert [poll.cards for poll in wired.polls] == [("2c",), ("As",), ("2c",), ()]
    assert {poll.place for poll in wired.polls} == {SHOE}
    assert wired.session.tally.strays == 1
