"""The demo: a table file for simulated readers, and a dealer who plays at the table."""

import asyncio
import itertools
import random
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from engine.cards import Pack
from firmware_bridge.register import write_pack
from hw_fixtures.demo import DemoDealer
from hw_fixtures.playing import play
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import TABLE, Wiring
from misdeal.app import App, Work, attend
from misdeal.clock import table_clock
from misdeal.people import People
from misdeal.tablefile import load
from misdeal.web.serving import Page

# How often readers that are not heard yet are looked at; their health is told when asked only.
READY_S = 0.05

_HEAD = """\
# The table of `misdeal demo`: simulated readers on pseudo-terminals.
config_version = 1
name = "demo"
game = "holdem"
rulebook = "tda-2024"
seats = [1, 2, 3, 4, 5, 6, 7, 8, 9]
actions = "entered"
camera = true

# Any port that is free: demos may run side by side.
[page]
port = 0
"""

VISITOR = "visitor"
"""Who is signed in at the demo's page, ready to try everything."""


async def demonstrate(
    *,
    seed: int,
    speed: float,
    hands: int | None,
    folder: Path | None,
    screen: Callable[[str], Work],
) -> None:
    """Play hands at a simulated table and watch them.

    Args:
        seed: Settles everything that happens.
        speed: How many times faster than real time.
        hands: How many hands are dealt, replays included; None for hands without end.
        folder: Where table file, registers, journal and socket go; None throws them away.
        screen: Takes the address of the page and returns what shows the table.

    Raises:
        ReadersLostError: If the simulated readers die.
    """
    with tempfile.TemporaryDirectory(prefix="misdeal-") as passing:
        place = folder or Path(passing)
        async with await SimulatedReaders.start(speed=speed) as readers:
            dealer = DemoDealer(seed)
            layout = load(write_table(place, dealer.packs, readers.ports))

            async def deal(app: App) -> None:
                await _deal(app, dealer, readers, hands=hands, speed=speed)

            rng = random.Random(seed)  # noqa: S311 - no secret hangs on it
            with Page(layout) as page:
                shows = screen(page.address + _enter(page.people))
                await attend(layout, shows, deal, page.serve, start_clock=table_clock, rng=rng)


def _enter(people: People) -> str:
    """Return what to put behind the page's address to be signed in, once."""
    if people.find(VISITOR) is None:
        people.add(VISITOR, "inspector")
    return f"#enter={people.open(VISITOR, 'link')}"


def write_table(
    folder: Path,
    packs: Iterable[Pack],
    ports: Mapping[str, str],
    wirings: Iterable[Wiring] = TABLE,
) -> Path:
    """Write the table file of simulated readers and the registers of their packs.

    Args:
        folder: Where to; made where it is not there.
        packs: The packs that are dealt.
        ports: Reader to the path of its port.
        wirings: How the readers are wired.

    Returns:
        The table file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sections = [_HEAD]
    for wiring in wirings:
        antennas = "".join(
            f'{number} = "{antenna.place}"\n'
            for number, antenna in enumerate(wiring.antennas, start=1)
            if antenna.place
        )
        baud = "" if wiring.baud is None else f"baud = {wiring.baud}\n"
        sections.append(
            f'[[reader]]\nname = "{wiring.name}"\nport = "{ports[wiring.name]}"\n'
            f'family = "pepper_c1"\n{baud}identity = "{wiring.identity}"\n'
            f"[reader.antennas]\n{antennas}"
        )
    for pack in packs:
        (folder / f"{pack.name}.csv").write_text(write_pack(pack), encoding="utf-8")
        sections.append(f'[[pack]]\nname = "{pack.name}"\nregister = "{pack.name}.csv"\n')
    table = folder / "table.toml"
    table.write_text("\n".join(sections), encoding="utf-8")
    return table


async def until_ready(app: App) -> None:
    """Wait until every reader can be heard."""
    while any(reader.state != "READY" for reader in app.bridge.health()):  # noqa: ASYNC110
        await asyncio.sleep(READY_S)


async def _deal(
    app: App, dealer: DemoDealer, readers: SimulatedReaders, *, hands: int | None, speed: float
) -> None:
    """Deal hands as soon as the readers can be heard."""
    await until_ready(app)
    for timeline in itertools.islice(dealer, hands):
        await play(
            timeline,
            readers,
            app.controller.offer,
            clock_ns=app.clock,
            sleep=asyncio.sleep,
            speed=speed,
        )
