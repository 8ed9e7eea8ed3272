"""What holds for the framing of every family, on every golden vector."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware_bridge.families import FAMILIES
from firmware_bridge.families.family import Direction, Frame, Noise
from firmware_bridge.framing import Framer

# Source: every golden vector of rfid/vectors.jsonl, each with the source it was found in.
VECTORS = [
    vector
    for line in Path(__file__).with_name("vectors.jsonl").read_text("utf-8").splitlines()
    if (vector := json.loads(line))["family"] in FAMILIES
]
GOOD = [vector for vector in VECTORS if "expect" not in vector]
BAD = [vector for vector in VECTORS if "expect" in vector]

Vector = dict[str, str]
Found = list[Frame | Noise]


def ids(vector: Vector) -> str:
    return vector["id"]


def framer_of(vector: Vector) -> Framer:
    direction: Direction = "tx" if vector["direction"] == "tx" else "rx"
    return Framer(FAMILIES[vector["family"]], direction)


def run(framer: Framer, pieces: Sequence[bytes]) -> Found:
    """Feed the pieces and end the stream; runs that a flush did not end are whole by then."""
    found: Found = []
    for piece in pieces:
        found += framer.feed(piece)
    return found + framer.flush()


def frames(found: Found) -> list[Frame]:
    return [each for each in found if isinstance(each, Frame)]


def shifted(found: list[Frame], by: int) -> list[Frame]:
    return [Frame(offset=each.offset + by, data=each.data) for each in found]


def has_own_frame(found: Found, prefix: int) -> bool:
    """Whether the prefix is the head of a frame of its own that runs into the vector."""
    return any(each.offset < prefix < each.offset + len(each.data) for each in frames(found))


@pytest.mark.parametrize("vector", GOOD, ids=ids)
def test_every_good_vector_comes_out_whole(vector: Vector) -> None:
    data = bytes.fromhex(vector["hex"])
    found = run(framer_of(vector), [data])
    stray = data[:1] if vector["id"] in ("pn532_hsu-129", "pn532_hsu-130") else b""
    assert stray + b"".join(each.data for each in frames(found)) == data


@pytest.mark.parametrize("vector", BAD, ids=ids)
def test_every_bad_vector_is_refused(vector: Vector) -> None:
    data = bytes.fromhex(vector["hex"])
    found = frames(run(framer_of(vector), [data]))
    behind_a_stray_byte = [Frame(offset=1, data=data[1:])]
    assert found == (behind_a_stray_byte if vector["id"] == "pepper_c1-027" else [])


@pytest.mark.parametrize("vector", VECTORS, ids=ids)
def test_what_comes_out_does_not_depend_on_where_the_stream_is_cut(vector: Vector) -> None:
    """Bugs 23, 31: whole, byte by byte, with empty reads, and at every single place."""
    data = bytes.fromhex(vector["hex"])
    whole = run(framer_of(vector), [data])
    cuts = [[data[:at], data[at:]] for at in range(len(data) + 1)]
    single = [data[at : at + 1] for at in range(len(data))]
    with_empty = [piece for byte in single for piece in (b"", byte)]
    for pieces in [*cuts, single, with_empty]:
        assert run(framer_of(vector), pieces) == whole


@pytest.mark.parametrize("vector", GOOD, ids=ids)
def test_a_frame_comes_out_behind_any_single_byte(vector: Vector) -> None:
    """Bugs 18, 19, 21: the byte may be a false start, with any length behind it."""
    data = bytes.fromhex(vector["hex"])
    wanted = frames(run(framer_of(vector), [data]))
    lost = []
    for byte in range(256):
        found = run(framer_of(vector), [bytes([byte]) + data])
        if not set(shifted(wanted, 1)) <= set(frames(found)) and not has_own_frame(found, 1):
            lost.append(byte)
    assert lost == []


@pytest.mark.parametrize(
    ("family", "false_start"),
    [
        ("pepper_c1", "f5f5"),
        ("pepper_c1", "f50500"),
        ("pepper_c1", "f5ffff0000"),
        ("anyid7e55", "7e557e55"),
        ("anyid7e55", "7e553d0100"),
        ("r200", "bb02bb0222"),
        ("r200", "bb0222ffff"),
        ("pn532_hsu", "0000ff0000ff"),
        ("pn532_hsu", "0000ff02fe"),
        ("pn532_hsu", "0000ffffffffff02"),
        ("feig", "14ff81"),
        ("feig", "02ffffff"),
        ("chafon_uhf", "1500010301010c"),
        ("chafon_rr3036_hf", "fe00000000"),
        ("thingmagic", "ffff"),
        ("thingmagic", "fff800"),
        ("twn4_simple", "30303034"),
        ("metratec_ascii", "4530303430"),
        ("ti_trf796x_ascii", "5b3543354233"),
        ("rdm6300", "0230303034"),
    ],
)
def test_a_false_start_or_a_truncated_frame_costs_no_other_frame(
    family: str, false_start: str
) -> None:
    """Bugs 19, 20, 25: a header that lies, or a frame whose rest never comes."""
    prefix = bytes.fromhex(false_start)
    for vector in (vector for vector in GOOD if vector["family"] == family):
        data = bytes.fromhex(vector["hex"])
        wanted = shifted(frames(run(framer_of(vector), [data])), len(prefix))
        framer = framer_of(vector)
        found = run(framer, [prefix, data])
        assert set(wanted) <= set(frames(found)) or has_own_frame(found, len(prefix))


@pytest.mark.parametrize(
    ("family", "direction", "header"),
    [
        ("pepper_c1", "rx", "f5ffff0000"),
        ("anyid7e55", "rx", "7e550001000000 1ff700ffff"),
        ("r200", "rx", "bb0222ffff"),
        ("pn532_hsu", "rx", "0000ffffffff01 00"),
        ("feig", "rx", "02ffff00b0"),
        ("thingmagic", "rx", "fffa22"),
        ("chafon_uhf", "rx", "0300"),
        ("chafon_rr3036_hf", "rx", "0200"),
        ("twn4_simple", "rx", "ffff"),
        ("ti_s6350", "tx", "01ffff"),
    ],
)
def test_an_absurd_length_is_refused_at_once(
    family: str, direction: Direction, header: str
) -> None:
    """Bug 20: nothing waits for bytes that no frame of the family can have."""
    framer = Framer(FAMILIES[family], direction)
    framer.feed(bytes.fromhex(header))
    assert framer.held < len(bytes.fromhex(header))


@pytest.mark.parametrize("vector", VECTORS, ids=ids)
def test_no_truncation_of_a_vector_raises_or_shows_a_card_that_is_not_in_it(
    vector: Vector,
) -> None:
    """Bug 31."""
    data = bytes.fromhex(vector["hex"])
    direction: Direction = "tx" if vector["direction"] == "tx" else "rx"
    decode = FAMILIES[vector["family"]].decode
    whole = frames(run(framer_of(vector), [data]))
    cards = {uid for each in whole for uid in decode(each.data, direction).uids}
    for end in range(len(data)):
        for each in frames(run(framer_of(vector), [data[:end]])):
            assert set(decode(each.data, direction).uids) <= cards


@pytest.mark.parametrize("vector", [v for v in GOOD if v["direction"] == "tx"], ids=ids)
def test_an_echo_of_our_own_command_shows_neither_cards_nor_their_absence(vector: Vector) -> None:
    """Bug 29: a port left in cooked mode echoes what we send."""
    family = FAMILIES[vector["family"]]
    found = frames(run(Framer(family, "rx"), [bytes.fromhex(vector["hex"])]))
    told = [family.decode(each.data, "rx") for each in found]
    assert [each for each in told if each.uids or each.status == "empty"] == []


@pytest.mark.parametrize(
    "vector",
    [
        vector
        for vector in GOOD
        if vector["direction"] == "tx"
        and vector["family"] in ("pepper_c1", "anyid7e55", "feig", "pn532_hsu", "r200")
    ],
    ids=ids,
)
def test_where_the_directions_differ_an_echo_says_nothing_at_all(vector: Vector) -> None:
    """Bug 29."""
    family = FAMILIES[vector["family"]]
    found = frames(run(Framer(family, "rx"), [bytes.fromhex(vector["hex"])]))
    # The chip's NAK stands in one of our commands, byte for byte.
    assert {family.decode(each.data, "rx").name for each in found} <= {"nak"}


def test_a_run_is_named_after_its_first_byte_that_was_more_than_noise() -> None:
    framer = Framer(FAMILIES["pepper_c1"])
    bad_checksum = bytes.fromhex("f50500faff0002039d9b")
    good = bytes.fromhex("f50500faff0002039d9a")
    assert run(framer, [b"\x11\x22" + bad_checksum + good + good[:4]]) == [
        Noise(offset=0, length=12, reason="checksum"),
        Frame(offset=12, data=good),
        Noise(offset=22, length=4, reason="truncated"),
    ]
    assert (framer.frames, framer.noise_bytes) == (1, 16)
    assert framer.faults == {"noise": 0, "checksum": 1, "length": 0, "truncated": 1}


def test_silence_gives_up_an_incomplete_frame_and_frees_the_one_behind_it() -> None:
    """Bugs 18, 25: half a header, then nothing; the next frame was already there."""
    framer = Framer(FAMILIES["r200"])
    good = bytes.fromhex("bb01b6000100b87e")
    assert framer.feed(bytes.fromhex("bb022200 40") + good) == []
    assert framer.flush() == [
        Noise(offset=0, length=5, reason="truncated"),
        Frame(offset=5, data=good),
    ]
    assert framer.feed(good) == [Frame(offset=13, data=good)]


def test_a_storm_of_notices_leaves_nothing_behind() -> None:
    """Bug 25: multi-polling at 500 notices a second."""
    notice = bytes.fromhex("bb02220011c43000e200001d7315016521408fc6b83ec27e")
    framer = Framer(FAMILIES["r200"])
    pieces = [(notice * 20)[at : at + 64] for at in range(0, 480, 64)]
    found = [each for _ in range(100) for piece in pieces for each in framer.feed(piece)]
    assert (len(frames(found)), len(found), framer.held) == (2000, 2000, 0)
