"""``misdeal user`` says who may sign in."""

import io
from pathlib import Path

import pytest

from misdeal.commands.init import TEMPLATE
from misdeal.people import People, Person
from tests.misdeal.said import Said

PASSWORD = "correct horse battery"  # noqa: S105 - opens nothing


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "table.toml"
    table.write_text(TEMPLATE)
    return table


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_person_is_added_changed_listed_and_removed(
    said: Said, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, f"{PASSWORD}\n")
    assert said("user", "add", "anna", "--role", "dealer", "--table", table)[0] == 0
    people = People(table.parent / "people.db")
    assert people.check_password("anna", PASSWORD) == Person("anna", "dealer")
    assert said("user", "role", "anna", "inspector", "--table", table)[0] == 0
    link = said("user", "link", "anna", "--table", table)[1].strip()
    assert people.who(link.removeprefix("#enter="), "link") == Person("anna", "inspector")
    assert said("user", "list", "--table", table)[1] == (
        "anna: inspector, password, 0 sessions, 0 tokens\n"
    )
    assert said("user", "remove", "anna", "--table", table)[0] == 0
    assert said("user", "list", "--json", "--table", table)[1] == ""


def test_a_generated_password_is_told_once_and_opens(said: Said, table: Path) -> None:
    status, out, err = said(
        "user", "add", "anna", "--role", "dealer", "--generate", "--table", table
    )
    password = err.strip().rpartition(" ")[2]
    assert (status, out) == (0, "anna is dealer\n")
    people = People(table.parent / "people.db")
    assert people.check_password("anna", password) == Person("anna", "dealer")
    again = said("user", "passwd", "anna", "--generate", "--table", table)[2]
    assert people.check_password("anna", password) is None
    assert people.check_password("anna", again.strip().rpartition(" ")[2]) is not None


def test_a_machine_gets_a_token_which_can_be_revoked(said: Said, table: Path) -> None:
    said("user", "add", "wall", "--role", "auditor", "--no-password", "--table", table)
    token = said("user", "token", "wall", "--table", table)[1].strip()
    people = People(table.parent / "people.db")
    assert people.who(token, "token") == Person("wall", "auditor")
    assert said("user", "revoke", "wall", "--table", table)[1] == "1 ended\n"
    assert people.who(token, "token") is None


def test_what_will_not_do_is_one_line(
    said: Said, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "short\n")
    status, _, err = said("user", "add", "anna", "--role", "dealer", "--table", table)
    assert (status, err) == (2, "anna: a password has 12 characters at least\n")
    status, _, err = said("user", "revoke", "otto", "--table", table)
    assert (status, err) == (2, "otto: there is nobody of this name\n")
