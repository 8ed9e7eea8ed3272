"""Where cards come to lie with fewer readers, unread cards, and a camera beside the readers."""

from typing import Any

import pytest

from engine.cards import BOARD, BURN, MUCK, SHOE, Place
from engine.events import BackSighted
from engine.watch import next_due, view
from tests.engine.felt import MS, Felt, seats
from tests.engine.landings import CARDS, ORDER, WHOLE, at_shoe, hands, is_over

SEATS = frozenset(seats("1 2 3"))


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


@pytest.mark.parametrize("lag_ms", [0, 399])
def test_the_back_of_a_card_that_is_turned_down_is_no_other_card(lag_ms: int) -> None:
    felt = Felt()
    felt.deal("S1")
    felt.at_ns += 10**9
    felt.deal("S2", "9h", up=True)
    felt.wait(2)
    before = felt.all()
    felt.lost("9h", "S2")
    felt.at_ns += lag_ms * MS
    felt.back_sighted("S2")
    felt.wait(2)
    assert felt.all() == before
    assert hands(felt)["S2"] == ("9h",)
    assert next_due(felt.watch) == ("S3", "down")


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
