from pathlib import Path

import cv2
import numpy as np
import pytest

from hw_fixtures.picture.served import PictureServer
from tests.vision.answering import HEAD, answering, part
from vision.errors import CameraError
from vision.seen import Picture
from vision.sources import Kind, Shot, Source, Wanted, kind_of, open_source, open_video

FRAME = 33_333_333


def grey(level: int) -> Picture:
    return np.full((48, 64, 3), level, np.uint8)


def jpeg(level: int) -> bytes:
    return cv2.imencode(".jpg", grey(level))[1].tobytes()


def level(shot: Shot) -> int:
    picture = shot.picture()
    assert picture is not None
    return round(float(picture.mean()))


class Clock:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now_ns = 1_000

    def __call__(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


def opened(source: str, clock: Clock | None = None) -> Source:
    clock = clock or Clock()
    return open_source(Wanted(source=source), clock_ns=clock, sleep=clock.sleep)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("http://10.0.0.5/video", "mjpeg"),
        ("https://10.0.0.5/video", "mjpeg"),
        ("rtsp://10.0.0.5/stream1", "stream"),
        ("/dev/video0", "usb"),
        ("/dev/v4l/by-id/usb-Some_Camera-video-index0", "usb"),
        ("evening.mp4", "film"),
    ],
)
def test_a_source_is_known_by_its_name(source: str, kind: Kind) -> None:
    assert kind_of(source) == kind


def test_a_folder_is_shown_by_name_at_its_pace_over_and_over(tmp_path: Path) -> None:
    for name, shade in (("b.png", 200), ("a.PNG", 100)):
        cv2.imwrite(str(tmp_path / name), grey(shade))
    (tmp_path / "c.png").write_bytes(b"no picture")
    (tmp_path / "notes.txt").write_text("not shown")
    assert kind_of(str(tmp_path)) == "folder"
    source = opened(str(tmp_path))
    shots = [source.read() for _ in range(3)]
    assert [level(shot) for shot in shots] == [100, 200, 100]
    assert [shot.at_ns for shot in shots] == [1_000, 1_000 + FRAME, 1_000 + 2 * FRAME]
    source.close()


def test_a_viewer_that_is_slow_is_not_shown_what_he_missed_at_once(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), grey(100))
    clock = Clock()
    source = opened(str(tmp_path), clock)
    source.read()
    clock.sleep(1.0)
    assert [source.read().at_ns for _ in range(2)] == [1_000_001_000, 1_000_001_000 + FRAME]


def test_a_film_is_shown_over_and_over(tmp_path: Path) -> None:
    path = str(tmp_path / "film.avi")
    film = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for shade in (50, 150):
        film.write(grey(shade))
    film.release()
    source = opened(path)
    shots = [source.read() for _ in range(3)]
    assert [level(shot) for shot in shots] == pytest.approx([50, 150, 50], abs=4)
    assert shots[1].at_ns - shots[0].at_ns == 100_000_000


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.mp4", "nowhere.mp4 is not there"),
        ("/dev/video-of-nobody", "/dev/video-of-nobody is not there"),
        ("/dev/null", "/dev/null cannot be opened: held by another program, no right to it"),
        ("rtsp://127.0.0.1:1/a", "rtsp://127.0.0.1:1/a cannot be opened: no answer"),
        ("http://127.0.0.1:1/a", "http://127.0.0.1:1/a cannot be opened: Connection refused"),
        ("https://127.0.0.1:1", "https://127.0.0.1:1 cannot be opened: Connection refused"),
        ("http://127.0.0.1:none/", "cannot be opened: Port could not be cast"),
    ],
)
def test_a_source_that_cannot_be_opened_says_why(source: str, words: str) -> None:
    with pytest.raises(CameraError, match=words.replace(".", r"\.")) as caught:
        opened(source)
    assert "\n" not in str(caught.value)


def test_a_film_and_a_folder_without_pictures_say_so(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("no film")
    (tmp_path / "empty").mkdir()
    for name in ("text.mp4", "empty"):
        with pytest.raises(CameraError, match="holds no picture that can be read"):
            opened(str(tmp_path / name)).read()


def test_a_network_camera_gives_its_pictures_as_they_come() -> None:
    clock = Clock()
    with PictureServer() as server:
        source = opened(server.url, clock)
        while not server.viewers:
            pass
        server.show(jpeg(80))
        first = source.read()
        clock.sleep(0.5)
        server.show(jpeg(160))
        second = source.read()
        source.close()
    assert [level(first), level(second)] == pytest.approx([80, 160], abs=2)
    assert [first.at_ns, second.at_ns] == [1_000, 500_001_000]


def test_a_picture_of_no_told_length_ends_where_a_jpeg_does() -> None:
    parts = part(jpeg(70), b"Content-Type: image/jpeg") + part(jpeg(140))
    with answering(HEAD + parts) as (host, _):
        source = opened(f"http://{host}/")
        assert [level(source.read()) for _ in range(2)] == pytest.approx([70, 140], abs=2)
        with pytest.raises(CameraError, match="was cut off: it ended"):
            source.read()


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"", "it ended"),
        (part(b"abc", b"Content-Length: 99"), "it ended in the middle of a picture"),
        (part(b"abc", b"Content-Length: 99000000"), "of no length up to 20 MB"),
        (part(b"abc", b"Content-Length: -1"), "of no length up to 20 MB"),
        (part(b"abc", b"Content-Length: many"), "invalid literal"),
        (b"--x\r\n\r\nabc", "it ended in the middle of a picture"),
        (b"--x\r\n\r\n" + (b"a" * 60_000 + b"\r\n") * 340, "of no length up to 20 MB"),
    ],
    ids=["nothing", "cut", "long", "negative", "word", "endless-cut", "endless"],
)
def test_a_network_camera_that_talks_nonsense_is_lost(sent: bytes, why: str) -> None:
    with answering(HEAD + sent) as (host, _):
        source = opened(f"http://{host}/")
        with pytest.raises(CameraError, match=f"was cut off: .*{why}"):
            source.read()
        source.close()


def test_a_broken_picture_is_none() -> None:
    assert Shot(0, b"no jpeg").picture() is None


def test_a_name_and_a_password_go_along_and_a_query_too() -> None:
    with (
        answering(b"HTTP/1.1 404 Not Found\r\n\r\n") as (host, asked),
        pytest.raises(CameraError, match="answers 404 Not Found"),
    ):
        opened(f"http://me:a%20b@{host}/video?size=hd")
    assert asked[0].startswith(b"GET /video?size=hd HTTP/1.1\r\n")
    # base64 of "me:a b"
    assert b"Authorization: Basic bWU6YSBi\r\n" in asked[0]


def test_what_is_no_row_of_jpegs_is_left_to_opencv() -> None:
    denied = b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=a\r\n\r\n"
    with (
        answering(denied, denied, denied) as (host, asked),
        pytest.raises(CameraError, match="cannot be opened: no answer, or no stream"),
    ):
        opened(f"http://{host}/")
    assert len(asked) >= 2


def test_what_opencv_reads_is_stamped_and_lost_when_it_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "film.avi")
    film = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    film.write(grey(50))
    film.release()
    source = open_video(path, Clock())
    shot = source.read()
    assert shot.at_ns == 1_000
    assert level(shot) == pytest.approx(50, abs=4)
    with pytest.raises(CameraError, match=r"gave no picture for 2 s, or ended"):
        source.read()
    source.close()
