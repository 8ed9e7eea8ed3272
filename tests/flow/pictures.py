"""Takes the pictures of the page that the documents show.

    python -m tests.flow.pictures docs/pictures

A dealer gives seat 3 a card too many, at a table where nobody enters actions: it is asked, and
answered. Then the flop is put out, face up.
"""

import importlib
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.cards import BOARD
from engine.events import CardSighted
from tests.flow.watched import PASSWORD, Watched

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
CHANGES = {'actions = "entered"': 'actions = "none"', 'name = "demo"': 'name = "pit-1"'}
SETTLED_MS = 600


def main() -> None:
    """Take them all."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    sync_playwright: Any = importlib.import_module("playwright.sync_api").sync_playwright
    with (
        TemporaryDirectory() as passing,
        Watched(Path(passing), CHANGES, has_readers=True) as table,
        sync_playwright() as playwright,
    ):
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=arguments
        )
        context = browser.new_context(viewport=WIDE, color_scheme="dark", locale="en-GB")
        tab = context.new_page()
        tab.goto(table.page.address)
        tab.fill("[name=name]", "inspector")
        tab.fill("[name=password]", PASSWORD)
        tab.click("button[type=submit]")
        tab.wait_for_selector(".felt")
        play(table, tab, folder)
        browser.close()


def play(table: Watched, tab: Any, folder: Path) -> None:
    """Deal, and take a picture of each thing that happens."""
    seats = [f"S{number}" for number in range(1, 10)]
    table.deal(*seats, *seats[:4])
    take(tab, folder / "page-deal")
    table.deal(*seats[4:], "S3")
    tab.wait_for_selector(".question")
    take(tab, folder / "page-asks")
    tab.locator(".answers button", has_text="No").click()
    tab.wait_for_selector(".ruling.stop")
    take(tab, folder / "page-stop")
    table.say("say undo")
    table.say("say substantial yes")
    tab.wait_for_selector(".ruling.final")
    table.deal("burn", "board", "board", "board")
    turn_up(table)
    tab.wait_for_selector(".board .face")
    tab.emulate_media(color_scheme="light")
    take(tab, folder / "page-light", only_wide=True)


def turn_up(table: Watched) -> None:
    """Let the camera see the board."""
    cards = table.app.controller.watch.table.hand.cards.values()
    for seen in [each for each in cards if each.place == BOARD]:
        event = CardSighted(at_ns=table.app.clock(), place=BOARD, card=seen.card)
        table.offer(event)


def take(tab: Any, name: Path, *, only_wide: bool = False) -> None:
    tab.wait_for_timeout(SETTLED_MS)
    tab.screenshot(path=f"{name}-1280.png")
    if not only_wide:
        tab.set_viewport_size(PHONE)
        tab.wait_for_timeout(SETTLED_MS)
        tab.screenshot(path=f"{name}-390.png")
        tab.set_viewport_size(WIDE)


if __name__ == "__main__":
    main()
