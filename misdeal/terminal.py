"""The table in a terminal: what a supervisor must see, most important first."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec import Struct
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from engine.cards import seat_number
from engine.docket import Ruling
from engine.games import PLANS
from engine.watch import PlaceView, TableView, view
from engine.words import STOPPING
from firmware_bridge.bridge import ReaderHealth
from misdeal.app import App
from misdeal.feed import Shown
from misdeal.health import is_well, reader_words, unwatched_clauses
from misdeal.words import finding_words, headline, questions, state_words, until_words

OLDER_SHOWN = 6
REFRESH_S = 0.25
BACK = "\N{BLACK VERTICAL RECTANGLE}"

_STYLES = {
    "stop": "bold white on red",
    "open": "bold black on yellow",
    "final": "bold white on blue",
}


class Scene(Struct, frozen=True, kw_only=True):
    """Everything that one picture of the terminal is made of."""

    title: str
    pack: int
    """Cards of the whole pack."""
    now_ns: int
    table: TableView
    older: tuple[Ruling, ...] = ()
    """Rulings that changed lately, newest first."""
    readers: tuple[ReaderHealth, ...] = ()
    unwatched: tuple[str, ...] = ()
    """The clauses of which less is seen than with every reader."""


def draw(scene: Scene) -> RenderableType:
    """Return the picture of a scene."""
    return Group(
        Text(scene.title, style="dim"),
        *_rulings(scene),
        _status(scene),
        _hands(scene.table),
        *_older(scene.older),
        *_readers(scene),
    )


def _rulings(scene: Scene) -> Iterable[RenderableType]:
    """The rulings in force or open, the newest last; a quiet table shows none."""
    for ruling in scene.table.in_force:
        if ruling.verdict == "noted":
            continue
        title = ", ".join(filter(None, [state_words(ruling), until_words(ruling, scene.now_ns)]))
        body = Text(headline(ruling), style=_STYLES[_kind(ruling)])
        body.append(f"\n{ruling.because}", style="default on default not bold")
        for line in (*questions(ruling), *_after(ruling)):
            body.append(f"\n{line}", style="default on default not bold")
        yield Panel(body, title=f"{ruling.id} {title}", subtitle=" ".join(ruling.cite))


def _after(ruling: Ruling) -> Iterable[str]:
    if ruling.callable_by:
        yield "may be claimed by " + ", ".join(ruling.callable_by)
    if ruling.remedy:
        yield "then: " + "; ".join(ruling.remedy)


def _kind(ruling: Ruling) -> str:
    if ruling.state == "open":
        return "open"
    return "stop" if ruling.verdict in STOPPING else "final"


def _status(scene: Scene) -> RenderableType:
    table = scene.table
    out = sum(place.cards for place in table.places)
    piles = [
        f"{place.place} {place.cards}" for place in table.places if seat_number(place.place) is None
    ]
    said = [f"hand {table.hand_no}", table.phase, f"shoe {scene.pack - out}", *piles]
    return Text("   ".join(said), style="bold")


def _hands(view: TableView) -> RenderableType:
    """The seats: cards as backs, the count against what is due, button, who is next."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("seat", "cards", "of", ""):
        table.add_column(heading)
    for place in view.places:
        if place.due is None:
            continue
        notes = [
            "button" if place.place == view.button else "",
            "next" if place.is_next else "",
            f"{place.unread} unread" if place.unread else "",
        ]
        style = "bold cyan" if place.is_next else ""
        table.add_row(place.place, BACK * place.cards, _count(place), " ".join(notes), style=style)
    return table


def _count(place: PlaceView) -> str:
    return f"{place.cards} of {place.due}"


def _older(rulings: Sequence[Ruling]) -> Iterable[RenderableType]:
    for ruling in rulings:
        struck = "strike " if ruling.state == "superseded" else ""
        line = f"{ruling.id} {headline(ruling)} ({state_words(ruling)}): {finding_words(ruling)}"
        yield Text(line, style=f"{struck}dim")


def _readers(scene: Scene) -> Iterable[RenderableType]:
    for reader in scene.readers:
        yield Text(reader_words(reader), style="dim" if is_well(reader) else "bold red")
    if scene.unwatched:
        yield Text(
            f"not or only partly watched meanwhile: {' '.join(scene.unwatched)}", style="red"
        )


class _Screen:
    """What has been heard, and the scene that it makes."""

    def __init__(self, app: App, address: str) -> None:
        self._app = app
        file = app.layout.file
        self._title = (
            f"misdeal   {file.name}   {file.game}   {app.layout.book.name}   {address}".rstrip()
        )
        self._pack = len(PLANS[file.game].pack)
        self._older: deque[Ruling] = deque(maxlen=OLDER_SHOWN)
        self._table = view(app.controller.watch)

    def hear(self, shown: Shown) -> None:
        """Take a message of the feed."""
        self._older.extendleft(shown.rulings)
        self._table = shown.table

    def scene(self) -> Scene:
        """Return the scene as it is now."""
        in_force = {ruling.id for ruling in self._table.in_force}
        readers = self._app.health()
        return Scene(
            title=self._title,
            pack=self._pack,
            now_ns=self._app.clock(),
            table=self._table,
            older=tuple(ruling for ruling in self._older if ruling.id not in in_force),
            readers=readers,
            unwatched=unwatched_clauses(self._app.layout, readers),
        )


async def show(app: App, *, console: Console, address: str = "") -> None:
    """Show the table on a terminal until cancelled; what happens is drawn when it happens.

    Args:
        app: The table.
        console: The terminal.
        address: Where the page is, if there is one.
    """
    screen = _Screen(app, address)
    listener = app.feed.listen()
    with Live(draw(screen.scene()), console=console, auto_refresh=False, screen=True) as live:
        while True:
            with suppress(TimeoutError):
                screen.hear(await asyncio.wait_for(listener.next(), REFRESH_S))
            live.update(draw(screen.scene()), refresh=True)
