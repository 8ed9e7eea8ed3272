"""The operator's door: a local socket that takes statements in the script's words.

One JSON object a line each way. ``{"say": "act S3 fold"}`` is answered, when the journal has it,
with ``{"ok": true, "rulings": [...]}``, and a statement that is refused with ``{"ok": false,
"reason": "..."}``. The socket belongs to its owner alone.
"""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.docket import Ruling
from misdeal.errors import DoorError

# A statement is a few words; a reason for a dismissal may be a sentence or two.
MAX_LINE_BYTES = 4096


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """What comes in at the door."""

    say: str


class Answer(Struct, frozen=True, omit_defaults=True):
    """What goes out at the door."""

    ok: bool
    reason: str = ""
    rulings: tuple[Ruling, ...] = ()
    """The rulings that the statement made or changed."""


Say = Callable[[str], Awaitable[Answer]]
"""Carries a statement to the table and returns when the journal has it."""


class Door:
    """A door that is open."""

    def __init__(self, path: Path, server: asyncio.Server) -> None:
        self.path = path
        self._server = server

    async def close(self) -> None:
        """Close the door and take its socket away."""
        self._server.close()
        await self._server.wait_closed()
        self.path.unlink(missing_ok=True)


async def open_door(path: Path, say: Say) -> Door:
    """Open the door at a socket; one that was left behind by a controller that died is replaced.

    The caller holds the journal's lock, so no living controller can own the socket.

    Raises:
        OSError: If the socket cannot be made there.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve(reader, writer, say)

    return Door(
        path, await asyncio.start_unix_server(serve, sock=_bind(path), limit=MAX_LINE_BYTES)
    )


def _bind(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
    finally:
        os.umask(before)
    return listening


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, say: Say) -> None:
    # Cancelled when the controller ends before it can answer: whoever waits sees the door close.
    with suppress(ConnectionError, asyncio.CancelledError):
        while line := await _next_line(reader):
            answer = await _answer(line, say)
            writer.write(msgspec.json.encode(answer) + b"\n")
            await writer.drain()
    writer.close()


async def _next_line(reader: asyncio.StreamReader) -> bytes:
    """Return the next line; none at the end, or where a line is longer than any statement."""
    try:
        return await reader.readline()
    except ValueError:
        return b""


async def _answer(line: bytes, say: Say) -> Answer:
    try:
        request = msgspec.json.decode(line, type=Request)
    except msgspec.MsgspecError as error:
        return Answer(ok=False, reason=f'expected {{"say": "..."}}: {error}')
    return await say(request.say)


def say_at(path: Path, text: str, *, timeout_s: float = 5.0) -> Answer:
    """Say something at a door and return the answer.

    Raises:
        DoorError: If nobody answers there.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.connect(str(path))
            connection.sendall(msgspec.json.encode(Request(text)) + b"\n")
            with connection.makefile("rb") as answers:
                line = answers.readline()
            return msgspec.json.decode(line, type=Answer)
        except (OSError, msgspec.MsgspecError) as error:
            raise DoorError(path, str(error)) from error
