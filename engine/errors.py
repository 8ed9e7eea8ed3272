"""Every error of the engine, under one root.

EngineError
 +-- CardError          a card code that means no card
 +-- PlaceError         a word that names no place at a table
 +-- StatementError     an operator's words that say nothing the engine knows
 +-- BookError          a rule book that cannot be used, with every fault found
 +-- ScriptError        a table script that cannot be read, with every fault found
 +-- SetupError         a table that cannot be watched as described
"""

from collections.abc import Sequence

from msgspec import Struct


class Fault(Struct, frozen=True):
    """One fault in a text: where it stands, what was found, what was expected."""

    file: str
    line: int
    key: str
    found: str
    expected: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        key = f"{self.key}: " if self.key else ""
        return f"{where}{key}found {self.found}, expected {self.expected}"


class EngineError(Exception):
    """Root of every error that the engine raises."""


class CardError(EngineError, ValueError):
    """A text that is no card code."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is no card: expected a rank of 23456789TJQKA and a suit of shdc, or JK"
        )
        self.text = text


class PlaceError(EngineError, ValueError):
    """A text that names no place at a table."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is no place: expected S1 to S10, D, P, B, board, burn, muck, rack, stub, "
            "floor, shoe or pack"
        )
        self.text = text


class StatementError(EngineError, ValueError):
    """An operator's words that say nothing the engine knows, or that do not fit now."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{text!r}: {reason}")
        self.text = text
        self.reason = reason


class SetupError(EngineError, ValueError):
    """A table that cannot be watched as it is described."""

    def __init__(self, key: str, found: str, expected: str) -> None:
        super().__init__(f"{key}: found {found}, expected {expected}")
        self.key = key
        self.found = found
        self.expected = expected


class FaultsError(EngineError):
    """A text with faults; carries all of them, not only the first."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class BookError(FaultsError):
    """A rule book or a house file that cannot be used."""


class ScriptError(FaultsError):
    """A table script that cannot be read."""
