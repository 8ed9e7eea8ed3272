"""Where cards come to lie, with slow readers, missing readers, and cards that nobody reads."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import BOARD, BURN, MUCK, SHOE, Place, Tag
from engine.events import BackSighted, TimePassed
from engine.watch import next_due, view
from tests.engine.felt import MS, Felt, book, seats

CARDS = ["As", "Ks", "Qs", "Js", "Ts", "9s"]
ORDER = ["S1", "S2", "S3", "S1", "S2", "S3"]
WHOLE = {"S1": ("As", "Js"), "S2": ("Ks", "Ts"), "S3": ("Qs", "9s")}
SEATS = frozenset(seats("1 2 3"))


def hands(felt: Felt) -> dict[str, tuple[str, ...]]:
    """Return which tags each hand holds, in the order they came."""
    return {place: tags for place, tags in felt.watch.table.hand.hands.items() if tags}


def is_over(felt: Felt) -> bool:
    return felt.watch.table.hand.is_deal_over


def at_shoe(felt: Felt, *cards: str, ms: int = 300) -> None:
    """Draw cards from the shoe, one after the other."""
    for card in cards:
        felt.at_ns += ms * MS
        felt.read(card, "shoe")


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


# ---------------------------------------------------------------- other sets of readers
def sensed(*readers: Place, **setup: Any) -> Felt:
    """Return a table with these readers alone."""
    return Felt(readers=frozenset(readers), **setup)


def test_with_a_shoe_alone_places_are_taken_from_the_plan() -> None:
    felt = sensed(SHOE, has_camera=False)
    due = []
    for card in CARDS:
        due.append(next_due(felt.watch))
        at_shoe(felt, card)
    assert [each[0] for each in due if each] == ORDER
    assert hands(felt) == WHOLE
    assert is_over(felt)
    assert all(card.is_inferred for card in felt.watch.table.hand.cards.values())
    assert felt.wait(5) == []


def test_with_a_shoe_alone_cards_after_the_deal_lie_nowhere() -> None:
    felt = sensed(SHOE, has_camera=False, actions="none")
    at_shoe(felt, *CARDS, "8s", "7s", "6s", "5s")
    felt.wait(5)
    assert hands(felt) == WHOLE
    assert felt.log == []


def test_with_a_shoe_alone_a_doubled_card_is_still_found() -> None:
    felt = sensed(SHOE, has_camera=False)
    at_shoe(felt, "As", "Ks", "As#2")
    assert felt.standing() == ["duplicate_card As -> deck_fouled final"]


def test_with_a_shoe_alone_a_foreign_card_is_found_where_the_plan_puts_it() -> None:
    felt = sensed(SHOE, has_camera=False)
    at_shoe(felt, "As", "X1")
    assert felt.standing() == ["foreign_card S2 -> floor open"]


def test_with_seats_alone_places_are_what_they_read() -> None:
    felt = sensed(*SEATS, BOARD, BURN, MUCK)
    for card, seat in zip(CARDS, ORDER, strict=True):
        felt.at_ns += 300 * MS
        felt.read(card, seat)
    assert hands(felt) == WHOLE
    assert is_over(felt)
    assert felt.log == []


def test_with_seats_alone_a_card_that_is_not_due_waits_for_one_that_may_be_told_late() -> None:
    felt = sensed(*SEATS)
    felt.at_ns = 10**9
    assert felt.read("Ks", "S2") == []
    felt.at_ns += 300 * MS
    assert felt.read("As", "S1") == []
    felt.wait(2)
    assert hands(felt) == {"S1": ("As",), "S2": ("Ks",)}
    assert felt.log == []


def test_with_seats_alone_the_first_card_is_found_misplaced_after_the_window() -> None:
    felt = sensed(*SEATS)
    felt.at_ns = 10**9
    felt.read("As", "S2")
    assert felt.wait(0.3) == []
    assert felt.wait(0.2) == ["first_card_misplaced As -> misdeal final"]


def test_with_seats_alone_a_third_card_is_one_too_many() -> None:
    felt = sensed(*SEATS)
    for card, seat in zip([*CARDS, "8s"], [*ORDER, "S2"], strict=True):
        felt.at_ns += 300 * MS
        felt.read(card, seat)
    assert felt.wait(0.5) == ["wrong_count S2 -> misdeal final"]


def test_with_a_shoe_and_some_seats_the_others_are_taken_from_the_plan() -> None:
    felt = sensed(SHOE, Place("S1"), Place("S3"))
    for card, seat in zip(CARDS, ORDER, strict=True):
        at_shoe(felt, card)
        if seat != "S2":
            felt.read(card, seat)
    felt.wait(5)
    assert hands(felt) == WHOLE
    assert felt.log == []


def test_with_a_camera_alone_backs_are_counted_and_are_no_fault_of_a_reader() -> None:
    felt = sensed()
    for n, seat in enumerate(ORDER, start=1):
        felt.at_ns = n * 500 * MS
        felt.back_sighted(seat)
    felt.wait(2)
    assert {p.place: p.cards for p in view(felt.watch).places if p.cards} == dict.fromkeys(WHOLE, 2)
    assert is_over(felt)
    assert felt.log == []


# ---------------------------------------------------------------- unread cards
def test_a_back_that_no_reader_names_in_time_is_an_unread_card_and_counts() -> None:
    felt = Felt()
    felt.deal("S1")
    felt.at_ns += 10**9
    felt.back_sighted("S2")
    assert felt.wait(0.4) == []
    assert felt.wait(0.1) == ["unread_card S2 -> noted final"]
    assert felt.watch.table.hand.unread == {"S2": 1}
    assert next_due(felt.watch) == ("S3", "down")


@pytest.mark.parametrize("lag_ms", [-399, -100, 0, 100, 399])
def test_a_back_and_a_read_within_the_window_are_one_card(lag_ms: int) -> None:
    felt = Felt()
    felt.deal("S1")
    felt.at_ns += 10**9
    felt.read("Ks", "shoe")
    back = BackSighted(at_ns=felt.at_ns + (400 + lag_ms) * MS, place=Place("S2"))
    felt.at_ns += 400 * MS
    if lag_ms < 0:
        felt.tell(back)
        felt.read("Ks", "S2")
    else:
        felt.read("Ks", "S2")
        felt.at_ns += lag_ms * MS
        felt.tell(back)
    felt.wait(2)
    assert felt.log == []
    assert hands(felt)["S2"] == ("Ks",)


def test_a_hand_whose_cards_were_not_all_read_is_not_short() -> None:
    felt = Felt()
    felt.round()
    felt.round("S1")
    felt.at_ns += 10**9
    felt.back_sighted("S2")
    felt.wait(1)
    felt.round("S3")
    felt.say("deal ends")
    felt.wait(2)
    assert felt.all() == ["unread_card S2 -> noted final"]


def test_a_face_that_no_reader_names_is_an_unread_card_with_its_face() -> None:
    felt = Felt()
    felt.deal("S1")
    felt.at_ns += 10**9
    felt.sighted("9h", "S2")
    assert felt.wait(0.5) == ["unread_card S2 9h -> noted final"]


def test_an_unread_card_that_is_read_later_is_not_counted_twice() -> None:
    felt = Felt()
    felt.deal("S1")
    felt.at_ns += 10**9
    felt.back_sighted("S2")
    felt.wait(1)
    felt.read("Ks", "S2")
    table = felt.watch.table
    assert len(table.hand.hands.get(Place("S2"), ())) + table.hand.unread.get(Place("S2"), 0) == 1


# ---------------------------------------------------------------- the camera and the readers
def test_a_face_and_a_read_of_one_card_are_one_card_whichever_comes_first() -> None:
    told = []
    for first in ("camera", "reader"):
        felt = Felt()
        felt.deal("S1")
        felt.deal("S2")
        felt.at_ns += 10**9
        felt.read("9h", "shoe")
        felt.at_ns += 100 * MS
        if first == "camera":
            felt.sighted("9h", "S3")
            felt.at_ns += 100 * MS
            felt.read("9h", "S3")
        else:
            felt.read("9h", "S3")
            felt.at_ns += 100 * MS
            felt.sighted("9h", "S3")
        felt.wait(2)
        told.append(felt.all())
    assert told == [["exposed_card S3 9h -> card_replaced final"]] * 2


def test_a_face_that_is_not_the_tags_is_a_mismatch_and_no_exposure() -> None:
    felt = Felt()
    felt.deal("S1", "9h")
    assert felt.sighted("9d", "S1", tag="9h") == ["face_mismatch 9h -> noted final"]


def test_a_face_with_the_tag_it_lies_on_is_an_exposure_of_that_card() -> None:
    felt = Felt()
    felt.deal("S1", "9h")
    assert felt.sighted("9h", "S1", tag="9h") == ["exposed_card S1 9h -> misdeal final"]


def test_a_face_that_could_not_be_read_is_known_by_its_tag() -> None:
    felt = Felt()
    felt.deal("S1", "9h")
    assert felt.sighted(None, "S1", tag="9h") == ["exposed_card S1 9h -> misdeal final"]


def test_the_same_card_seen_face_up_twice_is_one_exposure() -> None:
    felt = Felt()
    felt.deal("S1", "9h", up=True)
    felt.lost("9h", "S1")
    felt.at_ns += 10**9
    felt.sighted("9h", "S1")
    assert felt.all() == ["exposed_card S1 9h -> misdeal final"]


def test_a_face_at_the_mouth_of_the_shoe_is_a_boxed_card_whichever_comes_first() -> None:
    seen_first, read_first = Felt(), Felt()
    seen_first.sighted("9h", "shoe")
    seen_first.read("9h", "shoe")
    read_first.read("9h", "shoe")
    read_first.sighted("9h", "shoe")
    assert seen_first.all() == read_first.all()
    assert [told.split(" ->")[0] for told in seen_first.all()] == ["boxed_card 9h"]


def test_two_cards_that_leave_the_shoe_at_once_for_one_hand_are_stuck() -> None:
    felt = Felt()
    felt.at_ns += 10**9
    felt.read("As", "shoe")
    felt.read("Ks", "shoe")
    felt.at_ns += 20 * MS
    felt.read("As", "S1")
    felt.read("Ks", "S1")
    assert "stuck_cards" in [ruling.finding for ruling in felt.rulings.values()]


def test_a_card_that_falls_off_the_table_counts_for_the_hand_that_was_due_it() -> None:
    felt = Felt()
    felt.deal("S1")
    felt.deal("S2")
    felt.at_ns += 10**9
    felt.read("9h", "shoe")
    assert felt.sighted("9h", "floor") == ["exposed_card floor 9h -> floor open"]
    assert next_due(felt.watch) == ("S1", "down")


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
