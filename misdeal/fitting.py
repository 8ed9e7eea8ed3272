"""What must fit together in a table file beyond the types: seats, ports, antennas, names."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from engine.cards import PLACES, seat_number
from engine.games import PLANS
from engine.rulebook import book_games, book_names
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.families import code_shoe
from misdeal.config import Reader, TableFile
from misdeal.locate import KeyPath
from misdeal.shape import Difference, expect_one_of, spell_value

TABLE_LAMP = "table"
"""What a table file calls the lamp that stands for the whole table."""

MOST_LAMPS = 255
"""The number goes over the wire in one byte."""

BY_ID = Path("/dev/serial/by-id")

# Numbered by the order in which the kernel met the devices; the next start may number otherwise.
_UNSTABLE = ("/dev/ttyUSB", "/dev/ttyACM")


def misfits(file: TableFile) -> list[Difference]:
    """Return everything in a table file that does not fit together."""
    return [difference for check in _CHECKS for difference in check(file)]


def notes(file: TableFile, *, by_id: Path = BY_ID) -> list[tuple[KeyPath, str]]:
    """Return what works but should be known before the table is opened.

    Args:
        file: The table file.
        by_id: The folder of links that name serial ports by their adapters.

    Returns:
        The key and a sentence for each.
    """
    found: list[tuple[KeyPath, str]] = [
        (("reader", index, "port"), _unstable_port(reader.port, by_id))
        for index, reader in enumerate(file.reader)
        if reader.port.startswith(_UNSTABLE)
    ]
    covered = {place for reader in file.reader for place in reader.antennas.values()}
    bare = [f"S{seat}" for seat in file.seats if f"S{seat}" not in covered]
    if bare:
        found.append((("reader",), f"no reader at {', '.join(bare)}: followed from the deal plan"))
    unwatched = [
        place for place in ("shoe", "board", "burn", "muck", "pack") if place not in covered
    ]
    if unwatched:
        found.append((("reader",), f"no reader at {', '.join(unwatched)}: not watched there"))
    if file.page.serve and not file.page.certificate and not _is_own(file.page.bind):
        open_line = f"{file.page.bind} is heard beyond this machine, passwords in the clear"
        found.append((("page", "bind"), f"{open_line}; use a certificate"))
    return found


def _is_own(address: str) -> bool:
    """Say whether only this machine reaches an address."""
    return address in ("localhost", "::1") or address.startswith("127.")


def _unstable_port(port: str, by_id: Path) -> str:
    links = sorted(by_id.iterdir()) if by_id.is_dir() else []
    better = [str(link) for link in links if link.resolve() == Path(port).resolve()]
    if better:
        return f'{port} may be another adapter at the next start; use port = "{better[0]}"'
    return f"{port} may be another adapter at the next start; use its name under {by_id}"


def _seats(file: TableFile) -> Iterator[Difference]:
    yield from _doubled((("seats", i), seat) for i, seat in enumerate(file.seats))
    table = file.tableseats or file.seats
    for index, seat in enumerate(file.seats):
        if seat not in table:
            yield Difference(("seats", index), str(seat), f"one of tableseats {list(table)}")


def _named_seats(file: TableFile) -> Iterator[Difference]:
    """Seats that other keys name must be there."""
    table = file.tableseats or file.seats
    for key, seat in (("button", file.button), ("dealer", file.dealer)):
        if seat is not None and seat not in table:
            yield Difference((key,), str(seat), f"one of the seats {list(table)}")
    for index, seat in enumerate(file.absent):
        if seat not in file.seats:
            yield Difference(("absent", index), str(seat), f"one of the seats {list(file.seats)}")
    for name in file.penalty:
        if name not in map(str, file.seats):
            expected = f"one of the seats {list(file.seats)}"
            yield Difference(("penalty", name), spell_value(name), expected)


def _game(file: TableFile) -> Iterator[Difference]:
    """The book must know the game, and a game with seats must have some."""
    if file.rulebook in book_names() and file.game not in book_games(file.rulebook):
        known = ", ".join(book_games(file.rulebook))
        yield Difference(("game",), spell_value(file.game), f"a game of {file.rulebook}: {known}")
    if not file.seats and not PLANS[file.game].places:
        yield Difference(("seats",), "no seat", f"at least one, for {file.game}")


def _shoe(file: TableFile) -> Iterator[Difference]:
    """A shoe of several packs has a register for each."""
    if file.decks > 1 and len(file.pack) != file.decks:
        expected = f"a [[pack]] for each of them, found {len(file.pack)}"
        yield Difference(("decks",), str(file.decks), expected)


def _names(file: TableFile) -> Iterator[Difference]:
    yield from _doubled((("reader", i, "name"), each.name) for i, each in enumerate(file.reader))
    yield from _doubled((("pack", i, "name"), each.name) for i, each in enumerate(file.pack))


def _ports(file: TableFile) -> Iterator[Difference]:
    """Two names of one device are one port."""
    first: dict[Path, str] = {}
    for index, reader in enumerate(file.reader):
        other = first.setdefault(Path(reader.port).resolve(), reader.name)
        if other != reader.name:
            expected = f"a port of its own: reader {other!r} has this one"
            yield Difference(("reader", index, "port"), spell_value(reader.port), expected)


def _antennas(file: TableFile) -> Iterator[Difference]:
    first: dict[str, KeyPath] = {}
    seats = file.tableseats or file.seats
    for index, reader in enumerate(file.reader):
        if not reader.antennas:
            expected = 'one or more, like 1 = "S1"'
            yield Difference(("reader", index, "antennas"), "no antenna", expected)
        yield from _antenna_numbers(reader, ("reader", index, "antennas"))
        for number, place in reader.antennas.items():
            path = ("reader", index, "antennas", number)
            if place not in PLACES:
                known = tuple(sorted(PLACES))
                yield Difference(path, spell_value(place), expect_one_of(place, known))
            elif first.setdefault(place, path) != path:
                yield Difference(path, spell_value(place), "a place that no other antenna covers")
            elif (seat := _seat(place)) is not None and seat not in seats:
                yield Difference(path, spell_value(place), f"one of the seats {list(seats)}")


def _antenna_numbers(reader: Reader, path: KeyPath) -> Iterator[Difference]:
    if reader.family not in DIALECTS:
        return
    family = DIALECTS[reader.family]().family
    for number in reader.antennas:
        if not (number.isdecimal() and 1 <= int(number) <= family.antennas):
            expected = f"an antenna number from 1 to {family.antennas}, as a {family.name} has them"
            yield Difference((*path, number), spell_value(number), expected)


def _families(file: TableFile) -> Iterator[Difference]:
    for index, reader in enumerate(file.reader):
        if reader.family not in DIALECTS:
            expected = expect_one_of(reader.family, tuple(DIALECTS))
            yield Difference(("reader", index, "family"), spell_value(reader.family), expected)


def _outputs(file: TableFile) -> Iterator[Difference]:
    """Lamps and gate: only of families that have them, each lamp at a place there is."""
    for index, reader in enumerate(file.reader):
        dialect = DIALECTS.get(reader.family)
        key = "lamps" if reader.lamps else "gate" if reader.gate else ""
        if key and dialect is not None and not dialect.has_outputs:
            expected = f"no {key}: a {reader.family} has no outputs"
            yield Difference(("reader", index, key), spell_value(reader.gate or "lamps"), expected)
        for number, place in reader.lamps.items():
            path = ("reader", index, "lamps", number)
            if not (number.isdecimal() and 1 <= int(number) <= MOST_LAMPS):
                yield Difference(path, spell_value(number), f"a lamp number from 1 to {MOST_LAMPS}")
            if place not in (TABLE_LAMP, *PLACES):
                known = (TABLE_LAMP, *sorted(PLACES))
                yield Difference(path, spell_value(place), expect_one_of(place, known))


def _codes(file: TableFile) -> Iterator[Difference]:
    """A code shoe has a map, and nobody else."""
    for index, reader in enumerate(file.reader):
        is_code_shoe = reader.family == code_shoe.FAMILY.name
        if is_code_shoe and not reader.codes:
            expected = "a file that says which code is which card"
            yield Difference(("reader", index, "codes"), "no file", expected)
        elif reader.codes and not is_code_shoe:
            expected = f"no codes: a {reader.family} reads tags"
            yield Difference(("reader", index, "codes"), spell_value(reader.codes), expected)


def _page(file: TableFile) -> Iterator[Difference]:
    """A certificate has a key, and a key its certificate."""
    names = {"certificate": file.page.certificate, "key": file.page.key}
    for name, other in (("certificate", "key"), ("key", "certificate")):
        if names[other] and not names[name]:
            yield Difference(("page", name), "nothing", f"a PEM file, as there is a {other}")


def _seat(place: str) -> int | None:
    return next((seat_number(known) for known in PLACES if known == place), None)


def _doubled(values: Iterable[tuple[KeyPath, object]]) -> Iterator[Difference]:
    seen: Counter[object] = Counter()
    for path, value in values:
        seen[value] += 1
        if seen[value] == 2:
            yield Difference(path, f"{spell_value(value)} again", "each once")


_CHECKS: tuple[Callable[[TableFile], Iterator[Difference]], ...] = (
    _seats,
    _named_seats,
    _game,
    _shoe,
    _names,
    _ports,
    _families,
    _antennas,
    _outputs,
    _codes,
    _page,
)
