"""Where cards come to lie, with slow readers and cards that no seat reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Tag
from engine.events import TimePassed
from tests.engine.felt import MS, Felt, book
from tests.engine.landings import CARDS, ORDER, WHOLE, at_shoe, hands, is_over


# ---------------------------------------------------------------- slow readers
def test_a_card_lies_where_it_is_read_after_the_shoe() -> None:
    felt = Felt()
    felt.round()
    felt.round()
    assert hands(felt) == WHOLE
    assert is_over(felt)
    assert felt.log == []


def test_a_card_that_is_read_before_the_one_dealt_before_it_waits_for_it() -> None:
    felt = Felt()
    at_shoe(felt, "As", "Ks")
    felt.read("Ks", "S2")
    assert hands(felt) == {}
    felt.read("As", "S1")
    assert hands(felt) == {"S1": ("As",), "S2": ("Ks",)}
    assert felt.log == []


@given(st.lists(st.integers(0, 400), min_size=6, max_size=6), st.sampled_from([150, 300, 450]))
def test_slow_seats_change_nothing_whatever_the_order_in_which_they_read(
    lags_ms: list[int], pace_ms: int
) -> None:
    felt = Felt()
    told = []
    for n, (card, seat, lag_ms) in enumerate(zip(CARDS, ORDER, lags_ms, strict=True), start=1):
        told.append((n * pace_ms, "shoe", card))
        told.append((n * pace_ms + 20 + lag_ms, seat, card))
    for at_ms, place, card in sorted(told):
        felt.at_ns = at_ms * MS
        felt.read(card, place)
    assert hands(felt) == WHOLE
    assert felt.wait(5) == []
    assert felt.log == []


@given(st.permutations(range(6)))
def test_the_shoe_may_be_told_later_than_the_seats(order: list[int]) -> None:
    """A seat's read may overtake the shoe's; each sensor by itself tells in order."""
    felt = Felt()
    shoe = iter(CARDS)
    for at in order:
        card = next(shoe)
        felt.at_ns += 50 * MS
        if at % 2:
            felt.read(card, ORDER[CARDS.index(card)])
            felt.read(card, "shoe")
        else:
            felt.read(card, "shoe")
            felt.read(card, ORDER[CARDS.index(card)])
    felt.wait(5)
    assert hands(felt) == WHOLE
    assert felt.log == []


def test_a_short_hand_is_not_found_while_its_card_may_still_be_on_its_way() -> None:
    felt = Felt()
    at_shoe(felt, *CARDS)
    for card, seat in zip(CARDS[:5], ORDER, strict=False):
        felt.read(card, seat)
    felt.say("deal ends")
    assert felt.log == []
    felt.read("9s", "S3")
    felt.wait(5)
    assert felt.log == []
    assert hands(felt) == WHOLE


def test_burn_and_board_end_the_deal_though_a_seat_is_slow() -> None:
    felt = Felt(actions="none")
    at_shoe(felt, *CARDS)
    for card, seat in zip(CARDS[:5], ORDER, strict=False):
        felt.read(card, seat)
    at_shoe(felt, "8s", ms=100)
    felt.read("8s", "burn")
    felt.at_ns += 100 * MS
    felt.read("9s", "S3")
    felt.wait(5)
    assert hands(felt) == WHOLE
    assert felt.log == []


# ---------------------------------------------------------------- cards that nobody reads
def test_a_card_that_no_seat_reads_is_placed_by_the_plan_once_two_later_ones_have_landed() -> None:
    felt = Felt()
    at_shoe(felt, "As", "Ks", "Qs")
    felt.read("Ks", "S2")
    felt.read("Qs", "S3")
    assert hands(felt) == {"S1": ("As",), "S2": ("Ks",), "S3": ("Qs",)}
    assert felt.watch.table.hand.cards[Tag("As")].is_inferred
    assert felt.log == []


def test_the_last_card_of_the_deal_is_placed_by_the_plan_after_two_seconds() -> None:
    felt = Felt()
    at_shoe(felt, *CARDS)
    for card, seat in zip(CARDS[:5], ORDER, strict=False):
        felt.read(card, seat)
    felt.wait(1.9)
    assert not is_over(felt)
    felt.wait(0.2)
    assert is_over(felt)
    assert hands(felt) == WHOLE
    assert felt.log == []


@pytest.mark.parametrize("missed", range(6))
def test_any_one_card_may_be_missed_by_its_seat(missed: int) -> None:
    felt = Felt()
    for n, (card, seat) in enumerate(zip(CARDS, ORDER, strict=True)):
        at_shoe(felt, card)
        if n != missed:
            felt.read(card, seat)
    felt.wait(3)
    assert hands(felt) == WHOLE
    assert felt.log == []


def test_a_card_that_was_placed_by_the_plan_is_read_late_where_it_lies() -> None:
    felt = Felt()
    at_shoe(felt, "As", "Ks", "Qs")
    felt.read("Ks", "S2")
    felt.read("Qs", "S3")
    felt.read("As", "S1")
    assert hands(felt)["S1"] == ("As",)
    assert not felt.watch.table.hand.cards[Tag("As")].is_inferred
    assert felt.log == []


def test_a_card_that_was_placed_by_the_plan_and_is_read_elsewhere_lies_there() -> None:
    felt = Felt()
    at_shoe(felt, "As", "Ks", "Qs")
    felt.read("Ks", "S2")
    felt.read("Qs", "S3")
    felt.read("As", "S2")
    assert hands(felt) == {"S2": ("Ks", "As"), "S3": ("Qs",)}


# ---------------------------------------------------------------- read twice, lifted, moved
def dealt() -> Felt:
    felt = Felt()
    felt.round()
    felt.round()
    return felt


def test_the_same_read_again_changes_nothing() -> None:
    felt = dealt()
    before = felt.watch.table
    felt.read("As", "S1")
    felt.read("As", "shoe")
    assert felt.watch.table == before


def test_a_tag_that_is_read_elsewhere_and_again_where_it_lies_is_cross_read() -> None:
    felt = dealt()
    assert felt.read("As", "S2") == []
    assert felt.read("As", "S1") == ["cross_read As -> noted final"]
    assert hands(felt) == WHOLE


def test_a_tag_that_is_read_elsewhere_and_then_gone_from_there_lies_where_it_lay() -> None:
    felt = dealt()
    felt.read("As", "S2")
    felt.gone("As", "S2")
    assert hands(felt) == WHOLE


def test_a_tag_that_is_read_elsewhere_and_gone_from_its_place_has_moved() -> None:
    felt = dealt()
    felt.read("As", "S2")
    felt.gone("As", "S1")
    assert felt.log == []
    assert hands(felt) == {"S1": ("Js",), "S2": ("Ks", "Ts", "As"), "S3": ("Qs", "9s")}


def test_a_card_that_is_lifted_and_laid_back_is_no_move() -> None:
    felt = dealt()
    before = felt.watch.table.hand.cards[Tag("As")]
    felt.gone("As", "S1")
    felt.at_ns += 10**9
    felt.read("As", "S1")
    assert felt.watch.table.hand.cards[Tag("As")] == before
    assert hands(felt) == WHOLE
    assert felt.log == []


def test_a_card_that_is_lifted_is_still_of_its_hand() -> None:
    felt = dealt()
    felt.gone("As", "S1")
    assert hands(felt) == WHOLE


def test_a_card_that_slid_over_and_came_back_before_play_went_on_gives_no_count() -> None:
    felt = dealt()
    felt.move("As", "S1", "S2")
    felt.move("As", "S2", "S1")
    felt.say("act S1 call")
    felt.wait(3)
    assert felt.log == []


def test_a_card_that_stays_at_another_hand_is_counted_there_when_play_goes_on() -> None:
    felt = dealt()
    felt.move("As", "S1", "S2")
    assert felt.log == []
    felt.say("act S1 call")
    assert "wrong_count S2 -> misdeal final" in felt.standing()


def test_a_hand_that_is_mucked_whole_has_folded() -> None:
    felt = dealt()
    felt.move("As", "S1", "muck")
    assert "S1" not in felt.watch.table.hand.betting.folded
    felt.move("Js", "S1", "muck")
    assert "S1" in felt.watch.table.hand.betting.folded
    assert felt.log == []


def test_what_is_gone_from_a_place_where_it_never_was_changes_nothing() -> None:
    felt = dealt()
    before = felt.watch.table
    felt.gone("As", "S3")
    felt.gone("2c", "S3")
    assert felt.watch.table == before


# ---------------------------------------------------------------- time
def test_time_that_runs_backwards_changes_no_clock() -> None:
    felt = Felt()
    felt.wait(5)
    felt.tell(TimePassed(at_ns=1))
    assert felt.watch.table.now_ns == 5 * 10**9


def test_a_table_kept_from_before_an_event_stays_what_it_was() -> None:
    felt = Felt()
    felt.deal("S1")
    before = felt.watch
    shown = repr(before.table)
    felt.round("S2 S3")
    felt.round()
    assert repr(before.table) == shown


def test_a_five_is_no_card_of_a_short_deck() -> None:
    felt = Felt("shortdeck", book())
    assert felt.deal("S1", "5s") == ["nonstandard_card 5s -> misdeal final"]
