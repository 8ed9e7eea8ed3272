"""The simulated Pepper C1: its own encoder on golden bytes, its answers, its limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Tag
from hw_fixtures.devices.device import Timing
from hw_fixtures.pepper import MAX_COMMAND, CommandParser, PepperReader, encode

PUBLIC = "MihaiPopescu1985/Eccel_C1: c1device/test/command_test.go"
UNNAMED = "public source code or manual (repository not recorded)"
DERIVED = "derived from the frame rule in PyPI pepper-c1 0.2.0 and Eccel_C1; not captured"

GOLDEN_COMMANDS = [
    ("f50300fcff01d1f1", "01", PUBLIC),
    ("f50300fcff02b2c1", "02", UNNAMED),
    ("f50300fcff0aba40", "0a", UNNAMED),
    ("f50400fbff03005c48", "0300", UNNAMED),
    ("f50400fbff03021e68", "0302", UNNAMED),
    ("f50400fbff03033f78", "0303", UNNAMED),
    ("f50400fbff0304d808", "0304", UNNAMED),
    ("f50400fbff0f04b54d", "0f04", DERIVED),
    ("f50400fbff9000e405", "9000", DERIVED),
]
GOLDEN_ANSWERS = [
    ("f50600f9ffff0201003292", "ff020100", DERIVED),
    ("f50e00f1ff00030300e004015095f5f500ed32", "00030300e004015095f5f500", DERIVED),
    ("f50c00f3fffe000100deadbeef1234ef47", "fe000100deadbeef1234", DERIVED),
]

ONE, TWO = Tag("E00401087A1B2C3D"), Tag("E004015095F5F500")
SIX = tuple(Tag(f"E00401080000000{n}") for n in range(6))


def reader(tags: dict[int, tuple[Tag, ...]] | None = None) -> PepperReader:
    lies = tags or {}
    return PepperReader(
        name="C1-MUX SIM-A",
        antennas=8,
        hear=lambda antenna: lies.get(antenna, ()),
        timing=Timing(command_ms=1.0, discovery_ms=10.0, tag_ms=2.0),
    )


def ask(device: PepperReader, *commands: str) -> list[str]:
    """Send commands; return the payloads of the answers, as hex."""
    stream = b"".join(encode(bytes.fromhex(command)) for command in commands)
    return [reply.data[5:-2].hex() for reply in device.receive_data(stream)]


@pytest.mark.parametrize(("frame", "payload", "source"), [*GOLDEN_COMMANDS, *GOLDEN_ANSWERS])
def test_the_encoder_makes_the_golden_bytes(frame: str, payload: str, source: str) -> None:
    assert encode(bytes.fromhex(payload)).hex() == frame


@pytest.mark.parametrize(("frame", "payload", "source"), GOLDEN_COMMANDS)
def test_a_golden_command_is_understood_however_it_is_cut(
    frame: str, payload: str, source: str
) -> None:
    data = bytes.fromhex(frame)
    for cut in range(len(data) + 1):
        parser = CommandParser()
        found = parser.receive_data(data[:cut]) + parser.receive_data(data[cut:])
        assert found == [bytes.fromhex(payload)]


@pytest.mark.parametrize(
    ("stream", "payloads"),
    [
        ("f50500fbff0002039d9a", []),  # vector pepper_c1-026: complement of LEN damaged
        ("f5f50300fcff01d1f1", ["01"]),
        ("00ff" + "f50300fcff01d1f1", ["01"]),
        ("f5030afcff" + "f50300fcff01d1f1", ["01"]),
        ("f50300fcff01d1f0" + "f50300fcff02b2c1", ["02"]),
        ("f5ffff0000" + "f50300fcff01d1f1", ["01"]),
    ],
)
def test_noise_costs_the_reader_no_command_but_its_own(stream: str, payloads: list[str]) -> None:
    found = CommandParser().receive_data(bytes.fromhex(stream))
    assert [payload.hex() for payload in found] == payloads


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_any_bytes_leave_less_than_one_command_waiting(pieces: list[bytes]) -> None:
    parser = CommandParser()
    taken = sum(len(encode(payload)) for piece in pieces for payload in parser.receive_data(piece))
    waiting = sum(map(len, pieces)) - taken - parser.dropped
    assert 0 <= waiting < MAX_COMMAND + 5


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("01", "0001"),
        ("02", "000201"),
        ("0f08", "000f"),
        ("0f00", "ff0f2100"),
        ("0f09", "ff0f2100"),
        ("0300", "ff032100"),  # nothing was counted yet
        ("0601", "0006"),
        ("0602", "ff062100"),
        ("0b", "000b" + b"2.56 C1-MUX SIM-A\x00".hex()),
        ("1300", "00130000000c" + b"C1-MUX SIM-A".hex()),
        ("1307", "ff132100"),
        ("55", "ff552400"),
        ("9000", "0090" + "3d2c1b7a080104e0" + "0000"),
        ("9100", "ff910100"),
    ],
)
def test_a_command_has_its_answer(command: str, answer: str) -> None:
    assert ask(reader({1: (ONE,)}), command) == [answer]


def test_counted_tags_are_told_by_index_and_no_further() -> None:
    device = reader({1: (ONE, TWO)})
    assert ask(device, "02", "0300", "0301", "0302") == [
        "000202",
        "00032700e00401087a1b2c3d",
        "00032700e004015095f5f500",
        "ff032100",
    ]


def test_an_empty_antenna_is_counted_as_empty_and_gives_no_inventory() -> None:
    assert ask(reader(), "02", "9000") == ["000200", "ff900100"]


def test_only_five_tags_are_counted_but_the_inventory_goes_on_to_the_last() -> None:
    device = reader({1: SIX})
    assert ask(device, "02", "0305") == ["000205", "ff032100"]
    answers = ask(device, "9000", *["9100"] * 5)
    assert [answer[-2:] for answer in answers] == ["01"] * 5 + ["00"]
    uids = [bytes.fromhex(answer[4:20])[::-1].hex().upper() for answer in answers]
    assert uids == list(SIX)


def test_each_antenna_hears_its_own_place_and_a_restart_goes_back_to_the_first() -> None:
    device = reader({1: (ONE,), 4: (ONE, TWO)})
    assert ask(device, "0f04", "02") == ["000f", "000202"]
    device.restart()
    assert ask(device, "02") == ["000201"]


def test_what_was_counted_is_forgotten_in_a_restart() -> None:
    device = reader({1: (ONE,)})
    ask(device, "02")
    device.restart()
    assert ask(device, "0300") == ["ff032100"]


def test_polling_tells_tags_unasked_only_while_it_is_on() -> None:
    device = reader({1: (TWO,)})
    assert device.notices() == []
    ask(device, "0601")
    notice = "fe002700e004015095f5f500"
    assert [reply.data[5:-2].hex() for reply in device.notices()] == [notice]
    ask(device, "0600")
    assert device.notices() == []


@pytest.mark.parametrize(
    ("commands", "work_ms"),
    [
        (["01"], 1.0),
        (["02"], 14.0),
        (["02", "0301"], 1.0),
        (["9000"], 12.0),
        (["9000", "9100"], 2.0),
    ],
)
def test_radio_takes_the_reader_time_and_talk_takes_little(
    commands: list[str], work_ms: float
) -> None:
    device = reader({1: (ONE, TWO)})
    stream = b"".join(encode(bytes.fromhex(command)) for command in commands)
    assert device.receive_data(stream)[-1].work_ms == work_ms


def test_an_answer_says_which_tags_it_carries() -> None:
    device = reader({1: (ONE, TWO)})
    replies = device.receive_data(b"".join(map(encode, [b"\x02", b"\x03\x01", b"\x90\x00"])))
    assert [reply.tags for reply in replies] == [(), (TWO,), (ONE,)]
