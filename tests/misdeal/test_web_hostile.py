"""Whatever is asked, it is answered, and nothing of it is a fault of ours."""

import random
from pathlib import Path

import pytest

from misdeal.web.rights import REQUESTS
from tests.misdeal.asked import COOKIE, Desk, at_desk

METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW")
ASTRAY = ("/static/%2e%2e/server.py", "/static//etc/passwd", "//", "/?")
PATHS = (*(path for _, path in REQUESTS), *ASTRAY)
BODIES = (
    b"", b"{}", b"[]", b"null", b'{"say":1}', b'{"say":"\\u0000"}',
    b'{"say":"' + b"9" * 3000 + b'"}',
    b'{"name":"' + b"x" * 3000 + b'","password":""}', b'{"name":"\\ud800","password":"x"}',
    b'{"link":"' + b"-" * 99 + b'"}', b'{"name":[]}', b"\x00\xff" * 50, b"[" * 4000,
)  # fmt: skip
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {"cookie": ""},
    {"cookie": f"{COOKIE}=;{COOKIE}={COOKIE}"},
    {"cookie": 'a="\\";=;;=x'},
    {"authorization": "Bearer"},
    {"authorization": "Bearer " + "x" * 500},
    {"authorization": "Basic \x00"},
    {"last-event-id": "e-" + "9" * 400},
    {"origin": "http://[::1"},
    {"content-length": "-1"},
)
KNOWN = {200, 400, 401, 403, 404, 405, 409, 413, 429}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_that_is_asked_is_a_fault_of_ours(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    rng = random.Random(seed)

    async def work(desk: Desk) -> None:
        signed_in = desk.cookie_of("inspector")
        for _ in range(150):
            method, path = rng.choice(METHODS), rng.choice(PATHS)
            headers = {**rng.choice(HEADERS), **rng.choice([{}, signed_in])}
            body = rng.choice([*BODIES, rng.randbytes(rng.randrange(200))])
            reply = await desk.ask(method, path, body, headers=headers)
            assert reply.status in KNOWN, (method, path, headers, body, reply)
            if path == "/api/v1/sign-out" and reply.status == 200:
                signed_in = desk.cookie_of("inspector")
        assert (await desk.app.controller.say("pack 51")).ok

    at_desk(tmp_path, work)
    assert caplog.records == []
