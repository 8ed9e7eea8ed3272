"""Journals are replayed, verified, told and exported from the command line."""

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.events import AnyEvent
from engine.watch import advance, begin
from misdeal.cli import run
from misdeal.journal import Entry, Journal, JournalReader
from misdeal.replay import event_entry, ruling_entry
from misdeal.tablefile import Layout


@pytest.fixture
def journal(layout: Layout, hands: Sequence[AnyEvent]) -> Path:
    """The journal of the demo's first hands."""
    watch = begin(layout.setup, layout.book)
    with Journal(layout.journal, layout.header) as journal:
        for event in hands:
            watch, rulings = advance(watch, event)
            kept = [ruling_entry(ruling, event.at_ns) for ruling in rulings]
            journal.append([event_entry(event), *kept], lambda: None)
    return layout.journal


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = run([str(each) for each in arguments])
    sys.stdout.flush()
    return status, capsys.readouterr().out


def objects(out: str) -> list[Any]:
    return [msgspec.json.decode(line) for line in out.splitlines()]


def tamper(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def test_a_journal_replays_the_same(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = told(capsys, "replay", journal)
    assert status == 0
    assert out.endswith("ruling changes: the same\n")
    status, out = told(capsys, "replay", journal, "--json")
    (line,) = objects(out)
    assert (status, line["divergence"]) == (0, None)
    assert line["rulings"] > 0


def test_a_ruling_that_was_changed_is_found_by_replay_and_by_the_chain(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper(
        journal,
        'UPDATE record SET body = replace(body, \'"state":"final"\', \'"state":"open"\') '
        'WHERE seq = (SELECT max(seq) FROM record WHERE body LIKE \'%"state":"final"%\')',
    )
    status, out = told(capsys, "replay", journal)
    assert status == 1
    row = int(out.split(":")[0].removeprefix("row "))
    assert '"state":"open"' in out.splitlines()[1]
    assert '"state":"final"' in out.splitlines()[2]
    assert objects(told(capsys, "replay", journal, "--json")[1])[0]["divergence"]["row"] == row
    status, out = told(capsys, "journal", "verify", journal)
    assert (status, f"broken at row {row}: " in out) == (1, True)
    (verdict,) = objects(told(capsys, "journal", "verify", journal, "--json")[1])
    assert (verdict["rows"], verdict["broken_at"]) == (row, row)


def test_no_ruling_is_told_while_a_controller_writes_the_journal(
    layout: Layout, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with JournalReader(journal) as reader:
        ruling = next(record for record in reader.records() if record.kind == "ruling")
    with Journal(journal, layout.header) as writer:
        writer.append([Entry("ruling", ruling.at_ns, ruling.body)], lambda: None)
    assert ruling.body in told(capsys, "replay", journal)[1]
    with Journal(journal, layout.header):
        status, out = told(capsys, "replay", journal)
    assert status == 1
    assert out.count("not told while a controller writes") == 2
    assert ruling.body not in out


def test_a_sound_journal_is_told_with_its_head(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = told(capsys, "journal", "verify", journal)
    (verdict,) = objects(told(capsys, "journal", "verify", journal, "--json")[1])
    assert status == 0
    assert out == f"{verdict['rows']} rows, head {verdict['head']}: sound; no row signed\n"


@pytest.mark.parametrize(
    "command", [("replay",), ("journal", "verify"), ("journal", "export"), ("journal", "tail")]
)
def test_another_file_is_no_journal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    (tmp_path / "x").write_text("no journal")
    assert run([*command, str(tmp_path / "x")]) == 2
    assert "cannot be read as a journal" in capsys.readouterr().err


def test_an_export_has_every_row(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = told(capsys, "journal", "export", journal)
    rows = objects(out)
    assert status == 0
    assert [row["seq"] for row in rows] == list(range(len(rows)))
    assert {row["kind"] for row in rows} == {"event", "ruling"}


def test_the_tail_is_the_last_rows(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = len(told(capsys, "journal", "export", journal)[1].splitlines())
    status, out = told(capsys, "journal", "tail", journal, "-n", "3", "--json")
    assert status == 0
    assert [row["seq"] for row in objects(out)] == [rows - 3, rows - 2, rows - 1]
    status, out = told(capsys, "journal", "tail", journal, "-n", "2")
    assert [line.split()[0] for line in out.splitlines()] == [str(rows - 2), str(rows - 1)]
