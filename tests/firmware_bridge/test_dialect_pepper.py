"""Pepper C1 asked for many tags and for a tag's signature; more of it is in test_session.py."""

import pytest

from engine.cards import Tag
from firmware_bridge.dialects.dialect import Inventory
from firmware_bridge.dialects.pepper_c1 import PepperC1
from firmware_bridge.families import pepper_c1
from tests.firmware_bridge.wires import ICODES, converse, heard

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


COUNT = COUNT_2[0]
FIRST, NEXT = X("f50400fbff9000e405"), X("f50400fbff9100d536")  # pepper_c1-025, and the next
NO_REPLY = b"\xff\x90\x01\x00"


def counted(number: int) -> tuple[bytes, bytes]:
    return COUNT, pepper_c1.frame(bytes([0x00, 0x02, number]))


def listed(*tags: Tag, is_whole: bool = True) -> list[tuple[bytes, bytes]]:
    """Return what is asked and answered in a list of tags."""
    exchanges = []
    for number, tag in enumerate(tags):
        command, ask = (0x91, NEXT) if number else (0x90, FIRST)
        more = number < len(tags) - 1 or not is_whole
        answer = bytes([0x00, command]) + X(tag)[::-1] + bytes([0x00, more])
        exchanges.append((ask, pepper_c1.frame(answer)))
    return exchanges


def ask(dialect: PepperC1, *exchanges: tuple[bytes, bytes]) -> Inventory:
    """Lead one inventory of antenna 4 by its exchanges, the switch to it left out."""
    found, unfit = converse(dialect.inventory(4), pepper_c1.FAMILY, [ANTENNA_4, *exchanges])
    assert unfit == []
    return found


def test_where_more_were_listed_than_can_be_counted_they_are_listed_at_once() -> None:
    dialect = PepperC1()
    five, seven = ICODES[:5], ICODES[:7]
    assert ask(dialect, counted(5), *listed(*seven)) == heard(seven, is_complete=True)
    assert ask(dialect, *listed(*five)) == heard(five, is_complete=True)
    assert ask(dialect, *listed(*ICODES[:4])) == heard(ICODES[:4], is_complete=True)
    assert ask(dialect, counted(5), *listed(*five)) == heard(five, is_complete=True)


def test_another_antenna_is_counted_first_all_the_same() -> None:
    dialect = PepperC1()
    ask(dialect, counted(5), *listed(*ICODES[:5]))
    antenna_1 = (pepper_c1.set_antenna(1), pepper_c1.frame(b"\x00\x0f"))
    exchanges = [antenna_1, counted(0)]
    found, _ = converse(dialect.inventory(1), pepper_c1.FAMILY, exchanges)
    assert found == Inventory(is_complete=True)


def test_only_the_count_says_that_none_of_many_is_left() -> None:
    dialect = PepperC1()
    ask(dialect, counted(5), *listed(*ICODES[:5]))
    nobody = (FIRST, pepper_c1.frame(NO_REPLY))
    assert ask(dialect, nobody, counted(0)) == Inventory(is_complete=True)
    assert ask(dialect, counted(0)) == Inventory(is_complete=True)


def test_a_list_that_breaks_off_is_a_part() -> None:
    dialect = PepperC1()
    ask(dialect, counted(5), *listed(*ICODES[:6]))
    broken = [*listed(*ICODES[:2], is_whole=False), (NEXT, pepper_c1.frame(b"\xff\x91\x01\x00"))]
    assert ask(dialect, *broken) == heard(ICODES[:2])
