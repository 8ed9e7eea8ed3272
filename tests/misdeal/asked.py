"""Asks the page's application without a socket, as a browser or a machine would."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from argon2 import PasswordHasher
from msgspec import Struct
from starlette.types import ASGIApp, Message

from hw_fixtures.demo import DemoDealer
from misdeal.app import App, attend
from misdeal.clock import table_clock
from misdeal.demo import write_table
from misdeal.people import ROLES, People, Person, Role
from misdeal.tablefile import Layout, load
from misdeal.web.guard import proof_of
from misdeal.web.serving import Site, hear, make_site

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "correct horse battery"  # noqa: S105 - opens nothing
COOKIE = "misdeal-test"


class Reply(Struct, frozen=True):
    """What was answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Hand:
    """A clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.s = 1_000.0

    def __call__(self) -> float:
        return self.s


class Desk:
    """A table, its site, and people of every role, each named as the role."""

    def __init__(self, app: App, people: People, site: Site, clock: Hand) -> None:
        self.app = app
        self.people = people
        self.site = site
        self.clock = clock

    def cookie_of(self, name: str) -> dict[str, str]:
        """Sign somebody in; return the headers that his page's requests bear."""
        secret = self.people.open(name, "session")
        return {"cookie": f"{COOKIE}={secret}", "x-misdeal-proof": proof_of(secret)}

    async def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Ask; of a stream the first piece with content is returned."""
        sent = b"" if body is None else body if isinstance(body, bytes) else encode(body)
        return await ask(self.site.asgi, method, path, sent, headers or {})


def encode(body: object) -> bytes:
    return msgspec.json.encode(body)


async def ask(
    asgi: ASGIApp, method: str, path: str, body: bytes, headers: Mapping[str, str]
) -> Reply:
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [
            (name.encode(), value.encode())
            for name, value in {"host": "table.test", **headers}.items()
        ],
        "client": ("192.0.2.7", 50_000),
        "server": ("table.test", 80),
    }
    started: Message = {}
    pieces: list[bytes] = []
    is_whole = asyncio.Event()

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            started.update(message)
            return
        pieces.append(message.get("body", b""))
        is_stream = any(
            value == b"text/event-stream; charset=utf-8" for _, value in started["headers"]
        )
        if not message.get("more_body") or (is_stream and b"data:" in pieces[-1]):
            is_whole.set()

    asking = asyncio.ensure_future(asgi(scope, receive, send))
    waiting = asyncio.ensure_future(is_whole.wait())
    await asyncio.wait([asking, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    asking.cancel()
    await asyncio.gather(asking, waiting, return_exceptions=True)
    told = {name.decode(): value.decode() for name, value in started["headers"]}
    return Reply(started["status"], told, b"".join(pieces))


def at_desk(folder: Path, work: Callable[[Desk], Awaitable[None]]) -> Layout:
    """Let somebody ask at a table without readers; what happens there is what he lets happen."""
    layout = load(write_table(folder, DemoDealer(1).packs, {}, wirings=()))

    async def run(app: App) -> None:
        people, clock = People(layout.people, hasher=QUICK, now_s=Hand()), Hand()
        for role in ROLES:
            people.add(role, role, PASSWORD)
        site = make_site(app, people, cookie=COOKIE, is_secure=False, now_s=clock)
        hearing = asyncio.ensure_future(hear(app, site.stream))
        await work(Desk(app, people, site, clock))
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)

    asyncio.run(attend(layout, run, start_clock=table_clock, rng=random.Random(1)))
    return layout


def person(role: Role) -> Person:
    return Person(role, role)
