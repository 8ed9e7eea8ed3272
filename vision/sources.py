"""Where pictures come from: a USB camera, a network camera, a film, a folder of pictures.

A source is opened, read shot by shot and closed. Reading waits for a bounded time only. A JPEG of a
network camera is kept as it came: what is thrown away unseen is not worth decoding.
"""

import base64
import http.client
import ssl
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import SplitResult, unquote, urlsplit

import cv2
import numpy as np
from msgspec import Struct

from vision.errors import CameraError
from vision.seen import Picture

OPEN_S = 5.0
"""How long a source may take to open. Chosen: an RTSP camera takes 1 to 2 s to its first key frame
(assumed)."""

READ_S = 2.0
"""How long a picture may take; a camera that is silent for so long is lost."""

MOST_BYTES = 20_000_000
"""A JPEG of a network camera that says that it is longer is refused; 1080p has 0.2 to 0.5 MB."""

_TOO_LONG = f"its picture is of no length up to {MOST_BYTES / 1e6:.0f} MB"

FILM_FPS = 30.0
"""How fast a folder is shown, and a film that does not say."""

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})

Kind = Literal["usb", "mjpeg", "stream", "film", "folder"]


class Shot(Struct, frozen=True):
    """One picture as it came, and when."""

    at_ns: int
    """By the monotonic clock, on arrival: a network camera's own times are invented."""
    data: bytes | Picture

    def picture(self) -> Picture | None:
        """Return it decoded; None where it is broken."""
        if not isinstance(self.data, bytes):
            return self.data
        decoded = cv2.imdecode(np.frombuffer(self.data, np.uint8), cv2.IMREAD_COLOR)
        # None where it is broken, whatever the stubs say.
        return None if decoded is None else np.asarray(decoded, np.uint8)


class Source(Protocol):
    """An open source."""

    def read(self) -> Shot:
        """Wait for the next picture.

        Raises:
            CameraError: If none came in time, or none will come any more.
        """

    def close(self) -> None:
        """Let go of it."""


class Wanted(Struct, frozen=True, kw_only=True):
    """Which pictures are wanted from where."""

    source: str
    size_wh_px: tuple[int, int] | None = None
    """What a USB camera is asked for; None leaves it as it is."""
    fps: float = 30.0


def kind_of(source: str) -> Kind:
    """Return what a source is, by its name; folders and films by what is there."""
    scheme = urlsplit(source).scheme
    if scheme in ("http", "https"):
        return "mjpeg"
    if scheme in ("rtsp", "rtsps", "rtmp", "udp", "tcp", "srt"):
        return "stream"
    if source.startswith("/dev/"):
        return "usb"
    return "folder" if Path(source).is_dir() else "film"


def open_source(
    wanted: Wanted,
    *,
    clock_ns: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> Source:
    """Open a source.

    Args:
        wanted: Which.
        clock_ns: Stamps what arrives.
        sleep: Waits between the pictures of a film or folder, which are shown at their pace.

    Raises:
        CameraError: If it cannot be opened.
    """
    source = wanted.source
    match kind_of(source):
        case "mjpeg":
            return _open_http(source, clock_ns)
        case "stream":
            return open_video(source, clock_ns)
        case "usb":
            return _open_usb(wanted, clock_ns)
        case "film":
            return _Paced(source, _films(source), clock_ns, sleep)
        case "folder":
            return _Paced(source, _pictures(source), clock_ns, sleep)


# ---------------------------------------------------------------- OpenCV's own
class _Video:
    """A camera or stream that OpenCV reads."""

    def __init__(self, source: str, video: cv2.VideoCapture, clock_ns: Callable[[], int]) -> None:
        self._source = source
        self._video = video
        self._clock_ns = clock_ns

    def read(self) -> Shot:
        is_there, picture = self._video.read()
        if not is_there:
            raise CameraError(self._source, f"gave no picture for {READ_S:g} s, or ended")
        return Shot(self._clock_ns(), np.asarray(picture, np.uint8))

    def close(self) -> None:
        self._video.release()


def open_video(source: str, clock_ns: Callable[[], int]) -> Source:
    """Open what FFmpeg reads.

    Raises:
        CameraError: If it cannot be opened.
    """
    video = cv2.VideoCapture(
        source,
        cv2.CAP_FFMPEG,
        [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, round(OPEN_S * 1000)),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, round(READ_S * 1000)),
        ],
    )
    if not video.isOpened():
        raise CameraError(source, "cannot be opened: no answer, or no stream of pictures")
    return _Video(source, video, clock_ns)


def _open_usb(wanted: Wanted, clock_ns: Callable[[], int]) -> Source:
    device = Path(wanted.source)
    if not device.exists():
        raise CameraError(wanted.source, "is not there")
    asked = [cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")]
    if wanted.size_wh_px is not None:
        width, height = wanted.size_wh_px
        asked += [cv2.CAP_PROP_FRAME_WIDTH, width, cv2.CAP_PROP_FRAME_HEIGHT, height]
    asked += [cv2.CAP_PROP_FPS, round(wanted.fps), cv2.CAP_PROP_BUFFERSIZE, 1]
    video = cv2.VideoCapture(str(device.resolve()), cv2.CAP_V4L2, asked)
    if not video.isOpened():
        why = "cannot be opened: held by another program, no right to it, or no camera"
        raise CameraError(wanted.source, why)
    return _Video(wanted.source, video, clock_ns)


# ---------------------------------------------------------------- films and folders
class _Paced:
    """Pictures that lie there, shown at their pace, over and over."""

    def __init__(
        self,
        source: str,
        pictures: Iterator[tuple[Picture, float]],
        clock_ns: Callable[[], int],
        sleep: Callable[[float], None],
    ) -> None:
        self._source = source
        self._pictures = pictures
        self._clock_ns = clock_ns
        self._sleep = sleep
        self._due_ns: int | None = None

    def read(self) -> Shot:
        found = next(self._pictures, None)
        if found is None:
            raise CameraError(self._source, "holds no picture that can be read")
        picture, lasts_s = found
        now_ns = self._clock_ns()
        due_ns = now_ns if self._due_ns is None else max(self._due_ns, now_ns)
        self._sleep((due_ns - now_ns) / 1e9)
        self._due_ns = due_ns + round(lasts_s * 1e9)
        return Shot(self._clock_ns(), picture)

    def close(self) -> None:
        """Nothing is held."""


def _films(source: str) -> Iterator[tuple[Picture, float]]:
    if not Path(source).is_file():
        raise CameraError(source, "is not there")
    return _film(source)


def _film(source: str) -> Iterator[tuple[Picture, float]]:
    """Yield the pictures of a film and how long each lasts, over and over; nothing of no film."""
    while True:
        film = cv2.VideoCapture(source, cv2.CAP_FFMPEG)
        lasts_s = 1 / (film.get(cv2.CAP_PROP_FPS) or FILM_FPS)
        is_there, picture = film.read()
        if not is_there:
            return
        while is_there:
            yield np.asarray(picture, np.uint8), lasts_s
            is_there, picture = film.read()


def _pictures(source: str) -> Iterator[tuple[Picture, float]]:
    """Yield the pictures of a folder in the order of their names, over and over."""
    files = sorted(file for file in Path(source).iterdir() if file.suffix.lower() in PICTURES)
    readable = [file for file in files if cv2.haveImageReader(str(file))]
    for file in cycle(readable):
        picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if picture is not None:
            yield np.asarray(picture, np.uint8), 1 / FILM_FPS


# ---------------------------------------------------------------- HTTP
def _open_http(source: str, clock_ns: Callable[[], int]) -> Source:
    """Open a network camera; one that sends no JPEGs in a row is left to OpenCV."""
    url = urlsplit(source)
    try:
        connection, answer = _ask(url)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise CameraError(source, f"cannot be opened: {_why(error)}") from error
    kind = answer.headers.get_content_type()
    if answer.status == http.client.OK and kind == "multipart/x-mixed-replace":
        return _Mjpeg(source, connection, answer, clock_ns)
    connection.close()
    # OpenCV knows digests, and what comes in other wrappings.
    if answer.status in (http.client.OK, http.client.UNAUTHORIZED):
        return open_video(source, clock_ns)
    raise CameraError(source, f"answers {answer.status} {answer.reason}")


def _ask(url: SplitResult) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    host, port = url.hostname or "", url.port
    if url.scheme == "https":
        # Cameras sign their own certificates, so there is nobody to vouch for them.
        trusting = ssl._create_unverified_context()  # noqa: S323, SLF001
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, port, timeout=OPEN_S, context=trusting
        )
    else:
        connection = http.client.HTTPConnection(host, port, timeout=OPEN_S)
    headers = {}
    if url.username is not None:
        pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    connection.request("GET", target, headers=headers)
    return connection, connection.getresponse()


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {OPEN_S:g} s"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class _Mjpeg:
    """A network camera that sends one JPEG after the other.

    Args:
        source: What it is called.
        connection: To it.
        answer: Its answer, whose head has been read.
        clock_ns: Stamps what arrives.
    """

    def __init__(
        self,
        source: str,
        connection: http.client.HTTPConnection,
        answer: http.client.HTTPResponse,
        clock_ns: Callable[[], int],
    ) -> None:
        self._source = source
        self._connection = connection
        self._answer = answer
        self._clock_ns = clock_ns
        if connection.sock is not None:
            connection.sock.settimeout(READ_S)

    def read(self) -> Shot:
        try:
            jpeg = self._jpeg()
        except TimeoutError as error:
            raise CameraError(self._source, f"gave no picture for {READ_S:g} s") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise CameraError(self._source, f"was cut off: {_why(error)}") from error
        return Shot(self._clock_ns(), jpeg)

    def close(self) -> None:
        self._answer.close()
        self._connection.close()

    def _jpeg(self) -> bytes:
        """Return the next part's picture."""
        size = self._head()
        if size is None:
            return self._until_boundary()
        if not 0 < size <= MOST_BYTES:
            raise ValueError(_TOO_LONG)
        jpeg = self._answer.read(size)
        if len(jpeg) < size:
            raise ConnectionError("it ended in the middle of a picture")
        return jpeg

    def _head(self) -> int | None:
        """Read a part's head; return the length that it tells, None where it tells none."""
        size: int | None = None
        is_in_head = False
        while True:
            line = self._answer.readline(1000)
            if not line:
                raise ConnectionError("it ended")
            if line.startswith(b"--"):
                is_in_head = True
            elif is_in_head and line.lower().startswith(b"content-length:"):
                size = int(line.split(b":", 1)[1])
            elif is_in_head and not line.strip():
                return size

    def _until_boundary(self) -> bytes:
        """Return a picture of no known length: what comes until a JPEG's end before a boundary."""
        jpeg = bytearray()
        while not (jpeg.endswith(b"\r\n") and b"\xff\xd9" in jpeg[-4:]):
            line = self._answer.readline(65536)
            if not line:
                raise ConnectionError("it ended in the middle of a picture")
            jpeg += line
            if len(jpeg) > MOST_BYTES:
                raise ValueError(_TOO_LONG)
        return bytes(jpeg)
