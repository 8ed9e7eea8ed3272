"""The process that hosts a table's readers: ``python -m hw_fixtures.readers``.

Every reader has a pseudo-terminal of its own; it is a Pepper C1 where its wiring names no family.
What happens to the cards comes as JSON lines on standard input, what is to be known goes out as
JSON lines on standard output; ``hw_fixtures/orders.py`` has both. The process ends when it is told
to, or when its input ends.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence

import msgspec

from engine.cards import Place, Tag, parse_place
from engine.errors import PlaceError
from hw_fixtures.errors import FixtureError, UnknownReaderError, WiringError
from hw_fixtures.hosted import HostedReader, Written
from hw_fixtures.loop import Loop
from hw_fixtures.orders import Order, Report
from hw_fixtures.wire import PortFolder
from hw_fixtures.world import TABLE, Wiring, World, check_wiring, move, put, take

# Longest order line; 60 tags need under 2,000 bytes.
MAX_LINE = 65536


class Bench:
    """The readers of a table, the cards on it, and the orders that move them.

    Args:
        wirings: The readers.
        loop: Runs them.
        folder: Holds the links to their ports.
        say: Takes a report.
        speed: How many times faster than real time the readers live.
    """

    def __init__(
        self,
        wirings: Iterable[Wiring],
        *,
        loop: Loop,
        folder: PortFolder,
        say: Callable[[Report], None],
        speed: float = 1.0,
    ) -> None:
        self._loop, self._folder, self._say = loop, folder, say
        self._world = World()
        self._stamped: frozenset[Tag] = frozenset()
        self._readers = {
            wiring.name: HostedReader(
                wiring,
                loop=loop,
                folder=folder,
                look=lambda: self._world,
                tell=self._tell,
                speed=speed,
            )
            for wiring in wirings
        }
        self._tell_ports()

    def obey(self, line: bytes) -> None:
        """Carry out one order; say why where it cannot be carried out."""
        try:
            self._carry_out(msgspec.json.decode(line, type=Order))
        except (msgspec.DecodeError, FixtureError, PlaceError) as error:
            self._say(Report(refused=str(error)))

    def _carry_out(self, order: Order) -> None:
        self._move_cards(order)
        self._meddle(order)
        if order.stamp is not None:
            self._stamped = frozenset(order.stamp)
        if order.sync is not None:
            self._say(Report(synced=order.sync))
        if order.quit:
            self._loop.stop()

    def _move_cards(self, order: Order) -> None:
        world = self._world
        if order.take is not None:
            world = take(world, _several(order.take))
        if order.put is not None:
            world = put(world, _several(order.put), _place(order))
        if order.move is not None:
            world = move(world, _several(order.move), _place(order))
        self._world = world

    def _meddle(self, order: Order) -> None:
        if order.fault is not None:
            names = [order.reader] if order.reader else list(self._readers)
            for name in names:
                self._reader(name).set_faults(order.fault)
        if order.restart is not None:
            self._reader(order.restart).restart()
        if order.unplug is not None:
            self._reader(order.unplug).unplug()
        if order.replug is not None:
            reader = self._reader(order.replug, is_plugged_in=False)
            reader.plug_in(reader.link_name)
        if order.swap is not None:
            self._swap(*order.swap)

    def _swap(self, one: str, other: str) -> None:
        first, second = self._reader(one), self._reader(other)
        first_name, second_name = first.link_name, second.link_name
        first.unplug()
        second.unplug()
        first.plug_in(second_name)
        second.plug_in(first_name)
        self._tell_ports()

    def _reader(self, name: str, *, is_plugged_in: bool = True) -> HostedReader:
        reader = self._readers.get(name)
        if reader is None or reader.is_plugged_in != is_plugged_in:
            raise UnknownReaderError(name, "plugged in" if is_plugged_in else "unplugged")
        return reader

    def _tell_ports(self) -> None:
        paths = {
            name: str(self._folder.path / reader.link_name)
            for name, reader in self._readers.items()
        }
        self._say(Report(ports=paths))

    def _tell(self, written: Written) -> None:
        if not self._stamped.isdisjoint(written.tags):
            self._say(Report(written=written))


def _several(tags: tuple[Tag, ...] | Tag) -> tuple[Tag, ...]:
    return (tags,) if isinstance(tags, str) else tags


def _place(order: Order) -> Place:
    return parse_place(order.place or "")


def _feed(bench: Bench, loop: Loop, fd: int) -> Callable[[], None]:
    """Return the act that takes orders from a descriptor and stops the loop at its end."""
    rest = b""

    def take_orders() -> None:
        nonlocal rest
        data = os.read(fd, MAX_LINE)
        if not data:
            loop.stop()
        *lines, rest = (rest + data).split(b"\n")
        rest = rest[-MAX_LINE:]
        for line in lines:
            bench.obey(line)

    return take_orders


def _say(report: Report) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    sys.stdout.buffer.flush()


def _leave(signum: int, frame: object) -> None:
    sys.exit(0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Host readers until the input ends."""
    parser = argparse.ArgumentParser(prog="python -m hw_fixtures.readers", description=__doc__)
    parser.add_argument("--wiring", help="the readers as JSON; left out: the demo table")
    parser.add_argument("--speed", type=float, default=1.0, help="times faster than real time")
    given = parser.parse_args(arguments)
    wirings = msgspec.json.decode(given.wiring, type=tuple[Wiring, ...]) if given.wiring else TABLE
    try:
        check_wiring(wirings)
    except WiringError as error:
        parser.error(str(error))
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, _leave)
    loop, folder = Loop(), PortFolder()
    try:
        bench = Bench(wirings, loop=loop, folder=folder, say=_say, speed=given.speed)
        loop.watch(sys.stdin.fileno(), _feed(bench, loop, sys.stdin.fileno()))
        loop.run()
    finally:
        folder.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
