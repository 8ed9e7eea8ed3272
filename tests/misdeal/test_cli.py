"""The command line: statuses, one line an error, results and nothing else on standard output."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from firmware_bridge.families import pepper_c1
from hw_fixtures.packs import demo_packs
from misdeal.cli import BAD_INPUT, COMMANDS, INTERRUPTED, OUR_FAULT, group, run
from misdeal.demo import write_table

GOOD = """\
script = 1
game = "holdem"
rulebook = "tda-2024"
seats = [1, 2, 3]
button = 3
events = ["deal 9h S1 up"]

[[expect]]
finding = "exposed_card"
verdict = "misdeal"
"""

UNMET = GOOD.replace('verdict = "misdeal"', 'verdict = "card_dead"')
BAD = GOOD.replace("deal 9h S1 up", "deal 9x S1 up")


class Told:
    """What a command came to."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err

    @property
    def objects(self) -> list[Any]:
        """Its JSON lines."""
        return [msgspec.json.decode(line) for line in self.out.splitlines()]


@pytest.fixture
def misdeal(capfd: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def call(*arguments: object) -> Told:
        status = run([str(each) for each in arguments])
        sys.stdout.flush()
        return Told(status, *capfd.readouterr())

    return call


Call = Callable[..., Told]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(misdeal: Call, name: str) -> None:
    command = group.get_command(group.make_context("misdeal", [name]), name)
    assert command is not None
    names = [[name], *([name, sub] for sub in getattr(command, "commands", ()))]
    for words in names[1:] or names:
        told = misdeal(*words, "--help")
        assert (told.status, told.err) == (0, "")
        assert f"Example: misdeal {' '.join(words)}" in " ".join(told.out.split())


def test_the_list_of_commands_is_the_help(misdeal: Call) -> None:
    told = misdeal("--help")
    assert told.status == 0
    assert [name for name in COMMANDS if f"  {name} " not in told.out] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("jugde",),
        ("judge",),
        ("replay", "nowhere.db"),
        ("decode", "--family", "nobody"),
        ("decode", "--family", "pepper_c1"),
        ("decode", "--family", "pepper_c1", "--hex", "F5 0"),
        ("config", "check", "nowhere.toml"),
        ("judge", "nowhere.toml"),
        ("run", "nowhere.toml"),
        ("say", "approve", "--table", "nowhere.toml"),
        ("demo", "--speed", "0"),
    ],
)
def test_bad_input_is_told_without_a_traceback(misdeal: Call, arguments: tuple[str, ...]) -> None:
    told = misdeal(*arguments)
    assert (told.status, told.out) == (BAD_INPUT, "")
    assert told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt(), INTERRUPTED, ""),
        (FileNotFoundError(2, "no such file", "x"), BAD_INPUT, "no such file"),
        (ZeroDivisionError("by zero"), OUR_FAULT, "a fault of misdeal: ZeroDivisionError: by zero"),
    ],
)
def test_an_error_of_any_kind_is_one_line_and_a_status(
    capsys: pytest.CaptureFixture[str], error: BaseException, status: int, said: str
) -> None:
    assert run([], failing(error)) == status
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") <= 1


def failing(error: BaseException) -> click.Command:
    """Return a command that fails."""

    @click.command()
    def command() -> None:
        raise error

    return command


def test_where_an_error_came_from_is_told_to_those_who_ask(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISDEAL_DEBUG", "1")
    assert run([], failing(ZeroDivisionError("by zero"))) == OUR_FAULT
    assert "Traceback" in capsys.readouterr().err


def test_the_flag_and_the_variable_are_one(monkeypatch: pytest.MonkeyPatch, misdeal: Call) -> None:
    monkeypatch.setenv("MISDEAL_DEBUG", "")
    told = misdeal("--debug", "config", "check", "nowhere.toml")
    assert (told.status, "Traceback" in told.err) == (BAD_INPUT, True)


@pytest.mark.parametrize(
    ("text", "status", "out", "err"),
    [
        (GOOD, 0, "after 1: r1 MISDEAL - SEAT 1 (in force) | ", "1 scripts played: 1 as expected"),
        (UNMET, 1, "not met: ", "0 as expected, 1 not; 0 unreadable"),
        (BAD, 2, "", "hand.toml:6: events[1]: found '9x', expected"),
    ],
)
def test_a_script_is_judged(
    misdeal: Call, tmp_path: Path, text: str, status: int, out: str, err: str
) -> None:
    (tmp_path / "hand.toml").write_text(text)
    told = misdeal("judge", tmp_path)
    assert told.status == status
    assert out in told.out
    assert err in told.err


def test_the_worst_script_settles_the_status_and_every_one_is_played(
    misdeal: Call, tmp_path: Path
) -> None:
    for name, text in (("a", BAD), ("b", UNMET), ("sub/c", GOOD)):
        path = tmp_path / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    told = misdeal("judge", tmp_path, "--json")
    assert told.status == 2
    assert "2 scripts played: 1 as expected, 1 not; 1 unreadable" in told.err
    assert {line["script"] for line in told.objects} == {
        str(tmp_path / "b.toml"),
        str(tmp_path / "sub" / "c.toml"),
    }


def test_a_ruling_is_told_as_the_contract_has_it(
    misdeal: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(GOOD))
    (line,) = misdeal("judge", "-", "--json").objects
    assert line.pop("because")
    assert line.pop("remedy")
    assert line == {
        "script": "-",
        "after": 1,
        "ruling": "r1",
        "finding": "exposed_card",
        "place": "S1",
        "card": "9h",
        "verdict": "misdeal",
        "state": "final",
        "decider": "book",
        "callable_by": [],
        "until": {"event": "substantial_action", "at_ns": None},
        "asks": [],
        "next_dealer": None,
        "cite": ["T-A7"],
        "rulebook": "tda-2024",
    }


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path, demo_packs(1), {}, wirings=())


def test_a_new_table_file_is_sound_and_is_not_overwritten(misdeal: Call, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    assert misdeal("init", path).status == 0
    assert misdeal("config", "check", path).out == f"{path}: sound\n"
    again = misdeal("init", path)
    assert (again.status, again.err) == (2, f"{path} is there already; it is not overwritten\n")


def test_a_table_file_is_shown_with_its_defaults(misdeal: Call, table: Path) -> None:
    told = misdeal("config", "show", table)
    shown = msgspec.json.decode(told.out)
    assert (shown["journal"], shown["seats"]) == ("journal.db", [1, 2, 3, 4, 5, 6, 7, 8, 9])


def test_the_schema_names_every_key(misdeal: Call) -> None:
    schema = msgspec.json.decode(misdeal("config", "schema").out)
    keys = schema["$defs"]["TableFile"]["properties"]
    assert keys["window_ms"]["maximum"] == 10_000
    assert schema["$defs"]["TableFile"]["additionalProperties"] is False


def test_faults_of_a_table_file_are_json_where_json_is_asked_for(
    misdeal: Call, table: Path
) -> None:
    table.write_text(table.read_text().replace('"holdem"', '"holdm"'))
    told = misdeal("config", "check", table, "--json")
    assert told.status == 2
    assert told.objects == [
        {
            "file": str(table),
            "line": 4,
            "key": "game",
            "found": '"holdm"',
            "expected": told.objects[0]["expected"],
        }
    ]
    assert told.objects[0]["expected"].startswith("'holdem'?")


def test_raw_bytes_are_told_as_frames_and_noise(misdeal: Call, tmp_path: Path) -> None:
    (tmp_path / "raw.bin").write_bytes(b"noise")
    told = misdeal("decode", "--family", "pepper_c1", tmp_path / "raw.bin", "--json")
    assert told.objects == [{"ok": False, "reason": "noise", "offset": 0, "length": 5}]
    text = misdeal("decode", "--family", "pepper_c1", "--hex", "6e 6f", "--hex", "0x69:73,65")
    assert text.out == "     0     5  no frame: noise\n"


def test_a_frame_is_told_with_what_it_says(misdeal: Call) -> None:
    arguments = ("decode", "--family", "pepper_c1", "--direction", "tx")
    digits = pepper_c1.get_version().hex()
    (frame,) = misdeal(*arguments, "--hex", digits, "--json").objects
    assert (frame["ok"], frame["kind"], frame["name"]) == (True, "command", "version")
    assert misdeal(*arguments, "--hex", digits).out.endswith("  command version: ok\n")
