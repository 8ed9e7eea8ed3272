"""Text answers that no golden vector shows: what the protocol texts say, family by family."""

import pytest
from fastcrc import crc16

from firmware_bridge.decoding import decode_stream
from firmware_bridge.errors import RegisterError
from firmware_bridge.families import FAMILIES
from firmware_bridge.families.code_shoe import read_code_map
from firmware_bridge.families.family import Direction, Frame
from firmware_bridge.framing import Framer

A, B = "E0040150954F02B1", "E00401508ADE0102"
A_LSB, B_LSB = bytes.fromhex(A)[::-1], bytes.fromhex(B)[::-1]

Brief = tuple[str, str, str, bool, tuple[str, ...]]


def mcrf4xx(body: bytes) -> bytes:
    return body + crc16.mcrf4xx(body).to_bytes(2, "little")


def told(family: str, data: bytes, direction: Direction = "rx") -> list[Brief]:
    return [
        (
            str(each["kind"]),
            str(each["name"]),
            str(each["status"]),
            bool(each["complete"]),
            tuple(each["uids"]) if isinstance(each["uids"], list) else (),
        )
        for each in decode_stream(data, FAMILIES[family], direction)
        if each["ok"]
    ]


def answer(name: str, *uids: str, status: str = "ok") -> Brief:
    return "answer", name, status, status in ("ok", "empty"), uids


def notice(name: str, *uids: str, status: str = "ok") -> Brief:
    return "notice", name, status, status in ("ok", "empty"), uids


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("0001804008" + A, answer("inventory", A)),
        ("0001804008" + A_LSB.hex().upper(), answer("inventory", A)),
        ("000140200411223344", answer("inventory", "11223344")),
        ("0000", answer("answer", status="empty")),
        ("00", answer("answer")),
        ("01", answer("answer", status="error")),
        ("05", answer("answer", status="error")),
    ],
)
def test_twn4_simple(line: str, says: Brief) -> None:
    payload = bytes.fromhex(line)
    sealed = mcrf4xx(payload)
    for data in (
        f"{line}\r".encode(),
        f"{sealed.hex()}\r".encode(),
        len(payload).to_bytes(2, "little") + payload,
        len(sealed).to_bytes(2, "little") + sealed,
    ):
        assert told("twn4_simple", data) == [says]


@pytest.mark.parametrize(
    ("line", "direction"),
    [("06\r", "rx"), ("7001\r", "rx"), ("000515A8\r", "tx"), ("00051\r", "tx"), ("05\r", "tx")],
)
def test_twn4_simple_refuses_what_no_message_can_be(line: str, direction: Direction) -> None:
    """An unknown error byte, a wrong checksum where only one can stand, half a byte, too little."""
    first = decode_stream(line.encode(), FAMILIES["twn4_simple"], direction)[0]
    assert (first["ok"], first["offset"]) == (False, 0)


SAID = "ISO 15693 Inventory request.\r\n"
SLOT_A, SLOT_B = f"[{A_LSB.hex().upper()},7F]\r\n", f"[{B_LSB.hex().upper()},60]\r\n"
NO_TAG, COLLIDED = "[,40]\r\n", "[,z]\r\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SAID + NO_TAG * 16, [answer("inventory", status="empty")]),
        (SAID + SLOT_A + NO_TAG * 14 + SLOT_B + "D", [answer("inventory", A, B)]),
        (SAID + NO_TAG * 15, [answer("inventory", status="partial")]),
        (SAID + NO_TAG * 17, [answer("inventory", status="partial")]),
        (SAID + SLOT_A + NO_TAG + SLOT_B, [answer("inventory", A, B, status="partial")]),
        # In one slot there is one line.
        (SAID + NO_TAG, [answer("inventory", status="empty")]),
        (SAID + SLOT_A, [answer("inventory", A)]),
        (SAID + COLLIDED, [answer("inventory", status="partial")]),
        # A collision is resolved by 16 lines more.
        (
            SAID + COLLIDED + NO_TAG * 15 + SLOT_A + SLOT_B + NO_TAG * 14,
            [answer("inventory", A, B)],
        ),
        (
            SAID + COLLIDED + NO_TAG * 15 + SLOT_A + COLLIDED + NO_TAG * 14,
            [answer("inventory", A, status="partial")],
        ),
        (SAID + COLLIDED + NO_TAG * 15, [answer("inventory", status="partial")]),
        (SAID, [answer("inventory", status="partial")]),
        (SAID + "[0011,7F]\r\n" + SLOT_A, [answer("inventory", A, status="partial")]),
        (SAID + "[0011,7F]\r\n" + NO_TAG * 15, [answer("inventory", status="partial")]),
        (SAID + SLOT_A.replace("7F", "z") + NO_TAG * 15, [answer("inventory", status="partial")]),
        # Without the first line, slots are what is left of an answer.
        (SLOT_A, [answer("slots", A, status="partial")]),
        (NO_TAG * 16, [answer("slots", status="partial")]),
        ("14443A REQA.\r\n" + NO_TAG, [answer("14443a reqa", status="partial")]),
        ("Request mode.\r\n[00112233]\r\n", [answer("request mode")]),
        (
            SAID + SLOT_A + "Direct command.\r\n",
            [answer("inventory", A), answer("direct command")],
        ),
        ("010B000304140401000000\r\n" + SAID + SLOT_A, [answer("inventory", A)]),
        (SAID + SLOT_A + "[5C5B", [answer("inventory", A)]),
        # First byte first; and where both ends may be the first, last byte first.
        (SAID + f"[{A},7F]\r\n", [answer("inventory", A)]),
        (SAID + "[E0540950010104E0,7F]\r\n", [answer("inventory", "E0040101500954E0")]),
    ],
)
def test_ti_trf796x_ascii(text: str, says: list[Brief]) -> None:
    assert told("ti_trf796x_ascii", text.encode()) == says


def sealed_line(text: str) -> str:
    return f"{text} {crc16.mcrf4xx(f'{text} '.encode()):04X}\r"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("IVF 00\r", [answer("inventory", status="empty")]),
        ("ARP 01\rIVF 00\r", [answer("inventory", status="empty")]),
        (f"{A}\r{B}\r", [answer("inventory", A, B, status="partial")]),
        ("IVF 01\r", [answer("inventory", status="partial")]),
        (f"{A}\rIVF 01\r\n", [answer("inventory", A), notice("end of answer")]),
        (f"x{A}\rIVF 01\r", [answer("inventory", A)]),
        (f"A{A}\rIVF 01\r", [answer("inventory", A)]),
        (f"{A}\rSRT\r", [answer("inventory", A, status="partial"), notice("restart")]),
        (
            f"{A}\r{B}0\rIVF 02\r",
            [answer("inventory", A, status="partial"), answer("inventory", status="partial")],
        ),
        (sealed_line(A) + sealed_line("IVF 01"), [answer("inventory", A)]),
        (sealed_line("DESKID_ISO      0200"), [answer("revision")]),
        ("DESKID_ISO     01000218\r", [answer("revision")]),
        (f"{A} 0000\r", []),
        ("IVF 01 0000\r", []),
        ("TDT\r0011112222B7DD\rCOK\rNCL\r", [answer("read")]),
        ("TDT\r0011112222B7DD\rCER\rNCL\r", [answer("read", status="error")]),
        (f"TDT\r{A}\rCOK\rCDT\r", [answer("read", status="error")]),
        ("TDT\r0011\r", [answer("read", status="error")]),
        ("TNR\r", [answer("answer", status="error")]),
        ("XYZ 12\r", []),
        ("CER\r", [answer("answer", status="error")]),
        ("COK\r", [answer("read check")]),
        ("OK!\r", [answer("done")]),
        ("BRA\r", [answer("stopped")]),
        ("HBT\r+HBT\r", [notice("heartbeat"), notice("heartbeat")]),
        ("RNW\r", [notice("restart")]),
        (f"+INV: {A}\r\n+INV: {B}\r\nOK\r", [answer("inventory", A, B)]),
        (
            f"+INV: {A},ISO15\r+INV: 04E10CDA993C80\rOK\r",
            [answer("inventory", A, "04E10CDA993C80")],
        ),
        ("+INV: <NO TAGS FOUND>\rOK\r", [answer("inventory", status="empty")]),
        (f"+INV: {A}\r", [answer("inventory", A, status="partial")]),
        (f"+INV: {A[:9]}\rOK\r", [answer("inventory", status="partial")]),
        ("+INV: <ANTENNA FAULT>\rERROR\r", [answer("inventory", status="error")]),
        ("+ANT: 2\rOK\r", [answer("ant")]),
        ("OK\r", [answer("done")]),
        ("ERROR\r", [answer("error", status="error")]),
        ("+CINV: <NO TAGS FOUND>\r", [notice("inventory", status="empty")]),
        ("+CINV: <ROUND FINISHED>\r", [notice("round finished")]),
        ("+IEV: 1,HIGH\r", [notice("input")]),
        ("INV\rATI\rAT+INV\rSAP MAN 3\r", []),
    ],
)
def test_metratec_ascii(text: str, says: list[Brief]) -> None:
    assert told("metratec_ascii", text.encode()) == says


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("INV SSL AFI 90\r", "inventory"),
        ("CNR INV\r", "inventory"),
        ("AT+CINV\r", "inventory"),
        ("SET PWR 1000\r", "set"),
        ("ATI\r", "ati"),
        ("WAK 5E71\r", None),
        ("wak\r", None),
    ],
)
def test_metratec_commands(text: str, name: str | None) -> None:
    found = told("metratec_ascii", text.encode(), "tx")
    assert [each[1] for each in found] == ([name] if name else [])


@pytest.mark.parametrize("family", ["rdm6300", "wl134"])
def test_a_pad_without_commands_has_none(family: str) -> None:
    assert told(family, b"\x020000000000" + b"00\x03", "tx") == []


@pytest.mark.parametrize(
    ("family", "data"),
    [
        # Bug 26 the other way round: a wrong XOR is wrong.
        ("rdm6300", b"\x02000414CD7EA4\x03"),
        ("rdm6300", b"\x02000414CD7EA3\x04"),
        ("wl134", b"\x02171A9253A34830010000000000\x08\xf7\x03"),
        ("wl134", b"\x02171A9253A34830010000000000\x07\xf9\x03"),
        ("wl134", b"\x02171A9253A34830010000000000\x07\xf8\x04"),
        ("wl134", b"\x02171A9253A3483001000000000x\x07\xf8\x03"),
        ("ti_s6350", bytes.fromhex("010d0000000060110701007b85")),
        ("ti_s6350", bytes.fromhex("01080000000060 7b84")),
    ],
)
def test_a_wrong_sum_or_frame_is_refused(family: str, data: bytes) -> None:
    assert told(family, data) == []


def test_an_all_zero_number_passes_its_sum_and_so_must_be_read_twice() -> None:
    """Bug 27: ghosts pass a weak sum; the family says so, and presence waits for a second read."""
    assert told("rdm6300", b"\x02" + b"0" * 12 + b"\x03") == [notice("tag", "0000000000")]
    assert FAMILIES["rdm6300"].reads_to_trust == 2


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (b"3020\r\n2014\r\n", [b"3020", b"2014"]),
        (b"3020\r2014\n", [b"3020", b"2014"]),
        (b" 3020 \r", [b"3020"]),
        (b"3020", []),
        (b"\x003020\r", [b"3020"]),
        (b"x" * 70 + b"\r", [b"x" * 64]),
    ],
)
def test_a_code_shoe_says_one_code_a_line(text: bytes, codes: list[bytes]) -> None:
    family = FAMILIES["code_shoe"]
    framer = Framer(family)
    found = framer.feed(text) + framer.flush()
    told = [family.decode(each.data, "rx") for each in found if isinstance(each, Frame)]
    assert [each.data for each in told if each.name == "code"] == codes


def test_a_map_file_gives_each_code_its_card() -> None:
    text = "# suits 1 to 4 are S, H, C, D\n3020 2c   # as typed by the shoe\n\n1010 Ts\nJ1 JK\n"
    assert read_code_map(text, file="shoe.map") == {"3020": "2c", "1010": "Ts", "J1": "JK"}


def test_a_map_file_that_cannot_be_used_says_every_line_that_is_wrong() -> None:
    with pytest.raises(RegisterError) as raised:
        read_code_map("3020 2c\n3021\n3020 3c\n1010 10s\n", file="shoe.map")
    assert [(fault.file, fault.line, fault.found) for fault in raised.value.faults] == [
        ("shoe.map", 2, "'3021'"),
        ("shoe.map", 3, "the code twice"),
        ("shoe.map", 4, "'1010 10s'"),
    ]
