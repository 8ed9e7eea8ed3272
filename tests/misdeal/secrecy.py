"""Plays hands and searches all that the page is sent for cards that lie face down.

    python -m tests.misdeal.secrecy 1000

A card may be named from when a camera has seen its face in the deal that is being made, or a
ruling has stopped the hand or taken it out of play. A tag may be named never.
"""

import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import Struct

from engine.cards import Card
from engine.docket import Ruling
from engine.events import AnyEvent, CardSighted, TimePassed
from engine.watch import advance, begin, view
from engine.words import STOPPING, TAKES_CARD_OUT
from hw_fixtures.demo import DemoDealer
from hw_fixtures.sensing import as_events
from hw_fixtures.world import TABLE
from misdeal.controller import show
from misdeal.demo import write_table
from misdeal.tablefile import Layout, load
from misdeal.web.stream import Stream

FACE = re.compile(r"(?<![\w-])[2-9TJQKA][shdc](?![\w-])")


class Found(Struct):
    """What a search has come to."""

    hands: int = 0
    messages: int = 0
    named: int = 0
    """Names of cards that were rightly told; a search that meets none searches nothing."""
    leaks: list[str] = []


class Search:
    """Follows a table and reads whatever its page is sent."""

    def __init__(self, layout: Layout) -> None:
        self.found = Found()
        self._watch = begin(layout.setup, layout.book)
        first = show(self._watch, view(self._watch), TimePassed(at_ns=0), ())
        self._stream = Stream(first, lambda: 0, epoch="e")
        self._last = 0
        self._tags: set[str] = set()
        self._open: set[Card] = set()
        """What may be named in the deal that is being made."""
        self._history: set[str] = set()
        """Rulings that were told in deals before, as they were told."""

    def take(self, event: AnyEvent) -> None:
        """Let something happen, and read what is sent of it."""
        was_started = self._watch.table.hand.is_started
        self._watch, rulings = advance(self._watch, event)
        self._tags |= {tag for tag in (getattr(event, "tag", None),) if tag}
        if was_started and not self._watch.table.hand.is_started:
            self.found.hands += 1
            self._open.clear()
            told = msgspec.to_builtins(self._stream.snapshot())
            self._history = {_spelt(each) for each in _rulings(told)}
        self._open |= {each.card for each in rulings if each.card and _ends_secrecy(each)}
        if isinstance(event, CardSighted) and event.card:
            self._open.add(event.card)
        self._stream.tell(show(self._watch, view(self._watch), event, rulings))
        for message in self._stream.since(self._last):
            self._last += 1
            self._read(message.decode())
        if rulings:
            self._read(msgspec.json.encode(self._stream.snapshot()).decode())

    def _read(self, text: str) -> None:
        self.found.messages += 1
        self.found.leaks += [f"{tag} in {text}" for tag in self._tags if tag in text]
        body = msgspec.json.decode(text.partition("data: ")[2] or text)
        fresh = _without(body, self._history)
        faces = FACE.findall(msgspec.json.encode(fresh).decode())
        self.found.named += len(faces)
        self.found.leaks += [f"{face} in {fresh}" for face in faces if face not in self._open]


def _ends_secrecy(ruling: Ruling) -> bool:
    return ruling.state == "final" and ruling.verdict in STOPPING | TAKES_CARD_OUT


def _rulings(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from body["table"]["in_force"]
    yield from (line["ruling"] for line in body["log"] if line.get("ruling"))


def _spelt(ruling: dict[str, Any]) -> str:
    return f"{ruling['id']} {ruling['card']} {ruling['because']}"


def _without(body: dict[str, Any], history: set[str]) -> dict[str, Any]:
    """Return what was sent but for rulings that were told as they are in deals before."""
    table = body["table"]
    in_force = [each for each in table["in_force"] if _spelt(each) not in history]
    log = [
        line
        for line in body["log"]
        if not (line.get("ruling") and _spelt(line["ruling"]) in history)
    ]
    return {**body, "table": {**table, "in_force": in_force}, "log": log}


def search(layout: Layout, hands: int, seed: int) -> Found:
    """Play hands of the demo, clean and irregular, and search what is sent of them."""
    searching = Search(layout)
    start_ns = 1_000_000_000
    for timeline in islice(DemoDealer(seed), hands):
        at_ns = start_ns
        for event in as_events(timeline, start_ns=start_ns):
            searching.take(event)
            at_ns = event.at_ns
        start_ns = at_ns + 1_000_000_000
    return searching.found


def main() -> int:
    """Search as many hands as the command line says."""
    ports = {wiring.name: f"/dev/serial/by-id/none-{wiring.name}" for wiring in TABLE}
    with TemporaryDirectory() as folder:
        layout = load(write_table(Path(folder), DemoDealer(1).packs, ports))
        found = search(layout, int(sys.argv[1]), seed=1)
    sys.stdout.write(
        f"{found.hands} hands, {found.messages} messages, {found.named} cards rightly named, "
        f"{len(found.leaks)} leaks\n"
    )
    sys.stdout.writelines(f"{leak}\n" for leak in found.leaks[:10])
    return 1 if found.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
