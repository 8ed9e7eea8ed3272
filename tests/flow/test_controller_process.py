"""Controllers as processes: started, spoken to, missing a reader, ended."""

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest

from hw_fixtures.packs import demo_packs
from hw_fixtures.world import TABLE
from misdeal.demo import write_table
from misdeal.journal import JournalReader, is_being_written
from misdeal.verify import verify

MISDEAL = [sys.executable, "-m", "misdeal"]


class Running:
    """A command that runs, and what it says."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*MISDEAL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def lines(self) -> Iterator[Any]:
        """Yield its JSON lines."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield msgspec.json.decode(line)

    def end(self, how: signal.Signals) -> tuple[int, str]:
        """End it; return its status and what it said to standard error."""
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors.decode()


def misdeal(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MISDEAL, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table file whose readers are not there."""
    ports = {wiring.name: f"/dev/serial/by-id/none-{wiring.name}" for wiring in TABLE}
    return write_table(tmp_path, demo_packs(1), ports)


def test_ctrl_c_ends_the_demo_cleanly(tmp_path: Path) -> None:
    with Running("demo", "--json", "--speed", "8", "--keep", str(tmp_path)) as demo:
        next(line for line in demo.lines() if line["kind"] == "table")
        status, errors = demo.end(signal.SIGINT)
    assert (status, len(errors.strip().splitlines())) == (130, 1)
    assert errors.startswith("the page is at http://127.0.0.1:")
    journal = tmp_path / "journal.db"
    assert verify(journal).broken_at is None
    assert not is_being_written(journal)
    with JournalReader(journal) as reader:
        kinds = [record.kind for record in reader.records()]
    assert (kinds[0], *kinds[-2:]) == ("started", "ended", "head")
    assert not (tmp_path / "misdeal.sock").exists()


def test_a_controller_without_readers_names_them_hears_its_operator_and_refuses_a_second(
    table: Path,
) -> None:
    with Running("run", str(table), "--json") as controller:
        readers = (line for line in controller.lines() if line["kind"] == "reader")
        missing = list(itertools.islice(readers, 3))
        assert {line["name"] for line in missing} == {"A", "B", "C"}
        unwatched = next(line for line in controller.lines() if line["kind"] == "unwatched")
        assert "T-A5" in unwatched["clauses"]
        assert missing[0]["places"] == ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"]

        taken = misdeal("say", "pack 51", "--table", str(table), "--json")
        assert taken.returncode == 0
        assert msgspec.json.decode(taken.stdout)["rulings"][0]["finding"] == "wrong_pack_count"
        refused = misdeal("say", "act S3 jump", "--table", str(table))
        assert refused.returncode == 2
        assert "expected one of fold" in refused.stderr

        second = misdeal("run", str(table), "--headless")
        assert second.returncode == 2
        assert "is being written by another controller" in second.stderr

        status, errors = controller.end(signal.SIGTERM)
        assert status == 0
        nobody, page = errors.splitlines()
        assert nobody.startswith("nobody may sign in at the page yet")
        assert page.startswith("the page is at http://127.0.0.1:")
    replayed = misdeal("replay", str(table.parent / "journal.db"))
    assert replayed.returncode == 0


def test_a_journal_is_followed_while_it_is_written_and_begun_anew_when_told(table: Path) -> None:
    journal = table.parent / "journal.db"
    for _ in range(2):
        with Running("run", str(table), "--json", "--new-journal") as controller:
            next(controller.lines())
            with Running("journal", "tail", "-f", "-n", "99", "--json", str(journal)) as tail:
                said = misdeal("say", "-", "--table", str(table), typed="pack 51\n\npack 50\n")
                assert said.returncode == 0
                assert said.stdout.count("taken") == 2
                counts = (row["body"].get("count") for row in tail.lines())
                assert next(count for count in counts if count) in (50, 51)
                status, _ = tail.end(signal.SIGINT)
                assert status == 130
            controller.end(signal.SIGTERM)
    assert (table.parent / "journal.db.1").exists()


def test_on_a_terminal_the_table_is_drawn(table: Path) -> None:
    master, slave = os.openpty()
    process = subprocess.Popen(
        [*MISDEAL, "run", str(table)], stdout=slave, stderr=subprocess.PIPE, start_new_session=True
    )
    os.close(slave)
    seen = b""
    with process:
        while b"waiting for the deal" not in seen:
            seen += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        drain(master)
    os.close(master)
    assert process.returncode == 130


def drain(handle: int) -> None:
    """Read until nobody writes any more."""
    with suppress(OSError):
        while os.read(handle, 4096):
            pass


def test_nobody_answers_where_no_controller_runs(table: Path) -> None:
    said = misdeal("say", "approve", "--table", str(table))
    assert said.returncode == 2
    assert said.stderr.startswith("no controller answers at ")
    assert said.stderr.count("\n") == 1
