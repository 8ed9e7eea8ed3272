"""How fast bytes become messages: each family's frames, as a simulated reader sends them.

A session and a device talk in memory, on a clock that only they have. What the device said is
then cut into frames and read again and again, which is all that the parser does.
"""

from typing import Final

from msgspec import Struct

from engine.cards import Tag, seat_place
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.families import FAMILIES
from firmware_bridge.families.family import Family, Frame
from firmware_bridge.framing import Framer
from firmware_bridge.session import Session
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.devices import catalogue
from hw_fixtures.devices.device import EM4100, EPC, ISO14443, ISO15693, Device, Heard, TagKind
from misdeal.bench.figures import Figure
from misdeal.clock import stopwatch_ns

MEGABYTE = 1_000_000

# As much as a serial port hands over at once where the host is a little late.
CHUNK = 64

_MS = 1_000_000
_TALK_MS = 5_000
"""How long session and device talk, on their own clock."""

_TAGS: Final[dict[TagKind, tuple[Tag, ...]]] = {
    ISO15693: (Tag("E004010812345678"), Tag("E0040108ABCDEF01")),
    ISO14443: (Tag("04A1B2C3D4E5F6"), Tag("04112233445566")),
    EPC: (Tag("E28011700000020F12345678"), Tag("E28011700000020FABCDEF01")),
    EM4100: (Tag("0102030405"),),
}
_IDENTITIES: Final = {
    "feig": "00012345",
    "pn532_hsu": "32010607",
    "chafon_uhf": "00160C034E001E0A01000000",
    "thingmagic": "0710230001000003201410070107020900000010",
}


class Speed(Struct, frozen=True):
    """How fast one family's stream was read."""

    frames: int
    length: int
    """Bytes."""
    took_ns: int


def measure_parsers(size: int = MEGABYTE) -> list[Figure]:
    """Measure every family that can be simulated, on about ``size`` bytes each."""
    return [
        _figure(name, parse(FAMILIES[name], stream, size))
        for name in FAMILIES
        if name in catalogue.FAMILIES and (stream := overhear(name))
    ]


def parse(family: Family, stream: bytes, size: int) -> Speed:
    """Read a stream again and again, piece by piece, as it comes from a port."""
    pieces = [stream[at : at + CHUNK] for at in range(0, len(stream), CHUNK)]
    framer = Framer(family)
    length = 0
    start_ns = stopwatch_ns()
    while length < size:
        for piece in pieces:
            for each in framer.feed(piece):
                if isinstance(each, Frame):
                    family.decode(each.data, "rx")
        length += len(stream)
    return Speed(framer.frames, length, stopwatch_ns() - start_ns)


def overhear(name: str) -> bytes:
    """Return what a simulated reader of a family says in a few seconds with two cards on it."""
    made = catalogue.FAMILIES[name]
    device: Device = made.make(
        name=_IDENTITIES.get(name, "SIM_A"),
        antennas=1,
        baud=made.baud,
        hear=lambda _: Heard(_TAGS[device.kind]),
    )
    session = Session(
        ReaderSpec(name="X", port="", family=name, antennas={1: seat_place(1)}), DIALECTS[name]()
    )
    return _converse(session, device)


def _converse(session: Session, device: Device) -> bytes:
    said = b""
    waiting = session.open(0).write
    for now_ms in range(_TALK_MS):
        now_ns = now_ms * _MS
        replies = device.receive_data(waiting) if waiting else []
        replies += device.notices() if now_ms % 100 == 0 else []
        waiting = b""
        for reply in replies:
            said += reply.data
            waiting += session.receive(reply.data, now_ns).write
        waiting += session.advance(now_ns).write
        if session.is_idle:
            waiting += session.ask(1, now_ns).write
    return said


def _figure(name: str, speed: Speed) -> Figure:
    took_s = speed.took_ns / 1e9
    wire = FAMILIES[name].baud / 10
    return Figure(
        what=f"parser: {name}",
        median=f"{speed.length / took_s / MEGABYTE:.2f} MB/s",
        note=f"{speed.frames / took_s:,.0f} frames/s, "
        f"{speed.length / took_s / wire:,.0f} times its wire",
    )
