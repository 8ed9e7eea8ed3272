"""Changes the key that signs a journal, so that the journal itself tells of it."""

import tomllib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from misdeal.clock import table_clock
from misdeal.journal import Entry, Journal, JournalReader
from misdeal.sealing import Seal, key_path, make_key, new_path, public_key, read_key
from misdeal.verify import verify


def change_key(journal: Path) -> Ed25519PrivateKey:
    """Make a new key, have the old one endorse it in the journal, and return it.

    Where an earlier change was cut short it is finished: its new key is the one that is taken.

    Raises:
        JournalBusyError: If a controller writes the journal.
        JournalKeyError: If the key that signed it until now is not there.
        JournalWriteError: If the journal cannot be written.
        NotAJournalError: If it is none.
        OSError: If the new key cannot be written.
    """
    old, new = read_key(key_path(journal)), new_path(journal)
    with JournalReader(journal) as reader:
        header = reader.header
        last_ns = max((record.at_ns for record in reader.records()), default=0)
    secret = read_key(new) if new.exists() else make_key(new)
    seal = Seal(tomllib.loads(header["table"])["name"], secret, old)
    with Journal(journal, header, seal=seal) as opened:
        if verify(journal).key != public_key(secret):
            opened.append([Entry("head", table_clock(last_ns)(), "key")], lambda: None)
    if opened.failure.done():
        opened.failure.result()
    new.rename(key_path(journal))
    return secret
