"""Pepper C1 asked for a tag's signature; its inventories are tried in test_session.py."""

import pytest

from engine.cards import Tag
from firmware_bridge.dialects.pepper_c1 import PepperC1
from firmware_bridge.families import pepper_c1
from tests.firmware_bridge.wires import converse

X = bytes.fromhex
TAG, OTHER = Tag("E00401082AD28E83"), Tag("E00401087A1B2C3D")
SIGNATURE = bytes(range(32))

ANTENNA_4 = (X("f50400fbff0f04b54d"), pepper_c1.frame(b"\x00\x0f"))  # pepper_c1-024
COUNT_2 = (X("f50300fcff02b2c1"), pepper_c1.frame(b"\x00\x02\x02"))  # pepper_c1-011
UID_0 = X("f50400fbff03005c48")  # pepper_c1-014
UID_1 = pepper_c1.get_uid(1)
ACTIVATE_1 = pepper_c1.activate(1)
SIGN = X("f50300fcffa933c5")


def card(tag: Tag) -> bytes:
    return pepper_c1.frame(b"\x00\x03\x27\x00" + X(tag))


@pytest.mark.parametrize(
    ("told", "signature"),
    [
        (b"\x00\xa9" + SIGNATURE, SIGNATURE),
        (b"\xff\xa9\x01\x00", b""),
    ],
)
def test_the_tag_is_found_made_the_active_one_and_asked(told: bytes, signature: bytes) -> None:
    exchanges = [
        ANTENNA_4,
        COUNT_2,
        (UID_0, card(OTHER)),
        (UID_1, card(TAG)),
        (ACTIVATE_1, pepper_c1.frame(b"\x00\x04")),
        (SIGN, pepper_c1.frame(told)),
    ]
    dialog = PepperC1().read_signature(4, TAG)
    assert converse(dialog, pepper_c1.FAMILY, exchanges) == (signature, [])


def test_a_tag_that_is_not_counted_gives_none() -> None:
    exchanges = [ANTENNA_4, COUNT_2, (UID_0, card(OTHER)), (UID_1, card(OTHER))]
    dialog = PepperC1().read_signature(4, TAG)
    assert converse(dialog, pepper_c1.FAMILY, exchanges) == (b"", [])


def test_an_antenna_that_is_refused_gives_none() -> None:
    exchanges = [(ANTENNA_4[0], pepper_c1.frame(b"\xff\x0f\x21\x00"))]
    dialog = PepperC1().read_signature(4, TAG)
    assert converse(dialog, pepper_c1.FAMILY, exchanges) == (b"", [])
