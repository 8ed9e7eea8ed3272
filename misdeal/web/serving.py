"""The page of one table, served from the loop that watches it."""

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Self

from msgspec import Struct
from starlette.types import ASGIApp
from uvicorn import Config, Server

from engine.watch import view
from misdeal.app import App
from misdeal.clock import NANOSECONDS_PER_SECOND, stopwatch_ns
from misdeal.disclosure import faces_up
from misdeal.errors import PageError
from misdeal.feed import Shown
from misdeal.health import unwatched_clauses
from misdeal.people import People
from misdeal.tablefile import Layout
from misdeal.web.answers import Answers
from misdeal.web.guard import Guard
from misdeal.web.patience import Patience
from misdeal.web.scene import reader_scene
from misdeal.web.server import make_app
from misdeal.web.stream import Stream

READERS_S = 0.5
"""How often it is looked whether a reader does otherwise than before."""

FIGURES_EVERY = 20
"""After so many looks the readers' figures are sent as well, though nothing else has changed."""

CLOSE_S = 1
"""How long pages are given to take what they were sent, at the end."""


_TAKEN = (errno.EADDRINUSE, errno.EACCES)


class Page:
    """A page that is served, or is about to be; holds its port until it is left.

    Args:
        layout: The table.
        protocol: Speaks with each connection.

    Raises:
        PageError: If it cannot be served as the table file says.
        NotPeopleError: If the file of people is something else.
    """

    def __init__(self, layout: Layout, *, protocol: type[Patience] = Patience) -> None:
        self._protocol = protocol
        section, folder = layout.file.page, layout.journal.parent
        self.people = People(layout.people)
        self._certificate = str(folder / section.certificate) if section.certificate else None
        self._key = str(folder / section.key) if section.key else None
        if self._certificate:
            _try_certificate(section.certificate, self._certificate, self._key)
        self._socket = _listen(section.bind, section.port)
        self.port: int = self._socket.getsockname()[1]
        scheme = "https" if self._certificate else "http"
        host = f"[{section.bind}]" if ":" in section.bind else section.bind
        self.address = f"{scheme}://{host}:{self.port}/"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    async def serve(self, app: App) -> None:
        """Serve the page until cancelled; a work of ``attend``."""
        site = make_site(
            app,
            self.people,
            cookie=f"misdeal-{self.port}",
            is_secure=self._certificate is not None,
        )
        config = Config(
            site.asgi,
            http=self._protocol,
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=CLOSE_S,
            ssl_certfile=self._certificate,
            ssl_keyfile=self._key,
        )
        server = _Quiet(config)
        serving = asyncio.ensure_future(server.serve([self._socket]))
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(hear(app, site.stream))
                group.create_task(look_at_readers(app, site.stream))
                await asyncio.shield(serving)
        finally:
            site.stream.close()
            server.should_exit = True
            await serving


class _Quiet(Server):
    """A server that leaves signals to the program that it is part of."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listen(bind: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise PageError("bind", bind, error.strerror or str(error)) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((bind, port))
        listening.listen()  # who comes before the table is up waits for it
    except OSError as error:
        listening.close()
        key, value = ("bind", bind) if error.errno not in _TAKEN else ("port", port)
        raise PageError(key, value, f"{error.strerror}; another one, or serve = false") from error
    return listening


def _try_certificate(name: str, certificate: str, key: str | None) -> None:
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise PageError("certificate", name, f"{error}; expected PEM files that fit") from error


class Site(Struct, frozen=True):
    """What answers for a table, and what its pages are sent."""

    asgi: ASGIApp
    stream: Stream


def steady_s() -> float:
    """Return a time in seconds that never runs backwards."""
    return stopwatch_ns() / NANOSECONDS_PER_SECOND


def make_site(
    app: App,
    people: People,
    *,
    cookie: str,
    is_secure: bool,
    now_s: Callable[[], float] = steady_s,
) -> Site:
    """Return what answers for a table.

    Args:
        app: The table.
        people: Who may sign in.
        cookie: The name of the cookie of a session; cookies do not tell ports apart.
        is_secure: Whether it is served over TLS.
        now_s: Gives a time in seconds that never runs backwards.
    """
    watch = app.controller.watch
    shown = Shown(
        at_ns=app.clock(),
        rulings=(),
        table=view(watch),
        faces=faces_up(watch),
        can_undo=bool(watch.table.hand.said),
    )
    stream = Stream(shown, app.clock, past=app.past)
    guard = Guard(people, cookie, now_s)
    return Site(make_app(Answers(app, guard, stream, is_secure=is_secure), guard), stream)


async def hear(app: App, stream: Stream) -> None:
    """Hand on what the feed tells, until cancelled."""
    listener = app.feed.listen()
    try:
        while True:
            stream.tell(await listener.next())
    finally:
        app.feed.leave(listener)


async def look_at_readers(app: App, stream: Stream) -> None:
    """Tell how the readers do when one does otherwise, and now and then their figures."""
    told: object = None
    looks = 0
    while True:
        health = app.health()
        manner = [(r.name, r.state, r.why, r.is_slow, r.is_degraded) for r in health]
        if manner != told or looks % FIGURES_EVERY == 0:
            told = manner
            unwatched = unwatched_clauses(app.layout, health)
            stream.tell_readers(tuple(map(reader_scene, health)), unwatched)
        looks += 1
        await asyncio.sleep(READERS_S)
