"""What is shown, line by line: for programs as JSON, for people without a screen as text."""

import asyncio
from collections.abc import Callable, Iterable

import click
import msgspec
from msgspec import Struct

from firmware_bridge.bridge import ReaderHealth
from misdeal.app import App
from misdeal.clock import as_utc
from misdeal.feed import Shown
from misdeal.health import is_well, reader_words, unwatched_clauses
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


class Readers(Struct, frozen=True):
    """How the readers do, where one does otherwise than before."""

    at_ns: int
    changed: tuple[ReaderHealth, ...]
    unwatched: tuple[str, ...]
    """The clauses of which less is seen than with every reader."""


def readers_as_json(readers: Readers) -> Iterable[bytes]:
    """Return the readers that changed as JSON lines, then what is not watched meanwhile."""
    at = as_utc(readers.at_ns)
    for reader in readers.changed:
        fields = msgspec.structs.asdict(reader)
        yield msgspec.json.encode({"kind": "reader", "at": at, **fields})
    yield msgspec.json.encode({"kind": "unwatched", "at": at, "clauses": readers.unwatched})


def readers_as_text(readers: Readers) -> Iterable[str]:
    """Return the readers that changed as lines for people, and what is not watched meanwhile."""
    for reader in readers.changed:
        yield f"{as_utc(readers.at_ns)} {reader_words(reader)}"
    if readers.unwatched:
        clauses = " ".join(readers.unwatched)
        yield f"{as_utc(readers.at_ns)} not or only partly watched meanwhile: {clauses}"


async def print_json(app: App) -> None:
    """Print everything that is shown as JSON lines, until cancelled."""
    await _print(app, as_json, readers_as_json)


async def print_text(app: App) -> None:
    """Print rulings and what becomes of the readers as text, until cancelled."""
    await _print(app, as_text, readers_as_text)


async def _print(
    app: App,
    tell: Callable[[Shown], Iterable[str | bytes]],
    tell_readers: Callable[[Readers], Iterable[str | bytes]],
) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(_print_feed(app, tell))
        group.create_task(_print_readers(app, tell_readers))


async def _print_feed(app: App, tell: Callable[[Shown], Iterable[str | bytes]]) -> None:
    listener = app.feed.listen()
    while True:
        for line in tell(await listener.next()):
            click.echo(line)


async def _print_readers(app: App, tell: Callable[[Readers], Iterable[str | bytes]]) -> None:
    """Print readers whenever their state is another; first when they had the time to answer."""
    told: dict[str, str] = {}
    while True:
        await asyncio.sleep(HEALTH_S)
        readers = app.health()
        states = {
            each.name: "READY" if is_well(each) else f"{each.state} {each.why}" for each in readers
        }
        changed = tuple(each for each in readers if told.get(each.name) != states[each.name])
        told = states
        if changed:
            clauses = unwatched_clauses(app.layout, readers)
            for line in tell(Readers(app.clock(), changed, clauses)):
                click.echo(line)
