"""The shapes of what is asked and answered, and their description in OpenAPI 3.1."""

from typing import Any

import msgspec
from msgspec import Struct

from misdeal import __version__
from misdeal.door import Answer
from misdeal.door import Request as Statement
from misdeal.people import Listed, Person
from misdeal.web.rights import REQUESTS
from misdeal.web.stream import Delta, Pulse, ReadersNow, Snapshot


class Done(Struct, frozen=True):
    """It was done."""

    ok: bool


class Ready(Struct, frozen=True):
    """Whether everything is there that the table wants."""

    ready: bool
    readers_heard: int
    readers: int


class Info(Struct, frozen=True, kw_only=True):
    """What runs here, and what whoever asks may do."""

    api: int
    version: str
    table: str
    game: str
    rulebook: str
    book_version: str
    pack: int
    """Cards of the whole shoe."""
    seats: tuple[int, ...]
    actions: str
    person: Person
    proof: str
    """What the requests of this session that change something must bear; empty for a token."""
    forms: tuple[str, ...]
    """The forms of what this person may say."""


class ClauseTold(Struct, frozen=True):
    """A clause in plain words."""

    id: str
    plain: str
    verdict: str
    finding: str
    cite: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]
    """A heading and a text each: when, until when, who decides, what follows."""


class SignIn(Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody sends who signs in."""

    name: str
    password: str


class Enter(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends that was opened by a link."""

    link: str


class Entered(Struct, frozen=True):
    """Somebody has signed in; the session lies in a cookie."""

    ok: bool
    person: Person


class Whose(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose sessions, tokens and links are to end."""

    name: str


class Ended(Struct, frozen=True):
    """How many were ended."""

    ok: bool
    ended: int


class Shape(Struct, frozen=True):
    """What a request is for, what it bears and what it is answered."""

    meaning: str
    gives: Any
    """A type; for what is no JSON, the media type."""
    takes: Any = None


SHAPES: dict[tuple[str, str], Shape] = {
    ("GET", "/healthz"): Shape("Whether the process answers.", Done),
    ("GET", "/readyz"): Shape("Whether every reader is heard; 503 where not.", Ready),
    ("GET", "/metrics"): Shape("Figures for Prometheus.", "text/plain"),
    ("GET", "/api/v1/openapi.json"): Shape("This description.", dict[str, Any]),
    ("GET", "/api/v1/info"): Shape("What runs here, and what whoever asks may do.", Info),
    ("GET", "/api/v1/state"): Shape("All that the page shows.", Snapshot),
    ("GET", "/api/v1/stream"): Shape(
        "Server-sent events: `snapshot` (Snapshot), then `table` (Delta), `readers` (ReadersNow), "
        "`pulse` (Pulse) and `signed-out`. Goes on behind `Last-Event-ID` or `?after=`.",
        "text/event-stream",
    ),
    ("GET", "/api/v1/clauses"): Shape("The clauses that may hold here.", list[ClauseTold]),
    ("POST", "/api/v1/say"): Shape(
        "Says something at the table; 409 if refused.", Answer, Statement
    ),
    ("POST", "/api/v1/sign-in"): Shape("Opens a session.", Entered, SignIn),
    ("POST", "/api/v1/enter"): Shape("Opens a session with a link, once.", Entered, Enter),
    ("POST", "/api/v1/sign-out"): Shape("Ends the session.", Done),
    ("GET", "/api/v1/people"): Shape("Who may sign in.", list[Listed]),
    ("POST", "/api/v1/people/revoke"): Shape("Ends all that a person has open.", Ended, Whose),
}
"""Every request for programs; what the browser loads is none."""

_STREAMED = (Delta, Pulse, ReadersNow)
_REFUSALS = {"401": "Not signed in.", "403": "Not for this role."}


def describe() -> dict[str, Any]:
    """Return the interface in OpenAPI 3.1."""
    kinds = [kind for shape in SHAPES.values() for kind in (shape.gives, shape.takes)]
    types = [kind for kind in kinds if kind is not None and not isinstance(kind, str)]
    template = "#/components/schemas/{name}"
    schemas, components = msgspec.json.schema_components(
        [*types, *_STREAMED], ref_template=template
    )
    schema_of = dict(zip(map(str, types), schemas, strict=False))
    paths: dict[str, Any] = {}
    for (method, path), shape in SHAPES.items():
        paths.setdefault(path, {})[method.lower()] = _operation(method, path, shape, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {"title": "misdeal", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(method: str, path: str, shape: Shape, schema_of: dict[str, Any]) -> dict[str, Any]:
    roles = REQUESTS[method, path]
    is_json = not isinstance(shape.gives, str)
    media = "application/json" if is_json else shape.gives
    content = {media: {"schema": schema_of[str(shape.gives)]} if is_json else {}}
    told: dict[str, Any] = {
        "summary": shape.meaning,
        "responses": {"200": {"description": "Done.", "content": content}},
    }
    if shape.takes is not None:
        body = {"application/json": {"schema": schema_of[str(shape.takes)]}}
        told["requestBody"] = {"required": True, "content": body}
    if roles is not None:
        told["security"] = [{"token": []}]
        told["description"] = f"For {', '.join(sorted(roles))}."
        told["responses"] |= {code: {"description": why} for code, why in _REFUSALS.items()}
    return told
