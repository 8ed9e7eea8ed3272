"""``misdeal demo``: a simulated table."""

import asyncio
from functools import partial
from pathlib import Path

import click

from misdeal.app import Work
from misdeal.commands.run import choose_screen
from misdeal.demo import demonstrate


@click.command(epilog="Example: misdeal demo --speed 3 --hands 4")
@click.option("--seed", type=int, default=1, help="Settles everything that happens (1).")
@click.option(
    "--speed", type=click.FloatRange(min=0.1, max=50), default=1.0, help="Times real time (1)."
)
@click.option(
    "--hands", type=click.IntRange(min=1), help="How many hands are dealt; else without end."
)
@click.option(
    "--camera", "is_filmed", is_flag=True, help="A simulated camera films the table as well."
)
@click.option("--headless", is_flag=True, help="No screen: lines of text instead.")
@click.option("--json", "as_json", is_flag=True, help="No screen: one JSON object a line.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    help="A folder for table file, registers and journal; else they are thrown away.",
)
def command(  # noqa: PLR0913 - one parameter an option
    *,
    seed: int,
    speed: float,
    hands: int | None,
    keep: Path | None,
    is_filmed: bool,
    headless: bool,
    as_json: bool,
) -> int:
    """Show a simulated nine-handed hold'em table; no hardware is needed.

    Readers on pseudo-terminals speak as real ones do, and the controller is the one of a real
    table. Clean hands and hands with an irregularity alternate. The address that it tells opens
    the page, signed in once. With --camera the cards that lie face up are seen in rendered
    pictures, which takes most of two processors. Ctrl-C ends it.
    """
    screen = partial(_screen, headless=headless, as_json=as_json)
    asyncio.run(
        demonstrate(
            seed=seed, speed=speed, hands=hands, folder=keep, screen=screen, is_filmed=is_filmed
        )
    )
    return 0


def _screen(address: str, *, headless: bool, as_json: bool) -> Work:
    return choose_screen(headless=headless, as_json=as_json, address=address)
