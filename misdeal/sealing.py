"""Signs the heads of a journal, with the key that lies beside it; ``misdeal.verify`` checks them.

The private key is the file ``JOURNAL.key``, 64 hex digits. While a key is changed the new one is
``JOURNAL.key.new``, until the journal has the row by which the old one endorses it.
"""

import json
import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from misdeal.clock import as_utc
from misdeal.errors import JournalKeyError


class Seal(Struct, frozen=True):
    """What signs the heads of one table's journal."""

    table: str
    secret: Ed25519PrivateKey
    before: Ed25519PrivateKey | None = None
    """The key that endorses this one, in the head by which the key is changed."""

    def public_keys(self) -> tuple[str, ...]:
        """Return the public keys with which a journal may have ended so far."""
        return tuple(public_key(each) for each in (self.secret, self.before) if each is not None)

    def head(self, row: int, digest: bytes, at_ns: int, end: str) -> str:
        """Return the body of the row that signs a row.

        Args:
            row: The number of the row.
            digest: Its hash.
            at_ns: When, on the table's clock.
            end: What ended with it: ``hand``, ``shift`` or the use of a ``key``.
        """
        key = public_key(self.secret)
        text = f"{row} {digest.hex()} {as_utc(at_ns)} {end} {key} {self.table}"
        body = {"text": text, "signature": self.secret.sign(text.encode()).hex()}
        if self.before is not None:
            body["endorsed"] = self.before.sign(text.encode()).hex()
        return json.dumps(body, ensure_ascii=False)


def line_of(body: str) -> str:
    """Return a head as a line for a file of heads, its signature last."""
    head = json.loads(body)
    return f"{head['text']} {head['signature']}"


def short_of(body: str) -> str:
    """Return of a head what is quickly written down and enough for ``--heads``.

    Twenty digits of the hash are 80 bits: nobody finds another row with the same ones.
    """
    row, digest, utc, end, *_ = json.loads(body)["text"].split(" ")
    return f"{row} {digest[:20]} {utc} {end}"


def public_key(secret: Ed25519PrivateKey) -> str:
    """Return the public half of a key, in hex."""
    return secret.public_key().public_bytes_raw().hex()


def key_path(journal: Path) -> Path:
    """Return where the private key of a journal is."""
    return journal.with_name(journal.name + ".key")


def new_path(journal: Path) -> Path:
    """Return where a private key is that the journal may not have yet."""
    return journal.with_name(journal.name + ".key.new")


def read_key(path: Path) -> Ed25519PrivateKey:
    """Read a private key.

    Raises:
        JournalKeyError: If there is none, or people other than its owner may read it.
    """
    try:
        if path.stat().st_mode & 0o077:
            raise JournalKeyError(path, "others than its owner may read it; chmod 600 it")
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(path.read_text("ascii")))
    except (OSError, ValueError) as error:
        raise JournalKeyError(path, str(error)) from error


def make_key(path: Path) -> Ed25519PrivateKey:
    """Make a private key that its owner alone may read; it is whole on the disk or not there.

    Raises:
        OSError: If it cannot be written.
    """
    secret = Ed25519PrivateKey.generate()
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(secret.private_bytes_raw().hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    return secret


def seal_of(journal: Path, table: str) -> Seal:
    """Return the seal of a table's journal; its key is made where there is none.

    Raises:
        JournalKeyError: If the key cannot be read.
        OSError: If it cannot be made.
    """
    path = key_path(journal)
    return Seal(table, read_key(path) if path.exists() else make_key(path))
