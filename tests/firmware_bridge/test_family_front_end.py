"""Our own front-end frame: what a device says, byte by byte as the page shows it."""

import re
from pathlib import Path

import pytest
from cobs import cobs  # type: ignore[import-untyped]
from fastcrc import crc16
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.families import front_end
from firmware_bridge.families.family import Measure, Message

TAG = "E004010012345678"


@pytest.fixture(scope="session")
def page(root: Path) -> dict[str, bytes]:
    """The examples of the page that a stranger writes firmware from."""
    text = (root / "docs/front-end-frame.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| `([0-9A-F ]+)` \|$", text, re.MULTILINE)
    return {what: bytes.fromhex(wire) for what, wire in rows}


def decoded(data: bytes) -> Message:
    assert front_end.measure(data, "rx") == Measure(length=len(data))
    return front_end.decode(data, "rx")


@pytest.mark.parametrize(
    ("what", "status", "uids"),
    [
        (f"its answer: complete, one tag {TAG}", "ok", (TAG,)),
        ("its answer: complete and empty", "empty", ()),
        (f"its answer: not complete, one tag {TAG}", "partial", (TAG,)),
    ],
)
def test_an_inventory_on_the_page_names_its_question_and_its_antenna(
    page: dict[str, bytes], what: str, status: str, uids: tuple[str, ...]
) -> None:
    told = decoded(page[what])
    assert (told.name, told.status, told.uids) == ("inventory", status, uids)
    assert told.is_complete is (status != "partial")
    assert (told.echoes, told.data[0]) == (front_end.mark(front_end.INVENTORY, 7), 3)


def test_the_description_on_the_page_is_read(page: dict[str, bytes]) -> None:
    (what,) = [each for each in page if each.startswith("its answer: 8 antennas")]
    told = decoded(page[what])
    assert (told.name, told.echoes) == ("description", front_end.mark(front_end.DESCRIBE, 1))
    assert front_end.read_description(told.data) == front_end.Description(
        version=1,
        antennas=8,
        max_tags=16,
        lamps=2,
        has_buzzer=True,
        has_gate=True,
        has_signature=True,
        safe_after_ms=2000,
        model="seat",
        serial="007",
    )


@given(st.integers(0, 20))
def test_a_description_that_is_cut_short_is_none(end: int) -> None:
    whole = bytes([1, 8, 16, 2, 7, 20, 4]) + b"seat" + bytes([3]) + b"007"
    assert (front_end.read_description(whole[:end]) is None) is (end < len(whole))


def test_an_actuator_is_confirmed_or_refused_by_the_number_of_its_command(
    page: dict[str, bytes],
) -> None:
    done, refused = decoded(page["done"]), decoded(page["refused: busy"])
    assert (done.name, done.status, done.echoes) == ("lamp", "ok", front_end.mark(0x03, 8))
    assert (refused.name, refused.error) == ("gate", "05: busy")
    assert refused.echoes == front_end.mark(front_end.GATE, 9)


def test_a_late_answer_fits_no_other_question() -> None:
    late = front_end.decode(front_end.frame(0x82, 7, bytes([3, 1, 0])), "rx")
    assert late.echoes != front_end.mark(front_end.INVENTORY, 8)


@pytest.mark.parametrize(
    ("kind", "data", "name", "status", "uids"),
    [
        (0xC0, bytes([1, 1, 1, 0, 0, 1, 0, 0]), "restart", "ok", ()),
        (0xC1, bytes([1]) + bytes.fromhex(TAG), "tag", "ok", (TAG,)),
        (0x82, bytes([3, 3, 0]), "inventory", "error", ()),
        (0x82, bytes([3, 1, 1]), "inventory", "error", ()),
        (0x82, bytes([3, 1, 1, 8, 1, 2]), "inventory", "error", ()),
        (0x82, bytes([3]), "inventory", "error", ()),
        (0x88, bytes(32), "signature", "ok", ()),
        (0xFF, bytes([5]), "unknown", "error", ()),
        (0x90, b"", "command 10", "ok", ()),
    ],
)
def test_what_a_device_says(
    kind: int, data: bytes, name: str, status: str, uids: tuple[str, ...]
) -> None:
    told = decoded(front_end.frame(kind, 0, data))
    assert (told.name, told.status, told.uids) == (name, status, uids)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (front_end.frame(0x82, 7)[:3] + b"\x55" + front_end.frame(0x82, 7)[4:], "checksum"),
        (b"\x00\x03\x82\x00", "length"),
        (b"\x00\xff\x01\x00", "length"),
        (b"\x00\x00", "noise"),
        (front_end.describe(1), "noise"),
    ],
)
def test_what_is_no_frame_of_a_device_is_refused(data: bytes, fault: str) -> None:
    assert front_end.measure(data, "rx").fault == fault


@given(st.binary(max_size=244), st.integers(0, 127), st.integers(0, 255))
def test_any_command_survives_the_wire(data: bytes, kind: int, sequence: int) -> None:
    wire = front_end.frame(kind, sequence, data)
    body = cobs.decode(wire[1:-1])
    assert b"\x00" not in wire[1:-1]
    assert len(wire) <= front_end.FAMILY.max_frame
    assert front_end.measure(wire, "tx") == Measure(length=len(wire))
    assert body[2:-2] == data
    assert crc16.mcrf4xx(body[:-2]) == int.from_bytes(body[-2:], "little")
