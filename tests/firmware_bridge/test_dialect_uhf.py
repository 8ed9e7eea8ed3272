"""The UHF families, frame by frame: streams, rounds, frames until a closing one."""

import pytest
from fastcrc import crc16

from firmware_bridge.dialects.chafon_uhf import ChafonUhf
from firmware_bridge.dialects.dialect import UNHEARD, Greeting, Inventory, Options, Overheard
from firmware_bridge.dialects.r200 import R200
from firmware_bridge.dialects.thingmagic import ThingMagic
from firmware_bridge.families import chafon_uhf, r200, thingmagic
from tests.firmware_bridge.wires import EPCS, Arrivals, Wired, converse, heard

X = bytes.fromhex


# ---------------------------------------------------------------- R200
ROUND = X("bb02220011c43000e200001d7315016521408fc6b83ec27e")  # r200-066
NO_TAG = X("bb01ff000115167e")  # r200-067
POLL = X("bb0027000322ffff4a7e")
STOP = (X("bb00280000287e"), X("bb01280001002a7e"))
INFORMATION = (X("bb0003000100047e"), X("bb01030010004d31303020323664426d2056312e30927e"))  # 072


def test_an_r200_is_stopped_asked_who_it_is_and_told_to_poll() -> None:
    assert converse(R200().probe(), r200.FAMILY, [STOP])[0] is None
    greeting, _ = converse(R200().greet(), r200.FAMILY, [INFORMATION, (POLL, ROUND)])
    assert greeting == Greeting(("M100 26dBm V1.0",))


def test_an_r200_is_given_a_region_only_where_the_table_file_has_one() -> None:
    region = (X("bb00070001030b7e"), X("bb0107000100097e"))  # r200-080, 081
    exchanges = [INFORMATION, region, (POLL, NO_TAG)]
    assert converse(R200(Options(region=3)).greet(), r200.FAMILY, exchanges)[0] is not None


def test_bugs_25_rounds_of_the_poll_before_are_not_the_answer_to_stop() -> None:
    _, unfit = converse(R200().probe(), r200.FAMILY, [(STOP[0], ROUND * 3 + STOP[1] + ROUND)])
    assert [message.name for message in unfit] == ["inventory"] * 4


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (ROUND, Overheard(1, heard(("E200001D7315016521408FC6",)))),
        (NO_TAG, Overheard(1, Inventory())),
        (X("bb01ff000117187e"), Overheard(1, UNHEARD)),
        (STOP[1], None),
    ],
)
def test_what_an_r200_tells_of_its_rounds(frame: bytes, told: Overheard | None) -> None:
    assert R200().overhear(r200.FAMILY.decode(frame, "rx")) == told


def test_an_r200_whose_poll_is_over_is_started_again() -> None:
    wired = Wired("r200", {1: EPCS[:1]}).ready()
    wired.device.receive_data(STOP[0])
    wired.polls.clear()
    wired.run(3_000)
    assert wired.states == ["QUARANTINED", "READY"]
    assert wired.polls[-1].tags == EPCS[:1]


# ---------------------------------------------------------------- Chafon
INVENTORY = X("04ff011bb4")
INVENTORY_2 = X("0dff0104000100000000810a2a73")
ONE = X("13000103010c49440000000000000a000334a5fb")  # chafon_uhf-052
END = X("0700010101001e4b")  # chafon_uhf-058: a 288M's, antenna 1, no tags
TAG = "49440000000000000A000334"


def frame(body: str) -> bytes:
    head = bytes([len(X(body)) + 3, 0]) + X(body)
    return head + crc16.mcrf4xx(head).to_bytes(2, "little")


def test_a_chafon_is_known_by_what_it_says_of_itself() -> None:
    told = X("1100210000160c034e001e0a01000000e651")  # chafon_uhf-048
    exchange = (X("04ff211995"), told)
    assert converse(ChafonUhf().probe(), chafon_uhf.FAMILY, [exchange])[0] is None
    greeting, _ = converse(ChafonUhf().greet(), chafon_uhf.FAMILY, [exchange])
    assert greeting == Greeting(("00160C034E001E0A01000000",))


def test_bugs_48_frames_are_taken_until_the_last_and_believed_when_told_twice() -> None:
    dialect = ChafonUhf()
    exchanges = [(INVENTORY, ONE), (b"", frame("01010100"))]
    first, _ = converse(dialect.inventory(1), chafon_uhf.FAMILY, exchanges)
    second, _ = converse(dialect.inventory(1), chafon_uhf.FAMILY, exchanges)
    assert (first, second) == (heard((TAG,)), heard((TAG,), is_complete=True))
    lost, _ = converse(dialect.inventory(1), chafon_uhf.FAMILY, [(INVENTORY, frame("01010100"))])
    assert lost == Inventory()


@pytest.mark.parametrize("status", ["02", "04"])
def test_bugs_48_a_closing_that_says_otherwise_leaves_a_part(status: str) -> None:
    dialect = ChafonUhf()
    for _ in range(2):
        exchanges = [(INVENTORY, ONE), (b"", frame(f"01{status}0100"))]
        found, _ = converse(dialect.inventory(1), chafon_uhf.FAMILY, exchanges)
        assert found == heard((TAG,))


def test_bugs_52_a_288m_is_believed_about_the_antenna_that_was_asked_alone() -> None:
    dialect = ChafonUhf(Options((1, 2)))
    own = frame("01010200")
    found, unfit = converse(dialect.inventory(2), chafon_uhf.FAMILY, [(INVENTORY_2, END + own)])
    assert found == Inventory()
    assert [message.data for message in unfit] == [b"\x01\x00"]


def test_an_antenna_fault_is_no_empty_antenna() -> None:
    dialect = ChafonUhf(Options((1, 2)))
    found, _ = converse(dialect.inventory(2), chafon_uhf.FAMILY, [(INVENTORY_2, frame("01f8"))])
    assert found == UNHEARD


def test_frames_without_end_are_not_believed() -> None:
    dialect = ChafonUhf()
    exchanges = [(INVENTORY, ONE), *[(b"", ONE)] * 255]
    for _ in range(2):
        found, _ = converse(dialect.inventory(1), chafon_uhf.FAMILY, exchanges)
        assert found == heard((TAG,))


# ---------------------------------------------------------------- ThingMagic
VERSION = X("ff00031d0c")  # thingmagic-088
LOADER = X("ff00030101b5a2")  # thingmagic-114
BOOT = (X("ff00041d0b"), X("ff1404000007102300010000032014100701070209000000105251"))  # 089, 090
VERSIONS = "0710230001000003201410070107020900000010"
STREAM_STOP = X("ff032f0000025e86")


def said(opcode: int, status: int = 0, data: bytes = b"") -> bytes:
    body = bytes([len(data), opcode]) + status.to_bytes(2, "big") + data
    return b"\xff" + body + thingmagic.checksum(body).to_bytes(2, "big")


SET_UP = [
    (X("ff039102010142c5"), said(0x91)),
    (X("ff02930005517d"), said(0x93)),
    (X("ff039a010c00a35d"), said(0x9A)),
]
START = X("ff102f00000122000005072210001b03e801ffdd2b")


def test_a_module_is_stopped_and_asked_for_its_version() -> None:
    version = (VERSION, said(3, 0, X(VERSIONS)))
    for stopped in (said(0x2F), LOADER[:2] + said(0x2F, 0x0101)[2:], None):
        exchanges = [(STREAM_STOP, stopped), version]
        assert converse(ThingMagic().probe(), thingmagic.FAMILY, exchanges)[0] is None


def test_a_module_in_its_boot_loader_is_booted_set_up_and_started() -> None:
    exchanges = [(VERSION, LOADER), BOOT, *SET_UP, (START, said(0x2F))]
    greeting, _ = converse(ThingMagic().greet(), thingmagic.FAMILY, exchanges)
    assert greeting == Greeting((VERSIONS,))


def test_a_module_without_a_region_reads_nothing_and_says_so() -> None:
    exchanges = [(VERSION, LOADER), BOOT, *SET_UP, (START, said(0x2F, 0x0105))]
    greeting, _ = converse(ThingMagic().greet(), thingmagic.FAMILY, exchanges)
    assert greeting == Greeting((VERSIONS,), "it reads nothing: 0105: parameter out of range")


def test_a_modules_region_and_antennas_are_the_table_files() -> None:
    options = Options((1, 2), region=8)
    region = X("ff019708" + "4bb5")
    exchanges = [
        (VERSION, said(3, 0, X(VERSIONS))),
        (region, said(0x97)),
        (X("ff059102010102022dc0"), said(0x91)),
        *SET_UP[1:],
        (START, said(0x2F)),
    ]
    assert converse(ThingMagic(options).greet(), thingmagic.FAMILY, exchanges)[0] is not None


STREAMED = X(
    # The example in the comments of SparkFun's library: antenna 1, EPC ...1545.
    "ff2822000010001b01ff0101c4110e16400000012700000500000f0080300000000000000000000000154545e94a56"
)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (STREAMED[5:-2], Overheard(1, heard(("000000000000000000001545",)))),
        (
            STREAMED[5:13] + b"\x22" + STREAMED[14:-2],
            Overheard(2, heard(("000000000000000000001545",))),
        ),
    ],
)
def test_a_streamed_tag_is_a_read_at_its_antenna(data: bytes, told: Overheard) -> None:
    message = thingmagic.FAMILY.decode(said(0x22, 0, data), "rx")
    assert ThingMagic(Options((1, 2))).overhear(message) == told


@pytest.mark.parametrize(
    ("frame_", "told"),
    [
        (X("ff0022040084e0"), Overheard(1, Inventory())),  # thingmagic-111
        (X("ff0022050585e5"), Overheard(1, UNHEARD)),  # thingmagic-113
        (X("ff00210400b483"), None),  # thingmagic-105
    ],
)
def test_what_a_module_says_besides(frame_: bytes, told: Overheard | None) -> None:
    message = thingmagic.FAMILY.decode(frame_, "rx")
    assert ThingMagic().overhear(message) == told


def test_a_module_that_says_nothing_for_three_seconds_is_set_up_again() -> None:
    wired = Wired("thingmagic", {1: EPCS[:1]}).ready()
    wired.device.restart()
    wired.polls.clear()
    wired.run(5_000)
    assert wired.states[0] == "QUARANTINED"
    assert wired.session.state == "READY"
    assert wired.polls[-1].tags == EPCS[:1]


def test_a_module_that_does_not_answer_the_stop_of_no_stream_is_asked_on() -> None:
    wired = Wired("thingmagic", {1: EPCS[:1]})

    def deaf_to_stop(command: bytes, answers: Arrivals) -> Arrivals:
        return [] if command == STREAM_STOP else answers

    wired.wire = deaf_to_stop
    wired.open()
    wired.run(2_000)
    assert wired.session.state == "READY"
