"""The journal keeps what it was given, in order, and shows every later change to it."""

import sqlite3
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from misdeal.errors import (
    JournalBrokenError,
    JournalBusyError,
    JournalForeignError,
    JournalWriteError,
    NotAJournalError,
)
from misdeal.journal import Entry, Journal, JournalReader, is_being_written, set_aside
from misdeal.verify import main, verify

HEADER = {"engine": "0", "setup": "{}", "book": "b", "house": "", "table": "t"}
FULL_DISK = (
    "CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(ABORT, 'disk full'); END"
)
ENTRIES = [Entry("event", n, f'{{"n":{n}}}') for n in range(6)]


def written(path: Path, entries: list[Entry] = ENTRIES) -> Path:
    with Journal(path, HEADER) as journal:
        for entry in entries:
            journal.append([entry], lambda: None)
    return path


def bodies(path: Path) -> list[str]:
    with JournalReader(path) as reader:
        return [record.body for record in reader.records()]


def test_a_journal_holds_what_was_appended_in_order(tmp_path: Path) -> None:
    assert bodies(written(tmp_path / "j.db")) == [entry.body for entry in ENTRIES]


def test_a_journal_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path, HEADER):
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {0o600}


def test_a_journal_is_gone_on_with_where_it_ended(tmp_path: Path) -> None:
    path = written(written(tmp_path / "j.db"))
    assert bodies(path) == [entry.body for entry in ENTRIES] * 2
    assert verify(path).rows == 12


def test_the_call_back_comes_when_the_disk_has_the_row(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    seen: list[list[str]] = []
    done = threading.Event()

    def then() -> None:
        seen.append(bodies(path))
        done.set()

    with Journal(path, HEADER) as journal:
        journal.append(ENTRIES, then)
        assert done.wait(10)
    assert seen == [[entry.body for entry in ENTRIES]]


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path, HEADER):
        assert is_being_written(path)
        with pytest.raises(JournalBusyError):
            Journal(path, HEADER)
    assert not is_being_written(path)


@pytest.mark.parametrize(
    ("key", "words"),
    [("engine", "version of misdeal"), ("setup", "table set-up"), ("book", "rule book")],
)
def test_a_journal_of_another_table_or_book_is_refused(
    tmp_path: Path, key: str, words: str
) -> None:
    path = written(tmp_path / "j.db")
    with pytest.raises(JournalForeignError, match=words):
        Journal(path, HEADER | {key: "other"})
    assert not is_being_written(path)


def test_a_comment_in_the_table_file_does_not_part_a_journal(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    Journal(path, HEADER | {"table": "# t"}).close()
    assert verify(path).rows == len(ENTRIES)


def test_a_journal_set_aside_leaves_its_name_free(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    (tmp_path / "j.db.1").touch()
    assert set_aside(path) == tmp_path / "j.db.2"
    assert set_aside(path) is None
    assert bodies(tmp_path / "j.db.2") == [entry.body for entry in ENTRIES]


@pytest.mark.parametrize("text", ["", "no journal", "CREATE"])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "j.db"
    path.write_text(text)
    with pytest.raises(NotAJournalError):
        Journal(path, HEADER)
    assert path.read_text() == text


def test_a_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    tamper(path, "UPDATE header SET value = '2' WHERE key = 'schema'")
    with pytest.raises(NotAJournalError, match="schema 2, expected 1"):
        JournalReader(path)


def tamper(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("UPDATE record SET body = '{}' WHERE seq = 3", 3),
        ("UPDATE record SET at_ns = 99 WHERE seq = 2", 2),
        ("UPDATE record SET kind = 'ruling' WHERE seq = 5", 5),
        ("DELETE FROM record WHERE seq = 4", 4),
        ("DELETE FROM record WHERE seq = 0", 0),
        ("INSERT INTO record SELECT 6, kind, at_ns, body, hash FROM record WHERE seq = 5", 6),
        ("UPDATE header SET value = 'other' WHERE key = 'book'", 0),
        ("INSERT INTO header VALUES ('more', '1')", 0),
    ],
)
def test_a_change_breaks_the_chain_at_its_row(tmp_path: Path, statement: str, row: int) -> None:
    path = written(tmp_path / "j.db")
    tamper(path, statement)
    verdict = verify(path)
    assert (verdict.broken_at, verdict.rows) == (row, row)


def test_a_broken_journal_is_not_gone_on_with(tmp_path: Path) -> None:
    path = written(tmp_path / "j.db")
    tamper(path, "DELETE FROM record WHERE seq = 4")
    with pytest.raises(JournalBrokenError, match="broken at row 4"):
        Journal(path, HEADER)


@pytest.mark.parametrize(
    ("change", "status"),
    [(None, 0), ("DELETE FROM record WHERE seq = 1", 1), ("DROP TABLE record", 2)],
)
def test_the_auditors_command_says_sound_broken_or_no_journal(
    tmp_path: Path, change: str | None, status: int
) -> None:
    path = written(tmp_path / "j.db")
    if change:
        tamper(path, change)
    assert main(["verify.py", str(path)]) == status


def test_the_auditors_command_asks_for_a_journal() -> None:
    with pytest.raises(SystemExit) as left:
        main(["verify.py"])
    assert left.value.code == 2


def test_a_disk_that_fails_is_told_and_nothing_is_reported_as_kept(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    kept: list[int] = []
    with Journal(path, HEADER) as journal:
        tamper(path, FULL_DISK)
        journal.append(ENTRIES, appender(kept))
        with pytest.raises(JournalWriteError, match="disk full"):
            journal.failure.result(timeout=10)
        journal.append(ENTRIES, appender(kept))
    assert kept == []
    assert bodies(path) == []


def appender(kept: list[int]) -> Callable[[], None]:
    return lambda: kept.append(1)
