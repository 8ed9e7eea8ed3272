"""The readers as a process of their own: started, talked to over pyserial, and ended."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import serial

from engine.cards import SHOE, Place, Tag
from hw_fixtures.errors import ReadersLostError
from hw_fixtures.faults import Faults
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import Antenna, Wiring

# Vectors pepper_c1-010, -011 and -014 go out; -022 shows the shape of what comes back, with type
# 03 where an ICODE SLIX2 says 27.
DUMMY, COUNT, FIRST_UID = "f50300fcff01d1f1", "f50300fcff02b2c1", "f50400fbff03005c48"
SECOND_UID = "f50400fbff03017d58"
TAG, OTHER = Tag("E004015095F5F500"), Tag("E00401087A1B2C3D")
S3 = Place("S3")

Play = Callable[[SimulatedReaders], Awaitable[None]]


def with_readers(play: Play, *wirings: Wiring, speed: float = 1.0) -> None:
    async def run() -> None:
        starting = SimulatedReaders.start(wirings, speed=speed) if wirings else None
        async with await (starting or SimulatedReaders.start(speed=speed)) as readers:
            await asyncio.wait_for(play(readers), 20)

    asyncio.run(run())


def terminal_of(path: str) -> str | None:
    return str(Path(path).resolve()) if Path(path).is_symlink() else None


async def sync_for_ever(readers: SimulatedReaders) -> None:
    while True:
        await readers.sync()


async def ask(client: serial.Serial, command: str) -> str:
    """Send a command frame; return the payload of the answer, as hex."""

    def exchange() -> str:
        client.write(bytes.fromhex(command))
        head = client.read(5)
        return client.read(int.from_bytes(head[1:3], "little"))[:-2].hex() if head else ""

    return await asyncio.to_thread(exchange)


def test_a_card_is_read_over_pyserial_with_golden_bytes() -> None:
    async def play(readers: SimulatedReaders) -> None:
        readers.put([TAG], SHOE)
        await readers.sync()
        with serial.Serial(readers.ports["C"], 115_200, timeout=5, exclusive=True) as client:
            answers = [await ask(client, command) for command in (DUMMY, COUNT, FIRST_UID)]
        assert answers == ["0001", "000201", "00032700" + TAG.lower()]

    with_readers(play)


def test_cards_come_go_and_move_under_the_antennas() -> None:
    async def play(readers: SimulatedReaders) -> None:
        with serial.Serial(readers.ports["C"], 115_200, timeout=5) as client:
            acts: list[Callable[[], None]] = [
                lambda: readers.put([TAG], S3),
                lambda: readers.move([TAG], SHOE),
                lambda: readers.take([TAG]),
            ]
            counts = []
            for act in acts:
                act()
                await readers.sync()
                counts.append(await ask(client, COUNT))
        assert counts == ["000200", "000201", "000200"]

    with_readers(play, speed=4)


def test_answers_with_a_stamped_tag_are_reported_on_the_clock_of_all_processes() -> None:
    async def play(readers: SimulatedReaders) -> None:
        readers.put([OTHER, TAG], SHOE)
        readers.stamp([TAG])
        await readers.sync()
        with serial.Serial(readers.ports["C"], 115_200, timeout=5) as client:
            for command in (COUNT, FIRST_UID, SECOND_UID):
                await ask(client, command)
        await readers.sync()
        written = await readers.written.get()
        assert (written.tags, written.reader, written.antenna) == ((TAG,), "C", 1)
        assert readers.written.empty()

    with_readers(play)


def test_swapped_readers_answer_under_each_others_names() -> None:
    name_of = "f50400fbff13002f4b"

    async def play(readers: SimulatedReaders) -> None:
        ports = dict(readers.ports)
        readers.swap("A", "C")
        await readers.sync()
        assert readers.ports == {"A": ports["C"], "B": ports["B"], "C": ports["A"]}
        with serial.Serial(ports["A"], 115_200, timeout=5) as client:
            assert bytes.fromhex(await ask(client, name_of)).endswith(b"C1 SIM-C")

    with_readers(play)


def test_a_reader_is_unplugged_and_comes_back_under_its_name() -> None:
    async def play(readers: SimulatedReaders) -> None:
        path = readers.ports["A"]
        terminals = [terminal_of(path)]
        readers.unplug("A")
        await readers.sync()
        terminals.append(terminal_of(path))
        readers.replug("A")
        await readers.sync()
        terminals.append(terminal_of(path))
        assert terminals[1] is None
        assert terminals[0] != terminals[2]
        with serial.Serial(path, 115_200, timeout=5) as client:
            assert await ask(client, DUMMY) == "0001"

    with_readers(play)


def test_faults_and_restarts_are_ordered_for_one_reader_or_all() -> None:
    async def play(readers: SimulatedReaders) -> None:
        readers.put([TAG], SHOE)
        readers.put([OTHER], Place("S1"))
        readers.set_faults(Faults(missed_tag=1))
        readers.set_faults(Faults(), "C")
        readers.restart("C")
        await readers.sync()
        counts = []
        for name in "AC":
            with serial.Serial(readers.ports[name], 115_200, timeout=0.05) as client:
                while (answer := await ask(client, COUNT)) == "":
                    pass  # deaf while it starts
                counts.append(answer)
        assert counts == ["000200", "000201"]

    with_readers(play, speed=20)


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (lambda readers: readers.unplug("Z"), "no reader Z is plugged in"),
        (lambda readers: readers.replug("A"), "no reader A is unplugged"),
        (lambda readers: readers.take([TAG]), "lies nowhere"),
        (lambda readers: readers.put([TAG], Place("roof")), "'roof' is no place"),
    ],
)
def test_an_order_that_cannot_be_carried_out_is_refused_and_the_rest_goes_on(
    order: Callable[[SimulatedReaders], None], why: str
) -> None:
    async def play(readers: SimulatedReaders) -> None:
        order(readers)
        await readers.sync()
        assert why in readers.refused[0]

    with_readers(play)


def test_the_ports_and_their_folder_go_with_the_process() -> None:
    folders: list[Path] = []

    async def play(readers: SimulatedReaders) -> None:
        folders.append(Path(readers.ports["A"]).parent)
        assert sorted(path.name for path in folders[0].iterdir()) == [
            f"usb-FTDI_FT232R_USB_UART_SIM{name}-if00-port0" for name in "ABC"
        ]

    with_readers(play)
    assert not folders[0].exists()


def test_a_terminated_process_leaves_nothing_and_whoever_waits_is_told() -> None:
    async def play(readers: SimulatedReaders) -> None:
        os.kill(readers.pid, signal.SIGTERM)
        with pytest.raises(ReadersLostError):
            await sync_for_ever(readers)
        assert not Path(readers.ports["A"]).parent.exists()

    with_readers(play)


def test_ctrl_c_in_the_terminal_of_the_program_does_not_reach_the_readers() -> None:
    async def play(readers: SimulatedReaders) -> None:
        assert os.getsid(readers.pid) == readers.pid

    with_readers(play)


def test_a_wiring_of_ones_own_can_be_hosted() -> None:
    async def play(readers: SimulatedReaders) -> None:
        assert list(readers.ports) == ["only"]
        readers.put([TAG], S3)
        await readers.sync()
        with serial.Serial(readers.ports["only"], 115_200, timeout=5) as client:
            assert await ask(client, COUNT) == "000201"

    with_readers(play, Wiring(name="only", identity="C1", antennas=(Antenna(place=S3),)))


def test_a_wiring_that_cannot_be_is_refused_before_any_port_is_made() -> None:
    async def run() -> None:
        twice = Wiring(name="A", identity="C1", antennas=(Antenna(place=S3),) * 2)
        with pytest.raises(ReadersLostError):
            await SimulatedReaders.start([twice])

    asyncio.run(run())
