"""Every golden vector says what its ``meaning`` says; expectations are written by hand from it."""

import json
from pathlib import Path

import pytest

from firmware_bridge.decoding import Record, decode_stream
from firmware_bridge.families import FAMILIES
from firmware_bridge.families.family import Direction

VECTORS = {
    vector["id"]: vector
    for line in Path(__file__).with_name("vectors.jsonl").read_text("utf-8").splitlines()
    if (vector := json.loads(line))["family"] in FAMILIES
}

Said = tuple[str, str, str, bool, list[str]]


def command(name: str, *uids: str) -> Said:
    return "command", name, "ok", True, list(uids)


def answer(name: str, *uids: str, status: str = "ok", complete: bool = True) -> Said:
    return "answer", name, status, complete, list(uids)


def notice(name: str, *uids: str, status: str = "ok", complete: bool = True) -> Said:
    return "notice", name, status, complete, list(uids)


def empty(name: str = "inventory") -> Said:
    return answer(name, status="empty")


def partial(name: str, *uids: str) -> Said:
    return answer(name, *uids, status="partial", complete=False)


def failure(name: str) -> Said:
    return answer(name, status="error", complete=False)


ICODE = "E0040150CABD51B9"

SAID: dict[str, list[Said]] = {
    "anyid7e55-000": [command("version")],
    "anyid7e55-001": [answer("version")],
    "anyid7e55-002": [command("inventory")],
    "anyid7e55-004": [command("write blocks", ICODE)],
    "anyid7e55-005": [answer("write blocks")],
    "anyid7e55-006": [command("read blocks", ICODE)],
    "anyid7e55-007": [answer("read blocks")],
    "anyid7e55-009": [notice("tag", ICODE)],
    "chafon_rr3036_hf-061": [command("inventory")],
    "chafon_rr3036_hf-062": [answer("inventory", ICODE)],
    "chafon_rr3036_hf-063": [empty()],
    "chafon_rr3036_hf-064": [partial("inventory", ICODE)],
    "chafon_uhf-048": [answer("information")],
    "chafon_uhf-049": [],
    "chafon_uhf-051": [partial("inventory", "000000000000000000000313")],
    "chafon_uhf-052": [partial("inventory", "49440000000000000A000334")],
    "chafon_uhf-053": [
        partial("inventory", "000000000000000000000313", "000000000000000000000314")
    ],
    "chafon_uhf-054": [partial("inventory", "000000000000000000000313")],
    "chafon_uhf-056": [partial("inventory", "49440000000000000A000334")],
    "chafon_uhf-057": [partial("inventory", "00323038")],
    "chafon_uhf-058": [empty()],
    "feig-028": [command("inventory")],
    "feig-029": [command("inventory")],
    "feig-030": [empty()],
    "feig-032": [failure("inventory")],
    "feig-034": [answer("inventory", "E01680FF08004FBC")],
    "feig-035": [command("write configuration")],
    "feig-036": [command("write configuration")],
    "feig-037": [command("write configuration")],
    "feig-039": [command("write configuration")],
    "feig-040": [command("write configuration")],
    "feig-041": [command("reset")],
    "feig-044": [answer("reset")],
    "feig-045": [answer("baud detect")],
    "feig-046": [partial("inventory", "E004015095F5F500", "E00401508ADE0102")],
    "feig-047": [partial("inventory", "E004015095F5F500")],
    "metratec_ascii-177": [answer("inventory", "E0040150954F02B1", "E200600311753E33")],
    "metratec_ascii-180": [command("wak")],
    "metratec_ascii-181": [command("cof")],
    "metratec_ascii-182": [notice("inventory", "E002223504422958")],
    "metratec_ascii-183": [answer("revision")],
    "metratec_ascii-184": [partial("inventory", "E0040150954F02B1")],
    "metratec_ascii-185": [notice("restart")],
    "metratec_ascii-186": [partial("collision")],
    "pepper_c1-010": [command("dummy")],
    "pepper_c1-011": [command("count")],
    "pepper_c1-013": [command("reboot")],
    "pepper_c1-014": [command("uid")],
    "pepper_c1-016": [command("uid")],
    "pepper_c1-017": [command("uid")],
    "pepper_c1-018": [command("uid")],
    "pepper_c1-021": [failure("count")],
    "pepper_c1-022": [answer("uid", "E004015095F5F500")],
    "pepper_c1-023": [notice("tag", "DEADBEEF1234")],
    "pepper_c1-024": [command("antenna")],
    "pepper_c1-025": [command("inventory")],
    "pepper_c1-026": [],
    "pepper_c1-027": [answer("count")],
    "pn532_hsu-115": [command("version")],
    "pn532_hsu-116": [command("sam configuration")],
    "pn532_hsu-117": [answer("sam configuration")],
    "pn532_hsu-118": [notice("ack")],
    "pn532_hsu-119": [command("inventory")],
    "pn532_hsu-120": [empty()],
    "pn532_hsu-121": [notice("ack"), empty()],
    "pn532_hsu-122": [command("inventory")],
    "pn532_hsu-124": [command("inventory")],
    "pn532_hsu-126": [command("deselect")],
    "pn532_hsu-127": [command("radio")],
    "pn532_hsu-129": [notice("ack")],
    "pn532_hsu-130": [answer("inventory", "083F6C4A")],
    "pn532_hsu-132": [],
    "pn532_hsu-133": [],
    "pn532_hsu-135": [command("transparent", "E0040150B902C691")],
    "pn532_hsu-136": [answer("inventory", "0000FF00", "11223344")],
    "pn532_hsu-137": [failure("error")],
    "pn532_hsu-138": [notice("nak", status="error", complete=False)],
    "r200-066": [notice("inventory", "E200001D7315016521408FC6")],
    "r200-067": [failure("refusal")],
    "r200-069": [notice("inventory", "30751FEB705C5904E3D50D70")],
    "r200-070": [command("information")],
    "r200-072": [answer("information")],
    "r200-073": [command("power")],
    "r200-074": [answer("power")],
    "r200-075": [command("inventory")],
    "r200-076": [command("stop")],
    "r200-079": [notice("inventory", "E200471BB0006013044509D0")],
    "r200-080": [command("region")],
    "r200-081": [answer("region")],
    "r200-082": [command("power")],
    "r200-083": [notice("inventory", "E280699500005009F1286992")],
    "r200-085": [],
    "r200-086": [],
    "r200-087": [notice("inventory", "E2007EBB7E000000007E1122")],
    "rdm6300-187": [notice("tag", "000414CD7E")],
    "rdm6300-188": [notice("tag", "01C8F00800")],
    "rdm6300-190": [notice("tag", "1F00644BB6")],
    "rdm6300-192": [],
    "thingmagic-088": [command("version")],
    "thingmagic-089": [command("boot")],
    "thingmagic-090": [answer("boot")],
    "thingmagic-092": [command("set region")],
    "thingmagic-095": [answer("protocol")],
    "thingmagic-098": [answer("protocol")],
    "thingmagic-099": [command("power")],
    "thingmagic-100": [answer("power")],
    "thingmagic-101": [command("antennas")],
    "thingmagic-102": [answer("antennas")],
    "thingmagic-103": [command("inventory")],
    "thingmagic-104": [answer("inventory", "E200322FE20DF9311328B7E3")],
    "thingmagic-105": [empty()],
    "thingmagic-106": [],
    "thingmagic-107": [command("hardware version")],
    "thingmagic-108": [command("set region")],
    "thingmagic-109": [command("write")],
    "thingmagic-111": [notice("inventory", status="empty")],
    "thingmagic-113": [notice("inventory", status="error", complete=False)],
    "thingmagic-114": [failure("version")],
    "ti_s6350-176": [command("inventory")],
    "ti_trf796x_ascii-164": [command("agc")],
    "ti_trf796x_ascii-166": [command("inventory")],
    "ti_trf796x_ascii-167": [command("inventory")],
    "ti_trf796x_ascii-168": [command("inventory")],
    "ti_trf796x_ascii-170": [command("iso 14443-b")],
    "ti_trf796x_ascii-171": [command("tag-it")],
    "ti_trf796x_ascii-172": [command("request", "E00700001B37BD3F")],
    "ti_trf796x_ascii-173": [],
    "ti_trf796x_ascii-174": [empty()],
    "ti_trf796x_ascii-175": [partial("inventory", "E00700001B3C5B5C")],
    "twn4_simple-140": [command("usb type")],
    "twn4_simple-141": [answer("answer")],
    "twn4_simple-142": [command("usb type")],
    "twn4_simple-143": [answer("answer")],
    "twn4_simple-144": [command("ticks")],
    "twn4_simple-148": [command("system information")],
    "twn4_simple-149": [answer("system information", "E0163C01061B7850")],
    "twn4_simple-151": [answer("system information", "E0024408EDC3507D")],
    "twn4_simple-152": [command("tag type of uid", "E0163C01061B7850")],
    "twn4_simple-153": [answer("answer")],
    "twn4_simple-154": [command("read block")],
    "twn4_simple-156": [command("write block")],
    "twn4_simple-157": [command("transparent")],
    "twn4_simple-158": [command("usb type")],
    "twn4_simple-159": [answer("answer")],
    "twn4_simple-160": [command("usb type")],
    # Card 3A3529A171 of country 0384: the text, with each number turned round.
    "wl134-193": [notice("tag", "03843A3529A171")],
}


def records(vector: dict[str, str]) -> list[Record]:
    direction: Direction = "tx" if vector["direction"] == "tx" else "rx"
    return decode_stream(bytes.fromhex(vector["hex"]), FAMILIES[vector["family"]], direction)


@pytest.mark.parametrize("vector_id", VECTORS)
def test_a_vector_says_what_its_meaning_says(vector_id: str) -> None:
    told = [each for each in records(VECTORS[vector_id]) if each["ok"]]
    said = [(t["kind"], t["name"], t["status"], t["complete"], t["uids"]) for t in told]
    assert said == SAID[vector_id]


@pytest.mark.parametrize(
    ("vector_id", "words"),
    [
        ("pepper_c1-021", "0001"),
        ("feig-032", "83"),
        ("feig-046", "94"),
        ("feig-047", "84"),
        ("r200-067", "15: no tag, or a tag's checksum was wrong"),
        ("chafon_uhf-051", "03: more frames follow"),
        ("chafon_rr3036_hf-064", "0B"),
        ("thingmagic-113", "0505: high return loss"),
        ("thingmagic-114", "0101"),
        ("metratec_ascii-184", "02 found, 1 told"),
        ("metratec_ascii-186", "collision"),
        ("ti_trf796x_ascii-175", "collision"),
    ],
)
def test_what_is_wrong_or_missing_is_said(vector_id: str, words: str) -> None:
    told = [str(each["error"]) for each in records(VECTORS[vector_id]) if each["ok"]]
    assert [text for text in told if words in text] == told != []


def test_a_record_is_what_the_contract_says_and_tells_where_it_stood() -> None:
    found = records(VECTORS["pn532_hsu-130"])
    assert found == [
        {"ok": False, "reason": "noise", "offset": 0, "length": 1},
        {
            "ok": True,
            "family": "pn532_hsu",
            "kind": "answer",
            "name": "inventory",
            "status": "ok",
            "complete": True,
            "uids": ["083F6C4A"],
            "error": None,
            "offset": 1,
            "length": 24,
        },
    ]


@pytest.mark.parametrize(
    ("vector_id", "reason"),
    [
        ("chafon_uhf-049", "checksum"),
        ("pepper_c1-026", "length"),
        ("r200-086", "truncated"),
        ("pn532_hsu-132", "noise"),
    ],
)
def test_what_is_no_frame_is_one_run_with_its_reason(vector_id: str, reason: str) -> None:
    length = len(VECTORS[vector_id]["hex"]) // 2
    assert records(VECTORS[vector_id]) == [
        {"ok": False, "reason": reason, "offset": 0, "length": length}
    ]


def test_both_byte_orders_of_one_tag_give_one_card() -> None:
    """Bug 44: FEIG sends the most significant byte first, AnyID the least."""
    feig = bytes.fromhex("1100b000010300e0040150cabd51b9")
    msb = FAMILIES["feig"].decode(feig + b"\0\0", "rx").uids
    lsb = FAMILIES["anyid7e55"].decode(bytes.fromhex(VECTORS["anyid7e55-009"]["hex"]), "rx").uids
    assert msb == lsb == (ICODE,)


def test_every_family_has_its_name_and_its_facts() -> None:
    assert all(family.name == name for name, family in FAMILIES.items())
    weak = {name for name, family in FAMILIES.items() if family.reads_to_trust > 1}
    assert weak == {"metratec_ascii", "r200", "twn4_simple", "ti_trf796x_ascii", "rdm6300", "wl134"}
