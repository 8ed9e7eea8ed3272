"""Table scripts through simulated readers, the bridge and the controller rule as without them."""

import os
import sqlite3
import subprocess
import sys
from bisect import bisect
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.docket import Ruling
from engine.games import PLANS
from engine.performing import Performance, Verdicts, judge_script
from engine.rulebook import RuleBook, compile_book, load_book
from engine.script import Script, read_script
from hw_fixtures.picture.layout import FULL_HD
from hw_fixtures.picture.truth import TruthEye
from misdeal.cli import run
from misdeal.errors import JournalWriteError
from misdeal.journal import Journal, JournalReader, Record
from misdeal.through_hardware import (
    judge_through_hardware,
    places_of,
    play_through_hardware,
)
from vision.seen import Picture, Seen

# It is told what the camera's pictures show: what the real eye reads is tried in tests/vision.
EYE = TruthEye(FULL_HD)

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"

# One or more of every game; together they have every word of the script language that moves a
# card, shows one to a camera or meddles with a device.
NAMES = [
    "tda-2024/own/X-cross-read-neighbour",
    "tda-2024/own/X-unread-last-card",
    "tda-2024/own/X-face-mismatch",
    "tda-2024/own/X-reader-fails",
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
SHOE_GAME = """\
script = 1
game = "baccarat"
rulebook = "pa-baccarat"
seats = []
decks = 8
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
    judged = judge_through_hardware(script, book, EYE)
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
        play_through_hardware(script, book, EYE, path)
        with JournalReader(path) as reader:
            journals.append(list(reader.records()))
    assert journals[0] == journals[1]
    assert any(row.kind == "ruling" for row in journals[0])


FULL_DISK = """\
CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(ABORT, 'disk full'); END
"""


def play(text: str, path: Path) -> tuple[list[int], list[Record]]:
    """Play a script; return when its lines began, and its journal but for the ticks."""
    starts_ns = play_through_hardware(*understand(text), EYE, path).starts_ns
    with JournalReader(path) as reader:
        return starts_ns, [row for row in reader.records() if "TimePassed" not in row.body]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        # What is set aside, or falls off the table, leaves the shoe.
        (["boxed 9h"], [["CardRead shoe", "CardSighted shoe", "CardGone shoe"]]),
        (["deal 9h floor"], [["CardRead shoe", "CardSighted floor", "CardGone shoe"]]),
        # A stray card is heard at two places until it is over.
        (
            ["deal 9h S1", "stray 9h S2"],
            [
                ["CardRead shoe", "CardRead S1", "CardGone shoe"],
                ["CardRead S2", "CardRead S1", "CardGone S2"],
            ],
        ),
        # The pack is counted each time that it is laid on its pad.
        (["collect", "collect"], [["PackCounted 52 tags"], ["PackCounted 52 tags"]]),
        (["pack 53"], [["PackCounted 53 tags"]]),
        (["pack 51"], [["PackCounted 51"]]),
        (
            ["deal 9h S1", "pack 52"],
            [["CardRead shoe", "CardRead S1", "CardGone shoe"], ["PackCounted 52"]],
        ),
        # Ours is unplugged, the others' is told.
        (
            ["fault seat:2", "restore seat:2", "fault camera", "fault shuffler"],
            [
                ["DeviceFaulted seat:2"],
                ["DeviceRestored seat:2"],
                ["DeviceFaulted camera"],
                ["DeviceFaulted shuffler"],
            ],
        ),
    ],
)
def test_the_engine_is_told_what_sensors_would_tell(
    tmp_path: Path, events: list[str], told: list[list[str]]
) -> None:
    lines = ", ".join(f'"{event}"' for event in events)
    starts_ns, rows = play(f"{HEAD}events = [{lines}]", tmp_path / "journal.db")
    found: list[list[str]] = [[] for _ in events]
    for row in rows:
        if row.kind == "event":
            found[bisect(starts_ns, row.at_ns) - 1].append(in_short(msgspec.json.decode(row.body)))
    assert found == told


def in_short(event: dict[str, Any]) -> str:
    where = event.get("place") or event.get("device") or event.get("count")
    return f"{event['event']} {where}{' tags' if event.get('tags') else ''}"


def test_a_shoe_of_several_packs_is_counted_by_hand(tmp_path: Path) -> None:
    _, rows = play(SHOE_GAME + 'events = ["pack 420"]', tmp_path / "journal.db")
    events = [msgspec.json.decode(row.body) for row in rows if row.kind == "event"]
    assert [in_short(event) for event in events] == ["PackCounted 420"]


def test_a_card_under_an_antenna_that_fails_is_not_waited_for(tmp_path: Path) -> None:
    text = HEAD + 'events = ["fault seat:2", "deal 9h S2", "deal ends"]'
    (_, second_ns, third_ns), _ = play(text, tmp_path / "journal.db")
    assert third_ns - second_ns < 2_000_000_000


def test_a_board_is_put_out_in_one_go(tmp_path: Path) -> None:
    _, rows = play(HEAD + 'events = ["board 9h 2h 4h 8s 6d"]', tmp_path / "journal.db")
    events = [msgspec.json.decode(row.body) for row in rows if row.kind == "event"]
    left_ns = [each["at_ns"] for each in events if in_short(each) == "CardRead shoe"]
    assert len(left_ns) == 5
    assert max(after - at for at, after in pairwise(left_ns)) < 450_000_000


def test_what_time_alone_shows_is_ruled_within_the_line(tmp_path: Path) -> None:
    judged = judge_through_hardware(
        *understand(HEAD + 'events = ["round", "deal 9h S1 unread"]'), EYE
    )
    assert [(after, each.finding) for after, each in judged.verdicts.lines] == [(2, "unread_card")]


def test_a_journal_that_cannot_be_written_is_no_script_without_rulings(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal(path, {}).close()
    with sqlite3.connect(path) as connection:
        connection.execute(FULL_DISK)
    connection.close()
    with pytest.raises(JournalWriteError, match="disk full"):
        play(HEAD + 'events = ["deal 9h S1 up"]', path)


@pytest.mark.parametrize(
    ("frame", "events", "places", "alone"),
    [
        (HEAD, ["round"], "S1 S2 board burn muck stub pack shoe", ""),
        (HEAD, ["deal 9h S7"], "S1 S2 S7 board burn muck stub pack shoe", ""),
        (HEAD, ["fault seat:2"], "S1 S2 board burn muck stub pack shoe", "S2"),
        (
            HEAD.replace("holdem", "draw5") + "tableseats = [1, 2, 3]\n",
            ["burn 9h", "move 9h floor"],
            "S1 S2 S3 burn muck stub pack shoe",
            "",
        ),
        (
            SHOE_GAME,
            ["say bets closed"],
            "P B muck rack stub shoe",
            "rack",
        ),
    ],
)
def test_a_table_has_the_antennas_that_its_game_and_its_script_need(
    frame: str, events: list[str], places: str, alone: str
) -> None:
    lines = ", ".join(f'"{event}"' for event in events)
    script, book = understand(f"{frame}events = [{lines}]")
    watch = Performance(script, book).watch
    assert places_of(script, watch) == (places.split(), set(alone.split()))


def test_script_time_passes_from_the_end_of_one_line_to_the_next(tmp_path: Path) -> None:
    text = HEAD + 'events = ["@2 round", "@2.5 round", "@60 deal ends"]'
    (first_ns, second_ns, third_ns), rows = play(text, tmp_path / "journal.db")
    whole_ns = [max(row.at_ns for row in rows if row.at_ns < end) for end in (second_ns, third_ns)]
    assert first_ns >= 2_000_000_000
    assert 0.5 <= (second_ns - whole_ns[0]) / 1e9 < 0.6
    assert 57.5 <= (third_ns - whole_ns[1]) / 1e9 < 57.6


def test_a_script_in_which_nothing_happens_is_played() -> None:
    judged = judge_through_hardware(*understand(HEAD + "events = []"), EYE)
    assert (judged.verdicts, judged.notes) == (Verdicts((), ()), ())


def test_what_the_controller_would_not_be_told_is_noted() -> None:
    judged = judge_through_hardware(*understand(HEAD + 'events = ["act S1 fold"]'), EYE)
    assert judged.verdicts.misses == ()
    assert judged.notes == ("after event 1: 'act S1 fold' refused: no hand is being played",)


class Blind:
    def look(self, picture: Picture) -> Seen:
        return Seen()


def test_what_the_camera_does_not_tell_is_told_as_the_script_has_it_and_noted() -> None:
    script, book = understand(HEAD + 'events = ["deal 9h S1 up"]')
    judged = judge_through_hardware(script, book, Blind())
    ((after, ruling),) = judged.verdicts.lines
    assert (after, ruling.finding, ruling.place, ruling.card) == (1, "exposed_card", "S1", "9h")
    assert judged.notes == (
        "after event 1: the camera did not tell CardSighted 9h S1: told as the script has it",
    )


UNMET = HEAD + 'events = ["deal 9h S1 up"]\n[[expect]]\nfinding = "boxed_card"\n'


def test_the_command_prints_what_it_prints_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hand.toml"
    path.write_text(UNMET)
    arguments = ["judge", str(path), "--json"]
    assert run(arguments) == 1
    without = capsys.readouterr()
    assert run([*arguments, "--through", "hardware"]) == 1
    through = capsys.readouterr()
    (line,) = map(msgspec.json.decode, through.out.splitlines())
    assert line["finding"] == "exposed_card"
    assert through == without
    assert "not met" in through.err


def test_a_note_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hand.toml"
    path.write_text(HEAD + 'clean = true\nevents = ["act S1 fold"]')
    assert run(["judge", str(path), "--json", "--through", "hardware"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert f"{path}: note: after event 1: 'act S1 fold' refused" in told.err


def test_a_terminal_shows_how_far_the_judge_has_come(tmp_path: Path) -> None:
    path = tmp_path / "hand.toml"
    path.write_text(UNMET)
    command = [sys.executable, "-m", "misdeal", "judge", str(path)]
    master, slave = os.openpty()
    told = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, text=True, check=False)
    os.close(slave)
    shown = os.read(master, 4096).decode()
    os.close(master)
    assert "100%" in shown
    assert "MISDEAL" in told.stdout
