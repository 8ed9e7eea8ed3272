"""How a table is wired: which reader sits at which port, and what its antennas cover."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from engine.cards import BOARD, BURN, MUCK, Place, seat_number
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.errors import WiringError

_BEFORE_THE_DEALER = frozenset({BOARD, BURN, MUCK})


class ReaderSpec(Struct, frozen=True, kw_only=True):
    """One reader as the table file describes it."""

    name: str
    """For people: health lines and logs speak of it by this name."""
    port: str
    """``/dev/serial/by-id/...``, ``/dev/serial/by-path/...`` or ``usb:VID:PID[:SERIAL]``."""
    family: str = "pepper_c1"
    antennas: dict[int, Place]
    """Antenna number, as the reader counts, to the place that it covers; in wiring order."""
    baud: int | None = None
    """Speed of the port in bit/s; None takes the family's."""
    identity: str | None = None
    """What the reader must call itself; None takes any reader of the family."""
    reset_on_open: bool = False
    """Whether the device boots when its port is opened (DTR wired to its reset)."""
    settle_s: float = 0.0
    """How long after opening the device is left alone before the first question."""
    connect_s: float = 10.0
    """How long the handshake may take from opening on before the port is opened afresh."""


def device_of(place: Place) -> str:
    """Return the name under which the engine knows the reader of a place: ``seat:3``, ``shoe``."""
    number = seat_number(place)
    return str(place) if number is None else f"seat:{number}"


def are_neighbours(one: Place, other: Place) -> bool:
    """Say whether antennas at two places may hear each other, by the layout of a usual table.

    Seats next to each other are neighbours, and so are board, burn and muck, which lie together
    before the dealer. The shoe and the pack pad stand off the felt. Assumed: a survey of the table
    at hand may know better.
    """
    seats = seat_number(one), seat_number(other)
    if seats[0] is not None and seats[1] is not None:
        return abs(seats[0] - seats[1]) == 1
    return one != other and {one, other} <= _BEFORE_THE_DEALER


def check_wiring(specs: Sequence[ReaderSpec]) -> None:
    """Refuse a wiring that cannot work.

    Raises:
        WiringError: If a name, a port or a place is given twice, if a family is unknown, or if a
            reader has no antenna or one that its family does not have.
    """
    faults = [
        *_doubled("reader name", (spec.name for spec in specs)),
        *_doubled("port", (spec.port for spec in specs)),
        *_doubled("place", (place for spec in specs for place in spec.antennas.values())),
        *(fault for spec in specs for fault in _reader_faults(spec)),
    ]
    if faults:
        raise WiringError(faults)


def _reader_faults(spec: ReaderSpec) -> Iterator[str]:
    if not spec.antennas:
        yield f"reader {spec.name} has no antenna"
    if spec.family not in DIALECTS:
        yield f"reader {spec.name}: no family {spec.family}, known are {', '.join(DIALECTS)}"
        return
    most = DIALECTS[spec.family]().family.antennas
    for antenna in spec.antennas:
        if not 1 <= antenna <= most:
            yield f"reader {spec.name} has no antenna {antenna}, but 1 to {most}"


def _doubled(what: str, words: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for word in words:
        if word in seen:
            yield f"{what} {word} is given twice"
        seen.add(word)
