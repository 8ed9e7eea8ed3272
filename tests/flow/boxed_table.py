"""A table with a box at its shoe, on pseudo-terminals, for tests of the whole."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

from engine.cards import PACK, SHOE, Card, Pack, Place, seat_place
from firmware_bridge.register import write_pack
from hw_fixtures.devices.front_end import FrontEnd
from hw_fixtures.packs import demo_packs
from misdeal.app import App, attend
from misdeal.clock import table_clock
from misdeal.tablefile import Layout, load
from tests.firmware_bridge.plugged import Plugged

PATIENCE_S = 8.0
"""A time-out only ends a test that has failed."""

S1, S2, S3 = (seat_place(n) for n in (1, 2, 3))
SEATS = {1: S1, 2: S2, 3: S3, 4: PACK}
BLUE, RED = demo_packs(1)[:2]

TABLE = """\
config_version = 1
name = "t1"
game = "holdem"
rulebook = "tda-2024"
seats = [1, 2, 3]
[page]
serve = false
[[reader]]
name = "box"
port = "{box}"
family = "front_end"
gate = true
antennas = {{1 = "shoe"}}
lamps = {{1 = "table", 2 = "S2"}}
[[reader]]
name = "felt"
port = "{felt}"
family = "pepper_c1"
antennas = {{1 = "S1", 2 = "S2", 3 = "S3", 4 = "pack"}}
"""


class Table:
    """A controller with a box at its shoe that has the gate and two lamps, and readers at seats."""

    def __init__(self, app: App, box: Plugged, felt: Plugged) -> None:
        assert isinstance(box.device, FrontEnd)
        self.app = app
        self.box = box
        self.device = box.device
        self._felt = felt

    @property
    def shown(self) -> tuple[bool, list[int]]:
        """Whether the gate is open, and what the lamps show."""
        return self.device.is_gate_open, self.device.lamps

    @property
    def verdicts(self) -> list[str | None]:
        """Every verdict that was ruled, in order."""
        return [ruling.verdict for ruling in self.app.controller.watch.docket.rulings.values()]

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Look anew whenever the readers at the seats are asked: they are all the time."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                self._felt.was_asked.clear()
                await self._felt.was_asked.wait()

    async def deal(self, card: str, place: Place, pack: Pack = BLUE) -> None:
        """Draw a card from the shoe and lay it at a seat; wait until both have been told."""
        tag = next(each.tag for each in pack.cards if each.card == Card(card))
        controller = self.app.controller
        self.box.cards[SHOE] = (tag,)
        await self.until(lambda: tag in controller.watch.table.hand.air)
        del self.box.cards[SHOE]
        self._felt.cards[place] = (*self._felt.cards.get(place, ()), tag)
        await self.until(lambda: tag in controller.watch.table.hand.hands.get(place, ()))

    def lift(self, place: Place) -> None:
        """Take the cards of a place away; nobody waits until that is told."""
        self._felt.cards[place] = ()


def play(folder: Path, course: Callable[[Table], Awaitable[None]]) -> None:
    """Run a controller with its devices plugged in, and play at it."""

    async def whole() -> None:
        box = Plugged("front_end", {1: SHOE}, folder / "box")
        felt = Plugged("pepper_c1", SEATS, folder / "felt")
        for each in (box, felt):
            each.plug()

        async def work(app: App) -> None:
            table = Table(app, box, felt)
            await table.until(lambda: all(r.state == "READY" for r in app.bridge.health()))
            await course(table)

        await attend(
            _layout(folder, box, felt), work, start_clock=table_clock, rng=random.Random(1)
        )
        for each in (box, felt):
            each.unplug()

    asyncio.run(whole())


def _layout(folder: Path, box: Plugged, felt: Plugged) -> Layout:
    text = TABLE.format(box=box.path, felt=felt.path)
    for pack in (BLUE, RED):
        (folder / f"{pack.name}.csv").write_text(write_pack(pack), encoding="utf-8")
        text += f'[[pack]]\nname = "{pack.name}"\nregister = "{pack.name}.csv"\n'
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)
