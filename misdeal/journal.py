"""The journal: what happened and what was ruled, on disk before anyone is told.

One SQLite file in WAL mode with ``synchronous=FULL``, one writing connection, one thread that
alone uses it. What waits while a commit is under way goes into the next one together, so a burst
costs one disk flush and not one for each event. ``misdeal.verify`` has the format and the chain.
"""

import fcntl
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, Self

from msgspec import Struct

from misdeal.errors import (
    JournalBrokenError,
    JournalBusyError,
    JournalForeignError,
    JournalKeyError,
    JournalWriteError,
    NotAJournalError,
)
from misdeal.sealing import Seal, key_path, line_of
from misdeal.verify import HeadsError, beside, kept_heads, row_hash, verify

SCHEMA = "1"

_MUST_AGREE = {
    "schema": "journal format",
    "engine": "version of misdeal",
    "setup": "table set-up",
    "book": "rule book",
    "house": "house rules",
}
"""Keys of the header that a journal must share with the table that goes on with it."""

Kind = Literal["started", "event", "ruling", "refused", "person", "ended", "head"]


class Entry(Struct, frozen=True):
    """Something to be kept: what it is, when it was captured, and its JSON.

    The body of a head is what ended, ``hand`` or ``shift``, until the journal has signed it.
    """

    kind: Kind
    at_ns: int
    body: str


class Record(Struct, frozen=True):
    """An entry that is kept, and its number from 0."""

    seq: int
    kind: Kind
    at_ns: int
    body: str


Batch = tuple[Sequence[Entry], Callable[[], object]]

# Entries that one commit takes at most. A burst of this size was written in 3 ms; without a bound
# the first of a very long burst would wait for the last.
MAX_GROUP = 512


class Journal:
    """An open journal; the only writer of its file.

    ``append`` returns at once. What is appended together is kept together or not at all.
    """

    def __init__(
        self,
        path: Path,
        header: Mapping[str, str],
        *,
        seal: Seal | None = None,
        max_group: int = MAX_GROUP,
    ) -> None:
        """Open a journal, and begin it where there is none.

        Args:
            path: The SQLite file.
            header: What the rows rest on; an older journal must have been begun with the same.
            seal: Signs the heads; where there is none, none are kept.
            max_group: Batches that one commit takes at most.

        Raises:
            JournalBusyError: If another controller writes it.
            JournalForeignError: If it was begun with another header.
            JournalBrokenError: If its chain breaks, or its end is cut off.
            JournalKeyError: If another key signed it.
            JournalWriteError: If the disk is full or may not be written.
            NotAJournalError: If the file is something else.
        """
        self.path = path
        self._seal = seal
        self.failure: Future[None] = Future()
        """Fails when the file cannot be written any more; nothing is kept or reported then."""
        self._max_group = max_group
        self._queue: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        with ExitStack() as undo:
            try:
                self._lock = _take_lock(path)
                undo.callback(os.close, self._lock)
                opened = _open(path, {"schema": SCHEMA, **header}, seal)
            except (sqlite3.Error, OSError) as error:
                raise JournalWriteError(path, str(error)) from error
            self._connection, self._seq, self._hash = opened
            undo.pop_all()
        self._thread = threading.Thread(target=self._write_all, name="journal", daemon=True)
        self._thread.start()

    def append(self, entries: Sequence[Entry], then: Callable[[], object]) -> None:
        """Keep entries, and call back in the writing thread when the disk has them."""
        self._queue.put((entries, then))

    def close(self) -> None:
        """Write what waits and close the file."""
        self._queue.put(None)
        self._thread.join()
        self._connection.close()
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_all(self) -> None:
        while group := self._next_group():
            try:
                self._commit([entry for entries, _ in group for entry in entries])
            except (sqlite3.Error, OSError) as error:
                self.failure.set_exception(JournalWriteError(self.path, str(error)))
                return
            for _, then in group:
                then()

    def _next_group(self) -> list[Batch]:
        """Wait for a batch and take those that wait behind it; none at the end."""
        group: list[Batch] = []
        while len(group) < self._max_group:
            try:
                batch = self._queue.get(block=not group)
            except queue.Empty:
                break
            if batch is None:
                self._queue.put(None)
                break
            group.append(batch)
        return group

    def _commit(self, entries: Sequence[Entry]) -> None:
        rows, heads = [], []
        for entry in entries:
            body = entry.body
            if entry.kind == "head":
                if self._seal is None or not self._seq:
                    continue
                body = self._seal.head(self._seq - 1, self._hash, entry.at_ns, entry.body)
                heads.append(body)
            self._hash = row_hash(self._hash, self._seq, entry.kind, entry.at_ns, body)
            rows.append((self._seq, entry.kind, entry.at_ns, body, self._hash))
            self._seq += 1
        with self._connection:
            self._connection.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?)", rows)
        if heads:
            _keep_heads(self.path, heads)


class JournalReader:
    """Reads a journal, which may be written to meanwhile; never writes."""

    def __init__(self, path: Path) -> None:
        """Open a journal for reading alone.

        Raises:
            NotAJournalError: If the file is none that this version reads.
        """
        self.path = path
        try:
            self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
            pairs = self._connection.execute("SELECT key, value FROM header").fetchall()
        except sqlite3.Error as error:
            raise NotAJournalError(path, str(error)) from error
        self.header: dict[str, str] = dict(pairs)
        if self.header.get("schema") != SCHEMA:
            raise NotAJournalError(path, f"schema {self.header.get('schema')}, expected {SCHEMA}")

    def records(self, *, after: int = -1) -> Iterator[Record]:
        """Return the rows behind a row, in order; rows written meanwhile may be left out."""
        rows = self._connection.execute(
            "SELECT seq, kind, at_ns, body FROM record WHERE seq > ? ORDER BY seq", (after,)
        )
        return (Record(*row) for row in rows)

    def heads(self, *, after: int = -1) -> Iterator[Record]:
        """Return the signed heads behind a row, in order."""
        rows = self._connection.execute(
            "SELECT seq, kind, at_ns, body FROM record WHERE seq > ? AND kind = 'head' "
            "ORDER BY seq",
            (after,),
        )
        return (Record(*row) for row in rows)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_being_written(path: Path) -> bool:
    """Say whether a controller has the journal open for writing."""
    lock = _lock_path(path)
    if not lock.exists():
        return False
    with lock.open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def set_aside(path: Path) -> Path | None:
    """Rename a journal to the first free ``NAME.1``, ``NAME.2`` ...; None where there is none.

    The heads beside it go with it, and where they alone are left, they alone.
    """
    heads = beside(path)
    if not path.exists() and not heads.exists():
        return None
    lock = _take_lock(path)
    try:
        number = 1
        while (aside := path.with_name(f"{path.name}.{number}")).exists():
            number += 1
        if heads.exists():
            heads.rename(beside(aside))
        if not path.exists():
            return beside(aside)
        _connect(path).close()  # the last one to leave folds the write-ahead log into the file
        return path.rename(aside)
    finally:
        os.close(lock)


def _lock_path(path: Path) -> Path:
    """Name the file to lock: closing a second handle of the journal would undo SQLite's locks."""
    return path.with_name(path.name + ".lock")


def _take_lock(path: Path) -> int:
    handle = os.open(_lock_path(path), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise JournalBusyError(path) from error
    return handle


def _open(
    path: Path, header: Mapping[str, str], seal: Seal | None
) -> tuple[sqlite3.Connection, int, bytes]:
    """Return the writing connection, the number of the next row and the hash that it follows."""
    heads = _mend_heads(path)
    if not path.exists():
        if heads:
            raise JournalBrokenError(path, 0, "it is gone, but its heads are there")
        _begin(path, header)
    with JournalReader(path) as reader:
        differs = [
            words for key, words in _MUST_AGREE.items() if reader.header.get(key) != header.get(key)
        ]
        if differs:
            raise JournalForeignError(path, differs)
        verdict = verify(path, heads=heads)
        if verdict.broken_at is not None:
            raise JournalBrokenError(path, verdict.broken_at, verdict.why)
        if seal is not None:
            if verdict.key and verdict.key not in seal.public_keys():
                raise JournalKeyError(key_path(path), _other_key(verdict.key))
            # A head that signs row 7 is row 8; a controller that was killed may not have told it.
            _keep_heads(
                path, [each.body for each in reader.heads(after=max(heads, default=-1) + 1)]
            )
    return _connect(path), verdict.rows, bytes.fromhex(verdict.head)


def _other_key(key: str) -> str:
    return (
        f"{key} signed it until now; `misdeal journal key --change` finishes a change that was cut "
        "short, --new-journal sets the journal aside and begins a new one"
    )


def _mend_heads(path: Path) -> dict[int, str]:
    """Read the heads beside a journal; a line that a power cut left half written is taken away."""
    heads = beside(path)
    if heads.exists():
        text = heads.read_bytes()
        if not text.endswith(b"\n") and text:
            os.truncate(heads, text.rfind(b"\n") + 1)
    try:
        return kept_heads(path)
    except HeadsError as error:
        raise NotAJournalError(heads, str(error)) from error


def _keep_heads(path: Path, bodies: Sequence[str]) -> None:
    """Write heads beside a journal, and return when the disk has them."""
    if not bodies:
        return
    handle = os.open(beside(path), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        file.write("".join(f"{line_of(body)}\n" for body in bodies))
        file.flush()
        os.fsync(file.fileno())


def _begin(path: Path, header: Mapping[str, str]) -> None:
    """Write an empty journal; it gets its name when it is whole, so none is ever half begun."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    connection = _connect(draft)
    connection.execute("CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    connection.execute(
        "CREATE TABLE record (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, "
        "at_ns INTEGER NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL)"
    )
    with connection:
        connection.executemany("INSERT INTO header VALUES (?, ?)", header.items())
    connection.close()
    draft.rename(path)


def _connect(path: Path) -> sqlite3.Connection:
    """Open for writing; the writing thread takes the connection over and alone uses it then."""
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection
