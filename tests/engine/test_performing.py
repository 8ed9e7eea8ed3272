"""Scripts performed and judged: what is expected and missing is told, and what stood instead."""

import pytest

from engine.performing import Verdicts, fits, judge_script, packs_for, shown
from engine.script import Expectation, read_script
from engine.setup import TableSetup
from tests.engine.felt import Played, book, seats


def judged(tail: str, *events: str, frame: str = "") -> Verdicts:
    """Judge a hold'em script of three seats with some expectations."""
    lines = ", ".join(f'"{event}"' for event in events)
    text = (
        'script = 1\ngame = "holdem"\nrulebook = "tda-2024"\nseats = [1, 2, 3]\n'
        f"{frame}\nevents = [{lines}]\n{tail}"
    )
    return judge_script(read_script(text, file="t.toml"), book())


MISDEAL = ("deal Kd S1 up", "deal ? S2")


# ---------------------------------------------------------------- expectations
@pytest.mark.parametrize(
    "given",
    [
        'finding = "exposed_card"',
        'place = "S1"',
        'card = "Kd"',
        'card = "Kd#1"',
        'verdict = "misdeal"',
        'state = "final"',
        'cite = "A7"',
        "asks = []",
        "callable_by = []",
        'finding = "exposed_card"\nplace = "S1"\nverdict = "misdeal"\nstate = "final"',
    ],
)
def test_an_expectation_is_met_where_all_that_is_given_fits_one_ruling(given: str) -> None:
    assert judged(f"[[expect]]\n{given}\n", *MISDEAL).misses == ()


@pytest.mark.parametrize(
    "given",
    [
        'finding = "wrong_count"',
        'place = "S2"',
        'card = "Kc"',
        'verdict = "redeal"',
        'state = "open"',
        'cite = "A6"',
        'asks = ["exposed_by"]',
        'callable_by = ["S1"]',
        'next_dealer = "S1"',
        'place = "S1"\nverdict = "redeal"',
    ],
)
def test_an_expectation_that_is_not_met_is_told_with_what_stood(given: str) -> None:
    (miss,) = judged(f"[[expect]]\n{given}\n", *MISDEAL).misses
    assert miss.startswith("after event 2: expected after = 2, ")
    assert "stood: exposed_card S1 Kd -> misdeal (final; T-A7)" in miss or "no ruling" in miss


def test_where_nothing_stood_that_is_said() -> None:
    (miss,) = judged('[[expect]]\nfinding = "wrong_count"\n', "round").misses
    assert miss == "after event 1: expected after = 1, finding = wrong_count; stood: no ruling"


def test_rulings_on_the_finding_are_told_before_all_others() -> None:
    events = ("deal Kd S1 up", "deal X S2")
    (miss,) = judged('[[expect]]\nfinding = "foreign_card"\nplace = "S3"\n', *events).misses
    assert "stood: foreign_card S2 -> floor (open; " in miss
    assert "exposed_card" not in miss


def test_an_expectation_is_held_against_its_own_event() -> None:
    events = ("deal Kd S1 up", "round S2 S3", "round", "act S1 call", "act S2 call")
    before = '[[expect]]\nafter = 1\nverdict = "misdeal"\nstate = "final"\n'
    after = '[[expect]]\nverdict = "misdeal"\nstate = "superseded"\n'
    assert judged(before + after, *events).misses == ()
    assert len(judged(before.replace("after = 1", "after = 5"), *events).misses) == 1


# ---------------------------------------------------------------- rejections
def test_a_rejected_ruling_must_not_stand() -> None:
    (miss,) = judged('[[reject]]\nverdict = "misdeal"\n', *MISDEAL).misses
    assert miss == (
        "after event 2: after = 2, verdict = misdeal must not stand: "
        "exposed_card S1 Kd -> misdeal (final; T-A7)"
    )


def test_a_ruling_that_was_superseded_may_be_rejected() -> None:
    events = ("deal Kd S1 up", "round S2 S3", "round", "act S1 call", "act S2 call")
    assert judged('[[reject]]\nverdict = "misdeal"\n', *events).misses == ()


def test_a_clean_script_may_have_no_ruling_at_all() -> None:
    assert judged("", "round", "round", frame="clean = true").misses == ()
    misses = judged("", *MISDEAL, frame="clean = true").misses
    assert misses == (
        "after event 1: a clean script has a ruling: exposed_card S1 Kd -> misdeal (final; T-A7)",
    )


def test_a_verdict_that_may_never_stand_is_told_when_it_does() -> None:
    misses = judged("", *MISDEAL, frame='never = ["misdeal"]').misses
    assert misses == (
        "after event 1: misdeal may never stand: exposed_card S1 Kd -> misdeal (final; T-A7)",
    )


def test_each_change_of_a_ruling_is_told_with_the_event_after_which_it_came() -> None:
    events = ("deal Kd S1 up", "round S2 S3", "round", "act S1 call", "act S2 call")
    lines = judged("", *events).lines
    assert [(number, ruling.id, ruling.state) for number, ruling in lines] == [
        (1, "r1", "final"),
        (5, "r1", "superseded"),
        (5, "r2", "final"),
    ]


def test_asked_for_are_at_least_the_facts_that_are_given() -> None:
    (ruling,) = Played("deal Kd S1", "round S2 S3", "expose Kd").rulings.values()
    assert fits(ruling, Expectation(after=1, asks=("exposed_by",)))
    assert fits(ruling, Expectation(after=1, asks=()))
    assert not fits(ruling, Expectation(after=1, asks=("exposed_by", "handled")))
    assert shown(ruling).endswith("-> ? (open asks exposed_by; T-A7)")


# ---------------------------------------------------------------- the cards behind a script
def test_the_packs_of_a_script_have_spares_and_another_pack() -> None:
    main, other = packs_for(TableSetup(game="holdem", seats=seats("1 2")))
    assert len(main.own_tags()) == len(other.own_tags()) == 52
    assert {line.card for line in main.cards if line.spare} >= {"Kd", "JK"}
    assert not {line.tag for line in main.cards} & {line.tag for line in other.cards}


def test_a_short_pack_has_its_low_cards_as_strangers() -> None:
    main, _ = packs_for(TableSetup(game="shortdeck", seats=seats("1 2")))
    assert len(main.own_tags()) == 36


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_a_shoe_has_every_face_once_for_each_pack(decks: int) -> None:
    main, _ = packs_for(TableSetup(game="blackjack", seats=seats("1"), decks=decks))
    assert len(main.own_tags()) == 52 * decks


def test_a_card_of_no_importance_is_one_that_the_script_names_nowhere() -> None:
    played = Played("deal ? S1", "deal As S2", "deal ? S3")
    dealt = [seen.card for seen in played.watch.table.hand.cards.values()]
    assert dealt[1] == "As"
    assert len({*dealt}) == 3


def test_a_stray_read_of_a_card_that_lies_nowhere_is_a_card_that_arrives() -> None:
    played = Played("deal ? S1", "stray Kd S2")
    assert played.watch.table.hand.hands["S2"]  # type: ignore[index]
