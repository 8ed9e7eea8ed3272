"""The physical table: which cards lie where, in which order, and what an antenna hears of them.

Pure values. A place holds a stack, lowest card first; a tag lies at one place at a time. How the
readers are wired to places is data, too: ``TABLE`` is the demo table, three Pepper C1 as a
nine-handed hold'em table would have them.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import BOARD, BURN, MUCK, PACK, SHOE, Place, Tag, parse_place, seat_place
from hw_fixtures.devices.catalogue import FAMILIES, PEPPER
from hw_fixtures.errors import WiringError, WorldError

Hearing = Literal["lowest", "newest"]


class World(Struct, frozen=True):
    """Where every card lies: place to stack, lowest card first."""

    stacks: dict[Place, tuple[Tag, ...]] = {}

    def at(self, place: Place) -> tuple[Tag, ...]:
        """Return the stack at a place, lowest card first."""
        return self.stacks.get(place, ())

    def place_of(self, tag: Tag) -> Place | None:
        """Return where a tag lies, or None where it is not at the table."""
        return next((place for place, stack in self.stacks.items() if tag in stack), None)


def put(world: World, tags: Iterable[Tag], place: Place) -> World:
    """Lay cards that are not at the table onto a place, the last of them on top.

    Raises:
        WorldError: If one of them lies somewhere already.
    """
    new = tuple(tags)
    for tag in new:
        if (lies := world.place_of(tag)) is not None:
            raise WorldError(tag, lies)
    return replace(world, stacks={**world.stacks, place: world.at(place) + new})


def take(world: World, tags: Iterable[Tag]) -> World:
    """Take cards off the table.

    Raises:
        WorldError: If one of them lies nowhere.
    """
    gone = frozenset(tags)
    for tag in gone:
        if world.place_of(tag) is None:
            raise WorldError(tag, None)
    left = {
        place: tuple(tag for tag in stack if tag not in gone)
        for place, stack in world.stacks.items()
    }
    return World({place: stack for place, stack in left.items() if stack})


def move(world: World, tags: Iterable[Tag], place: Place) -> World:
    """Carry cards from wherever they lie, or from outside, onto a place."""
    moved = tuple(tags)
    return put(take(world, [tag for tag in moved if world.place_of(tag)]), moved, place)


class Antenna(Struct, frozen=True, kw_only=True):
    """One antenna of a reader and the place it lies under."""

    place: Place | None = None
    """None where nothing is connected."""
    capacity: int = 3
    """Cards of one stack that answer; the coils of more detune each other.

    Source: pokerchipforum.com thread 88715, a table builder: two in a stack are read surely,
    the third is doubtful.
    """
    hears: Hearing = "lowest"
    """Which of a stack that is too high: the cards nearest to the felt, or those that came last
    and slid over the antenna one by one (assumed for the muck)."""


class Wiring(Struct, frozen=True, kw_only=True):
    """One reader: its name, how it calls itself, and its antennas, numbered from 1."""

    name: str
    antennas: tuple[Antenna, ...]
    identity: str
    """Text, or hex where the family has but bytes for it: ``DeviceFamily.identity``."""
    family: str = PEPPER
    baud: int | None = None
    """Speed in bits per second; None for that of the family."""


def hear(world: World, antenna: Antenna) -> tuple[Tag, ...]:
    """Return the tags that answer at an antenna: a stack above its capacity hides the rest."""
    if antenna.place is None:
        return ()
    stack = world.at(antenna.place)
    return stack[-antenna.capacity :] if antenna.hears == "newest" else stack[: antenna.capacity]


def neighbours(wiring: Wiring, number: int) -> tuple[Antenna, ...]:
    """Return the antennas that lie beside one of the same reader, as numbers are wired in order."""
    return tuple(
        wiring.antennas[n - 1] for n in (number - 1, number + 1) if 1 <= n <= len(wiring.antennas)
    )


def check_wiring(wirings: Iterable[Wiring]) -> None:
    """Check that readers can be wired like this.

    Raises:
        WiringError: If a name occurs twice, a place has two antennas, or a reader is of an unknown
            family, has not as many antennas as its family can or a name that it cannot tell.
    """
    names: set[str] = set()
    places: set[Place] = set()
    for wiring in wirings:
        if wiring.name in names:
            raise WiringError(wiring.name, "there are two of this name")
        _check_family(wiring)
        names.add(wiring.name)
        for antenna in wiring.antennas:
            if antenna.place is None:
                continue
            if parse_place(antenna.place) in places:
                raise WiringError(wiring.name, f"{antenna.place} has an antenna already")
            places.add(antenna.place)


def _check_family(wiring: Wiring) -> None:
    family = FAMILIES.get(wiring.family)
    if family is None:
        raise WiringError(wiring.name, f"no family {wiring.family}")
    count, most = len(wiring.antennas), family.antennas
    if not 1 <= count <= most:
        raise WiringError(wiring.name, f"{count} antennas, 1 to {most} are possible")
    if not family.accepts(wiring.identity):
        raise WiringError(wiring.name, f"{wiring.family} cannot call itself {wiring.identity}")


def _seats(*numbers: int) -> tuple[Antenna, ...]:
    return tuple(Antenna(place=seat_place(number)) for number in numbers)


TABLE: tuple[Wiring, ...] = (
    Wiring(
        name="A",
        identity="C1-MUX SIM-A",
        baud=115200,
        antennas=_seats(1, 2, 3, 4, 5, 6, 7, 8),
    ),
    Wiring(
        name="B",
        identity="C1-MUX SIM-B",
        baud=115200,
        antennas=(
            *_seats(9),
            Antenna(place=BOARD, capacity=6),  # side by side, not stacked
            Antenna(place=BURN, capacity=4),
            Antenna(place=MUCK, capacity=5, hears="newest"),
            Antenna(place=PACK, capacity=60),  # a loop around the whole pack, not under it
            *[Antenna()] * 3,
        ),
    ),
    Wiring(
        name="C",
        identity="C1 SIM-C",
        baud=115200,
        antennas=(Antenna(place=SHOE, capacity=2),),
    ),
)
"""The demo table: A has seats 1 to 8; B seat 9, board, burn, muck and pack pad; C the shoe."""

READ_PLACES: frozenset[Place] = frozenset(
    antenna.place for wiring in TABLE for antenna in wiring.antennas if antenna.place is not None
)
"""Every place of the demo table that has an antenna."""
