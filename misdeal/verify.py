"""Checks a journal's hash chain and signed heads; stands alone, so that an auditor can run it.

A journal is an SQLite file with two tables. ``header(key, value)`` holds what every row rests on:
versions, the table file, the rule book. ``record(seq, kind, at_ns, body, hash)`` holds what
happened, one row after the other from 0. The hash of a row is SHA-256 over the hash of the row
before and the row's own content; the hash before row 0 is that of the header. A changed, missing,
added or moved row breaks the chain where it stands.

A row of the kind ``head`` signs the row before it, and so all before that. Its body is JSON:
``text`` is ``ROW HASH TIME END KEY TABLE``, ``signature`` is the ed25519 signature of that text by
KEY, the table's public key. Where KEY is not that of the head before, ``endorsed`` is the
signature of the same text by the key of the head before. All are in hex.

Whoever has the private key can sign a journal written anew, and nothing in a file shows that its
end was cut off. For that, heads have to be kept elsewhere: lines of ``ROW HASH`` and whatever
follows, where HASH may be its first 16 digits or more.

    python verify.py JOURNAL [--key PUBLIC_KEY] [--heads FILE]
"""

import argparse
import hashlib
import json
import re
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HEAD_LINE = re.compile(r"(\d+)\s+([0-9a-f]{16,64})(\s.*)?")


class HeadsError(ValueError):
    """A file of heads with a line that is none, or that another line contradicts."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(f"{path}:{line}: {why}")


class Verdict(NamedTuple):
    """What a journal proves."""

    rows: int
    """Rows that are sound, counted from the first."""
    head: str
    """Hash of the last sound row, in hex."""
    broken_at: int | None = None
    """The first row that is not as it should be; None where every row is."""
    why: str = ""
    signed: int = 0
    """How many of the sound rows a signature covers."""
    key: str = ""
    """The public key of the newest head; empty where no row is a head."""

    def __str__(self) -> str:
        if self.broken_at is not None:
            return f"{self.rows} rows sound, broken at row {self.broken_at}: {self.why}"
        signed = f"{self.signed} rows signed by {self.key}" if self.key else "no row signed"
        return f"{self.rows} rows, head {self.head}: sound; {signed}"


def header_hash(header: Mapping[str, str]) -> bytes:
    """Return the hash that row 0 follows."""
    pairs = [[key, header[key]] for key in sorted(header)]
    return hashlib.sha256(json.dumps(pairs, ensure_ascii=False).encode()).digest()


def row_hash(before: bytes, seq: int, kind: str, at_ns: int, body: str) -> bytes:
    """Return the hash of a row: it holds the hash of the row before and the row's content."""
    return hashlib.sha256(before + f"{seq}\n{kind}\n{at_ns}\n{body}".encode()).digest()


def is_signed(text: str, signature: str, key: str) -> bool:
    """Say whether a signature of a text is by the owner of a public key."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def head_fault(body: str, before: bytes, seq: int, keys: dict[str, int]) -> str:
    """Return what is wrong with a signed head, empty for nothing.

    Args:
        body: The body of its row.
        before: The hash of the row before.
        seq: The number of its row.
        keys: The keys so far, oldest first, each with the row of its first head; a new one is
            added.
    """
    try:
        head = json.loads(body)
        text, signature, endorsed = head["text"], head["signature"], head.get("endorsed", "")
        row, digest, _, _, key, _ = text.split(" ", 5)
    except (ValueError, KeyError, TypeError, AttributeError):
        return "it is no head that can be read"
    if (row, digest) != (str(seq - 1), before.hex()):
        return "it is the head of another row"
    if not is_signed(text, signature, key):
        return "its signature is not by its key"
    last = newest(keys)
    if last not in {"", key} and not is_signed(text, endorsed, last):
        return "its key is new, and the key before did not endorse it"
    if key != last:
        keys[key] = keys.pop(key, seq)
    return ""


def newest(keys: Mapping[str, int]) -> str:
    """Return the key that was added last; empty for none."""
    return next(reversed(list(keys)), "")


def read_heads(path: Path) -> dict[int, str]:
    """Read heads that were kept: the hash, or the beginning of it, of each row.

    Raises:
        HeadsError: If a line is no head, or two lines tell two hashes of one row.
        OSError: If the file cannot be read.
    """
    heads: dict[int, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        found = HEAD_LINE.fullmatch(line.strip())
        if found is None:
            raise HeadsError(path, number, f"expected ROW HASH, found {line.strip()[:80]!r}")
        row, told = int(found[1]), found[2]
        short, long = sorted((told, heads.get(row, told)), key=len)
        if not long.startswith(short):
            raise HeadsError(path, number, f"expected the hash {heads[row]}, as further up")
        heads[row] = long
    return heads


def kept_heads(journal: Path, elsewhere: Path | None = None) -> dict[int, str]:
    """Read the heads that were kept elsewhere, else those beside the journal, if there are any."""
    if elsewhere is not None:
        return read_heads(elsewhere)
    return read_heads(beside(journal)) if beside(journal).exists() else {}


def verify(path: Path, *, key: str = "", heads: Mapping[int, str] | None = None) -> Verdict:
    """Check every row of a journal, which may be written to meanwhile.

    Args:
        path: The SQLite file; it is opened for reading alone.
        key: A public key that must be among those of the journal's heads; empty for any.
        heads: Heads that were kept elsewhere, as ``read_heads`` gives them.

    Raises:
        sqlite3.Error: If the file is no journal or cannot be read.
    """
    kept, keys = heads or {}, dict[str, int]()
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        before = header_hash(dict(connection.execute("SELECT key, value FROM header")))
        expected = signed = 0
        rows = connection.execute("SELECT seq, kind, at_ns, body, hash FROM record ORDER BY seq")
        for seq, kind, at_ns, body, stored in rows:
            computed, why = row_hash(before, seq, kind, at_ns, body), ""
            if seq != expected:
                why = "the row is missing"
            elif computed != stored:
                why = "it does not follow from the row before"
            elif not computed.hex().startswith(kept.get(seq, "")):
                why = "it is not the row whose head was kept"
            elif kind == "head":
                why, signed = head_fault(body, before, seq, keys), seq
            if why:
                return Verdict(expected, before.hex(), expected, why)
            before, expected = computed, seq + 1
    finally:
        connection.close()
    broken_at, why = _lacking(expected, keys, key, max(kept, default=-1))
    return Verdict(expected, before.hex(), broken_at, why, signed, newest(keys))


def _lacking(
    rows: int, keys: Mapping[str, int], key: str, last_kept: int
) -> tuple[int | None, str]:
    """Return what a journal of sound rows lacks, and from which row on; None for nothing."""
    if last_kept >= rows:
        return rows, f"the end is cut off, for the head of row {last_kept} was kept"
    if key and key not in keys:
        first = next(iter(keys.values()), 0)
        return first, "it is signed by another key" if keys else "no row is signed"
    return None, ""


def beside(journal: Path) -> Path:
    """Return the file of heads that the controller keeps beside a journal."""
    return journal.with_name(journal.name + ".heads")


def main(arguments: Sequence[str] = sys.argv) -> int:
    """Check the journal that the command line names; 0 sound, 1 broken, 2 no journal."""
    parser = argparse.ArgumentParser(prog=arguments[0], description="Check a journal.")
    parser.add_argument("journal", type=Path)
    parser.add_argument("--key", default="", help="the public key, in hex")
    parser.add_argument("--heads", type=Path, help="heads that were kept (JOURNAL.heads)")
    asked = parser.parse_args(arguments[1:])
    try:
        verdict = verify(asked.journal, key=asked.key, heads=kept_heads(asked.journal, asked.heads))
    except (OSError, HeadsError, sqlite3.Error) as error:
        sys.stderr.write(f"{asked.journal}: {error}\n")
        return 2
    sys.stdout.write(f"{verdict}\n")
    return 0 if verdict.broken_at is None else 1


if __name__ == "__main__":
    sys.exit(main())
