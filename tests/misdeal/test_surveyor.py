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

from engine.cards import Tag, seat_place
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.faults import Faults
from hw_fixtures.packs import demo_packs, own_cards
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import Antenna, Wiring
from misdeal.cli import run
from misdeal.clock import stopwatch_ns, table_clock
from misdeal.demo import write_table
from misdeal.surveying import (
    Reading,
    Step,
    Survey,
    near_of,
    read_survey,
)
from misdeal.surveyor import Surveyor
from tests.misdeal.verdicts import verdicts_of

S1, S2, S3 = (seat_place(number) for number in (1, 2, 3))


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


def test_the_time_in_which_cards_are_laid_is_no_cycle_of_the_readers() -> None:
    later_ns = 0

    def clock() -> int:
        return stopwatch_ns() + later_ns

    async def work() -> Survey:
        async with await SimulatedReaders.start((SEATS,), speed=SPEED) as readers:

            async def lay(step: Step) -> None:
                nonlocal later_ns
                later_ns += 60_000_000_000

            spec = ReaderSpec(name="A", port=readers.ports["A"], antennas={1: S1, 2: S2})
            surveyor = Surveyor([spec], TAGS, clock=clock, rng=random.Random(1), looks=10)
            steps = [Step(S1, 1), Step(S2, 1)]
            await surveyor.run(steps, lay=lay, tell=lambda reading: None)
            return surveyor.survey(table="t", made="2026-01-01")

    cycles = asyncio.run(work()).cycles
    assert {cycle.place for cycle in cycles} == {S1, S2}
    assert all(cycle.worst_ms < 30_000 for cycle in cycles)


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
