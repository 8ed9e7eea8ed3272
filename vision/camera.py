"""A camera that is watched: opened, read, sought again when it is lost; its newest picture waits.

Reading blocks, so it has a thread of its own. Whoever looks at the pictures takes the newest one;
those that came meanwhile are gone, so that nobody ever sees an old table.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from msgspec import Struct

from vision.errors import CameraError
from vision.seen import Picture
from vision.sources import Shot, Source, Wanted, kind_of, open_source

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 8.0
"""How long a lost camera is left alone before it is sought again: twice as long each time.

Chosen: a plug that was pulled and put back is found within a second, a camera that is gone costs
nothing.
"""

_SETTLED = 10
"""The pictures after which a camera has found its exposure. Source: ten of the 30 frames a second
of a webcam are the third of a second that its first pictures are dark; assumed."""


class Lost(Struct, frozen=True):
    """A camera gives no pictures any more."""

    at_ns: int
    reason: str


News = Shot | Lost


class Newest:
    """Holds the newest picture, and that the camera was lost until that has been taken."""

    def __init__(self) -> None:
        self._news: deque[News] = deque()
        self._has_news = threading.Condition()
        self.dropped = 0
        """Pictures that a newer one replaced before anybody took them."""

    def put(self, news: News) -> None:
        """Store a picture or a loss; a picture that nobody took makes room."""
        with self._has_news:
            if self._news and isinstance(self._news[-1], Shot):
                self._news.pop()
                self.dropped += 1
            if not (self._news and isinstance(news, Lost)):
                self._news.append(news)
            self._has_news.notify()

    def take(self, wait_s: float) -> News | None:
        """Take what is there, or wait for it; None where nothing came."""
        with self._has_news:
            self._has_news.wait_for(lambda: self._news, wait_s)
            return self._news.popleft() if self._news else None


def film(
    wanted: Wanted,
    newest: Newest,
    *,
    clock_ns: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Read a camera for ever, and seek it again whenever it is lost.

    Args:
        wanted: The camera.
        newest: Takes its pictures.
        clock_ns: Stamps them.
        sleep: Waits.
        is_over: Asked after each picture and each try whether that is enough.
    """
    wait_s = FIRST_WAIT_S
    while not is_over():
        try:
            source = open_source(wanted, clock_ns=clock_ns, sleep=sleep)
        except CameraError as error:
            newest.put(Lost(clock_ns(), error.why))
        else:
            if _read(source, newest, clock_ns, is_over):
                wait_s = FIRST_WAIT_S
        if not is_over():
            sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)


def _read(
    source: Source, newest: Newest, clock_ns: Callable[[], int], is_over: Callable[[], bool]
) -> bool:
    """Read until the source is lost; say whether it gave anything."""
    has_given = False
    try:
        while not is_over():
            newest.put(source.read())
            has_given = True
    except CameraError as error:
        newest.put(Lost(clock_ns(), error.why))
    finally:
        source.close()
    return has_given


def grab_one(wanted: Wanted) -> Picture:
    """Return one good picture of a source; a live camera is given time to find its exposure.

    Raises:
        CameraError: If there is none.
    """
    source = open_source(wanted)
    is_live = kind_of(wanted.source) in ("usb", "mjpeg", "stream")
    try:
        for _ in range(_SETTLED if is_live else 0):
            source.read()
        picture = source.read().picture()
    finally:
        source.close()
    if picture is None:
        raise CameraError(wanted.source, "gave a picture that cannot be decoded")
    return picture
