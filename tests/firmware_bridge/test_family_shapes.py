"""Binary answers that no golden vector shows: what the protocol texts say, family by family."""

import pytest
from cobs import cobs  # type: ignore[import-untyped]
from fastcrc import crc16
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.decoding import decode_stream
from firmware_bridge.families import FAMILIES, thingmagic
from firmware_bridge.families.family import Direction

A, B = "E0040150954F02B1", "E00401508ADE0102"
A_MSB, B_MSB = bytes.fromhex(A), bytes.fromhex(B)
A_LSB, B_LSB = A_MSB[::-1], B_MSB[::-1]

Brief = tuple[str, str, str, bool, tuple[str, ...]]


def mcrf4xx(body: bytes) -> bytes:
    return body + crc16.mcrf4xx(body).to_bytes(2, "little")


def pepper_c1(payload: bytes) -> bytes:
    length = (len(payload) + 2).to_bytes(2, "little")
    inverted = bytes(255 - byte for byte in length)
    return b"\xf5" + length + inverted + payload + crc16.ibm_3740(payload).to_bytes(2, "little")


def anyid7e55(command: int, params: bytes, *, is_long: bool = False) -> bytes:
    length = b"\x00" if is_long else bytes([9 + len(params)])
    size = len(params).to_bytes(2, "little") if is_long else b""
    body = length + b"\x01\x00\x00\x00\x1f" + bytes([command, 0]) + size + params
    return b"\x7e\x55" + body + crc16.ibm_sdlc(body).to_bytes(2, "little")


def feig(command: int, status: int, data: bytes = b"") -> bytes:
    return mcrf4xx(bytes([8 + len(data) - 2, 0, command, status]) + data)


def feig_advanced(command: int, status: int, data: bytes = b"") -> bytes:
    return mcrf4xx(
        b"\x02" + (8 + len(data)).to_bytes(2, "big") + bytes([0, command, status]) + data
    )


def chafon_uhf(command: int, status: int, data: bytes = b"") -> bytes:
    return mcrf4xx(bytes([5 + len(data), 0, command, status]) + data)


def chafon_rr3036_hf(status: int, data: bytes = b"") -> bytes:
    return mcrf4xx(bytes([4 + len(data), 0, status]) + data)


def r200(kind: int, command: int, params: bytes = b"") -> bytes:
    body = bytes([kind, command]) + len(params).to_bytes(2, "big") + params
    return b"\xbb" + body + bytes([sum(body) & 255, 0x7E])


def tm_answer(opcode: int, status: int, data: bytes = b"") -> bytes:
    body = bytes([len(data), opcode]) + status.to_bytes(2, "big") + data
    return b"\xff" + body + thingmagic.checksum(body).to_bytes(2, "big")


def pn532_hsu(body: bytes) -> bytes:
    if len(body) < 256:
        header = bytes([len(body), 256 - len(body) & 255])
    else:
        high, low = divmod(len(body), 256)
        header = bytes([255, 255, high, low, -(high + low) & 255])
    return b"\x00\x00\xff" + header + body + bytes([-sum(body) & 255, 0])


def front_end(kind: int, sequence: int, data: bytes = b"") -> bytes:
    return b"\x00" + bytes(cobs.encode(mcrf4xx(bytes([kind, sequence]) + data))) + b"\x00"


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
    ("payload", "says"),
    [
        ("0002 00", answer("count", status="empty")),
        ("0002 03", answer("count")),
        ("0090" + A_MSB.hex() + "00 00", answer("inventory", A)),
        ("0090" + A_LSB.hex() + "00 01", answer("inventory", A, status="partial")),
        ("0091" + B_LSB.hex() + "00 00", answer("inventory next", B)),
        ("0091" + B_LSB.hex(), answer("inventory next", status="error")),
        ("0003 03 00", answer("uid", status="error")),
        ("0003 01 00 11223344", answer("uid", "11223344")),
        ("00", answer("unknown", status="error")),
        ("000f", answer("antenna")),
        ("ff90 0115", answer("inventory", status="error")),
        ("0077", answer("command 77")),
        ("fe01", notice("tag")),
        ("fe00 03 00" + A_LSB.hex(), notice("tag", A)),
    ],
)
def test_pepper_c1(payload: str, says: Brief) -> None:
    """The answers of 90 and 91 are ASSUMED, from the maker's library."""
    assert told("pepper_c1", pepper_c1(bytes.fromhex(payload))) == [says]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (anyid7e55(0x11, A_LSB + b"\xaa" + B_LSB + b"\xaa\x00\x00"), answer("inventory", A, B)),
        (anyid7e55(0x11, A_LSB + b"\xaa\x03\x00"), answer("inventory", A, status="partial")),
        (anyid7e55(0x11, b"\x00\x00"), answer("inventory", status="empty")),
        (anyid7e55(0x11, b"\x02\x00"), answer("inventory", status="partial")),
        (anyid7e55(0x11, A_LSB + b"\xab\x00\x00"), answer("inventory", status="error")),
        (anyid7e55(0x11, b"\x00"), answer("inventory", status="error")),
        (anyid7e55(0x22, b"\x01\x03"), answer("read blocks", status="error")),
        (anyid7e55(0xF2, b"\x00\x00"), answer("antennas")),
        (anyid7e55(0x3F, bytes(300), is_long=True), answer("multi-antenna")),
    ],
)
def test_anyid7e55(data: bytes, says: Brief) -> None:
    assert told("anyid7e55", data) == [says]


@pytest.mark.parametrize(
    ("params", "says"),
    [(b"\x00" + A_LSB + b"\x00\x00", notice("tag", A)), (A_LSB, notice("tag"))],
)
def test_anyid7e55_upload_as_the_manual_draws_it(params: bytes, says: Brief) -> None:
    body = bytes([8 + len(params)]) + b"\x01\x00\x00\x00\x10\x00" + params
    data = b"\x7e\x55" + body + crc16.ibm_sdlc(body).to_bytes(2, "little")
    assert told("anyid7e55", data) == [says]


SET_A, SET_B = b"\x03\x00" + A_MSB, b"\x03\x00" + B_MSB


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (feig(0xB0, 0x00, b"\x02" + SET_A + SET_B), answer("inventory", A, B)),
        (feig(0xB0, 0x00, b"\x00"), answer("inventory", status="empty")),
        (feig_advanced(0xB0, 0x00, b"\x01" + SET_A), answer("inventory", A)),
        (feig_advanced(0xB0, 0x01), answer("inventory", status="empty")),
        (feig(0xB0, 0x93, b"\x01" + SET_A), answer("inventory", A, status="partial")),
        (feig(0xB0, 0x83, b"\x01" + SET_A), answer("inventory", A, status="partial")),
        (feig(0xB0, 0x94, b"\x00"), answer("inventory", status="partial")),
        (feig(0xB0, 0x84), answer("inventory", status="error")),
        (feig(0xB0, 0x94, b"\x02" + SET_A), answer("inventory", status="error")),
        # A card of another type in the list: what can be read is there, the rest is unread.
        (
            feig(0xB0, 0x00, b"\x02" + SET_A + b"\x04" + bytes(9)),
            answer("inventory", A, status="partial"),
        ),
        # The answer to "read blocks" has no cards in it, whatever its bytes.
        (feig(0xB0, 0x00, b"\x02\x04\x00" + bytes(8)), answer("custom command")),
        (feig(0xB0, 0x80), answer("inventory", status="error")),
        (feig(0x65, 0x00, bytes(9)), answer("version")),
        (feig(0x77, 0x00), answer("command 77")),
        (feig(0x65, 0x83), answer("version", status="error")),
        (feig(0x65, 0x01), answer("version", status="empty")),
    ],
)
def test_feig(data: bytes, says: Brief) -> None:
    assert told("feig", data) == [says]


@pytest.mark.parametrize(
    ("status", "words"),
    [(0x90, "90: buffer overflow"), (0x92, "92: no valid data"), (0x93, "93: buffer overflow")],
)
def test_a_feig_buffer_that_lacks_something_is_no_word_of_absence(status: int, words: str) -> None:
    [record] = decode_stream(feig(0x22, status), FAMILIES["feig"])
    assert (record["status"], record["complete"], record["error"]) == ("error", False, words)


EPC = bytes.fromhex("E200001D7315016521408FC6")
E = "E200001D7315016521408FC6"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (chafon_uhf(1, 0x01, b"\x01\x0c" + EPC), answer("inventory", E)),
        (chafon_uhf(1, 0x01, b"\x01\x01\x0c" + EPC + b"\x60"), answer("inventory", E)),
        (chafon_uhf(1, 0x02, b"\x01\x0c" + EPC), answer("inventory", E, status="partial")),
        (chafon_uhf(1, 0x04, b"\x01\x0c" + EPC), answer("inventory", E, status="partial")),
        (chafon_uhf(1, 0x01, b"\x00"), answer("inventory", status="empty")),
        (chafon_uhf(1, 0x01), answer("inventory", status="empty")),
        (chafon_uhf(1, 0xFB), answer("inventory", status="empty")),
        (chafon_uhf(1, 0xF8), answer("inventory", status="error")),
        (chafon_uhf(1, 0x01, b"\x02\x0c" + EPC), answer("inventory", status="error")),
        (chafon_uhf(0x2F, 0x00), answer("power")),
        (chafon_uhf(0x99, 0xFE), answer("command 99", status="error")),
    ],
)
def test_chafon_uhf(data: bytes, says: Brief) -> None:
    assert told("chafon_uhf", data) == [says]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (chafon_rr3036_hf(0, b"\x00" + A_LSB + b"\x00" + B_LSB), answer("inventory", A, B)),
        (chafon_rr3036_hf(0), answer("answer")),
        (chafon_rr3036_hf(0, bytes(9)), answer("answer")),
        (chafon_rr3036_hf(0x0F, b"\x03"), answer("answer", status="error")),
    ],
)
def test_chafon_rr3036_hf(data: bytes, says: Brief) -> None:
    """How the tags stand is ASSUMED; a read of nine bytes is not taken for a card."""
    assert told("chafon_rr3036_hf", data) == [says]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (r200(2, 0x22, b"\xc4\x10\x00" + EPC[:4] + b"\x00\x00"), [notice("inventory", E[:8])]),
        (r200(1, 0xFF), [answer("refusal", status="error")]),
        (r200(1, 0x28, b"\x00"), [answer("stop")]),
        (r200(2, 0x22), [notice("inventory")]),
        (r200(1, 0x28, b"\x00")[:-1] + b"\x7f", []),
        (r200(3, 0x28, b"\x00"), []),
    ],
)
def test_r200(data: bytes, says: list[Brief]) -> None:
    assert told("r200", data) == says


# Antenna, time, phase and the like; no memory data; 1 byte; bits of PC, EPC and CRC.
STREAMED = bytes(19) + b"\x00\x00" + b"\x0f" + b"\x00\x80" + b"\x30\x00" + EPC + b"\x15\x45"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (tm_answer(0x22, 0, STREAMED), notice("inventory", E)),
        (tm_answer(0x22, 0, STREAMED[:-3]), notice("inventory")),
        (tm_answer(0x22, 0), notice("inventory")),
        (tm_answer(0x22, 0x0504), notice("inventory", status="error")),
        (tm_answer(0x21, 0, b"\x01"), answer("inventory")),
        (tm_answer(0x97, 0), answer("set region")),
        (tm_answer(0x97, 0x0105), answer("set region", status="error")),
    ],
)
def test_thingmagic(data: bytes, says: Brief) -> None:
    assert told("thingmagic", data) == [says]


def test_thingmagic_tag_as_captured_in_a_stream() -> None:
    """Source: comments of sparkfun/SparkFun_Simultaneous_RFID_Tag_Reader_Library."""
    data = bytes.fromhex(
        "ff282200001000 1b01ff0101c4110e16400000012700000500000f0080"
        "300000000000000000000000 1545e94a561d"
    )
    assert told("thingmagic", data) == [notice("inventory", "000000000000000000001545")]


ACK = b"\x00\x00\xff\x00\xff\x00"
TWO_TARGETS = bytes.fromhex("d54b 02 01 0004 08 04 11223344 02 0344 00 07 04e10cda993c80")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (pn532_hsu(TWO_TARGETS), [answer("inventory", "11223344", "04E10CDA993C80")]),
        (
            pn532_hsu(bytes.fromhex("d54b 01 01 50aabbcc04112233440011223381")),
            [answer("inventory", status="error")],
        ),
        (
            pn532_hsu(bytes.fromhex("d54b 01 01 50aabb 05 1122334455")),
            [answer("inventory", status="error")],
        ),
        (pn532_hsu(b"\xd5\x4b"), [answer("inventory", status="error")]),
        (pn532_hsu(b"\xd5"), [answer("unknown", status="error")]),
        (pn532_hsu(b"\xd5\x43\x01"), [answer("transparent", status="error")]),
        (pn532_hsu(b"\xd5\x43\x00" + A_LSB), [answer("transparent")]),
        (pn532_hsu(b"\xd5\x01" + bytes(260)), [answer("line test")]),
        (pn532_hsu(b"\xd5\x03\x32\x01\x06\x07")[:-1], [answer("version")]),
        (pn532_hsu(b"\xd5\x03\x32\x01\x06\x07")[1:], [answer("version")]),
        (ACK[:-1] + pn532_hsu(b"\xd5\x15"), [notice("ack"), answer("sam configuration")]),
        (b"\x55\x55" + bytes(14) + ACK, [notice("ack")]),
        (pn532_hsu(b"\xd5\x03\x32")[:-2] + b"\x00\x00", []),
    ],
)
def test_pn532_hsu(data: bytes, says: list[Brief]) -> None:
    assert told("pn532_hsu", data) == says


def test_a_pn532_frame_without_its_last_00_takes_no_byte_of_what_follows() -> None:
    bare = pn532_hsu(b"\xd5\x15")[:-1]
    found = decode_stream(bare + b"\x55" + bare, FAMILIES["pn532_hsu"])
    assert [(each["ok"], each["length"]) for each in found] == [(True, 8), (False, 1), (True, 8)]


@pytest.mark.parametrize("size", [63, 64, 65, 128])
@pytest.mark.parametrize(
    ("family", "overhead"),
    [
        ("pepper_c1", 9),
        ("anyid7e55", 12),
        ("feig", 6),
        ("chafon_uhf", 6),
        ("chafon_rr3036_hf", 5),
        ("r200", 7),
        ("thingmagic", 7),
        ("pn532_hsu", 9),
        ("front_end", 7),
    ],
)
def test_a_frame_of_a_usb_packets_size_comes_out(family: str, overhead: int, size: int) -> None:
    """Bug 12: frames of exactly 63, 64, 65 and 128 bytes."""
    filler = b"\x11" * (size - overhead)
    data = {
        "pepper_c1": lambda: pepper_c1(b"\x00\x77" + filler),
        "anyid7e55": lambda: anyid7e55(0xF5, filler),
        "feig": lambda: feig(0x65, 0, filler),
        "chafon_uhf": lambda: chafon_uhf(0x21, 0, filler),
        "chafon_rr3036_hf": lambda: chafon_rr3036_hf(0, filler),
        "r200": lambda: r200(1, 0x03, filler),
        "thingmagic": lambda: tm_answer(0x03, 0, filler),
        "pn532_hsu": lambda: pn532_hsu(b"\xd5\x03" + filler[: -0 or None]),
        "front_end": lambda: front_end(0x81, 1, filler),
    }[family]()
    found = decode_stream(data * 2, FAMILIES[family])
    assert [each["length"] for each in found if each["ok"]] == [size, size]


SEALS = {
    "pepper_c1": lambda b: pepper_c1(bytes([(0, 254, 255)[b[0] % 3]]) + b[1:]),
    "anyid7e55": lambda b: anyid7e55(b[0], b[1:]),
    "feig": lambda b: feig(0xB0 if b[0] % 2 else b[0], b[1], b[2:]),
    "chafon_uhf": lambda b: chafon_uhf(b[0] % 2 or b[0], b[1] % 6, b[2:]),
    "chafon_rr3036_hf": lambda b: chafon_rr3036_hf(b[0] % 16, b[1:]),
    "r200": lambda b: r200(1 + b[0] % 2, 0x22 if b[1] % 2 else b[1], b[2:]),
    "thingmagic": lambda b: tm_answer(0x21 + b[0] % 3, (b[1] % 2) << 10, b[2:]),
    "pn532_hsu": lambda b: pn532_hsu(b"\xd5" + (b if b[0] % 2 else b"\x4b" + b[1:])),
    "front_end": lambda b: front_end(0x80 | b[0], b[1], b[2:]),
    "twn4_simple": lambda b: f"{bytes([b[0] % 6]).hex()}{b[1:].hex()}\r".encode(),
}


@pytest.mark.parametrize("family", SEALS)
@given(payload=st.binary(min_size=3, max_size=60))
def test_no_payload_in_a_sound_frame_raises(family: str, payload: bytes) -> None:
    """Bug 31, behind the checksum: what a reader may say, were it out of its mind."""
    data = SEALS[family](payload)
    found = decode_stream(data, FAMILIES[family])
    assert sum(int(str(each["length"])) for each in found) == len(data)
