"""What a survey counts, what follows from its figures, and how it is kept and told."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import BOARD, BURN, DEALER, PLAYER, SHOE, Place, Tag, seat_place
from engine.games import PLANS
from firmware_bridge.polls import Poll
from misdeal.surveying import (
    Crossing,
    Cycle,
    Measurement,
    Reading,
    Rounds,
    Step,
    Survey,
    Verdict,
    false_gone,
    joined,
    most_cards,
    near_of,
    plan_steps,
    read_survey,
    write_survey,
)
from misdeal.surveyreport import crossing_words, place_lines, verdict_lines
from tests.misdeal.verdicts import verdicts_of

MS = 1_000_000
S1, S2, S3 = (seat_place(number) for number in (1, 2, 3))
T1, T2, T3 = (Tag(f"E00401080000000{n}") for n in (1, 2, 3))


# ---------------------------------------------------------------- what is measured
@pytest.mark.parametrize(
    ("game", "place", "cards"),
    [
        ("holdem", S1, 2),
        ("omaha", S1, 4),
        ("stud7", S1, 7),
        ("draw5", S1, 5),
        ("blackjack", S1, 3),
        ("baccarat", PLAYER, 3),
        ("caribbean-stud", DEALER, 5),
        ("holdem", BOARD, 5),
        ("draw5", BOARD, 1),
        ("holdem", BURN, 1),
        ("holdem", SHOE, 1),
    ],
)
def test_a_place_is_measured_with_as_many_cards_as_lie_there_in_the_game(
    game: str, place: Place, cards: int
) -> None:
    assert most_cards(PLANS[game], place) == cards


def test_stacks_grow_at_each_place_and_a_given_height_is_for_hands_alone() -> None:
    places = [S1, BOARD, SHOE]
    assert plan_steps(places, PLANS["holdem"])[:3] == (Step(S1, 1), Step(S1, 2), Step(BOARD, 1))
    high = plan_steps(places, PLANS["holdem"], stack=4)
    assert [step.place for step in high] == [S1] * 4 + [BOARD] * 5 + [SHOE]


# ---------------------------------------------------------------- measuring
def look(place: Place, *tags: Tag, at_ms: int = 0, outcome: str | None = None) -> Poll:
    return Poll(
        place=place,
        outcome=outcome or ("seen" if tags else "empty"),  # type: ignore[arg-type]
        tags=tags,
        is_complete=True,
        at_ns=at_ms * MS,
    )


def measured(step: Step, tags: Sequence[Tag], polls: Sequence[Poll]) -> Measurement:
    measurement = Measurement(step, tags)
    for poll in polls:
        measurement.take(poll)
    return measurement


def test_a_reading_counts_each_card_of_the_stack_and_no_other() -> None:
    polls = [
        look(S1, T3),  # may have begun before the cards lay there
        look(S1, T1, T2),
        look(S1, T1, T3),
        look(S1, outcome="unknown"),
        look(S1),
        look(S2),
        look(S2, T3),
        look(S2, T2, T1),
        look(S3, T1),
    ]
    measurement = measured(Step(S1, 2), [T1, T2], polls)
    reading = measurement.reading()
    assert reading == Reading(place=S1, height=2, looks=3, heard=(2, 1), unknown=1)
    assert reading.rate == pytest.approx(1 / 3)
    assert measurement.looks == 4
    assert measurement.crossings() == (
        Crossing(lies_at=S1, heard_at=S2, looks=2, hits=1),
        Crossing(lies_at=S1, heard_at=S3, looks=0, hits=0),
    )


def test_a_place_that_was_never_looked_at_was_read_at_no_rate() -> None:
    reading = measured(Step(S1, 1), [T1], []).reading()
    assert (reading.looks, reading.rate) == (0, 0.0)


def test_the_map_of_cross_talk_joins_what_several_stacks_gave() -> None:
    crossings = [
        Crossing(lies_at=S1, heard_at=S2, looks=50, hits=0),
        Crossing(lies_at=S1, heard_at=S2, looks=40, hits=4),
        Crossing(lies_at=S1, heard_at=S3, looks=50, hits=0),
    ]
    assert joined(crossings) == (Crossing(lies_at=S1, heard_at=S2, looks=90, hits=4),)


def test_a_cycle_is_from_look_to_look_of_a_place_and_the_operators_pauses_are_none() -> None:
    rounds = Rounds()
    for at_ms in (0, 10, 30):
        rounds.take(look(S1, at_ms=at_ms))
    rounds.take(look(S2, at_ms=31))
    rounds.pause()
    for at_ms in (9000, 9012):
        rounds.take(look(S1, at_ms=at_ms))
    assert rounds.cycles() == (Cycle(place=S1, median_ms=12.0, worst_ms=20.0),)


# ---------------------------------------------------------------- what follows
def reading_of(hits: int, looks: int = 50, place: Place = S1, height: int = 1) -> Reading:
    return Reading(place=place, height=height, looks=looks, heard=(looks,) * (height - 1) + (hits,))


def test_how_often_a_card_is_taken_for_gone_follows_from_misses_on_end() -> None:
    # 1 - 46/52 a look, four on end (300 ms at 100 ms), 1200 looks in two minutes
    assert false_gone(reading_of(45), 100.0) == pytest.approx(1200 * (6 / 52) ** 4)
    # three on end at the least
    assert false_gone(reading_of(45), 400.0) == pytest.approx(300 * (6 / 52) ** 3)


@given(st.integers(0, 50), st.integers(0, 50), st.floats(1, 1000))
def test_a_card_that_is_read_more_often_is_never_taken_for_gone_more_often(
    one: int, other: int, cycle_ms: float
) -> None:
    fewer, more = sorted((one, other))
    assert false_gone(reading_of(more), cycle_ms) <= false_gone(reading_of(fewer), cycle_ms)


def survey_of(*readings: Reading, cycle_ms: float = 100.0) -> Survey:
    places = dict.fromkeys(reading.place for reading in readings)
    return Survey(
        table="t",
        made="2026-01-01",
        readings=readings,
        cycles=tuple(Cycle(place=p, median_ms=cycle_ms, worst_ms=cycle_ms) for p in places),
    )


def test_a_place_is_fit_for_the_games_whose_hands_it_reads() -> None:
    survey = survey_of(
        *(reading_of(50, place=S1, height=height) for height in (1, 2, 3, 4)),
        *(reading_of(50 if height < 3 else 0, place=S2, height=height) for height in (1, 2, 3, 4)),
        *(reading_of(50, place=S3, height=height) for height in (1, 2)),
        reading_of(50, place=SHOE),
    )
    assert verdicts_of(survey, "holdem") == [(S1, True), (S2, True), (S3, True)]
    assert verdicts_of(survey, "omaha") == [(S1, True), (S2, False), (S3, None)]
    assert verdicts_of(survey, "stud7") == [(S1, None), (S2, False), (S3, None)]
    assert verdicts_of(survey, "baccarat") == []


@pytest.mark.parametrize(
    ("place", "game", "is_judged"),
    [
        (DEALER, "caribbean-stud", True),
        (DEALER, "holdem", False),
        (PLAYER, "baccarat", True),
        (PLAYER, "blackjack", False),
        (S1, "baccarat", False),
        (BOARD, "holdem", True),
        (BOARD, "stud7", False),
        (BURN, "holdem", False),
    ],
)
def test_a_place_is_judged_for_the_games_that_lay_cards_there(
    *, place: Place, game: str, is_judged: bool
) -> None:
    assert bool(verdicts_of(survey_of(reading_of(50, place=place)), game)) is is_judged


def test_a_place_without_looks_was_not_measured() -> None:
    survey = msgspec.structs.replace(
        survey_of(Reading(place=S1, height=1, looks=0, heard=(0,))), cycles=()
    )
    assert verdicts_of(survey, "holdem") == [(S1, None)]


def test_a_slow_reader_with_few_looks_proves_less() -> None:
    both = [reading_of(10, looks=10, height=height) for height in (1, 2)]
    assert verdicts_of(survey_of(*both, cycle_ms=20.0), "holdem") == [(S1, True)]
    assert verdicts_of(survey_of(*both, cycle_ms=300.0), "holdem") == [(S1, False)]


# ---------------------------------------------------------------- the file
def test_a_survey_is_read_as_it_was_written() -> None:
    survey = msgspec.structs.replace(
        survey_of(reading_of(50)),
        crossings=(Crossing(lies_at=S1, heard_at=S2, looks=50, hits=5),),
    )
    assert read_survey(write_survey(survey)) == survey
    with pytest.raises(msgspec.DecodeError):
        read_survey('{"survey": 2}')


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        (S1, S3, True),  # heard
        (S3, S1, True),
        (S1, S2, False),  # neighbours that were measured, and heard nothing
        (S1, S1, False),
        (S3, seat_place(4), True),  # neighbours, one of them not measured
        (seat_place(4), seat_place(5), True),
        (S1, BOARD, False),
    ],
)
def test_who_hears_whom_is_the_surveys_and_where_it_did_not_measure_the_layouts(
    *, one: Place, other: Place, is_near: bool
) -> None:
    silent = Reading(place=seat_place(4), height=1, looks=0, heard=(0,))
    survey = msgspec.structs.replace(
        survey_of(*(reading_of(50, place=place) for place in (S1, S2, S3)), silent),
        crossings=(Crossing(lies_at=S1, heard_at=S3, looks=50, hits=1),),
    )
    assert near_of(survey)(one, other) is is_near


def test_a_survey_in_words_names_rates_cross_talk_and_what_is_not_fit() -> None:
    survey = msgspec.structs.replace(
        survey_of(reading_of(50), reading_of(25, height=2), cycle_ms=500.0),
        crossings=(Crossing(lies_at=S1, heard_at=S2, looks=50, hits=5),),
    )
    assert list(place_lines(survey))[1] == (
        "  seat 1     1: 100%  2:  50%   every 500 ms, at worst 500 ms: slower than the deal"
    )
    assert list(crossing_words(survey))[1] == "  at seat 1, heard at seat 2: 10% of 50 looks"
    assert list(crossing_words(survey_of())) == ["no antenna hears a card that lies elsewhere"]
    verdicts = [
        Verdict(place=S1, game="holdem", cards=2, is_fit=False),
        Verdict(place=S2, game="holdem", cards=2, is_fit=None),
        Verdict(place=S1, game="omaha", cards=4, is_fit=True),
    ]
    assert list(verdict_lines(verdicts))[1:] == [
        "  holdem          not fit: seat 1; not measured to 2 cards: seat 2",
        "  omaha           every place is fit",
    ]
