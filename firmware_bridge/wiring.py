"""How a table is wired: which reader sits at which port, and what its antennas cover."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from engine.cards import BOARD, BURN, HANDS, MUCK, Card, Place, seat_number
from firmware_bridge.actuators import SafeState
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.dialects.dialect import Dialect, Options
from firmware_bridge.errors import WiringError
from firmware_bridge.families import code_shoe

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
    region: int | None = None
    """The radio region of a UHF reader, as its maker counts; None leaves it as it is."""
    has_multiplexer: bool = False
    """Whether a FEIG's antennas are channels of an ISC.ANT.MUX, not outputs of its own."""
    codes: dict[str, Card] = {}
    """The card of each code that a code shoe tells."""
    safe_state: SafeState | None = None
    """What our front end does when it hears nothing any more; None leaves it to its firmware."""

    @property
    def options(self) -> Options:
        """What its dialect needs to know of it."""
        return Options(tuple(self.antennas), self.region, self.has_multiplexer)


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


def check_wiring(specs: Sequence[ReaderSpec], *, hand_cards: int = 0) -> None:
    """Refuse a wiring that cannot work.

    Args:
        specs: The readers.
        hand_cards: How many cards a hand of the game has; 0 where that is not known.

    Raises:
        WiringError: If a name, a port or a place is given twice, if a family is unknown, if a
            reader has no antenna or one that its family does not have, hears fewer cards than a
            hand has, is to say who it is and cannot, or is a code shoe without a map.
    """
    faults = [
        *_doubled("reader name", (spec.name for spec in specs)),
        *_doubled("port", (spec.port for spec in specs)),
        *_doubled("place", (place for spec in specs for place in spec.antennas.values())),
        *(fault for spec in specs for fault in _reader_faults(spec, hand_cards)),
    ]
    if faults:
        raise WiringError(faults)


def _reader_faults(spec: ReaderSpec, hand_cards: int) -> Iterator[str]:
    dialect = DIALECTS.get(spec.family)
    if dialect is None:
        yield f"reader {spec.name}: no family {spec.family}, known are {', '.join(DIALECTS)}"
        return
    if not spec.antennas and not dialect.has_outputs:
        yield f"reader {spec.name} has no antenna"
    yield from _antenna_faults(spec, dialect, hand_cards)
    if spec.identity is not None and not dialect.has_identity:
        yield f"reader {spec.name}: a {spec.family} cannot say who it is; leave the identity out"
    if spec.family == code_shoe.FAMILY.name and not spec.codes:
        yield f"reader {spec.name} tells codes and has no map that says which cards they are"


def _antenna_faults(spec: ReaderSpec, dialect: type[Dialect], hand_cards: int) -> Iterator[str]:
    last = dialect.family.antennas
    most = dialect.max_tags or dialect.family.max_tags
    for antenna, place in spec.antennas.items():
        if not 1 <= antenna <= last:
            yield f"reader {spec.name} has no antenna {antenna}, but 1 to {last}"
        if place in HANDS and most < hand_cards:
            yield (
                f"reader {spec.name} hears {most} cards at once, too few for {place}: a hand of "
                f"this game has {hand_cards}"
            )


def _doubled(what: str, words: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for word in words:
        if word in seen:
            yield f"{what} {word} is given twice"
        seen.add(word)
