"""A simulated front end does what docs/front-end-frame.md asks of a firmware; and the shoes."""

import pytest

from engine.cards import Tag
from hw_fixtures.devices.code_shoe import CodeShoe
from hw_fixtures.devices.device import Device, Heard
from hw_fixtures.devices.front_end import FrontEnd, PassingFrontEnd, encode, opened
from hw_fixtures.devices.iso15693 import SIGNATURES

ONE, TWO = Tag("E004010012345678"), Tag("E004015095F5F500")
SIGNED = next(iter(SIGNATURES))
THIRTY = tuple(Tag(f"E0040108000000{n:02X}") for n in range(30))
DESCRIPTION = "01021b020714" + "0e" + b"simulated seat".hex() + "03" + b"007".hex()


def front_end(*lies: tuple[Tag, ...], is_whole: bool = True) -> FrontEnd:
    """Return a front end at whose antennas, from 1 on, these stacks lie."""
    return FrontEnd(
        name="007",
        antennas=max(1, len(lies)),
        baud=115200,
        hear=lambda number: Heard(lies[number - 1] if lies else (), is_whole),
    )


def ask(device: FrontEnd, command: int, data: str = "", sequence: int = 5) -> str:
    """Ask; return TYPE, SEQ and data of the answer as hex."""
    [reply] = device.receive_data(encode(command, sequence, bytes.fromhex(data)))
    body = opened(reply.data[1:-1])
    assert body
    return body.hex()


@pytest.mark.parametrize(
    ("command", "data", "answer"),
    [
        (0x01, "", "8105" + DESCRIPTION),
        (0x01, "00", "ff05" + "0102"),
        (0x02, "01", "8205" + "010101" + "08" + ONE.lower()),
        (0x02, "02", "8205" + "020101" + "08" + SIGNED.lower()),
        (0x02, "03", "ff05" + "0203"),
        (0x02, "00", "ff05" + "0203"),
        (0x02, "", "ff05" + "0202"),
        (0x03, "0202", "8305"),
        (0x03, "0300", "ff05" + "0303"),
        (0x03, "0103", "ff05" + "0302"),
        (0x04, "32", "8405"),
        (0x04, "", "ff05" + "0402"),
        (0x05, "01", "8505"),
        (0x05, "02", "ff05" + "0502"),
        (0x06, "", "8605"),
        (0x06, "01", "ff05" + "0602"),
        (0x07, "", "8705"),
        (0x08, "01" + ONE.lower(), "ff05" + "0804"),  # a chip without one
        (0x08, "02" + SIGNED.lower(), "8805" + SIGNATURES[SIGNED].hex()),
        (0x08, "01" + SIGNED.lower(), "ff05" + "0804"),  # it lies elsewhere
        (0x08, "03" + SIGNED.lower(), "ff05" + "0803"),
        (0x08, "01", "ff05" + "0802"),
        (0x09, "1e0102", "8905"),
        (0x09, "000000", "ff05" + "0902"),
        (0x09, "1e0200", "ff05" + "0902"),
        (0x09, "1e0003", "ff05" + "0902"),
        (0x09, "1e00", "ff05" + "0902"),
        (0x55, "", "ff05" + "5501"),
    ],
)
def test_a_command_has_its_answer(command: int, data: str, answer: str) -> None:
    assert ask(front_end((ONE,), (SIGNED,)), command, data) == answer


def test_an_inventory_is_complete_only_where_all_was_heard_and_told() -> None:
    assert ask(front_end((ONE,), is_whole=False), 0x02, "01")[4:10] == "010001"
    assert ask(front_end(THIRTY), 0x02, "01")[4:10] == "01001b"
    assert ask(front_end(THIRTY[:27]), 0x02, "01")[4:10] == "01011b"


def test_a_repeat_is_answered_and_not_done_again() -> None:
    device = front_end()
    first = ask(device, 0x04, "32")
    device.notices()
    assert device.buzzer_ms == 400
    assert ask(device, 0x04, "32") == first
    assert device.buzzer_ms == 400
    ask(device, 0x04, "32", sequence=6)
    assert device.buzzer_ms == 500


def test_outputs_follow_their_commands() -> None:
    device = front_end()
    ask(device, 0x03, "0201", sequence=1)
    ask(device, 0x05, "01", sequence=2)
    ask(device, 0x04, "0a", sequence=3)
    assert (device.lamps, device.is_gate_open, device.buzzer_ms) == ([0, 1], True, 100)
    device.notices()
    assert device.buzzer_ms == 0
    ask(device, 0x05, "00", sequence=4)
    assert not device.is_gate_open


def test_a_silent_host_leads_to_the_safe_state_after_two_seconds() -> None:
    device = front_end()
    ask(device, 0x05, "01", sequence=1)
    ask(device, 0x03, "0101", sequence=2)
    for _ in range(19):
        device.notices()
    assert (device.is_gate_open, device.lamps) == (True, [1, 0])
    device.notices()
    assert (device.is_gate_open, device.lamps) == (False, [0, 0])


def test_the_safe_state_is_what_the_host_set_until_the_next_start() -> None:
    device = front_end()
    ask(device, 0x09, "030102", sequence=1)
    ask(device, 0x04, "ff", sequence=2)
    for _ in range(2):
        device.notices()
    assert (device.is_gate_open, device.lamps) == (False, [0, 0])
    device.notices()
    assert (device.is_gate_open, device.lamps, device.buzzer_ms) == (True, [2, 2], 0)
    device.restart()
    for _ in range(20):
        device.notices()
    assert (device.is_gate_open, device.lamps) == (False, [0, 0])


def test_any_sound_frame_keeps_the_gate_open_and_a_bad_one_does_not() -> None:
    device = front_end()
    ask(device, 0x05, "01", sequence=1)
    for sequence in range(2, 8):
        for _ in range(19):
            device.notices()
        ask(device, 0x06, sequence=sequence)
    assert device.is_gate_open
    for _ in range(20):
        device.receive_data(b"\x00\x05\x06\x0b\xbb\x1b\x00")
        device.notices()
    assert not device.is_gate_open


def test_a_start_is_told_with_the_description_and_is_safe() -> None:
    device = front_end((), ())
    ask(device, 0x05, "01", sequence=1)
    [reply] = device.receive_data(encode(0x07, 2))
    assert reply.restarts
    device.restart()
    assert not device.is_gate_open
    [notice] = device.greet()
    assert opened(notice.data[1:-1]).hex() == "c000" + DESCRIPTION
    assert ask(device, 0x05, "01", sequence=1) == "8501"  # no repeat: the reset forgot the first


@pytest.mark.parametrize(
    "noise",
    [
        b"\x00",
        b"\x00\x00",
        b"\x55",
        b"\x00\x05\x06\x0b\xbb\x1b\x00",  # wrong CRC
        b"\x00\x05\x06\x0b",  # cut short
        b"\x00\x09\x01\x00",  # no COBS
        bytes(1) + bytes(range(1, 256)),  # too long
        encode(0x81, 1),  # an answer
    ],
)
def test_noise_costs_no_command_but_its_own(noise: bytes) -> None:
    replies = front_end().receive_data(noise + encode(0x06, 9))
    assert [reply.data for reply in replies] == [encode(0x86, 9)]


def said(device: Device) -> list[bytes]:
    return [reply.data for reply in device.notices()]


def test_a_front_end_at_a_shoe_tells_each_card_that_passes_once() -> None:
    lies = [ONE]
    device = PassingFrontEnd(name="007", antennas=1, baud=115200, hear=lambda _: Heard(tuple(lies)))
    assert said(device) == [encode(0xC1, 0, b"\x01" + bytes.fromhex(ONE))]
    assert said(device) == []
    lies.append(TWO)
    assert said(device) == [encode(0xC1, 1, b"\x01" + bytes.fromhex(TWO))]
    lies.clear()
    assert said(device) == []
    lies.append(ONE)
    assert said(device) == [encode(0xC1, 2, b"\x01" + bytes.fromhex(ONE))]
    device.restart()
    assert len(device.greet()) == 1
    assert said(device) == [encode(0xC1, 1, b"\x01" + bytes.fromhex(ONE))]


def test_a_front_end_at_a_seat_tells_nothing_unasked() -> None:
    assert said(front_end((ONE,))) == []


def test_a_code_shoe_says_each_card_that_passes_once() -> None:
    lies = [ONE]
    device = CodeShoe(name="", antennas=1, baud=9600, hear=lambda _: Heard(tuple(lies)))
    assert device.is_polling
    assert said(device) == [f"{ONE}\r\n".encode()]
    assert said(device) == []
    lies[:] = [TWO]
    assert said(device) == [f"{TWO}\r\n".encode()]
    assert device.receive_data(b"hello\r\n") == []
    device.restart()
    assert said(device) == [f"{TWO}\r\n".encode()]
