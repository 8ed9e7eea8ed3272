"""A simulated PN532: ACK and answer, two cards, the long line test, the change of speed."""

import pytest

from engine.cards import Tag
from hw_fixtures.devices.device import Heard
from hw_fixtures.devices.pn532 import ACK, NAK, Pn532, encode

CLASSIC, NTAG, BIG = Tag("083F6C4A"), Tag("04112233445566"), Tag("04112233445566778899")
ICODE = Tag("E00401087A1B2C3D")
ERROR = encode(b"\x7f")


def chip(*tags: Tag) -> Pn532:
    return Pn532(name="32010607", antennas=1, baud=115200, hear=lambda _: Heard(tags))


def ask(device: Pn532, body: str) -> str:
    """Send a command; return the data of the answer that follows the ACK, as hex."""
    ack, answer = device.receive_data(encode(bytes.fromhex("d4" + body)))
    assert ack.data == ACK
    data = answer.data
    if data == ERROR:
        return "error"
    start = 8 if data[3:5] == b"\xff\xff" else 5
    assert data == encode(data[start:-2])
    assert data[start : start + 2] == bytes([0xD5, int(body[:2], 16) + 1])
    return data[start + 2 : -2].hex()


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("02", "32010607"),
        ("0001", "00"),
        ("0002", "00"),
        ("0000aabb", "00aabb"),
        ("04", "00000000"),
        ("0663016302", "0000"),
        ("08630100", ""),
        ("1000", ""),
        ("1009", "error"),
        ("10", "error"),
        ("1200", ""),
        ("14010000", ""),
        ("1601", "00"),
        ("3201" + "00", ""),
        ("4000" + "3000", "27"),
        ("400130", "27"),  # nothing was listed
        ("42" + "0222", "01"),
        ("4400", "00"),
        ("5200", "00"),
        ("5401", "00"),
        ("600101" + "10", "00"),
        ("4a0100", "01" + "01" + "000408" + "04" + CLASSIC.lower()),
        ("4a0200", "02" + "01" + "000408" + "04" + CLASSIC.lower()
                 + "02" + "004400" + "07" + NTAG.lower()),
        ("4a0300", "error"),  # two targets at most
        ("4a0000", "error"),
        ("4a01", "error"),
        ("4a0101ffff0000", "00"),  # FeliCa: none here
        ("55", "error"),
    ],
)  # fmt: skip
def test_a_command_has_its_answer(body: str, answer: str) -> None:
    assert ask(chip(CLASSIC, NTAG, BIG), body) == answer


def test_a_chip_hears_iso_14443_alone() -> None:
    assert ask(chip(ICODE, BIG), "4a0200") == "01" + "01" + "008400" + "0a" + BIG.lower()


def test_listed_cards_are_known_until_they_are_let_go() -> None:
    device = chip(CLASSIC, NTAG)
    ask(device, "4a0200")
    assert ask(device, "04") == "000002" + "01000000" + "02000000" + "00"
    assert ask(device, "400130") == "01"
    assert ask(device, "400230") == "01"
    assert ask(device, "400330") == "27"
    ask(device, "4400")
    assert ask(device, "400130") == "27"


def test_the_line_test_brings_262_bytes_back_in_extended_frames() -> None:
    text = bytes(range(256)) + b"\x00\x01\x02\x03\x04\x05"
    frame = encode(b"\xd4\x00\x00" + text)
    assert frame[:8].hex() == "0000ffffff0109f6"
    for cut in (3, 5, 6, 7, 8, 100, 270):
        device = chip()
        assert device.receive_data(frame[:cut]) == []
        _, answer = device.receive_data(frame[cut:])
        assert answer.data == encode(b"\xd5\x01\x00" + text)


def test_the_ack_comes_at_once_and_the_answer_after_the_look() -> None:
    ack, answer = chip(CLASSIC).receive_data(encode(b"\xd4\x4a\x02\x00"))
    assert ack.work_ms < answer.work_ms
    assert (answer.tags, answer.is_inventory, ack.tags) == ((CLASSIC,), True, ())


def test_the_speed_changes_when_the_host_has_acknowledged() -> None:
    device = chip()
    ask(device, "1008")
    assert (device.baud, device.offered_baud) == (115200, 1288000)
    assert device.receive_data(ACK) == []
    assert device.baud == 1288000
    device.restart()
    assert (device.baud, device.offered_baud) == (115200, 115200)


def test_an_ack_of_the_host_changes_nothing_else() -> None:
    device = chip()
    assert device.receive_data(ACK) == []
    assert device.baud == 115200


def test_a_nak_of_the_host_brings_the_last_answer_once_more() -> None:
    device = chip(CLASSIC)
    _, answer = device.receive_data(encode(b"\xd4\x02"))
    [again] = device.receive_data(NAK)
    assert again.data == answer.data


@pytest.mark.parametrize(
    "noise",
    [
        bytes(10),  # what wakes a chip
        b"\x55\x55" + bytes(14),
        bytes.fromhex("0000ff02ff"),  # wrong LCS
        bytes.fromhex("0000ff02fed4022b"),  # wrong DCS
        bytes.fromhex("0000ff02fed5032900"),  # from a chip, not to one
        bytes.fromhex("0000ffffffffff02"),  # absurd length
        b"\x01",
    ],
)
def test_noise_costs_no_command_but_its_own(noise: bytes) -> None:
    replies = chip().receive_data(noise + encode(b"\xd4\x02"))
    assert [reply.data for reply in replies] == [ACK, encode(bytes.fromhex("d50332010607"))]


def test_a_frame_without_its_first_byte_is_understood() -> None:
    assert len(chip().receive_data(encode(b"\xd4\x02")[1:])) == 2
    assert [reply.data for reply in chip().receive_data(encode(b"\xd4"))] == [ACK, ERROR]
