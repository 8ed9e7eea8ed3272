"""The whole bridge over pseudo-terminals; time-outs here only end a test that has failed."""

import asyncio
import logging
import os
import random
import time
import tty
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from engine.cards import BOARD, BURN, MUCK, SHOE, Card, Pack, Place, Tag, TaggedCard, seat_place
from engine.events import AnyEvent, CardGone, CardRead, DeviceFaulted, DeviceRestored
from firmware_bridge.bridge import Bridge
from firmware_bridge.errors import WiringError
from firmware_bridge.wiring import ReaderSpec, are_neighbours
from hw_fixtures.pepper import PepperReader

PATIENCE_S = 8.0
NINE, KING = Tag("E004015000000009"), Tag("E00401500000000D")
BLUE = Pack("blue", (TaggedCard(NINE, Card("9h")), TaggedCard(KING, Card("Kd"))))
S1, S2, S3, S4 = (seat_place(n) for n in range(1, 5))


class Device:
    """A simulated reader that answers at once, on a pseudo-terminal of its own."""

    def __init__(self, name: str, antennas: Mapping[int, Place]) -> None:
        self.name = name
        self.antennas = dict(antennas)
        self.cards: dict[Place, tuple[Tag, ...]] = {}
        self.asked: list[Place] = []
        self.was_asked = asyncio.Event()
        self.polled: Place | None = None
        """The place between its antenna's choice and the end of its inventory."""
        self.watch: Callable[[Place], None] = lambda _place: None
        self.master: int | None = None
        self.mute = 0
        """How many answers are still swallowed."""

    def plug(self, path: Path) -> None:
        """Put it onto a port; the path may have pointed elsewhere."""
        self._reader = PepperReader(name=self.name, antennas=8, hear=self._hear)
        self.master, client = os.openpty()
        tty.setraw(client)
        os.set_blocking(self.master, False)
        path.unlink(missing_ok=True)
        path.symlink_to(os.ttyname(client))
        asyncio.get_running_loop().add_reader(self.master, self._receive)
        os.close(client)

    def unplug(self) -> None:
        assert self.master is not None
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        self.master = None
        self.polled = None

    def _hear(self, antenna: int) -> tuple[Tag, ...]:
        place = self.antennas[antenna]
        self.asked.append(place)
        self.was_asked.set()
        self.polled = place
        self.watch(place)
        return self.cards.pop(place, ()) if place == SHOE else self.cards.get(place, ())

    def _receive(self) -> None:
        assert self.master is not None
        try:
            data = os.read(self.master, 4096)
        except OSError:  # nobody has the port open
            return
        for reply in self._reader.receive_data(data):
            if not reply.is_inventory:
                self.polled = None
            if self.mute:
                self.mute -= 1
            else:
                os.write(self.master, reply.data)


class Table:
    """A bridge under test with its devices and what it emits."""

    def __init__(self, folder: Path, *devices: Device, connect_s: float = 10.0) -> None:
        self.devices = devices
        self.paths = [folder / f"port-{device.name}" for device in devices]
        self.specs = [
            ReaderSpec(
                name=device.name,
                port=str(path),
                antennas=device.antennas,
                identity=device.name,
                connect_s=connect_s,
            )
            for device, path in zip(devices, self.paths, strict=True)
        ]
        self.events: list[AnyEvent] = []
        self.news = asyncio.Event()
        self.bridge = Bridge(
            self.specs,
            [BLUE],
            emit=self._take,
            clock=time.monotonic_ns,
            rng=random.Random(1),
        )

    def _take(self, event: AnyEvent) -> None:
        self.events.append(event)
        self.news.set()

    async def until(self, *wanted: AnyEvent | Callable[[AnyEvent], bool]) -> None:
        """Wait for events, each at any place in the order."""
        async with asyncio.timeout(PATIENCE_S):
            for want in wanted:
                while not any(want(e) if callable(want) else want == e for e in self.events):
                    self.news.clear()
                    await self.news.wait()

    async def rounds(self, count: int) -> None:
        """Let every device be asked so many times more."""
        async with asyncio.timeout(PATIENCE_S):
            goals = [len(device.asked) + count for device in self.devices]
            for device, goal in zip(self.devices, goals, strict=True):
                while len(device.asked) < goal:
                    device.was_asked.clear()
                    await device.was_asked.wait()


def play(
    folder: Path,
    devices: list[Device],
    play_it: Callable[[Table], Awaitable[None]],
    *,
    ports: list[int] | None = None,
    connect_s: float = 10.0,
) -> Table:
    """Run a bridge with its devices plugged in; ``ports`` says which device is at which port."""

    async def whole() -> Table:
        table = Table(folder, *devices, connect_s=connect_s)
        for number, device in enumerate(devices):
            device.plug(table.paths[ports[number] if ports else number])
        running = asyncio.create_task(table.bridge.run())
        await play_it(table)
        await table.bridge.close()
        await table.bridge.close()
        async with asyncio.timeout(PATIENCE_S):
            await running
        for device in devices:
            if device.master is not None:
                device.unplug()
        return table

    return asyncio.run(whole())


def read(place: Place, tag: Tag) -> Callable[[AnyEvent], bool]:
    return lambda event: isinstance(event, CardRead) and (event.place, event.tag) == (place, tag)


def gone(place: Place, tag: Tag) -> Callable[[AnyEvent], bool]:
    return lambda event: isinstance(event, CardGone) and (event.place, event.tag) == (place, tag)


def faulted(device: str) -> Callable[[AnyEvent], bool]:
    return lambda event: isinstance(event, DeviceFaulted) and event.device == device


def restored(device: str) -> Callable[[AnyEvent], bool]:
    return lambda event: isinstance(event, DeviceRestored) and event.device == device


def test_a_card_that_comes_and_goes_is_told_once_each_with_face_and_pack(tmp_path: Path) -> None:
    device = Device("A", {1: S1, 2: S2})

    async def come_and_go(table: Table) -> None:
        device.cards[S1] = (NINE,)
        await table.until(read(S1, NINE))
        await table.rounds(200)
        device.cards[S1] = ()
        await table.until(gone(S1, NINE))

    events = play(tmp_path, [device], come_and_go).events
    came, went = events
    assert isinstance(came, CardRead)
    assert (came.card, came.pack) == ("9h", "blue")
    assert isinstance(went, CardGone)
    assert came.at_ns < went.at_ns


def test_bugs_9_and_13_swapped_adapters_are_wrong_devices_and_give_no_card(tmp_path: Path) -> None:
    a, b = Device("A", {1: S1}), Device("B", {1: S3})
    a.cards[S1] = (NINE,)

    async def swapped(table: Table) -> None:
        await table.until(faulted("seat:1"), faulted("seat:3"))
        assert [health.state for health in table.bridge.health()] == ["WRONG_DEVICE"] * 2

    table = play(tmp_path, [a, b], swapped, ports=[1, 0])
    assert len(table.events) == 2
    assert a.asked == b.asked == []


def test_bugs_10_an_unplugged_reader_faults_each_of_its_places_once_until_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    device = Device("A", {1: S1, 2: S2})
    device.cards[S1] = (NINE,)

    async def replug(table: Table) -> None:
        await table.until(read(S1, NINE))
        device.unplug()
        lost = asyncio.get_running_loop().time()
        await table.until(faulted("seat:1"), faulted("seat:2"))
        assert asyncio.get_running_loop().time() - lost < 1.0
        assert table.bridge.health()[0].state == "LINK_LOST"
        device.plug(table.paths[0])
        await table.until(restored("seat:1"), restored("seat:2"))
        await table.rounds(50)

    with caplog.at_level(logging.INFO, logger="firmware_bridge"):
        events = play(tmp_path, [device], replug).events
    assert sum(isinstance(event, CardRead) for event in events) == 1
    assert sum(isinstance(event, CardGone) for event in events) == 0
    assert len(events) == 5
    states = [message.split(":")[0] for message in caplog.messages]
    assert states == [
        "reader A is CONNECTING",
        "reader A is READY",
        "reader A is LINK_LOST",
        "reader A is CONNECTING",
        "reader A is READY",
    ]


def test_a_reader_that_was_ready_is_sought_at_once_however_often_it_is_lost(
    tmp_path: Path,
) -> None:
    device = Device("A", {1: S1})

    async def lose_it_often(table: Table) -> None:
        for _ in range(4):
            await table.rounds(3)
            table.events.clear()
            device.unplug()
            device.plug(table.paths[0])
            await table.until(faulted("seat:1"), restored("seat:1"))
        assert table.bridge._readers[0].link._backoff.next_s() <= 0.25

    play(tmp_path, [device], lose_it_often)


def test_bugs_4_a_reader_that_never_answers_has_its_port_opened_afresh(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    device = Device("A", {1: S1})
    device.mute = 1_000_000

    async def wait(table: Table) -> None:
        await table.until(faulted("seat:1"))
        device.mute = 0
        await table.until(restored("seat:1"))

    with caplog.at_level(logging.INFO, logger="firmware_bridge"):
        play(tmp_path, [device], wait, connect_s=0.1)
    assert "reader A is LINK_LOST: no handshake for 0.1 s" in caplog.messages


def test_bugs_11_a_quarantine_is_counted_and_not_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    device = Device("A", {1: S1})

    async def lose_an_answer(table: Table) -> None:
        await table.rounds(5)
        device.mute = 1
        await table.rounds(5)

    with caplog.at_level(logging.INFO, logger="firmware_bridge"):
        table = play(tmp_path, [device], lose_an_answer)
    assert table.bridge.health()[0].timeouts >= 1
    assert caplog.messages == ["reader A is CONNECTING: no answer yet", "reader A is READY"]


def test_a_missing_port_is_said_and_the_other_readers_go_on(tmp_path: Path) -> None:
    a, b = Device("A", {1: S1}), Device("B", {1: S3})
    b.cards[S3] = (NINE,)

    async def without_a(table: Table) -> None:
        a.unplug()
        table.paths[0].unlink()
        await table.until(faulted("seat:1"), read(S3, NINE))
        first, second = table.bridge.health()
        assert (first.state, first.why) == ("LINK_LOST", "No such file or directory")
        assert (second.state, second.why) == ("READY", "")

    play(tmp_path, [a, b], without_a)


def test_bugs_5_two_readers_at_one_device_are_a_configuration_error(tmp_path: Path) -> None:
    async def one_port_twice() -> None:
        device = Device("A", {1: S1})
        table = Table(tmp_path, device, Device("B", {1: S2}))
        device.plug(table.paths[0])
        table.paths[1].symlink_to(table.paths[0])
        with pytest.raises(WiringError, match="readers A and B are wired to one device"):
            await table.bridge.run()
        device.unplug()

    asyncio.run(one_port_twice())


def test_bugs_39_neighbours_of_two_readers_are_never_polled_at_once(tmp_path: Path) -> None:
    a, b = Device("A", {1: S1, 2: S2, 3: BOARD}), Device("B", {1: S3, 2: S4, 3: BURN, 4: MUCK})
    clashes: list[tuple[Place, Place]] = []

    def watch(own: Device, other: Device) -> None:
        def look(place: Place) -> None:
            if other.polled is not None and are_neighbours(place, other.polled):
                clashes.append((place, other.polled))

        own.watch = look

    watch(a, b)
    watch(b, a)

    async def many_rounds(table: Table) -> None:
        await table.rounds(200)

    play(tmp_path, [a, b], many_rounds)
    assert clashes == []
    assert set(a.asked) == {S1, S2, BOARD}
    assert set(b.asked) == {S3, S4, BURN, MUCK}


@pytest.mark.parametrize(
    "wiring", [[(1,), (2,)], [(1,), (2,), (3,)], [(4,), (1, 2, 3)], [(1, 4), (2, 5), (3, 6)]]
)
def test_neighbours_of_readers_that_ask_without_a_pause_are_asked_in_turn(
    tmp_path: Path, wiring: list[tuple[int, ...]]
) -> None:
    devices = [
        Device(f"R{number}", {seat: seat_place(seat) for seat in seats})
        for number, seats in enumerate(wiring)
    ]
    asked: list[Place] = []
    for device in devices:
        device.watch = asked.append

    async def many_rounds(table: Table) -> None:
        while len(asked) < 120:
            await table.rounds(1)

    play(tmp_path, devices, many_rounds)
    seats = {place for device in devices for place in device.antennas.values()}
    settled = asked[30:120]
    assert all(seats <= set(settled[n : n + 20]) for n in range(70))


def test_the_places_that_are_due_are_asked_first(tmp_path: Path) -> None:
    device = Device("A", {n: seat_place(n) for n in range(1, 9)})

    async def due(table: Table) -> None:
        await table.rounds(16)
        table.bridge.prefer([seat_place(5)])
        device.asked.clear()
        await table.rounds(80)

    play(tmp_path, [device], due)
    share = device.asked[:80].count(seat_place(5)) / 80
    assert 0.3 < share < 0.45
    assert set(device.asked[:80]) == set(device.antennas.values())


def test_a_card_that_passes_the_shoe_is_read_at_the_first_look(tmp_path: Path) -> None:
    device = Device("A", {1: SHOE, 2: S1})

    async def pass_the_shoe(table: Table) -> None:
        await table.rounds(5)
        device.cards[SHOE] = (KING,)
        await table.until(read(SHOE, KING))

    play(tmp_path, [device], pass_the_shoe)


def test_the_health_of_a_reader_tells_its_figures(tmp_path: Path) -> None:
    device = Device("A", {1: S1, 2: S2})

    async def look(table: Table) -> None:
        await table.rounds(20)
        assert device.master is not None
        os.write(device.master, b"noise")
        await table.rounds(20)

    [health] = play(tmp_path, [device], look).bridge.health()
    assert health.name == "A"
    assert health.places == (S1, S2)
    assert health.frames > 80
    assert health.noise_bytes == 5
    assert health.checksum_errors == 0
    assert health.cycle_ms > 0
    assert health.last_good_ns is not None
    assert not health.is_degraded


@pytest.mark.parametrize(("round_ms", "is_slow"), [(400, False), (401, True)])
def test_bugs_43_a_round_that_is_slower_than_the_deal_is_an_alarm(
    tmp_path: Path, round_ms: int, *, is_slow: bool
) -> None:
    table = Table(tmp_path, Device("A", {1: S1}))
    for at_ms in (0, round_ms):
        table.bridge._readers[0].rota.take_turn(1, at_ms * 1_000_000)
    [health] = table.bridge.health()
    assert (health.cycle_ms, health.is_slow) == (round_ms, is_slow)


def test_a_wiring_that_cannot_work_is_refused_at_once() -> None:
    spec = ReaderSpec(name="A", port="x", antennas={9: S1})
    with pytest.raises(WiringError, match="reader A has no antenna 9, but 1 to 8"):
        Bridge([spec], [], emit=lambda _event: None, clock=lambda: 0, rng=random.Random(1))


def test_a_bridge_that_is_cancelled_faults_nothing_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    async def cancelled() -> Table:
        device = Device("A", {1: S1})
        table = Table(tmp_path, device)
        device.plug(table.paths[0])
        running = asyncio.create_task(table.bridge.run())
        await table.rounds(5)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        asked = len(device.asked)
        device.unplug()
        await asyncio.sleep(0)
        assert len(device.asked) <= asked + 1
        return table

    table = asyncio.run(cancelled(), debug=True)
    timer = table.bridge._readers[0]._timer
    assert timer is not None
    assert timer.cancelled()
    assert table.events == []
    assert table.bridge.health()[0].state == "LINK_LOST"
