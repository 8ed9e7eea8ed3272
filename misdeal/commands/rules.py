"""``misdeal rules``: the rule books."""

import click
import msgspec

from engine.rulebook import book_names, compile_book, load_book


@click.group()
def command() -> None:
    """Show the rule books."""


@command.command("list", epilog="Example: misdeal rules list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_books(*, as_json: bool) -> int:
    """List the rule books with their version, games and hash."""
    for name in book_names():
        book = compile_book(load_book(name), file=f"{name}.toml")
        if as_json:
            said = {"name": book.name, "version": book.version, "games": sorted(book.games)}
            click.echo(msgspec.json.encode({**said, "hash": book.hash}))
        else:
            games = ", ".join(sorted(book.games))
            click.echo(f"{book.name}  {book.version}  {games}  {book.hash[:12]}")
    return 0
