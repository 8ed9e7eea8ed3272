import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.families import iso15693

# Source: rfid/vectors iso15693_air-194 to 202.


@pytest.mark.parametrize(
    ("request_body", "wire"),
    [
        (iso15693.inventory(is_one_slot=True), "260100f60a"),
        (iso15693.inventory(), "060100cd09"),
        (iso15693.inventory(is_one_slot=True, afi=0x90), "3601900037b8"),
        (iso15693.read_signature("E0040150B59414C4"), "22bd04c41494b5500104e0a212"),
    ],
)
def test_a_request_and_its_checksum_are_as_on_the_air(request_body: bytes, wire: str) -> None:
    assert iso15693.sealed(request_body).hex() == wire


def test_an_inventory_answer_gives_the_uid_most_significant_byte_first() -> None:
    answer = iso15693.read_answer(bytes.fromhex("0000c41494b5500104e0"))
    assert iso15693.read_inventory(answer) == "E0040150B59414C4"


@pytest.mark.parametrize(
    ("wire", "error"),
    [("010f68ee", "0F: unknown error"), ("01101e06", "10: block not available")],
)
def test_an_error_answer_says_why_and_gives_no_uid(wire: str, error: str) -> None:
    data = bytes.fromhex(wire)
    answer = iso15693.read_answer(data[:-2])
    assert (iso15693.is_sealed(data), answer.error, iso15693.read_inventory(answer)) == (
        True,
        error,
        None,
    )


@given(st.binary(max_size=40))
def test_no_answer_raises(body: bytes) -> None:
    answer = iso15693.read_answer(body)
    assert (iso15693.read_inventory(answer) is not None) is (len(body) == 10 and not body[0] & 1)


@given(st.binary(min_size=1, max_size=40), st.integers(0, 319))
def test_one_flipped_bit_breaks_the_seal(body: bytes, bit: int) -> None:
    data = bytearray(iso15693.sealed(body))
    at = bit % (8 * len(data))
    data[at // 8] ^= 1 << at % 8
    assert not iso15693.is_sealed(bytes(data))
