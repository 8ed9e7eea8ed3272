"""Readers of every family on pseudo-terminals: their speed, their notices, their wiring."""

import asyncio
import re
import select
from collections.abc import Iterator

import pytest
import serial

from engine.cards import Place, Tag
from hw_fixtures.devices import chafon_uhf, code_shoe, feig, front_end, pn532, r200, rdm6300, twn4
from hw_fixtures.devices.catalogue import FAMILIES
from hw_fixtures.devices.device import EM4100, EPC, ISO14443, ISO15693, Heard, TagKind
from hw_fixtures.errors import WiringError
from hw_fixtures.faults import Faults, FaultSource
from hw_fixtures.hosted import HostedReader, Written
from hw_fixtures.loop import Loop
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.wire import PortFolder
from hw_fixtures.world import Antenna, Wiring, World, check_wiring

SECOND_NS = 1_000_000_000
S1, S2 = Place("S1"), Place("S2")
ICODE, CARD, EM = Tag("E00401087A1B2C3D"), Tag("083F6C4A"), Tag("000414CD7E")
UHF = Tag("E200322FE20DF9311328B7E3")
ICODE_LSB = bytes.fromhex(ICODE)[::-1]
IDENTITIES = {
    "feig": "00012345",
    "pn532_hsu": "32010607",
    "chafon_uhf": "00160C034E001E0A01000000",
    "thingmagic": "0710230001000003201410070107020900000010",
}
TAGS = {"pn532_hsu": CARD, "r200": UHF, "chafon_uhf": UHF, "thingmagic": UHF, "rdm6300": EM}
# What a host asks, as the vectors have it where they do, and what then comes with the tag in it.
EXCHANGES: dict[str, tuple[bytes, bytes]] = {
    "pepper_c1": (bytes.fromhex("f50400fbff9000e405"), ICODE_LSB),
    "metratec_ascii": (b"SRI SS 100\rINV\r", f"OK!\r{ICODE}\rIVF 01\r".encode()),
    "metratec_at": (b"AT+INV\r", f"+INV: {ICODE}\r\nOK\r\n".encode()),
    "feig": (bytes.fromhex("07ffb001001c56"), bytes.fromhex("1100b000010300" + ICODE)),
    "anyid7e55": (bytes.fromhex("7e5509000001001100007dfb"), ICODE_LSB + b"\xaa\x00\x00"),
    "pn532_hsu": (bytes.fromhex("0000ff04fcd44a0100e100"), bytes.fromhex("04" + CARD)),
    "r200": (r200.encode(r200.COMMAND, r200.SINGLE), r200.encode(2, 0x22, r200.tell_tag(UHF))),
    "chafon_uhf": (chafon_uhf.encode(b"\x01"), bytes.fromhex("13000103010c" + UHF)),
    "chafon_rr3036_hf": (bytes.fromhex("050001069811"), b"\x0d\x00\x00\x00" + ICODE_LSB),
    "thingmagic": (bytes.fromhex("ff00041d0bff022103e8d509"), bytes.fromhex("210000" + UHF)),
    "twn4_simple": (twn4.encode(b"\x05\x00\x10"), f"0001824008{ICODE}".encode()),
    "ti_trf796x_ascii": (b"010B000304142401000000", f"[{ICODE_LSB.hex().upper()},7F]".encode()),
    "rdm6300": (b"", rdm6300.encode(EM)),
    "front_end": (front_end.encode(2, 7, b"\x01"), bytes.fromhex("08" + ICODE)),
    "front_end_shoe": (b"", front_end.encode(0xC1, 0, b"\x01" + bytes.fromhex(ICODE))),
    "code_shoe": (b"", code_shoe.encode(ICODE)),
}


class Bench:
    """One reader with a tag at its first place, its client, and the clock."""

    def __init__(self, folder: PortFolder, family: str, antennas: int = 1) -> None:
        self.now_ns = 0
        self.loop = Loop(lambda: self.now_ns)
        self.world = World()  # when it gets power; a shoe tells a card but once
        self.written: list[Written] = []
        self.baud = FAMILIES[family].baud
        self.reader = HostedReader(
            wiring(family, antennas),
            loop=self.loop,
            folder=folder,
            look=lambda: self.world,
            tell=self.written.append,
        )
        self.path = str(folder.path / self.reader.link_name)
        self.world = World({S1: (TAGS.get(family, ICODE),)})

    def open(self) -> serial.Serial:
        """Open the port as a client does; the reader notices it within 20 ms."""
        client = serial.Serial(self.path, self.baud, timeout=5)
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
        assert select.select([self.reader.port.fd], [], [], 5)[0], "the bytes were not carried"
        self.reader.on_readable()
        self.pass_ns(wait_ns)


def wiring(family: str, antennas: int = 1, **more: str) -> Wiring:
    places = tuple(Antenna(place=Place(f"S{n}")) for n in range(1, antennas + 1))
    identity = more.get("identity", IDENTITIES.get(family, "SIM_A"))
    return Wiring(name="A", family=family, identity=identity, antennas=places)


@pytest.fixture
def folder() -> Iterator[PortFolder]:
    made = PortFolder()
    yield made
    made.close()


def test_there_is_an_exchange_for_every_family() -> None:
    assert EXCHANGES.keys() == FAMILIES.keys()


@pytest.mark.parametrize("family", EXCHANGES)
def test_a_reader_of_every_family_tells_its_tag_over_a_port(
    folder: PortFolder, family: str
) -> None:
    bench = Bench(folder, family)
    question, answer = EXCHANGES[family]
    with bench.open() as client:
        if question:
            bench.send(client, question)
        else:
            bench.pass_ns(SECOND_NS)
        assert client.read_until(answer).endswith(answer)
    first = bench.written[0]
    assert (first.tags, first.antenna) == ((TAGS.get(family, ICODE),), 1)


def test_a_byte_with_parity_takes_eleven_bits(folder: PortFolder) -> None:
    bench = Bench(folder, "feig")
    question, _ = EXCHANGES["feig"]
    with bench.open() as client:
        began_ns = bench.now_ns
        bench.send(client, question)
    work_ns = (15 + 4) * 1_000_000
    bits = 11 * (len(question) + 0x11)
    assert bench.written[0].at_ns - began_ns == pytest.approx(
        bits * SECOND_NS / 38400 + work_ns, abs=10
    )


def test_an_antenna_that_is_asked_is_reported_with_its_tags(folder: PortFolder) -> None:
    bench = Bench(folder, "feig", antennas=2)
    bench.world = World({S1: (ICODE,), S2: (Tag("E004015095F5F500"),)})
    with bench.open() as client:
        for bit in (b"\x02", b"\x01"):
            bench.send(client, feig.encode(b"\xb0\x01\x10" + bit))
    assert [(each.antenna, each.tags) for each in bench.written] == [
        (2, (Tag("E004015095F5F500"),)),
        (1, (ICODE,)),
    ]


def test_a_start_is_told_when_it_is_over(folder: PortFolder) -> None:
    bench = Bench(folder, "metratec_ascii")
    with bench.open() as client:
        bench.send(client, b"RST\r", wait_ns=900_000_000)
        assert client.read(4) == b"OK!\r"
        assert client.in_waiting == 0
        bench.pass_ns(200_000_000)
        assert client.read(4) == b"SRT\r"


def test_a_device_that_boots_when_it_is_opened_tells_its_start(folder: PortFolder) -> None:
    bench = Bench(folder, "metratec_ascii")
    bench.reader.set_faults(Faults(boot_ms=500))
    with bench.open() as client:
        bench.pass_ns(SECOND_NS)
        assert client.read(4) == b"SRT\r"


def test_a_pad_that_speaks_unasked_goes_on_after_a_restart(folder: PortFolder) -> None:
    bench = Bench(folder, "rdm6300")
    with bench.open() as client:
        bench.pass_ns(SECOND_NS)
        client.read_until(rdm6300.encode(EM))
        bench.reader.restart()
        bench.written.clear()
        bench.pass_ns(950_000_000)
        assert bench.written == []
        bench.pass_ns(SECOND_NS)
        assert 9 <= len(bench.written) <= 10


def test_what_a_host_sends_makes_no_pad_speak_more_often(folder: PortFolder) -> None:
    bench = Bench(folder, "rdm6300")
    with bench.open() as client:
        for _ in range(3):
            bench.send(client, b"hello", wait_ns=10_000_000)
        bench.written.clear()
        bench.pass_ns(SECOND_NS)
        assert 9 <= len(bench.written) <= 11


def test_a_brown_out_in_an_inventory_restarts_a_reader_of_any_family(folder: PortFolder) -> None:
    bench = Bench(folder, "metratec_ascii")
    bench.reader.set_faults(Faults(brown_out=1))
    with bench.open() as client:
        bench.send(client, EXCHANGES["metratec_ascii"][0], wait_ns=2 * SECOND_NS)
        said = client.read_until(b"SRT\r")
        assert said.endswith(b"SRT\r")
        assert EXCHANGES["metratec_ascii"][1].startswith(said[: -len(b"SRT\r")])
        assert bench.written == []


def test_a_command_that_was_broken_off_does_not_eat_the_next(folder: PortFolder) -> None:
    bench = Bench(folder, "feig")
    question, answer = EXCHANGES["feig"]
    with bench.open() as client:
        bench.send(client, b"\xff\xff\xb0", wait_ns=250_000_000)
        bench.send(client, question)
        assert client.read(len(answer)) == answer


def test_a_slow_sender_is_understood(folder: PortFolder) -> None:
    bench = Bench(folder, "feig")
    question, answer = EXCHANGES["feig"]
    with bench.open() as client:
        bench.pass_ns(SECOND_NS)
        bench.send(client, question[:3], wait_ns=150_000_000)
        bench.send(client, question[3:])
        assert client.read(len(answer)) == answer


def test_host_and_pn532_change_their_speed_together(folder: PortFolder) -> None:
    bench = Bench(folder, "pn532_hsu")
    version = pn532.encode(b"\xd4\x02")
    told = pn532.ACK + pn532.encode(bytes.fromhex("d50332010607"))
    changed = pn532.ACK + pn532.encode(b"\xd5\x11")
    with bench.open() as client:
        bench.send(client, pn532.encode(b"\xd4\x10\x07"))
        assert client.read(len(changed)) == changed
        client.baudrate = 921600
        bench.send(client, pn532.ACK)
        bench.send(client, version)
        assert client.read(len(told)) == told
        client.baudrate = 115200
        bench.send(client, version)  # garbled: nobody agreed to go back
        client.baudrate = 921600
        bench.send(client, version)
        assert client.read_until(told).endswith(told)


@pytest.mark.parametrize(
    ("readers", "reason"),
    [
        ([wiring("pepper_c2")], "no family pepper_c2"),
        ([wiring("feig", 9)], "9 antennas, 1 to 8 are possible"),
        ([wiring("pn532_hsu", 2)], "2 antennas, 1 to 1 are possible"),
        ([wiring("feig", identity="SIM-A")], "feig cannot call itself SIM-A"),
        ([wiring("metratec_ascii", identity="a name of 16 let")], "metratec_ascii cannot call"),
    ],
)
def test_a_reader_that_its_family_cannot_be_is_refused(readers: list[Wiring], reason: str) -> None:
    with pytest.raises(WiringError, match=re.escape(reason)):
        check_wiring(readers)


def test_readers_of_several_families_can_be_wired_together() -> None:
    places = iter(range(1, 11))
    families = ["feig", "metratec_ascii", "anyid7e55", "rdm6300", "code_shoe"]
    check_wiring(
        Wiring(
            name=family,
            family=family,
            identity=IDENTITIES.get(family, "SIM_A"),
            antennas=(Antenna(place=Place(f"S{next(places)}")),),
        )
        for family in families
    )


def test_the_process_hosts_readers_of_several_families() -> None:
    readers = (
        wiring("feig"),
        Wiring(name="B", family="rdm6300", identity="", antennas=(Antenna(place=S2),)),
    )

    async def run() -> list[bytes]:
        async with await SimulatedReaders.start(readers) as running:
            running.put([ICODE], S1)
            running.put([EM], S2)
            await asyncio.wait_for(running.sync(), 20)
            return [
                await asyncio.to_thread(exchange, running.ports[name], family)
                for name, family in (("A", "feig"), ("B", "rdm6300"))
            ]

    assert asyncio.run(run()) == [EXCHANGES["feig"][1], EXCHANGES["rdm6300"][1]]


def exchange(port: str, family: str) -> bytes:
    """Ask a reader of the process; return what it says, up to the tag."""
    question, answer = EXCHANGES[family]
    with serial.Serial(port, FAMILIES[family].baud, timeout=10) as client:
        client.write(question)
        said: bytes = client.read_until(answer)
    return said[-len(answer) :]


@pytest.mark.parametrize("kind", [ISO15693, ISO14443, EPC, EM4100])
def test_a_ghost_is_of_the_kind_that_the_reader_hears(kind: TagKind) -> None:
    source = FaultSource(Faults(ghost_tag=1, seed=3))
    ghosts = [source.hear((), (), kind) for _ in range(20)]
    assert all(len(each) == 1 and kind.fits(each[0]) for each in ghosts)
    assert len(set(ghosts)) == 20


@pytest.mark.parametrize(
    ("tag", "kinds"),
    [
        (ICODE, [ISO15693]),
        (CARD, [ISO14443, EPC]),  # an EPC of two words looks like a single-size UID
        (UHF, [EPC]),
        (EM, [EM4100]),
        (Tag("04112233445566"), [ISO14443]),
        (Tag("04112233445566778899"), [ISO14443, EPC]),
        (Tag("E2" + 14 * "0"), [EPC]),
        (Tag("e004" + 12 * "0"), []),
        (Tag(128 * "0"), []),
    ],
)
def test_a_tag_is_of_the_kinds_whose_shape_it_has(tag: Tag, kinds: list[TagKind]) -> None:
    assert [kind for kind in (ISO15693, ISO14443, EPC, EM4100) if kind.fits(tag)] == kinds


def test_a_collision_loses_one_tag_and_is_noticed() -> None:
    source = FaultSource(Faults(collision=1))
    heard = (ICODE, CARD, EM)
    for _ in range(20):
        read = source.collide(heard)
        assert not read.is_whole
        assert len(read.tags) == 2
        assert [tag for tag in heard if tag in read.tags] == list(read.tags)
    assert source.collide(()) == Heard()
    assert FaultSource(Faults()).collide(heard) == Heard(heard)


def test_collisions_reach_the_wire(folder: PortFolder) -> None:
    bench = Bench(folder, "feig")
    bench.reader.set_faults(Faults(collision=1))
    with bench.open() as client:
        bench.send(client, EXCHANGES["feig"][0])
        assert client.read(7).hex() == "0700b08300b22c"  # vector feig-032
