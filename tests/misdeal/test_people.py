"""People sign in with what only they know, and what was opened can be ended."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from misdeal.errors import NotPeopleError, PersonError
from misdeal.people import HASHER, LASTS_S, People, Person

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "correct horse battery"  # noqa: S105 - opens nothing


class Wall:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.s = 1_000_000.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def people(tmp_path: Path, wall: Wall) -> People:
    people = People(tmp_path / "people.db", hasher=QUICK, now_s=wall)
    people.add("anna", "inspector", PASSWORD)
    people.add("screen", "auditor")
    return people


def test_a_password_is_one_persons(people: People) -> None:
    assert people.check_password("anna", PASSWORD) == Person("anna", "inspector")
    assert people.check_password("anna", PASSWORD + "x") is None
    assert people.check_password("otto", PASSWORD) is None
    assert people.check_password("screen", "") is None


def test_the_file_is_its_owners_alone_and_holds_no_secret(people: People) -> None:
    assert stat.S_IMODE(people.path.stat().st_mode) == 0o600
    secrets = [PASSWORD, people.open("anna", "session"), people.open("screen", "token")]
    assert [each for each in secrets if each.encode() in people.path.read_bytes()] == []


def test_what_is_kept_is_argon2_as_strong_as_the_rfc_wants() -> None:
    assert (HASHER.time_cost, HASHER.memory_cost, HASHER.type.name) == (3, 65536, "ID")


@pytest.mark.parametrize("kind", ["session", "token", "link"])
def test_a_key_opens_what_it_is_for_until_its_time_is_over(
    people: People, wall: Wall, kind: str
) -> None:
    secret = people.open("anna", kind)  # type: ignore[arg-type]
    opens = [each for each in LASTS_S if people.who(secret, each) == Person("anna", "inspector")]
    assert opens == [kind]
    wall.s += LASTS_S[opens[0]]
    assert people.who(secret, opens[0]) is None


def test_a_key_can_be_closed_once(people: People) -> None:
    secret = people.open("anna", "session")
    assert (people.close(secret), people.close(secret)) == (True, False)
    assert people.who(secret, "session") is None


def test_revoking_ends_the_keys_of_one_person_and_of_nobody_else(people: People) -> None:
    hers, also = people.open("anna", "session"), people.open("anna", "token")
    other = people.open("screen", "token")
    assert people.revoke("anna") == 2
    assert (people.who(hers, "session"), people.who(also, "token")) == (None, None)
    assert people.who(other, "token") == Person("screen", "auditor")


def test_a_new_password_ends_what_the_old_one_opened(people: People) -> None:
    secret = people.open("anna", "session")
    people.set_password("anna", "another long password")
    assert people.who(secret, "session") is None
    assert people.check_password("anna", PASSWORD) is None
    assert people.check_password("anna", "another long password") is not None


def test_a_new_role_holds_at_once(people: People) -> None:
    secret = people.open("anna", "session")
    people.set_role("anna", "dealer")
    assert people.who(secret, "session") == Person("anna", "dealer")


def test_who_is_removed_leaves_nothing_behind(people: People) -> None:
    secret = people.open("anna", "session")
    people.remove("anna")
    assert people.who(secret, "session") is None
    assert [each.name for each in people.everybody()] == ["screen"]


def test_a_list_tells_who_may_come_in_and_how(people: People, wall: Wall) -> None:
    people.open("anna", "session")
    wall.s += LASTS_S["session"]
    people.open("anna", "session")
    people.open("screen", "token")
    told = [(p.name, p.role, p.has_password, p.sessions, p.tokens) for p in people.everybody()]
    assert told == [("anna", "inspector", True, 1, 0), ("screen", "auditor", False, 0, 1)]


@pytest.mark.parametrize(
    ("do", "why"),
    [
        (lambda p: p.add("anna", "dealer", PASSWORD), "anna: is there already"),
        (lambda p: p.add("an na", "dealer", PASSWORD), "an na: expected letters"),
        (lambda p: p.add("otto", "dealer", "short"), "12 characters at least"),
        (lambda p: p.set_role("otto", "dealer"), "otto: there is nobody"),
        (lambda p: p.set_password("otto", PASSWORD), "otto: there is nobody"),
        (lambda p: p.revoke("otto"), "otto: there is nobody"),
        (lambda p: p.remove("otto"), "otto: there is nobody"),
        (lambda p: p.open("otto", "token"), "otto: there is nobody"),
    ],
)
def test_what_will_not_do_is_refused_with_the_reason(
    people: People, do: Callable[[People], object], why: str
) -> None:
    with pytest.raises(PersonError, match=why):
        do(people)


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    path.write_text("anna:secret\n" * 100)
    with pytest.raises(NotPeopleError, match="cannot be used for the people"):
        People(path)
