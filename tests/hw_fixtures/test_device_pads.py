"""Simulated pads: RR3036, TWN4, TRF796x and RDM6300; with no card, with one and with several."""

import pytest

from engine.cards import Tag
from hw_fixtures.devices import chafon_uhf, trf796x, twn4
from hw_fixtures.devices.device import Heard
from hw_fixtures.devices.rdm6300 import Rdm6300, encode
from hw_fixtures.devices.rr3036 import Rr3036
from hw_fixtures.devices.trf796x import Trf796x
from hw_fixtures.devices.twn4 import Twn4

ONE, TWO = Tag("E00401087A1B2C3D"), Tag("E004015095F5F500")
ONE_LSB, TWO_LSB = "3d2c1b7a080104e0", "00f5f595500104e0"
# The same lowest nibble as ONE, and one more: they collide once and twice.
LIKE_ONE, MORE_LIKE_ONE = Tag("E00401087A1B2C4D"), Tag("E00401087A1B2D3D")
MANY = tuple(Tag(f"E0040108000000{n:02X}") for n in range(30))
EM, OTHER_EM = Tag("000414CD7E"), Tag("01C8F00800")


def pad(*tags: Tag, is_whole: bool = True) -> Rr3036:
    return Rr3036(name="", antennas=1, baud=19200, hear=lambda _: Heard(tags, is_whole))


def ask_pad(device: Rr3036, *commands: str, address: int = 0xFF) -> str:
    """Ask an RR3036; return status and data of the last answer as hex."""
    said = ""
    for command in commands:
        frame = chafon_uhf.encode(bytes.fromhex(command), address=address)
        replies = device.receive_data(frame)
        said = replies[0].data[2:-2].hex() if replies else "silence"
    return said


@pytest.mark.parametrize(
    ("commands", "answer"),
    [
        (["0000"], "00" + "0100000036000a1e"),
        (["0007"], "00"),
        (["0003"], "02"),
        (["5500"], "02"),
        (["0106"], "00" + "00" + ONE_LSB + "00" + TWO_LSB),
        (["01f6"], "00" + "00" + ONE_LSB + "00" + TWO_LSB),
        (["0105"], "1f"),
        (["0005", "0106"], "1f"),
        (["0005", "0006", "0106"], "00" + "00" + ONE_LSB + "00" + TWO_LSB),
        (["0001", "0106"], "05"),
        (["0001", "0002", "0106"], "00" + "00" + ONE_LSB + "00" + TWO_LSB),
        (["2000" + ONE_LSB + "00"], "00" + "00" + "00000000"),
        (["2000" + 16 * "0" + "00"], "0e"),
        (["2000" + "3d2c"], "01"),
        (["2100" + ONE_LSB + "0001020304"], "0f12"),
        (["2b00" + ONE_LSB], "00" + "0f" + ONE_LSB + "0000" + "4f0301"),
    ],
)
def test_an_rr3036_has_its_answer(commands: list[str], answer: str) -> None:
    assert ask_pad(pad(ONE, TWO), *commands) == answer


@pytest.mark.parametrize(
    ("device", "answer"),
    [
        (pad(), "0e"),
        (pad(is_whole=False), "0b"),
        (pad(ONE, is_whole=False), "0b" + "00" + ONE_LSB),
    ],
)
def test_an_rr3036_says_when_it_did_not_hear_all(device: Rr3036, answer: str) -> None:
    assert ask_pad(device, "0106") == answer


@pytest.mark.parametrize(("count", "status", "told"), [(27, "00", 27), (28, "0b", 27)])
def test_an_rr3036_tells_27_tags_at_most(count: int, status: str, told: int) -> None:
    answer = ask_pad(pad(*MANY[:count]), "0106")
    assert (answer[:2], len(answer[2:]) // 18) == (status, told)


def test_an_rr3036_heeds_its_own_address_and_forgets_its_mode_in_a_restart() -> None:
    device = pad(ONE)
    assert ask_pad(device, "0106", address=0) == "00" + "00" + ONE_LSB
    assert ask_pad(device, "0106", address=1) == "silence"
    assert ask_pad(device, "0001", "0005", "0106") == "1f"
    device.restart()
    assert ask_pad(device, "0106") == "00" + "00" + ONE_LSB


def elatec(*tags: Tag) -> Twn4:
    return Twn4(name="TWN4/B1.64", antennas=1, baud=9600, hear=lambda _: Heard(tags))


def ask_elatec(device: Twn4, payload: str) -> str:
    """Ask with hex text and a CRC; return the payload of the answer as hex."""
    [reply] = device.receive_data(twn4.encode(bytes.fromhex(payload)))
    answer = bytes.fromhex(reply.data[:-1].decode())[:-2]
    assert reply.data == twn4.encode(answer)
    return answer.hex()


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        ("0003", "0001000000"),
        ("000420", "00" + "0a" + b"TWN4/B1.64".hex()),
        ("000404", "00" + "04" + b"TWN4".hex()),
        ("0004", "02"),
        ("0005", "0001"),
        ("050010", "0001" + "82" + "40" + "08" + ONE.lower()),
        ("050004", "0001" + "82" + "20" + "04" + ONE[:8].lower()),
        ("0500", "02"),
        ("0502" + 16 * "f", "00"),
        ("0502ff", "02"),
        ("0d0002200100", "0001" + "04" + "00000000"),
        ("0d0002bd0104", "0000"),  # the tag refuses
        ("0d000223020501", "0001" + "08" + "00000000" * 2),
        ("0d002220" + "09" + ONE_LSB + "05", "0001" + "04" + "00000000"),
        ("0d01", "0001" + "ef" + ONE_LSB + "0000" + "04" + "5000" + "01"),
        ("0d03" + ONE.lower(), "00ff"),
        ("0d0505ff", "0001" + "04" + "00000000"),
        ("0d07050411223344", "0000"),
        ("0d0b", "01"),
        ("ffff", "01"),
    ],
)
def test_a_twn4_has_its_answer(payload: str, answer: str) -> None:
    assert ask_elatec(elatec(ONE), payload) == answer


@pytest.mark.parametrize("payload", ["050010", "0d01", "0d0505ff", "0d0002200100"])
def test_a_twn4_finds_nothing_on_an_empty_pad(payload: str) -> None:
    assert ask_elatec(elatec(), payload) == "0000"


def test_a_twn4_finds_one_of_several_tags_and_reads_none() -> None:
    device = elatec(ONE, TWO)
    assert ask_elatec(device, "050010") == "0001" + "82" + "40" + "08" + ONE.lower()
    assert ask_elatec(device, "0d01") == "0000"


@pytest.mark.parametrize("is_text", [True, False])
@pytest.mark.parametrize("has_crc", [True, False])
def test_a_twn4_answers_in_the_form_it_was_asked_in(is_text: bool, has_crc: bool) -> None:
    command = twn4.encode(b"\x00\x05", is_text=is_text, has_crc=has_crc)
    [reply] = elatec().receive_data(command)
    assert reply.data == twn4.encode(b"\x00\x01", is_text=is_text, has_crc=has_crc)


def test_a_binary_command_that_ends_in_cr_is_no_text() -> None:
    [reply] = elatec(ONE).receive_data(bytes.fromhex("0400" + "0d05050d"))
    assert reply.data == bytes.fromhex("0700" + "000104" + "00000000")


def test_a_twn4_restarts_without_a_word() -> None:
    device = elatec()
    ask_elatec(device, "0005")
    [reply] = device.receive_data(b"0001\r")
    assert (reply.data, reply.restarts) == (b"", True)
    device.restart()
    assert ask_elatec(device, "0003") == "0001000000"


@pytest.mark.parametrize("noise", [b"\xff\xff", b"\r", b"5\r", b"\x00", b"zz"])
def test_noise_costs_a_twn4_no_command_but_its_own(noise: bytes) -> None:
    replies = elatec().receive_data(noise + b"0005\r")
    assert [reply.data for reply in replies] == [b"0001\r"]


def board(*tags: Tag, is_whole: bool = True) -> Trf796x:
    return Trf796x(
        name="Firmware Revision 03", antennas=1, baud=115200, hear=lambda _: Heard(tags, is_whole)
    )


def ask_board(device: Trf796x, body: str) -> list[str]:
    """Send a command and its parameters; return the lines that are said."""
    text = f"01{len(body) // 2 + 7:02X}000304{body}0000"
    [reply] = device.receive_data(text.encode())
    return reply.data.decode().split("\r\n")


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("FF", ["TRF7970A EVM ", "", ""]),
        ("FE", ["Firmware Revision 03 ", "", ""]),
        ("1000210100", ["Register write request.", "", ""]),
        ("F000", ["AGC Toggle", ""]),
        ("F1FF", ["AM PM Toggle", ""]),
        ("34000500", ["", ""]),
        ("142401", ["ISO 15693 Inventory request.", "[3D2C1B7A080104E0,7F]", "", ""]),
        ("18002000", ["Request mode.", "[0000000000]", ""]),
        ("1822BD04" + TWO_LSB, ["Request mode.", "[]", ""]),
    ],
)
def test_a_trf796x_has_its_answer(body: str, lines: list[str]) -> None:
    assert ask_board(board(ONE), body) == lines


def slots(device: Trf796x) -> list[str]:
    """Return what is said of each slot of an inventory of 16."""
    header, *said = ask_board(device, "140401")
    assert header == "ISO 15693 Inventory request."
    assert said[-2:] == ["", ""]
    return said[:-2]


def test_a_trf796x_tells_tags_in_the_slot_of_their_last_digit() -> None:
    told = slots(board(ONE, TWO))
    assert len(told) == 16
    assert (told[0x0], told[0xD]) == ("[00F5F595500104E0,7F]", "[3D2C1B7A080104E0,7F]")
    assert told.count("[,40]") == 14


@pytest.mark.parametrize(
    ("tags", "rounds"),
    [
        ((), 1),
        ((ONE, LIKE_ONE), 2),
        ((ONE, LIKE_ONE, TWO), 2),
        ((ONE, MORE_LIKE_ONE), 3),
        ((ONE, LIKE_ONE, MORE_LIKE_ONE), 3),
    ],
)
def test_a_trf796x_asks_collided_slots_anew_until_each_tag_is_told(
    tags: tuple[Tag, ...], rounds: int
) -> None:
    told = slots(board(*tags))
    assert len(told) == 16 * rounds
    assert told.count("[,z]") == rounds - 1
    uids = {bytes.fromhex(line[1:17])[::-1].hex().upper() for line in told if len(line) > 8}
    assert uids == set(tags)


def test_a_trf796x_with_one_slot_resolves_nothing() -> None:
    assert ask_board(board(ONE, TWO), "142401")[1] == "[,z]"
    assert ask_board(board(), "142401")[1] == "[,40]"


@pytest.mark.parametrize(("tags", "kept"), [((), set()), ((ONE,), {ONE})])
def test_a_trf796x_marks_a_tag_that_it_heard_and_did_not_read(
    tags: tuple[Tag, ...], kept: set[Tag]
) -> None:
    device = board(*tags, is_whole=False)
    [reply] = device.receive_data(b"010B000304140401000000")
    told = reply.data.decode().split("\r\n")[1:17]
    assert told.count("[,z]") == 1
    assert set(reply.tags) == kept


def test_in_one_slot_a_tag_that_was_not_read_hides_the_other() -> None:
    [reply] = board(ONE, is_whole=False).receive_data(b"010B000304142401000000")
    assert b"[,z]" in reply.data
    assert reply.tags == ()


@pytest.mark.parametrize("request_", ["18002000", "1822BD04" + ONE_LSB, "180002"])
def test_only_the_request_to_stay_quiet_silences(request_: str) -> None:
    device = board(ONE)
    ask_board(device, request_)
    assert slots(device).count("[,40]") == 15


def test_a_silenced_tag_says_nothing_until_registers_are_written() -> None:
    device = board(ONE, TWO)
    assert ask_board(device, "182202" + ONE_LSB) == ["Request mode.", "[]", ""]
    assert [line for line in slots(device) if line != "[,40]"] == ["[00F5F595500104E0,7F]"]
    ask_board(device, "1000210100")
    assert slots(device).count("[,40]") == 14
    ask_board(device, "182202" + ONE_LSB)
    device.restart()
    assert slots(device).count("[,40]") == 14


def test_a_trf796x_restarts_when_it_is_told_to() -> None:
    [reply] = board().receive_data(b"0108000304170000")
    assert (reply.data, reply.restarts) == (b"MCU reset.\r\n\r\n", True)


@pytest.mark.parametrize(
    "noise",
    [b"0", b"01", b"01zz", b"0109", b"0108000304FF0001", b"\r\n", b"01FF", b"0108000604FF0000"],
)
def test_noise_costs_a_trf796x_no_command_but_its_own(noise: bytes) -> None:
    replies = board().receive_data(noise + b"0108000304FF0000")
    assert [reply.data for reply in replies] == [trf796x.encode("TRF7970A EVM \r\n")]


def em_pad(*tags: Tag) -> Rdm6300:
    return Rdm6300(name="", antennas=1, baud=9600, hear=lambda _: Heard(tags))


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ((EM,), [b"\x02000414CD7EA3\x03"]),
        ((OTHER_EM,), [b"\x0201C8F0080031\x03"]),
        ((), []),
        ((EM, OTHER_EM), []),  # nothing resolves their collision
        ((ONE,), []),  # another kind of tag
    ],
)
def test_an_rdm6300_says_the_one_card_that_lies_there(
    tags: tuple[Tag, ...], said: list[bytes]
) -> None:
    device = em_pad(*tags)
    assert device.is_polling
    assert [reply.data for reply in device.notices()] == said
    assert device.receive_data(encode(EM)) == []
