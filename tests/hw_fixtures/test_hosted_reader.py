"""A simulated reader on its port, under a clock that only the test moves."""

import os
import select
from collections.abc import Iterator

import pytest
import serial

from engine.cards import Place, Tag
from hw_fixtures.faults import BANNER, OTHER_FAMILY, Faults
from hw_fixtures.hosted import HostedReader, Written
from hw_fixtures.loop import Loop
from hw_fixtures.pepper import encode
from hw_fixtures.wire import PortFolder
from hw_fixtures.world import Antenna, Wiring, World

TAG = Tag("E00401087A1B2C3D")
BYTE_NS = 10 * 1_000_000_000 / 115_200
SECOND_NS = 1_000_000_000
DUMMY, DONE = encode(b"\x01"), encode(b"\x00\x01")
COUNT, ONE_TAG, NO_TAG = encode(b"\x02"), encode(b"\x00\x02\x01"), encode(b"\x00\x02\x00")


class Bench:
    """One reader of two antennas, its client, and the clock."""

    def __init__(self, folder: PortFolder, speed: float = 1.0) -> None:
        self.now_ns = 0
        self.loop = Loop(lambda: self.now_ns)
        self.world = World({Place("S1"): (TAG,)})
        self.written: list[Written] = []
        self.reader = HostedReader(
            Wiring(
                name="A",
                identity="C1-MUX SIM-A",
                antennas=(Antenna(place=Place("S1")), Antenna(place=Place("S2"))),
            ),
            loop=self.loop,
            folder=folder,
            look=lambda: self.world,
            tell=self.written.append,
            speed=speed,
        )
        self.path = str(folder.path / self.reader.link_name)

    def open(self, baud: int = 115_200) -> serial.Serial:
        """Open the port as a client does; the reader notices it within 20 ms."""
        client = serial.Serial(self.path, baud, timeout=5)
        self.pass_ns(20_000_000)
        return client

    def pass_ns(self, duration_ns: int) -> None:
        """Let time pass, from one thing that is due to the next."""
        end_ns = self.now_ns + duration_ns
        while (due_ns := self.loop.run_due()) is not None and due_ns <= end_ns:
            self.now_ns = due_ns
        self.now_ns = end_ns

    def send(self, client: serial.Serial, data: bytes, wait_ns: int = SECOND_NS) -> None:
        """Send bytes, let the reader take them and let time pass."""
        client.write(data)
        taken = select.select([self.reader.port.fd], [], [], 5)[0]
        assert taken, "the kernel did not carry the bytes"
        self.reader.on_readable()
        self.pass_ns(wait_ns)


@pytest.fixture
def folder() -> Iterator[PortFolder]:
    made = PortFolder()
    yield made
    made.close()


@pytest.fixture
def bench(folder: PortFolder) -> Bench:
    return Bench(folder)


def test_a_command_is_answered(bench: Bench) -> None:
    with bench.open() as client:
        bench.send(client, DUMMY + COUNT)
        assert client.read(len(DONE + ONE_TAG)) == DONE + ONE_TAG


@pytest.mark.parametrize("speed", [1.0, 10.0])
@pytest.mark.parametrize(
    ("commands", "on_wire", "at_work_ms"),
    [
        # The second answer is ready after 0.5 ms and waits until the first, 10 bytes, is out.
        (COUNT + encode(b"\x03\x00"), 17 + 10 + 19, 13),
        # The second look begins when the first is over.
        (COUNT + encode(b"\x90\x00"), 17 + 19, 13 + 13),
    ],
)
def test_an_answer_is_out_when_wire_and_radio_allow_it(
    folder: PortFolder, commands: bytes, on_wire: int, at_work_ms: int, speed: float
) -> None:
    bench = Bench(folder, speed)
    with bench.open() as client:
        began_ns = bench.now_ns
        bench.send(client, commands)
        [written] = bench.written
        assert (written.tags, written.reader, written.antenna) == ((TAG,), "A", 1)
        took_ns = on_wire * BYTE_NS + at_work_ms * 1_000_000
        assert written.at_ns - began_ns == pytest.approx(took_ns / speed, abs=10)


def test_a_client_at_another_speed_gets_garbage_and_is_not_understood(bench: Bench) -> None:
    with bench.open(9600) as client:
        bench.send(client, DUMMY)
        client.baudrate = 115_200
        bench.send(client, DUMMY)
        client.baudrate = 9600
        bench.send(client, b"\x00")
        client.baudrate = 115_200
        bench.send(client, DUMMY)
        assert client.read(2 * len(DONE)) == DONE + DONE


def test_an_answer_at_another_speed_is_garbled(bench: Bench) -> None:
    with bench.open() as client:
        bench.send(client, DUMMY, wait_ns=0)
        client.baudrate = 9600
        bench.pass_ns(SECOND_NS)
        garbage = client.read(len(DONE))
        assert all(a != b for a, b in zip(garbage, DONE, strict=True))


@pytest.mark.parametrize(
    ("faults", "answer"),
    [
        (Faults(echo=1), COUNT + ONE_TAG),
        (Faults(other_family=1), OTHER_FAMILY + ONE_TAG),
        (Faults(missed_tag=1), NO_TAG),
        (Faults(doubled_byte=1), bytes(byte for byte in ONE_TAG for _ in range(2))),
    ],
)
def test_faults_reach_the_wire(bench: Bench, faults: Faults, answer: bytes) -> None:
    with bench.open() as client:
        bench.reader.set_faults(faults)
        bench.send(client, COUNT)
        assert client.read(len(answer)) == answer


def test_a_neighbours_card_is_heard_in_a_cross_read(bench: Bench) -> None:
    with bench.open() as client:
        bench.reader.set_faults(Faults(cross_read=1))
        bench.send(client, encode(b"\x0f\x02") + COUNT)
        answer = encode(b"\x00\x0f") + ONE_TAG
        assert client.read(len(answer)) == answer


def transcript(folder: PortFolder, seed: int) -> bytes:
    bench = Bench(folder)
    with bench.open() as client:
        bench.reader.set_faults(
            Faults(seed=seed, bit_error=0.05, lost_byte=0.05, ghost_tag=0.5, missed_tag=0.5)
        )
        for _ in range(30):
            bench.send(client, COUNT + encode(b"\x03\x00"))
        bench.reader.set_faults(Faults(other_family=1))
        bench.send(client, DUMMY)
        data: bytes = client.read_until(OTHER_FAMILY)
    bench.reader.unplug()
    return data


def test_the_same_seed_puts_the_same_bytes_on_the_wire(folder: PortFolder) -> None:
    first, again, other = (transcript(folder, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_late_answer_comes_before_that_of_the_next_command(bench: Bench) -> None:
    with bench.open() as client:
        bench.reader.set_faults(Faults(late=1, late_ms=700))
        bench.send(client, COUNT, wait_ns=600_000_000)
        assert client.in_waiting == 0
        bench.reader.set_faults(Faults())
        bench.send(client, DUMMY)
        assert client.read(len(ONE_TAG + DONE)) == ONE_TAG + DONE


def test_a_brown_out_cuts_the_answer_and_forgets_the_antenna(bench: Bench) -> None:
    with bench.open() as client:
        bench.send(client, encode(b"\x0f\x02"))
        client.read(len(DONE))
        bench.reader.set_faults(Faults(brown_out=1))
        bench.send(client, COUNT, wait_ns=100_000_000)
        bench.reader.set_faults(Faults())
        bench.send(client, DUMMY, wait_ns=800_000_000)  # deaf: it starts
        bench.pass_ns(200_000_000)
        bench.send(client, DUMMY + COUNT)
        heard = client.read_until(ONE_TAG)
        assert heard.endswith(DONE + ONE_TAG)
        assert NO_TAG.startswith(heard.removesuffix(DONE + ONE_TAG))


def test_a_restart_is_acknowledged_and_then_silent_for_a_second(bench: Bench) -> None:
    with bench.open() as client:
        bench.send(client, encode(b"\x0a"), wait_ns=500_000_000)
        bench.send(client, DUMMY, wait_ns=600_000_000)
        bench.send(client, COUNT)
        answer = encode(b"\x00\x0a") + ONE_TAG
        assert client.read(len(answer)) == answer


def test_a_banner_greets_whoever_opens_the_port_and_follows_a_restart(bench: Bench) -> None:
    bench.reader.set_faults(Faults(banner=True))
    with bench.open() as client:
        bench.pass_ns(SECOND_NS)
        assert client.read(len(BANNER)) == BANNER
        bench.reader.restart()
        bench.pass_ns(2 * SECOND_NS)
        assert client.read(len(BANNER)) == BANNER


def test_a_reader_that_boots_when_it_is_opened_is_deaf_until_then(bench: Bench) -> None:
    bench.reader.set_faults(Faults(boot_ms=2500))
    with bench.open() as client:
        bench.send(client, DUMMY, wait_ns=2 * SECOND_NS)
        bench.pass_ns(SECOND_NS)
        bench.send(client, COUNT)
        assert client.read(len(ONE_TAG)) == ONE_TAG


def test_a_polling_reader_tells_its_tags_unasked(bench: Bench) -> None:
    notice = encode(bytes.fromhex("fe002700" + TAG))
    with bench.open() as client:
        bench.send(client, encode(b"\x06\x01"), wait_ns=250_000_000)
        expected = encode(b"\x00\x06") + 3 * notice
        assert client.read(len(expected)) == expected


def test_polling_can_be_switched_off_and_on_again(bench: Bench) -> None:
    notice = encode(bytes.fromhex("fe002700" + TAG))
    done = encode(b"\x00\x06")
    with bench.open() as client:
        bench.send(client, encode(b"\x06\x01"), wait_ns=50_000_000)
        bench.send(client, encode(b"\x06\x00"))
        bench.send(client, encode(b"\x06\x01"), wait_ns=50_000_000)
        expected = done + notice + done + done + notice
        assert client.read(len(expected)) == expected


def test_an_answer_to_a_client_that_has_left_reaches_no_later_one(bench: Bench) -> None:
    with bench.open() as client:
        bench.send(client, COUNT, wait_ns=5_000_000)
    bench.reader.on_readable()  # the hang-up
    bench.pass_ns(SECOND_NS)
    later = os.open(bench.path, os.O_RDWR | os.O_NOCTTY)  # pyserial would flush what waits
    try:
        bench.pass_ns(20_000_000)
        os.write(later, DUMMY)
        assert select.select([bench.reader.port.fd], [], [], 5)[0]
        bench.reader.on_readable()
        bench.pass_ns(SECOND_NS)
        assert select.select([later], [], [], 5)[0]
        assert os.read(later, 5) == DONE[:5]
    finally:
        os.close(later)


def test_a_port_can_be_closed_and_opened_again(bench: Bench) -> None:
    for _ in range(3):
        with bench.open() as client:
            bench.send(client, DUMMY)
            assert client.read(len(DONE)) == DONE
        bench.reader.on_readable()  # the hang-up


def test_a_replugged_reader_has_the_same_name_and_another_terminal(bench: Bench) -> None:
    before = os.path.realpath(bench.path)
    with bench.open():
        bench.reader.unplug()
        assert not os.path.lexists(bench.path)
        bench.reader.plug_in(bench.reader.link_name)
    assert os.path.realpath(bench.path) != before
    with bench.open() as client:
        bench.send(client, DUMMY)
        assert client.read(len(DONE)) == DONE


def test_what_was_on_its_way_when_the_plug_was_pulled_is_gone(bench: Bench) -> None:
    with bench.open() as client:
        bench.send(client, encode(b"\x90\x00"), wait_ns=5_000_000)
        bench.reader.unplug()
    bench.pass_ns(SECOND_NS)
    assert not bench.reader.is_plugged_in
    assert bench.written == []
