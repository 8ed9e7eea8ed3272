"""Pictures served over HTTP as a network camera serves them: one JPEG after the other (MJPEG)."""

import contextlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

_BOUNDARY = "picture"

# A viewer that takes nothing for so long is let go.
_PATIENCE_S = 10.0


class PictureServer:
    """Serves the newest picture to whoever connects; a viewer that is slow misses some.

    Args:
        host: Where it listens.
        port: At which port; 0 takes a free one.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self._news = threading.Condition()
        self._picture = b""
        self._number = 0
        self._viewers: set[socket.socket] = set()
        self._server = self._listen(host, port)
        self._address = (host, self._server.server_address[1])

    @property
    def url(self) -> str:
        """Where the pictures are."""
        return "http://{}:{}/table.mjpg".format(*self._address)

    @property
    def viewers(self) -> int:
        """How many are connected."""
        with self._news:
            return len(self._viewers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        self.unplug()

    def show(self, picture: bytes) -> None:
        """Send a JPEG to everyone."""
        with self._news:
            self._picture = picture
            self._number += 1
            self._news.notify_all()

    def unplug(self) -> None:
        """Cut all connections and listen no more."""
        self._server.shutdown()
        self._server.server_close()
        with self._news:
            viewers, self._viewers = self._viewers, set()
            self._news.notify_all()
        for viewer in viewers:
            with contextlib.suppress(OSError):
                viewer.shutdown(socket.SHUT_RDWR)

    def replug(self) -> None:
        """Listen again, where it was."""
        self._server = self._listen(*self._address)

    def next_picture(self, after: int, viewer: socket.socket) -> tuple[int, bytes] | None:
        """Wait for a picture that is newer than one; None where the viewer was cut off."""
        with self._news:
            self._news.wait_for(lambda: self._number > after or viewer not in self._viewers)
            return (self._number, self._picture) if viewer in self._viewers else None

    def welcome(self, viewer: socket.socket) -> int:
        """Take a viewer in; return the number of the picture that it comes too late for."""
        with self._news:
            self._viewers.add(viewer)
            return self._number

    def dismiss(self, viewer: socket.socket) -> None:
        """Let a viewer go."""
        with self._news:
            self._viewers.discard(viewer)

    def _listen(self, host: str, port: int) -> ThreadingHTTPServer:
        pictures = self

        class Viewer(_Viewer):
            source = pictures

        server = _Server((host, port), Viewer)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return server


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a viewer that went away."""


class _Viewer(BaseHTTPRequestHandler):
    source: PictureServer
    timeout = _PATIENCE_S

    def do_GET(self) -> None:
        """Send picture after picture until one side has enough."""
        self.send_response(200)
        self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        viewer = self.connection
        number = self.source.welcome(viewer)
        try:
            while (news := self.source.next_picture(number, viewer)) is not None:
                number, picture = news
                head = f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: "
                self.wfile.write(f"{head}{len(picture)}\r\n\r\n".encode() + picture + b"\r\n")
        finally:
            self.source.dismiss(viewer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Keep still."""
