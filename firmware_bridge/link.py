"""The port: opened, watched, and opened again when it is lost. Only here pyserial is used.

Bytes are read by the event loop straight from the file descriptor, so that one that arrives is
seen at once; nothing here waits in the loop, and nothing blocks it.
"""

import asyncio
import contextlib
import fcntl
import os
import random
import struct
import termios
from typing import Protocol

import serial
from msgspec import Struct

from firmware_bridge.errors import LinkBusyError, LinkError, LinkLostError
from firmware_bridge.ports import find_ports, is_path, locate

READ_BYTES = 4096

MOST_UNSENT_BYTES = 4096

STUCK_WRITE_S = 1.5
"""A port that takes no byte for so long is lost. Source: rfid/bugs row 15: within 2 s."""

# Major numbers of the client ends of pseudo-terminals: Linux, Documentation/admin-guide/devices.
_PSEUDO_TERMINALS = range(136, 144)


# struct serial_icounter_struct of linux/serial.h: cts, dsr, rng, dcd, rx, tx, frame, overrun,
# parity, brk, buf_overrun and nine reserved integers, for the call TIOCGICOUNT.
_TIOCGICOUNT = 0x545D
_COUNTERS = struct.Struct("20i")
_FRAMING, _OVERRUN, _PARITY, _BUFFER_OVERRUN = 6, 7, 8, 10


class PortSettings(Struct, frozen=True, kw_only=True):
    """How a port is opened."""

    path: str
    """As in ``ReaderSpec.port``."""
    baud: int
    parity: str = "N"
    reset_on_open: bool = False
    """False keeps the modem lines still when it is closed, so that opening boots no device."""


class Backoff:
    """How long to wait before the next try: 0.25 s, twice as long each time, 5 s at most.

    Up to a quarter is taken off by chance, so that readers which were lost together do not all
    try at the same moment.
    """

    def __init__(self, rng: random.Random, *, first_s: float = 0.25, most_s: float = 5.0) -> None:
        self._rng = rng
        self._first_s = self._next_s = first_s
        self._most_s = most_s

    def next_s(self) -> float:
        """Return the next wait, in seconds."""
        wait_s = self._next_s * self._rng.uniform(0.75, 1.0)
        self._next_s = min(2 * self._next_s, self._most_s)
        return wait_s

    def reset(self) -> None:
        """Begin anew with the shortest wait."""
        self._next_s = self._first_s


class LinkUser(Protocol):
    """Who is told what happens to a link."""

    def link_opened(self) -> None:
        """Take it that the port is open and bytes may be written."""

    def link_lost(self, why: str) -> None:
        """Take it that the port is gone, told once; or that another try to open it failed."""

    def bytes_received(self, data: bytes) -> None:
        """Take bytes."""


class Link:
    """Owns one port for as long as it is run."""

    def __init__(self, settings: PortSettings, user: LinkUser, backoff: Backoff) -> None:
        self._settings = settings
        self._user = user
        self._backoff = backoff
        self._port: _Port | None = None
        self._lost = asyncio.Event()
        self._closing = asyncio.Event()
        self._unsent = b""
        self._stuck: asyncio.TimerHandle | None = None
        self._is_running = False
        self._overruns = 0

    @property
    def overruns(self) -> int:
        """Bytes that the system lost or found garbled, since the start; 0 where it cannot say."""
        return self._overruns + (self._port.overruns() if self._port is not None else 0)

    async def run(self) -> None:
        """Open the port, and open it again whenever it is lost, until the link is closed.

        Raises:
            LinkBusyError: If the link runs already.
        """
        if self._is_running:
            raise LinkBusyError(self._settings.path)
        self._is_running = True
        try:
            while not self._closing.is_set():
                await self._live_once()
                await self._pause()
        finally:
            self._release()
            self._is_running = False

    def write(self, data: bytes) -> None:
        """Send bytes: what the port takes at once, the rest when it takes more.

        Raises:
            LinkLostError: If the port is not open.
        """
        if self._port is None:
            raise LinkLostError(self._settings.path)
        self._unsent += data
        if self._stuck is None:
            self._send()
        elif len(self._unsent) > MOST_UNSENT_BYTES:
            self.drop("the port takes no bytes")

    def drop(self, why: str) -> None:
        """Close the port at once and tell so; do nothing where none is open."""
        if self._port is not None:
            self._release()
            self._user.link_lost(why)

    def praise(self) -> None:
        """Note that the device at the port works: when it is lost it is sought again at once."""
        self._backoff.reset()

    async def close(self) -> None:
        """Close the port for good; at any time, and twice if need be. Nobody is told."""
        self._closing.set()
        self._release()

    def _release(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            self._overruns += port.overruns()
            self._stop_waiting(port)
            self._unsent = b""
            asyncio.get_running_loop().remove_reader(port.fd)
            port.close()
            self._lost.set()

    async def _live_once(self) -> None:
        opening = asyncio.ensure_future(asyncio.to_thread(open_port, self._settings))
        try:
            self._port = await asyncio.shield(opening)
        except LinkError as error:
            self._user.link_lost(error.reason)
            return
        except asyncio.CancelledError:
            opening.add_done_callback(_close_late)
            raise
        self._lost.clear()
        asyncio.get_running_loop().add_reader(self._port.fd, self._receive)
        if self._closing.is_set():
            return
        self._user.link_opened()
        await self._lost.wait()

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), self._backoff.next_s())

    def _receive(self) -> None:
        if self._port is None:
            return
        try:
            data = os.read(self._port.fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self.drop(_reason(error))
            return
        if data:
            self._user.bytes_received(data)
        else:
            self.drop("the port hung up")

    def _send(self) -> None:
        port = self._port
        if port is None:
            return
        try:
            sent = os.write(port.fd, self._unsent)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self.drop(_reason(error))
            return
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._stop_waiting(port)
        elif sent or self._stuck is None:
            self._wait_for_room(port)

    def _wait_for_room(self, port: "_Port") -> None:
        self._stop_waiting(port)
        loop = asyncio.get_running_loop()
        loop.add_writer(port.fd, self._send)
        self._stuck = loop.call_later(STUCK_WRITE_S, self.drop, "the port takes no bytes")

    def _stop_waiting(self, port: "_Port") -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None
            asyncio.get_running_loop().remove_writer(port.fd)


class _Port:
    """An open port."""

    def __init__(self, port: serial.Serial) -> None:
        self._port = port
        self.fd: int = port.fileno()
        self._overruns_before = count_overruns(self.fd)

    def overruns(self) -> int:
        """Return how many bytes were lost or garbled since the port was opened."""
        return max(0, count_overruns(self.fd) - self._overruns_before)

    def close(self) -> None:
        """Close the port; what it still holds is thrown away, so that closing waits for nothing."""
        with contextlib.suppress(OSError, termios.error):
            termios.tcflush(self.fd, termios.TCOFLUSH)
        with contextlib.suppress(OSError, TypeError):
            self._port.close()


def open_port(settings: PortSettings) -> _Port:
    """Open a port for us alone; blocks for as long as the driver takes.

    Raises:
        LinkError: If it cannot be opened, whichever of pyserial's many ways it fails in.
    """
    path = settings.path if is_path(settings.path) else locate(settings.path, find_ports())
    if path is None:
        raise LinkError(settings.path, "no such adapter is plugged in, or more than one")
    try:
        port = _open(path, settings)
    except (OSError, termios.error, TypeError, ValueError) as error:
        raise LinkError(settings.path, _reason(error)) from error
    # Ports without the flag are as fast as they get: a pseudo-terminal raises ValueError.
    with contextlib.suppress(OSError, ValueError):
        port.set_low_latency_mode(True)
    return _Port(port)


def _open(path: str, settings: PortSettings) -> serial.Serial:
    port = serial.Serial()
    port.port = path
    port.baudrate = settings.baud
    port.parity = settings.parity
    port.exclusive = True
    port.open()
    try:
        if os.major(os.fstat(port.fileno()).st_rdev) not in _PSEUDO_TERMINALS:
            forbid_others(port.fileno())
        if not settings.reset_on_open:
            _hold_lines(port.fileno())
    except (OSError, termios.error):
        port.close()
        raise
    return port


def forbid_others(fd: int) -> None:
    """Refuse every later opening of a terminal; the lock of ``exclusive`` binds only who asks.

    Not for pseudo-terminals: theirs outlives the file descriptor (measured on Linux 6), so that
    a controller that was killed could not open its simulated readers again.
    """
    fcntl.ioctl(fd, termios.TIOCEXCL)


def _hold_lines(fd: int) -> None:
    """Keep DTR and RTS raised when the port is closed: the next opening gives no edge."""
    attributes = termios.tcgetattr(fd)
    attributes[2] &= ~termios.HUPCL
    termios.tcsetattr(fd, termios.TCSANOW, attributes)


def count_overruns(fd: int) -> int:
    """Return how many bytes a driver has lost or found garbled; 0 where it does not count.

    A pseudo-terminal counts nothing, nor do some adapters.
    """
    try:
        answer = fcntl.ioctl(fd, _TIOCGICOUNT, bytes(_COUNTERS.size))
    except OSError:
        return 0
    return read_counters(answer)


def read_counters(answer: bytes) -> int:
    """Return the bytes that overran hardware or driver, or came with a wrong frame or parity."""
    counters = _COUNTERS.unpack(answer)
    return sum(counters[each] for each in (_FRAMING, _OVERRUN, _PARITY, _BUFFER_OVERRUN))


def _reason(error: BaseException) -> str:
    """Return what the system says, without the path and the number that pyserial adds."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if isinstance(number, int) else str(error)


def _close_late(opening: "asyncio.Future[_Port]") -> None:
    """Close a port whose opening ended after nobody waited for it any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
