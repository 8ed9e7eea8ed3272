"""Rule books: text in, clauses out; house rules laid over a book; faults named, all at once.

A book is TOML: some keys of its own and one ``[[clause]]`` for each rule. A house file has
``[[clause]]`` to add, ``[[replace]]`` for ids of the book, ``disable`` for ids that no longer
hold, or short a finding's name and a verdict, which then replaces what the book says of it.
A clause's ``when`` is a CEL expression over the facts of ``engine.facts``.
"""

import hashlib
import importlib.resources
import tomllib
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from engine.booktext import Locator, closest
from engine.conditions import Condition, compile_condition, overlap
from engine.errors import BookError, Fault
from engine.games import PLANS
from engine.state import FindingKind
from engine.words import VERDICTS

KINDS: frozenset[str] = frozenset(FindingKind.__args__)  # type: ignore[attr-defined]
SENSOR_KINDS = frozenset({"cross_read", "unread_card", "face_mismatch", "equipment_fault"})
"""Findings about the sensors themselves: without a clause they are noted."""

CALLABLE_BY = frozenset({"not_looked", "receiver"})
NEXT_DEALER = frozenset({"left_of_dealer", "due_dealer", "same_dealer"})
UNTIL = frozenset({
    "substantial_action", "second_round", "next_card_to_hand", "hand_touched", "next_hand",
    "pot_taken", "further_card", "approval", "answer", "action",
})  # fmt: skip
PER = frozenset({"blind"})

Basis = Literal["text", "derived", "practice", "house"]


class Clause(Struct, frozen=True, kw_only=True):
    """One rule: what must have been found, what must hold, and what follows."""

    id: str
    finding: str
    verdict: str
    when: Condition
    games: frozenset[str] = frozenset()
    """Games that it is for; empty for all of the book."""
    decider: str = "book"
    callable_by: str | None = None
    """Who may claim it, where the book leaves it to a claim."""
    until: str | None = None
    """The event that closes its window."""
    next_dealer: str | None = None
    per: str | None = None
    """It holds once for each such seat, at that seat."""
    also: bool = False
    """It holds beside another clause on the same finding."""
    on: str | None = None
    """The name under which an entered action reports it."""
    remedy: tuple[str, ...] = ()
    cite: tuple[str, ...] = ()
    source: str = ""
    basis: Basis = "text"
    plain: str = ""
    layer: int = 0

    @property
    def precedence(self) -> tuple[int, bool]:
        """The later layer over the earlier; what is said for a game over what is for all."""
        return self.layer, bool(self.games)


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
        """Return the findings for which the book has no clause in a game."""
        return tuple(sorted(k for k in KINDS - SENSOR_KINDS if not self.clauses_on(k, game)))


_BOOK_KEYS = {
    "name", "version", "title", "source", "games", "dealt_by", "substantial_action", "clause",
    "note",
}  # fmt: skip
_HOUSE_KEYS = {"name", "version", "title", "source", "note", "clause", "replace", "disable"}
_CLAUSE_KEYS: dict[str, type] = {
    "id": str, "finding": str, "verdict": str, "when": str, "games": list, "decider": str,
    "callable_by": str, "until": str, "next_dealer": str, "per": str, "also": bool, "on": str,
    "remedy": list, "cite": list, "source": str, "basis": str, "plain": str,
}  # fmt: skip
_CHOICES: dict[str, frozenset[str]] = {
    "finding": KINDS,
    "verdict": frozenset(VERDICTS),
    "decider": frozenset({"book", "claim", "floor"}),
    "callable_by": CALLABLE_BY,
    "until": UNTIL,
    "next_dealer": NEXT_DEALER,
    "per": PER,
    "basis": frozenset({"text", "derived", "practice", "house"}),
}


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


class _Reader:
    """Reads one layer and gathers its faults."""

    def __init__(self, text: str, file: str, layer: int) -> None:
        self.file = file
        self.layer = layer
        self.faults: list[Fault] = []
        self.locator = Locator(text)
        self.data: dict[str, Any] = {}
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = self.locator.line_of_error(str(error))
            self.faults.append(Fault(file, line, "", str(error), "TOML"))

    def fault(self, line: int, key: str, found: object, expected: str) -> None:
        self.faults.append(Fault(self.file, line, key, str(found), expected))

    def keys(self, known: Mapping[str, Any] | set[str]) -> None:
        for key in self.data:
            if key not in known:
                hint = closest(key, known)
                self.fault(self.locator.line(key), key, repr(key), f"a known key{hint}")

    def clauses(self, section: str) -> list[Clause]:
        tables = self.data.get(section, [])
        if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
            self.fault(self.locator.line(section), section, type(tables).__name__, "tables")
            return []
        return [c for n, t in enumerate(tables) if (c := self.clause(section, n, t)) is not None]

    def clause(self, section: str, index: int, table: dict[str, Any]) -> Clause | None:
        """Return a clause, or None where it has faults."""
        before = len(self.faults)
        for key, value in table.items():
            self._key(section, index, key, value)
        self._rest(section, index, table)
        if len(self.faults) > before:
            return None
        when, faults = compile_condition(table.get("when", "true"), table["finding"])
        for found, expected in faults:
            self._at(section, index, "when", found, expected)
        return None if faults else self._built(table, when)

    def _at(self, section: str, index: int, key: str, found: object, expected: str) -> None:
        line = self.locator.line_in(section, index, key)
        self.fault(line, f"{section}[{index}]" + (f".{key}" if key else ""), found, expected)

    def _key(self, section: str, index: int, key: str, value: object) -> None:
        """Look at one key of a clause and its value."""
        wanted = _CLAUSE_KEYS.get(key)
        if wanted is None:
            hint = closest(key, _CLAUSE_KEYS)
            self._at(section, index, key, repr(key), f"a known key{hint}")
        elif not isinstance(value, wanted):
            self._at(section, index, key, repr(value), wanted.__name__)
        elif key in _CHOICES and value not in _CHOICES[key]:
            hint = closest(str(value), _CHOICES[key])
            self._at(section, index, key, repr(value), f"one of its values{hint}")

    def _rest(self, section: str, index: int, table: dict[str, Any]) -> None:
        """Look at what a clause lacks, and at its games."""
        for key in ("id", "finding", "verdict"):
            if key not in table:
                self._at(section, index, "", "nothing", f"the key {key!r}")
        for game in table.get("games", []):
            if game not in PLANS:
                hint = closest(str(game), PLANS)
                self._at(section, index, "games", repr(game), f"a game{hint}")
        if not table.get("source"):
            self._at(section, index, "source", "no citation", "a source")

    def _built(self, table: dict[str, Any], when: Condition) -> Clause:
        decider = table.get("decider") or (
            "claim"
            if "callable_by" in table
            else "floor"
            if table["verdict"] == "floor"
            else "book"
        )
        return Clause(
            **{
                k: v
                for k, v in table.items()
                if k not in ("games", "remedy", "cite", "when", "decider")
            },
            when=when,
            games=frozenset(table.get("games", ())),
            remedy=tuple(table.get("remedy", ())),
            cite=tuple(table.get("cite", ())) or (table["id"],),
            decider=decider,
            layer=self.layer,
        )


def compile_book(
    text: str, *, file: str, house: str | None = None, house_file: str = "house"
) -> RuleBook:
    """Read a book and what is laid over it.

    Args:
        text: The book.
        file: Its name, for faults.
        house: The text of a house file, or None.
        house_file: Its name, for faults.

    Raises:
        BookError: With every fault of both texts.
    """
    reader = _Reader(text, file, 0)
    reader.keys(_BOOK_KEYS)
    for key in ("name", "version", "title", "games"):
        if key not in reader.data and not reader.faults:
            reader.fault(1, key, "nothing", f"the key {key!r}")
    clauses = reader.clauses("clause")
    faults = list(reader.faults)
    if house is not None:
        clauses, more = _lay_over(clauses, house, house_file)
        faults += more
    faults += _conflicts(clauses, file)
    if faults:
        raise BookError(faults)
    return _bound(reader.data, clauses, text, house or "")


def _bound(data: dict[str, Any], clauses: list[Clause], text: str, house: str) -> RuleBook:
    by_finding: dict[str, tuple[Clause, ...]] = {}
    for clause in sorted(clauses, key=lambda c: c.precedence, reverse=True):
        by_finding[clause.finding] = (*by_finding.get(clause.finding, ()), clause)
    digest = hashlib.sha256(f"{text}\0{house}".encode()).hexdigest()
    return RuleBook(
        name=data["name"],
        version=data["version"],
        title=data["title"],
        hash=digest,
        games=tuple(data["games"]),
        clauses=tuple(clauses),
        by_finding=by_finding,
        dealt_by=data.get("dealt_by", "house"),
        substantial_action=data.get("substantial_action", "tda-36"),
        text=text,
        house_text=house,
        shadowed=_shadowed(clauses),
    )


def _lay_over(clauses: list[Clause], house: str, file: str) -> tuple[list[Clause], list[Fault]]:
    """Lay a house file over the clauses of a book."""
    reader = _Reader(house, file, 2)
    shorts = {k: v for k, v in reader.data.items() if k in KINDS}
    reader.keys(_HOUSE_KEYS | KINDS)
    added = reader.clauses("clause")
    replaced = reader.clauses("replace")
    ids = {clause.id for clause in clauses}
    for section, group in (
        ("disable", reader.data.get("disable", [])),
        ("replace", [c.id for c in replaced]),
    ):
        for clause_id in group:
            if clause_id not in ids:
                hint = closest(clause_id, ids)
                reader.fault(
                    reader.locator.line(section),
                    section,
                    repr(clause_id),
                    f"a clause of the book{hint}",
                )
    for finding, verdict in shorts.items():
        if verdict not in VERDICTS:
            hint = closest(str(verdict), VERDICTS)
            reader.fault(reader.locator.line(finding), finding, repr(verdict), f"a verdict{hint}")
    if reader.faults:
        return clauses, reader.faults
    gone = {*reader.data.get("disable", []), *(c.id for c in replaced)}
    kept = [c for c in clauses if c.id not in gone and c.finding not in shorts]
    short = [_short(finding, verdict) for finding, verdict in shorts.items()]
    return [*kept, *added, *replaced, *short], []


def _short(finding: str, verdict: str) -> Clause:
    when, _ = compile_condition("true", finding)
    return Clause(
        id=f"house:{finding}",
        finding=finding,
        verdict=verdict,
        when=when,
        decider="floor" if verdict == "floor" else "book",
        cite=(f"house:{finding}",),
        source="house rule",
        basis="house",
        layer=2,
    )


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


def _conflicts(clauses: list[Clause], file: str) -> list[Fault]:
    """Return a fault for each pair of clauses that could apply with the same precedence."""
    return [
        Fault(
            file,
            0,
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
