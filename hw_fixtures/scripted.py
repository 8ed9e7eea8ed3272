"""A table for scripts: as many simulated readers as its places need, in one loop with the bridge.

Cards lie side by side here, and every card of a place answers; of a discard rack those that came
last. What a stack hides and what goes wrong on the wires is for other tests.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from types import TracebackType
from typing import Self

from engine.cards import RACK, Place, Tag
from hw_fixtures.hosted import HostedReader
from hw_fixtures.lockstep import LockstepLoop, LockstepTimers
from hw_fixtures.wire import PortFolder
from hw_fixtures.world import Antenna, Wiring, World, hear, put, take

# Half as many as a Pepper C1 MUX has. Where stud hands of six cards lie under a full one a landing
# is told more than 0.4 s after it (docs/measurements.md), and within that the engine joins a face
# that is seen with a card that is read.
_ANTENNAS = 4

# More cards than a script lays at any other place; the most that are collected at once and more.
_CAPACITY, _RACK_CAPACITY = 1000, 40


def wire_table(places: Sequence[Place], alone: Iterable[Place] = ()) -> tuple[Wiring, ...]:
    """Wire readers to places, as few as there must be and as many antennas to each as to another.

    Args:
        places: The places that have an antenna, in wiring order.
        alone: Those of them that have a reader of their own, so that its plug can be pulled.
    """
    single = frozenset(alone)
    shared = [place for place in places if place not in single]
    count = -(-len(shared) // _ANTENNAS)
    ends = [len(shared) * number // count for number in range(count + 1)]
    groups = [shared[start:end] for start, end in pairwise(ends)]
    return tuple(
        Wiring(
            name=f"R{number}",
            identity=f"C1-MUX SIM-R{number}",
            antennas=tuple(map(_antenna, group)),
        )
        for number, group in enumerate([*groups, *([place] for place in sorted(single))], start=1)
    )


def _antenna(place: Place) -> Antenna:
    if place == RACK:
        return Antenna(place=place, capacity=_RACK_CAPACITY, hears="newest")
    return Antenna(place=place, capacity=_CAPACITY)


class ScriptedTable:
    """Simulated readers, the cards that lie under their antennas, and the hand that moves them.

    Args:
        wirings: The readers.
        loop: Runs them; the client of their ports must run in it, too.
    """

    def __init__(self, wirings: Sequence[Wiring], loop: LockstepLoop) -> None:
        self._world = World()
        self._echoes = World()
        self._folder = PortFolder()
        timers = LockstepTimers(loop)
        self._readers = [
            HostedReader(
                wiring,
                loop=timers,
                folder=self._folder,
                look=self._look,
                tell=lambda written: None,
            )
            for wiring in wirings
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for reader in self._readers:
            if reader.is_plugged_in:
                reader.unplug()
        self._folder.close()

    @property
    def ports(self) -> list[tuple[Wiring, str]]:
        """Each reader's wiring and the path of its port."""
        return [
            (reader.wiring, str(self._folder.path / reader.link_name)) for reader in self._readers
        ]

    @property
    def places(self) -> frozenset[Place]:
        """The places that have an antenna."""
        return frozenset(
            antenna.place
            for reader in self._readers
            for antenna in reader.wiring.antennas
            if antenna.place is not None
        )

    def heard(self) -> dict[Place, frozenset[Tag]]:
        """Return what each antenna hears; those of a reader that is unplugged are left out."""
        world = self._look()
        return {
            antenna.place: frozenset(hear(world, antenna))
            for reader in self._readers
            if reader.is_plugged_in
            for antenna in reader.wiring.antennas
            if antenna.place is not None
        }

    def at(self, place: Place) -> tuple[Tag, ...]:
        """Return the cards that lie at a place, the lowest first."""
        return self._world.at(place)

    def lay(self, tags: Iterable[Tag], place: Place) -> None:
        """Carry cards from wherever they lie, or from outside, onto a place."""
        moved = tuple(tags)
        self.lift(moved)
        self._world = put(self._world, moved, place)

    def lift(self, tags: Iterable[Tag]) -> None:
        """Take cards off the table, wherever they lie; those that lie nowhere stay there."""
        lying = [tag for tag in tags if self._world.place_of(tag) is not None]
        self._world = take(self._world, lying)

    def echo(self, tags: Iterable[Tag], place: Place) -> None:
        """Let the antenna of a place hear cards as well that lie elsewhere, until it is hushed."""
        strange = [tag for tag in tags if tag not in self._world.at(place)]
        self._echoes = put(self._echoes, strange, place)

    def hush(self) -> None:
        """End all echoes."""
        self._echoes = World()

    def plug(self, place: Place, *, is_in: bool) -> None:
        """Plug the reader of a place in, or pull its plug; do nothing where it is so already."""
        reader = next(
            reader
            for reader in self._readers
            if any(antenna.place == place for antenna in reader.wiring.antennas)
        )
        if is_in and not reader.is_plugged_in:
            reader.plug_in(reader.link_name)
        elif reader.is_plugged_in and not is_in:
            reader.unplug()

    def _look(self) -> World:
        """Return what the antennas hear of: the cards, and the echoes of some of them."""
        if not self._echoes.stacks:
            return self._world
        stacks = dict(self._world.stacks)
        for place, tags in self._echoes.stacks.items():
            stacks[place] = (*stacks.get(place, ()), *tags)
        return World(stacks)
