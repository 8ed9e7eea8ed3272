"""``misdeal explain``: a clause in plain words."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec

from engine.explaining import explain
from engine.facts import FACTS
from engine.words import VERDICTS
from misdeal.books import Hit, Hits, every_book, find_clauses, propose, read_book
from misdeal.errors import UnknownClauseError

_BASES = {
    "text": "the text says it",
    "derived": "derived from the text, which does not say it",
    "practice": "common practice; the text does not say it",
    "house": "a rule of the house",
}
_TOLD_APART = {"clause", "rule", "when", "basis", "verdict", "source"}
"""Rows of the engine's explanation that stand in another form or order here."""


@click.command(epilog="Example: misdeal explain A5")
@click.argument("clause")
@click.option("--rulebook", metavar="NAME", help="Look in one book, by name or file; else in all.")
@click.option(
    "--house",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="House rules laid over that book.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a clause.")
def command(clause: str, rulebook: str | None, house: Path | None, *, as_json: bool) -> int:
    """Say in plain words what CLAUSE requires; a piece of its id is enough.

    Where a piece is of several clauses they are listed.
    """
    if house and rulebook is None:
        raise click.UsageError("--house is laid over one book: expected --rulebook too")
    books = [read_book(rulebook, house=house)] if rulebook else every_book()
    hits = find_clauses(books, clause)
    if not hits.meant:
        raise UnknownClauseError(clause, rulebook or "any book", propose(books, clause))
    if as_json:
        for hit in hits.meant:
            click.echo(msgspec.json.encode(_fields(hit)))
    else:
        _show(clause, hits)
    return 0


def _fields(hit: Hit) -> dict[str, Any]:
    clause = hit.clause
    return {
        "clause": clause.id,
        "rulebook": hit.book.name,
        "version": hit.book.version,
        "plain": clause.plain,
        "finding": clause.finding,
        "verdict": clause.verdict,
        "when": clause.when.text,
        "facts": {name: FACTS[name].meaning for name in clause.when.names},
        "until": clause.until,
        "decider": clause.decider,
        "callable_by": clause.callable_by,
        "next_dealer": clause.next_dealer,
        "games": sorted(clause.games) or hit.book.games,
        "remedy": clause.remedy,
        "cite": clause.cite,
        "source": clause.source,
        "basis": clause.basis,
    }


def _show(piece: str, hits: Hits) -> None:
    if not hits.is_one:
        click.echo(f"{piece} is in more than one clause; name one to have all of it.")
        _list(hits.meant)
        return
    for hit in hits.meant:
        _tell(hit)
    if hits.near:
        click.echo(f"Near it, with {piece} in their id or among what they cite:")
        _list(hits.near)


def _list(hits: Iterable[Hit]) -> None:
    for name, of_book in groupby(hits, key=lambda hit: hit.book.name):
        rows = [
            (f"{hit.clause.id}: {VERDICTS[hit.clause.verdict]}", hit.clause.plain)
            for hit in of_book
        ]
        formatter = click.HelpFormatter()
        with formatter.section(name):
            formatter.write_dl(rows, col_max=44)
        click.echo()
        click.echo(formatter.getvalue(), nl=False)


def _tell(hit: Hit) -> None:
    """Print a clause: the rule, what follows, and its condition last."""
    clause = hit.clause
    told = [row for row in explain(clause) if row[0] not in _TOLD_APART]
    rows = [("verdict", VERDICTS[clause.verdict]), *told]
    if clause.cite != (clause.id,):
        rows.append(("cites", ", ".join(clause.cite)))
    rows.append(("source", f"{clause.source} ({_BASES[clause.basis]})"))
    rows.append(("condition", clause.when.text if clause.when.names else "none: it always holds"))
    rows += [(f"  {name}", _meaning(name)) for name in clause.when.names]
    formatter = click.HelpFormatter()
    formatter.write(f"{clause.id}, {hit.book.name} version {hit.book.version}\n\n")
    formatter.write_text(clause.plain)
    formatter.write_paragraph()
    formatter.write_dl(_once(rows))
    formatter.write_paragraph()
    click.echo(formatter.getvalue(), nl=False)


def _once(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave out a heading that repeats the one above it."""
    heads = ["", *(head for head, _ in rows)]
    return [
        ("" if head == before else head, text)
        for before, (head, text) in zip(heads, rows, strict=False)
    ]


def _meaning(name: str) -> str:
    meaning = FACTS[name].meaning.rstrip(".")
    return meaning[0].upper() + meaning[1:]
