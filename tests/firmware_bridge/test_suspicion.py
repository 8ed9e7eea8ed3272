"""Which tags are asked for their signature, and what their answers make of them."""

import json
from pathlib import Path

import pytest

from engine.cards import PACK, Card, Pack, Tag, TaggedCard
from firmware_bridge.register import Register
from firmware_bridge.suspicion import MOST_TRIES, Verifier

NINE, KING, ACE = Tag("E00401086FC2621F"), Tag("E00401082AD28E83"), Tag("E0040150000000E0")
BLUE = Pack(
    "blue",
    tuple(TaggedCard(t, Card(c)) for t, c in ((NINE, "9h"), (KING, "Kd"), (ACE, "As"))),
)
SIGNED = {NINE: b"nine", KING: b"king"}


def register() -> Register:
    return Register([BLUE], SIGNED)


def test_each_registered_tag_on_the_pad_is_asked_once_and_those_without_a_signature_never() -> None:
    verifier = Verifier(register())
    asked = []
    while (tag := verifier.next_tag([ACE, NINE, KING])) is not None:
        asked.append(tag)
        assert verifier.take(tag, SIGNED[tag], PACK, 7) is None
    assert asked == [NINE, KING]


def test_bugs_49_a_tag_that_gives_another_signature_is_a_forgery_and_foreign_from_then_on() -> None:
    known = register()
    verifier = Verifier(known)
    suspicion = verifier.take(NINE, b"another", PACK, 7)
    assert suspicion is not None
    assert (suspicion.tag, suspicion.places, suspicion.at_ns) == (NINE, (PACK,), 7)
    assert suspicion.why == (
        "a tag gives another signature than the registered one: it is a forgery"
    )
    assert known.lookup(NINE) is None
    assert known.lookup(KING) is not None
    assert verifier.next_tag([NINE]) is None


def test_a_tag_that_gives_none_is_asked_again_after_the_others_then_said_and_stays() -> None:
    known = register()
    verifier = Verifier(known)
    assert verifier.take(NINE, b"", PACK, 0) is None
    assert verifier.next_tag([NINE, KING]) == KING
    told = [verifier.take(NINE, b"", PACK, n) for n in range(1, MOST_TRIES)]
    assert told[:-1] == [None] * (MOST_TRIES - 2)
    assert told[-1] is not None
    assert told[-1].why == "a tag that was registered with a signature gave none in 5 tries"
    assert verifier.next_tag([NINE]) is None
    assert known.lookup(NINE) is not None


def test_a_pack_that_comes_back_to_the_pad_is_asked_anew() -> None:
    verifier = Verifier(register())
    verifier.take(NINE, SIGNED[NINE], PACK, 0)
    verifier.take(KING, b"", PACK, 0)
    verifier.forget()
    assert verifier.next_tag([NINE]) == NINE
    for _ in range(MOST_TRIES - 1):
        assert verifier.take(KING, b"", PACK, 0) is None


SAMPLES = [
    vector
    for line in Path(__file__).with_name("vectors.jsonl").read_text("utf-8").splitlines()
    if (vector := json.loads(line))["family"].startswith("originality")
]


@pytest.mark.parametrize("vector", [v for v in SAMPLES if "expect" not in v], ids=lambda v: v["id"])
def test_the_public_samples_are_no_suspicion(vector: dict[str, str]) -> None:
    tag, signature = Tag(vector["uid"]), bytes.fromhex(vector["hex"])
    pack = Pack("one", (TaggedCard(tag, Card("9h")),))
    verifier = Verifier(Register([pack], {tag: signature}))
    assert verifier.next_tag([tag]) == tag
    assert verifier.take(tag, signature, PACK, 0) is None
