"""Every error of the program, under one root; each says in one line what a person can do.

MisdealError
 +-- TableFileError          a table file that does not check, with every fault found
 +-- CalibrationError        a camera's calibration that cannot be used, with every fault found
 +-- FileExistsAlreadyError  a file that would be overwritten
 +-- JournalError
 |    +-- NotAJournalError       a file that is no journal, or of another version
 |    +-- JournalBusyError       another controller writes it
 |    +-- JournalBrokenError     its hash chain breaks
 |    +-- JournalForeignError    it was begun with other rules or another table
 |    +-- JournalDivergedError   the engine rules otherwise than it did when it was written
 |    +-- JournalKeyError        the key that signs it cannot be used
 |    +-- JournalWriteError      it cannot be written any more: the table must stop
 +-- NotARecordingError      a file that is no recording of a reader's traffic
 +-- DoorError               no controller answers at the socket
 +-- NotPeopleError          a file that holds no people
 +-- PersonError             a name, a role or a password that will not do
 +-- PageError               the page cannot be served as the table file says
 +-- UnknownClauseError      no clause of a rule book has such an id
 +-- ForeignGameError        a rule book that says nothing of a game
"""

from collections.abc import Sequence
from pathlib import Path

from engine.errors import Fault


class MisdealError(Exception):
    """Root of every error of the program."""


class TableFileError(MisdealError):
    """A table file that does not check; carries all its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class CalibrationError(MisdealError):
    """A calibration of a camera that cannot be used; carries all its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class FileExistsAlreadyError(MisdealError, FileExistsError):
    """A file that is there already and is not overwritten."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already; it is not overwritten")
        self.path = path

    def __str__(self) -> str:
        return str(self.args[0])


class JournalError(MisdealError):
    """Something is wrong with a journal."""


class NotAJournalError(JournalError, ValueError):
    """A file that is no journal that this version can read."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} cannot be read as a journal: {why}")
        self.path = path
        self.why = why


class JournalBusyError(JournalError):
    """Another controller writes the journal."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is being written by another controller; stop that one first")
        self.path = path


class JournalBrokenError(JournalError):
    """The hash chain of a journal breaks."""

    def __init__(self, path: Path, row: int, why: str) -> None:
        super().__init__(
            f"{path} is broken at row {row}: {why}; "
            "keep it for an auditor: --new-journal sets it aside and begins a new one"
        )
        self.path = path
        self.row = row
        self.why = why


class JournalForeignError(JournalError):
    """A journal that was begun with other rules or another table, so it cannot be gone on with."""

    def __init__(self, path: Path, differs: Sequence[str]) -> None:
        super().__init__(
            f"{path} was begun with another {' and '.join(differs)}; "
            "--new-journal sets it aside and begins a new one"
        )
        self.path = path
        self.differs = tuple(differs)


class JournalDivergedError(JournalError):
    """The engine does not rule as it did when the journal was written."""

    def __init__(self, path: Path, row: int) -> None:
        super().__init__(
            f"{path}: from row {row} on the engine rules otherwise than it did then; "
            "--new-journal sets it aside and begins a new one"
        )
        self.path = path
        self.row = row


class JournalKeyError(JournalError):
    """The private key of a journal cannot be used."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} cannot be used to sign the journal: {why}")
        self.path = path
        self.why = why


class JournalWriteError(JournalError, OSError):
    """The journal cannot be written any more, so nothing may be shown any more."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path} cannot be written: {why}; the table is not watched any more: stop dealing, "
            "make room or make the disk writable, and start again; it goes on where it was"
        )
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return str(self.args[0])


class NotARecordingError(MisdealError, ValueError):
    """A file that is no recording of a reader's traffic that this version can read."""

    def __init__(self, file: str, line: int, why: str) -> None:
        super().__init__(f"{file}:{line}: expected a line of a recording ({why})")
        self.file = file
        self.line = line
        self.why = why


class DoorError(MisdealError, ConnectionError):
    """No controller answers at the socket."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"no controller answers at {path} ({why}); is `misdeal run` running?")
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return str(self.args[0])


class NotPeopleError(MisdealError, OSError):
    """A file that holds no people, or cannot be read and written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} cannot be used for the people who may sign in: {why}")
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return str(self.args[0])


class PersonError(MisdealError, ValueError):
    """A name that nobody has or somebody has already, or a password that will not do."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name
        self.why = why


class PageError(MisdealError, OSError):
    """The page cannot be served as the table file says."""

    def __init__(self, key: str, value: object, why: str) -> None:
        super().__init__(f"[page] {key} = {value}: {why}")
        self.key = key
        self.value = value
        self.why = why

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownClauseError(MisdealError, LookupError):
    """No clause of a rule book has an id like it."""

    def __init__(self, piece: str, where: str, proposed: Sequence[str]) -> None:
        hint = f"; did you mean {', '.join(proposed)}?" if proposed else ""
        super().__init__(f"no clause {piece!r} in {where}{hint}")
        self.piece = piece
        self.where = where
        self.proposed = tuple(proposed)


class ForeignGameError(MisdealError, ValueError):
    """A rule book that says nothing of a game."""

    def __init__(self, book: str, game: str, games: Sequence[str]) -> None:
        super().__init__(f"{book} has no clause for {game}, only for {', '.join(games)}")
        self.book = book
        self.game = game
        self.games = tuple(games)
