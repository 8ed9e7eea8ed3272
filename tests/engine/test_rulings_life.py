"""The life of a ruling: open, final, superseded; what asks, what settles, what undoes."""

import pytest

from engine.docket import Until
from engine.judging import Ask
from tests.engine.books import home, laws, only
from tests.engine.felt import Played, book

TDA = book()


# ---------------------------------------------------------------- substantial action
def test_a_misdeal_that_was_played_past_is_superseded_by_the_ruling_that_then_holds() -> None:
    played = Played("round", "round S1 S2 S2", "deal ? S3", "act S1 call", "act S2 call")
    assert played.all() == [
        "wrong_count S2 -> misdeal superseded",
        "wrong_count S2 -> hand_dead final",
    ]
    first, second = played.rulings.values()
    assert first.superseded_by == second.id
    assert played.told[-1] == played.all()


def test_a_misdeal_stays_in_force_until_action_is_substantial() -> None:
    played = Played("round", "round S1 S2 S2", "deal ? S3", "act S1 call")
    assert played.all() == ["wrong_count S2 -> misdeal final"]


def test_a_finding_after_substantial_action_gets_its_own_ruling_at_once() -> None:
    played = Played("round", "round", "act S1 call", "act S2 call", "say found S1", "deal ? S2")
    assert played.all() == ["wrong_count S2 -> hand_dead final"]


def test_a_second_exposure_carries_the_misdeal_and_supersedes_the_first() -> None:
    played = Played("round", "deal Kd S1 up", "deal Kc S2 up")
    assert played.all() == [
        "exposed_card S1 Kd -> card_replaced superseded",
        "exposed_card S2 Kc -> misdeal final",
    ]


# ---------------------------------------------------------------- questions
UNKNOWN = 'actions = "none"'
SHORT = ("round", "round S1 S3", "deal ends")


def test_a_ruling_that_depends_on_what_nobody_knows_asks() -> None:
    ruling = only(Played(*SHORT, frame=UNKNOWN), "wrong_count")
    assert ruling.asks == (Ask("substantial_action", {"yes": "hand_dead", "no": "misdeal"}),)
    assert (ruling.state, ruling.verdict, ruling.until) == ("open", None, Until("answer"))
    assert ruling.because.endswith("Not known: substantial action.")


def test_a_ruling_that_asks_cites_every_clause_that_may_apply() -> None:
    ruling = only(Played(*SHORT, frame=UNKNOWN), "wrong_count")
    assert {"T-A5", "R38"} <= set(ruling.cite)


@pytest.mark.parametrize(("answer", "verdict"), [("yes", "hand_dead"), ("no", "misdeal")])
def test_an_answer_settles_the_question(answer: str, verdict: str) -> None:
    played = Played(*SHORT, f"say substantial {answer}", frame=UNKNOWN)
    assert f"wrong_count S2 -> {verdict} final" in played.standing()
    assert not any(" asks " in told for told in played.standing())


def test_undo_brings_the_question_back() -> None:
    played = Played(*SHORT, "say substantial yes", "say undo", frame=UNKNOWN)
    assert "wrong_count S2 -> ? open asks substantial_action" in played.standing()


def test_a_later_answer_replaces_the_earlier() -> None:
    played = Played(*SHORT, "say substantial yes", "say substantial no", frame=UNKNOWN)
    assert "wrong_count S2 -> misdeal final" in played.standing()


def test_nobody_is_asked_what_does_not_matter() -> None:
    # Whoever turned it up: a card of the stub is for the floor.
    rules = home("finding = 'exposed_card'\nverdict = 'floor'")
    played = Played("deal Kd S1", "round S2 S3", "expose Kd", rules=rules)
    assert played.standing() == ["exposed_card S1 Kd -> floor open"]


def test_where_every_answer_has_one_verdict_it_is_told_though_it_is_asked_which_clause_holds() -> (
    None
):
    rules = home(
        "finding = 'exposed_card'\nwhen = \"exposed_by == 'dealer'\"\nverdict = 'card_dead'",
        "finding = 'exposed_card'\nwhen = \"exposed_by == 'player'\"\nverdict = 'card_dead'",
    )
    played = Played("deal Kd S1", "round S2 S3", "expose Kd", rules=rules)
    assert played.standing() == ["exposed_card S1 Kd -> card_dead open asks exposed_by"]
    assert only(played, "exposed_card").cite == ("H-1", "H-2")


def test_answers_that_matter_only_together_are_both_asked_for() -> None:
    rules = home(
        "finding = 'exposed_card'\nwhen = \"(exposed_by == 'dealer') == handled\"\n"
        "verdict = 'misdeal'",
        "finding = 'exposed_card'\nwhen = \"(exposed_by == 'dealer') != handled\"\n"
        "verdict = 'card_plays'",
    )
    events = ("deal Kd S1", "round S2 S3", "round S1 S2", "expose Kd", "deal ? S3")
    played = Played(*events, rules=rules, frame=UNKNOWN)
    (told,) = played.standing()
    assert told.startswith("exposed_card S1 Kd -> ? open asks ")
    assert set(told.split(" asks ")[1].split()) == {"exposed_by", "handled"}


def test_two_unknown_facts_are_both_asked_and_each_answer_that_settles_has_its_verdict() -> None:
    rules = home(
        "finding = 'exposed_card'\nwhen = \"exposed_by == 'player'\"\nverdict = 'card_plays'",
        "finding = 'exposed_card'\nverdict = 'hand_dead'\n"
        "when = \"exposed_by == 'dealer' && handled\"",
        "finding = 'exposed_card'\nverdict = 'misdeal'\n"
        "when = \"exposed_by == 'dealer' && !handled\"",
    )
    played = Played("deal Kd S1", "round S2 S3", "round", "expose Kd", rules=rules)
    assert only(played, "exposed_card").asks == (
        Ask("exposed_by", {"dealer": "misdeal", "player": "card_plays"}),
    )
    unseen = Played(
        "deal Kd S1", "round S2 S3", "round S1 S2", "expose Kd", "deal ? S3",
        rules=rules, frame=UNKNOWN,
    )  # fmt: skip
    assert set(map(repr, only(unseen, "exposed_card").asks)) == {
        repr(Ask("exposed_by", {"dealer": None, "player": "card_plays"})),
        repr(Ask("handled", {"yes": None, "no": None})),
    }


def test_one_answer_of_two_leaves_the_other_question() -> None:
    rules = home(
        "finding = 'exposed_card'\nwhen = \"exposed_by == 'player'\"\nverdict = 'card_plays'",
        "finding = 'exposed_card'\nverdict = 'hand_dead'\n"
        "when = \"exposed_by == 'dealer' && handled\"",
        "finding = 'exposed_card'\nverdict = 'misdeal'\n"
        "when = \"exposed_by == 'dealer' && !handled\"",
    )
    events = ("deal Kd S1", "round S2 S3", "round S1 S2", "expose Kd", "deal ? S3")
    by_dealer = Played(*events, "say exposed Kd by=dealer", rules=rules, frame=UNKNOWN)
    assert by_dealer.standing() == ["exposed_card S1 Kd -> ? open asks handled"]
    both = Played(*events, "say exposed Kd by=dealer", "say handled no", rules=rules, frame=UNKNOWN)
    assert both.standing() == ["exposed_card S1 Kd -> misdeal final"]


# ---------------------------------------------------------------- the floor
def test_what_the_book_leaves_to_the_floor_is_open() -> None:
    played = Played("deal ? S1", "deal X S2")
    ruling = only(played, "foreign_card")
    assert (ruling.verdict, ruling.state, ruling.decider) == ("floor", "open", "floor")


def test_a_finding_without_a_clause_is_for_the_floor() -> None:
    played = Played("mark Kd", rules=home("finding = 'report'\nverdict = 'floor'"))
    ruling = only(played, "marked_card")
    assert (ruling.verdict, ruling.state, ruling.cite) == ("floor", "open", ())
    assert ruling.because.endswith("The book does not decide it.")


def test_a_finding_whose_clauses_do_not_apply_is_recorded_without_a_ruling() -> None:
    rules = home("finding = 'marked_card'\nwhen = 'is_dealt'\nverdict = 'misdeal'")
    assert Played("mark Kd", rules=rules).all() == []
    assert Played("deal Kd S1", "mark Kd", rules=rules).all() == ["marked_card Kd -> misdeal final"]


def test_a_finding_about_a_sensor_without_a_clause_is_noted() -> None:
    played = Played("fault camera", rules=home("finding = 'report'\nverdict = 'floor'"))
    assert played.all() == ["equipment_fault -> noted final"]


def test_a_finding_about_a_sensor_whose_clauses_do_not_apply_is_noted() -> None:
    rules = home("finding = 'equipment_fault'\nwhen = \"device == 'shoe'\"\nverdict = 'suspend'")
    assert Played("fault camera", rules=rules).all() == ["equipment_fault -> noted final"]
    assert Played("fault shoe", rules=rules).all() == ["equipment_fault -> suspend final"]


def test_the_floor_sets_a_ruling_aside_with_a_reason() -> None:
    played = Played("deal ? S1", "deal X S2", "say dismiss R1 under the tray")
    ruling = only(played, "foreign_card")
    assert ruling.state == "superseded"
    assert ruling.because == "Set aside by the floor: under the tray."


def test_undo_restores_what_was_set_aside() -> None:
    played = Played("deal ? S1", "deal X S2", "say dismiss R1 under the tray", "say undo")
    assert played.standing() == ["foreign_card S2 -> floor open"]


def test_what_was_set_aside_stays_aside_as_play_goes_on() -> None:
    events = ("round", "round S1 S2 S2", "say dismiss R1 agreed", "deal ? S3", "act S1 call")
    assert Played(*events, "act S2 call").standing() == []


def test_other_rulings_stand_when_one_is_set_aside() -> None:
    played = Played("deal X S1", "deal X#2 S2", "say dismiss R1 under the tray")
    assert played.standing() == ["foreign_card S2 -> floor open"]


# ---------------------------------------------------------------- devices
CASINO = book("nsw-caribbean-stud")


def test_play_is_suspended_until_the_inspector_approves() -> None:
    played = Played("fault jackpot-meter", game="caribbean-stud", rules=CASINO)
    assert played.standing() == ["equipment_fault -> suspend final"]
    resumed = Played("fault jackpot-meter", "approve", game="caribbean-stud", rules=CASINO)
    assert resumed.all() == [
        "equipment_fault -> suspend superseded",
        "equipment_fault -> resume final",
    ]


def test_a_second_fault_suspends_play_again() -> None:
    events = ("fault jackpot-meter", "approve", "fault jackpot-meter")
    played = Played(*events, game="caribbean-stud", rules=CASINO)
    assert played.standing() == [
        "equipment_fault -> resume final",
        "equipment_fault -> suspend final",
    ]


def test_a_suspension_outlives_the_hand() -> None:
    events = ("say bets closed", "round", "fault jackpot-meter", "collect", "approve")
    played = Played(*events, game="caribbean-stud", rules=CASINO)
    assert played.told[-1] == [
        "equipment_fault -> suspend superseded",
        "equipment_fault -> resume final",
    ]


# ---------------------------------------------------------------- hands
def test_the_next_hand_closes_what_was_left_open() -> None:
    played = Played("deal ? S1", "deal X S2", "collect", "say next hand")
    assert played.all() == ["foreign_card S2 -> floor expired"]


def test_a_replay_leaves_rulings_of_the_deal_before_and_starts_the_counts_again() -> None:
    played = Played("deal Kd S1 up", "collect", "round", "deal Kc S1 up")
    assert played.standing() == [
        "exposed_card S1 Kd -> misdeal final",
        "exposed_card S1 Kc -> card_replaced final",
    ]


def test_a_ruling_says_of_which_hand_it_is() -> None:
    events = ("round", "round", "collect", "say next hand", "deal ? S2", "deal X S3")
    assert only(Played(*events), "foreign_card").hand == 2


def test_a_misdeal_among_players_costs_the_deal_and_the_next_hand_is_dealt_by_the_left() -> None:
    events = ("shuffle none", "round S1", "call misdeal S1", "collect", "say next hand")
    assert laws(*events).watch.table.dealer == "S1"


def test_a_redeal_is_dealt_by_the_same_player_again() -> None:
    events = ("cut 4/48", "round S1", "call redeal S1", "collect")
    played = laws(*events)
    assert only(played, "cut_too_thin").next_dealer == "S4"
    assert played.watch.table.dealer == "S4"


# ---------------------------------------------------------------- one ruling a finding
def test_a_clause_that_stands_beside_another_gives_a_second_ruling() -> None:
    played = laws("deal Kd S1", "mark Kd")
    assert sorted(played.all()) == [
        "marked_card Kd -> deck_replaced final",
        "marked_card Kd -> redeal open",
    ]


def test_a_card_that_moves_on_does_not_move_its_ruling() -> None:
    events = ("deal Kd S1 up", "round S2 S3", "round", "move Kd muck")
    assert only(Played(*events), "exposed_card").place == "S1"


def test_a_boxed_card_has_a_place_once_it_lies_somewhere() -> None:
    assert only(Played("boxed Kd"), "boxed_card").place is None
    assert only(Played("boxed Kd S1"), "boxed_card").place == "S1"


def test_a_short_hand_that_gets_its_card_keeps_its_ruling_and_is_not_looked_at_again() -> None:
    events = ("round", "round S1 S2", "deal ends")
    short_hand = Played(*events)
    done = Played(*events, "deal ? S3", "act S3 call", "act S1 call", "act S2 call")
    assert short_hand.standing() == done.standing() == ["wrong_count S3 -> card_replaced final"]


def test_a_hand_counted_by_hand_takes_its_ruling_back() -> None:
    played = Played("round", "round S1 S3", "deal ends", "say counted S2 2")
    assert [told for told in played.standing() if "wrong_count" in told] == []
    assert only(played, "wrong_count").because == "Taken back: counted by hand."


def test_a_hand_that_is_tabled_was_not_exposed() -> None:
    events = ("deal Kd S1", "round S2 S3", "round", "act S1 call", "expose Kd", "say tabled S1")
    played = Played(*events)
    assert played.all() == ["exposed_card S1 Kd -> ? superseded"]
    assert only(played, "exposed_card").because == "Taken back: the hand was tabled."


# ---------------------------------------------------------------- what a ruling carries
def test_a_ruling_names_its_book_with_version_and_hash() -> None:
    ruling = only(Played("deal Kd S1 up"), "exposed_card")
    assert (ruling.rulebook, ruling.book_version, ruling.book_hash) == (
        TDA.name, TDA.version, TDA.hash,
    )  # fmt: skip


def test_a_ruling_says_why_in_plain_words() -> None:
    because = only(Played("deal Kd S1 up"), "exposed_card").because
    assert because.startswith("Kd at seat 1 is seen face up. ")
    assert because.endswith("exposed by the dealer is a misdeal.")


def test_rulings_are_numbered_in_the_order_in_which_they_are_given() -> None:
    played = Played("deal X S1", "deal X#2 S2", "deal X#3 S3")
    assert list(played.rulings) == ["r1", "r2", "r3"]


@pytest.mark.parametrize(
    ("report", "remedy"),
    [
        ("report L-B3 S2 needed=20 put=5", "15"),
        ("report L-B4 S2 put=25 limit=10", "15"),
    ],
)
def test_a_reported_bet_has_its_amount_in_the_remedy(report: str, remedy: str) -> None:
    played = laws("round", report)
    assert any(remedy in line for line in only(played, "report").remedy)


@pytest.mark.parametrize(
    ("report", "cite"),
    [("report T-A0", "T-A0"), ("report A0", "T-A0"), ("report R30 S2", "R30")],
)
def test_a_report_names_its_clause_or_a_piece_of_it(report: str, cite: str) -> None:
    assert only(Played("round", report), "report").cite == (cite,)


def test_a_report_of_a_clause_that_a_sensor_watches_is_for_the_floor_and_cites_it() -> None:
    ruling = only(Played("round", "report T-A6"), "report")
    assert (ruling.verdict, ruling.state, ruling.cite) == ("floor", "open", ("T-A6",))


def test_a_report_of_no_clause_of_the_book_gives_no_ruling() -> None:
    assert Played("round", "report Z-99").all() == []


def test_two_reports_are_two_matters() -> None:
    played = Played("round", "report R30 S1", "report R30 S2")
    assert played.standing() == ["report S1 -> hand_dead final", "report S2 -> hand_dead final"]


def test_a_clause_that_holds_for_each_blind_gives_each_of_them_a_ruling() -> None:
    events = ("say blind S1", "say blind S2", "shuffle none", "round S1", "call misdeal S2")
    assert [told for told in laws(*events).standing() if "withdraw" in told] == [
        "not_shuffled S1 -> withdraw_allowed final",
        "not_shuffled S2 -> withdraw_allowed final",
    ]
