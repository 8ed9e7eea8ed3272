"""The application: every request goes through the guard, every answer bears our headers."""

import importlib.resources
import logging
from collections.abc import Awaitable, Callable
from importlib.resources.abc import Traversable
from pathlib import PurePath

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from misdeal.web.answers import Answers, RefusedError, refusal
from misdeal.web.guard import Guard, verdict_on
from misdeal.web.rights import REQUESTS

Handler = Callable[[Request], Awaitable[Response]]

_log = logging.getLogger("misdeal.web")

_TYPES = {
    "": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}

# Our own scripts and styles alone, in nobody's frame, and no address told to anybody.
_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    b"img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]

_WHY = {
    401: "sign in first",
    403: "not for this role, or not from the page itself",
}


def make_app(answers: Answers, guard: Guard) -> ASGIApp:
    """Return the application.

    Args:
        answers: Answers what is asked.
        guard: Knows who is asking.
    """
    files = _read_files(importlib.resources.files("misdeal.web") / "static")
    handlers: dict[tuple[str, str], Handler] = {
        ("GET", "/"): _serve(files),
        ("GET", "/static/{path:path}"): _serve(files),
        ("GET", "/healthz"): answers.health,
        ("GET", "/readyz"): answers.ready,
        ("GET", "/metrics"): answers.metrics,
        ("GET", "/api/v1/openapi.json"): answers.openapi,
        ("GET", "/api/v1/info"): answers.info,
        ("GET", "/api/v1/state"): answers.state,
        ("GET", "/api/v1/stream"): answers.stream,
        ("GET", "/api/v1/clauses"): answers.clauses,
        ("POST", "/api/v1/say"): answers.say,
        ("POST", "/api/v1/sign-in"): answers.sign_in,
        ("POST", "/api/v1/enter"): answers.enter,
        ("POST", "/api/v1/sign-out"): answers.sign_out,
        ("GET", "/api/v1/people"): answers.people,
        ("POST", "/api/v1/people/revoke"): answers.revoke,
    }
    routes = [
        Route(path, _guarded(method, path, handlers[method, path], guard), methods=[method])
        for method, path in REQUESTS
    ]
    return _with_headers(Starlette(routes=routes))


def _guarded(method: str, path: str, handler: Handler, guard: Guard) -> Handler:
    """Return a handler that answers those who may ask."""

    async def answer(request: Request) -> Response:
        if method != "GET" and not _is_from_here(request):
            return refusal(403, "not from the page itself")
        try:
            caller = await guard.caller(request.headers, request.cookies)
            status = verdict_on(method, path, caller, request.headers)
            if status != 200:
                return refusal(status, _WHY[status])
            request.state.caller = caller
            return await handler(request)
        except RefusedError as error:
            return refusal(error.status, error.reason, error.headers)
        except Exception as error:  # noqa: BLE001 - a fault in an answer must not end the table
            _log.error("%s %s failed: %s: %s", method, path, type(error).__name__, error)
            return refusal(500, "this is a fault of misdeal; its log has more")

    return answer


def _is_from_here(request: Request) -> bool:
    """Say whether no browser says that a request comes from another site."""
    origin = request.headers.get("origin")
    is_same = origin is None or origin.partition("://")[2] == request.headers.get("host")
    return is_same and request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")


def _read_files(folder: Traversable, prefix: str = "") -> dict[str, bytes]:
    """Return every file of the page by its path: they are few and small."""
    files: dict[str, bytes] = {}
    for each in folder.iterdir():
        if each.is_dir():
            files |= _read_files(each, f"{prefix}{each.name}/")
        else:
            files[prefix + each.name] = each.read_bytes()
    return files


def _serve(files: dict[str, bytes]) -> Handler:
    async def serve(request: Request) -> Response:
        name = request.path_params.get("path", "index.html")
        if name not in files:
            raise RefusedError(404, "there is no such file")
        kind = _TYPES.get(PurePath(name).suffix, "application/octet-stream")
        # Asked for anew each time: the files are of the controller that runs now.
        return Response(files[name], headers={"cache-control": "no-cache"}, media_type=kind)

    return serve


def _with_headers(app: ASGIApp) -> ASGIApp:
    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        await app(scope, receive, send_on)

    return call
