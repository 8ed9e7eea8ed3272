"""The people who may sign in, and the keys that open the page to them.

One SQLite file, mode 0600, shared by the controller and ``misdeal user``. It keeps passwords as
argon2 hashes and keys as SHA-256: whoever reads the file can sign in with nothing of it. It has
SQLite's plain rollback journal, so that two processes may write it.
"""

import hashlib
import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from msgspec import Struct

from misdeal.clock import wall_s
from misdeal.errors import NotPeopleError, PersonError

Role = Literal["dealer", "supervisor", "inspector", "auditor", "administrator"]
ROLES: tuple[Role, ...] = get_args(Role)

KeyKind = Literal["session", "token", "link"]

LASTS_S: dict[KeyKind, float] = {"session": 12 * 3600, "token": 3650 * 86400, "link": 600}
"""How long a key opens: a session for a long shift, a link until it has been carried to a browser.

Chosen. A token is for a machine, and holds until it is revoked.
"""

MIN_PASSWORD = 12
"""Characters of a password at least. Source: the default of Frigate's, as houses know it."""

# One lane, so that a sign-in keeps one core busy and not four. Otherwise as RFC 9106, section 4,
# recommends second: 64 MiB, three passes.
HASHER = PasswordHasher(parallelism=1)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")

_TABLES = """\
CREATE TABLE IF NOT EXISTS person (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS key (
    hash BLOB PRIMARY KEY, kind TEXT NOT NULL, until_s REAL NOT NULL,
    name TEXT NOT NULL REFERENCES person (name) ON DELETE CASCADE);
"""


class Person(Struct, frozen=True):
    """Somebody who may sign in."""

    name: str
    role: Role


class Listed(Struct, frozen=True):
    """A person as a list shows it."""

    name: str
    role: Role
    has_password: bool
    sessions: int
    tokens: int


class People:
    """The file of people.

    Args:
        path: The file; made where there is none.
        hasher: Hashes passwords.
        now_s: The time of the wall, in seconds.

    Raises:
        NotPeopleError: If the file is something else, or cannot be read.
    """

    def __init__(
        self,
        path: Path,
        *,
        hasher: PasswordHasher = HASHER,
        now_s: Callable[[], float] = wall_s,
    ) -> None:
        self.path = path
        self._hasher = hasher
        self._now_s = now_s
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            with self._open() as database:
                database.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise NotPeopleError(path, str(error)) from error

    # ------------------------------------------------------------ people
    def add(self, name: str, role: Role, password: str | None = None) -> None:
        """Add a person; one without a password signs in by a link or a token alone.

        Raises:
            PersonError: If there is such a person already, or name or password will not do.
        """
        if not _NAME.fullmatch(name):
            raise PersonError(name, "expected letters, digits and ._@-, 64 at most")
        hashed = self._hash(name, password) if password is not None else ""
        with self._open() as database:
            if self._find(database, name):
                raise PersonError(name, "is there already")
            database.execute("INSERT INTO person VALUES (?, ?, ?)", (name, role, hashed))

    def set_role(self, name: str, role: Role) -> None:
        """Give a person another role, from the next request on.

        Raises:
            PersonError: If there is no such person.
        """
        self._change(name, "UPDATE person SET role = ? WHERE name = ?", (role, name))

    def set_password(self, name: str, password: str) -> None:
        """Give a person another password, and end all that was opened with the old one.

        Raises:
            PersonError: If there is no such person, or the password will not do.
        """
        hashed = self._hash(name, password)
        self._change(name, "UPDATE person SET password = ? WHERE name = ?", (hashed, name))
        self.revoke(name)

    def revoke(self, name: str) -> int:
        """End every session, token and link of a person; return how many there were.

        Raises:
            PersonError: If there is no such person.
        """
        return self._change(name, "DELETE FROM key WHERE name = ?", (name,))

    def remove(self, name: str) -> None:
        """Remove a person, with every session, token and link.

        Raises:
            PersonError: If there is no such person.
        """
        self._change(name, "DELETE FROM person WHERE name = ?", (name,))

    def find(self, name: str) -> Person | None:
        """Return the person of a name."""
        with self._open() as database:
            row = database.execute("SELECT name, role FROM person WHERE name = ?", (name,))
            found = row.fetchone()
        return Person(*found) if found else None

    def everybody(self) -> list[Listed]:
        """Return everybody who may sign in, by name."""
        with self._open() as database:
            rows = database.execute(
                "SELECT person.name, role, password <> '', "
                "count(*) FILTER (WHERE kind = 'session' AND until_s > ?1), "
                "count(*) FILTER (WHERE kind = 'token') "
                "FROM person LEFT JOIN key ON key.name = person.name "
                "GROUP BY person.name ORDER BY person.name",
                (self._now_s(),),
            ).fetchall()
        return [Listed(name, role, bool(has), *counts) for name, role, has, *counts in rows]

    @cached_property
    def _nobody(self) -> str:
        """A hash of nobody: whoever is not there takes as long to refuse as whoever is."""
        return self._hasher.hash(secrets.token_urlsafe())

    # ------------------------------------------------------------ keys
    def check_password(self, name: str, password: str) -> Person | None:
        """Return the person whose password it is; takes a tenth of a second on purpose."""
        with self._open() as database:
            row = database.execute(
                "SELECT role, password FROM person WHERE name = ?", (name,)
            ).fetchone()
        try:
            self._hasher.verify(row[1] if row and row[1] else self._nobody, password)
        except VerificationError:
            return None
        return Person(name, row[0]) if row and row[1] else None

    def open(self, name: str, kind: KeyKind) -> str:
        """Return a new key of a person; it is kept nowhere.

        Raises:
            PersonError: If there is no such person.
        """
        secret, now_s = secrets.token_urlsafe(32), self._now_s()
        with self._open() as database:
            if not self._find(database, name):
                raise PersonError(name, "there is nobody of this name")
            database.execute("DELETE FROM key WHERE until_s <= ?", (now_s,))
            database.execute(
                "INSERT INTO key VALUES (?, ?, ?, ?)",
                (_hash_key(secret), kind, now_s + LASTS_S[kind], name),
            )
        return secret

    def who(self, secret: str, kind: KeyKind) -> Person | None:
        """Return whose key it is, as long as it opens."""
        with self._open() as database:
            row = database.execute(
                "SELECT person.name, role FROM key JOIN person ON person.name = key.name "
                "WHERE hash = ? AND kind = ? AND until_s > ?",
                (_hash_key(secret), kind, self._now_s()),
            ).fetchone()
        return Person(*row) if row else None

    def close(self, secret: str) -> bool:
        """End a key; say whether there was one."""
        with self._open() as database:
            ended = database.execute("DELETE FROM key WHERE hash = ?", (_hash_key(secret),))
            return ended.rowcount > 0

    # ------------------------------------------------------------ the file
    def _hash(self, name: str, password: str) -> str:
        if len(password) < MIN_PASSWORD:
            raise PersonError(name, f"a password has {MIN_PASSWORD} characters at least")
        return self._hasher.hash(password)

    def _change(self, name: str, statement: str, values: tuple[str, ...]) -> int:
        with self._open() as database:
            if not self._find(database, name):
                raise PersonError(name, "there is nobody of this name")
            return database.execute(statement, values).rowcount

    @staticmethod
    def _find(database: sqlite3.Connection, name: str) -> bool:
        return bool(database.execute("SELECT 1 FROM person WHERE name = ?", (name,)).fetchone())

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection of its own: any thread may ask, and no lock outlives an answer."""
        database = sqlite3.connect(self.path)
        try:
            database.execute("PRAGMA foreign_keys = ON")
            with database:
                yield database
        finally:
            database.close()


def _hash_key(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
