"""Every table script below tests/scripts is played, and its expectations are met."""

from functools import cache
from pathlib import Path

import pytest

from engine.performing import judge_script
from engine.rulebook import RuleBook, compile_book, load_book
from engine.script import read_script

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
FILES = sorted(SCRIPTS.rglob("*.toml"))


@cache
def book_of(name: str, house: str | None) -> RuleBook:
    return compile_book(load_book(name), file=name, house=house)


def test_there_are_scripts_of_every_kind() -> None:
    kinds = {path.parent.relative_to(SCRIPTS).as_posix().partition("/")[2] for path in FILES}
    assert kinds == {"", "derived", "disputed", "own", "own/derived"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SCRIPTS).as_posix())
def test_a_table_script_meets_its_expectations(path: Path) -> None:
    script = read_script(path.read_text("utf-8"), file=path.name)
    assert judge_script(script, book_of(script.rulebook, script.house)).misses == ()


def test_no_script_is_without_an_expectation() -> None:
    read = {path.name: read_script(path.read_text("utf-8"), file=path.name) for path in FILES}
    assert [n for n, s in read.items() if not (s.clean or s.expects or s.rejects or s.never)] == []


def test_a_script_says_in_its_first_line_what_it_is_about() -> None:
    assert [path.name for path in FILES if not path.read_text("utf-8").startswith("# ")] == []


def test_a_script_lies_in_the_folder_of_its_rule_book() -> None:
    named = {path: read_script(path.read_text("utf-8"), file=path.name).rulebook for path in FILES}
    assert [p.name for p, book in named.items() if p.relative_to(SCRIPTS).parts[0] != book] == []
