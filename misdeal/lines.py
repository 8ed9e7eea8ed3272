"""What is shown, line by line: for programs as JSON, for people without a screen as text."""

import asyncio
from collections.abc import Callable, Iterable

import click
import msgspec

from firmware_bridge.bridge import ReaderHealth
from misdeal.app import App
from misdeal.clock import as_utc
from misdeal.feed import Shown
from misdeal.health import is_well, reader_words
from misdeal.words import ruling_fields, sentence

# How often the readers are looked at; a reader counts as stale after a second.
HEALTH_S = 1.0


def as_json(shown: Shown) -> Iterable[bytes]:
    """Return a message of the feed as JSON lines: the table, and each new or changed ruling."""
    at = as_utc(shown.at_ns)
    table = shown.table
    yield msgspec.json.encode(
        {
            "kind": "table",
            "at": at,
            "hand": table.hand_no,
            "phase": table.phase,
            "button": table.button,
            "places": table.places,
        }
    )
    for ruling in shown.rulings:
        line = {"kind": "ruling", "at": at, "hand": ruling.hand, **ruling_fields(ruling)}
        yield msgspec.json.encode(line)


def as_text(shown: Shown) -> Iterable[str]:
    """Return a message of the feed as lines for people: new and changed rulings alone."""
    for ruling in shown.rulings:
        yield f"{as_utc(shown.at_ns)} hand {ruling.hand}: {sentence(ruling)}"


def reader_as_json(reader: ReaderHealth, at_ns: int) -> Iterable[bytes]:
    """Return how a reader does as a JSON line."""
    fields = msgspec.structs.asdict(reader)
    yield msgspec.json.encode({"kind": "reader", "at": as_utc(at_ns), **fields})


def reader_as_text(reader: ReaderHealth, at_ns: int) -> Iterable[str]:
    """Return how a reader does as a line for people."""
    yield f"{as_utc(at_ns)} {reader_words(reader)}"


async def print_json(app: App) -> None:
    """Print everything that is shown as JSON lines, until cancelled."""
    await _print(app, as_json, reader_as_json)


async def print_text(app: App) -> None:
    """Print rulings and what becomes of the readers as text, until cancelled."""
    await _print(app, as_text, reader_as_text)


async def _print(
    app: App,
    tell: Callable[[Shown], Iterable[str | bytes]],
    tell_reader: Callable[[ReaderHealth, int], Iterable[str | bytes]],
) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(_print_feed(app, tell))
        group.create_task(_print_readers(app, tell_reader))


async def _print_feed(app: App, tell: Callable[[Shown], Iterable[str | bytes]]) -> None:
    listener = app.feed.listen()
    while True:
        for line in tell(await listener.next()):
            click.echo(line)


async def _print_readers(
    app: App, tell: Callable[[ReaderHealth, int], Iterable[str | bytes]]
) -> None:
    """Print a reader whenever its state is another; first when it has had the time to answer."""
    told: dict[str, str] = {}
    while True:
        await asyncio.sleep(HEALTH_S)
        for reader in app.bridge.health():
            state = "READY" if is_well(reader) else f"{reader.state} {reader.why}"
            if told.get(reader.name) != state:
                told[reader.name] = state
                for line in tell(reader, app.clock()):
                    click.echo(line)
