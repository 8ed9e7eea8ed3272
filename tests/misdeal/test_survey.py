"""A survey's figures are those that were planted in the simulated readers."""

import asyncio
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import BOARD, BURN, DEALER, PLAYER, SHOE, Place, Tag, seat_place
from engine.games import PLANS
from firmware_bridge.polls import Poll
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.faults import Faults
from hw_fixtures.packs import demo_packs, own_cards
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import Antenna, Wiring
from misdeal.cli import run
from misdeal.clock import table_clock
from misdeal.demo import write_table
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
    judge,
    most_cards,
    near_of,
    plan_steps,
    read_survey,
    write_survey,
)
from misdeal.surveyor import Surveyor
from misdeal.surveyreport import crossing_words, place_lines, verdict_lines

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


def verdicts_of(survey: Survey, game: str) -> list[tuple[Place, bool | None]]:
    return [(each.place, each.is_fit) for each in judge(survey) if each.game == game]


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
    survey = msgspec.structs.replace(
        survey_of(*(reading_of(50, place=place) for place in (S1, S2, S3))),
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


# ---------------------------------------------------------------- planted faults
PACK = own_cards(demo_packs(1)[0])
TAGS = [card.tag for card in PACK[:5]]
SPEED = 20.0
SEATS = Wiring(
    name="A",
    identity="C1-MUX SIM-A",
    baud=115200,
    antennas=tuple(Antenna(place=place, capacity=2) for place in (S1, S2, S3)),
)


async def surveyed(
    steps: Sequence[Step], faults: Faults, *, looks: int = 100, ports: dict[str, str] | None = None
) -> Survey:
    """Survey three simulated seats of one reader, whose antennas hear two cards of a stack."""
    async with await SimulatedReaders.start((SEATS,), speed=SPEED) as readers:
        readers.set_faults(faults)
        lying: list[Tag] = []

        async def lay(step: Step) -> None:
            readers.take(lying)
            lying[:] = TAGS[: step.height]
            readers.put(lying, step.place)
            await readers.sync()

        spec = ReaderSpec(
            name="A", port=(ports or readers.ports)["A"], antennas={1: S1, 2: S2, 3: S3}
        )
        surveyor = Surveyor(
            [spec],
            TAGS,
            clock=table_clock(0),
            rng=random.Random(1),
            looks=looks,
            stall_s=5.0 if ports is None else 0.2,
        )
        await surveyor.run(steps, lay=lay, tell=lambda reading: None)
        return surveyor.survey(table="t", made="2026-01-01")


def test_a_sound_table_is_read_in_every_look_and_nothing_crosses() -> None:
    steps = [Step(place, height) for place in (S1, S2, S3) for height in (1, 2)]
    survey = asyncio.run(surveyed(steps, Faults(), looks=30))
    assert [reading.rate for reading in survey.readings] == [1.0] * 6
    assert all(30 <= reading.looks <= 31 for reading in survey.readings)
    assert survey.crossings == ()
    assert all(0 < cycle.median_ms <= cycle.worst_ms for cycle in survey.cycles)
    assert {cycle.place for cycle in survey.cycles} == {S1, S2, S3}
    assert verdicts_of(survey, "holdem") == [(S1, True), (S2, True), (S3, True)]


def test_a_stack_above_what_an_antenna_hears_is_found() -> None:
    survey = asyncio.run(surveyed([Step(S2, height) for height in (1, 2, 3)], Faults(), looks=30))
    assert [reading.rate for reading in survey.readings] == [1.0, 1.0, 0.0]
    assert verdicts_of(survey, "three-card") == [(S2, False)]


def test_the_rate_of_missed_tags_is_the_one_that_was_planted() -> None:
    survey = asyncio.run(
        surveyed([Step(S2, 1), Step(S2, 2)], Faults(seed=3, missed_tag=0.3), looks=150)
    )
    rates = [heard / reading.looks for reading in survey.readings for heard in reading.heard]
    # four standard errors of 150 looks at 0.7
    assert rates == [pytest.approx(0.7, abs=0.15)] * 3


def test_the_map_of_cross_talk_is_the_one_that_was_planted() -> None:
    survey = asyncio.run(surveyed([Step(S1, 1), Step(S2, 1)], Faults(seed=3, cross_read=0.3)))
    shares = {(each.lies_at, each.heard_at): each.hits / each.looks for each in survey.crossings}
    # seat 3 is no neighbour of seat 1; four standard errors of 100 looks at 0.3
    assert shares == {
        pair: pytest.approx(0.3, abs=0.184) for pair in ((S1, S2), (S2, S1), (S2, S3))
    }
    near = near_of(survey)
    assert (near(S1, S2), near(S2, S1), near(S1, S3)) == (True, True, False)


def test_a_reader_that_is_not_there_leaves_its_places_unmeasured() -> None:
    survey = asyncio.run(surveyed([Step(S1, 1)], Faults(), ports={"A": "/dev/none"}))
    assert survey.readings == (Reading(place=S1, height=1, looks=0, heard=(0,)),)
    assert verdicts_of(survey, "holdem") == [(S1, None)]


def test_whoever_lays_the_cards_may_give_up() -> None:
    async def refuse(step: Step) -> None:
        raise click.Abort

    async def survey() -> None:
        spec = ReaderSpec(name="A", port="/dev/none", antennas={1: S1})
        surveyor = Surveyor([spec], TAGS, clock=table_clock(0), rng=random.Random(1))
        await surveyor.run([Step(S1, 1)], lay=refuse, tell=lambda reading: None)

    with pytest.raises(click.Abort):
        asyncio.run(survey())


# ---------------------------------------------------------------- the command
async def commanded(
    folder: Path, *options: str, answered: int = 6
) -> tuple[int, list[dict[str, object]], str]:
    """Run the command at simulated seats, laying what it asks for so many times, then hang up."""
    async with await SimulatedReaders.start((SEATS,), speed=SPEED) as readers:
        table = write_table(folder, demo_packs(1), readers.ports, (SEATS,))
        seats = "seats = [1, 2, 3, 4, 5, 6, 7, 8, 9]"
        table.write_text(table.read_text().replace(seats, "seats = [1, 2, 3]"))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "misdeal", "survey", str(table), "--looks", "10"),
            *("--json", *options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stderr is not None
        assert process.stdout is not None
        steps = [Step(place, height) for place in (S1, S2, S3) for height in (1, 2)][:answered]
        lying: list[Tag] = []
        told = ""
        async for line in process.stderr:
            told += line.decode()
            if b"then Enter" not in line:
                continue
            if not steps:
                process.stdin.close()
                continue
            step = steps.pop(0)
            readers.take(lying)
            lying[:] = TAGS[: step.height]
            readers.put(lying, step.place)
            await readers.sync()
            process.stdin.write(b"\n")
        out = await process.stdout.read()
        return await process.wait(), [msgspec.json.decode(line) for line in out.splitlines()], told


def test_the_command_asks_for_cards_measures_and_keeps_the_survey(tmp_path: Path) -> None:
    status, told, asked = asyncio.run(commanded(tmp_path))
    assert status == 0, asked
    assert "lay As at seat 1, alone, then Enter" in asked
    assert "lay Ks at seat 1, upon As, then Enter" in asked
    assert [each["kind"] for each in told].count("reading") == 6
    fit = {each["place"] for each in told if each.get("game") == "holdem" and each["is_fit"]}
    assert fit == {"S1", "S2", "S3"}
    assert len(read_survey((tmp_path / "survey.json").read_text()).readings) == 6


def test_what_was_measured_is_kept_where_nobody_goes_on(tmp_path: Path) -> None:
    status, told, _ = asyncio.run(commanded(tmp_path, answered=2))
    assert (status, told) == (130, [])
    kept = read_survey((tmp_path / "survey.json").read_text())
    assert [(reading.place, reading.height) for reading in kept.readings] == [(S1, 1), (S1, 2)]


def test_a_survey_that_nobody_can_answer_is_refused(tmp_path: Path) -> None:
    table = write_table(tmp_path, demo_packs(1), {"A": "/dev/none"}, (SEATS,))
    seats = "seats = [1, 2, 3, 4, 5, 6, 7, 8, 9]"
    table.write_text(table.read_text().replace(seats, "seats = [1, 2, 3]"))
    with (tmp_path / "red.csv").open() as file:
        told = subprocess.run(
            [sys.executable, "-m", "misdeal", "survey", str(table)],
            stdin=file,
            capture_output=True,
            text=True,
            check=False,
        )
    assert told.returncode == 2
    assert "expected a terminal or pipe" in told.stderr


def test_a_table_that_is_not_fit_is_a_no(tmp_path: Path) -> None:
    status, told, _ = asyncio.run(commanded(tmp_path, "--game", "omaha", "--stack", "2"))
    assert status == 1
    omaha = [each["is_fit"] for each in told if each.get("game") == "omaha"]
    assert omaha == [None] * 3


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A table without readers, with packs."""
    return write_table(tmp_path, demo_packs(1), {}, ())


def test_a_table_without_readers_or_packs_has_nothing_to_measure(
    bare: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["survey", str(bare)]) == 2
    assert "the table file has no reader" in capfd.readouterr().err
    packless = write_table(tmp_path / "packless", [], {"A": "/dev/none"}, (SEATS,))
    assert run(["survey", str(packless)]) == 2
    assert "enrol one" in capfd.readouterr().err
