"""A serial line on a pseudo-terminal: raw, as slow as its baud rate, in a private folder.

A pseudo-terminal by itself does not pace, does not garble at a wrong speed and gives its number
to the next who asks; a client could tell it from an adapter. So the line is raw before its path
is published, bytes leave when a wire would have carried them, the client's speed is looked at,
and the path is a link, named like those under ``/dev/serial/by-id``, that goes when the port does.
"""

import errno
import fcntl
import os
import select
import shutil
import struct
import tempfile
import tty
from pathlib import Path

# Bits on the wire for each byte: start, 8 data, stop (8N1); parity is one more.
BITS = 10

# A USB adapter hands over what came in a frame of USB full speed.
SLICE_NS = 1_000_000

# _IOR('T', 0x2A, struct termios2): asm-generic/ioctls.h. Unlike tcgetattr it tells any speed.
_TCGETS2 = 0x802C542A
_TERMIOS2 = struct.Struct("=4I20B2I")


class Pacer:
    """One direction of a line: says when bytes that are sent now have crossed it.

    Args:
        baud: Bits per second.
        speed: How many times faster than real time the line runs.
        bits: Bits on the wire for each byte.
    """

    def __init__(self, baud: int, *, speed: float = 1.0, bits: int = BITS) -> None:
        self._byte_ns = bits * 1_000_000_000 / (baud * speed)
        self._slice = max(1, int(SLICE_NS / speed / self._byte_ns))
        self._free_ns = 0

    def admit(self, length: int, now_ns: int) -> int:
        """Return when the last of ``length`` bytes that are sent now has crossed the line."""
        self._free_ns = max(self._free_ns, now_ns) + round(length * self._byte_ns)
        return self._free_ns

    def slices(self, data: bytes, now_ns: int) -> list[tuple[int, bytes]]:
        """Return the pieces in which bytes that are sent now arrive, and when."""
        pieces = [data[at : at + self._slice] for at in range(0, len(data), self._slice)]
        return [(self.admit(len(piece), now_ns), piece) for piece in pieces]


class PortFolder:
    """A folder of one's own, for links to ports; gone with all its links when it is closed."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="misdeal-ports-"))

    def link(self, name: str, target: str) -> Path:
        """Point a name to a terminal, replacing what it pointed to."""
        path = self.path / name
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        return path

    def unlink(self, name: str) -> None:
        """Take a name away."""
        (self.path / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folder; do nothing where it is gone."""
        shutil.rmtree(self.path, ignore_errors=True)


class PtyPort:
    """The device's end of a pseudo-terminal; nobody but the client holds the other end open."""

    def __init__(self) -> None:
        self.fd, client_end = os.openpty()
        tty.setraw(client_end)
        self.terminal = os.ttyname(client_end)
        os.close(client_end)
        os.set_blocking(self.fd, False)
        self.dropped = 0
        """Bytes that the client left unread so long that no buffer held them."""

    def has_client(self) -> bool:
        """Say whether somebody has the port open."""
        poll = select.poll()
        poll.register(self.fd, 0)
        return not any(happened & select.POLLHUP for _, happened in poll.poll(0))

    def client_baud(self) -> int:
        """Return the speed that the client set, in bits per second."""
        buffer = bytearray(_TERMIOS2.size)
        fcntl.ioctl(self.fd, _TCGETS2, buffer)
        return int(_TERMIOS2.unpack(buffer)[-1])

    def read(self) -> bytes | None:
        """Return what the client sent, empty where nothing came, None where it hung up."""
        try:
            return os.read(self.fd, 4096)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno == errno.EIO:
                return None
            raise

    def write(self, data: bytes) -> None:
        """Send bytes; those that find no room, or nobody at the other end, are lost."""
        try:
            sent = os.write(self.fd, data)
        except BlockingIOError:
            sent = 0
        self.dropped += len(data) - sent

    def close(self) -> None:
        """Pull the plug: the client's next call fails."""
        os.close(self.fd)
