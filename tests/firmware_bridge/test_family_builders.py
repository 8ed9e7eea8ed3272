"""Every command builder has its golden bytes (bug 51), from public captures where there are any."""

import re
from pathlib import Path

import pytest

from firmware_bridge.families import (
    FAMILIES,
    anyid7e55,
    chafon_rr3036_hf,
    chafon_uhf,
    feig,
    front_end,
    metratec_ascii,
    pepper_c1,
    pn532_hsu,
    r200,
    thingmagic,
    ti_s6350,
    ti_trf796x_ascii,
    twn4_simple,
)
from firmware_bridge.families.family import Frame
from firmware_bridge.framing import Framer

UID = "E0040150B59414C4"


@pytest.mark.parametrize(
    ("built", "golden"),
    [
        (anyid7e55.get_version(), "7e55080000fffff700bd60"),
        (anyid7e55.query_tags(), "7e5509000001001100007dfb"),
        (chafon_uhf.frame(0x01, b"\x06", to=0), "050001069811"),
        (feig.start_inventory(), "07ffb001001c56"),
        (feig.advanced_frame(0xB0, b"\x01\x00"), "020009ffb001001843"),
        (feig.reset(), "05ff63d3ae"),
        (metratec_ascii.line("WAK", has_crc=True), b"WAK 5E70\r".hex()),
        (metratec_ascii.set_crc(on=False, has_crc=True), b"COF 4F5E\r".hex()),
        (pepper_c1.dummy(), "f50300fcff01d1f1"),
        (pepper_c1.count_tags(), "f50300fcff02b2c1"),
        (pepper_c1.get_uid(0), "f50400fbff03005c48"),
        (pepper_c1.get_uid(2), "f50400fbff03021e68"),
        (pepper_c1.get_uid(3), "f50400fbff03033f78"),
        (pepper_c1.get_uid(4), "f50400fbff0304d808"),
        (pepper_c1.reboot(), "f50300fcff0aba40"),
        (pepper_c1.set_antenna(4), "f50400fbff0f04b54d"),
        (pepper_c1.start_inventory(), "f50400fbff9000e405"),
        (pn532_hsu.get_version(), "0000ff02fed4022a00"),
        (pn532_hsu.configure_sam(), "0000ff05fbd4140100001700"),
        (pn532_hsu.acknowledge(), "0000ff00ff00"),
        (pn532_hsu.list_targets(), "0000ff04fcd44a0100e100"),
        (pn532_hsu.release_targets(), "0000ff03fdd44400e800"),
        (pn532_hsu.radio_off(), "0000ff04fcd4320100f900"),
        (r200.get_information(), "bb0003000100047e"),
        (r200.set_power(2000), "bb00b6000207d08f7e"),
        (r200.set_power(2600), "bb00b600020a28ea7e"),
        (r200.poll_many(10000), "bb00270003222710837e"),
        (r200.stop(), "bb00280000287e"),
        (r200.set_region(3), "bb00070001030b7e"),
        (thingmagic.get_version(), "ff00031d0c"),
        (thingmagic.boot(), "ff00041d0b"),
        (thingmagic.set_region(1), "ff0197014bbc"),
        (thingmagic.set_region(2), "ff0197024bbf"),
        (thingmagic.read_single(1000), "ff022103e8d509"),
        (thingmagic.get_antennas(), "ff016101bdbc"),
        (ti_s6350.start_inventory(), "010d0000000060110701007b84"),
        (ti_trf796x_ascii.set_agc(on=False), b"0109000304F0000000".hex()),
        (ti_trf796x_ascii.start_inventory(is_one_slot=True), b"010B000304142401000000".hex()),
        (ti_trf796x_ascii.start_inventory(), b"010B000304140401000000".hex()),
        (
            ti_trf796x_ascii.stay_quiet("E00700001B37BD3F"),
            b"01120003041822023FBD371B000007E00000".hex(),
        ),
        (twn4_simple.get_usb_type(), b"000515A7\r".hex()),
        (twn4_simple.text_frame(b"\x00\x05", has_crc=False), b"0005\r".hex()),
        (twn4_simple.text_frame(b"\x00\x03", has_crc=False), b"0003\r".hex()),
        (twn4_simple.text_frame(b"\x0d\x01", has_crc=False), b"0D01\r".hex()),
        (twn4_simple.binary_frame(b"\x00\x05", has_crc=False), "02000005"),
        (twn4_simple.binary_frame(b"\x00\x05"), "0400000515a7"),
    ],
)
def test_a_command_has_the_bytes_that_were_published(built: bytes, golden: str) -> None:
    """Bug 51: each command builder has its golden bytes."""
    assert built.hex() == golden


@pytest.mark.parametrize(
    ("built", "derived"),
    [
        (anyid7e55.get_cpu_id(), "7e550800000100f800effc"),
        (anyid7e55.query_tags(is_repeat=True), "7e550900000100110001f4ea"),
        (anyid7e55.set_antenna(4), "7e550e00000100f20000000001000062c1"),
        (anyid7e55.set_antenna(2), "7e550e00000100f200000100000000fa90"),
        (anyid7e55.reset_radio(), "7e550a00000100f00002006715"),
        (anyid7e55.reset(), "7e55080000010004004729"),
        (anyid7e55.confirm_upload(), "7e550b000001001f10000000f0fc"),
        (
            anyid7e55.read_signature(UID),
            "7e5517000001002f000b22bd04c41494b5500104e0204e212036",
        ),
        (chafon_rr3036_hf.describe(), "05ff000085ab"),
        (chafon_rr3036_hf.open_field(), "05ff00029788"),
        (chafon_rr3036_hf.choose_iso15693(), "05ff0006b3ce"),
        (chafon_rr3036_hf.start_inventory(), "05ff01066bd7"),
        (chafon_uhf.start_inventory(), "04ff011bb4"),
        (chafon_uhf.start_inventory(2), "0dff0104000100000000810a2a73"),
        (chafon_uhf.get_information(), "04ff211995"),
        (feig.start_inventory(antenna=3), "08ffb00110048734"),
        (feig.continue_inventory(), "07ffb0018014d2"),
        (feig.get_version(), "05ff65e5cb"),
        (feig.get_device_id(), "06ff6680c53b"),
        (feig.select_channel(5), "10ffbf010020000002ddfe0005005a69"),
        (feig.reset_radio(), "05ff698901"),
        (metratec_ascii.stop(), b"BRK\r".hex()),
        (metratec_ascii.wake(), b"WAK\r".hex()),
        (metratec_ascii.wake(has_crc=True), b"WAK 5E70\r".hex()),
        (metratec_ascii.reset(), b"RST\r".hex()),
        (metratec_ascii.get_revision(), b"REV\r".hex()),
        (metratec_ascii.get_revision(has_crc=True), b"REV 76AF\r".hex()),
        (metratec_ascii.set_crc(on=True), b"CON\r".hex()),
        (metratec_ascii.set_radio(has_crc=True), b"SRI SS 100 BC70\r".hex()),
        (metratec_ascii.set_mode(), b"MOD 156\r".hex()),
        (metratec_ascii.set_antenna(3, has_crc=True), b"SAP MAN 3 663D\r".hex()),
        (metratec_ascii.report_antenna(), b"SAP ARP ON\r".hex()),
        (metratec_ascii.report_antenna(has_crc=True), b"SAP ARP ON 3B93\r".hex()),
        (metratec_ascii.start_inventory(), b"INV\r".hex()),
        (metratec_ascii.start_inventory(is_single_slot=True), b"INV SSL\r".hex()),
        (metratec_ascii.start_inventory(afi=0x90, has_crc=True), b"INV AFI 90 DF70\r".hex()),
        (metratec_ascii.at_inventory(), b"AT+INV\r".hex()),
        (metratec_ascii.at_set_antenna(2), b"AT+ANT=2\r".hex()),
        (metratec_ascii.at_get_information(), b"ATI\r".hex()),
        (metratec_ascii.at_choose_iso15693(), b"AT+MOD=ISO15\r".hex()),
        (metratec_ascii.at_set_inventory(), b"AT+INVS=0,0,0\r".hex()),
        (metratec_ascii.at_stop(), b"AT+BINV\r".hex()),
        (metratec_ascii.at_reset(), b"AT+RST\r".hex()),
        (pn532_hsu.limit_retries(), "0000ff06fad43205ff0102f300"),
        (pn532_hsu.test_line(b"\x00\x01"), "0000ff05fbd4000000012b00"),
        (pn532_hsu.list_targets(2), "0000ff04fcd44a0200e000"),
        (pepper_c1.activate(0), "f50400fbff0400cbd1"),
        (pepper_c1.set_polling(on=False), "f50400fbff0600a9b7"),
        (pepper_c1.set_polling(on=True), "f50400fbff060188a7"),
        (pepper_c1.get_version(), "f50300fcff0b9b50"),
        (pepper_c1.next_in_inventory(), "f50400fbff9100d536"),
        (pepper_c1.next_in_inventory(afi=0x90), "f50400fbff91906cb5"),
        (pepper_c1.read_signature(), "f50300fcffa933c5"),
        (r200.poll_once(), "bb00220000227e"),
        (r200.poll_many(0xFFFF), "bb0027000322ffff4a7e"),
        (thingmagic.set_antennas([1]), "ff039102010142c5"),
        (thingmagic.set_antennas([1, 2]), "ff059102010102022dc0"),
        (thingmagic.choose_gen2(), "ff02930005517d"),
        (thingmagic.repeat_tags(), "ff039a010c00a35d"),
        (thingmagic.start_stream(), "ff102f00000122000005072210001b03e801ffdd2b"),
        (thingmagic.stop_stream(), "ff032f0000025e86"),
        (ti_trf796x_ascii.choose_iso15693(), b"010C00030410002101000000".hex()),
        (ti_trf796x_ascii.get_revision(), b"0108000304FE0000".hex()),
        (ti_trf796x_ascii.reset(), b"0108000304170000".hex()),
        (ti_trf796x_ascii.set_agc(on=True), b"0109000304F0FF0000".hex()),
        (twn4_simple.search_tag(), b"0500100F10\r".hex()),
        (twn4_simple.search_tag(has_crc=False), b"050010\r".hex()),
        (twn4_simple.get_version(), b"000440571C\r".hex()),
        (twn4_simple.reset(), b"000131E1\r".hex()),
        (twn4_simple.reset(has_crc=False), b"0001\r".hex()),
        (twn4_simple.get_system_information(), b"0D014951\r".hex()),
    ],
)
def test_a_command_without_a_capture_follows_the_frame_rule(built: bytes, derived: str) -> None:
    """ASSUMED bytes: the frame is known, the checksum was computed bit by bit, apart from us."""
    assert built.hex() == derived


@pytest.mark.parametrize(
    ("family", "built", "name"),
    [
        ("chafon_uhf", chafon_uhf.start_inventory(), "inventory"),
        ("chafon_rr3036_hf", chafon_rr3036_hf.start_inventory(), "inventory"),
        ("front_end", front_end.set_lamp(8, 2, "on"), "lamp"),
        ("feig", feig.get_version(), "version"),
        ("anyid7e55", anyid7e55.reset(), "reset"),
        ("metratec_ascii", metratec_ascii.set_antenna(3, has_crc=True), "sap"),
        ("pn532_hsu", pn532_hsu.frame(0x00, bytes(260)), "line test"),
        ("pn532_hsu", pn532_hsu.acknowledge(), "ack"),
    ],
)
def test_a_command_is_read_back_even_byte_by_byte(family: str, built: bytes, name: str) -> None:
    framer = Framer(FAMILIES[family], "tx")
    found = [each for at in range(len(built)) for each in framer.feed(built[at : at + 1])]
    (frame,) = (each for each in found + framer.flush() if isinstance(each, Frame))
    told = FAMILIES[family].decode(frame.data, "tx")
    assert (told.kind, told.name, frame.data) == ("command", name, built)


def test_a_long_pn532_command_goes_in_an_extended_frame() -> None:
    """The line test that nfcpy sends when it starts has 262 bytes."""
    built = pn532_hsu.frame(0x00, bytes(range(256)) + b"\x00\x01\x02\x03")
    assert (built[:8].hex(), len(built)) == ("0000ffffff0106f9", 272)
    assert pn532_hsu.measure(built, "tx").length == 272


def page_examples(root: Path) -> dict[str, bytes]:
    text = (root / "docs/front-end-frame.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| `([0-9A-F ]+)` \|$", text, re.MULTILINE)
    return {what: bytes.fromhex(wire) for what, wire in rows}


@pytest.mark.parametrize(
    ("what", "built"),
    [
        ("describe, SEQ 1", front_end.describe(1)),
        ("inventory of antenna 3, SEQ 7", front_end.start_inventory(7, 3)),
        ("lamp 2 blinks, SEQ 8", front_end.set_lamp(8, 2, "blink")),
        ("buzzer for 500 ms, SEQ 10", front_end.buzz(10, 500)),
        ("gate open, SEQ 9", front_end.set_gate(9, is_open=True)),
        ("keep alive, SEQ 11", front_end.keep_alive(11)),
        ("reset, SEQ 12", front_end.reset(12)),
        (
            "safe state after 3 s: gate open, lamps blink, SEQ 15",
            front_end.set_safe_state(15, 3000, is_gate_open=True, lamp="blink"),
        ),
        (f"signature of {UID} at antenna 1, SEQ 13", front_end.read_signature(13, 1, UID)),
    ],
)
def test_the_front_end_page_shows_the_bytes_that_are_sent(
    root: Path, what: str, built: bytes
) -> None:
    assert page_examples(root)[what] == built
