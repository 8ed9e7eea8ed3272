"""Simulated UHF modules: R200, Chafon and ThingMagic; rounds, streams, the ends of inventories."""

import pytest

from engine.cards import Tag
from hw_fixtures.devices import chafon_uhf, r200, thingmagic
from hw_fixtures.devices.chafon_uhf import ChafonUhfReader
from hw_fixtures.devices.device import Heard
from hw_fixtures.devices.r200 import R200
from hw_fixtures.devices.thingmagic import ThingMagicReader

ONE, TWO = Tag("E200322FE20DF9311328B7E3"), Tag("E200001D7315016521408FC6")
SHORT, ICODE = Tag("30323038"), Tag("E00401087A1B2C3D")
MANY = tuple(Tag(f"E28011000000000000000{n:03X}") for n in range(210))
INFORMATION = "00160C034E001E0A01000000"
MODULE = "0710230001000003201410070107020900000010"
NO_TAG = r200.encode(r200.ANSWER, r200.REFUSED, b"\x15")


def module(*tags: Tag, is_whole: bool = True) -> R200:
    return R200(name="YRM100", antennas=1, baud=115200, hear=lambda _: Heard(tags, is_whole))


def notice(tag: Tag) -> bytes:
    return r200.encode(r200.NOTICE, r200.SINGLE, r200.tell_tag(tag))


def send(device: R200, command: int, params: str = "") -> list[bytes]:
    frame = r200.encode(r200.COMMAND, command, bytes.fromhex(params))
    return [reply.data for reply in device.receive_data(frame)]


@pytest.mark.parametrize(
    ("command", "params", "answered", "answer"),
    [
        (0x03, "00", 0x03, "00" + b"YRM100".hex()),
        (0x03, "01", 0x03, "01" + b"V2.3.5".hex()),
        (0x03, "02", 0x03, "02" + b"MagicRf".hex()),
        (0x03, "03", 0xFF, "17"),
        (0x03, "", 0xFF, "17"),
        (0x07, "03", 0x07, "00"),
        (0x08, "", 0x08, "01"),
        (0xB6, "07d0", 0xB6, "00"),
        (0xB7, "", 0xB7, "0a28"),
        (0x27, "230001", 0xFF, "17"),
        (0x28, "", 0x28, "00"),
        (0x55, "", 0xFF, "17"),
    ],
)
def test_an_r200_has_its_answer(command: int, params: str, answered: int, answer: str) -> None:
    frame = r200.encode(r200.ANSWER, answered, bytes.fromhex(answer))
    assert send(module(), command, params) == [frame]


def test_an_r200_keeps_power_and_region() -> None:
    device = module()
    send(device, 0xB6, "07d0")
    send(device, 0x07, "03")
    assert send(device, 0xB7)[0][5:7].hex() == "07d0"
    assert send(device, 0x08)[0][5:6].hex() == "03"


@pytest.mark.parametrize(
    ("device", "frames"),
    [
        (module(ONE, SHORT), [notice(ONE), notice(SHORT)]),
        (module(), [NO_TAG]),
        (module(ICODE), [NO_TAG]),  # another kind of tag
        (module(ONE, is_whole=False), [notice(ONE), NO_TAG]),
    ],
)
def test_a_round_of_an_r200_is_a_notice_a_tag_or_a_refusal(
    device: R200, frames: list[bytes]
) -> None:
    assert send(device, r200.SINGLE) == frames


def test_the_radio_works_once_for_a_round_of_an_r200() -> None:
    replies = module(ONE, TWO).receive_data(r200.encode(r200.COMMAND, r200.SINGLE))
    assert [reply.work_ms for reply in replies] == [10 + 3, 0.5 + 3]


@pytest.mark.parametrize(("rounds", "is_polling"), [("0000", False), ("0001", True)])
def test_an_r200_polls_as_many_rounds_as_it_is_told(rounds: str, is_polling: bool) -> None:
    device = module(ONE)
    send(device, 0x27, "22" + rounds)
    assert device.is_polling is is_polling


def test_rounds_of_an_r200_are_counted() -> None:
    device = module(ONE)
    assert send(device, 0x27, "220002") == []
    assert device.is_polling
    said = [[reply.data for reply in device.notices()] for _ in range(3)]
    assert said == [[notice(ONE)], [notice(ONE)], []]
    assert not device.is_polling


def test_the_notices_of_the_last_round_come_after_the_answer_to_stop() -> None:
    device = module(ONE)
    send(device, 0x27, "222710")
    assert send(device, 0x28) == [r200.encode(r200.ANSWER, 0x28, b"\x00"), notice(ONE)]
    assert not device.is_polling
    assert send(device, 0x28) == [r200.encode(r200.ANSWER, 0x28, b"\x00")]


def test_a_restart_ends_the_rounds_of_an_r200() -> None:
    device = module(ONE)
    send(device, 0x27, "222710")
    device.restart()
    assert not device.is_polling
    assert device.notices() == []


@pytest.mark.parametrize(
    "noise",
    ["bb", "bbbb", "7e", "bb01030000047e", "bb00030001000f7e", "bb0003ffff", "bb000300010004ff"],
)
def test_noise_costs_an_r200_no_command_but_its_own(noise: str) -> None:
    frame = r200.encode(r200.COMMAND, 0x28)
    assert len(module().receive_data(bytes.fromhex(noise) + frame)) == 1


def chafon(*lies: tuple[Tag, ...], is_whole: bool = True) -> ChafonUhfReader:
    """Return a reader at whose antennas, from 1 on, these stacks lie."""
    return ChafonUhfReader(
        name=INFORMATION,
        antennas=max(1, len(lies)),
        baud=57600,
        hear=lambda number: Heard(lies[number - 1] if lies else (), is_whole),
    )


def ask_chafon(device: ChafonUhfReader, command: str, address: int = 0xFF) -> list[str]:
    """Ask; return status and data of each frame that is answered, as hex."""
    frame = chafon_uhf.encode(bytes.fromhex(command), address=address)
    replies = device.receive_data(frame)
    for reply in replies:
        assert reply.data == chafon_uhf.encode(reply.data[2:-2])
        assert reply.data[2:3].hex() == command[:2]
    return [reply.data[3:-2].hex() for reply in replies]


def question_288m(antenna: int) -> str:
    return f"010f0001000000{'00'}{0x7F + antenna:02x}14"


@pytest.mark.parametrize(
    ("command", "answers"),
    [
        ("21", ["00" + INFORMATION.lower()]),
        ("2501", ["00"]),
        ("2f1a", ["00"]),
        ("55", ["fe"]),
        ("0101", ["fd"]),
        ("02" + "00", ["fb"]),
        ("01", ["03" + "02" + "0c" + ONE.lower() + "04" + SHORT.lower(), "0100"]),
        (question_288m(1),
         ["03" + "01" + "02" + "0c" + ONE.lower() + "6b" + "04" + SHORT.lower() + "6b", "010100"]),
        (question_288m(2), ["03" + "02" + "01" + "0c" + TWO.lower() + "6b", "010200"]),
        (question_288m(3), ["010400"]),
        (question_288m(4), ["f8"]),  # not connected
        (question_288m(0), ["f8"]),
    ],
)  # fmt: skip
def test_a_chafon_has_its_answers(command: str, answers: list[str]) -> None:
    assert ask_chafon(chafon((ONE, SHORT), (TWO,), ()), command) == answers


@pytest.mark.parametrize(("address", "is_heard"), [(0x00, True), (0xFF, True), (0x01, False)])
def test_a_chafon_heeds_its_own_address_and_the_broadcast(address: int, is_heard: bool) -> None:
    assert bool(ask_chafon(chafon((ONE,)), "01", address)) is is_heard


@pytest.mark.parametrize("noise", ["00", "03", "ff", "04ff21"])
def test_noise_costs_a_chafon_no_command_but_its_own(noise: str) -> None:
    question = chafon_uhf.encode(b"\x21")
    assert len(chafon().receive_data(bytes.fromhex(noise) + 20 * question)) == 20


@pytest.mark.parametrize(
    ("device", "command", "answers"),
    [
        (chafon(()), "01", ["fb"]),
        (chafon((), is_whole=False), "01", ["0200"]),
        (chafon((ONE,), is_whole=False), "01", ["03010c" + ONE.lower(), "0200"]),
        (chafon((ONE,), is_whole=False), question_288m(1),
         ["0301010c" + ONE.lower() + "6b", "020100"]),
    ],
)  # fmt: skip
def test_the_end_says_whether_a_chafon_heard_all(
    device: ChafonUhfReader, command: str, answers: list[str]
) -> None:
    assert ask_chafon(device, command) == answers


@pytest.mark.parametrize(("count", "end"), [(210, "0400"), (200, "0100")])
def test_a_long_inventory_of_a_chafon_takes_many_frames(count: int, end: str) -> None:
    *parts, last = ask_chafon(chafon(MANY[:count]), "01")
    assert last == end
    assert {part[:2] for part in parts} == {"03"}
    epcs = [part[at + 2 : at + 26] for part in parts for at in range(4, len(part), 26)]
    assert [epc.upper() for epc in epcs] == list(MANY[:200])
    assert sum(int(part[2:4], 16) for part in parts) == 200


def thing(*lies: tuple[Tag, ...]) -> ThingMagicReader:
    """Return a module in its boot loader, at whose antennas, from 1 on, these stacks lie."""
    return ThingMagicReader(
        name=MODULE,
        antennas=max(1, len(lies)),
        baud=115200,
        hear=lambda number: Heard(lies[number - 1] if lies else ()),
    )


def ask_thing(device: ThingMagicReader, *commands: str) -> str:
    """Send commands; return status and data of the answer to the last, as hex."""
    said = ""
    for command in map(bytes.fromhex, commands):
        body = bytes([len(command) - 1]) + command
        frame = b"\xff" + body + thingmagic.checksum(body).to_bytes(2, "big")
        [reply] = device.receive_data(frame)
        status, rest = int.from_bytes(reply.data[3:5], "big"), reply.data[5:-2]
        assert reply.data == thingmagic.encode(command[0], status, rest)
        said = reply.data[3:-2].hex()
    return said


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("03", "0000" + MODULE),
        ("04", "0000" + MODULE),
        ("100000", "0000" + "01000003"),
        ("2103e8", "0000" + ONE.lower() + "d100"),
        ("21", "0100"),
        ("2403e800000000000300ee", "0400"),
        ("2f00", "0100"),
        ("6101", "0000" + "01" + "0100" + "0200"),
        ("6201", "0000" + "01" + "08fc" + "08fc03e8"),
        ("6200", "0000" + "00" + "08fc"),
        ("63", "0000" + "0005"),
        ("910202", "0000"),
        ("910303", "0105"),  # no third antenna
        ("9102020201", "0000"),
        ("9102010102", "0000"),
        ("91020101" + "0303", "0105"),
        ("9102", "0105"),
        ("91", "0105"),
        ("9708", "0000"),
        ("55", "0101"),
    ],
)
def test_a_thingmagic_has_its_answer(command: str, answer: str) -> None:
    assert ask_thing(thing((ONE, TWO), ()), "04", command) == answer


def test_a_thingmagic_in_its_boot_loader_knows_nothing_but_to_boot() -> None:
    device = thing((ONE,))
    assert [ask_thing(device, command) for command in ("03", "2103e8", "04", "03")] == [
        "0101",
        "0101",
        "0000" + MODULE,
        "0000" + MODULE,
    ]
    device.restart()
    assert ask_thing(device, "03") == "0101"


def test_a_thingmagic_reads_at_the_antenna_that_was_chosen() -> None:
    device = thing((ONE,), (TWO,), ())
    told = [ask_thing(device, "04", f"91{n:02}{n:02}", "2103e8")[4:28] for n in (1, 2, 3)]
    assert told == [ONE.lower(), TWO.lower(), ""]
    assert ask_thing(device, "2103e8") == "0400"


def test_a_thingmagic_streams_from_each_antenna_of_its_list() -> None:
    device = thing((ONE,), (TWO,), (SHORT,))
    ask_thing(device, "04", "91" + "02" + "0303" + "0101", "2f00000122000005")
    heard = [(reply.antenna, reply.tags, reply.data[13:14].hex()) for reply in device.notices()]
    assert heard == [(3, (SHORT,), "33"), (1, (ONE,), "11")]
    assert ask_thing(device, "2103e8")[4:-4] == SHORT.lower()


def test_a_thingmagic_streams_tags_and_its_life_until_it_is_stopped() -> None:
    device = thing((ONE, TWO))
    assert ask_thing(device, "04", "2f0000012200000507") == "0000"
    assert device.is_polling
    rounds = [[reply.data for reply in device.notices()] for _ in range(20)]
    assert [len(said) for said in rounds] == [2] * 9 + [3] + [2] * 9 + [3]
    assert rounds[9][2] == thingmagic.encode(thingmagic.STREAMED, 0x0400)
    assert ask_thing(device, "2f000002") == "0000"
    assert not device.is_polling


def test_a_streamed_tag_stands_where_the_public_example_has_it() -> None:
    device = thing((Tag("000000000000000000001545"),))
    ask_thing(device, "04", "2f00000122000005")
    [notice_] = device.notices()
    # The example in the comments on parseResponse in SparkFun_UHF_RFID_Reader.cpp, whole.
    example = (
        "ff28220000 10001b01ff0101 c4 11 0e1640 00000127 0000 05 0000 0f 0080 3000"
        "000000000000000000001545 e94a 561d"
    )
    assert notice_.data.hex() == example.replace(" ", "")


def test_noise_costs_a_thingmagic_no_command_but_its_own() -> None:
    boot = bytes.fromhex("ff00041d0b")
    for noise in ("ff", "ffff", "ff0003ffff", "00", "ff40"):
        device = thing()
        device.receive_data(bytes.fromhex(noise) + boot)
        device.receive_data(bytes(80))
        assert ask_thing(device, "03") == "0000" + MODULE
