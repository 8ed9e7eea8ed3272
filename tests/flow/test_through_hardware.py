"""Table scripts through simulated readers, the bridge and the controller rule as without them."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec
import pytest

from engine.games import PLANS
from engine.performing import Verdicts, judge_script
from engine.rulebook import RuleBook, compile_book, load_book
from engine.rulings import Ruling
from engine.script import Script, read_script
from misdeal.journal import JournalReader
from misdeal.through_hardware import judge_through_hardware, play_through_hardware

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"

# One or more of every game; together they have every word of the script language that moves a
# card, shows one to a camera or meddles with a device.
NAMES = [
    "tda-2024/own/X-cross-read-neighbour",
    "tda-2024/own/X-unread-card",
    "tda-2024/own/X-face-mismatch",
    "tda-2024/own/X-card-off-the-table",
    "tda-2024/own/C1-report",
    "tda-2024/A1-one-on-the-deal-one-on-the-flop",
    "tda-2024/own/E-unknown-tag-before-action",
    "tda-2024/own/E-pack-52-in-short-deck",
    "tda-2024/E-short-pack-no-house-rule",
    "robert-rules-11/RR-other-back-in-the-stub",
    "nz-1999/derived/NZ-two-backs",
    "laws-of-poker/own/N-exchange-too-few",
    "laws-of-poker/own/P2-marked-fourth-round",
    "laws-of-poker/own/R1-cut-shows-card-open",
    "nsw-caribbean-stud/own/derived/14.13-reader-restored",
    "nsw-caribbean-stud/derived/14.13-camera-fails",
    "nsw-caribbean-stud/14.13-approved",
    "nsw-caribbean-stud/14.3-same-card-twice",
    "qld-three-card/own/QL-exposed-unknown-by-whom",
    "melilla-baccarat/ME-stuck-cards-a",
    "melilla-baccarat/own/ME-too-early-third-card",
    "south-dakota-blackjack/own/SD-extra-card-burned",
    "south-dakota-blackjack/own/SD-short-shoe-finished",
]

HEAD = """\
script = 1
game = "holdem"
rulebook = "tda-2024"
seats = [1, 2]
"""


@cache
def book_of(name: str, house: str | None) -> RuleBook:
    return compile_book(load_book(name), file="book", house=house)


def read(name: str) -> tuple[Script, RuleBook]:
    return understand((SCRIPTS / f"{name}.toml").read_text("utf-8"))


def understand(text: str) -> tuple[Script, RuleBook]:
    script = read_script(text, file="hand.toml")
    return script, book_of(script.rulebook, script.house)


def in_force(verdicts: Verdicts) -> set[tuple[object, ...]]:
    """Return what each ruling has come to, without its number and the times in it."""
    last: dict[str, Ruling] = {ruling.id: ruling for _, ruling in verdicts.lines}
    return {
        (
            *(each.finding, each.place, each.card, each.verdict, each.state, each.decider),
            *(each.cite, each.callable_by, each.next_dealer, tuple(a.fact for a in each.asks)),
        )
        for each in last.values()
        if each.state != "superseded"
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_rulings_are_those_without_hardware(name: str) -> None:
    script, book = read(name)
    judged = judge_through_hardware(script, book)
    assert judged.notes == ()
    assert judged.verdicts.misses == ()
    assert in_force(judged.verdicts) == in_force(judge_script(script, book))


def test_these_scripts_are_of_every_game_and_have_every_word_for_hardware() -> None:
    scripts = [read(name)[0] for name in NAMES]
    assert {script.setup.game for script in scripts} == PLANS.keys()
    assert {line.verb for script in scripts for line in script.lines} >= {
        *("deal", "round", "stuck", "stray", "seen", "boxed", "expose", "turn", "burn", "board"),
        *("move", "discard", "mark", "cut", "pack", "collect", "fault", "restore"),
    }


def test_a_script_gives_the_same_events_at_the_same_moments_every_time(tmp_path: Path) -> None:
    script, book = read("tda-2024/own/X-cross-read-neighbour")
    journals = []
    for number in (1, 2):
        path = tmp_path / f"{number}.db"
        play_through_hardware(script, book, path)
        with JournalReader(path) as reader:
            journals.append([(row.kind, row.at_ns, row.body) for row in reader.records()])
    assert journals[0] == journals[1]
    assert any(kind == "ruling" for kind, _, _ in journals[0])


def test_script_time_passes_from_the_end_of_one_line_to_the_next(tmp_path: Path) -> None:
    script, book = understand(HEAD + 'events = ["@2 round", "@2.5 round", "@60 deal ends"]')
    path = tmp_path / "journal.db"
    first_ns, second_ns, third_ns = play_through_hardware(script, book, path).starts_ns
    with JournalReader(path) as reader:
        times_ns = [row.at_ns for row in reader.records() if "Card" in row.body]
    whole_ns = [max(at for at in times_ns if at < end) for end in (second_ns, third_ns)]
    assert first_ns >= 2_000_000_000
    assert 0.5 <= (second_ns - whole_ns[0]) / 1e9 < 0.6
    assert 57.5 <= (third_ns - whole_ns[1]) / 1e9 < 57.6


def test_what_the_controller_would_not_be_told_is_noted() -> None:
    judged = judge_through_hardware(*understand(HEAD + 'events = ["act S1 fold"]'))
    assert judged.verdicts.misses == ()
    assert judged.notes == ("after event 1: 'act S1 fold' refused: no hand is being played",)


def misdeal(*arguments: str, stderr: int = subprocess.PIPE) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "misdeal", *arguments]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False, timeout=60
    )


UNMET = '"deal 9h S1 up"]\n[[expect]]\nfinding = "boxed_card"\n'


def test_the_command_prints_what_it_prints_without(tmp_path: Path) -> None:
    path = tmp_path / "hand.toml"
    path.write_text(f"{HEAD}events = [{UNMET}")
    without = misdeal("judge", str(path), "--json")
    through = misdeal("judge", str(path), "--json", "--through", "hardware")
    (line,) = map(msgspec.json.decode, through.stdout.splitlines())
    assert line["finding"] == "exposed_card"
    assert through.stdout == without.stdout
    assert (through.returncode, through.stderr) == (1, without.stderr)
    assert "not met" in through.stderr


def test_a_note_goes_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "hand.toml"
    path.write_text(f'{HEAD}clean = true\nevents = ["act S1 fold"]')
    told = misdeal("judge", str(path), "--json", "--through", "hardware")
    assert (told.returncode, told.stdout) == (0, "")
    assert f"{path}: note: after event 1: 'act S1 fold' refused" in told.stderr


def test_a_terminal_shows_how_far_the_judge_has_come(tmp_path: Path) -> None:
    path = tmp_path / "hand.toml"
    path.write_text(f"{HEAD}events = [{UNMET}")
    master, slave = os.openpty()
    told = misdeal("judge", str(path), stderr=slave)
    os.close(slave)
    shown = os.read(master, 4096).decode()
    os.close(master)
    assert "100%" in shown
    assert "MISDEAL" in told.stdout
