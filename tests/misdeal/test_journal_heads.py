"""The commands for heads and the key, and the heads that a controller signs."""

import asyncio
import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from engine.events import AnyEvent
from hw_fixtures.demo import DemoDealer
from misdeal.app import App, attend
from misdeal.cli import run
from misdeal.clock import table_clock
from misdeal.demo import write_table
from misdeal.errors import JournalKeyError
from misdeal.journal import Journal, JournalReader
from misdeal.rotation import change_key
from misdeal.sealing import key_path, make_key, new_path, public_key, seal_of
from misdeal.tablefile import Layout, load
from misdeal.verify import beside, verify


def watch(table: Layout, events: Sequence[AnyEvent] = ()) -> None:
    async def offer(app: App) -> None:
        for event in events:
            app.controller.offer(event)
        await app.controller.say("")

    asyncio.run(attend(table, offer, start_clock=table_clock, rng=random.Random(1)))


def ends(table: Layout) -> list[str]:
    """Return what ended with each head."""
    with JournalReader(table.journal) as reader:
        return [msgspec.json.decode(head.body)["text"].split(" ")[3] for head in reader.heads()]


@pytest.fixture
def table(tmp_path: Path) -> Layout:
    """A table without readers: nothing happens at it but what a test lets happen."""
    return load(write_table(tmp_path / "table", DemoDealer(1).packs, {}, wirings=()))


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> "Told":
    return Told(capsys)


class Told:
    """Runs commands and returns their status and what they said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        status = run(["journal", *(str(each) for each in arguments)])
        said = self._capsys.readouterr()
        return status, said.out, said.err


def test_a_head_is_signed_when_a_hand_ends_and_when_the_controller_ends(
    table: Layout, hands: list[AnyEvent]
) -> None:
    watch(table, hands)
    assert ends(table) == ["hand"] * 6 + ["shift"]
    verdict = verify(table.journal)
    assert verdict.broken_at is None
    assert verdict.signed == verdict.rows - 1
    assert run(["replay", str(table.journal)]) == 0


def test_the_head_of_a_hand_follows_all_that_was_ruled_when_it_ended(
    table: Layout, hands: list[AnyEvent]
) -> None:
    watch(table, hands)
    with JournalReader(table.journal) as reader:
        kinds = [record.kind for record in reader.records()]
    assert "ruling" not in {after for head, after in itertools.pairwise(kinds) if head == "head"}


def test_the_newest_head_is_told_short_in_full_and_as_json(table: Layout, told: Told) -> None:
    watch(table)
    line = beside(table.journal).read_text()
    row, digest, utc, end, *_ = line.split(" ")
    assert told("head", table.journal) == (0, f"{row} {digest[:20]} {utc} {end}\n", "")
    assert told("head", table.journal, "--full") == (0, line, "")
    text, _, signature = line.strip().rpartition(" ")
    as_json = msgspec.json.decode(told("head", table.journal, "--json")[1])
    assert as_json == {"text": text, "signature": signature}


def test_a_journal_without_a_head_says_so(table: Layout, told: Told) -> None:
    Journal(table.journal, table.header).close()
    status, out, err = told("head", table.journal)
    assert (status, out) == (1, "")
    assert err.startswith("no row is signed yet")


def test_verify_takes_the_key_that_the_key_command_printed(table: Layout, told: Told) -> None:
    watch(table)
    status, key, _ = told("key", table.journal)
    assert (status, len(key.strip())) == (0, 64)
    status, out, _ = told("verify", table.journal, "--key", key)
    assert (status, out.endswith(f"; 3 rows signed by {key}")) == (0, True)
    assert told("verify", table.journal, "--key", "00" * 32)[0] == 1


def test_verify_names_the_row_that_is_cut_off_and_the_line_that_is_no_head(
    table: Layout, tmp_path: Path, told: Told
) -> None:
    watch(table)
    kept = tmp_path / "kept.txt"
    kept.write_text("40 0123456789abcdef\n")
    status, out, _ = told("verify", table.journal, "--heads", kept)
    assert (status, out) == (
        1,
        "4 rows sound, broken at row 4: the end is cut off, for the head of row 40 was kept\n",
    )
    kept.write_text("forty\n")
    status, _, err = told("verify", table.journal, "--heads", kept)
    assert (status, f"{kept}:1: expected ROW HASH, found 'forty'" in err) == (2, True)


def test_a_changed_key_is_endorsed_by_the_old_one_and_both_are_good_for_verify(
    table: Layout, told: Told
) -> None:
    watch(table)
    _, old, _ = told("key", table.journal)
    status, new, _ = told("key", table.journal, "--change")
    assert (status, told("key", table.journal)[1]) == (0, new)
    assert old != new
    watch(table)
    assert ends(table) == ["shift", "key", "shift"]
    for key in (old, new):
        assert told("verify", table.journal, "--key", key)[0] == 0
    assert verify(table.journal).key == new.strip()
    assert not new_path(table.journal).exists()


def test_a_change_of_the_key_that_was_cut_short_is_finished(table: Layout) -> None:
    watch(table)
    before = key_path(table.journal).read_text()
    secret = change_key(table.journal)
    # As if it had been killed before the new key took the place of the old one.
    key_path(table.journal).rename(new_path(table.journal))
    key_path(table.journal).write_text(before)
    key_path(table.journal).chmod(0o600)
    with pytest.raises(JournalKeyError, match="key --change"):
        watch(table)
    assert public_key(change_key(table.journal)) == public_key(secret)
    assert ends(table) == ["shift", "key"]
    watch(table)


def test_a_change_that_was_cut_short_before_the_journal_had_it_takes_the_key_that_was_made(
    table: Layout,
) -> None:
    watch(table)
    made = make_key(new_path(table.journal))
    watch(table)
    assert public_key(change_key(table.journal)) == public_key(made)
    assert seal_of(table.journal, "x").public_keys() == (public_key(made),)


def test_the_key_is_not_changed_while_a_controller_runs(table: Layout, told: Told) -> None:
    watch(table)
    with Journal(table.journal, table.header):
        status, _, err = told("key", table.journal, "--change")
    assert (status, "stop that one first" in err) == (2, True)


def test_a_journal_without_a_key_says_where_it_is_sought(table: Layout, told: Told) -> None:
    Journal(table.journal, table.header).close()
    status, _, err = told("key", table.journal)
    assert (status, str(key_path(table.journal)) in err) == (2, True)
