"""The simulated line: raw, paced, honest about speed and hang-ups, and tidy."""

import os
import select
from collections.abc import Iterator

import pytest
import serial

from hw_fixtures.wire import Pacer, PortFolder, PtyPort


@pytest.fixture
def port() -> Iterator[PtyPort]:
    opened = PtyPort()
    yield opened
    opened.close()


def read_exactly(fd: int, length: int) -> bytes:
    """Read so many bytes; the kernel carries them from end to end in its own time."""
    data = b""
    while len(data) < length:
        assert select.select([fd], [], [], 5)[0], f"only {data!r} came"
        data += os.read(fd, length - len(data))
    return data


def test_a_client_that_sets_nothing_gets_every_byte_and_no_echo(port: PtyPort) -> None:
    everything = bytes(range(256))
    client = os.open(port.terminal, os.O_RDWR | os.O_NOCTTY)
    try:
        port.write(everything)
        assert read_exactly(client, 256) == everything
        os.write(client, everything)
        assert read_exactly(port.fd, 256) == everything
    finally:
        os.close(client)


@pytest.mark.parametrize("baud", [9600, 115200, 250000])
def test_the_device_sees_the_speed_that_the_client_sets(port: PtyPort, baud: int) -> None:
    with serial.Serial(port.terminal, baud):
        assert port.client_baud() == baud


def test_the_device_sees_its_client_come_and_go(port: PtyPort) -> None:
    assert not port.has_client()
    with serial.Serial(port.terminal, 115200):
        assert port.has_client()
        assert port.read() == b""
    assert not port.has_client()
    assert port.read() is None


def test_a_pulled_plug_fails_the_clients_next_call() -> None:
    port = PtyPort()
    with serial.Serial(port.terminal, 115200, timeout=1) as client:
        port.close()
        with pytest.raises((OSError, serial.SerialException)):
            client.read(1)


def test_what_a_client_never_reads_is_lost_and_counted(port: PtyPort) -> None:
    client = os.open(port.terminal, os.O_RDWR | os.O_NOCTTY)
    try:
        for _ in range(200):
            port.write(bytes(1024))
        assert port.dropped > 0
    finally:
        os.close(client)


@pytest.mark.parametrize(
    ("baud", "speed", "sends", "crossed_ns"),
    [
        (10_000, 1.0, [(0, 1)], [1_000_000]),
        (10_000, 1.0, [(0, 8)], [8_000_000]),
        (10_000, 1.0, [(0, 2), (0, 3)], [2_000_000, 5_000_000]),
        (10_000, 1.0, [(0, 2), (9_000_000, 3)], [2_000_000, 12_000_000]),
        (10_000, 4.0, [(0, 8)], [2_000_000]),
        (115_200, 1.0, [(0, 16)], [1_388_889]),
    ],
)
def test_a_byte_takes_ten_bits_and_waits_for_the_one_before(
    baud: int, speed: float, sends: list[tuple[int, int]], crossed_ns: list[int]
) -> None:
    pacer = Pacer(baud, speed=speed)
    assert [pacer.admit(length, now_ns) for now_ns, length in sends] == crossed_ns


def test_an_answer_arrives_in_slices_of_a_millisecond() -> None:
    data = bytes(range(25))
    slices = Pacer(115_200).slices(data, 5_000_000)
    assert [len(piece) for _, piece in slices] == [11, 11, 3]
    assert b"".join(piece for _, piece in slices) == data
    assert slices[-1][0] == 5_000_000 + round(25 * 10 * 1e9 / 115_200)


def test_the_folder_takes_its_links_with_it() -> None:
    folder = PortFolder()
    path = folder.link("usb-one", "/dev/null")
    assert path.resolve().name == "null"
    assert folder.link("usb-one", "/dev/zero").resolve().name == "zero"
    folder.unlink("usb-one")
    assert not path.is_symlink()
    folder.link("usb-two", "/dev/null")
    folder.close()
    folder.close()
    assert not folder.path.exists()


def test_the_folder_is_nobody_elses() -> None:
    folder = PortFolder()
    try:
        assert folder.path.stat().st_mode & 0o077 == 0
    finally:
        folder.close()
