"""The demo: a table file for simulated readers, and a dealer who plays at the table."""

import asyncio
import itertools
import random
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cards import Pack
from firmware_bridge.register import write_pack
from hw_fixtures.demo import DemoDealer
from hw_fixtures.filmed import SimulatedCamera
from hw_fixtures.playing import play
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import TABLE, Wiring
from misdeal.app import App, Work, attend
from misdeal.clock import table_clock
from misdeal.people import People
from misdeal.tablefile import load
from misdeal.web.serving import Page

if TYPE_CHECKING:
    from hw_fixtures.filmed import SimulatedCamera

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
{camera}
# Any port that is free: demos may run side by side.
[page]
port = 0
"""

_CAMERA = """
[camera]
source = "{source}"
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
    is_filmed: bool = False,
) -> None:
    """Play hands at a simulated table and watch them.

    Args:
        seed: Settles everything that happens.
        speed: How many times faster than real time.
        hands: How many hands are dealt, replays included; None for hands without end.
        folder: Where table file, registers, journal and socket go; None throws them away.
        screen: Takes the address of the page and returns what shows the table.
        is_filmed: Whether a simulated camera films the table, and what is seen comes from it.

    Raises:
        ReadersLostError: If the simulated readers die.
    """
    with tempfile.TemporaryDirectory(prefix="misdeal-") as passing:
        place = folder or Path(passing)
        async with AsyncExitStack() as stack:
            readers = await stack.enter_async_context(await SimulatedReaders.start(speed=speed))
            camera = await _set_up_camera(stack, place) if is_filmed else None
            source = None if camera is None else camera.url
            dealer = DemoDealer(seed)
            layout = load(write_table(place, dealer.packs, readers.ports, source=source))

            async def deal(app: App) -> None:
                await until_ready(app)
                for timeline in itertools.islice(dealer, hands):
                    await play(
                        timeline,
                        readers,
                        app.controller.offer,
                        clock_ns=app.clock,
                        sleep=asyncio.sleep,
                        speed=speed,
                        camera=camera,
                    )

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
    *,
    source: str | None = None,
) -> Path:
    """Write the table file of simulated readers and the registers of their packs.

    Args:
        folder: Where to; made where it is not there.
        packs: The packs that are dealt.
        ports: Reader to the path of its port.
        wirings: How the readers are wired.
        source: Where the pictures of the camera are; None where what is seen is told.

    Returns:
        The table file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sections = [_HEAD.format(camera="camera = true\n" if source is None else "")]
    if source is not None:
        sections.append(_CAMERA.format(source=source))
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


async def _set_up_camera(stack: AsyncExitStack, folder: Path) -> "SimulatedCamera":
    """Start the simulated camera, calibrated.

    Raises:
        CameraLostError: If it does not start.
    """
    # OpenCV takes a tenth of a second to load, and a demo need not be filmed.
    from hw_fixtures.filmed import SimulatedCamera  # noqa: PLC0415

    _calibrate(folder)
    return await stack.enter_async_context(await SimulatedCamera.start())


def _calibrate(folder: Path) -> None:
    """Write how the simulated camera sees the table, and the table while it is bare."""
    from hw_fixtures.picture.calibrated import calibration  # noqa: PLC0415 - as above
    from hw_fixtures.picture.faces import Deck  # noqa: PLC0415
    from hw_fixtures.picture.painting import Painter  # noqa: PLC0415
    from hw_fixtures.picture.scene import Scene  # noqa: PLC0415
    from misdeal.calibration import FILE, write_calibration  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    write_calibration(folder / FILE, calibration(), Painter(Deck()).render(Scene(), 0.0))


async def until_ready(app: App) -> None:
    """Wait until every reader can be heard, and the camera, where there is one, sees."""
    while not _is_ready(app):  # noqa: ASYNC110 - their health is told when asked only
        await asyncio.sleep(READY_S)


def _is_ready(app: App) -> bool:
    is_seen = app.lookout is None or app.lookout.health().is_well
    return is_seen and all(reader.state == "READY" for reader in app.bridge.health())
