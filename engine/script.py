"""The table script language: text in, what the sensors and people would tell out, and a verdict.

A script is TOML for the frame and one short string an event. Reading it finds every fault of
its grammar; performing it turns each line into the events that readers, camera and operator
would emit from a full set of sensors. Source: the table-script format, version 1.
"""

import functools
import re
import tomllib
from typing import Any

from msgspec import Struct

from engine.booktext import Locator, closest
from engine.cards import FLOOR, PACK, PLACES, SHOE, parse_card, parse_place, seat_place
from engine.clauses import KINDS
from engine.errors import CardError, Fault, PlaceError, ScriptError, StatementError
from engine.facts import ASKED
from engine.games import PLANS
from engine.rulebook import book_games, book_names
from engine.setup import TableSetup
from engine.statements import SENTENCES, parse_statement
from engine.words import VERDICTS

Wrong = list[tuple[str, str]]
"""What was found and what was expected instead."""

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
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')
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
        """Read the whole text before anything is refused, so that all faults are told."""
        given = self._toml()
        data = self._sound(given, _FRAME, "", self.locator.line)
        if given is not None:
            for key in ("script", "game", "rulebook", "seats", "events"):
                if key not in given:
                    self.fault(1, key, "nothing", f"the key {key!r}")
        self._values(data)
        self._seats(data)
        lines = self._lines(data.get("events", []))
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

    def _toml(self) -> dict[str, Any] | None:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            self.fault(self.locator.line_of_error(str(error)), "", error, "TOML")
            return None

    def _sound(
        self, table: dict[str, Any] | None, known: dict[str, Any], name: str, line: Any
    ) -> dict[str, Any]:
        """Return the keys of a table that are known and of the right type."""
        sound: dict[str, Any] = {}
        for key, value in (table or {}).items():
            wanted = known.get(key)
            if wanted is None:
                self.fault(line(key), name + key, repr(key), f"a known key{closest(key, known)}")
            elif not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
                self.fault(line(key), name + key, repr(value), wanted.__name__)
            else:
                sound[key] = value
        return sound

    def _one_of(self, key: str, value: Any, known: Any, what: str) -> None:
        """Refuse a value that is none of those known."""
        if not isinstance(value, str) or value not in known:
            hint = closest(str(value), known)
            self.fault(self.locator.line(key), key, repr(value), f"{what}{hint}")

    def _values(self, data: dict[str, Any]) -> None:
        line = self.locator.line
        game = data.get("game")
        if data.get("script", 1) != 1:
            self.fault(line("script"), "script", data["script"], "version 1")
        if "game" in data:
            self._one_of("game", game, PLANS, "a game")
        if "rulebook" in data:
            self._one_of("rulebook", data["rulebook"], book_names(), "a rule book")
        is_known = data.get("rulebook") in book_names() and game in PLANS
        if is_known and game not in book_games(data["rulebook"]):
            known = ", ".join(book_games(data["rulebook"]))
            self.fault(line("game"), "game", repr(game), f"a game of {data['rulebook']}: {known}")
        self._one_of("actions", data.get("actions", "none"), ("entered", "none"), "entered or none")
        if data.get("decks", 1) < 1:
            self.fault(line("decks"), "decks", data["decks"], "at least 1")
        for verdict in data.get("never", []):
            self._one_of("never", verdict, VERDICTS, "a verdict")
        if data.get("seats") == [] and game in PLANS and not PLANS[game].places:
            self.fault(line("seats"), "seats", "no seat", "at least one seat")

    def _seats(self, data: dict[str, Any]) -> None:
        for key in ("seats", "tableseats", "absent"):
            seats = data.get(key, [])
            for at, seat in enumerate(seats):
                self._seat(key, seat)
                if seat in seats[:at]:
                    self.fault(self.locator.line(key), key, f"seat {seat} twice", "each seat once")
        for key in ("button", "dealer", "due_dealer"):
            if key in data:
                self._seat(key, data[key], data.get("seats"))
        for seat, hands in data.get("penalty", {}).items():
            self._seat("penalty", int(seat) if re.fullmatch("[0-9]{1,2}", seat) else seat)
            if not isinstance(hands, int) or isinstance(hands, bool) or hands < 0:
                self.fault(
                    self.locator.line("penalty"), "penalty", repr(hands), "a number of hands"
                )

    def _seat(self, key: str, seat: Any, among: list[Any] | None = None) -> None:
        line = self.locator.line(key)
        if not isinstance(seat, int) or isinstance(seat, bool) or not 1 <= seat <= 10:
            self.fault(line, key, repr(seat), "a seat from 1 to 10")
        elif among and seat not in among:
            self.fault(line, key, seat, f"one of the seats {', '.join(map(str, among))}")

    def _event_line(self, index: int) -> int:
        """Return the line on which an event of the array stands."""
        start = self.locator.line("events")
        found = -1
        for number, line in enumerate(self.text.splitlines()[start - 1 :], start=start):
            body = line.split("=", 1)[1] if number == start and "=" in line else line
            found += sum(1 for word in _STRING_OR_COMMENT.findall(body) if word[0] != "#")
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
            line = functools.partial(self.locator.line_in, section, index)
            name = f"{section}[{index + 1}]"
            if not isinstance(table, dict):
                self.fault(line(""), name, repr(table), "a table")
                continue
            sound = self._sound(table, _EXPECT, f"{name}.", line)
            for key, value in sound.items():
                for found, expected in _check_expected(key, value, last):
                    self.fault(line(key), f"{name}.{key}", found, expected)
            read.append(_expectation(sound, last))
        return tuple(read)


def _expectation(table: dict[str, Any], last: int) -> Expectation:
    lists = {
        "asks": tuple(map(str, table["asks"])) if "asks" in table else None,
        "callable_by": frozenset(map(str, table["callable_by"]))
        if "callable_by" in table
        else None,
    }
    return Expectation(**{**table, "after": table.get("after", last), **lists})


def _check_expected(key: str, value: Any, last: int) -> Wrong:
    """Return what is wrong with one value of an expectation."""
    if key == "after":
        return [] if 1 <= value <= last else [(str(value), f"an event from 1 to {last}")]
    known = {"finding": KINDS, "verdict": VERDICTS, "state": _STATES}.get(key)
    if known is not None:
        return [] if value in known else [(repr(value), f"a known {key}{closest(value, known)}")]
    if key == "asks":
        return [
            (repr(fact), f"a fact that is asked for{closest(str(fact), ASKED)}")
            for fact in value
            if not isinstance(fact, str) or fact not in ASKED
        ]
    if key in ("place", "next_dealer"):
        return _check_place(value)
    if key == "callable_by":
        return [wrong for seat in value for wrong in _check_place(seat)]
    return _check_word("card", value) if key == "card" else []


def _check_place(value: Any) -> Wrong:
    try:
        parse_place(value if isinstance(value, str) else repr(value))
    except PlaceError as error:
        return [(repr(value), str(error).split("expected ")[-1])]
    return []


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
        wrong = _check_place(word)
        return wrong or ([(repr(word), "a place where cards lie")] if word in (SHOE, PACK) else [])
    if _CARD_WORD.fullmatch(word):
        return []
    try:
        parse_card(re.split("[#@]", word)[0])
    except CardError as error:
        return [(repr(word), str(error).split("expected ")[-1])]
    return [(repr(word), "a card such as 9h, 9h#2, 9h@other, X or ?")]
