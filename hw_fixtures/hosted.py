"""One simulated reader, plugged in: device, faults and line put together."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import Struct

from engine.cards import Tag
from hw_fixtures.devices.catalogue import FAMILIES
from hw_fixtures.devices.device import Heard, Reply
from hw_fixtures.errors import UnknownReaderError
from hw_fixtures.faults import BANNER, OTHER_FAMILY, Faults, FaultSource
from hw_fixtures.loop import Act, Loop
from hw_fixtures.wire import Pacer, PortFolder, PtyPort
from hw_fixtures.world import Wiring, World, hear, neighbours

# How often a closed port is looked at, and how often a polling reader tells what it hears.
LOOK_NS = 20_000_000
POLL_NS = 100_000_000

# A command that is broken off for so long is given up; assumed, and hosts wait longer for answers.
PAUSE_MS = 200.0

MS = 1_000_000


class Written(Struct, frozen=True, kw_only=True):
    """The last byte of an answer with these tags was written to the client's port."""

    tags: tuple[Tag, ...]
    reader: str
    antenna: int
    at_ns: int
    """On CLOCK_MONOTONIC, which all processes of one machine share."""


class HostedReader:
    """A reader of any family on a pseudo-terminal.

    Args:
        wiring: Its name, family, identity, antennas and speed.
        loop: The loop that runs it.
        folder: Where the link to its port goes.
        look: Gives the world as it is now.
        tell: Is told of every answer that carried tags.
        speed: How many times faster than real time it lives.
    """

    def __init__(
        self,
        wiring: Wiring,
        *,
        loop: Loop,
        folder: PortFolder,
        look: Callable[[], World],
        tell: Callable[[Written], None],
        speed: float = 1.0,
    ) -> None:
        self.wiring = wiring
        self.link_name = f"usb-FTDI_FT232R_USB_UART_SIM{wiring.name}-if00-port0"
        self._loop, self._folder, self._look, self._tell = loop, folder, look, tell
        self._speed = speed
        self._source = FaultSource(Faults())
        self._family = FAMILIES[wiring.family]
        self.device = self._family.make(
            name=wiring.identity,
            antennas=len(wiring.antennas),
            baud=wiring.baud or self._family.baud,
            hear=self._hear,
        )
        self._port: PtyPort | None = None
        self._last_terminal = ""
        self._has_client = False
        self._life = 0
        """Counts its lives, restart by restart: what an earlier one had begun is never done."""
        self._deaf_until_ns = 0
        self._busy_until_ns = 0
        self._heard_ns = 0
        self._is_polling = False
        self.plug_in(self.link_name)

    @property
    def port(self) -> PtyPort:
        """The port that it is plugged into.

        Raises:
            UnknownReaderError: If it is unplugged.
        """
        if self._port is None:
            raise UnknownReaderError(self.wiring.name, "plugged in")
        return self._port

    @property
    def is_plugged_in(self) -> bool:
        """Say whether it has a port."""
        return self._port is not None

    def set_faults(self, faults: Faults) -> None:
        """Let things go wrong at these rates from now on, drawn from the seed anew."""
        self._source = FaultSource(faults)

    def plug_in(self, link_name: str) -> Path:
        """Give it a port, never the one that it had, under a name; return the path."""
        port = PtyPort()
        if port.terminal == self._last_terminal:
            port, occupied = PtyPort(), port
            occupied.close()
        self._port = port
        self._last_terminal = port.terminal
        self.link_name = link_name
        self._start_anew()
        self._heed_polling()
        self._await_client(port)
        return self._folder.link(link_name, port.terminal)

    def unplug(self) -> None:
        """Pull it out: the client's next call fails, the name is gone."""
        port = self.port
        self._start_anew()
        self._folder.unlink(self.link_name)
        self._leave_client()
        port.close()
        self._port = None

    def restart(self) -> None:
        """Let it restart as after a power cut: silent for a second, then as new."""
        self._start_anew()
        self._deaf_until_ns = self._after(self.device.timing.restart_ms)
        self._babble()
        self._at(self._deaf_until_ns, self._greet)

    def on_readable(self) -> None:
        """Take what the client sent; what it sends crosses the line at the line's speed."""
        port = self.port
        data = port.read()
        if data is None:
            self._leave_client()
            self._await_client(port)
            return
        if not self._is_in_tune():
            data = self._source.garble(data)
        arrived_ns = self._inbound.admit(len(data), self._loop.now_ns())
        self._at(arrived_ns, partial(self._receive, data))

    def _start_anew(self) -> None:
        self._life += 1
        self.device.restart()
        self._tune()
        self._busy_until_ns = 0
        self._is_polling = False

    def _tune(self) -> None:
        """Set both directions to the speed that the device speaks at."""
        self._baud = self.device.baud
        self._inbound, self._outbound = (
            Pacer(self._baud, speed=self._speed, bits=self._family.bits) for _ in range(2)
        )

    def _greet(self) -> None:
        for reply in self.device.greet():
            self._answer(reply)
        self._heed_polling()

    def _await_client(self, port: PtyPort) -> None:
        if self._port is not port:
            return
        if not port.has_client():
            self._loop.at(self._loop.now_ns() + LOOK_NS, partial(self._await_client, port))
            return
        self._has_client = True
        self._loop.watch(port.fd, self.on_readable)
        boot_ns = self._after(self._source.faults.boot_ms)
        self._deaf_until_ns = max(self._deaf_until_ns, boot_ns)
        self._babble()
        if self._source.faults.boot_ms:
            self._at(boot_ns, self._greet)

    def _leave_client(self) -> None:
        if self._has_client:
            self._has_client = False
            self._loop.unwatch(self.port.fd)

    def _babble(self) -> None:
        if self._source.faults.banner:
            self._write_paced(BANNER, self._deaf_until_ns)

    def _receive(self, data: bytes) -> None:
        now_ns = self._loop.now_ns()
        if now_ns < self._deaf_until_ns:
            return
        if self._source.happens(self._source.faults.echo):
            self._write_paced(data, now_ns)
        if now_ns - self._heard_ns > PAUSE_MS * MS / self._speed:
            self.device.pause()
        self._heard_ns = now_ns
        for reply in self.device.receive_data(data):
            self._answer(reply)
        if self.device.baud != self._baud:
            self._tune()
        self._heed_polling()

    def _heed_polling(self) -> None:
        """Begin to ask for notices where the device has begun to poll."""
        if self.device.is_polling and not self._is_polling:
            self._is_polling = True
            self._tell_tags()

    def _answer(self, reply: Reply) -> None:
        source = self._source
        work_ns = round((reply.work_ms + source.lateness_ms()) * MS / self._speed)
        start_ns = max(self._loop.now_ns(), self._busy_until_ns) + work_ns
        self._busy_until_ns = start_ns
        data, restarts = reply.data, reply.restarts
        if reply.is_inventory and source.happens(source.faults.brown_out):
            data, restarts = source.cut(data), True
        if source.happens(source.faults.other_family):
            data = OTHER_FAMILY + data
        written_ns = self._write_paced(source.spoil(data), start_ns)
        if restarts:
            self._at(written_ns, self.restart)
        elif reply.tags:
            self._at(written_ns, partial(self._report, reply.tags, reply.antenna))

    def _report(self, tags: tuple[Tag, ...], antenna: int) -> None:
        at_ns = self._loop.now_ns()
        self._tell(Written(tags=tags, reader=self.wiring.name, antenna=antenna, at_ns=at_ns))

    def _tell_tags(self) -> None:
        for reply in self.device.notices():
            self._answer(reply)
        self._is_polling = self.device.is_polling
        if self._is_polling:
            self._at(self._loop.now_ns() + round(POLL_NS / self._speed), self._tell_tags)

    def _hear(self, number: int) -> Heard:
        world = self._look()
        own = hear(world, self.wiring.antennas[number - 1])
        beside = [tag for near in neighbours(self.wiring, number) for tag in hear(world, near)]
        return self._source.collide(self._source.hear(own, beside, self.device.kind))

    def _is_in_tune(self) -> bool:
        return self.port.client_baud() in (self._baud, self.device.offered_baud)

    def _write_paced(self, data: bytes, start_ns: int) -> int:
        """Write bytes from a moment on as the wire carries them; return when the last is out."""
        due_ns = start_ns
        for due_ns, piece in self._outbound.slices(data, start_ns):
            self._at(due_ns, partial(self._write, piece))
        return due_ns

    def _write(self, piece: bytes) -> None:
        if self._has_client:
            self.port.write(piece if self._is_in_tune() else self._source.garble(piece))

    def _after(self, wait_ms: float) -> int:
        return self._loop.now_ns() + round(wait_ms * MS / self._speed)

    def _at(self, due_ns: int, act: Act) -> None:
        life = self._life

        def act_if_alive() -> None:
            if self._life == life:
                act()

        self._loop.at(due_ns, act_if_alive)
