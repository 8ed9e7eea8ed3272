"""``misdeal run``: the controller at a real table."""

import asyncio
import logging
import random
import sys
from functools import partial
from pathlib import Path

import click

from misdeal.app import Work, attend, until_terminated
from misdeal.clock import table_clock
from misdeal.journal import set_aside
from misdeal.lines import print_json, print_text
from misdeal.systemd import report_to_systemd
from misdeal.tablefile import load


@click.command(epilog="Example: misdeal run table.toml")
@click.argument("table", type=click.Path(path_type=Path), default="table.toml")
@click.option("--headless", is_flag=True, help="No screen: lines of text instead.")
@click.option("--json", "as_json", is_flag=True, help="No screen: one JSON object a line.")
@click.option(
    "--new-journal", is_flag=True, help="Set the journal aside that is there, and begin a new one."
)
def command(table: Path, *, headless: bool, as_json: bool, new_journal: bool) -> int:
    """Watch the table that TABLE (table.toml) describes, until Ctrl-C or SIGTERM.

    A journal that is there already is gone on with. A reader that is missing is named and sought.
    """
    layout = load(table)
    for note in layout.notes:
        click.echo(f"note: {note}", err=True)
    if new_journal and (aside := set_aside(layout.journal)):
        click.echo(f"the journal until now is {aside}", err=True)
    screen = choose_screen(headless=headless, as_json=as_json)
    rng = random.Random()  # noqa: S311 - spreads retries over time, no secret hangs on it
    works = (screen, until_terminated, report_to_systemd)
    asyncio.run(attend(layout, *works, start_clock=table_clock, rng=rng))
    return 0


def choose_screen(*, headless: bool, as_json: bool) -> Work:
    """Return what shows the table: JSON, lines of text, or the screen where there is one."""
    if as_json:
        return print_json
    if headless or not sys.stdout.isatty():
        logging.basicConfig(level=logging.WARNING, format="%(message)s")
        return print_text
    # rich is loaded where it is used
    from rich.console import Console  # noqa: PLC0415

    from misdeal.terminal import show  # noqa: PLC0415

    return partial(show, console=Console())
