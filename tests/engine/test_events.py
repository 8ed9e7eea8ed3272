"""The vocabulary: each event is told by a reader, a camera, a person or a clock."""

import ast
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from engine.cards import Card, Place, Tag
from engine.events import AnyEvent, CardRead, Event, Stated, TimePassed
from engine.table import HANDLERS

EVENTS = {kind.__name__: kind for kind in get_args(AnyEvent)}

# Who tells what at a table, and where in the source it is made. The performance of a script is
# no emitter: whatever it tells must be told by one of these as well.
EMITTERS: dict[str, dict[str, str]] = {
    "readers": {
        "CardRead": "firmware_bridge",
        "CardGone": "firmware_bridge",
        "PackCounted": "firmware_bridge",
        "DeviceFaulted": "firmware_bridge",
        "DeviceRestored": "firmware_bridge",
    },
    "camera": {
        "CardSighted": "vision",
        "CardLost": "vision",
        "BackSighted": "vision",
        "BackMarked": "vision",
    },
    "operator": {
        "CutMade": "engine/statements.py",
        "PackShuffled": "engine/statements.py",
        "CutRefused": "engine/statements.py",
        "DealEnded": "engine/statements.py",
        "ActionEntered": "engine/statements.py",
        "ClaimMade": "engine/statements.py",
        "HandTouched": "engine/statements.py",
        "HandLooked": "engine/statements.py",
        "Stated": "engine/statements.py",
        "Reported": "engine/statements.py",
        "Approved": "engine/statements.py",
    },
    "clock": {"TimePassed": "misdeal"},
}
MADE_IN = {event: place for told in EMITTERS.values() for event, place in told.items()}


def made_in(path: Path) -> set[str]:
    """Return the names of the events that the sources at a path make."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    calls = (
        node.func
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
    )
    names = {
        func.attr if isinstance(func, ast.Attribute) else func.id
        for func in calls
        if isinstance(func, (ast.Attribute, ast.Name))
    }
    return names & set(EVENTS)


def imports_of(root: Path, module: str) -> set[str]:
    """Return the modules of the engine that a module needs, directly or through others."""
    needed: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = root.joinpath(*name.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if name in needed or not file.exists():
            continue
        needed.add(name)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return needed


def test_every_event_has_somebody_at_a_table_who_tells_it() -> None:
    assert set(MADE_IN) == set(EVENTS)


@pytest.mark.parametrize("event", sorted(set(MADE_IN) - set(EMITTERS["camera"])))
def test_an_event_is_made_where_its_emitter_lives(root: Path, event: str) -> None:
    assert event in made_in(root / MADE_IN[event])


def test_a_script_tells_nothing_that_no_table_would_tell(root: Path) -> None:
    assert made_in(root / "engine" / "performing.py") <= set(MADE_IN)


def test_what_watches_a_table_knows_nothing_of_scripts(root: Path) -> None:
    needed = imports_of(root, "engine.watch")
    assert "engine.table" in needed
    assert needed & {"engine.script", "engine.performing"} == set()


def test_every_event_of_the_vocabulary_is_handled() -> None:
    assert set(HANDLERS) == set(EVENTS.values())


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_an_event_says_when_it_was_captured_and_cannot_be_changed(name: str) -> None:
    kind = EVENTS[name]
    assert issubclass(kind, Event)
    assert "at_ns" in kind.__struct_fields__
    assert kind.__struct_config__.frozen


SOME = [
    CardRead(at_ns=5, place=Place("S1"), tag=Tag("E0"), card=Card("9h"), pack="blue"),
    Stated(at_ns=6, topic="exposed", card=Card("9h"), by="dealer"),
    TimePassed(at_ns=7),
]


@pytest.mark.parametrize("event", SOME, ids=lambda event: type(event).__name__)
def test_an_event_is_the_same_after_a_journal(event: AnyEvent) -> None:
    kept = msgspec.json.encode(event)
    assert msgspec.json.decode(kept, type=AnyEvent) == event


def test_a_field_that_no_event_has_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(b'{"event": "TimePassed", "at_ns": 7, "x": 1}', type=AnyEvent)
