"""Enrolment and survey on a terminal: prompts, a bar, typed words."""

import asyncio
import os
import pty
import re
import signal
import sys
from pathlib import Path

import pytest

from engine.cards import PACK, Tag, seat_place
from hw_fixtures.packs import demo_packs, own_cards
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import Antenna, Wiring
from misdeal.demo import write_table

SPEED = 20.0
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
TAGS = [card.tag for card in own_cards(demo_packs(1)[0])[:3]]
S1 = seat_place(1)
READER = Wiring(
    name="A",
    identity="C1-MUX SIM-A",
    baud=115200,
    antennas=(Antenna(place=S1), Antenna(place=PACK)),
)


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, process: asyncio.subprocess.Process, fd: int) -> None:
        self.process = process
        self._fd = fd
        self._shown = ""
        self._changed = asyncio.Event()
        asyncio.get_running_loop().add_reader(fd, self._read)

    @classmethod
    async def open(cls, *arguments: str, term: str = "xterm") -> "Terminal":
        master, client = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "misdeal", *arguments),
            stdin=client,
            stdout=client,
            stderr=client,
            env={**os.environ, "COLUMNS": "120", "TERM": term},
        )
        os.close(client)
        return cls(process, master)

    async def shows(self, text: str) -> None:
        """Wait until a text was shown, and forget what came up to it."""
        async with asyncio.timeout(20):
            while text not in self._shown:
                self._changed.clear()
                await self._changed.wait()
        self._shown = self._shown.partition(text)[2]

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    async def ends(self) -> int:
        status = await self.process.wait()
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)
        return status

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
        self._shown = COLOURS.sub("", self._shown + data.decode(errors="replace"))
        self._changed.set()


def table_at(folder: Path, readers: SimulatedReaders) -> Path:
    path = write_table(folder, demo_packs(1), readers.ports, (READER,))
    text = path.read_text()
    path.write_text(text.replace("seats = [1, 2, 3, 4, 5, 6, 7, 8, 9]", "seats = [1]"))
    return path


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_an_enrolment_asks_takes_back_and_puts_off_what_it_is_told(
    tmp_path: Path, term: str
) -> None:
    async def work() -> int:
        async with await SimulatedReaders.start((READER,), speed=SPEED) as readers:
            table = table_at(tmp_path, readers)
            (tmp_path / "red.csv").unlink()
            terminal = await Terminal.open("enrol", str(table), "--pack", "red", term=term)
            await terminal.shows("lay down As (1 of 52")
            readers.put(TAGS[:1], PACK)
            await terminal.shows(f"As is {TAGS[0]}")
            await terminal.shows("lay down Ks (2 of 52")
            terminal.type("u\n")
            await terminal.shows("As is taken back")
            terminal.type("s\nwhat?\n")
            await terminal.shows("lay down Ks (1 of 52")
            readers.take(TAGS[:1])
            await readers.sync()
            readers.put(TAGS[1:3], PACK)
            await terminal.shows("2 cards lie there")
            terminal.process.send_signal(signal.SIGINT)
            return await terminal.ends()

    assert asyncio.run(work()) == 130


def test_a_survey_asks_measures_and_reports(tmp_path: Path) -> None:
    async def work() -> int:
        async with await SimulatedReaders.start((READER,), speed=SPEED) as readers:
            table = table_at(tmp_path, readers)
            lying: list[Tag] = []
            terminal = await Terminal.open("survey", str(table), "--looks", "10")
            for place, height, where in ((S1, 1, "seat 1"), (S1, 2, "seat 1"), (PACK, 1, "pack")):
                await terminal.shows(where)
                await terminal.shows("then Enter")
                readers.take(lying)
                lying[:] = TAGS[:height]
                readers.put(lying, place)
                await readers.sync()
                terminal.type("\n")
                await terminal.shows("1 card: 100%" if height == 1 else "2 cards: 100%")
            await terminal.shows("what was measured is in")
            await terminal.shows("read rate of the card")
            await terminal.shows("no antenna hears a card that lies elsewhere")
            await terminal.shows("holdem          every place is fit")
            return await terminal.ends()

    assert asyncio.run(work()) == 0
