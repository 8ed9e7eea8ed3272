import json
from pathlib import Path

import pytest

from engine.cards import Tag
from firmware_bridge.authenticity import Verdict, check_signature, has_signature

VECTORS = [
    vector
    for line in Path(__file__).with_name("vectors.jsonl").read_text("utf-8").splitlines()
    if (vector := json.loads(line))["family"].startswith("originality")
]


def canonical(vector: dict[str, str]) -> Tag:
    """The vectors give an ICODE's UID as it is signed: last byte first."""
    uid = bytes.fromhex(vector["uid"])
    return Tag((uid[::-1] if len(uid) == 8 else uid).hex().upper())


@pytest.mark.parametrize("vector", [v for v in VECTORS if "expect" not in v], ids=lambda v: v["id"])
def test_every_public_sample_is_genuine(vector: dict[str, str]) -> None:
    assert check_signature(canonical(vector), bytes.fromhex(vector["hex"])) == "genuine"


def test_a_signature_shown_with_the_uid_in_the_wrong_order_is_not_genuine() -> None:
    (vector,) = [v for v in VECTORS if "expect" in v]
    assert check_signature(canonical(vector), bytes.fromhex(vector["hex"])) != "genuine"


@pytest.mark.parametrize(
    ("tag", "signature", "verdict"),
    [
        ("E0040118009B5FEF", VECTORS[4]["hex"], "forged"),
        ("E0040118009B5FEE", "00" * 32, "forged"),
        ("E0040118009B5FEE", "", "forged"),
        ("E0040118009B5FEE", "FF" * 56, "forged"),
        ("04E10CDA993C80", "01" * 56, "forged"),
        ("E0040150954F02B1", VECTORS[4]["hex"], "unknown"),
        ("E00700001B37BD3F", VECTORS[4]["hex"], "unknown"),
        ("083F6C4A", VECTORS[4]["hex"], "unknown"),
    ],
)
def test_what_does_not_fit_is_forged_and_what_cannot_sign_is_unknown(
    tag: str, signature: str, verdict: Verdict
) -> None:
    assert check_signature(Tag(tag), bytes.fromhex(signature)) == verdict


@pytest.mark.parametrize(
    ("tag", "signs"),
    [
        ("E00401082AD28E83", True),  # ICODE SLIX2
        ("E0040118009B5FEE", True),  # ICODE DNA
        ("E0040150954F02B1", False),  # ICODE SLIX
        ("E0040100954F02B1", False),  # ICODE SLI
        ("E0040208954F02B1", False),  # ICODE SLI-S
        ("E01680FF08004FBC", False),  # EM Microelectronic
        ("04E10CDA993C80", True),  # NTAG
        ("11223344", False),
    ],
)
def test_only_chips_that_sign_are_asked_for_a_signature(tag: str, signs: bool) -> None:
    assert has_signature(Tag(tag)) is signs
