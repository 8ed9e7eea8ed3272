"""The simulated readers' own encoders on golden bytes, and golden commands given to the readers."""

import json
from pathlib import Path

import pytest

from engine.cards import Tag
from firmware_bridge.decoding import decode_stream
from firmware_bridge.families import FAMILIES as BRIDGE
from hw_fixtures.devices import (
    anyid,
    chafon_uhf,
    feig,
    front_end,
    metratec,
    metratec_at,
    pn532,
    r200,
    rdm6300,
    thingmagic,
    trf796x,
    twn4,
)
from hw_fixtures.devices.catalogue import FAMILIES
from hw_fixtures.devices.device import Device, Heard

VECTORS = {
    vector["id"]: vector
    for line in (Path(__file__).parents[1] / "firmware_bridge/vectors.jsonl")
    .read_text("utf-8")
    .splitlines()
    if (vector := json.loads(line))
}
"""With the source of each."""

ICODE, TI = Tag("E0040150CABD51B9"), Tag("E00700001B3C5B5C")
SLIX, EM, METRA = Tag("E004015095F5F500"), Tag("E01680FF08004FBC"), Tag("E0040150954F02B1")
EPC, SHORT_EPC = Tag("E200322FE20DF9311328B7E3"), Tag("30323038")
CHAFON_EPC, OTHER_EPC = Tag("000000000000000000000313"), Tag("49440000000000000A000334")
MODULE = "0710230001000003201410070107020900000010"
NAMES = {
    "feig": "00012345",
    "pn532_hsu": "32010607",
    "chafon_uhf": "00160C034E001E0A01000000",
    "r200": "M100 26dBm V1.0",
    "thingmagic": MODULE,
}


def golden(name: str) -> bytes:
    return bytes.fromhex(VECTORS[name]["hex"])


def raw(text: str) -> bytes:
    return bytes.fromhex(text)


def device(family: str, *tags: Tag, is_whole: bool = True, antennas: int | None = None) -> Device:
    """Return a reader of a family that hears the same tags at every antenna."""
    made = FAMILIES[family]
    return made.make(
        name=NAMES.get(family, "SIM-A"),
        antennas=antennas or made.antennas,
        baud=made.baud,
        hear=lambda number: Heard(tags, is_whole),
    )


def said(reader: Device, *commands: bytes) -> bytes:
    """Return everything that is said to the last of some commands."""
    for command in commands[:-1]:
        reader.receive_data(command)
    return b"".join(reply.data for reply in reader.receive_data(commands[-1]))


ENCODED: dict[str, bytes] = {
    "anyid7e55-000": anyid.encode(0xF7, source=anyid.HOST, to=anyid.BROADCAST),
    "anyid7e55-001": anyid.encode(0xF7, golden("anyid7e55-001")[10:-2], mark=b"\x1f"),
    "anyid7e55-002": anyid.encode(0x11, b"\x00", source=anyid.HOST, to=anyid.READER),
    "anyid7e55-005": anyid.encode(0x23, anyid.DONE, mark=b"\x1f"),
    "anyid7e55-007": anyid.encode(0x22, raw("0102030401020304f1f1f1f10000"), mark=b"\x1f"),
    "anyid7e55-009": anyid.encode(0x10, raw("b951bdca500104e0aa0000")),
    "chafon_rr3036_hf-061": chafon_uhf.encode(raw("0106")),
    "chafon_uhf-051": chafon_uhf.encode(raw("0103" + "010c") + raw(CHAFON_EPC)),
    "chafon_uhf-053": chafon_uhf.encode(
        raw("010302") + b"\x0c" + raw(CHAFON_EPC) + b"\x0c" + raw("000000000000000000000314")
    ),
    "feig-028": feig.encode(raw("b00100"), address=feig.BROADCAST),
    "feig-029": feig.encode(raw("b00100"), address=feig.BROADCAST, is_advanced=True),
    "feig-046": feig.encode(raw("b094020300e004015095f5f5000300e00401508ade0102")),
    "metratec_ascii-177": metratec.encode([METRA, "E200600311753E33", "ARP 12", "IVF 02"]),
    "metratec_ascii-180": metratec.encode(["WAK"], has_crc=True),
    "metratec_ascii-181": metratec.encode(["COF"], has_crc=True),
    "metratec_ascii-182": metratec_at.encode(["+CINV: E002223504422958"])[:-1],
    "metratec_ascii-183": metratec.encode(["DESKID_ISO      0200"]),
    "pn532_hsu-115": pn532.encode(raw("d402")),
    "pn532_hsu-118": pn532.ACK,
    "pn532_hsu-130": b"\x01" + pn532.encode(raw("d54b010103042004083f6c4a0578807002")),
    "pn532_hsu-137": pn532.encode(b"\x7f"),
    "pn532_hsu-138": pn532.NAK,
    "r200-066": r200.encode(
        r200.NOTICE, r200.SINGLE, b"\xc4" + r200.tell_tag(Tag("E200001D7315016521408FC6"))[1:]
    ),
    "r200-075": r200.encode(r200.COMMAND, 0x27, raw("222710")),
    "r200-087": r200.encode(r200.NOTICE, r200.SINGLE, raw("c93000e2007ebb7e000000007e1122bb7e")),
    "rdm6300-187": rdm6300.encode(Tag("000414CD7E")),
    "rdm6300-188": rdm6300.encode(Tag("01C8F00800")),
    "rdm6300-190": rdm6300.encode(Tag("1F00644BB6")),
    "thingmagic-113": thingmagic.encode(thingmagic.STREAMED, 0x0505),
    "ti_trf796x_ascii-174": trf796x.encode("ISO 15693 Inventory request.\r\n[,40]"),
    "twn4_simple-140": twn4.encode(raw("0005")),
    "twn4_simple-142": twn4.encode(raw("0005"), has_crc=False),
    "twn4_simple-149": twn4.encode(raw("0001ef50781b06013c16e002000442000f"), has_crc=False),
    "twn4_simple-158": twn4.encode(raw("0005"), is_text=False, has_crc=False),
    "twn4_simple-160": twn4.encode(raw("0005"), is_text=False),
}


@pytest.mark.parametrize("name", ENCODED)
def test_an_encoder_makes_the_golden_bytes(name: str) -> None:
    assert ENCODED[name] == golden(name)


FRONT_END: list[tuple[str, bytes]] = [
    ("00 05 01 01 E9 F8 00", front_end.encode(front_end.DESCRIBE, 1)),
    ("00 06 02 07 03 18 F3 00", front_end.encode(front_end.INVENTORY, 7, b"\x03")),
    ("00 08 09 0F 1E 01 02 51 7C 00", front_end.encode(front_end.SAFE_STATE, 15, raw("1e0102"))),
    ("00 05 82 07 03 01 03 C8 0D 00", front_end.encode(0x82, 7, raw("030100"))),
    ("00 07 FF 09 05 05 F8 73 00", front_end.encode(front_end.REFUSED, 9, raw("0505"))),
    (
        "00 02 C1 05 01 E0 04 01 07 12 34 56 78 17 A3 00",
        front_end.encode(front_end.TAG, 0, raw("01E004010012345678")),
    ),
    (
        "00 14 81 01 01 08 10 02 07 14 04 73 65 61 74 03 30 30 37 10 51 00",
        front_end.encode(0x81, 1, raw("010810020714") + b"\x04seat" + b"\x03007"),
    ),
]


@pytest.mark.parametrize(("example", "frame"), FRONT_END)
def test_the_front_end_makes_the_examples_of_its_description(
    example: str, frame: bytes, root: Path
) -> None:
    assert frame == bytes.fromhex(example)
    assert example in (root / "docs/front-end-frame.md").read_text("utf-8")


# What a reader that hears the tags answers to the last of some commands.
ANSWERED: list[tuple[str, Device, list[bytes]]] = [
    ("chafon_rr3036_hf-062", device("chafon_rr3036_hf", ICODE), [golden("chafon_rr3036_hf-061")]),
    ("chafon_rr3036_hf-063", device("chafon_rr3036_hf"), [golden("chafon_rr3036_hf-061")]),
    (
        "chafon_rr3036_hf-064",
        device("chafon_rr3036_hf", ICODE, is_whole=False),
        [golden("chafon_rr3036_hf-061")],
    ),
    ("chafon_uhf-048", device("chafon_uhf"), [chafon_uhf.encode(b"\x21", address=0xFF)]),
    ("feig-030", device("feig"), [golden("feig-028")]),
    ("feig-032", device("feig", is_whole=False), [golden("feig-028")]),
    ("feig-034", device("feig", EM), [golden("feig-028")]),
    ("feig-044", device("feig"), [golden("feig-041")]),
    ("feig-045", device("feig"), [feig.encode(b"\x52")]),
    ("feig-047", device("feig", SLIX, is_whole=False), [golden("feig-028")]),
    (
        "metratec_ascii-184",
        device("metratec_ascii", METRA, is_whole=False),
        [b"SRI SS 100\r", b"SAP ARP ON\r", b"INV\r"],
    ),
    (
        "metratec_ascii-186",
        device("metratec_ascii", METRA, ICODE),
        [b"SRI SS 100\r", b"INV SSL\r"],
    ),
    ("pn532_hsu-121", device("pn532_hsu"), [golden("pn532_hsu-119")]),
    ("r200-067", device("r200"), [r200.encode(r200.COMMAND, r200.SINGLE)]),
    ("r200-072", device("r200"), [golden("r200-070")]),
    ("r200-074", device("r200"), [golden("r200-073")]),
    ("r200-081", device("r200"), [golden("r200-080")]),
    ("thingmagic-090", device("thingmagic"), [golden("thingmagic-089")]),
    (
        "thingmagic-098",
        device("thingmagic"),
        [golden("thingmagic-089"), raw("ff0063" + f"{thingmagic.checksum(raw('0063')):04x}")],
    ),
    (
        "thingmagic-100",
        device("thingmagic"),
        [golden("thingmagic-089"), golden("thingmagic-099")],
    ),
    (
        "thingmagic-102",
        device("thingmagic", antennas=1),
        [golden("thingmagic-089"), golden("thingmagic-101")],
    ),
    (
        "thingmagic-104",
        device("thingmagic", EPC),
        [golden("thingmagic-089"), golden("thingmagic-103")],
    ),
    ("thingmagic-105", device("thingmagic"), [golden("thingmagic-089"), golden("thingmagic-103")]),
    ("thingmagic-114", device("thingmagic"), [golden("thingmagic-088")]),
    ("twn4_simple-141", device("twn4_simple"), [golden("twn4_simple-140")]),
    ("twn4_simple-143", device("twn4_simple"), [golden("twn4_simple-142")]),
    ("twn4_simple-153", device("twn4_simple"), [golden("twn4_simple-152")]),
    ("twn4_simple-159", device("twn4_simple"), [golden("twn4_simple-158")]),
]


@pytest.mark.parametrize(("name", "reader", "commands"), ANSWERED)
def test_a_reader_answers_with_the_golden_bytes(
    name: str, reader: Device, commands: list[bytes]
) -> None:
    assert said(reader, *commands) == golden(name)


def test_a_pn532_tells_two_cards_in_a_golden_frame_behind_its_ack() -> None:
    reader = device("pn532_hsu", Tag("0000FF00"), Tag("11223344"))
    told = said(reader, pn532.encode(raw("d44a0200")))
    assert told == golden("pn532_hsu-118") + golden("pn532_hsu-136")


def test_a_288m_tells_tags_and_the_end_in_golden_frames() -> None:
    question = chafon_uhf.encode(raw("01" + "0f0001000000" + "00" + "80" + "14"), address=0xFF)
    told = said(device("chafon_uhf", CHAFON_EPC), question)
    assert told == golden("chafon_uhf-054") + golden("chafon_uhf-058")


COMMANDS = sorted(
    name
    for name, vector in VECTORS.items()
    if vector["direction"] == "tx" and vector["family"] in FAMILIES and "expect" not in vector
)
# Public commands that are answered by nothing: notices follow, or the firmware knows them not.
SILENT = {"r200-075", "ti_trf796x_ascii-171"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_golden_command_is_answered_in_frames_that_the_bridge_reads(name: str) -> None:
    family = VECTORS[name]["family"]
    reader = device(family)
    if family == "metratec_ascii":
        reader.receive_data(b"CON\r")
    records = decode_stream(said(reader, golden(name)), BRIDGE[family])
    sound = [record for record in records if record["ok"]]
    # What is no frame is the empty line that ends an answer of TI's firmware.
    assert {record["length"] for record in records if not record["ok"]} <= {2}
    assert bool(sound) is (name not in SILENT)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_golden_command_is_understood_however_it_is_cut(name: str) -> None:
    family = VECTORS[name]["family"]
    command = golden(name)
    whole = said(device(family), command)
    for cut in range(len(command)):
        reader = device(family)
        assert said(reader, command[:cut]) + said(reader, command[cut:]) == whole


@pytest.mark.parametrize("name", COMMANDS)
def test_a_broken_off_command_is_given_up_in_a_pause(name: str) -> None:
    family = VECTORS[name]["family"]
    command = golden(name)
    reader = device(family)
    reader.receive_data(command[: len(command) // 2])
    reader.pause()
    assert said(reader, command) == said(device(family), command)
