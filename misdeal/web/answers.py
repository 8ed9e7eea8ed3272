"""What the interface answers, request by request; who may ask has been settled before."""

import asyncio
from collections.abc import Iterable
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from engine.explaining import explain
from engine.games import PLANS
from misdeal import __version__
from misdeal.app import App
from misdeal.door import MAX_LINE_BYTES, Answer
from misdeal.door import Request as Statement
from misdeal.errors import PersonError
from misdeal.health import is_well
from misdeal.people import Person
from misdeal.web import metrics
from misdeal.web.guard import Caller, Guard, TooManyError, proof_of
from misdeal.web.patience import PATIENCE_S
from misdeal.web.phrases import forms_of
from misdeal.web.rights import may_say
from misdeal.web.shapes import (
    ClauseTold,
    Done,
    Ended,
    Enter,
    Entered,
    Info,
    Ready,
    SignIn,
    Whose,
    describe,
)
from misdeal.web.stream import Stream

API_VERSION = 1

STREAMS_AT_MOST = 400
"""Pages that may listen at once; each holds a connection and its buffers."""

_T = TypeVar("_T")


class RefusedError(Exception):
    """A request that is refused, with its status and the reason."""

    def __init__(self, status: int, reason: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers or {}


def as_json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer in JSON, which no cache keeps."""
    return Response(
        msgspec.json.encode(body),
        status,
        {"cache-control": "no-store", **(headers or {})},
        media_type="application/json",
    )


def refusal(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
    """Return that a request is refused, and why."""
    return as_json(Answer(ok=False, reason=reason), status, headers)


class Answers:
    """Answers what is asked of one table.

    Args:
        app: The table.
        guard: Knows who is asking.
        stream: What the pages are sent.
        is_secure: Whether it is served over TLS.
    """

    def __init__(self, app: App, guard: Guard, stream: Stream, *, is_secure: bool) -> None:
        self._app = app
        self._guard = guard
        self._stream = stream
        self._is_secure = is_secure
        self._catalogue = msgspec.json.encode(_clauses(app))

    # ------------------------------------------------------------ how it does
    async def health(self, request: Request) -> Response:
        """The process answers."""
        del request
        return as_json(Done(ok=True))

    async def ready(self, request: Request) -> Response:
        """Whether everything is there that the table wants: the journal and every reader."""
        del request
        readers = self._app.bridge.health()
        heard = sum(map(is_well, readers))
        is_ready = heard == len(readers)
        body = Ready(ready=is_ready, readers_heard=heard, readers=len(readers))
        return as_json(body, 200 if is_ready else 503)

    async def metrics(self, request: Request) -> Response:
        """Figures for Prometheus."""
        del request
        file = self._app.layout.file
        told = {"version": __version__, "table": file.name, "game": file.game}
        ruled = [
            ({"verdict": verdict, "state": state}, float(count))
            for (verdict, state), count in sorted(self._stream.ruled.items())
        ]
        table = self._stream.snapshot().table
        lines = [
            *metrics.family("misdeal_info", "gauge", "what runs here", [(told, 1.0)]),
            *metrics.family("misdeal_hand", "gauge", "which hand it is", [({}, table.hand)]),
            *metrics.family(
                "misdeal_events_total", "counter", "events since the start",
                [({}, self._stream.events)],
            ),
            *metrics.family(
                "misdeal_rulings_total", "counter", "new or changed rulings since the start", ruled
            ),
            *metrics.family(
                "misdeal_pages", "gauge", "pages that listen", [({}, self._stream.followers)]
            ),
            *metrics.reader_lines(self._app.bridge.health()),
        ]  # fmt: skip
        return Response("\n".join(lines) + "\n", media_type=metrics.MEDIA_TYPE)

    async def openapi(self, request: Request) -> Response:
        """What can be asked, described for programs."""
        del request
        return as_json(describe())

    # ------------------------------------------------------------ the table
    async def info(self, request: Request) -> Response:
        """What runs here, and what whoever asks may do."""
        caller = caller_of(request)
        file, book = self._app.layout.file, self._app.layout.book
        return as_json(
            Info(
                api=API_VERSION,
                version=__version__,
                table=file.name,
                game=file.game,
                rulebook=book.name,
                book_version=book.version,
                pack=len(PLANS[file.game].pack) * file.decks,
                seats=file.tableseats or file.seats,
                actions=file.actions,
                person=caller.person,
                proof=proof_of(caller.secret) if caller.is_session else "",
                forms=forms_of(caller.person.role),
            )
        )

    async def state(self, request: Request) -> Response:
        """All that the page shows."""
        del request
        return as_json(self._stream.snapshot())

    async def stream(self, request: Request) -> Response:
        """All that the page shows, and from then on what happens."""
        caller = caller_of(request)
        if self._stream.followers >= STREAMS_AT_MOST:
            raise RefusedError(503, "too many pages listen already", {"retry-after": "10"})
        last_id = request.headers.get("last-event-id") or request.query_params.get("after")
        return StreamingResponse(
            self._stream.follow(last_id, lambda: self._guard.is_still(caller)),
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
            media_type="text/event-stream",
        )

    async def clauses(self, request: Request) -> Response:
        """Every clause that may hold at this table, in plain words."""
        del request
        return Response(
            self._catalogue, headers={"cache-control": "no-store"}, media_type="application/json"
        )

    async def say(self, request: Request) -> Response:
        """Carry a statement to the table, as the operator's door does."""
        person = caller_of(request).person
        text = (await _read(request, Statement)).say
        if not may_say(person.role, text):
            raise RefusedError(403, f"not for the role of {person.role}: {text!r}")
        answer = await self._app.controller.say(text, person)
        return as_json(answer, 200 if answer.ok else 409)

    # ------------------------------------------------------------ people
    async def sign_in(self, request: Request) -> Response:
        """Open a session with a name and a password."""
        asked = await _read(request, SignIn)
        keys = (f"name {asked.name[:64]}", self._may_try(request, f"name {asked.name[:64]}"))
        try:
            person = await self._guard.check_password(asked.name, asked.password)
        except TooManyError as error:
            raise RefusedError(503, "too many sign in at once", {"retry-after": "2"}) from error
        if person is None:
            self._guard.tries.fail(*keys)
            known = await asyncio.to_thread(self._guard.people.find, asked.name)
            self._app.controller.note(known, "failed to sign in", source=_source(request))
            raise RefusedError(401, "name or password is wrong")
        self._guard.tries.forgive(*keys)
        return await self._open(person, request, "signed in")

    async def enter(self, request: Request) -> Response:
        """Open a session with a link, which opens once."""
        link = (await _read(request, Enter)).link
        address = self._may_try(request)
        person = await asyncio.to_thread(self._guard.people.who, link, "link")
        if person is None or not await asyncio.to_thread(self._guard.people.close, link):
            self._guard.tries.fail(address)
            raise RefusedError(401, "the link has been used or is too old")
        return await self._open(person, request, "signed in by a link")

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        caller = caller_of(request)
        await asyncio.to_thread(self._guard.people.close, caller.secret)
        self._app.controller.note(caller.person, "signed out")
        response = as_json(Done(ok=True))
        response.delete_cookie(self._guard.cookie, path="/", httponly=True, samesite="strict")
        return response

    async def people(self, request: Request) -> Response:
        """Everybody who may sign in."""
        del request
        return as_json(await asyncio.to_thread(self._guard.people.everybody))

    async def revoke(self, request: Request) -> Response:
        """End every session, token and link of a person."""
        name = (await _read(request, Whose)).name
        try:
            ended = await asyncio.to_thread(self._guard.people.revoke, name)
        except PersonError as error:
            raise RefusedError(404, str(error)) from error
        self._app.controller.note(caller_of(request).person, "revoked", whose=name)
        return as_json(Ended(ok=True, ended=ended))

    def _may_try(self, request: Request, *names: str) -> str:
        """Refuse who has failed too often; return the key of his address."""
        address = f"address {_source(request)}"
        wait_s = self._guard.tries.wait_s(address, *names)
        if wait_s > 0:
            reason = f"too many tries: wait {wait_s:.0f} s"
            raise RefusedError(429, reason, {"retry-after": f"{wait_s:.0f}"})
        return address

    async def _open(self, person: Person, request: Request, did: str) -> Response:
        secret = await asyncio.to_thread(self._guard.people.open, person.name, "session")
        self._app.controller.note(person, did, source=_source(request))
        response = as_json(Entered(ok=True, person=person))
        response.set_cookie(
            self._guard.cookie,
            secret,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="strict",
        )
        return response


def caller_of(request: Request) -> Caller:
    """Return who asks; the guard has let him in."""
    caller: Caller = request.state.caller
    return caller


def _source(request: Request) -> str:
    return request.client.host if request.client else ""


async def _read(request: Request, kind: type[_T]) -> _T:
    """Return what a request bears.

    Raises:
        RefusedError: If it is no such thing, or longer than any is.
    """
    body = b""
    try:
        async with asyncio.timeout(PATIENCE_S):
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_LINE_BYTES:
                    raise RefusedError(413, f"expected {MAX_LINE_BYTES} bytes at most")
    except TimeoutError as error:
        raise RefusedError(408, "the request was not finished in time") from error
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise RefusedError(400, str(error)) from error


def _clauses(app: App) -> list[ClauseTold]:
    """Return what the page tells of each clause that may hold at the table."""
    layout = app.layout
    return [
        ClauseTold(
            id=clause.id,
            plain=clause.plain,
            verdict=clause.verdict,
            finding=clause.finding,
            cite=clause.cite,
            rows=tuple(_rows(explain(clause))),
        )
        for clause in layout.book.clauses
        if not clause.games or layout.file.game in clause.games
    ]


def _rows(explained: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Leave out what the page shows in another form."""
    return (row for row in explained if row[0] not in ("clause", "rule", "found", "verdict"))
