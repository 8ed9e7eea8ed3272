"""``misdeal run``: the controller at a real table."""

import asyncio
import logging
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from misdeal.app import Work, attend, until_terminated
from misdeal.clock import table_clock
from misdeal.journal import set_aside
from misdeal.lines import print_json, print_text
from misdeal.systemd import report_to_systemd
from misdeal.tablefile import Layout, load
from misdeal.web.serving import Page


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
    rng = random.Random()  # noqa: S311 - spreads retries over time, no secret hangs on it
    with open_page(layout) as page:
        address = page.address if page else ""
        screen = choose_screen(headless=headless, as_json=as_json, address=address)
        works = (screen, until_terminated, report_to_systemd, *([page.serve] if page else []))
        asyncio.run(attend(layout, *works, start_clock=table_clock, rng=rng))
    return 0


@contextmanager
def open_page(layout: Layout) -> Iterator[Page | None]:
    """Yield the page of a table, if it is to have one.

    Raises:
        PageError: If it cannot be served as the table file says.
        NotPeopleError: If the file of people is something else.
    """
    if not layout.file.page.serve:
        yield None
        return
    with Page(layout) as page:
        if not page.people.everybody():
            click.echo("nobody may sign in at the page yet: misdeal user add --help", err=True)
        yield page


def choose_screen(*, headless: bool, as_json: bool, address: str = "") -> Work:
    """Return what shows the table: JSON, lines of text, or the screen where there is one.

    Args:
        headless: Whether there is to be no screen.
        as_json: Whether lines are JSON.
        address: Where the page is; told before all else. Empty for none.
    """
    is_screen = not (as_json or headless) and sys.stdout.isatty()
    if address and not is_screen:
        click.echo(f"the page is at {address}", err=True)
    if as_json:
        return print_json
    if not is_screen:
        logging.basicConfig(level=logging.WARNING, format="%(message)s")
        return print_text
    # rich is loaded where it is used
    from rich.console import Console  # noqa: PLC0415

    from misdeal.terminal import show  # noqa: PLC0415

    return partial(show, console=Console(), address=address)
