"""The port, tried on pseudo-terminals; time-outs here only end a test that has failed."""

import array
import asyncio
import fcntl
import logging
import os
import random
import struct
import termios
import tty
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from firmware_bridge.errors import LinkBusyError, LinkError, LinkLostError
from firmware_bridge.link import (
    Backoff,
    Link,
    PortSettings,
    count_overruns,
    forbid_others,
    open_port,
    read_counters,
)

PATIENCE_S = 5.0

HUNG_UP = {"lost: the port hung up", "lost: Input/output error"}
"""What an unplugged pseudo-terminal gives: which of them is the kernel's choice."""

_TIOCGEXCL = 0x80045440  # asm-generic/ioctls.h: _IOR('T', 0x40, int)


class Terminal:
    """The device's end of a pseudo-terminal, under a name of its own."""

    def __init__(self, link: Path) -> None:
        self.master, client = os.openpty()
        tty.setraw(client)
        self.name = os.ttyname(client)
        os.close(client)
        link.unlink(missing_ok=True)
        link.symlink_to(self.name)
        self._link = link

    def unplug(self) -> None:
        os.close(self.master)

    def vanish(self) -> None:
        """Unplug it, its name with it."""
        self._link.unlink()
        self.unplug()


class Log:
    """A user of a link who keeps what he is told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.data = b""
        self.news = asyncio.Event()

    def link_opened(self) -> None:
        self._note("opened")

    def link_lost(self, why: str) -> None:
        self._note(f"lost: {why}")

    def bytes_received(self, data: bytes) -> None:
        self.data += data
        self.news.set()

    def _note(self, what: str) -> None:
        self.told.append(what)
        self.news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                self.news.clear()
                await self.news.wait()


def make_link(path: Path, log: Log, *, reset_on_open: bool = False) -> Link:
    settings = PortSettings(path=str(path), baud=115200, reset_on_open=reset_on_open)
    return Link(settings, log, Backoff(random.Random(1), first_s=0.005, most_s=0.02))


def play(
    path: Path, play_it: Callable[[Link, Log], Awaitable[None]], *, reset_on_open: bool = False
) -> Log:
    """Run a link and what happens to it; return what its user was told."""

    async def whole() -> Log:
        log = Log()
        link = make_link(path, log, reset_on_open=reset_on_open)
        running = asyncio.create_task(link.run())
        await play_it(link, log)
        await link.close()
        async with asyncio.timeout(PATIENCE_S):
            await running
        return log

    return asyncio.run(whole())


def count_open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def port(tmp_path: Path) -> Path:
    return tmp_path / "usb-reader-A"


def test_all_256_values_pass_both_ways(port: Path) -> None:
    device = Terminal(port)
    every = bytes(range(256))

    async def both_ways(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        link.write(every)
        assert os.read(device.master, 4096) == every
        os.write(device.master, every)
        await log.until(lambda: len(log.data) == 256)

    assert play(port, both_ways).data == every
    device.unplug()


def test_bugs_6_10_and_32_an_unplugged_adapter_is_lost_once_and_a_missing_port_is_tried_on(
    port: Path,
) -> None:
    device = Terminal(port)

    async def unplugged(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        device.vanish()
        await log.until(lambda: len(log.told) >= 4)

    opened, lost, *tries = play(port, unplugged).told
    assert opened == "opened"
    assert lost in HUNG_UP
    assert tries[:2] == ["lost: No such file or directory"] * 2


def test_bugs_10_and_11_a_port_that_comes_back_under_another_number_is_opened_again(
    port: Path,
) -> None:
    first = Terminal(port)
    devices = [first]

    async def replugged(link: Link, log: Log) -> None:
        for count in range(1, 21):
            await log.until(lambda count=count: log.told.count("opened") == count)  # type: ignore[misc]
            devices.append(Terminal(port))
            devices[-2].unplug()
        await log.until(lambda: log.told.count("opened") == 21)

    before = count_open_files()
    told = play(port, replugged).told
    assert sum(line in HUNG_UP for line in told) == 20
    assert count_open_files() == before
    devices[-1].unplug()


def test_bugs_36_a_write_to_a_lost_link_raises(port: Path) -> None:
    async def write() -> None:
        with pytest.raises(LinkLostError, match="is not open"):
            make_link(port, Log()).write(b"x")

    asyncio.run(write())


def test_a_write_after_a_hang_up_that_nobody_told_yet_loses_the_link_once(port: Path) -> None:
    device = Terminal(port)

    async def write_on(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        device.vanish()
        link.write(b"x")
        await log.until(lambda: len(log.told) >= 3)

    told = play(port, write_on).told
    assert sum(line in HUNG_UP for line in told) == 1


def test_bugs_15_and_16_a_stuck_write_loses_the_link_within_two_seconds(port: Path) -> None:
    device = Terminal(port)

    async def stuck(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        while link._stuck is None:
            link.write(bytes(1_000))
        started = asyncio.get_running_loop().time()
        await log.until(lambda: len(log.told) == 2)
        assert asyncio.get_running_loop().time() - started < 2.0

    assert play(port, stuck).told[1] == "lost: the port takes no bytes"
    device.unplug()


def test_bugs_15_what_a_port_does_not_take_is_bounded(port: Path) -> None:
    device = Terminal(port)

    async def flooded(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        for _ in range(100):
            if len(log.told) == 1:
                link.write(bytes(1_000))

    assert play(port, flooded).told[1] == "lost: the port takes no bytes"
    device.unplug()


def test_a_slow_port_gets_every_byte(port: Path) -> None:
    device = Terminal(port)
    os.set_blocking(device.master, False)
    sent = bytes(range(256)) * 40
    got = bytearray()

    async def slow(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        for at in range(0, len(sent), 1_024):
            link.write(sent[at : at + 1_024])
        all_here = asyncio.Event()

        def read() -> None:
            got.extend(os.read(device.master, 100))
            if len(got) == len(sent):
                all_here.set()

        asyncio.get_running_loop().add_reader(device.master, read)
        async with asyncio.timeout(PATIENCE_S):
            await all_here.wait()
        asyncio.get_running_loop().remove_reader(device.master)

    assert play(port, slow).told[:1] == ["opened"]
    assert got == sent
    device.unplug()


def test_bugs_5_a_port_that_somebody_holds_is_refused_and_tried_again(port: Path) -> None:
    device = Terminal(port)
    holder = open_port(PortSettings(path=device.name, baud=115200))

    async def wait(link: Link, log: Log) -> None:
        await log.until(lambda: bool(log.told))
        assert log.told[0] == "lost: Resource temporarily unavailable"
        holder.close()
        await log.until(lambda: "opened" in log.told)

    play(port, wait)
    device.unplug()


def test_bugs_5_a_claimed_terminal_is_marked_exclusive(port: Path) -> None:
    device = Terminal(port)
    client = os.open(device.name, os.O_RDWR | os.O_NOCTTY)
    forbid_others(client)
    mark = array.array("i", [0])
    fcntl.ioctl(client, _TIOCGEXCL, mark)
    assert mark[0] == 1
    os.close(client)
    device.unplug()


@pytest.mark.parametrize("reset_on_open", [True, False])
def test_bugs_1_modem_lines_fall_at_close_only_where_the_table_file_wants_a_reset(
    port: Path, *, reset_on_open: bool
) -> None:
    device = Terminal(port)
    marks: list[bool] = []

    async def look(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        marks.append(bool(termios.tcgetattr(device.master)[2] & termios.HUPCL))

    attributes = termios.tcgetattr(device.master)
    attributes[2] |= termios.HUPCL
    termios.tcsetattr(device.master, termios.TCSANOW, attributes)
    play(port, look, reset_on_open=reset_on_open)
    assert marks == [reset_on_open]
    device.unplug()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/dev/null", "Inappropriate ioctl for device"),
        ("/nowhere", "No such file or directory"),
        ("usb:1234:5678", "no such adapter is plugged in, or more than one"),
    ],
)
def test_bugs_10_whatever_pyserial_raises_is_one_error(path: str, reason: str) -> None:
    with pytest.raises(LinkError) as caught:
        open_port(PortSettings(path=path, baud=115200))
    assert reason in caught.value.reason


def test_bugs_10_a_speed_that_the_driver_refuses_is_one_error(port: Path) -> None:
    device = Terminal(port)
    with pytest.raises(LinkError):
        open_port(PortSettings(path=str(port), baud=-1))
    device.unplug()


def test_bugs_14_a_port_without_low_latency_mode_is_opened(port: Path) -> None:
    device = Terminal(port)
    opened = open_port(PortSettings(path=str(port), baud=115200))
    opened.close()
    opened.close()
    device.unplug()


def test_bugs_17_what_the_driver_lost_or_found_garbled_is_counted() -> None:
    lines_and_bytes, breaks, reserved = (1, 2, 4, 8, 16, 32), 64, [7] * 9
    frame, overrun, parity, buffer = 100, 2_000, 30_000, 400_000
    order = (*lines_and_bytes, frame, overrun, parity, breaks, buffer, *reserved)
    counters = struct.pack("20i", *order)
    assert read_counters(counters) == 432_100


def test_bugs_17_a_port_that_does_not_count_has_lost_nothing(port: Path) -> None:
    device = Terminal(port)
    client = os.open(device.name, os.O_RDWR | os.O_NOCTTY)
    assert count_overruns(client) == 0
    os.close(client)

    async def look(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        assert link.overruns == 0

    play(port, look)
    device.unplug()


def test_bugs_33_a_link_is_run_by_one_task(port: Path) -> None:
    device = Terminal(port)

    async def twice(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        with pytest.raises(LinkBusyError, match="one link has one reader"):
            await link.run()

    assert play(port, twice).told == ["opened"]
    device.unplug()


def test_bugs_11_and_34_closing_twice_is_closing_once_and_no_loss(port: Path) -> None:
    device = Terminal(port)

    async def close(link: Link, log: Log) -> None:
        await log.until(lambda: "opened" in log.told)
        await link.close()
        await link.close()

    assert play(port, close).told == ["opened"]
    device.unplug()


def test_a_link_that_is_cancelled_while_it_opens_leaves_no_port_open(port: Path) -> None:
    device = Terminal(port)

    async def cancelled() -> None:
        running = asyncio.create_task(make_link(port, Log()).run())
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        log = Log()
        link = make_link(port, log)
        running = asyncio.create_task(link.run())
        await log.until(lambda: "opened" in log.told)
        await link.close()
        await running

    asyncio.run(cancelled())
    device.unplug()


def test_a_link_that_is_closed_while_it_opens_leaves_no_port_open(port: Path) -> None:
    device = Terminal(port)

    async def close_early(link: Link, log: Log) -> None:
        await asyncio.sleep(0)
        await link.close()

    before = count_open_files()
    assert play(port, close_early).told == []
    assert count_open_files() == before
    device.unplug()


def test_bugs_35_nothing_blocks_the_loop(port: Path, caplog: pytest.LogCaptureFixture) -> None:
    device = Terminal(port)

    async def busy(link: Link, log: Log) -> None:
        loop = asyncio.get_running_loop()
        loop.set_debug(True)
        loop.slow_callback_duration = 0.25  # the 50 ms of the survey, and room for a busy machine
        await log.until(lambda: "opened" in log.told)
        for _ in range(20):
            link.write(bytes(1_000))
            os.read(device.master, 4_096)
            os.write(device.master, bytes(1_000))
        await log.until(lambda: len(log.data) == 20_000)

    with caplog.at_level(logging.WARNING, logger="asyncio"):
        play(port, busy)
    assert caplog.messages == []
    device.unplug()


def test_bugs_11_the_waits_grow_to_five_seconds_and_begin_anew_when_a_device_worked() -> None:
    backoff = Backoff(random.Random(1))
    waits = [backoff.next_s() for _ in range(8)]
    for wait, most in zip(waits, [0.25, 0.5, 1, 2, 4, 5, 5, 5], strict=True):
        assert 0.75 * most <= wait <= most
    backoff.reset()
    assert backoff.next_s() <= 0.25
