"""Gate and lamps over a pseudo-terminal: cards in, rulings, and what the device does."""

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
from misdeal.feed import Listener
from misdeal.tablefile import Layout, load
from tests.firmware_bridge.plugged import Plugged

PATIENCE_S = 8.0
"""A time-out only ends a test that has failed."""

S1, S2, S3 = (seat_place(n) for n in (1, 2, 3))
SEATS = {1: S1, 2: S2, 3: S3, 4: PACK}
OFF, ON, BLINK = 0, 1, 2
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

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Look anew whenever the readers at the seats are asked: they are all the time."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                self._felt.was_asked.clear()
                await self._felt.was_asked.wait()

    async def deal(self, card: str, place: Place, pack: Pack = BLUE) -> None:
        """Draw a card from the shoe and lay it at a seat; wait until both have been told."""
        tag = next(each.tag for each in pack.cards if each.card == Card(card))
        number = len(self._felt.cards.get(place, ())) + 1
        listener = self.app.feed.listen()
        async with asyncio.timeout(PATIENCE_S):
            self.box.cards[SHOE] = (tag,)
            await listener.next()
            del self.box.cards[SHOE]
            self._felt.cards[place] = (*self._felt.cards.get(place, ()), tag)
            while (place, number) not in await self._counts(listener):
                pass
        self.app.feed.leave(listener)

    async def _counts(self, listener: Listener) -> set[tuple[Place, int]]:
        return {(each.place, each.cards) for each in (await listener.next()).table.places}


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


def test_a_fouled_deck_shuts_the_gate_until_it_is_approved(tmp_path: Path) -> None:
    async def course(table: Table) -> None:
        await table.until(lambda: table.shown == (True, [OFF, OFF]))
        await table.deal("9h", S1)
        await table.deal("Kd", S2)
        assert table.shown == (True, [OFF, OFF])
        await table.deal("9h", S3, RED)
        await table.until(lambda: table.shown == (False, [ON, OFF]))
        assert table.device.buzzer_ms > 0
        assert (await table.app.controller.say("approve")).ok
        await table.until(lambda: table.shown == (True, [OFF, OFF]))

    play(tmp_path, course)


def test_an_open_ruling_blinks_at_the_table_and_at_its_place_until_it_is_answered(
    tmp_path: Path,
) -> None:
    async def course(table: Table) -> None:
        for card, place in [("2c", S1), ("3c", S2), ("4c", S3), ("5c", S1), ("6c", S2), ("7c", S2)]:
            await table.deal(card, place)
        await table.deal("8c", S3)
        await table.until(lambda: table.shown == (True, [BLINK, BLINK]))
        assert (await table.app.controller.say("say substantial no")).ok
        await table.until(lambda: table.shown == (True, [OFF, OFF]))

    play(tmp_path, course)


def test_a_box_that_hears_nothing_makes_the_table_safe_and_is_told_anew(tmp_path: Path) -> None:
    async def course(table: Table) -> None:
        await table.until(lambda: table.shown == (True, [OFF, OFF]))
        table.box.unplug()
        await table.until(lambda: table.app.bridge.health()[0].state == "LINK_LOST")
        for _ in range(19):
            table.device.notices()
        assert table.device.is_gate_open
        table.device.notices()
        assert table.shown == (False, [OFF, OFF])
        table.box.plug()
        await table.until(lambda: table.shown == (True, [OFF, OFF]))

    play(tmp_path, course)
