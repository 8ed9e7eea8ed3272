"""``misdeal user``: the people who may sign in at the page."""

import secrets
import sys
from pathlib import Path

import click
import msgspec

from misdeal.config import TableFile
from misdeal.people import ROLES, People, Role
from misdeal.tablefile import parse

TABLE = click.option(
    "--table",
    type=click.Path(path_type=Path),
    default="table.toml",
    help="The table file (table.toml).",
)
NAME = click.argument("name")
ROLE = click.Choice(ROLES)
GENERATE = click.option("--generate", is_flag=True, help="Make a password up and print it once.")

# Sixteen letters of 64 are 96 bits: nobody guesses them.
GENERATED_BYTES = 12


@click.group()
def command() -> None:
    """Say who may sign in at the page of a table, and as what.

    A controller that runs minds every change at once.
    """


def _people(table: Path) -> People:
    file: TableFile = parse(table.read_text(encoding="utf-8"), str(table))
    return People(table.parent / file.page.people)


@command.command(epilog="Example: misdeal user add anna --role inspector")
@NAME
@click.option("--role", type=ROLE, required=True, help="What the person may do.")
@click.option("--no-password", is_flag=True, help="For a machine: `misdeal user token` lets it in.")
@GENERATE
@TABLE
def add(name: str, role: Role, table: Path, *, no_password: bool, generate: bool) -> None:
    """Add NAME; the password is asked for, or read from standard input."""
    people = _people(table)
    people.add(name, role, None if no_password else _password(generate=generate))
    click.echo(f"{name} is {role}")


@command.command(epilog="Example: misdeal user role anna supervisor")
@NAME
@click.argument("role", type=ROLE)
@TABLE
def role(name: str, role: Role, table: Path) -> None:
    """Make NAME a ROLE; it holds from the next request on."""
    _people(table).set_role(name, role)
    click.echo(f"{name} is {role}")


@command.command(epilog="Example: misdeal user passwd anna")
@NAME
@GENERATE
@TABLE
def passwd(name: str, table: Path, *, generate: bool) -> None:
    """Give NAME another password; whatever was opened with the old one ends."""
    people = _people(table)
    people.set_password(name, _password(generate=generate))
    click.echo(f"{name} has a new password and is signed out everywhere")


@command.command("list", epilog="Example: misdeal user list")
@TABLE
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_people(table: Path, *, as_json: bool) -> None:
    """List who may sign in, with role, open sessions and tokens."""
    for each in _people(table).everybody():
        if as_json:
            click.echo(msgspec.json.encode(each))
        else:
            secret = "password" if each.has_password else "no password"
            counts = f"{each.sessions} sessions, {each.tokens} tokens"
            click.echo(f"{each.name}: {each.role}, {secret}, {counts}")


@command.command(epilog="Example: misdeal user revoke anna")
@NAME
@TABLE
def revoke(name: str, table: Path) -> None:
    """End every session, token and link of NAME, who may sign in anew."""
    click.echo(f"{_people(table).revoke(name)} ended")


@command.command(epilog="Example: misdeal user remove anna")
@NAME
@TABLE
def remove(name: str, table: Path) -> None:
    """Remove NAME, with every session, token and link."""
    _people(table).remove(name)
    click.echo(f"{name} is removed")


@command.command(epilog="Example: misdeal user token wallboard")
@NAME
@TABLE
def token(name: str, table: Path) -> None:
    """Print a token for a machine, which acts as NAME until it is revoked; it is told once."""
    click.echo(_people(table).open(name, "token"))


@command.command(epilog="Example: misdeal user link anna")
@NAME
@TABLE
def link(name: str, table: Path) -> None:
    """Print what to put behind the page's address: it signs NAME in once, within ten minutes."""
    click.echo(f"#enter={_people(table).open(name, 'link')}")


def _password(*, generate: bool) -> str:
    if generate:
        password = secrets.token_urlsafe(GENERATED_BYTES)
        click.echo(f"the password, told this once: {password}", err=True)
        return password
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return typed
