"""``misdeal config``: a table file checked, shown whole, or described for an editor."""

from pathlib import Path

import click
import msgspec

from engine.errors import Fault
from misdeal.config import TableFile
from misdeal.errors import TableFileError
from misdeal.tablefile import load

TABLE = click.argument("table", type=click.Path(path_type=Path), default="table.toml")
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


@click.group()
def command() -> None:
    """Check a table file, show it whole, or print its JSON schema."""


@command.command(epilog="Example: misdeal config check table.toml")
@TABLE
@JSON
def check(table: Path, *, as_json: bool) -> int:
    """Check TABLE (table.toml) without starting: every fault with its line, key and expectation."""
    try:
        layout = load(table)
    except TableFileError as error:
        for fault in error.faults:
            _tell_fault(fault, as_json=as_json)
        return 2
    for note in layout.notes:
        click.echo(f"note: {note}", err=True)
    if not as_json:
        click.echo(f"{table}: sound")
    return 0


def _tell_fault(fault: Fault, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(fault))
    else:
        click.echo(str(fault), err=True)


@command.command(epilog="Example: misdeal config show table.toml")
@TABLE
def show(table: Path) -> int:
    """Print TABLE (table.toml) as JSON with every default filled in."""
    click.echo(msgspec.json.format(msgspec.json.encode(load(table).file)))
    return 0


@command.command(epilog="Example: misdeal config schema > table.schema.json")
def schema() -> int:
    """Print the JSON schema of a table file, for editors."""
    click.echo(msgspec.json.format(msgspec.json.encode(msgspec.json.schema(TableFile))))
    return 0
