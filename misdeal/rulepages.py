"""The reference pages of the rules, made from the facts, the words and the books themselves.

python -m misdeal.rulepages docs
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.clauses import SENSOR_KINDS, Clause
from engine.coverage import SENSED_BY
from engine.facts import ASKED, FACTS, Fact
from engine.words import STOPPING, TAKES_CARD_OUT, VERDICTS
from misdeal.books import every_book

_MADE = "<!-- Made by `python -m misdeal.rulepages docs`; a test keeps it true. -->"

_FACTS_HEAD = f"""\
# Findings, facts and verdicts

{_MADE}

What the clauses of a [rule book](rule-books.md) may speak of: what can be found at a table, the
facts that a condition may name, and the verdicts that may follow. A word that stands in none of
these tables is refused, and the likeliest one meant is named.
"""

_CLAUSES_HEAD = f"""\
# Every clause of every book

{_MADE}

`misdeal explain` has one clause in plain words; [rule-books.md](rule-books.md) says how to read and
write them; [facts.md](facts.md) has the words of the conditions. A verdict that is *claimed* holds
only if somebody who may calls it. A source in brackets says that the text itself does not have the
rule: it is derived from it, or common practice.
"""


def main(arguments: list[str] = sys.argv) -> None:
    """Write the pages into the folder that the command line names."""
    folder = Path(arguments[1])
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return each page as Markdown, by the name of its file."""
    return {"facts.md": "".join(_facts_page()), "clauses.md": "".join(_clauses_page())}


# ---------------------------------------------------------------- facts.md
def _facts_page() -> Iterator[str]:
    yield _FACTS_HEAD
    yield "\n## Findings\n\nNeutral, the same in every book.\n\n"
    yield from _table(("finding", "facts of its own", "without a clause"), _finding_rows())
    yield "\n## Facts of every finding\n\n"
    yield from _table(("fact", "meaning", "values"), _fact_rows(of_every=True))
    yield "\n## Facts of some findings\n\n"
    yield from _table(("fact", "meaning", "values"), _fact_rows(of_every=False))
    yield "\n## Verdicts\n\n"
    yield from _table(("verdict", "at the table", "beside"), _verdict_rows())


_SILENCE = {
    "claim": "answered all the same",
    "report": "no answer",
    **dict.fromkeys(SENSOR_KINDS, "`noted`"),
}
"""What a finding leads to where a book has no clause on it, if that is not the floor."""


def _finding_rows() -> Iterator[tuple[str, ...]]:
    for kind in SENSED_BY:
        own = ", ".join(f"`{name}`" for name, each in FACTS.items() if kind in each.kinds)
        yield f"`{kind}`", own, _SILENCE.get(kind, "`floor`")


def _fact_rows(*, of_every: bool) -> Iterator[tuple[str, ...]]:
    for name, each in FACTS.items():
        if bool(each.kinds) != of_every:
            asked = "; asked for where it is not known" if name in ASKED else ""
            yield f"`{name}`", _sentence(each.meaning) + asked, _values(each)


def _sentence(meaning: str) -> str:
    bare = meaning.rstrip(".")
    return bare[0].lower() + bare[1:]


def _values(fact: Fact) -> str:
    if fact.values:
        return " ".join(f"`'{value}'`" for value in fact.values)
    return {bool: "yes or no", int: "number", str: "text"}[fact.type]


def _verdict_rows() -> Iterator[tuple[str, ...]]:
    for verdict, words in VERDICTS.items():
        does = (
            "stops the hand"
            if verdict in STOPPING
            else "takes the card out of play"
            if verdict in TAKES_CARD_OUT
            else ""
        )
        yield f"`{verdict}`", words, does


# ---------------------------------------------------------------- clauses.md
def _clauses_page() -> Iterator[str]:
    yield _CLAUSES_HEAD
    for book in every_book():
        yield f"\n## {book.name}\n\n{book.title}. Version {book.version}; {_games(book.games)}.\n\n"
        heads = ("clause", "found", "verdict", "when", "rule", "source")
        yield from _table(heads, map(_clause_row, book.clauses))


def _games(games: Iterable[str]) -> str:
    return ", ".join(f"`{game}`" for game in games)


def _clause_row(clause: Clause) -> tuple[str, ...]:
    for_games = f" ({_games(sorted(clause.games))})" if clause.games else ""
    verdict = VERDICTS[clause.verdict] + (", claimed" if clause.decider == "claim" else "")
    until = f", until {clause.until.replace('_', ' ')}" if clause.until else ""
    when = f"`{clause.when.text}`" if clause.when.names else ""
    source = clause.source if clause.basis == "text" else f"({clause.source})"
    found = clause.finding.replace("_", " ")
    return f"`{clause.id}`", found + for_games, verdict + until, when, clause.plain, source


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n"


if __name__ == "__main__":
    main()
