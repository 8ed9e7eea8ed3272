"""What the interface answers, and what the journal keeps of who asked."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from misdeal.door import MAX_LINE_BYTES
from misdeal.journal import JournalReader
from misdeal.people import Person
from misdeal.tablefile import Layout
from misdeal.web.guard import WAITING_AT_MOST
from tests.misdeal.asked import COOKIE, PASSWORD, Desk, at_desk


def rows(layout: Layout, *wanted: str) -> list[tuple[str, dict[str, Any]]]:
    with JournalReader(layout.journal) as reader:
        return [
            (record.kind, msgspec.json.decode(record.body))
            for record in reader.records()
            if record.kind in wanted
        ]


def test_who_signs_in_speaks_and_signs_out_is_in_the_journal(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        reply = await desk.ask(
            "POST", "/api/v1/sign-in", {"name": "inspector", "password": PASSWORD}
        )
        cookie = reply.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        headers = {"cookie": cookie.partition(";")[0]}
        info = (await desk.ask("GET", "/api/v1/info", headers=headers)).json
        assert info["person"] == {"name": "inspector", "role": "inspector"}
        headers["x-misdeal-proof"] = info["proof"]
        said = await desk.ask("POST", "/api/v1/say", {"say": "approve Otto"}, headers=headers)
        assert (said.status, said.json["ok"]) == (200, True)
        refused = await desk.ask("POST", "/api/v1/say", {"say": "act S3 fly"}, headers=headers)
        assert (refused.status, refused.json["ok"]) == (409, False)
        assert (await desk.ask("POST", "/api/v1/sign-out", headers=headers)).status == 200
        assert (await desk.ask("GET", "/api/v1/info", headers=headers)).status == 401

    layout = at_desk(tmp_path, work)
    who = {"person": "inspector", "role": "inspector"}
    person, *rest = rows(layout, "person", "event", "refused")
    assert person == ("person", {**who, "did": "signed in", "source": "192.0.2.7"})
    said, approved, refused, left = rest
    assert said == ("person", {**who, "did": "said", "text": "approve Otto"})
    assert (approved[1]["event"], approved[1]["by"]) == ("Approved", "inspector")
    assert (refused[0], refused[1]["text"], refused[1]["person"]) == (
        "refused", "act S3 fly", "inspector",
    )  # fmt: skip
    assert left == ("person", {**who, "did": "signed out"})


def test_a_wrong_password_is_refused_kept_and_slowed_down(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        wrong = {"name": "dealer", "password": "x" * 12}
        right = {"name": "dealer", "password": PASSWORD}
        statuses = [(await desk.ask("POST", "/api/v1/sign-in", wrong)).status for _ in range(6)]
        assert statuses == [401] * 5 + [429]
        held = await desk.ask("POST", "/api/v1/sign-in", right)
        assert (held.status, held.headers["retry-after"]) == (429, "12")
        desk.clock.s += 12
        assert (await desk.ask("POST", "/api/v1/sign-in", right)).status == 200

    layout = at_desk(tmp_path, work)
    kept = [body for _, body in rows(layout, "person")]
    assert [body["did"] for body in kept] == ["failed to sign in"] * 5 + ["signed in"]
    assert kept[0]["person"] == "dealer"
    assert PASSWORD.encode() not in layout.journal.read_bytes()


def test_a_name_that_nobody_has_is_not_kept(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        asked = {"name": "my secret by mistake", "password": "x"}
        assert (await desk.ask("POST", "/api/v1/sign-in", asked)).status == 401

    layout = at_desk(tmp_path, work)
    assert [body["person"] for _, body in rows(layout, "person")] == [""]


def test_a_link_opens_once(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        link = {"link": desk.people.open("dealer", "link")}
        statuses = [(await desk.ask("POST", "/api/v1/enter", link)).status for _ in range(2)]
        assert statuses == [200, 401]

    layout = at_desk(tmp_path, work)
    assert [body["did"] for _, body in rows(layout, "person")] == ["signed in by a link"]


FROM: list[tuple[dict[str, str], int]] = [
    ({}, 200),
    ({"x-misdeal-proof": ""}, 403),
    ({"x-misdeal-proof": "0" * 64}, 403),
    ({"origin": "http://table.test"}, 200),
    ({"origin": "http://evil.test"}, 403),
    ({"origin": "null"}, 403),
    ({"sec-fetch-site": "same-origin"}, 200),
    ({"sec-fetch-site": "cross-site"}, 403),
    ({"sec-fetch-site": "same-site"}, 403),
]


def test_what_changes_something_must_come_from_the_page(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        signed_in = desk.cookie_of("dealer")
        for changes, status in FROM:
            reply = await desk.ask(
                "POST", "/api/v1/say", {"say": "shuffle"}, headers={**signed_in, **changes}
            )
            assert (changes, reply.status) == (changes, status)

    at_desk(tmp_path, work)


SAID = [
    (b'{"say": "shuffle"}', 200),
    (b"shuffle", 400),
    (b'{"sya": "shuffle"}', 400),
    (b'{"say": 3}', 400),
    (b"\xff", 400),
    (b'{"say": "' + b"x" * MAX_LINE_BYTES + b'"}', 413),
    (b'{"say": "approve"}', 403),
    (b'{"say": "say dismiss r1 because"}', 403),
    (b'{"say": ""}', 409),
]


def test_a_statement_is_taken_or_refused_with_the_reason(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        headers = desk.cookie_of("dealer")
        for body, status in SAID:
            reply = await desk.ask("POST", "/api/v1/say", body, headers=headers)
            assert (body, reply.status, reply.json["ok"]) == (body, status, status == 200)
            assert bool(reply.json.get("reason")) is (status != 200)

    at_desk(tmp_path, work)


def test_an_administrator_sees_who_is_there_and_shows_them_out(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        hers = desk.cookie_of("dealer")
        headers = desk.cookie_of("administrator")
        people = (await desk.ask("GET", "/api/v1/people", headers=headers)).json
        assert [(p["name"], p["sessions"]) for p in people][1] == ("auditor", 0)
        assert "password" not in people[0]
        asked = {"name": "dealer"}
        reply = await desk.ask("POST", "/api/v1/people/revoke", asked, headers=headers)
        assert reply.json == {"ok": True, "ended": 1}
        assert (await desk.ask("GET", "/api/v1/info", headers=hers)).status == 401
        nobody = await desk.ask("POST", "/api/v1/people/revoke", {"name": "x"}, headers=headers)
        assert nobody.status == 404

    layout = at_desk(tmp_path, work)
    (revoked,) = [body for _, body in rows(layout, "person")]
    assert (revoked["person"], revoked["whose"]) == ("administrator", "dealer")


def test_no_more_passwords_wait_than_are_worth_it(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        wrong = {"name": "x", "password": "y"}
        asking = [desk.ask("POST", "/api/v1/sign-in", wrong) for _ in range(WAITING_AT_MOST + 1)]
        statuses = [reply.status for reply in await asyncio.gather(*asking)]
        assert sorted(statuses) == [401] * WAITING_AT_MOST + [503]

    at_desk(tmp_path, work)


def test_every_answer_bears_headers_that_keep_other_sites_out(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        for path in ("/", "/api/v1/state", "/static/nothing.js", "/nowhere"):
            reply = await desk.ask("GET", path)
            assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
            assert reply.headers["x-content-type-options"] == "nosniff"
        assert (await desk.ask("GET", "/static/../server.py")).status == 404

    at_desk(tmp_path, work)


def test_a_token_speaks_for_its_person_and_needs_no_proof(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        token = desk.people.open("dealer", "token")
        headers = {"authorization": f"Bearer {token}"}
        reply = await desk.ask("POST", "/api/v1/say", {"say": "shuffle"}, headers=headers)
        assert reply.status == 200
        assert (await desk.ask("GET", "/api/v1/info", headers=headers)).json["proof"] == ""
        as_cookie = {"cookie": f"{COOKIE}={token}"}
        assert (await desk.ask("GET", "/api/v1/info", headers=as_cookie)).status == 401

    layout = at_desk(tmp_path, work)
    assert rows(layout, "person")[0][1]["person"] == "dealer"


def test_a_fault_of_ours_is_one_line_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(desk: Desk) -> None:
        headers = desk.cookie_of("administrator")
        desk.people.path.rename(tmp_path / "gone")
        desk.people.path.mkdir()
        assert (await desk.ask("GET", "/healthz")).status == 200
        reply = await desk.ask("GET", "/api/v1/people", headers=headers)
        assert reply.status == 500
        assert "fault of misdeal" in reply.json["reason"]

    at_desk(tmp_path, work)
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "GET /api/v1/people failed"
    ]


def test_a_metrics_scrape_has_the_figures(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        await desk.app.controller.say("pack 51", Person("x", "dealer"))
        headers = {"authorization": f"Bearer {desk.people.open('auditor', 'token')}"}
        await desk.ask("GET", "/api/v1/stream", headers=headers)
        reply = await desk.ask("GET", "/metrics", headers=headers)
        lines = reply.body.decode().splitlines()
        assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert 'misdeal_info{version="0.1.0",table="demo",game="holdem"} 1' in lines
        assert "misdeal_events_total 1" in lines
        assert any(line.startswith("misdeal_rulings_total{verdict=") for line in lines)

    at_desk(tmp_path, work)
