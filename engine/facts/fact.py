"""What a fact is, and the register of all of them.

A fact is computed from the table, the matter in hand and its siblings only when a condition
names it. What nobody has told and no sensor can see is ``Unknown`` with the values that it may
have; the ruling then tries each of them and asks where the verdict depends on it.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from engine.state import Finding, Table

Value = bool | int | str


class Unknown(Struct, frozen=True):
    """A fact that is not known, and the values that it may have."""

    values: tuple[Value, ...]
    ask: str = ""
    """The name under which it is asked for, where that is not the fact's own."""


class Scene(Struct, frozen=True):
    """What a fact is computed from."""

    table: Table
    finding: Finding
    siblings: tuple[Finding, ...]
    """All live findings of the same kind, in the order in which they were found."""
    substantial: str = "tda-36"
    """How the rule book defines substantial action."""
    is_upheld: bool = False
    """A claim on this matter has been upheld."""


class Fact(Struct, frozen=True):
    """One fact: what it means, what values it takes, and which findings have it."""

    name: str
    meaning: str
    type: type
    compute: Callable[[Scene], Any]
    values: tuple[Value, ...] = ()
    """All values that a text may have; empty for a text that is free."""
    kinds: frozenset[str] = frozenset()
    """Findings that have it; empty for every one."""


FACTS: dict[str, Fact] = {}
"""Every fact that a condition may name."""


def fact(
    kind: type, *kinds: str, values: tuple[Value, ...] = ()
) -> Callable[[Callable[[Scene], Any]], Callable[[Scene], Any]]:
    """Register a function as a fact of its own name; its docstring is the fact's meaning."""

    def add(compute: Callable[[Scene], Any]) -> Callable[[Scene], Any]:
        name = compute.__name__
        meaning = (compute.__doc__ or "").strip()
        FACTS[name] = Fact(name, meaning, kind, compute, values, frozenset(kinds))
        return compute

    return add


def found(name: str, meaning: str, kind: type, *kinds: str, values: tuple[Value, ...] = ()) -> None:
    """Add a fact that was fixed when the finding was made."""
    default: Any = kind()

    def compute(scene: Scene) -> Any:
        return scene.finding.facts.get(name, default)

    FACTS[name] = Fact(name, meaning, kind, compute, values, frozenset(kinds))
