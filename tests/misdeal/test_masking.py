"""Tags of a recording are masked: the same by the same, so that frames still read as frames."""

import json
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware_bridge.decoding import Record, decode_stream
from firmware_bridge.families import FAMILIES, anyid7e55, front_end, metratec_ascii, pepper_c1
from firmware_bridge.families.family import Direction, Measure, Message, judged
from misdeal.masking import LEAST_PIECE, _mask_piece, _Piece, _Swaps, mask, mask_uid
from misdeal.recording import Entry, Header

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
UID = "E0040108C9E1CBE7"
VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "firmware_bridge" / "vectors.jsonl")
    .read_text("utf-8")
    .splitlines()
]
MS = 1_000_000


def header(family: str) -> Header:
    return Header(
        version="1", family=family, baud=9600, antennas=(1,), is_asked=True, began="2026-01-01"
    )


def entries(*pieces: bytes, kind: str = "rx", gap_ms: int = 1) -> list[Entry]:
    opened = Entry(at_ns=0, kind="opened")
    return [
        opened,
        *(
            Entry(at_ns=number * gap_ms * MS, kind=kind, hex=piece.hex())  # type: ignore[arg-type]
            for number, piece in enumerate(pieces, start=1)
        ),
    ]


def masked(family: str, recorded: Sequence[Entry]) -> list[Entry]:
    return mask(header(family), recorded, KEY)[1]


def bytes_of(recorded: Sequence[Entry]) -> bytes:
    return b"".join(entry.data for entry in recorded)


def uids_in(records: Sequence[Record]) -> list[str]:
    uids = [record.get("uids") for record in records]
    return [uid for each in uids if isinstance(each, list) for uid in each]


def meanings(data: bytes, family: str, direction: Direction) -> list[Record]:
    return decode_stream(data, FAMILIES[family], direction)


@given(st.binary(min_size=4, max_size=12))
def test_a_mask_has_the_length_and_the_kind_of_its_tag(raw: bytes) -> None:
    uid = raw.hex().upper()
    other = mask_uid(uid, KEY)
    assert len(other) == len(uid)
    assert other == mask_uid(uid, KEY)
    if len(raw) == 8:
        assert other[:6] == uid[:6]
        assert bytes.fromhex(other)[3] & 0x18 == raw[3] & 0x18
        assert not other.endswith("E0")


def test_no_mask_reads_as_turned_round() -> None:
    ends = (f"E0040108{number:08X}" for number in range(10_000))
    unlucky = next(
        uid
        for uid in ends
        if blake2b(bytes.fromhex(uid), key=KEY, digest_size=8).digest().endswith(b"\xe0")
    )
    assert mask_uid(unlucky, KEY).endswith("0E")


def test_tags_and_keys_give_masks_of_their_own() -> None:
    assert len({mask_uid(f"E0040108{number:08X}", KEY) for number in range(1000)}) == 1000
    assert mask_uid(UID, KEY) != mask_uid(UID, OTHER_KEY)


@pytest.mark.parametrize(
    "vector", [each for each in VECTORS if each["family"] in FAMILIES], ids=lambda each: each["id"]
)
def test_every_golden_frame_means_the_same_with_other_tags(vector: dict[str, str]) -> None:
    family, data = vector["family"], bytes.fromhex(vector["hex"])
    direction: Direction = "tx" if vector["direction"] == "tx" else "rx"
    told = meanings(data, family, direction)
    after = masked(family, entries(data, kind=direction))
    again = meanings(bytes_of(after), family, direction)
    assert [entry.is_unsealed for entry in after] == [False, False]
    assert again == [
        {**record, "uids": [_expected(uid) for uid in uids_in([record])]}
        if "uids" in record
        else record
        for record in told
    ]
    assert not any(uid in uids_in(told) for uid in uids_in(again) if len(uid) >= 2 * LEAST_PIECE)


def _expected(uid: str) -> str:
    return mask_uid(uid, KEY) if len(uid) >= 2 * LEAST_PIECE else uid


ANSWER = pepper_c1.frame(bytes([0, pepper_c1.UID, 0x27, 0]) + bytes.fromhex(UID))


@given(st.lists(st.integers(0, 3 * len(ANSWER)), max_size=6))
def test_how_the_stream_was_cut_changes_nothing(cuts: list[int]) -> None:
    stream = ANSWER * 3
    edges = [0, *sorted(cuts), len(stream)]
    recorded = entries(*(stream[start:end] for start, end in pairwise(edges)))
    after = masked("pepper_c1", recorded)
    assert bytes_of(after) == bytes_of(masked("pepper_c1", entries(stream)))
    assert [(each.at_ns, len(each.hex)) for each in after] == [
        (each.at_ns, len(each.hex)) for each in recorded
    ]


@pytest.mark.parametrize("uid", ["E004010800E1CB00", "E00401080000000A"])
def test_a_tag_whose_bytes_are_stuffed_on_the_wire_is_masked(uid: str) -> None:
    answer = front_end.frame(
        front_end.ANSWER | front_end.INVENTORY, 7, bytes([3, 1, 1, 8]) + bytes.fromhex(uid)
    )
    (_, after) = masked("front_end", entries(answer))
    assert uids_in(meanings(after.data, "front_end", "rx")) == [mask_uid(uid, KEY)]


def test_the_long_form_of_a_frame_is_closed_as_well() -> None:
    body = bytes.fromhex("D54B0101004400070408090A0B0C0D")
    head = b"\x00\x00\xff\xff\xff" + len(body).to_bytes(2, "big")
    frame = head + bytes([-sum(head[-2:]) & 0xFF]) + body + bytes([-sum(body) & 0xFF, 0])
    (true,) = meanings(frame, "pn532_hsu", "rx")
    (_, after) = masked("pn532_hsu", entries(frame))
    (false,) = meanings(after.data, "pn532_hsu", "rx")
    assert uids_in([false]) == [mask_uid(uid, KEY) for uid in uids_in([true])] != []


def test_a_line_in_crc_mode_gets_a_checksum_that_fits() -> None:
    lines = b"".join(metratec_ascii.line(text, has_crc=True) for text in (UID, "ARP 03", "IVF 01"))
    (_, after) = masked("metratec_ascii", entries(lines))
    (record,) = meanings(after.data, "metratec_ascii", "rx")
    assert (record["uids"], record["complete"]) == ([mask_uid(UID, KEY)], True)


def test_a_tag_is_masked_in_what_the_host_says_of_it_too() -> None:
    asked = anyid7e55.read_signature(UID)
    heard = anyid7e55.frame(0x22, bytes.fromhex(UID)[::-1] + b"\x00\x00")
    recorded = [*entries(heard, kind="tx"), Entry(at_ns=9 * MS, kind="tx", hex=asked.hex())]
    after = masked("anyid7e55", recorded)
    assert bytes.fromhex(UID)[::-1] not in bytes_of(after)
    assert bytes.fromhex(mask_uid(UID, KEY))[::-1] in after[2].data


def test_a_tag_in_a_broken_frame_is_masked_down_to_four_bytes() -> None:
    at = ANSWER.index(bytes.fromhex(UID))
    whole, cut, short = ANSWER, ANSWER[: at + 7], ANSWER[: at + 5]
    after = masked("pepper_c1", entries(whole, cut, short, whole, gap_ms=100))
    true, false = bytes.fromhex(UID), bytes.fromhex(mask_uid(UID, KEY))
    assert after[2].data[at:] == false[:7]
    assert after[3].data[at:] == false[:5]
    assert all(true[3:7] not in entry.data for entry in after)


def odd_measure(head: bytes, direction: Direction) -> Measure:
    """A family that nobody has told how to close: a sum, then digits, perhaps turned round."""
    del direction
    return judged(head, 17, lambda data: sum(data[1:]) & 0xFF == data[0])


def odd_decode(data: bytes, direction: Direction) -> Message:
    del direction
    digits = data[1:].decode()
    return Message(kind="notice", name="tag", uids=(max(digits, digits[::-1]),))


ODD = replace(FAMILIES["rdm6300"], name="odd", measure=odd_measure, decode=odd_decode)


@pytest.mark.parametrize(
    ("digits", "after"), [(UID, mask_uid(UID, KEY)), (UID[::-1], "\0" * len(UID))]
)
def test_a_frame_that_cannot_be_closed_again_is_marked_and_shows_no_tag(
    digits: str, after: str
) -> None:
    data = bytes([sum(digits.encode()) & 0xFF]) + digits.encode()
    piece = _mask_piece(_Piece(data, is_frame=True), ODD, "rx", _Swaps({UID: mask_uid(UID, KEY)}))
    assert piece.is_unsealed
    assert piece.data[1:] == after.encode()


def test_a_masked_recording_says_so_and_one_without_tags_stays_as_it_is() -> None:
    recorded = entries(pepper_c1.frame(b"\x00\x01"), b"\x00\x01noise")
    after, same = mask(header("pepper_c1"), recorded, KEY)
    assert after == replace(header("pepper_c1"), is_masked=True)
    assert bytes_of(same) == bytes_of(recorded)
