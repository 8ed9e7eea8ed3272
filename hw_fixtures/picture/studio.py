"""The process of the simulated camera: what happens to the cards comes in, pictures go out.

Orders are JSON lines on its input; their end ends it. The first line of its output is the address
of the pictures. Nothing is painted while nobody looks.
"""

import argparse
import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence

import cv2
import msgspec
import numpy as np
from msgspec import Struct

from engine.cards import Card, Tag
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.mishaps import Mishaps, spoil
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.scene import Scene, happen
from hw_fixtures.picture.served import PictureServer
from hw_fixtures.timeline import Move, Turn

JPEG_QUALITY = 85
IDLE_S = 0.02


class StudioOrder(
    Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One line to the process: a card is moved or turned, or something goes wrong."""

    step: Move | Turn | None = None
    faces: dict[Tag, Card] | None = None
    """What is printed on the cards that come; added to what was said before."""
    mishaps: Mishaps | None = None


class StudioReport(Struct, frozen=True, kw_only=True):
    """One line from the process."""

    url: str


class Studio:
    """Follows the table and paints it when somebody looks.

    Args:
        painter: Paints.
        server: Shows.
        clock_s: The time, in seconds.
    """

    def __init__(
        self, painter: Painter, server: PictureServer, *, clock_s: Callable[[], float]
    ) -> None:
        self._painter = painter
        self._server = server
        self._clock_s = clock_s
        self._scene = Scene()
        self._faces: dict[Tag, Card] = {}
        self._mishaps = Mishaps()
        self._rng = np.random.default_rng(0)
        self._last = b""

    def obey(self, order: StudioOrder) -> None:
        """Carry out an order."""
        if order.faces is not None:
            self._faces |= order.faces
        if order.step is not None:
            self._scene = happen(self._scene, [order.step], self._faces, self._clock_s())
        if order.mishaps is not None:
            was, self._mishaps = self._mishaps, order.mishaps
            if order.mishaps.is_unplugged and not was.is_unplugged:
                self._server.unplug()
            elif was.is_unplugged and not order.mishaps.is_unplugged:
                self._server.replug()

    def shoot(self) -> bool:
        """Show a picture of the table as it is now; say no where there is no need to."""
        mishaps = self._mishaps
        if mishaps.is_unplugged or not self._server.viewers:
            return False
        is_lost = mishaps.drop > 0 and self._rng.uniform() < mishaps.drop
        if mishaps.is_stalled or is_lost:
            return True
        if not (mishaps.is_frozen and self._last):
            picture = self._painter.render(self._scene, self._clock_s())
            picture = spoil(picture, mishaps, self._rng)
            quality = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
            self._last = cv2.imencode(".jpg", picture, quality)[1].tobytes()
        self._server.show(self._last)
        return True


def run(studio: Studio, orders: "queue.SimpleQueue[bytes | None]", fps: float) -> None:
    """Obey and shoot until the orders end."""
    due_s = time.monotonic()
    while True:
        for line in _waiting(orders):
            if line is None:
                return
            with contextlib.suppress(msgspec.MsgspecError):
                studio.obey(msgspec.json.decode(line, type=StudioOrder))
        is_watched = studio.shoot()
        now_s = time.monotonic()
        due_s = max(due_s + 1 / fps, now_s) if is_watched else now_s + IDLE_S
        time.sleep(due_s - now_s)


def _waiting(orders: "queue.SimpleQueue[bytes | None]") -> Iterable[bytes | None]:
    with contextlib.suppress(queue.Empty):
        while True:
            yield orders.get_nowait()


def _read(orders: "queue.SimpleQueue[bytes | None]") -> None:
    for line in sys.stdin.buffer:
        orders.put(line)
    orders.put(None)


def _leave(signum: int, frame: object) -> None:
    os._exit(0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve pictures until the input ends."""
    parser = argparse.ArgumentParser(prog="python -m hw_fixtures.picture.studio")
    parser.add_argument("--deck", default="{}", help="how the cards look, as JSON")
    parser.add_argument("--fps", type=float, default=30.0, help="pictures a second")
    parser.add_argument("--size", type=int, nargs=2, default=(1920, 1080), help="in pixels")
    parser.add_argument("--seed", type=int, default=0, help="settles felt and noise")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, _leave)
    deck = msgspec.json.decode(given.deck, type=Deck)
    orders: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    with PictureServer() as server:
        painter = Painter(deck, size_wh_px=tuple(given.size), seed=given.seed)
        sys.stdout.buffer.write(msgspec.json.encode(StudioReport(url=server.url)) + b"\n")
        sys.stdout.buffer.flush()
        run(Studio(painter, server, clock_s=time.monotonic), orders, given.fps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
