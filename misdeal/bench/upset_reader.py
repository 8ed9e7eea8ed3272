"""A simulated reader whose answers go wrong by plan: ``python -m misdeal.bench.upset_reader``.

Every look at an antenna hears a card that nobody has heard before. So an answer shows when and
where it was heard, and one that is handed out for another question cannot pass for the right one.

The process prints the path of its port, and at the end of its input what it was asked and what
lay at its antennas; both as one JSON line.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from functools import partial
from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Tag
from hw_fixtures.devices.catalogue import FAMILIES
from hw_fixtures.devices.device import ISO14443, Device, Hear, Heard, Reply
from hw_fixtures.faults import OTHER_FAMILY
from hw_fixtures.hosted import HostedReader, Written
from hw_fixtures.loop import Loop
from hw_fixtures.wire import PortFolder
from hw_fixtures.world import Antenna, Wiring, World
from misdeal.clock import stopwatch_ns

Upset = Literal["nothing", "stray byte", "false start", "foreign bytes", "split frame", "late"]
UPSETS: Final[tuple[Upset, ...]] = get_args(Upset)

_NAME = "upset"


class Trait(Struct, frozen=True):
    """What is needed to upset the readers of one family."""

    identity: str
    antennas: int
    stray: bytes
    """One byte that a frame can begin with."""
    false_start: bytes
    """The head of a frame that never comes."""


TRAITS: Final[dict[str, Trait]] = {
    "pepper_c1": Trait("C1-MUX SIM", 8, b"\xf5", b"\xf5\x40\x00\xbf\xff"),
    "pn532_hsu": Trait("32010607", 1, b"\x00", b"\x00\x00\xff\x20\xe0"),
    "metratec_ascii": Trait("QUASAR_MX", 8, b"E", b"E00401"),
}


class Look(Struct, frozen=True):
    """What was heard at an antenna, and when, on CLOCK_MONOTONIC."""

    tag: Tag
    antenna: int
    at_ns: int


class Record(Struct, frozen=True):
    """What a reader lived through."""

    commands_ns: tuple[int, ...]
    """When it had taken each command whole."""
    upsets: int
    looks: tuple[Look, ...]


class UpsetDevice:
    """A device whose answers go wrong: every so many of those that tell a card.

    Args:
        family: The family's name.
        upset: What happens to them.
        every: How many answers with a card make one that goes wrong.
        late_ms: How long what comes late comes late.
    """

    def __init__(self, family: str, upset: Upset, *, every: int, late_ms: float) -> None:
        self._trait = TRAITS[family]
        self._upset, self._every, self._late_ms = upset, every, late_ms
        self._family = FAMILIES[family]
        self.device: Device = self._family.make(
            name=self._trait.identity,
            antennas=self._trait.antennas,
            baud=self._family.baud,
            hear=self._look,
        )
        self.kind, self.timing = self.device.kind, self.device.timing
        self._upsets = self._told = 0
        self._commands_ns: list[int] = []
        self._looks: list[Look] = []

    @property
    def record(self) -> Record:
        """What it has lived through so far."""
        return Record(tuple(self._commands_ns), self._upsets, tuple(self._looks))

    @property
    def baud(self) -> int:
        """The speed that it speaks at now."""
        return self.device.baud

    @property
    def offered_baud(self) -> int:
        """The speed that it changes to when its host agrees."""
        return self.device.offered_baud

    @property
    def is_polling(self) -> bool:
        """Whether it tells something unasked."""
        return self.device.is_polling

    def receive_data(self, data: bytes) -> list[Reply]:
        """Take bytes from the host; return the answers, some of them upset."""
        replies = self.device.receive_data(data)
        self._commands_ns += [stopwatch_ns()] if replies else []
        return [upset for reply in replies for upset in self._spoil(reply)]

    def pause(self) -> None:
        """Take it that the line was silent."""
        self.device.pause()

    def notices(self) -> list[Reply]:
        """Return what is said unasked."""
        return self.device.notices()

    def restart(self) -> None:
        """Start anew."""
        self.device.restart()

    def greet(self) -> list[Reply]:
        """Return what is said at a start."""
        return self.device.greet()

    def _look(self, antenna: int) -> Heard:
        number = len(self._looks)
        text = f"04{number:012X}" if self.kind is ISO14443 else f"E0040100{number:08X}"
        self._looks.append(Look(Tag(text), antenna, stopwatch_ns()))
        return Heard((Tag(text),))

    def _spoil(self, reply: Reply) -> Iterator[Reply]:
        self._told += bool(reply.tags)
        if self._upset == "nothing" or not reply.tags or self._told % self._every:
            yield reply
            return
        self._upsets += 1
        match self._upset:
            case "late":
                yield replace(reply, work_ms=reply.work_ms + self._late_ms)
            case "split frame":
                half = len(reply.data) // 2
                yield replace(reply, data=reply.data[:half], tags=())
                yield replace(reply, data=reply.data[half:], work_ms=self._late_ms)
            case "stray byte":
                yield replace(reply, data=self._trait.stray + reply.data)
            case "false start":
                yield replace(reply, data=self._trait.false_start + reply.data)
            case "foreign bytes":
                yield replace(reply, data=OTHER_FAMILY + reply.data)


def host(device: UpsetDevice, family: str) -> Iterator[str]:
    """Host a device on a port; yield its path, and once more when the input has ended."""

    def make(*, name: str, antennas: int, baud: int, hear: Hear) -> UpsetDevice:
        return device

    # The catalogue has one family more in this process.
    FAMILIES[_NAME] = replace(FAMILIES[family], make=make)
    trait = TRAITS[family]
    wiring = Wiring(
        name="X", antennas=(Antenna(),) * trait.antennas, identity=trait.identity, family=_NAME
    )
    loop, folder = Loop(), PortFolder()
    try:
        HostedReader(wiring, loop=loop, folder=folder, look=World, tell=_forget)
        (path,) = folder.path.iterdir()
        yield str(path)
        loop.watch(sys.stdin.fileno(), partial(_stop_at_end, loop))
        loop.run()
    finally:
        folder.close()


def _stop_at_end(loop: Loop) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        loop.stop()


def _forget(_written: Written) -> None:
    """The looks tell more."""


def main() -> None:
    """Host one reader until the input ends."""
    parser = argparse.ArgumentParser(prog="python -m misdeal.bench.upset_reader")
    parser.add_argument("family", choices=TRAITS)
    parser.add_argument("upset", choices=UPSETS)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--late-ms", type=float, default=700.0)
    given = parser.parse_args()
    device = UpsetDevice(given.family, given.upset, every=given.every, late_ms=given.late_ms)
    for path in host(device, given.family):
        _say({"port": path})
    _say(device.record)


def _say(what: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(what) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
