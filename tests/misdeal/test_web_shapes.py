"""The interface is as it is described."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from misdeal.web.rights import REQUESTS
from misdeal.web.shapes import SHAPES, describe
from misdeal.web.stream import Delta, ReadersNow, Snapshot
from tests.misdeal.asked import PASSWORD, Desk, at_desk


def test_every_request_for_programs_is_described() -> None:
    for_browsers = {("GET", "/"), ("GET", "/static/{path:path}")}
    assert SHAPES.keys() == REQUESTS.keys() - for_browsers
    told = {(m.upper(), path) for path, each in describe()["paths"].items() for m in each}
    assert told == SHAPES.keys()


def test_every_schema_that_is_named_is_there() -> None:
    text = msgspec.json.encode(describe()).decode()
    named = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert {"Snapshot", "TableScene", "RulingScene", "Answer", "Person"} <= named
    assert named <= describe()["components"]["schemas"].keys()
    assert {"Delta", "Pulse", "ReadersNow"} <= describe()["components"]["schemas"].keys()


BODIES: dict[str, object] = {
    "/api/v1/say": {"say": "pack 51"},
    "/api/v1/sign-in": {"name": "dealer", "password": PASSWORD},
    "/api/v1/people/revoke": {"name": "dealer"},
}


def test_every_answer_has_the_shape_that_is_told(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        await desk.app.controller.say("pack 50")
        for (method, path), shape in SHAPES.items():
            headers = desk.cookie_of("administrator" if "people" in path else "inspector")
            body = BODIES.get(path)
            if path == "/api/v1/enter":
                body = {"link": desk.people.open("dealer", "link")}
            reply = await desk.ask(method, path, body, headers=headers)
            assert reply.status == 200, path
            if isinstance(shape.gives, str):
                assert reply.headers["content-type"].startswith(shape.gives)
            else:
                assert reply.headers["content-type"] == "application/json"
                msgspec.json.decode(reply.body, type=shape.gives)

    at_desk(tmp_path, work)


@pytest.mark.parametrize("kind", [Snapshot, Delta, ReadersNow])
def test_what_is_streamed_can_be_read_back(kind: Any) -> None:
    assert msgspec.json.schema(kind)["$ref"].endswith(kind.__name__)
