"""Rule books: text in, clauses out; house rules laid over a book; faults named, all at once.

A book is TOML: some keys of its own and one ``[[clause]]`` for each rule. A house file has
``[[clause]]`` to add, ``[[replace]]`` for ids that are there, ``disable`` for ids that no longer
hold, or short a finding's name and a verdict, which then replaces what the book says of it.
A clause's ``when`` is a CEL expression over the facts of ``engine.facts``.
"""

import functools
import hashlib
import importlib.resources
import tomllib

from msgspec import Struct

from engine.booktext import closest
from engine.clauses import KINDS, NEVER_ASKED_OF_A_BOOK, OF_A_KIND_OF_GAME, SENSOR_KINDS, Clause
from engine.conditions import overlap
from engine.errors import BookError, Fault
from engine.games import PLANS
from engine.layers import BOOK_KEYS, LayerReader, lay_over


class RuleBook(Struct, frozen=True, kw_only=True):
    """A book as it is in force at a table: the book itself and what was laid over it."""

    name: str
    version: str
    title: str
    hash: str
    games: tuple[str, ...]
    clauses: tuple[Clause, ...]
    by_finding: dict[str, tuple[Clause, ...]]
    dealt_by: str = "house"
    substantial_action: str = "tda-36"
    text: str = ""
    jurisdiction_text: str = ""
    house_text: str = ""
    shadowed: tuple[str, ...] = ()
    """Clauses of an earlier layer that can never apply any more."""

    def clauses_on(self, finding: str, game: str) -> tuple[Clause, ...]:
        """Return the clauses on a finding in a game."""
        return tuple(
            clause
            for clause in self.by_finding.get(finding, ())
            if not clause.games or game in clause.games
        )

    def gaps(self, game: str) -> tuple[str, ...]:
        """Return the findings that a game can have and for which the book has no clause."""
        kind = PLANS[game].kind
        asked = KINDS - SENSOR_KINDS - NEVER_ASKED_OF_A_BOOK
        possible = {k for k in asked if kind in OF_A_KIND_OF_GAME.get(k, (kind,))}
        if self.dealt_by != "players":
            possible -= {"dealer_out_of_turn"}
        return tuple(sorted(k for k in possible if not self.clauses_on(k, game)))


def book_names() -> tuple[str, ...]:
    """Return the names of the books that come with the program."""
    folder = importlib.resources.files("engine.rulebooks")
    return tuple(sorted(f.name[:-5] for f in folder.iterdir() if f.name.endswith(".toml")))


def load_book(name: str) -> str:
    """Return the text of a book that comes with the program.

    Raises:
        BookError: If there is none of that name.
    """
    if name not in book_names():
        hint = closest(name, book_names())
        raise BookError([Fault(name, 0, "rulebook", repr(name), f"a rule book{hint}")])
    return importlib.resources.files("engine.rulebooks").joinpath(f"{name}.toml").read_text("utf-8")


@functools.cache
def book_games(name: str) -> tuple[str, ...]:
    """Return the games that a book of the program is for.

    Raises:
        BookError: If there is none of that name.
    """
    return tuple(tomllib.loads(load_book(name))["games"])


def compile_book(
    text: str,
    *,
    file: str,
    jurisdiction: str | None = None,
    jurisdiction_file: str = "jurisdiction",
    house: str | None = None,
    house_file: str = "house",
) -> RuleBook:
    """Read a book and what is laid over it, the later over the earlier.

    Args:
        text: The book.
        file: Its name, for faults.
        jurisdiction: The text of a jurisdiction's file, or None.
        jurisdiction_file: Its name, for faults.
        house: The text of a house's file, or None.
        house_file: Its name, for faults.

    Raises:
        BookError: With every fault of all texts.
    """
    reader = LayerReader(text, file, 0)
    reader.keys(BOOK_KEYS)
    reader.head(needs=("name", "version", "title", "games"))
    clauses = reader.clauses("clause")
    faults = list(reader.faults)
    overlays = ((jurisdiction, jurisdiction_file, 1), (house, house_file, 2))
    for overlay, overlay_file, layer in overlays:
        if overlay is not None:
            clauses, more = lay_over(clauses, overlay, overlay_file, layer)
            faults += more
    faults += _conflicts(clauses)
    if faults:
        raise BookError(faults)
    data = reader.data
    texts = (text, jurisdiction or "", house or "")
    return RuleBook(
        name=data["name"],
        version=data["version"],
        title=data["title"],
        hash=hashlib.sha256("\0".join(texts).encode()).hexdigest(),
        games=tuple(data["games"]),
        clauses=tuple(clauses),
        by_finding=_by_finding(clauses),
        dealt_by=data.get("dealt_by", "house"),
        substantial_action=data.get("substantial_action", "tda-36"),
        text=text,
        jurisdiction_text=jurisdiction or "",
        house_text=house or "",
        shadowed=_shadowed(clauses),
    )


def _by_finding(clauses: list[Clause]) -> dict[str, tuple[Clause, ...]]:
    by_finding: dict[str, tuple[Clause, ...]] = {}
    for clause in sorted(clauses, key=lambda c: c.precedence, reverse=True):
        by_finding[clause.finding] = (*by_finding.get(clause.finding, ()), clause)
    return by_finding


def _rivals(clauses: list[Clause]) -> list[tuple[Clause, Clause]]:
    """Return the pairs of clauses that speak to the same finding in the same game."""
    groups: dict[str, list[Clause]] = {}
    for clause in clauses:
        if not clause.also:
            key = clause.finding + (f"|{clause.id}" if clause.finding == "report" else "")
            groups.setdefault(key, []).append(clause)
    return [
        (a, b)
        for group in groups.values()
        for n, a in enumerate(group)
        for b in group[n + 1 :]
        if not a.games or not b.games or a.games & b.games
    ]


def _conflicts(clauses: list[Clause]) -> list[Fault]:
    """Return a fault for each pair of clauses that could apply with the same precedence."""
    return [
        Fault(
            b.file,
            b.line,
            b.id,
            f"{a.id} and {b.id} may both apply to {a.finding}: {clash}",
            "exclusive conditions, or `also = true`",
        )
        for a, b in _rivals(clauses)
        if a.precedence == b.precedence and (clash := overlap(a.when, b.when)) is not None
    ]


def _shadowed(clauses: list[Clause]) -> tuple[str, ...]:
    """Return the ids of clauses that a later layer leaves nothing to say."""
    return tuple(
        sorted(
            {
                low.id
                for a, b in _rivals(clauses)
                for low, high in ((a, b), (b, a))
                if high.layer > low.layer and high.when.text == "true" and not high.games
            }
        )
    )
