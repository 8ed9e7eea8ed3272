"""Reading one layer of the rules: a book, a jurisdiction's file, a house's file.

A layer gathers its faults and never stops at the first. A later layer lays itself over the
clauses before it: it adds, replaces or disables, and says so in so many words.
"""

import string
import tomllib
from collections.abc import Mapping
from typing import Any

from engine.booktext import Locator, closest
from engine.clauses import CALLABLE_BY, CHIPS, KINDS, LAYERS, NEXT_DEALER, PER, UNTIL, Clause
from engine.conditions import Condition, compile_condition
from engine.errors import Fault
from engine.games import PLANS
from engine.words import VERDICTS

BOOK_KEYS = {
    "name", "version", "title", "source", "games", "dealt_by", "substantial_action", "clause",
    "note",
}  # fmt: skip
OVERLAY_KEYS = {"name", "version", "title", "source", "note", "clause", "replace", "disable"}
_CLAUSE_KEYS: dict[str, type] = {
    "id": str, "finding": str, "verdict": str, "when": str, "games": list, "decider": str,
    "callable_by": str, "until": str, "next_dealer": str, "per": str, "also": bool, "on": str,
    "remedy": list, "cite": list, "source": str, "basis": str, "plain": str,
}  # fmt: skip
_HEAD: dict[str, type] = {
    "name": str, "version": str, "title": str, "source": str, "note": str, "games": list,
    "dealt_by": str, "substantial_action": str,
}  # fmt: skip
_HEAD_CHOICES: dict[str, frozenset[str]] = {
    "dealt_by": frozenset({"house", "players"}),
    "substantial_action": frozenset({"tda-36", "two-players"}),
}
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


class LayerReader:
    """Reads one layer and gathers its faults."""

    def __init__(self, text: str, file: str, layer: int) -> None:
        self.file = file
        self.layer = layer
        self.faults: list[Fault] = []
        self.locator = Locator(text)
        self.data: dict[str, Any] = {}
        self.is_broken = False
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = self.locator.line_of_error(str(error))
            self.faults.append(Fault(file, line, "", str(error), "TOML"))
            self.is_broken = True

    def fault(self, line: int, key: str, found: object, expected: str) -> None:
        """Note a fault and read on."""
        self.faults.append(Fault(self.file, line, key, str(found), expected))

    def head(self, *, needs: tuple[str, ...] = ()) -> None:
        """Look at the keys of the text itself, and at those it must have."""
        for key in needs:
            if key not in self.data and not self.is_broken:
                self.fault(1, key, "nothing", f"the key {key!r}")
        for key, wanted in _HEAD.items():
            value = self.data.get(key)
            line = self.locator.line(key)
            if value is None:
                continue
            if not isinstance(value, wanted):
                self.fault(line, key, repr(value), wanted.__name__)
            elif key in _HEAD_CHOICES and value not in _HEAD_CHOICES[key]:
                hint = closest(str(value), _HEAD_CHOICES[key])
                self.fault(line, key, repr(value), f"one of its values{hint}")
        self._games(self.data.get("games", []))

    def _games(self, games: object) -> None:
        for game in games if isinstance(games, list) else []:
            if not isinstance(game, str) or game not in PLANS:
                hint = closest(str(game), PLANS)
                self.fault(self.locator.line("games"), "games", repr(game), f"a game{hint}")

    def keys(self, known: Mapping[str, Any] | set[str]) -> None:
        """Refuse the keys that are not known."""
        for key in self.data:
            if key not in known:
                hint = closest(key, known)
                self.fault(self.locator.line(key), key, repr(key), f"a known key{hint}")

    def clauses(self, section: str) -> list[Clause]:
        """Return the sound clauses of a section."""
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
        line = self.locator.line_in(section, index, "")
        return None if faults else self._built(table, when, line)

    def names(self, key: str) -> list[str]:
        """Return the texts of a list."""
        given = self.data.get(key, [])
        values = given if isinstance(given, list) else [given]
        for value in values:
            if not isinstance(value, str):
                self.fault(self.locator.line(key), key, repr(value), "a clause's id")
        return [value for value in values if isinstance(value, str)]

    def shorts(self) -> dict[str, str]:
        """Return the findings to which the text gives a verdict in short."""
        given = {key: value for key, value in self.data.items() if key in KINDS}
        for finding, verdict in given.items():
            if finding in ("report", "claim"):
                line = self.locator.line(finding)
                self.fault(line, finding, repr(verdict), "clauses: a report names its own")
            if not isinstance(verdict, str) or verdict not in VERDICTS:
                hint = closest(str(verdict), VERDICTS)
                line = self.locator.line(finding)
                self.fault(line, finding, repr(verdict), f"a verdict{hint}")
        return {key: str(value) for key, value in given.items()}

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
        elif key in _CHOICES and str(value) not in _CHOICES[key]:
            hint = closest(str(value), _CHOICES[key])
            self._at(section, index, key, repr(value), f"one of its values{hint}")

    def _rest(self, section: str, index: int, table: dict[str, Any]) -> None:
        """Look at what a clause lacks, and at what its lists hold."""
        for key in ("id", "finding", "verdict"):
            if key not in table:
                self._at(section, index, "", "nothing", f"the key {key!r}")
        if not table.get("source"):
            self._at(section, index, "source", "no citation", "a source")
        for key in ("games", "remedy", "cite"):
            values = table.get(key, [])
            for value in values if isinstance(values, list) else []:
                self._item(section, index, key, value)

    def _item(self, section: str, index: int, key: str, value: object) -> None:
        if not isinstance(value, str):
            self._at(section, index, key, repr(value), "a text")
        elif key == "games" and value not in PLANS:
            self._at(section, index, key, repr(value), f"a game{closest(value, PLANS)}")
        elif key == "remedy":
            self._template(section, index, value)

    def _template(self, section: str, index: int, text: str) -> None:
        """Refuse a remedy with a brace that stands for no number of chips."""
        try:
            parts = list(string.Formatter().parse(text))
        except ValueError as error:
            self._at(section, index, "remedy", repr(text), f"braces in pairs: {error}")
            return
        for _, name, form, conversion in parts:
            if name is not None and (name not in CHIPS or form or conversion):
                hint = closest(name, CHIPS)
                self._at(section, index, "remedy", repr(name), f"a number of chips{hint}")

    def _built(self, table: dict[str, Any], when: Condition, line: int) -> Clause:
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
                if k not in ("games", "remedy", "cite", "when", "decider", "basis")
            },
            when=when,
            games=frozenset(table.get("games", ())),
            remedy=tuple(table.get("remedy", ())),
            cite=tuple(table.get("cite", ())) or (table["id"],),
            decider=decider,
            basis=table.get("basis", "house" if self.layer else "text"),
            layer=self.layer,
            file=self.file,
            line=line,
        )


def lay_over(
    clauses: list[Clause], text: str, file: str, layer: int
) -> tuple[list[Clause], list[Fault]]:
    """Lay a jurisdiction's or a house's file over the clauses before it.

    Returns:
        The clauses after it, and its faults; with faults the clauses are as they were.
    """
    reader = LayerReader(text, file, layer)
    reader.head()
    reader.keys(OVERLAY_KEYS | KINDS)
    added = reader.clauses("clause")
    replaced = reader.clauses("replace")
    disabled = reader.names("disable")
    shorts = reader.shorts()
    ids = {clause.id for clause in clauses}
    for key, names in (("disable", disabled), ("replace", [c.id for c in replaced])):
        for name in names:
            if name not in ids:
                hint = closest(name, ids)
                reader.fault(
                    reader.locator.line(key), key, repr(name), f"a clause that is there{hint}"
                )
    for clause in added:
        if clause.id in ids:
            reader.fault(clause.line, "clause", repr(clause.id), "a new id, or [[replace]]")
    if reader.faults:
        return clauses, reader.faults
    gone = {*disabled, *(clause.id for clause in replaced)}
    kept = [c for c in clauses if c.id not in gone and c.finding not in shorts]
    short = [_short(finding, verdict, file, layer) for finding, verdict in shorts.items()]
    return [*kept, *added, *replaced, *short], []


def _short(finding: str, verdict: str, file: str, layer: int) -> Clause:
    when, _ = compile_condition("true", finding)
    whose = LAYERS[layer]
    return Clause(
        id=f"{whose}:{finding}",
        finding=finding,
        verdict=verdict,
        when=when,
        decider="floor" if verdict == "floor" else "book",
        cite=(f"{whose}:{finding}",),
        source=f"{whose} rule",
        basis="house",
        layer=layer,
        file=file,
    )
