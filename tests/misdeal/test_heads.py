"""Signed heads: every change to a journal is found with its row, a cut end and a new file too."""

import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from misdeal.errors import (
    JournalBrokenError,
    JournalKeyError,
    JournalWriteError,
    NotAJournalError,
)
from misdeal.journal import Entry, Journal, JournalReader, set_aside
from misdeal.sealing import Seal, key_path, public_key, read_key, seal_of, short_of
from misdeal.verify import HeadsError, beside, kept_heads, main, read_heads, row_hash, verify

HEADER = {"engine": "0", "setup": "{}", "book": "b", "house": "", "table": 'name = "T4"'}
OURS = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)
THEIRS = Ed25519PrivateKey.from_private_bytes(b"\2" * 32)
PUBLIC = "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c"
"""Of the private key of 32 bytes 1: RFC 8032 says so through OpenSSL, apart from our code."""

# Rows 0 to 2 are a hand, 3 is its head; 4 to 5 the next, 6 is its head; 7 came after it.
NIGHT = [
    *(Entry("event", n, f'{{"n":{n}}}') for n in range(3)),
    Entry("head", 3, "hand"),
    *(Entry("event", n, f'{{"n":{n}}}') for n in (4, 5)),
    Entry("head", 6, "hand"),
    Entry("event", 7, '{"n":7}'),
]


def written(path: Path, *, secret: Ed25519PrivateKey = OURS, night: list[Entry] = NIGHT) -> Path:
    with Journal(path, HEADER, seal=Seal("T4", secret)) as journal:
        for entry in night:
            journal.append([entry], lambda: None)
    return path


def run_sql(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def chain_anew(path: Path) -> None:
    """Give every row the hash that its content asks for, as a forger would."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT seq, kind, at_ns, body FROM record ORDER BY seq").fetchall()
    (before,) = connection.execute("SELECT hash FROM record WHERE seq = 0").fetchone()
    with connection:
        for seq, kind, at_ns, body in rows[1:]:
            before = row_hash(before, seq, kind, at_ns, body)
            connection.execute("UPDATE record SET hash = ? WHERE seq = ?", (before, seq))
    connection.close()


def test_a_head_signs_the_row_before_it(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    connection = sqlite3.connect(path)
    (digest,) = connection.execute("SELECT hash FROM record WHERE seq = 5").fetchone()
    connection.close()
    with JournalReader(path) as reader:
        first, second = reader.heads()
    body = msgspec.json.decode(second.body)
    text = f"5 {digest.hex()} 1970-01-01T00:00:00.000+00:00 hand {PUBLIC} T4"
    assert (first.seq, second.seq, body["text"]) == (3, 6, text)
    OURS.public_key().verify(bytes.fromhex(body["signature"]), text.encode())
    assert short_of(second.body) == f"5 {digest.hex()[:20]} 1970-01-01T00:00:00.000+00:00 hand"
    assert beside(path).read_text().splitlines()[1] == f"{text} {body['signature']}"
    assert stat.S_IMODE(beside(path).stat().st_mode) == 0o600
    verdict = verify(path, key=PUBLIC, heads=read_heads(beside(path)))
    assert (verdict.rows, verdict.signed, verdict.key, verdict.broken_at) == (8, 6, PUBLIC, None)


SWAP = (
    "UPDATE record SET seq = 100 WHERE seq = 1",
    "UPDATE record SET seq = 1 WHERE seq = 2",
    "UPDATE record SET seq = 2 WHERE seq = 100",
)
ADD = (
    "UPDATE record SET seq = -seq WHERE seq > 4",
    "UPDATE record SET seq = 1 - seq WHERE seq < 0",
    "INSERT INTO record SELECT 5, kind, at_ns, body, hash FROM record WHERE seq = 4",
)


@pytest.mark.parametrize(
    ("statements", "row"),
    [
        pytest.param(("UPDATE record SET body = '{}' WHERE seq = 4",), 4, id="changed"),
        pytest.param(("UPDATE record SET kind = 'note' WHERE seq = 3",), 3, id="head-unmade"),
        pytest.param(("DELETE FROM record WHERE seq = 1",), 1, id="removed"),
        pytest.param(SWAP, 1, id="swapped"),
        pytest.param(ADD, 5, id="added"),
        pytest.param(("DELETE FROM record WHERE seq >= 5",), 5, id="cut-end"),
    ],
)
def test_what_was_tampered_with_is_found_with_its_row(
    tmp_path: Path, statements: tuple[str, ...], row: int
) -> None:
    path = written(tmp_path / "j.db")
    heads = read_heads(beside(path))
    run_sql(path, *statements)
    found = verify(path, key=PUBLIC, heads=heads)
    assert (found.broken_at, found.rows) == (row, row)
    with pytest.raises(JournalBrokenError, match=f"broken at row {row}"):
        written(path)


@pytest.mark.parametrize(
    ("statements", "row", "why"),
    [
        pytest.param(("UPDATE record SET body = '{}' WHERE seq = 4",), 6, "another row", id="hand"),
        pytest.param(SWAP, 3, "another row", id="swapped"),
        pytest.param(ADD, 7, "another row", id="added"),
    ],
)
def test_a_chain_that_was_made_anew_does_not_fit_its_signed_heads(
    tmp_path: Path, statements: tuple[str, ...], row: int, why: str
) -> None:
    path = written(tmp_path / "j.db")
    run_sql(path, *statements)
    chain_anew(path)
    found = verify(path)
    assert (found.broken_at, why in found.why) == (row, True)


def test_heads_that_were_kept_find_a_chain_made_anew_without_its_heads(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    heads = read_heads(beside(path))
    run_sql(
        path,
        "UPDATE record SET body = '{}' WHERE seq = 2",
        "UPDATE record SET kind = 'event' WHERE kind = 'head'",
    )
    chain_anew(path)
    assert verify(path).broken_at is None
    assert verify(path, key=PUBLIC)[2:4] == (0, "no row is signed")
    assert verify(path, heads=heads)[2:4] == (2, "it is not the row whose head was kept")


def test_a_file_that_was_replaced_is_found_by_the_key_and_by_the_heads(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    heads = read_heads(beside(path))
    other = written(
        tmp_path / "other.db", secret=THEIRS, night=[Entry("event", 9, "{}"), *NIGHT[1:]]
    )
    assert verify(other).broken_at is None
    assert verify(other, key=PUBLIC)[2:4] == (3, "it is signed by another key")
    assert verify(other, heads=heads)[2:4] == (2, "it is not the row whose head was kept")


def test_a_cut_end_is_found_by_a_head_that_was_written_down(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    with JournalReader(path) as reader:
        *_, newest = reader.heads()
    note = tmp_path / "note.txt"
    note.write_text(f"\n{short_of(newest.body)}\n")
    assert main(["verify.py", str(path), "--heads", str(note), "--key", PUBLIC]) == 0
    run_sql(path, "DELETE FROM record WHERE seq >= 4")
    beside(path).unlink()
    assert main(["verify.py", str(path), "--key", PUBLIC]) == 0
    assert main(["verify.py", str(path), "--heads", str(note)]) == 1
    found = verify(path, heads=read_heads(note))
    assert found[2:4] == (4, "the end is cut off, for the head of row 5 was kept")


def test_a_journal_that_is_gone_while_its_heads_are_there_is_not_begun_anew(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    path.unlink()
    with pytest.raises(JournalBrokenError, match="row 0: it is gone"):
        written(path)
    assert not path.exists()
    assert set_aside(path) == tmp_path / "j.db.1.heads"
    assert verify(written(path)).broken_at is None


def test_a_journal_set_aside_takes_its_heads_along(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    aside = set_aside(path)
    assert aside is not None
    assert kept_heads(aside).keys() == {2, 5}
    assert kept_heads(path) == {}


def resign(head: dict[str, str], secret: Ed25519PrivateKey, **more: str) -> dict[str, str]:
    return {**head, "signature": secret.sign(head["text"].encode()).hex(), **more}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda head: {}, "it is no head that can be read"),
        (lambda head: [], "it is no head that can be read"),
        (lambda head: {**head, "text": 5}, "it is no head that can be read"),
        (lambda head: {**head, "signature": "x"}, "its signature is not by its key"),
        (lambda head: resign(head, THEIRS), "its signature is not by its key"),
        (
            lambda head: resign({"text": head["text"].replace(PUBLIC, public_key(THEIRS))}, THEIRS),
            "its key is new, and the key before did not endorse it",
        ),
    ],
)
def test_a_head_that_was_signed_by_somebody_else_is_found(
    tmp_path: Path, change: Callable[[dict[str, str]], object], why: str
) -> None:
    path = written(tmp_path / "j.db", night=NIGHT[:7])
    with JournalReader(path) as reader:
        *_, newest = reader.heads()
    forged = msgspec.json.encode(change(msgspec.json.decode(newest.body))).decode()
    run_sql(path, f"UPDATE record SET body = '{forged}' WHERE seq = 6")  # noqa: S608 - ours
    chain_anew(path)
    assert verify(path)[2:4] == (6, why)


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    made = seal_of(path, "T4").public_keys()
    assert seal_of(path, "T4").public_keys() == made
    assert stat.S_IMODE(key_path(path).stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["j.db.key"]


def test_a_key_that_others_may_read_or_that_is_none_is_refused(tmp_path: Path) -> None:
    path = key_path(tmp_path / "j.db")
    path.write_text("00" * 32)
    path.chmod(0o640)
    with pytest.raises(JournalKeyError, match="chmod 600"):
        read_key(path)
    path.chmod(0o600)
    path.write_text("no key")
    with pytest.raises(JournalKeyError, match="cannot be used to sign"):
        read_key(path)


def test_a_journal_that_another_key_signed_is_not_gone_on_with(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    with pytest.raises(JournalKeyError, match=f"{PUBLIC} signed it until now"):
        written(path, secret=THEIRS)
    assert verify(path).rows == 8


@pytest.mark.parametrize("left", [0, 1, 2])
def test_heads_that_a_kill_kept_from_their_file_are_told_at_the_next_start(
    tmp_path: Path, left: int
) -> None:
    path = written(tmp_path / "j.db")
    whole = beside(path).read_text()
    lines = whole.splitlines(keepends=True)
    beside(path).write_text("".join(lines[:left]) + "7 0123")
    written(path, night=[])
    assert beside(path).read_text() == whole


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5 0123456789abcdef\nfive\n", "2: expected ROW HASH, found 'five'"),
        ("5 0123\n", "1: expected ROW HASH, found '5 0123'"),
        ("5 0123456789abcdef\n5 0123456789abcdee", "2: expected the hash 0123456789abcdef"),
    ],
)
def test_a_line_that_is_no_head_is_named(tmp_path: Path, text: str, found: str) -> None:
    path = written(tmp_path / "j.db")
    beside(path).write_text(text)
    with pytest.raises(HeadsError, match=found):
        kept_heads(path)
    assert main(["verify.py", str(path)]) == 2
    if text.endswith("\n"):
        with pytest.raises(NotAJournalError, match=found):
            written(path)


def test_a_disk_that_is_full_when_a_head_is_kept_stops_the_journal(tmp_path: Path) -> None:
    path, told = tmp_path / "j.db", list[int]()
    with Journal(path, HEADER, seal=Seal("T4", OURS)) as journal:
        beside(path).symlink_to("/dev/full")
        journal.append([NIGHT[0]], lambda: told.append(0))
        journal.append([Entry("head", 3, "hand")], lambda: told.append(1))
        with pytest.raises(JournalWriteError, match=r"No space left on device.*stop dealing"):
            journal.failure.result(timeout=10)
    beside(path).unlink()
    # The head is in the journal all the same, and reaches its file when there is room again.
    written(path, night=[])
    assert kept_heads(path).keys() == {0}
    assert told in ([], [0])
