"""The table script language: text in, what the sensors and people would tell out, and a verdict.

A script is TOML for the frame and one short string an event. Reading it finds every fault of
its grammar; performing it turns each line into the events that readers, camera and operator
would emit from a full set of sensors. Source: the table-script format, version 1.
"""

import re
import tomllib
from typing import Any

from msgspec import Struct

from engine.booktext import Locator, closest
from engine.cards import FLOOR, PLACES, SHOE, parse_card, parse_place, seat_place
from engine.errors import CardError, Fault, PlaceError, ScriptError, StatementError
from engine.games import PLANS
from engine.rulebook import KINDS
from engine.setup import TableSetup
from engine.statements import SENTENCES, parse_statement
from engine.words import VERDICTS

SECOND_NS = 1_000_000_000

_FRAME: dict[str, type | tuple[type, ...]] = {
    "script": int, "game": str, "rulebook": str, "seats": list, "tableseats": list,
    "button": int, "dealer": int, "due_dealer": int, "absent": list, "penalty": dict,
    "decks": int, "house": dict, "actions": str, "prepared": bool, "events": list,
    "clean": bool, "never": list, "expect": list, "reject": list,
}  # fmt: skip
_EXPECT: dict[str, type] = {
    "after": int, "finding": str, "place": str, "card": str, "verdict": str, "state": str,
    "cite": str, "asks": list, "callable_by": list, "next_dealer": str,
}  # fmt: skip
_STATES = ("open", "final", "expired", "superseded")
_CARD_WORD = re.compile(r"(?:[2-9TJQKA][shdc]|JK)(?:#\d+|@other)?|X(?:#\d+)?|\?")
_TIME = re.compile(r"@(\d+(?:\.\d+)?)\s+")
FULL_SENSORS = frozenset(PLACES - {FLOOR})


class Line(Struct, frozen=True):
    """One event of a script: its words and its time."""

    text: str
    verb: str
    words: tuple[str, ...]
    at_ns: int


class Expectation(Struct, frozen=True, kw_only=True):
    """What must, or must not, stand after an event."""

    after: int
    finding: str | None = None
    place: str | None = None
    card: str | None = None
    verdict: str | None = None
    state: str | None = None
    cite: str | None = None
    asks: tuple[str, ...] | None = None
    callable_by: frozenset[str] | None = None
    next_dealer: str | None = None

    def __str__(self) -> str:
        given = {
            name: getattr(self, name)
            for name in self.__struct_fields__
            if getattr(self, name) is not None
        }
        return ", ".join(
            f"{name} = {sorted(value) if isinstance(value, frozenset) else value}"
            for name, value in given.items()
        )


class Script(Struct, frozen=True, kw_only=True):
    """A script that was read and found sound."""

    file: str
    setup: TableSetup
    rulebook: str
    house: str | None
    lines: tuple[Line, ...]
    expects: tuple[Expectation, ...]
    rejects: tuple[Expectation, ...]
    clean: bool
    never: tuple[str, ...]


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = text
        self.faults: list[Fault] = []
        self.locator = Locator(text)

    def fault(self, line: int, key: str, found: object, expected: str) -> None:
        self.faults.append(Fault(self.file, line, key, str(found), expected))

    def read(self) -> Script:
        data = self._toml()
        self._types(data, _FRAME, "", self.locator.line)
        for key in ("script", "game", "rulebook", "seats", "events"):
            if key not in data and not self._is_broken(data):
                self.fault(1, key, "nothing", f"the key {key!r}")
        if self.faults:
            raise ScriptError(self.faults)
        self._values(data)
        lines = self._lines(data["events"])
        expects = self._expectations(data, "expect", len(lines))
        rejects = self._expectations(data, "reject", len(lines))
        if self.faults:
            raise ScriptError(self.faults)
        return Script(
            file=self.file,
            setup=_setup(data),
            rulebook=data["rulebook"],
            house=_house(data.get("house", {})),
            lines=lines,
            expects=expects,
            rejects=rejects,
            clean=data.get("clean", False),
            never=tuple(data.get("never", ())),
        )

    def _is_broken(self, data: dict[str, Any]) -> bool:
        return not data and bool(self.faults)

    def _toml(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            self.fault(self.locator.line_of_error(str(error)), "", error, "TOML")
            return {}

    def _types(self, table: dict[str, Any], known: dict[str, Any], name: str, line: Any) -> None:
        for key, value in table.items():
            wanted = known.get(key)
            if wanted is None:
                self.fault(line(key), name + key, repr(key), f"a known key{closest(key, known)}")
            elif not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
                self.fault(line(key), name + key, repr(value), wanted.__name__)

    def _values(self, data: dict[str, Any]) -> None:
        line = self.locator.line
        game = data["game"]
        if data["script"] != 1:
            self.fault(line("script"), "script", data["script"], "version 1")
        if game not in PLANS:
            self.fault(line("game"), "game", repr(game), f"a game{closest(game, PLANS)}")
        if data.get("actions", "entered") not in ("entered", "none"):
            self.fault(line("actions"), "actions", repr(data["actions"]), "'entered' or 'none'")
        if data.get("decks", 1) < 1:
            self.fault(line("decks"), "decks", data["decks"], "at least 1")
        for verdict in data.get("never", []):
            if verdict not in VERDICTS:
                hint = closest(str(verdict), VERDICTS)
                self.fault(line("never"), "never", repr(verdict), f"a verdict{hint}")
        if not data["seats"] and game in PLANS and not PLANS[game].places:
            self.fault(line("seats"), "seats", "no seat", "at least one seat")
        self._seats(data)

    def _seats(self, data: dict[str, Any]) -> None:
        for key in ("seats", "tableseats", "absent"):
            for seat in data.get(key, []):
                self._seat(key, seat)
        for key in ("button", "dealer", "due_dealer"):
            if key in data:
                self._seat(key, data[key], data["seats"])
        for seat in data.get("penalty", {}):
            self._seat("penalty", int(seat) if seat.isdecimal() else seat)

    def _seat(self, key: str, seat: Any, among: list[Any] | None = None) -> None:
        line = self.locator.line(key)
        if not isinstance(seat, int) or not 1 <= seat <= 10:
            self.fault(line, key, repr(seat), "a seat from 1 to 10")
        elif among and seat not in among:
            self.fault(line, key, seat, f"one of the seats {', '.join(map(str, among))}")

    def _event_line(self, index: int) -> int:
        """Return the line on which an event of the array stands."""
        start = self.locator.line("events")
        found = -1
        for number, line in enumerate(self.text.splitlines()[start - 1 :], start=start):
            body = line.split("=", 1)[1] if number == start and "=" in line else line
            found += len(re.findall(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'', body))
            if found >= index:
                return number
        return start

    def _lines(self, texts: list[Any]) -> tuple[Line, ...]:
        lines: list[Line] = []
        at_ns = 0
        for index, text in enumerate(texts):
            where = (self._event_line(index), f"events[{index + 1}]")
            if not isinstance(text, str):
                self.fault(*where, repr(text), "an event string")
                continue
            timed = _TIME.match(text)
            at_ns = round(float(timed[1]) * SECOND_NS) if timed else at_ns + SECOND_NS
            body = text[timed.end() :] if timed else text
            if lines and at_ns < lines[-1].at_ns:
                self.fault(*where, text, "a time not before the event above")
            verb, *words = body.split() or [""]
            for found, expected in check_line(verb, words):
                self.fault(*where, found, expected)
            lines.append(Line(body, verb, tuple(words), at_ns))
        return tuple(lines)

    def _expectations(
        self, data: dict[str, Any], section: str, last: int
    ) -> tuple[Expectation, ...]:
        read: list[Expectation] = []
        for index, table in enumerate(data.get(section, [])):

            def line(key: str, index: int = index) -> int:
                return self.locator.line_in(section, index, key)

            name = f"{section}[{index + 1}]."
            before = len(self.faults)
            if not isinstance(table, dict):
                self.fault(line(""), section, repr(table), "a table")
                continue
            self._types(table, _EXPECT, name, line)
            if len(self.faults) > before:
                continue
            self._words(table, name, line, last)
            read.append(
                Expectation(
                    **{
                        **table,
                        "after": table.get("after", last),
                        "asks": tuple(table["asks"]) if "asks" in table else None,
                        "callable_by": frozenset(table["callable_by"])
                        if "callable_by" in table
                        else None,
                    }
                )
            )
        return tuple(read)

    def _words(self, table: dict[str, Any], name: str, line: Any, last: int) -> None:
        for key, known in (("finding", KINDS), ("verdict", VERDICTS), ("state", _STATES)):
            if key in table and table[key] not in known:
                hint = closest(table[key], known)
                self.fault(line(key), name + key, repr(table[key]), f"a known {key}{hint}")
        if not 1 <= table.get("after", last) <= last:
            self.fault(line("after"), name + "after", table["after"], f"an event from 1 to {last}")


def read_script(text: str, *, file: str) -> Script:
    """Read a table script.

    Raises:
        ScriptError: With every fault of its frame, its events and its expectations.
    """
    return _Reader(text, file).read()


def _setup(data: dict[str, Any]) -> TableSetup:
    seats = tuple(map(seat_place, data["seats"]))
    return TableSetup(
        game=data["game"],
        seats=seats,
        tableseats=tuple(map(seat_place, data.get("tableseats", data["seats"]))),
        button=seat_place(data["button"]) if "button" in data else None,
        dealer=seat_place(data["dealer"]) if "dealer" in data else None,
        due_dealer=seat_place(data["due_dealer"]) if "due_dealer" in data else None,
        absent=frozenset(map(seat_place, data.get("absent", ()))),
        penalty={seat_place(int(k)): v for k, v in data.get("penalty", {}).items()},
        decks=data.get("decks", 1),
        actions=data.get("actions", "entered"),
        prepared=data.get("prepared", True),
        readers=FULL_SENSORS,
    )


def _house(house: dict[str, Any]) -> str | None:
    """Return a house table of a script as the text of a house file."""
    if not house:
        return None
    lines = [f"{key} = {_toml_value(v)}" for key, v in house.items() if not _is_tables(v)]
    for key, value in house.items():
        for table in value if _is_tables(value) else ():
            lines.append(f"[[{key}]]")
            lines += [f"{k} = {_toml_value(v)}" for k, v in table.items()]
    return "\n".join(lines) + "\n"


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return str(value)


# ---------------------------------------------------------------- the grammar of an event
Wrong = list[tuple[str, str]]


def check_line(verb: str, words: list[str]) -> Wrong:
    """Return what is wrong with an event as pairs of found and expected; empty if sound."""
    text = " ".join([verb, *words])
    form = _FORMS.get(verb)
    if verb == "deal" and words == ["ends"]:
        return []
    if form is not None:
        return _check_form(text, form, words)
    if verb == "collect":
        return [(repr(text), "nothing after 'collect'")] if words else []
    if verb in SENTENCES or verb == "say":
        try:
            parse_statement(text, 0)
        except StatementError as error:
            return [(repr(text), error.reason)]
        return []
    known = [*_FORMS, *SENTENCES, "say", "collect"]
    return [(repr(text), f"an event{closest(verb, known)}")]


# Each form is a list of slots: a card, a place, an option or the word itself; ``*`` repeats,
# ``?`` may be missing.
_FORMS: dict[str, tuple[str, ...]] = {
    "deal": ("card", "place", "options:up by=player unread"),
    "round": ("place*",),
    "stuck": ("card", "card", "place"),
    "stray": ("card", "place"),
    "seen": ("card", "=as", "card"),
    "boxed": ("card", "place?"),
    "expose": ("card", "options:by=dealer by=player"),
    "turn": ("card", "=down"),
    "burn": ("card?",),
    "board": ("card", "card*"),
    "move": ("card", "place"),
    "muck": ("place",),
    "discard": ("place", "card", "card*"),
    "mark": ("card",),
}


def _check_form(text: str, form: tuple[str, ...], words: list[str]) -> Wrong:
    wrong: Wrong = []
    left = list(words)
    for slot in form:
        kind, many = slot.rstrip("*?"), slot[-1:]
        if slot.startswith("options:"):
            options = slot[8:].split()
            wrong += [
                (repr(word), f"one of {', '.join(options)}") for word in left if word not in options
            ]
            left = []
        elif many == "*":
            wrong += [w for word in left for w in _check_word(kind, word)]
            left = []
        elif left:
            wrong += _check_word(kind, left.pop(0))
        elif many != "?":
            wrong.append((repr(text), f"a {kind.lstrip('=')} more"))
    if left:
        wrong.append((repr(" ".join(left)), "nothing more"))
    return wrong


def _check_word(kind: str, word: str) -> Wrong:
    if kind.startswith("="):
        return [] if word == kind[1:] else [(repr(word), repr(kind[1:]))]
    if kind == "place":
        try:
            place = parse_place(word)
        except PlaceError as error:
            return [(repr(word), str(error).split("expected ")[-1])]
        return [] if place not in (SHOE, "pack") else [(repr(word), "a place where cards lie")]
    if _CARD_WORD.fullmatch(word):
        return []
    try:
        parse_card(re.split("[#@]", word)[0])
    except CardError as error:
        return [(repr(word), str(error).split("expected ")[-1])]
    return [(repr(word), "a card such as 9h, 9h#2, 9h@other, X or ?")]
