"""``misdeal rules``: the rule books listed, checked and compared."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from engine.errors import BookError
from engine.rulebook import RuleBook
from misdeal.books import every_book, read_book
from misdeal.rulediff import (
    ClauseRow,
    RulingRow,
    clause_rows,
    journal_rows,
    script_rows,
    sides,
)

JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
FILE = click.Path(path_type=Path, exists=True, dir_okay=False)

HOUSE_LAYER = 2


@click.group()
def command() -> None:
    """List the rule books, check a book or house rules, compare two books."""


# ---------------------------------------------------------------- list
@command.command("list", epilog="Example: misdeal rules list")
@JSON
def list_books(*, as_json: bool) -> int:
    """List the rule books with their version, title, games and hash."""
    for book in every_book():
        if as_json:
            click.echo(msgspec.json.encode({**_head(book), "title": book.title}))
        else:
            click.echo(f"{book.name}, version {book.version}: {book.title}")
            click.echo(
                f"    {', '.join(book.games)}; {len(book.clauses)} clauses, {book.hash[:12]}"
            )
    return 0


def _head(book: RuleBook) -> dict[str, object]:
    return {
        "name": book.name,
        "version": book.version,
        "games": book.games,
        "clauses": len(book.clauses),
        "hash": book.hash,
    }


# ---------------------------------------------------------------- check
@command.command(epilog="Example: misdeal rules check house.toml --over tda-2024")
@click.argument("file", type=FILE)
@click.option("--over", metavar="BOOK", help="FILE has house rules, laid over this book.")
@click.option("--jurisdiction", type=FILE, help="A jurisdiction's file, laid between the two.")
@JSON
def check(file: Path, over: str | None, jurisdiction: Path | None, *, as_json: bool) -> int:
    """Check FILE: a rule book or, with --over, what a jurisdiction or a house lays over one.

    Exit status 0: sound, with what it leaves to the floor; 2: every fault with its line.
    """
    if jurisdiction and over is None:
        raise click.UsageError("--jurisdiction is laid over a book: expected --over too")
    try:
        book = read_book(over, jurisdiction=jurisdiction, house=file) if over else read_book(file)
    except BookError as error:
        for fault in error.faults:
            click.echo(msgspec.json.encode(fault) if as_json else str(fault), err=not as_json)
        if over is None and any(f.key == "games" and f.found == "nothing" for f in error.faults):
            click.echo("a house's file is checked with --over BOOK", err=True)
        return 2
    if as_json:
        gaps = {game: book.gaps(game) for game in book.games}
        told = {"file": str(file), **_head(book), "gaps": gaps, "shadowed": book.shadowed}
        click.echo(msgspec.json.encode(told))
    else:
        _tell_sound(file, book, is_house=over is not None)
    return 0


def _tell_sound(file: Path, book: RuleBook, *, is_house: bool) -> None:
    own = sum(clause.layer == HOUSE_LAYER for clause in book.clauses)
    over = f"{own} of its own over {book.name}; " if is_house else ""
    click.echo(f"{file}: sound; {over}{len(book.clauses)} clauses in all, hash {book.hash[:12]}")
    by_gaps: dict[tuple[str, ...], list[str]] = {}
    for game in book.games:
        by_gaps.setdefault(book.gaps(game), []).append(game)
    for gaps, games in by_gaps.items():
        if gaps:
            words = ", ".join(kind.replace("_", " ") for kind in gaps)
            click.echo(f"without a clause in {', '.join(games)}, so for the floor: {words}")
    if book.shadowed:
        click.echo(f"shadowed, so never applied: {', '.join(book.shadowed)}")


# ---------------------------------------------------------------- diff
@command.command(epilog="Example: misdeal rules diff tda-2017 tda-2024 --journal journal.db")
@click.argument("one", metavar="BOOK")
@click.argument("two", metavar="BOOK")
@click.option("--journal", type=FILE, help="Compare what they rule on the hands of a journal.")
@click.option("--script", "scripts", type=FILE, multiple=True, help="Or of table scripts.")
@JSON
def diff(
    one: str, two: str, journal: Path | None, scripts: tuple[Path, ...], *, as_json: bool
) -> int:
    """Say where two books differ; each is named, or a file that ends in .toml.

    Alone: their clauses, finding by finding, in the games that both have. With a journal or
    scripts: what each would have ruled on the same hands. The hand of a journal that is not over
    is left out, and so are house rules.

    Exit status 0: no difference; 1: differences; 2: bad input.
    """
    if journal and scripts:
        raise click.UsageError("expected either --journal or --script")
    both = sides(one, two)
    rows: Sequence[ClauseRow | RulingRow]
    if journal:
        rows = journal_rows(journal, both)
    elif scripts:
        rows = [row for script in scripts for row in script_rows(script, both)]
    else:
        rows = clause_rows(both)
    for row in rows:
        click.echo(msgspec.json.encode(row.fields()) if as_json else row.text())
    if not rows and not as_json:
        click.echo("no difference")
    return 1 if rows else 0
