"""A simulated reader of any family on a pseudo-terminal, in the loop of the bridge under test."""

import asyncio
import os
import tty
from pathlib import Path
from typing import Any

from engine.cards import Card, Place, Tag
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.devices.catalogue import FAMILIES as DEVICES
from hw_fixtures.devices.device import Heard
from tests.firmware_bridge.wires import KINDS


class Plugged:
    """A simulated reader of any family that answers at once, on a pseudo-terminal of its own."""

    def __init__(self, name: str, places: dict[int, Place], path: Path) -> None:
        self.kind = KINDS[name]
        self.places = places
        self.path = path
        self.cards: dict[Place, tuple[Tag, ...]] = {}
        self.device = DEVICES[name].make(
            name=self.kind.identity,
            antennas=max(places, default=1),
            baud=DEVICES[name].baud,
            hear=lambda number: Heard(self.cards.get(places[number], ())),
        )
        self.master = -1
        self.was_asked = asyncio.Event()

    def spec(self, **changes: Any) -> ReaderSpec:
        usual: dict[str, Any] = {
            "name": self.path.name,
            "port": str(self.path),
            "family": self.kind.family,
            "antennas": self.places,
            "identity": self.kind.told or None,
            "codes": {str(tag): Card("9h") for tag in self.kind.tags},
        }
        return ReaderSpec(**{**usual, **changes})

    def plug(self) -> None:
        self.master, client = os.openpty()
        tty.setraw(client)
        os.set_blocking(self.master, False)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(client))
        loop = asyncio.get_running_loop()
        loop.add_reader(self.master, self._receive)
        self._ticker = loop.call_later(0.1, self._tick)
        os.close(client)

    def unplug(self) -> None:
        asyncio.get_running_loop().remove_reader(self.master)
        self._ticker.cancel()
        os.close(self.master)

    def _receive(self) -> None:
        try:
            data = os.read(self.master, 4096)
        except OSError:  # nobody has the port open
            return
        self.was_asked.set()
        for reply in self.device.receive_data(data):
            os.write(self.master, reply.data)

    def _tick(self) -> None:
        if self.device.is_polling:
            for reply in self.device.notices():
                os.write(self.master, reply.data)
        self._ticker = asyncio.get_running_loop().call_later(0.1, self._tick)
