"""``misdeal say``: an operator's statement to the running controller."""

import sys
from pathlib import Path

import click
import msgspec

from misdeal.door import Answer, say_at
from misdeal.tablefile import parse
from misdeal.words import sentence


@click.command(epilog="Example: misdeal say 'act S3 fold'")
@click.argument("text")
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    default="table.toml",
    help="The table file of the controller (table.toml).",
)
@click.option("--socket", type=click.Path(path_type=Path), help="The controller's socket itself.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(text: str, table: Path, socket: Path | None, *, as_json: bool) -> int:
    """Tell the running controller TEXT, in the script's words; `-` reads lines.

    Exit status 0: taken; 2: refused, with the reason.
    """
    door = socket or table.parent / parse(table.read_text(encoding="utf-8"), str(table)).socket
    lines = [line.strip() for line in sys.stdin if line.strip()] if text == "-" else [text]
    answers = [_say(door, line, as_json=as_json) for line in lines]
    return 0 if all(answer.ok for answer in answers) else 2


def _say(door: Path, line: str, *, as_json: bool) -> Answer:
    answer = say_at(door, line)
    if as_json:
        click.echo(msgspec.json.encode(answer))
    elif answer.ok:
        click.echo("taken")
        for ruling in answer.rulings:
            click.echo(sentence(ruling))
    else:
        click.echo(f"refused: {answer.reason}", err=True)
    return answer
