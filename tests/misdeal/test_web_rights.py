"""Every request and every statement is asked by every role, and by nobody at all."""

import re
from pathlib import Path

import pytest

from engine.errors import StatementError
from engine.events import Stated
from engine.statements import SAYINGS, SENTENCES, parse_statement
from misdeal.people import ROLES
from misdeal.web.phrases import FORMS, forms_of
from misdeal.web.rights import REQUESTS, STATEMENTS, may_say
from tests.misdeal.asked import PASSWORD, Desk, at_desk

# What each request is to be answered, worked out by hand: nobody, then the roles in their order
# (dealer, supervisor, inspector, auditor, administrator).
MATRIX = {
    ("GET", "/"): (200, 200, 200, 200, 200, 200),
    ("GET", "/static/{path:path}"): (200, 200, 200, 200, 200, 200),
    ("GET", "/healthz"): (200, 200, 200, 200, 200, 200),
    ("GET", "/readyz"): (200, 200, 200, 200, 200, 200),
    ("GET", "/metrics"): (401, 200, 200, 200, 200, 200),
    ("GET", "/api/v1/openapi.json"): (401, 200, 200, 200, 200, 200),
    ("GET", "/api/v1/info"): (401, 200, 200, 200, 200, 200),
    ("GET", "/api/v1/state"): (401, 200, 200, 200, 200, 200),
    ("GET", "/api/v1/stream"): (401, 200, 200, 200, 200, 200),
    ("GET", "/api/v1/clauses"): (401, 200, 200, 200, 200, 200),
    ("POST", "/api/v1/say"): (401, 200, 200, 200, 403, 403),
    ("POST", "/api/v1/sign-in"): (200, 200, 200, 200, 200, 200),
    ("POST", "/api/v1/enter"): (200, 200, 200, 200, 200, 200),
    ("POST", "/api/v1/sign-out"): (401, 200, 200, 200, 200, 200),
    ("GET", "/api/v1/people"): (401, 403, 403, 403, 403, 200),
    ("POST", "/api/v1/people/revoke"): (401, 403, 403, 403, 403, 200),
}

BODIES: dict[str, object] = {
    "/api/v1/say": {"say": "shuffle"},
    "/api/v1/sign-in": {"name": "dealer", "password": PASSWORD},
    "/api/v1/people/revoke": {"name": "dealer"},
}


async def row(desk: Desk, method: str, path: str, *, by_token: bool) -> tuple[int, ...]:
    """Ask as nobody and as every role; return the statuses."""
    statuses = []
    for role in (None, *ROLES):
        headers: dict[str, str] = {}
        if role and by_token:
            headers = {"authorization": f"Bearer {desk.people.open(role, 'token')}"}
        elif role:
            headers = desk.cookie_of(role)
        body = BODIES.get(path)
        if path == "/api/v1/enter":
            body = {"link": desk.people.open("dealer", "link")}
        where = path.replace("{path:path}", "index.html")
        reply = await desk.ask(method, where, body, headers=headers)
        statuses.append(reply.status)
    return tuple(statuses)


def test_the_matrix_has_every_request() -> None:
    assert MATRIX.keys() == REQUESTS.keys()


@pytest.mark.parametrize("by_token", [False, True], ids=["session", "token"])
def test_every_request_is_answered_to_those_who_may_ask_and_to_nobody_else(
    tmp_path: Path, *, by_token: bool
) -> None:
    told: dict[tuple[str, str], tuple[int, ...]] = {}

    async def work(desk: Desk) -> None:
        for method, path in MATRIX:
            told[method, path] = await row(desk, method, path, by_token=by_token)

    at_desk(tmp_path, work)
    assert told == MATRIX


def filled(form: str) -> str:
    """Return a form with something in every gap."""
    values = {
        "SEAT": "S3", "CARD": "9h", "CLAUSE": "T-A5", "RULING": "r1", "NUMBER/NUMBER": "26/26",
        "NUMBER": "3", "NAME": "thing", "TEXT": "it was so",
    }  # fmt: skip
    return re.sub("|".join(values), lambda found: values[found[0]], form)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_a_statement(form: str) -> None:
    parse_statement(filled(form), 0)


def beginning(form: str) -> str:
    return next(known for known in STATEMENTS if f"{form} ".startswith(f"{known} "))


def test_every_word_of_the_operator_has_its_right_and_its_form() -> None:
    known = {*SENTENCES, *(f"say {saying}" for saying in SAYINGS)}
    assert STATEMENTS.keys() == known
    assert {beginning(form) for form in FORMS} == known


# Who may not say what, worked out by hand; an inspector may say everything.
@pytest.mark.parametrize(
    ("role", "unsaid"),
    [
        ("dealer", {"fault", "restore", "approve", "say dismiss", "say level up", "say break",
                    "say button"}),
        ("supervisor", {"approve"}),
        ("inspector", set()),
        ("auditor", set(STATEMENTS)),
        ("administrator", set(STATEMENTS)),
    ],
)  # fmt: skip
def test_a_role_may_say_what_is_its_own(role: str, unsaid: set[str]) -> None:
    assert {beginning(form) for form in FORMS if not may_say(role, filled(form))} == unsaid  # type: ignore[arg-type]
    assert {beginning(form) for form in forms_of(role)} == set(STATEMENTS) - unsaid  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["  approve", "approve  now", "say   dismiss r1 no", "\tapprove"])
def test_no_blank_gets_a_statement_past_the_table_of_rights(text: str) -> None:
    assert not may_say("dealer", text)
    try:
        event = parse_statement(text, 0)
    except StatementError:
        return
    assert not isinstance(event, Stated) or event.topic == "dismiss"
