import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from hw_fixtures.picture.served import PictureServer
from tests.vision.answering import HEAD, answering, part
from vision.camera import Lost, Newest, film, grab_one
from vision.errors import CameraError
from vision.sources import Shot, Wanted

PICTURE = np.zeros((4, 4, 3), np.uint8)


def shot(at_ns: int) -> Shot:
    return Shot(at_ns, PICTURE)


class Clock:
    def __init__(self) -> None:
        self.now_ns = 0
        self.slept: list[float] = []

    def __call__(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_ns += round(seconds * 1e9)


def test_a_newer_picture_replaces_one_that_nobody_took() -> None:
    newest = Newest()
    for at_ns in (1, 2, 3):
        newest.put(shot(at_ns))
    assert newest.take(0) == shot(3)
    assert newest.take(0) is None
    assert newest.dropped == 2


def test_a_loss_is_kept_until_it_was_taken_and_told_once() -> None:
    newest = Newest()
    for news in (shot(1), Lost(2, "gone"), Lost(3, "still gone"), shot(4), shot(5)):
        newest.put(news)
    assert [newest.take(0) for _ in range(3)] == [Lost(2, "gone"), shot(5), None]


def test_a_lost_camera_is_sought_twice_as_late_each_time(tmp_path: Path) -> None:
    clock, newest = Clock(), Newest()
    film(
        Wanted(source=str(tmp_path / "none.mp4")),
        newest,
        clock_ns=clock,
        sleep=clock.sleep,
        is_over=lambda: clock.now_ns > 30e9,
    )
    assert clock.slept == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert newest.take(0) == Lost(0, "is not there")


def test_a_camera_that_came_back_is_sought_soon_when_it_is_lost_again() -> None:
    clock, newest = Clock(), Newest()
    server = PictureServer()
    seen: list[object] = []

    def is_over() -> bool:
        """Pull the plug after each picture, put it back after two tries; stop in the end."""
        news = newest.take(0)
        if news is not None:
            seen.append(type(news).__name__)
        if isinstance(news, Shot):
            server.unplug()
        return len(clock.slept) >= 6

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        if len(clock.slept) == 3:
            server.replug()
            _show_when_watched(server)

    _show_when_watched(server)
    film(Wanted(source=server.url), newest, clock_ns=clock, sleep=sleep, is_over=is_over)
    assert seen[:2] == ["Shot", "Lost"]
    assert seen.count("Shot") == 2
    # Lost, sought twice in vain, found and lost again: then it is sought as soon as at first.
    assert clock.slept == [0.5, 1.0, 2.0, 0.5, 1.0, 2.0]


def _show_when_watched(server: PictureServer) -> None:
    def show() -> None:
        while not server.viewers:
            pass
        server.show(cv2.imencode(".jpg", PICTURE)[1].tobytes())

    threading.Thread(target=show, daemon=True).start()


def test_one_picture_is_grabbed(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((48, 64, 3), 90, np.uint8))
    assert grab_one(Wanted(source=str(tmp_path))).shape == (48, 64, 3)
    with pytest.raises(CameraError, match="is not there"):
        grab_one(Wanted(source=str(tmp_path / "b.mp4")))


def test_a_live_camera_is_given_ten_pictures_to_find_its_exposure() -> None:
    levels = [np.full((48, 64, 3), level, np.uint8) for level in range(0, 220, 20)]
    jpegs = [cv2.imencode(".jpg", picture)[1].tobytes() for picture in levels]
    with answering(HEAD + b"".join(part(jpeg) for jpeg in jpegs)) as (host, _):
        assert grab_one(Wanted(source=f"http://{host}/")).mean() == pytest.approx(200, abs=2)


def test_a_picture_that_cannot_be_decoded_is_no_picture() -> None:
    broken = part(b"abc", b"Content-Length: 3") * 11
    with (
        answering(HEAD + broken) as (host, _),
        pytest.raises(CameraError, match="gave a picture that cannot be decoded"),
    ):
        grab_one(Wanted(source=f"http://{host}/"))
