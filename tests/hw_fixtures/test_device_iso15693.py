"""What tags answer to a request that a reader passes on, and what the bridge reads in it."""

import pytest

from engine.cards import Tag
from firmware_bridge.families import iso15693 as bridge
from hw_fixtures.devices.iso15693 import SIGNATURES, answer, turn_uid

ONE, TWO = Tag("E00401087A1B2C3D"), Tag("E004015095F5F500")
ONE_LSB = "3d2c1b7a080104e0"
SIGNED, SIGNATURE = next(iter(SIGNATURES.items()))


@pytest.mark.parametrize(
    ("tags", "request_", "said"),
    [
        ((), "022000", None),
        ((ONE,), "02", None),
        ((ONE,), "022000", "00" + "00000000"),
        ((ONE,), "422000", "00" + "00" + "00000000"),
        ((ONE,), "02230001", "00" + "00000000" * 2),
        ((ONE,), "022300", "0101"),
        ((ONE,), "022100" + "11223344", "0112"),
        ((ONE,), "022b", "000f" + ONE_LSB + "0000" + "4f0301"),
        ((ONE,), "02bd04", "0101"),
        ((SIGNED,), "02bd04", "00" + SIGNATURE.hex()),
        ((ONE, TWO), "022000", None),  # they answer at once
        ((ONE, TWO), "2220" + ONE_LSB + "00", "00" + "00000000"),
        ((TWO,), "2220" + ONE_LSB + "00", None),
        ((ONE, TWO), "22bd04" + ONE_LSB, "0101"),
    ],
)
def test_a_request_is_answered_by_the_one_tag_that_it_reaches(
    tags: tuple[Tag, ...], request_: str, said: str | None
) -> None:
    answered = answer(tags, bytes.fromhex(request_))
    assert (answered.hex() if answered is not None else None) == said


@pytest.mark.parametrize(
    ("request_", "turned"),
    [
        ("2220" + ONE + "05", "2220" + ONE_LSB + "05"),
        ("22bd04" + ONE, "22bd04" + ONE_LSB),
        ("022005", "022005"),
        ("22", "22"),
    ],
)
def test_the_uid_of_a_request_can_be_turned(request_: str, turned: str) -> None:
    assert turn_uid(bytes.fromhex(request_)).hex() == turned


@pytest.mark.parametrize("tag", SIGNATURES)
def test_the_bridge_asks_for_a_signature_and_reads_it(tag: Tag) -> None:
    said = answer((ONE, tag), bridge.read_signature(tag))
    assert said is not None
    assert bridge.read_answer(said) == bridge.Answer(SIGNATURES[tag])
