"""Cards, places and packs: what a code names, and what names nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import (
    FULL_PACK,
    HANDS,
    JOKER,
    PLACES,
    Card,
    Pack,
    Place,
    Tag,
    TaggedCard,
    is_card_code,
    parse_card,
    parse_place,
    seat_number,
    seat_place,
)
from engine.errors import CardError, EngineError, PlaceError

RANKS, SUITS = "23456789TJQKA", "shdc"


def test_a_full_pack_has_every_rank_of_every_suit_once() -> None:
    assert sorted(FULL_PACK) == sorted(rank + suit for rank in RANKS for suit in SUITS)


@pytest.mark.parametrize("code", ["As", "Td", "2c", "9h", "JK"])
def test_a_card_code_names_a_card(code: str) -> None:
    assert parse_card(code) == code


@pytest.mark.parametrize("text", ["", "9", "h9", "10h", "9H", "9x", "1s", " 9h", "9hh", "X", "?"])
def test_what_is_no_card_code_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(CardError, match="is no card") as caught:
        parse_card(text)
    assert caught.value.text == text


@given(st.text(max_size=3) | st.sampled_from([*FULL_PACK, JOKER]))
def test_a_text_is_a_card_code_exactly_where_it_can_be_parsed(text: str) -> None:
    try:
        parsed = parse_card(text) == text
    except CardError:
        parsed = False
    assert is_card_code(text) == parsed


@pytest.mark.parametrize(
    "word", ["S1", "S10", "D", "P", "B", "board", "burn", "muck", "rack", "stub", "floor", "shoe",
             "pack"]
)  # fmt: skip
def test_a_word_names_a_place(word: str) -> None:
    assert parse_place(word) == word


@pytest.mark.parametrize("text", ["", "S0", "S11", "s1", "S01", "seat 1", "Board", "d"])
def test_what_names_no_place_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(PlaceError, match="is no place") as caught:
        parse_place(text)
    assert caught.value.text == text


def test_the_errors_of_cards_and_places_are_value_errors_of_the_engine() -> None:
    assert issubclass(CardError, EngineError)
    assert issubclass(CardError, ValueError)
    assert issubclass(PlaceError, EngineError)
    assert issubclass(PlaceError, ValueError)


@pytest.mark.parametrize("number", range(1, 11))
def test_a_seat_has_its_number_and_a_number_its_seat(number: int) -> None:
    assert seat_number(seat_place(number)) == number


@pytest.mark.parametrize("number", [-1, 0, 11])
def test_no_table_has_a_seat_below_one_or_above_ten(number: int) -> None:
    with pytest.raises(PlaceError):
        seat_place(number)


@pytest.mark.parametrize("place", sorted(PLACES - {seat_place(n) for n in range(1, 11)}))
def test_what_is_no_numbered_seat_has_no_number(place: Place) -> None:
    assert seat_number(place) is None


def test_hands_lie_at_seats_and_at_three_named_places() -> None:
    assert {Place(f"S{n}") for n in range(1, 11)} | {"D", "P", "B"} == HANDS


def test_a_spare_is_registered_and_is_no_part_of_the_pack() -> None:
    nine = TaggedCard(Tag("A1"), Card("9h"))
    spare = TaggedCard(Tag("A2"), Card("9h"), spare=True)
    assert Pack("blue", (nine, spare)).own_tags() == {"A1"}
