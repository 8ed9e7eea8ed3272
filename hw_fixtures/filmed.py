"""The simulated camera as a program holds it: started, shown what happens, and ended."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import msgspec

import hw_fixtures
from engine.cards import Card, Tag
from hw_fixtures.errors import CameraLostError
from hw_fixtures.held import Held
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.mishaps import Mishaps
from hw_fixtures.picture.studio import StudioOrder, StudioReport
from hw_fixtures.timeline import Move, Turn


class SimulatedCamera(Held):
    """A running process of the simulated camera; ``start`` makes one."""

    def __init__(self, process: Process, url: str) -> None:
        super().__init__(process)
        self.url = url
        """Where its pictures are."""

    @classmethod
    async def start(
        cls,
        deck: Deck | None = None,
        *,
        fps: float = 30.0,
        size_wh_px: tuple[int, int] = (1920, 1080),
        seed: int = 0,
    ) -> Self:
        """Start the process and wait until its pictures can be had.

        Raises:
            CameraLostError: If it ended before.
        """
        # The child finds the very packages that started it, not others of the same name.
        home = str(Path(hw_fixtures.__file__).parents[1])
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-m", "hw_fixtures.picture.studio"),
            *("--deck", msgspec.json.encode(deck or Deck()).decode(), "--fps", str(fps)),
            *("--size", *map(str, size_wh_px), "--seed", str(seed)),
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": home},
            start_new_session=True,  # Ctrl-C is for the program, which then ends the camera
        )
        line = await process.stdout.readline() if process.stdout else b""
        if not line:
            await process.wait()
            raise CameraLostError
        return cls(process, msgspec.json.decode(line, type=StudioReport).url)

    def know(self, faces: Mapping[Tag, Card]) -> None:
        """Tell what is printed on cards, before they come to the table."""
        self._send(StudioOrder(faces=dict(faces)))

    def show(self, step: Move | Turn) -> None:
        """Let a card be moved or turned under the camera, from now on."""
        self._send(StudioOrder(step=step))

    def suffer(self, mishaps: Mishaps) -> None:
        """Let things go wrong with the camera; ``Mishaps()`` mends it."""
        self._send(StudioOrder(mishaps=mishaps))

    async def close(self) -> None:
        """End the process; do nothing where it has ended."""
        if self._process.returncode is None and self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()

    def _send(self, order: StudioOrder) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(msgspec.json.encode(order) + b"\n")
