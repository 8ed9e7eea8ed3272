"""Pack registers: what is read, what is refused and with which lines."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import FULL_PACK, Card, Pack, Tag, TaggedCard
from firmware_bridge.errors import RegisterError
from firmware_bridge.register import (
    KnownCard,
    Register,
    canonical_uid,
    read_pack,
    read_signatures,
    write_pack,
)

TAGS = tuple(f"E0040150{n:08X}" for n in range(0x1A2B3C00, 0x1A2B3C00 + 52))
LINES = [f"{card},{tag}" for card, tag in zip(FULL_PACK, TAGS, strict=True)]


NO_UID = "expected a UID in hex, like E00401501A2B3C4D"
NO_CARD = "expected the code of a card of this pack, like 9h"


def text(lines: list[str]) -> str:
    return "\n".join(["card,tag", *lines]) + "\n"


def faults(lines: list[str]) -> list[str]:
    with pytest.raises(RegisterError) as caught:
        read_pack(text(lines), file="blue.csv", name="blue")
    return [str(fault) for fault in caught.value.faults]


def test_a_whole_pack_is_read() -> None:
    pack = read_pack(text(LINES), file="blue.csv", name="blue")
    assert pack.name == "blue"
    assert pack.cards[0] == TaggedCard(Tag("E00401501A2B3C00"), Card("As"))
    assert len(pack.own_tags()) == 52


@pytest.mark.parametrize(
    ("written", "is_spare"),
    [
        ("9h,E00401501A2B3CFF,yes", True),
        ("# a remark,,", None),
        ("", None),
        ("card,tag,spare", None),
    ],
)
def test_lines_that_are_no_card_of_the_pack(written: str, is_spare: bool | None) -> None:
    pack = read_pack(text([*LINES, written]), file="blue.csv", name="blue")
    assert len(pack.own_tags()) == 52
    assert [line.spare for line in pack.cards[52:]] == ([] if is_spare is None else [is_spare])


@pytest.mark.parametrize(
    ("number", "written", "fault"),
    [
        (
            4,
            f"{FULL_PACK[3]},{TAGS[1]}",
            f"blue.csv:5: tag: found {TAGS[1]} again, expected it once: line 3 has it",
        ),
        (
            1,
            f"1s,{TAGS[0]}",
            f"blue.csv:2: card: found 1s, {NO_CARD}",
        ),
        (
            1,
            f"JK,{TAGS[0]}",
            f"blue.csv:2: card: found JK, {NO_CARD}",
        ),
        (
            1,
            "As,E004",
            f"blue.csv:2: tag: found E004, {NO_UID}",
        ),
        (
            1,
            "As,",
            f"blue.csv:2: tag: found nothing, {NO_UID}",
        ),
        (
            1,
            "As,1122334455667788",
            f"blue.csv:2: tag: found 1122334455667788, {NO_UID}",
        ),
        (
            1,
            "As,0000000000000000",
            f"blue.csv:2: tag: found 0000000000000000, {NO_UID}",
        ),
        (1, f"As,{TAGS[0]},maybe", "blue.csv:2: spare: found maybe, expected yes, no or nothing"),
        (1, "As", "blue.csv:2: found 1 columns, expected card,tag or card,tag,spare,signature"),
        (
            1,
            "A" * 200_000,
            "blue.csv:2: found 1 columns, expected card,tag or card,tag,spare,signature",
        ),
        (1, '"As', "blue.csv:2: found 1 columns, expected card,tag or card,tag,spare,signature"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(number: int, written: str, fault: str) -> None:
    lines = [*LINES[: number - 1], written, *LINES[number:]]
    assert fault in faults(lines)


def test_a_missing_and_a_doubled_card_are_both_said() -> None:
    lines = [*LINES[:51], f"As,{TAGS[51]}"]
    assert faults(lines) == [
        "blue.csv:53: card: found As again, expected it once: line 2 has it",
        "blue.csv: card: found no line for 2c, expected each card of the pack once",
    ]


def test_bugs_44_a_reversed_column_is_recognised_and_said() -> None:
    lines = [
        f"{card},{bytes.fromhex(tag)[::-1].hex()}"
        for card, tag in zip(FULL_PACK, TAGS, strict=True)
    ]
    [said] = faults(lines)
    assert said.startswith("blue.csv:2: tag: found UIDs in reversed byte order, E0 last (52 lines)")


def test_a_uid_with_e0_at_both_ends_is_not_taken_for_reversed() -> None:
    lines = [f"{FULL_PACK[0]},E0040150112233E0", *LINES[1:]]
    assert read_pack(text(lines), file="blue.csv", name="blue").cards[0].tag == "E0040150112233E0"


@pytest.mark.parametrize(
    ("written", "uid"),
    [
        ("e00401501a2b3c4d", "E00401501A2B3C4D"),
        (" E0:04:01:50:1A:2B:3C:4D ", "E00401501A2B3C4D"),
        ("0xE00401501A2B3C4D", "E00401501A2B3C4D"),
        ("E0-04-01-50-1A-2B-3C-4D", "E00401501A2B3C4D"),
        ("04112233445566", "04112233445566"),
        ("DEADBEEF", "DEADBEEF"),
        ("E00401501A2B3C4", None),
        ("E00401501A2B3C", "E00401501A2B3C"),
        ("FFFFFFFFFFFFFFFF", None),
        ("no uid", None),
        ("", None),
    ],
)
def test_a_uid_has_one_form(written: str, uid: str | None) -> None:
    assert canonical_uid(written) == uid


def test_a_pack_of_other_faces_is_read_by_its_own_list() -> None:
    short_pack = [card for card in FULL_PACK if card[0] not in "2345"]
    lines = [f"{card},{tag}" for card, tag in zip(short_pack, TAGS, strict=False)]
    pack = read_pack(text(lines), file="short.csv", name="short", faces=short_pack)
    assert len(pack.cards) == 36


def test_two_packs_are_told_apart_and_a_stranger_is_in_neither() -> None:
    blue = Pack("blue", (TaggedCard(Tag("E004015000000001"), Card("9h")),))
    red = Pack("red", (TaggedCard(Tag("E004015000000002"), Card("9h")),))
    register = Register([blue, red])
    assert register.lookup(Tag("E004015000000001")) == KnownCard(Card("9h"), "blue")
    assert register.lookup(Tag("E004015000000002")) == KnownCard(Card("9h"), "red")
    assert register.lookup(Tag("E004015000000003")) is None


def test_a_tag_in_two_packs_is_refused() -> None:
    cards = (TaggedCard(Tag("E004015000000001"), Card("9h")),)
    with pytest.raises(RegisterError, match="a tag that pack 'blue' does not claim"):
        Register([Pack("blue", cards), Pack("red", cards)])


@given(st.integers(0, 2**32), st.booleans())
def test_what_is_written_is_read_again(seed: int, has_spare: bool) -> None:
    rng = random.Random(seed)
    tags = [Tag(f"E004{n:012X}") for n in rng.sample(range(1, 2**48), 53)]
    cards = [TaggedCard(tag, card) for tag, card in zip(tags, FULL_PACK, strict=False)]
    spares = [TaggedCard(tags[52], rng.choice(FULL_PACK), spare=True)] if has_spare else []
    pack = Pack("blue", (*cards, *spares))
    assert read_pack(write_pack(pack), file="blue.csv", name="blue") == pack


@given(st.text() | st.lists(st.sampled_from([*LINES, '"', ",,,,", "9h,,", "\x00"])).map("\n".join))
def test_any_text_is_read_or_refused(written: str) -> None:
    try:
        tags = read_pack(written, file="any.csv", name="any").own_tags()
    except RegisterError:
        return
    assert len(tags) == 52


# ---------------------------------------------------------------- signatures
SAMPLE = ("E0040118009B5FEE", "32D9E7579CD77E6F1FA11419231E874826984C5F189FDE1421684563A9663377")
UNSIGNED = "E00401501A2B3C00"


def signed(uid: str, signature: str) -> str:
    return "\n".join(["card,tag,spare,signature", f"As,{uid},,{signature}"]) + "\n"


def test_bugs_49_a_signature_is_checked_when_it_is_registered_and_written_again() -> None:
    text_ = signed(*SAMPLE)
    pack = read_pack(text_, file="blue.csv", name="blue", faces=[Card("As")])
    signatures = read_signatures(text_)
    assert signatures == {Tag(SAMPLE[0]): bytes.fromhex(SAMPLE[1])}
    assert write_pack(pack, signatures) == text_
    assert write_pack(pack) == f"card,tag,spare\nAs,{SAMPLE[0]},\n"
    assert Register([pack], signatures).signature_of(Tag(SAMPLE[0])) == bytes.fromhex(SAMPLE[1])
    assert Register([pack]).signature_of(Tag(SAMPLE[0])) is None


@pytest.mark.parametrize(
    ("uid", "signature", "expected"),
    [
        (SAMPLE[0], "00" * 32, f"the signature that the maker of {SAMPLE[0]} gave it"),
        ("E0040118009B5FEF", SAMPLE[1], "the signature that the maker of E0040118009B5FEF gave it"),
        (UNSIGNED, SAMPLE[1], f"the signature that the maker of {UNSIGNED} gave it"),
        (SAMPLE[0], "32D", "hex digits, two a byte"),
    ],
)
def test_bugs_49_a_signature_that_is_not_the_tags_is_refused_with_its_line(
    uid: str, signature: str, expected: str
) -> None:
    with pytest.raises(RegisterError) as caught:
        read_pack(signed(uid, signature), file="blue.csv", name="blue", faces=[Card("As")])
    (fault,) = caught.value.faults
    assert (fault.line, fault.key, fault.found, fault.expected) == (
        2,
        "signature",
        signature,
        expected,
    )


def test_a_distrusted_tag_is_known_no_more() -> None:
    register = Register([Pack("blue", (TaggedCard(Tag(UNSIGNED), Card("As")),))])
    register.distrust(Tag(UNSIGNED))
    assert register.lookup(Tag(UNSIGNED)) is None


def test_a_face_is_one_tag_only_where_one_pack_has_it() -> None:
    spare = TaggedCard(Tag("E00401501A2B3C01"), Card("Ks"), spare=True)
    blue = Pack("blue", (spare, TaggedCard(Tag(UNSIGNED), Card("As"))))
    assert Register([blue]).tag_of(Card("As")) == (UNSIGNED, "blue")
    assert Register([blue]).tag_of(Card("Ks")) is None
    assert Register([blue, Pack("red", ())]).tag_of(Card("As")) is None
