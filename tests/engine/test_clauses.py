"""Every clause of every book has table scripts on each side of its boundary.

Which clause a ruling comes from is told by its finding, verdict, citation and sentence. One side
is a script in which the clause rules; the other is a script of the same book and game in which
the same kind of finding is ruled by another clause or not at all. A clause without a condition
has its boundary at the finding itself: its other side is a script in which nothing is found.
"""

from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from engine.clauses import Clause
from engine.docket import Ruling
from engine.performing import Performance, judge_script
from engine.rulebook import RuleBook, book_names, compile_book, load_book
from engine.script import Script, read_script

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


class Played(Struct, frozen=True):
    """What came of a script: every ruling that was given, and what was found without one."""

    script: Script
    rulings: tuple[Ruling, ...]
    unruled: frozenset[str]
    """Kinds of findings of which a matter had no ruling at some time."""


def play(script: Script, book: RuleBook) -> Played:
    performance = Performance(script, book)
    rulings: list[Ruling] = []
    unruled: set[str] = set()
    for _, told in performance.run():
        rulings += [ruling for _, given in told for ruling in given]
        matters = performance.watch.docket.matters.values()
        unruled |= {matter.finding.kind for matter in matters if not matter.slots}
    return Played(script, tuple(rulings), frozenset(unruled))


@cache
def book_of(name: str) -> RuleBook:
    return compile_book(load_book(name), file=name)


@cache
def played(name: str) -> tuple[Played, ...]:
    """Play the scripts of a book that lay no house rules over it."""
    read = [
        read_script(path.read_text("utf-8"), file=path.relative_to(SCRIPTS).as_posix())
        for path in sorted((SCRIPTS / name).rglob("*.toml"))
    ]
    return tuple(play(script, book_of(name)) for script in read if script.house is None)


def is_of(ruling: Ruling, clause: Clause) -> bool:
    """Say whether a ruling comes from a clause."""
    if ruling.finding != clause.finding or ruling.cite != clause.cite:
        return False
    if clause.finding == "claim":
        return True
    return ruling.verdict == clause.verdict and ruling.because.endswith(clause.plain)


def is_beside(one: Played, clause: Clause) -> bool:
    """Say whether a script shows the other side of a clause's boundary."""
    if clause.finding == "claim":
        return any(r.decider == "claim" and r.state == "final" for r in one.rulings)
    if clause.when.text == "true":
        return not any(ruling.finding == clause.finding for ruling in one.rulings)
    others = [r for r in one.rulings if r.finding == clause.finding and not is_of(r, clause)]
    return bool(others) or clause.finding in one.unruled


CLAUSES = [(name, clause) for name in book_names() for clause in book_of(name).clauses]
NAMES = [f"{name}:{clause.id}:{clause.finding}:{clause.verdict}" for name, clause in CLAUSES]


def for_game(name: str, clause: Clause) -> list[Played]:
    """Return the scripts of a book whose game a clause is for."""
    games = clause.games or frozenset(book_of(name).games)
    return [one for one in played(name) if one.script.setup.game in games]


@pytest.mark.parametrize(("name", "clause"), CLAUSES, ids=NAMES)
def test_a_clause_rules_in_some_script(name: str, clause: Clause) -> None:
    ruled = [one for one in for_game(name, clause) if any(is_of(r, clause) for r in one.rulings)]
    assert ruled, f"{name}: {clause.id} on {clause.finding} rules in no script ({clause.when.text})"


@pytest.mark.parametrize(("name", "clause"), CLAUSES, ids=NAMES)
def test_a_clause_has_a_script_on_the_other_side_of_its_boundary(name: str, clause: Clause) -> None:
    if clause.finding == "report" and clause.when.text == "true":
        return  # the operator names the clause himself: it has no other side
    beside = [one for one in for_game(name, clause) if is_beside(one, clause)]
    assert beside, (
        f"{name}: no script of {sorted(clause.games) or 'any game'} has {clause.finding} "
        f"without {clause.id} ({clause.when.text})"
    )


@pytest.mark.parametrize(("name", "clause"), CLAUSES, ids=NAMES)
def test_some_script_misses_a_clause_that_is_taken_away(name: str, clause: Clause) -> None:
    book = book_of(name)
    left = tuple(each for each in book.by_finding[clause.finding] if each is not clause)
    without = replace(
        book,
        clauses=tuple(each for each in book.clauses if each is not clause),
        by_finding={**book.by_finding, clause.finding: left},
    )
    ruled = [one for one in played(name) if any(is_of(r, clause) for r in one.rulings)]
    assert any(judge_script(one.script, without).misses for one in ruled), (
        f"{name}: no script expects what {clause.id} says of {clause.finding}"
    )
