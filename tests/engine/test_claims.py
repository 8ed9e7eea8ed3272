"""Claims: who may make one and until when, what upholds it, what answers it."""

import pytest

from engine.docket import Until
from engine.judging import Ask
from tests.engine.books import laws, only


# ---------------------------------------------------------------- claims
def test_a_ruling_that_is_left_to_a_claim_is_open_and_names_who_may_claim() -> None:
    played = laws("shuffle none", "round S1 S2")
    ruling = only(played, "not_shuffled")
    assert (ruling.verdict, ruling.state, ruling.decider) == ("misdeal", "open", "claim")
    assert ruling.callable_by == ("S1", "S2", "S3", "S4")
    assert ruling.until == Until("second_round")
    assert ruling.next_dealer == "S1"


def test_a_claim_of_one_who_may_claim_makes_the_ruling_final() -> None:
    played = laws("shuffle none", "round S1 S2", "call misdeal S2")
    assert played.all() == ["not_shuffled -> misdeal final"]


def test_a_ruling_that_was_upheld_stays_whatever_comes_after() -> None:
    played = laws("shuffle none", "round S1 S2", "call misdeal S2", "round S3 S4", "round S1")
    assert played.standing() == ["not_shuffled -> misdeal final"]


def test_who_has_looked_may_not_claim() -> None:
    played = laws("shuffle none", "round S1 S2", "look S2")
    assert only(played, "not_shuffled").callable_by == ("S1", "S3", "S4")


def test_the_operators_word_on_who_has_looked_goes_before_what_was_seen() -> None:
    played = laws("shuffle none", "round S1 S2", "look S2", "say looked S2 no", "say looked S1 yes")
    assert only(played, "not_shuffled").callable_by == ("S2", "S3", "S4")


def test_who_interfered_may_not_claim() -> None:
    played = laws("shuffle none", "round S1 S2", "say interfered S4")
    assert only(played, "not_shuffled").callable_by == ("S1", "S2", "S3")


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        (("round S1 S2", "call misdeal S1"), "claim S1 -> no_ground final"),
        (("cut 4/48", "round S1 S2", "call misdeal S1"), "claim S1 -> no_ground final"),
        (("shuffle none", "round S1 S2", "call redeal S1"), "claim S1 -> no_ground final"),
        (
            ("shuffle none", "round S1 S2", "look S1", "call misdeal S1"),
            "claim S1 -> not_eligible final",
        ),
        (("shuffle none", "round", "round S1", "call misdeal S1"), "claim S1 -> deal_stands final"),
        (("cut 4/48", "round", "round S1", "call redeal S1"), "claim S1 -> deal_stands final"),
    ],
)
def test_a_claim_that_is_not_upheld_is_answered(events: tuple[str, ...], answer: str) -> None:
    assert laws(*events).told[-1][-1:] == [answer]


def test_an_answer_cites_the_clause_on_claims_and_says_why() -> None:
    ruling = only(laws("round S1 S2", "call misdeal S1"), "claim")
    assert ruling.cite == ("L-M0",)
    assert ruling.because == "Seat 1 claims a misdeal. The answer is: no ground."


def test_a_second_claim_on_a_deal_that_is_off_changes_nothing() -> None:
    played = laws("shuffle none", "round S1 S2", "call misdeal S2", "call misdeal S3")
    assert played.told[-1] == []


def test_a_claim_that_nobody_made_expires_with_its_window() -> None:
    played = laws("shuffle none", "round", "round S1")
    assert played.all() == ["not_shuffled -> misdeal expired"]
    assert only(played, "not_shuffled").callable_by == ()


def test_where_the_book_says_what_then_holds_a_new_ruling_takes_its_place() -> None:
    played = laws("round", "round S2", frame="dealer = 1\ndue_dealer = 4")
    assert played.all() == [
        "dealer_out_of_turn -> redeal superseded",
        "dealer_out_of_turn -> deal_stands final",
    ]
    first, second = played.rulings.values()
    assert first.superseded_by == second.id


def test_a_claim_expires_when_the_cards_go_back() -> None:
    played = laws("shuffle none", "round S1 S2", "collect")
    assert played.all() == ["not_shuffled -> misdeal expired"]


def test_the_receiver_alone_may_claim_where_the_book_says_so() -> None:
    played = laws("deal Kd S1 up", "round S2 S3 S4", "deal Kc S1 up")
    assert only(played, "exposed_card").callable_by == ("S1",)


# ---------------------------------------------------------------- claims that depend on an answer
BLIND = 'actions = "none"'
CLAIMED = ("shuffle none", "round S1 S2", "call misdeal S2")


def test_where_nobody_sees_who_looks_a_claim_asks_whether_its_player_has_looked() -> None:
    played = laws(*CLAIMED, frame=BLIND)
    ruling = only(played, "claim")
    assert (ruling.state, ruling.verdict) == ("open", None)
    assert ruling.asks == (Ask("looked", {"yes": "not_eligible", "no": "misdeal"}),)


@pytest.mark.parametrize(
    ("answer", "standing"),
    [
        ("no", ["not_shuffled -> misdeal final"]),
        ("yes", ["not_shuffled -> misdeal open", "claim S2 -> not_eligible final"]),
    ],
)
def test_the_answer_upholds_the_claim_or_answers_it(answer: str, standing: list[str]) -> None:
    assert laws(*CLAIMED, f"say looked S2 {answer}", frame=BLIND).standing() == standing


def test_undo_brings_a_claim_back_that_an_answer_upheld() -> None:
    asked = laws(*CLAIMED, frame=BLIND)
    undone = laws(*CLAIMED, "say looked S2 no", "say undo", frame=BLIND)
    assert undone.standing() == asked.standing()


def test_a_claim_that_is_made_again_while_it_waits_is_the_same_claim() -> None:
    assert laws(*CLAIMED, "call misdeal S2", frame=BLIND).told[-1] == []


def test_a_claim_that_nobody_answered_expires_when_the_cards_go_back() -> None:
    assert "claim S2 -> ? expired" in laws(*CLAIMED, "collect", frame=BLIND).all()


TURNED = ("deal Kd S1", "expose Kd", "round S2 S3 S4", "deal Kc S1 up", "call misdeal S1")


@pytest.mark.parametrize(
    ("answer", "standing"),
    [
        ("dealer", ["exposed_card S1 Kc -> misdeal final"]),
        ("player", ["exposed_card S1 Kd -> card_plays final", "claim S1 -> no_ground final"]),
    ],
)
def test_a_claim_waits_while_its_ground_depends_on_an_answer(
    answer: str, standing: list[str]
) -> None:
    assert laws(*TURNED).told[-1] == []
    assert laws(*TURNED, f"say exposed Kd by={answer}").standing() == standing
