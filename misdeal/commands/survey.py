"""``misdeal survey``: what the antennas of a table hear."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from engine.cards import Place, TaggedCard
from engine.games import PLANS
from engine.words import place_words
from misdeal.clock import as_utc, table_clock
from misdeal.keyboard import hear_lines
from misdeal.prompting import prompter
from misdeal.surveying import FILE, LOOKS, Step, Survey, judge, plan_steps, write_survey
from misdeal.surveyor import Surveyor
from misdeal.surveyreport import crossing_words, place_lines, reading_words, verdict_lines
from misdeal.tablefile import Layout, load


@click.command(epilog="Example: misdeal survey table.toml --game omaha")
@click.argument("table", type=click.Path(path_type=Path), default="table.toml")
@click.option("--game", type=click.Choice(list(PLANS)), help="What is played; else the table's.")
@click.option("--stack", type=click.IntRange(1, 10), help="Highest stack at a hand.")
@click.option("--looks", type=click.IntRange(10), default=LOOKS, help=f"For each stack ({LOOKS}).")
@click.option("-o", "--output", type=click.Path(path_type=Path), help=f"Else {FILE} beside TABLE.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    *,
    table: Path,
    game: str | None,
    stack: int | None,
    looks: int,
    output: Path | None,
    as_json: bool,
) -> int:
    """Measure the table of TABLE (table.toml): read rates, cross-talk, cycle times.

    Cards of the first registered pack are laid at place after place, as it is asked; Enter says
    that they lie. What was measured is kept also where Ctrl-C ends it. Exit status 0: every place
    is fit for the game; 1: one is not, or was not measured.
    """
    layout = load(table)
    game = game or layout.file.game
    steps = plan_steps(_places(layout), PLANS[game], stack)
    cards = _test_cards(layout, steps)
    survey = asyncio.run(_survey(layout, steps, cards, looks, output or table.parent / FILE))
    verdicts = judge(survey)
    if as_json:
        for each in (*survey.readings, *survey.crossings, *survey.cycles, *verdicts):
            click.echo(msgspec.json.encode(each))
    else:
        for line in (*place_lines(survey), *crossing_words(survey), *verdict_lines(verdicts)):
            click.echo(line)
    return 0 if all(each.is_fit for each in verdicts if each.game == game) else 1


def _places(layout: Layout) -> list[Place]:
    return [place for spec in layout.readers for place in spec.antennas.values()]


def _test_cards(layout: Layout, steps: Sequence[Step]) -> tuple[TaggedCard, ...]:
    """Return the cards that are laid down: the first of the first pack."""
    if not steps:
        raise click.UsageError("the table file has no reader: there is nothing to measure")
    if not layout.setup.packs:
        raise click.UsageError("the table has no pack whose cards could be laid down: enrol one")
    own = [line for line in layout.setup.packs[0].cards if not line.spare]
    return tuple(own[: max(step.height for step in steps)])


async def _survey(
    layout: Layout,
    steps: Sequence[Step],
    cards: Sequence[TaggedCard],
    looks: int,
    output: Path,
) -> Survey:
    """Measure with the help of whoever reads the prompts; keep it whatever ends it."""
    entered: asyncio.Queue[str | None] = asyncio.Queue()
    if not hear_lines(entered.put_nowait):
        raise click.UsageError("somebody must say that the cards lie: expected a terminal or pipe")
    clock = table_clock(0)
    rng = random.Random()  # noqa: S311 - spreads retries over time, no secret hangs on it
    tags = [card.tag for card in cards]
    surveyor = Surveyor(layout.readers, tags, clock=clock, rng=rng, looks=looks)

    async def lay(step: Step) -> None:
        prompts.ask(f"{_order(step, cards)}, then Enter", steps.index(step))
        if await entered.get() is None:
            raise click.Abort

    with prompter(len(steps)) as prompts:
        try:
            await surveyor.run(steps, lay=lay, tell=lambda each: prompts.tell(reading_words(each)))
        finally:
            survey = surveyor.survey(table=layout.file.name, made=as_utc(clock()))
            _keep(survey, output)
    return survey


def _keep(survey: Survey, output: Path) -> None:
    if survey.readings:
        output.write_text(write_survey(survey), encoding="utf-8")
        click.echo(f"what was measured is in {output}", err=True)


def _order(step: Step, cards: Sequence[TaggedCard]) -> str:
    """Say what is to be laid where, as it would lie in play."""
    *below, top = [card.card for card in cards[: step.height]]
    under = f", upon {' '.join(below)}" if below else ", alone"
    return f"lay {top} at {place_words(step.place)}{under}"
