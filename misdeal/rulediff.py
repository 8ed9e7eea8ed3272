"""Where two rule books differ: in their clauses, or in what they rule on the same hands."""

from pathlib import Path

import msgspec
from msgspec import Struct

from engine.clauses import SENSOR_KINDS
from engine.docket import Ruling
from engine.events import AnyEvent
from engine.explaining import RuleDifference, compare_books
from engine.performing import Performance
from engine.rulebook import RuleBook
from engine.script import read_script
from engine.words import VERDICTS
from misdeal.books import read_book
from misdeal.errors import ForeignGameError
from misdeal.hindsight import Difference, compare
from misdeal.journal import JournalReader
from misdeal.replay import begin_again
from misdeal.words import finding_words, questions, ruling_fields


class Sides(Struct, frozen=True):
    """The two books of a comparison, and what they were called."""

    names: tuple[str, str]
    books: tuple[RuleBook, RuleBook]

    def must_have(self, game: str) -> None:
        """Refuse a game that one of them does not have.

        Raises:
            ForeignGameError: If one does not.
        """
        for name, book in zip(self.names, self.books, strict=True):
            if game not in book.games:
                raise ForeignGameError(name, game, book.games)


def sides(one: str, two: str) -> Sides:
    """Read the two books that are to be compared.

    Raises:
        BookError: If one of them is not sound.
    """
    return Sides((one, two), (read_book(one), read_book(two)))


# ---------------------------------------------------------------- clauses
class Line(Struct, frozen=True):
    """A clause, and all that it says but for its id and its source."""

    clause: str
    says: str


class ClauseRow(Struct, frozen=True):
    """A finding on which the clauses of two books differ, in one or more games."""

    sides: Sides
    finding: str
    games: tuple[str, ...]
    lines: tuple[tuple[Line, ...], tuple[Line, ...]]

    def fields(self) -> dict[str, object]:
        """Return it as ``--json`` prints it."""
        clauses = dict(zip(self.sides.names, self.lines, strict=True))
        return {"finding": self.finding, "games": self.games, "clauses": clauses}

    def text(self) -> str:
        """Return it for people, as ``diff`` marks lines: ``-`` the first book, ``+`` the second."""
        told = [f"{self.finding.replace('_', ' ')}: {', '.join(self.games)}"]
        for mark, own, other in zip("-+", self.lines, reversed(self.lines), strict=True):
            theirs = {line.says for line in other}
            told += [
                f"  {mark} {line.clause}: {line.says}" for line in own if line.says not in theirs
            ]
            if not own:
                told.append(f"  {mark} no clause{_SILENCE.get(self.finding, ', so for the floor')}")
        return "\n".join(told)


_SILENCE = {"report": "", **dict.fromkeys(SENSOR_KINDS, ", so noted")}
"""What it means that a book has no clause, where that is not that the floor decides."""


def clause_rows(both: Sides) -> list[ClauseRow]:
    """Return the findings on which two books differ in the games that both have.

    Raises:
        ForeignGameError: If they have no game in common.
    """
    one, two = both.books
    if not set(one.games) & set(two.games):
        both.must_have(one.games[0])
    games: dict[tuple[str, tuple[Line, ...], tuple[Line, ...]], list[str]] = {}
    for row in compare_books(one, two):
        lines = (_lines(one, row, row.one), _lines(two, row, row.two))
        games.setdefault((row.finding, *lines), []).append(row.game)
    return [
        ClauseRow(both, finding, tuple(played), (own, other))
        for (finding, own, other), played in games.items()
    ]


def _lines(book: RuleBook, row: RuleDifference, said: tuple[str, ...]) -> tuple[Line, ...]:
    clauses = book.clauses_on(row.finding, row.game)
    return tuple(Line(clause.id, says) for clause, says in zip(clauses, said, strict=True))


# ---------------------------------------------------------------- rulings
class RulingRow(Struct, frozen=True):
    """A matter on which two books would have ruled differently."""

    sides: Sides
    source: str
    difference: Difference

    @property
    def _first(self) -> Ruling:
        return (*self.difference.one, *self.difference.two)[0]

    def _each(self) -> list[tuple[str, tuple[Ruling, ...]]]:
        both = (self.difference.one, self.difference.two)
        return list(zip(self.sides.names, both, strict=True))

    def fields(self) -> dict[str, object]:
        """Return it as ``--json`` prints it."""
        rulings = {name: [ruling_fields(each) for each in stood] for name, stood in self._each()}
        return {"source": self.source, "hand": self._first.hand, "rulings": rulings}

    def text(self) -> str:
        """Return it for people."""
        width = max(map(len, self.sides.names))
        told = [f"{self.source}, hand {self._first.hand}: {finding_words(self._first)}"]
        for name, stood in self._each():
            words = "; ".join(map(_ruling_words, stood)) or "no ruling"
            told.append(f"    {name:{width}}  {words}")
        return "\n".join(told)


def _ruling_words(ruling: Ruling) -> str:
    verdict = VERDICTS[ruling.verdict] if ruling.verdict else "ASK"
    if ruling.decider == "claim" and ruling.state != "final":
        verdict += ", if claimed"
    cited = [f"({' '.join(ruling.cite)})"] if ruling.cite else []
    return " ".join((verdict, *questions(ruling), *cited))


def journal_rows(path: Path, both: Sides) -> list[RulingRow]:
    """Compare two books on the hands of a journal that have ended.

    Raises:
        ForeignGameError: If one of them does not have the game.
        NotAJournalError: If the file is none.
    """
    with JournalReader(path) as reader:
        watch = begin_again(reader.header)
        both.must_have(watch.table.plan.game)
        events = (
            msgspec.json.decode(record.body, type=AnyEvent)
            for record in reader.records()
            if record.kind == "event"
        )
        found = compare(watch, events, *both.books, only_ended=True)
    return [RulingRow(both, str(path), difference) for difference in found]


def script_rows(path: Path, both: Sides) -> list[RulingRow]:
    """Compare two books on a table script, which is performed under the first.

    Raises:
        ForeignGameError: If one of them does not have the game.
        ScriptError: If the script cannot be read.
    """
    script = read_script(path.read_text(encoding="utf-8"), file=str(path))
    both.must_have(script.setup.game)
    performance = Performance(script, both.books[0])
    watch = performance.watch
    events = [event for _, told in performance.run() for event, _ in told]
    found = compare(watch, events, *both.books, only_ended=False)
    return [RulingRow(both, str(path), difference) for difference in found]
