"""A simulated 7E55 reader: antennas, the rest of an inventory, repeats, uploads, tags' answers."""

import pytest

from engine.cards import Tag
from hw_fixtures.devices.anyid import BROADCAST, HOST, READER, AnyIdReader, encode
from hw_fixtures.devices.device import Heard
from hw_fixtures.devices.iso15693 import SIGNATURES

ONE, TWO = Tag("E00401087A1B2C3D"), Tag("E004015095F5F500")
THIRTY = tuple(Tag(f"E0040108000000{n:02X}") for n in range(30))
ONE_LSB, TWO_LSB = "3d2c1b7a080104e0", "00f5f595500104e0"
NOWHERE = "0123456789abcde0"


def reader(*lies: tuple[Tag, ...], is_whole: bool = True) -> AnyIdReader:
    """Return a reader at whose antennas, from 1 on, these stacks lie."""
    return AnyIdReader(
        name="R321 SIM-A",
        antennas=max(1, len(lies)),
        baud=38400,
        hear=lambda number: Heard(lies[number - 1] if lies else (), is_whole),
    )


def ask(device: AnyIdReader, command: int, params: str = "", to: int = READER) -> str:
    """Ask as a host; return the parameters of the answer as hex, "silence" where none comes."""
    frame = encode(command, bytes.fromhex(params), source=HOST, to=to)
    replies = device.receive_data(frame)
    return replies[0].data[10:-2].hex() if replies else "silence"


@pytest.mark.parametrize(
    ("command", "params", "answer"),
    [
        (0xF7, "", b"R321 SIM-A".hex() + 40 * "00" + "0000"),
        (0xF8, "", b"R321 SIM-A".hex() + "0000" + "0000"),
        (0x11, "00", ONE_LSB + "aa" + TWO_LSB + "aa" + "0000"),
        (0xF0, "0200", "0000"),
        (0xF0, "0300", "0100"),
        (0xF5, "00", "000100270000"),
        (0xFA, "030303030303", "0000"),
        (0x55, "", "0100"),  # no such command
        (0x22, ONE_LSB + "0002", "00000000" * 2 + "0000"),
        (0x22, NOWHERE + "0002", "0103"),
        (0x22, ONE_LSB, "0100"),
        (0x23, ONE_LSB + "000101020304", "0101"),  # locked
        (0x24, NOWHERE + "42", "0103"),
        (0x25, ONE_LSB, "0101"),
        (0x26, ONE_LSB + "00", "0101"),
        (0x27, ONE_LSB, "0101"),
        (0x2C, ONE_LSB + "00", "0101"),
        (0x2F, "03" + "022000" + "204e05", "0103"),  # two tags answer at once
        (0x2F, "0b" + "2220" + ONE_LSB + "00" + "204e05", "0000000000" + "0000"),
        (0x2F, "", "0103"),
        (0xE9, "01", "0000"),
        (0xF1, "0100", "0000"),
        (0x28, ONE_LSB, "0000" + "0f" + "0000" + "4f0301"),
        (0x28, NOWHERE, "0103" + 12 * "0"),
    ],
)
def test_a_command_has_its_answer(command: int, params: str, answer: str) -> None:
    assert ask(reader((ONE, TWO)), command, params) == answer


@pytest.mark.parametrize(("to", "is_heard"), [(READER, True), (BROADCAST, True), (2, False)])
def test_a_reader_heeds_its_own_address_and_the_broadcast(to: int, is_heard: bool) -> None:
    assert (ask(reader(()), 0x11, "00", to) == "0000") is is_heard


@pytest.mark.parametrize(
    "noise",
    [
        "7e",
        "7e557e55",
        "7e5509000001001100007dfa",  # wrong CRC
        "7e5505000001001100",  # too short to be true
        "7e55000000010011000002",  # 512 bytes of parameters
        "0000",
    ],
)
def test_noise_costs_no_command_but_its_own(noise: str) -> None:
    question = encode(0xF0, b"\x01\x00", source=HOST, to=READER)
    assert len(reader(()).receive_data(bytes.fromhex(noise) + 60 * question)) == 60


def test_the_hosts_answer_to_an_upload_is_no_command() -> None:
    confirmation = encode(0x10, b"\x00\x00", source=HOST, to=READER, mark=b"\x1f")
    assert reader((ONE,)).receive_data(confirmation) == []


def test_more_than_25_tags_come_in_several_answers_and_then_anew() -> None:
    device = reader(THIRTY)
    answers = [ask(device, 0x11, "00") for _ in range(3)]
    assert [(len(answer) // 18, answer[-4:]) for answer in answers] == [
        (25, "0500"),
        (5, "0000"),
        (25, "0500"),
    ]
    told = [answer[at : at + 16] for answer in answers[:2] for at in range(0, len(answer) - 4, 18)]
    assert [bytes.fromhex(uid)[::-1].hex().upper() for uid in told] == list(THIRTY)


def test_a_repeat_sends_the_last_answer_once_more() -> None:
    device = reader(THIRTY)
    first = ask(device, 0x11, "00")
    assert ask(device, 0x11, "01") == first
    assert ask(device, 0x11, "00")[-4:] == "0000"


def test_a_tag_that_was_heard_and_not_read_remains() -> None:
    assert ask(reader((ONE,), is_whole=False), 0x11, "00") == ONE_LSB + "aa" + "0100"


@pytest.mark.parametrize(
    ("params", "answer", "told"),
    [
        ("010000000000", "0000", [ONE]),
        ("000100000000", "0000", [TWO]),
        ("010100000000", "0000", [ONE, TWO]),
        ("000000000000", "0000", []),
        ("000001000000", "0100", [ONE]),  # no third antenna: all stays as it was
        ("0100", "0100", [ONE]),
    ],
)
def test_enabled_antennas_are_asked(params: str, answer: str, told: list[Tag]) -> None:
    device = reader((ONE,), (TWO,))
    assert ask(device, 0xF2, params) == answer
    [reply] = device.receive_data(encode(0x11, b"\x00", source=HOST, to=READER))
    assert list(reply.tags) == told


def test_a_reader_with_one_antenna_cannot_switch() -> None:
    assert ask(reader((ONE,)), 0xF2, "010000000000") == "0100"


def test_another_antenna_forgets_the_rest_of_an_inventory() -> None:
    device = reader(THIRTY, (ONE,))
    ask(device, 0x11, "00")
    ask(device, 0xF2, "000100000000")
    assert ask(device, 0x11, "00") == ONE_LSB + "aa" + "0000"


def test_a_field_that_is_off_hears_nothing() -> None:
    device = reader((ONE,))
    ask(device, 0xF0, "0000")
    assert ask(device, 0x11, "00") == "0000"
    ask(device, 0xF0, "0100")
    assert ask(device, 0x11, "00") == ONE_LSB + "aa" + "0000"


def test_a_reset_is_answered_and_forgets_antennas_and_the_rest() -> None:
    device = reader((ONE,), THIRTY)
    ask(device, 0xF2, "000100000000")
    ask(device, 0x11, "00")
    [reply] = device.receive_data(encode(0x04, source=HOST, to=READER))
    assert (reply.data, reply.restarts) == (encode(0x04, mark=b"\x1f"), True)
    device.restart()
    assert ask(device, 0x11, "00") == ONE_LSB + "aa" + "0000"


def test_tags_are_uploaded_unasked_where_the_configuration_says_so_even_after_a_restart() -> None:
    device = reader((ONE,))
    answers, polls = [], [device.is_polling]
    for configuration in ("000100070000", "000100270000", "27", "000100070000"):
        answers.append(ask(device, 0xF4, configuration))
        polls.append(device.is_polling)
    device.restart()
    assert answers == ["0000", "0000", "0100", "0000"]
    assert [*polls, device.is_polling] == [False, True, False, False, True, True]
    [notice] = device.notices()
    assert notice.data == encode(0x10, bytes.fromhex("00" + ONE_LSB + "0000"))


def test_a_request_is_passed_on_to_the_tag_that_it_names() -> None:
    signed, signature = next(iter(SIGNATURES.items()))
    request = "22bd04" + bytes.fromhex(signed)[::-1].hex()
    params = f"{len(request) // 2:02x}{request}204e21"
    assert ask(reader((ONE, signed)), 0x2F, params) == "00" + signature.hex() + "0000"
    assert ask(reader((ONE,)), 0x2F, params) == "0103"


def test_a_long_answer_has_its_length_before_the_parameters() -> None:
    frame = encode(0x30, bytes(300))
    assert frame[:12].hex() == "7e55" + "00" + "01000000" + "3000" + "2c01" + "00"


@pytest.mark.parametrize("cut", [9, 10, 11, 200])
def test_a_long_command_is_understood_however_it_is_cut(cut: int) -> None:
    device = reader((ONE,))
    command = encode(0x24, bytes(260), source=HOST, to=READER)
    assert device.receive_data(command[:cut]) == []
    [reply] = device.receive_data(command[cut:])
    assert reply.data[10:-2].hex() == "0103"
