"""Pictures over HTTP: what a viewer gets, and the simulated camera as a process of its own."""

import asyncio
import http.client
import os
import queue
import signal
from urllib.parse import urlsplit

import cv2
import msgspec
import numpy as np
import pytest

from engine.cards import BOARD, PACK, Card, Tag
from hw_fixtures.errors import CameraLostError
from hw_fixtures.filmed import SimulatedCamera
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.mishaps import Mishaps
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.served import PictureServer
from hw_fixtures.picture.studio import Studio, StudioOrder, main, run
from hw_fixtures.timeline import Move

A = Tag("A")
TO_BOARD = Move(at_s=0, tag=A, source=PACK, target=BOARD, is_face_up=True)


class Viewer:
    """Reads pictures one by one."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
        self._connection.request("GET", urlsplit(url).path)
        self.answer = self._connection.getresponse()

    def next_picture(self) -> bytes:
        assert self.answer.readline() == b"--picture\r\n"
        assert self.answer.readline() == b"Content-Type: image/jpeg\r\n"
        size = int(self.answer.readline().removeprefix(b"Content-Length: "))
        assert self.answer.readline() == b"\r\n"
        picture = self.answer.read(size)
        assert self.answer.readline() == b"\r\n"
        return picture

    def close(self) -> None:
        self._connection.close()


def until_watched(server: PictureServer) -> None:
    while not server.viewers:
        pass


def test_a_viewer_gets_the_pictures_that_come_after_it() -> None:
    with PictureServer() as server:
        server.show(b"before")
        viewer = Viewer(server.url)
        assert viewer.answer.headers["Content-Type"] == (
            "multipart/x-mixed-replace; boundary=picture"
        )
        until_watched(server)
        server.show(b"one")
        assert viewer.next_picture() == b"one"
        server.show(b"two")
        assert viewer.next_picture() == b"two"
        viewer.close()


def test_a_camera_whose_plug_is_pulled_cuts_its_viewers_off_and_comes_back_where_it_was() -> None:
    with PictureServer() as server:
        viewer = Viewer(server.url)
        until_watched(server)
        server.unplug()
        assert viewer.answer.read() == b""
        with pytest.raises(ConnectionRefusedError):
            Viewer(server.url)
        server.replug()
        again = Viewer(server.url)
        until_watched(server)
        server.show(b"back")
        assert again.next_picture() == b"back"
        again.close()


class Clock:
    def __init__(self) -> None:
        self.at_s = 0.0

    def __call__(self) -> float:
        return self.at_s


class Screen(PictureServer):
    """A server that keeps what it is given and serves nobody."""

    def __init__(self) -> None:
        self.shown: list[bytes] = []
        self.plugs: list[str] = []
        self.watched = 1

    @property
    def viewers(self) -> int:
        return self.watched

    def show(self, picture: bytes) -> None:
        self.shown.append(picture)

    def unplug(self) -> None:
        self.plugs.append("out")

    def replug(self) -> None:
        self.plugs.append("in")


def studio() -> tuple[Studio, Screen, Clock]:
    screen, clock = Screen(), Clock()
    painter = Painter(Deck(), size_wh_px=(480, 270))
    return Studio(painter, screen, clock_s=clock), screen, clock


def brightness(picture: bytes) -> float:
    decoded = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    return float(decoded.mean())


def test_a_studio_paints_what_it_is_told_and_only_while_somebody_looks() -> None:
    place, screen, clock = studio()
    screen.watched, clock.at_s = 0, 10.0  # when no shadow passes
    assert not place.shoot()
    screen.watched = 1
    assert place.shoot()
    place.obey(StudioOrder(faces={A: Card("9h")}))
    place.obey(StudioOrder(step=TO_BOARD))
    clock.at_s = 10.5
    assert place.shoot()
    bare, laid = screen.shown
    # One card of 63 by 88 mm is 1/180 of the view, and 170 brighter than felt.
    assert 0.5 < brightness(laid) - brightness(bare) < 1.5


def test_a_studio_suffers_what_it_is_told() -> None:
    place, screen, clock = studio()
    assert place.shoot()
    place.obey(StudioOrder(mishaps=Mishaps(is_frozen=True)))
    clock.at_s = 0.5
    assert place.shoot()
    assert screen.shown[1] == screen.shown[0]
    place.obey(StudioOrder(mishaps=Mishaps(is_dark=True)))
    assert place.shoot()
    assert brightness(screen.shown[2]) < 0.1 * brightness(screen.shown[0])
    for silent in (Mishaps(is_stalled=True), Mishaps(drop=1.0)):
        place.obey(StudioOrder(mishaps=silent))
        assert place.shoot()
    place.obey(StudioOrder(mishaps=Mishaps(is_unplugged=True)))
    assert not place.shoot()
    place.obey(StudioOrder(mishaps=Mishaps()))
    assert (screen.plugs, len(screen.shown)) == (["out", "in"], 3)


def test_a_studio_runs_until_its_orders_end_and_minds_no_nonsense() -> None:
    place, screen, _ = studio()
    orders: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    lines = [b"nonsense", msgspec.json.encode(StudioOrder(mishaps=Mishaps(is_dark=True))), None]
    for line in lines:
        orders.put(line)
    run(place, orders, fps=1000.0)
    assert screen.shown == []
    assert place.shoot()
    assert brightness(screen.shown[0]) < 5


def test_the_process_paints_what_happens_and_ends_with_its_owner() -> None:
    async def play() -> tuple[float, float]:
        async with await SimulatedCamera.start(size_wh_px=(480, 270), fps=50) as camera:
            viewer = await asyncio.to_thread(Viewer, camera.url)
            lit = await asyncio.to_thread(viewer.next_picture)
            camera.know({A: Card("9h")})
            camera.show(TO_BOARD)
            camera.suffer(Mishaps(is_dark=True))
            dark = lit
            while brightness(dark) > 5:
                dark = await asyncio.to_thread(viewer.next_picture)
            viewer.close()
        with pytest.raises(ProcessLookupError):
            os.kill(camera.pid, 0)
        return brightness(lit), brightness(dark)

    lit, dark = asyncio.run(asyncio.wait_for(play(), 30))
    assert lit > 40
    assert dark < 5


def test_the_process_ends_when_it_is_asked_to() -> None:
    async def play() -> None:
        camera = await SimulatedCamera.start(size_wh_px=(480, 270))
        os.kill(camera.pid, signal.SIGTERM)
        await camera.close()

    asyncio.run(asyncio.wait_for(play(), 30))


def test_a_process_that_cannot_start_is_told() -> None:
    with pytest.raises(CameraLostError):
        asyncio.run(SimulatedCamera.start(fps=float("nan"), size_wh_px=(0, 0)))


def test_help_tells_what_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--fps" in capsys.readouterr().out
