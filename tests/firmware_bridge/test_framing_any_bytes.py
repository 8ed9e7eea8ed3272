"""What holds for the framing of every family on any bytes at all."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

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
DIRECTIONS: list[Direction] = ["rx", "tx"]

# A fifth of what the profile asks for: each search runs for every family and both directions.
SOME = settings(max_examples=settings().max_examples // 5)

Vector = dict[str, str]
Found = list[Frame | Noise]


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


@pytest.mark.parametrize("name", FAMILIES)
@SOME
@given(data=st.data(), prefix=st.binary(max_size=64))
def test_a_frame_comes_out_behind_any_noise(name: str, data: st.DataObject, prefix: bytes) -> None:
    """Bug 18: up to 64 random bytes in front."""
    vectors = [vector for vector in GOOD if vector["family"] == name]
    if not vectors:
        return
    vector = data.draw(st.sampled_from(vectors))
    frame = bytes.fromhex(vector["hex"])
    wanted = shifted(frames(run(framer_of(vector), [frame])), len(prefix))
    found = run(framer_of(vector), [prefix + frame])
    assert set(wanted) <= set(frames(found)) or has_own_frame(found, len(prefix))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("direction", DIRECTIONS)
@SOME
@given(pieces=st.lists(st.binary(max_size=200), max_size=12))
@example(pieces=[b"\x00" * 600])
@example(pieces=[b"\xff" * 600])
@example(pieces=[b"\xf5\x00\x02\xff\xfd" * 200])
@example(pieces=[b"A" * 3000])
@example(pieces=[b"\x02" * 3000])
@example(pieces=[b"E0040150954F02B1\r" * 300])
@example(pieces=[b"[,40]\r\n" * 300])
def test_any_bytes_are_told_once_and_held_within_bounds(
    name: str, direction: Direction, pieces: list[bytes]
) -> None:
    """Bugs 18, 25: never raises, each byte is in one frame or one run, buffers are bounded."""
    family = FAMILIES[name]
    framer = Framer(family, direction)
    found: Found = []
    for piece in pieces:
        found += framer.feed(piece)
        assert framer.held < family.max_frame
    found += framer.flush()
    ends = [0]
    for each in found:
        assert each.offset == ends[-1]
        ends.append(each.offset + (len(each.data) if isinstance(each, Frame) else each.length))
    assert (ends[-1], framer.held) == (sum(map(len, pieces)), 0)
    assert not any(isinstance(a, Noise) and isinstance(b, Noise) for a, b in pairwise(found))


def mixed_stream(family: str, direction: Direction) -> st.SearchStrategy[bytes]:
    """Streams of frames, pieces of frames, damaged frames and noise."""
    known = [
        bytes.fromhex(vector["hex"])
        for vector in VECTORS
        if (vector["family"], vector["direction"]) == (family, direction)
    ]
    noise = st.binary(max_size=12)
    if not known:
        return noise
    whole = st.sampled_from(known)
    piece = st.tuples(whole, st.integers(0, 80), st.integers(0, 80)).map(
        lambda cut: cut[0][cut[1] : cut[1] + cut[2]]
    )
    damaged = st.tuples(whole, st.integers(0, 2000)).map(
        lambda at: bytes(b ^ (i == at[1] % len(at[0])) << 3 for i, b in enumerate(at[0]))
    )
    return st.lists(st.one_of(whole, piece, damaged, noise), max_size=6).map(b"".join)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("direction", DIRECTIONS)
@SOME
@given(data=st.data())
def test_a_mixed_stream_gives_the_same_however_it_is_cut(
    name: str, direction: Direction, data: st.DataObject
) -> None:
    stream = data.draw(mixed_stream(name, direction))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[a:b] for a, b in pairwise([0, *cuts, len(stream)])]
    family = FAMILIES[name]
    assert run(Framer(family, direction), pieces) == run(Framer(family, direction), [stream])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("direction", DIRECTIONS)
@SOME
@given(data=st.data())
def test_a_verdict_holds_whatever_bytes_follow(
    name: str, direction: Direction, data: st.DataObject
) -> None:
    """This is why cuts do not matter: only "needs more" may be revised."""
    family = FAMILIES[name]
    stream = data.draw(mixed_stream(name, direction))[: family.max_frame]
    verdicts = [family.measure(stream[:end], direction) for end in range(1, len(stream) + 1)]
    settled = [verdict for verdict in verdicts if not verdict.needs_more]
    first = next((at for at, verdict in enumerate(verdicts) if not verdict.needs_more), 0)
    assert len(set(settled)) <= 1
    assert not settled or len(settled) == len(verdicts) - first
