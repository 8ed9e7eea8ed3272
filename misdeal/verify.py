"""Checks a journal's hash chain; stands alone, so that an auditor can read and run this one file.

A journal is an SQLite file with two tables. ``header(key, value)`` holds what every row rests on:
versions, the table file, the rule book. ``record(seq, kind, at_ns, body, hash)`` holds what
happened, one row after the other from 0. The hash of a row is SHA-256 over the hash of the row
before and the row's own content; the hash before row 0 is that of the header. A changed, missing,
added or moved row breaks the chain where it stands. Rows cut off at the end do not: for that, the
last hash has to be kept elsewhere.

    python verify.py journal.db
"""

import hashlib
import json
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Verdict(NamedTuple):
    """What a journal's chain proves."""

    rows: int
    """Rows that are sound, counted from the first."""
    head: str
    """Hash of the last sound row, in hex."""
    broken_at: int | None = None
    """The first row that does not follow; None where every row does."""
    why: str = ""


def header_hash(header: Mapping[str, str]) -> bytes:
    """Return the hash that row 0 follows."""
    pairs = [[key, header[key]] for key in sorted(header)]
    return hashlib.sha256(json.dumps(pairs, ensure_ascii=False).encode()).digest()


def row_hash(before: bytes, seq: int, kind: str, at_ns: int, body: str) -> bytes:
    """Return the hash of a row: it holds the hash of the row before and the row's content."""
    return hashlib.sha256(before + f"{seq}\n{kind}\n{at_ns}\n{body}".encode()).digest()


def verify(path: Path) -> Verdict:
    """Check every row of a journal, which may be written to meanwhile.

    Raises:
        sqlite3.Error: If the file is no journal or cannot be read.
    """
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        before = header_hash(dict(connection.execute("SELECT key, value FROM header")))
        expected = 0
        rows = connection.execute("SELECT seq, kind, at_ns, body, hash FROM record ORDER BY seq")
        for seq, kind, at_ns, body, stored in rows:
            if seq != expected:
                return Verdict(expected, before.hex(), expected, "the row is missing")
            computed = row_hash(before, seq, kind, at_ns, body)
            if computed != stored:
                return Verdict(
                    expected, before.hex(), seq, "it does not follow from the row before"
                )
            before, expected = computed, seq + 1
        return Verdict(expected, before.hex())
    finally:
        connection.close()


def main(arguments: Sequence[str] = sys.argv) -> int:
    """Check the journal that the command line names; 0 sound, 1 broken, 2 no journal."""
    try:
        verdict = verify(Path(arguments[1]))
    except (IndexError, sqlite3.Error) as error:
        sys.stderr.write(f"{error}; usage: python verify.py JOURNAL\n")
        return 2
    state = "sound" if verdict.broken_at is None else f"broken at {verdict.broken_at}"
    sys.stdout.write(
        f"{verdict.rows} rows, head {verdict.head}, {state} {verdict.why}".rstrip() + "\n"
    )
    return 0 if verdict.broken_at is None else 1


if __name__ == "__main__":
    sys.exit(main())
