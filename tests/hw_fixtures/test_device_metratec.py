"""Simulated Metratec readers of both generations: set-up, CRC, inventories that go on, restarts."""

import pytest

from engine.cards import Tag
from hw_fixtures.devices.device import Heard
from hw_fixtures.devices.iso15693 import SIGNATURES
from hw_fixtures.devices.metratec import MetratecReader, checksum
from hw_fixtures.devices.metratec_at import MetratecAtReader

ONE, TWO = Tag("E00401087A1B2C3D"), Tag("E004015095F5F500")


def reader(*lies: tuple[Tag, ...], is_whole: bool = True) -> MetratecReader:
    """Return a first-generation reader at whose antennas, from 1 on, these stacks lie."""
    return MetratecReader(
        name="QUASAR_MX",
        antennas=max(1, len(lies)),
        baud=115200,
        hear=lambda number: Heard(lies[number - 1] if lies else (), is_whole),
    )


def at_reader(*lies: tuple[Tag, ...], is_whole: bool = True) -> MetratecAtReader:
    """Return a second-generation reader at whose antennas, from 1 on, these stacks lie."""
    return MetratecAtReader(
        name="2020090817420000",
        antennas=max(1, len(lies)),
        baud=115200,
        hear=lambda number: Heard(lies[number - 1] if lies else (), is_whole),
    )


def ask(device: MetratecReader | MetratecAtReader, *lines: str) -> str:
    """Ask line by line; return what is said to the last."""
    for line in lines[:-1]:
        device.receive_data(f"{line}\r".encode())
    replies = device.receive_data(f"{lines[-1]}\r".encode())
    return b"".join(reply.data for reply in replies).decode()


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("BRK", "NCM\r"),
        ("WAK", "DNS\r"),
        ("REV", "QUASAR_MX      01000218\r"),
        ("SRI SS 100", "OK!\r"),
        ("SRI SS 50", "UPA\r"),
        ("SRI OFF", "OK!\r"),
        ("MOD 156", "OK!\r"),
        ("MOD 157", "UPA\r"),
        ("SET PWR 200", "OK!\r"),
        ("SET PWR much", "UPA\r"),
        ("SAP MAN 2", "OK!\r"),
        ("SAP MAN 3", "UPA\r"),
        ("SAP MAN", "UPA\r"),
        ("SAP AUT 2 0", "OK!\r"),
        ("SAP ARP ON", "OK!\r"),
        ("SAP ARP", "UPA\r"),
        ("HBT 1", "OK!\r"),
        ("HBT soon", "UPA\r"),
        ("CNR REQ", "UPA\r"),
        ("EOF", "OK!\r\n"),
        ("XYZ", "UCO\r"),
        ("INV", "RNW\r"),  # no radio yet
        ("REQ 022000", "RNW\r"),
    ],
)
def test_a_line_has_its_answer(line: str, answer: str) -> None:
    assert ask(reader((ONE,), (TWO,)), line) == answer


def test_a_reader_with_one_antenna_has_no_multiplexer() -> None:
    assert ask(reader(()), "SAP MAN 1") == "NOS\r"


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["INV"], f"{ONE}\rIVF 01\r"),
        (["SAP MAN 2", "INV"], f"{ONE}\r{TWO}\rIVF 02\r"),
        (["SAP MAN 3", "INV"], "IVF 00\r"),
        (["SAP MAN 3", "SAP MAN 1", "INV"], f"{ONE}\rIVF 01\r"),
        (["SAP AUT 1 0", "INV", "INV"], f"{ONE}\rIVF 01\r"),
        (["SAP AUT 2 0", "SAP MAN 3", "INV", "INV"], "IVF 00\r"),
        (["SAP ARP ON", "SAP MAN 3", "INV"], "ARP 03\rIVF 00\r"),
        (["SAP ARP ON", "SAP ARP OFF", "INV"], f"{ONE}\rIVF 01\r"),
        (["EOF", "INV"], f"{ONE}\rIVF 01\r\n"),
        (["INV SSL"], f"{ONE}\rIVF 01\r"),
        (["SAP MAN 2", "INV SSL"], "CDT\r"),
        (["INV ONT", "INV ONT"], "IVF 00\r"),
        (["INV ONT", "SRI SS 100", "INV ONT"], f"{ONE}\rIVF 01\r"),
        (["INV AFI 42"], f"{ONE}\rIVF 01\r"),
        (["SRI OFF", "INV"], "RNW\r"),
    ],
)
def test_an_inventory_tells_tags_antenna_and_number(lines: list[str], answer: str) -> None:
    device = reader((ONE,), (ONE, TWO), ())
    assert ask(device, "SRI SS 100", *lines) == answer


def test_an_automatic_multiplexer_moves_on_after_each_inventory() -> None:
    device = reader((ONE,), (TWO,), (ONE, TWO))
    ask(device, "SRI SS 100", "SAP ARP ON", "SAP AUT 2 0")
    said = [ask(device, "INV") for _ in range(3)]
    assert said == [f"{ONE}\rARP 01\rIVF 01\r", f"{TWO}\rARP 02\rIVF 01\r", said[0]]


def test_a_tag_that_was_heard_and_not_read_is_counted() -> None:
    assert ask(reader((ONE,), is_whole=False), "SRI SS 100", "INV") == f"{ONE}\rIVF 02\r"


def test_in_crc_mode_every_line_bears_one_both_ways() -> None:
    device = reader((ONE,))
    assert ask(device, "SRI SS 100", "CON") == "OK!\r"
    assert ask(device, "INV") == f"CCE{checksum('CCE')}\r"
    assert ask(device, "INV 0000") == f"CCE{checksum('CCE')}\r"
    sealed = "".join(f"{line}{checksum(line)}\r" for line in (ONE, "IVF 01"))
    assert ask(device, f"INV{checksum('INV')}") == sealed
    assert ask(device, f"COF{checksum('COF')}") == "OK!\r"
    assert ask(device, "INV") == f"{ONE}\rIVF 01\r"


def test_a_continuous_inventory_goes_on_until_it_is_stopped() -> None:
    device = reader((ONE,))
    assert ask(device, "SRI SS 100", "CNR INV") == f"{ONE}\rIVF 01\r"
    assert device.is_polling
    assert [reply.data.decode() for reply in device.notices()] == [f"{ONE}\rIVF 01\r"]
    assert ask(device, "BRK") == "BRA\r"
    assert (device.is_polling, device.notices()) == (False, [])
    assert ask(device, "BRK") == "NCM\r"


def test_the_heart_beats_at_the_interval_in_seconds() -> None:
    device = reader(())
    ask(device, "HBT 2")
    beats = [[reply.data for reply in device.notices()] for _ in range(40)]
    assert [number for number, said in enumerate(beats, 1) if said] == [20, 40]
    assert beats[19] == [b"HBT\r"]
    ask(device, "HBT 0")
    assert not device.is_polling


def test_inventories_and_heart_beats_stop_one_by_one() -> None:
    device = reader((ONE,))
    ask(device, "SRI SS 10", "CNR INV", "HBT 1")
    said = [[reply.data.decode() for reply in device.notices()] for _ in range(10)]
    assert said[8:] == [[f"{ONE}\rIVF 01\r"], [f"{ONE}\rIVF 01\r", "HBT\r"]]
    polls = []
    for line in ("HBT 0", "HBT 1", "BRK", "HBT 0"):
        ask(device, line)
        polls.append(device.is_polling)
    assert polls == [True, True, True, False]


def test_two_lines_that_come_at_once_are_both_answered() -> None:
    said = [reply.data for reply in reader(()).receive_data(b"BRK\rWAK\r")]
    assert said == [b"NCM\r", b"DNS\r"]


def test_a_restart_loses_the_settings_and_is_said() -> None:
    device = reader((ONE,), (TWO,))
    ask(device, "SRI SS 100", "SAP MAN 2", "EOF", "HBT 1")
    [reply] = device.receive_data(b"RST\r")
    assert (reply.data, reply.restarts) == (b"OK!\r\n", True)
    device.restart()
    assert [reply.data for reply in device.greet()] == [b"SRT\r"]
    assert ask(device, "INV") == "RNW\r"
    assert ask(device, "SRI SS 100", "INV") == f"{ONE}\rIVF 01\r"
    assert not device.is_polling


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("022000", "TDT\r000000000077CF\rCOK\rNCL\r"),
        ("2220" + ONE + "00", "TDT\r000000000077CF\rCOK\rNCL\r"),
        ("2220" + TWO + "00", "TNR\r"),
        ("02", "TNR\r"),
        ("nothing", "UPA\r"),
    ],
)
def test_a_request_is_passed_on_to_a_tag(request_: str, answer: str) -> None:
    assert ask(reader((ONE,)), "SRI SS 100", f"REQ {request_} CRC") == answer


def test_a_signature_is_read_of_a_chip_that_has_one() -> None:
    signed, signature = next(iter(SIGNATURES.items()))
    device = reader((ONE, signed))
    answer = ask(device, "SRI SS 100", f"REQ 22BD04{signed} CRC")
    assert answer.split("\r")[1][2:-4] == signature.hex().upper()


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["AT"], "OK\r\n"),
        (["ATI"],
         "+SW: DeskID_NFC 0240\r+HW: DeskID_NFC 0100\r+SERIAL: 2020090817420000\r\nOK\r\n"),
        (["AT+ANT?"], "+ANT: 1\r\nOK\r\n"),
        (["AT+ANT=2"], "OK\r\n"),
        (["AT+ANT=2", "AT+ANT?"], "+ANT: 2\r\nOK\r\n"),
        (["AT+ANT=3"], "+ANT: <Invalid parameter>\r\nERROR\r\n"),
        (["AT+EMX?"], "+EMX: 0,0,0,0\r\nOK\r\n"),
        (["AT+EMX=2,0,0,0", "AT+EMX?"], "+EMX: 2,0,0,0\r\nOK\r\n"),
        (["AT+EMX"], "ERROR\r\n"),
        (["AT+XYZ"], "ERROR\r\n"),
        (["AT+HBT=soon"], "+HBT: <Invalid parameter>\r\nERROR\r\n"),
        (["AT+INV"], "+INV: <NO TAGS FOUND>\r\nOK\r\n"),
        (["AT+ANT=2", "AT+INV"], f"+INV: {ONE}\r+INV: {TWO}\r\nOK\r\n"),
        (["AT+INVS=1,0,0", "AT+ANT=2", "AT+INV"],
         f"+INV: {ONE},ISO15,00\r+INV: {TWO},ISO15,00\r\nOK\r\n"),
        (["AT+BINV"], "+BINV: <Inventory is not running>\r\nERROR\r\n"),
        (["ATE1"], "ATE1\r\nOK\r\n"),
        (["ATE1", "AT+ANT?"], "AT+ANT?\r\n+ANT: 1\r\nOK\r\n"),
        (["ATE1", "ATE0", "AT+ANT?"], "+ANT: 1\r\nOK\r\n"),
    ],
)  # fmt: skip
def test_an_at_command_has_its_answer(lines: list[str], answer: str) -> None:
    assert ask(at_reader((), (ONE, TWO)), *lines) == answer


def test_an_at_reader_marks_a_tag_that_it_heard_and_did_not_read() -> None:
    answer = ask(at_reader((ONE,), is_whole=False), "AT+INV")
    assert answer == f"+INV: {ONE}\r+INV: <COLLISION>\r\nOK\r\n"


def test_a_continuous_at_inventory_tells_each_round() -> None:
    device = at_reader((ONE,))
    assert ask(device, "AT+CINV") == "OK\r\n"
    assert device.is_polling
    [notice] = device.notices()
    assert notice.data.decode() == f"+CINV: {ONE}\r+CINV: <ROUND FINISHED ANT=1>\r\n"
    assert ask(device, "AT+BINV") == "OK\r\n"
    assert not device.is_polling


def test_an_at_reader_beats_its_heart_and_forgets_it_in_a_restart() -> None:
    device = at_reader((ONE,), (TWO,))
    ask(device, "AT+HBT=1", "AT+ANT=2")
    beats = [[reply.data for reply in device.notices()] for _ in range(10)]
    assert beats[8:] == [[], [b"+HBT\r\n"]]
    [reply] = device.receive_data(b"AT+RST\r")
    assert (reply.data, reply.restarts) == (b"OK\r\n", True)
    device.restart()
    assert not device.is_polling
    assert ask(device, "AT+ANT?") == "+ANT: 1\r\nOK\r\n"


@pytest.mark.parametrize("noise", [b"\x00\xff", b"\n", b"\r\n", b"\x80\x81", 400 * b"A"])
def test_bytes_that_are_no_line_cost_no_command(noise: bytes) -> None:
    device = reader(())
    device.receive_data(noise + b"\x01")
    assert ask(device, "BRK") == "NCM\r"
