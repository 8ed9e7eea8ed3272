"""The page over a real socket: where it listens, over TLS too, and who cannot hold it up."""

import asyncio
import contextlib
import random
import shutil
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from hw_fixtures.demo import DemoDealer
from misdeal.app import App, attend
from misdeal.clock import table_clock
from misdeal.commands.run import open_page
from misdeal.demo import write_table
from misdeal.errors import PageError, TableFileError
from misdeal.people import People
from misdeal.tablefile import Layout, load
from misdeal.web.patience import Patience
from misdeal.web.serving import Page
from tests.misdeal.asked import PASSWORD, QUICK, encode

PAGE = "[page]\nport = 0\n"
CERTIFICATE = Path(__file__).with_name("certificate.pem")
"""A certificate of 127.0.0.1 that nobody trusts, with its key, made for these tests."""


def table(folder: Path, page: str = PAGE) -> Layout:
    """Return a table without readers, its page as told."""
    path = write_table(folder, DemoDealer(1).packs, {}, wirings=())
    path.write_text(path.read_text().replace(PAGE, page))
    return load(path)


Talk = Callable[[App, Page], Awaitable[None]]


async def nothing() -> None:
    """Do nothing."""


def served(
    layout: Layout,
    talk: Talk,
    *,
    afterwards: Callable[[], Awaitable[None]] = nothing,
    protocol: type[Patience] = Patience,
) -> None:
    """Serve a page while somebody talks to it, and end with him."""
    people = People(layout.people, hasher=QUICK)
    people.add("anna", "inspector", PASSWORD)

    async def work(app: App) -> None:
        await talk(app, page)

    async def run() -> None:
        works = (work, page.serve)
        await attend(layout, *works, start_clock=table_clock, rng=random.Random(1))
        await afterwards()

    with Page(layout, protocol=protocol) as page:
        asyncio.run(run())


class Line:
    """A connection to a page."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._heard = b""

    def send(self, what: str, *, token: str = "", body: bytes = b"") -> None:
        head = (
            f"{what} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)

    def send_raw(self, data: bytes) -> None:
        self._writer.write(data)

    async def hear(self, wanted: bytes) -> bool:
        """Read until something has come; say whether it has before the end."""
        while wanted not in self._heard:
            piece = await self._reader.read(65536)
            if not piece:
                return False
            self._heard += piece
        return True

    async def close(self) -> None:
        self._writer.transport.abort()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


@contextlib.asynccontextmanager
async def line(page: Page, context: ssl.SSLContext | None = None) -> AsyncIterator[Line]:
    connected = Line(*await asyncio.open_connection("127.0.0.1", page.port, ssl=context))
    yield connected
    await connected.close()


STREAM = "GET /api/v1/stream"


def test_a_page_is_served_and_its_streams_end_with_the_table(tmp_path: Path) -> None:
    left: list[Line] = []

    async def talk(app: App, page: Page) -> None:
        assert page.address == f"http://127.0.0.1:{page.port}/"
        token = page.people.open("anna", "token")
        async with line(page) as stream, line(page) as files:
            stream.send(STREAM, token=token)
            assert await stream.hear(b"event: snapshot")
            await app.controller.say("pack 51")
            assert await stream.hear(b'"said":"pack 51"')
            files.send("GET /")
            assert await files.hear(b"HTTP/1.1 200")
        left.append(Line(*await asyncio.open_connection("127.0.0.1", page.port)))
        left[0].send(STREAM, token=token)
        assert await left[0].hear(b"event: snapshot")

    async def close() -> None:
        assert not await left[0].hear(b"nothing more")
        await left[0].close()

    served(table(tmp_path), talk, afterwards=close)


def test_pages_that_never_read_hold_up_nobody(tmp_path: Path) -> None:
    async def talk(app: App, page: Page) -> None:
        token = page.people.open("anna", "token")
        async with contextlib.AsyncExitStack() as stack:
            lines = [await stack.enter_async_context(line(page)) for _ in range(20)]
            for each in lines:
                each.send(STREAM, token=token)
            assert await lines[0].hear(b"event: snapshot")
            for count in range(200):
                assert (await app.controller.say(f"pack {count}")).ok
            assert await lines[0].hear(b'"said":"pack 199"')

    served(table(tmp_path), talk)


class Fleeting(Patience):
    """Connections that soon lose patience."""

    patience_s = 0.4


class Narrow(Patience):
    """Connections that there is room for three of."""

    connections_at_most = 3


def test_a_connection_that_asks_for_nothing_whole_is_ended(tmp_path: Path) -> None:
    async def talk(app: App, page: Page) -> None:
        del app
        token = page.people.open("anna", "token")
        async with line(page) as silent, line(page) as slow:
            slow.send("GET /healthz")
            assert await slow.hear(b"200")
            slow.send_raw(b"GET /healthz HTTP/1.1\r\nhost: x\r\n")
            assert not await silent.hear(b"anything")
            assert not await slow.hear(b"anything")
        async with line(page) as good:
            good.send(STREAM, token=token)
            assert await good.hear(b"event: pulse")

    served(table(tmp_path), talk, protocol=Fleeting)


def test_no_more_connections_are_held_than_there_are_files_for(tmp_path: Path) -> None:
    async def talk(app: App, page: Page) -> None:
        del app
        token = page.people.open("anna", "token")
        async with contextlib.AsyncExitStack() as stack:
            lines = [await stack.enter_async_context(line(page)) for _ in range(3)]
            for each in lines:
                each.send(STREAM, token=token)
                assert await each.hear(b"event: snapshot")
            fourth = await stack.enter_async_context(line(page))
            assert not await fourth.hear(b"anything")

    served(table(tmp_path), talk, protocol=Narrow)


def test_a_page_with_a_certificate_speaks_tls_alone(tmp_path: Path) -> None:
    shutil.copy(CERTIFICATE, tmp_path)
    page = f'{PAGE}certificate = "certificate.pem"\nkey = "certificate.pem"\n'

    async def talk(app: App, page: Page) -> None:
        del app
        assert page.address.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=CERTIFICATE)
        async with line(page, context) as secure, line(page) as plain:
            body = encode({"name": "anna", "password": PASSWORD})
            secure.send("POST /api/v1/sign-in", body=body)
            assert await secure.hear(b"; Secure")
            plain.send("GET /healthz")
            assert not await plain.hear(b"200")

    served(table(tmp_path, page), talk)


@contextlib.contextmanager
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_what_cannot_be_served_is_one_line_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "x.pem").write_text("nothing")
    with taken() as port:
        wrong = {
            f"[page]\nport = {port}\n": rf"\[page\] port = {port}: Address already in use",
            '[page]\nport = 0\nbind = "203.0.113.9"\n': r"\[page\] bind = 203.0.113.9: Cannot",
            '[page]\nbind = "x:y"\n': r"\[page\] bind = x:y: ",
            '[page]\nport = 0\ncertificate = "x.pem"\nkey = "x.pem"\n': "expected PEM files",
        }
        for page, sentence in wrong.items():
            with pytest.raises(PageError, match=sentence):
                Page(table(tmp_path / "table", page))


def test_a_table_may_have_no_page(tmp_path: Path) -> None:
    with open_page(table(tmp_path, "[page]\nserve = false\n")) as page:
        assert page is None
    assert not (tmp_path / "people.db").exists()


@pytest.mark.parametrize(
    ("page", "missing"), [('key = "x"', "certificate"), ('certificate = "x"', "key")]
)
def test_a_certificate_and_a_key_want_each_other(tmp_path: Path, page: str, missing: str) -> None:
    with pytest.raises(TableFileError, match=rf"page\.{missing}: found nothing"):
        table(tmp_path, f"{PAGE}{page}\n")


@pytest.mark.parametrize(
    ("page", "notes"),
    [
        ('bind = "0.0.0.0"', 1),
        ('bind = "127.0.0.2"', 0),
        ('bind = "localhost"', 0),
        ('bind = "0.0.0.0"\nserve = false', 0),
        ('bind = "0.0.0.0"\ncertificate = "x"\nkey = "x"', 0),
    ],
)
def test_a_page_that_others_hear_in_the_clear_is_noted(
    tmp_path: Path, page: str, notes: int
) -> None:
    told = [note for note in table(tmp_path, f"{PAGE}{page}\n").notes if "page.bind" in note]
    assert len(told) == notes
