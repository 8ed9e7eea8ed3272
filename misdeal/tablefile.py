"""Reads a table file whole: its shape, what must fit together, its rule book and its registers."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from engine.cards import Card, Pack, parse_place, seat_place
from engine.errors import BookError, Fault
from engine.games import PLANS
from engine.rulebook import RuleBook, book_names, compile_book, load_book
from engine.setup import TableSetup
from firmware_bridge.actuators import SafeState
from firmware_bridge.copies import NearBy
from firmware_bridge.errors import RegisterError
from firmware_bridge.families.code_shoe import read_code_map
from firmware_bridge.register import Register, read_pack
from firmware_bridge.wiring import ReaderSpec, are_neighbours
from misdeal import __version__
from misdeal.config import CameraSection, TableFile
from misdeal.errors import CalibrationError, TableFileError
from misdeal.fitting import BY_ID, misfits, notes
from misdeal.locate import KeyPath, lines_of, spell
from misdeal.shape import Difference, differences, expect_one_of, spell_value
from misdeal.surveying import FILE, near_of, read_survey
from vision.errors import BackFileError

if TYPE_CHECKING:
    from vision.calibrate import Calibration
    from vision.sources import Wanted
    from vision.watching import Task

_NANOSECONDS_PER_MS = 1_000_000

_HOUSE_HEADER = re.compile(r"\s*(\[\[?)\s*house\s*(?:\.\s*([^\]]+?)\s*)?(\]\]?)\s*(?:#.*)?")


class Layout(Struct, frozen=True, kw_only=True):
    """What stands at a table, ready to be watched."""

    file: TableFile
    setup: TableSetup
    book: RuleBook
    readers: tuple[ReaderSpec, ...]
    journal: Path
    socket: Path
    people: Path
    header: dict[str, str]
    """What a journal of this table rests on: texts and set-up."""
    camera: "Task | None"
    """What is watched through the camera, where there is one whose source is known."""
    near: NearBy
    """Which places may hear each other's cards: what a survey found, else a usual layout."""
    notes: tuple[str, ...]
    """What works but should be known, a sentence each."""


def parse(text: str, name: str) -> TableFile:
    """Read a table file's text.

    Args:
        text: The TOML text.
        name: What the file is called in messages.

    Raises:
        TableFileError: With every fault of syntax or shape; of broken syntax the first alone.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TableFileError([_syntax_fault(str(error), text, name)]) from error
    found = differences(document, TableFile)
    if found:
        raise TableFileError(_place(found, text, name))
    return msgspec.convert(document, TableFile)


def load(path: Path, *, by_id: Path = BY_ID) -> Layout:
    """Read a table file and everything that it names.

    Args:
        path: The table file; what it names is looked for from its folder.
        by_id: The folder of links that name serial ports by their adapters.

    Raises:
        TableFileError: With every fault, those of the rule book and the registers included.
        OSError: If the table file itself cannot be read.
    """
    text, name = path.read_text(encoding="utf-8"), str(path)
    file = parse(text, name)
    faults = _place(misfits(file), text, name)
    book, texts = _read_book(file, text, path, faults)
    packs = _read_packs(file, text, path, faults)
    codes = _read_codes(file, text, path, faults)
    camera = _read_camera(file, text, path, faults)
    if faults or book is None:
        raise TableFileError(faults)
    setup = _setup(file, packs)
    header = {
        "engine": __version__,
        "table": text,
        "setup": msgspec.json.encode(setup, order="sorted").decode(),
        **texts,
    }
    return Layout(
        file=file,
        setup=setup,
        book=book,
        readers=tuple(specs_of(file, codes)),
        journal=path.parent / file.journal,
        socket=path.parent / file.socket,
        people=path.parent / file.page.people,
        header=header,
        camera=camera,
        near=_read_near(path.parent / FILE),
        notes=tuple(_sentences(file, text, name, by_id)),
    )


def _read_book(
    file: TableFile, text: str, path: Path, faults: list[Fault]
) -> tuple[RuleBook | None, dict[str, str]]:
    """Compile the rule book with the house rules; add what is wrong with them to the faults."""
    if file.rulebook not in book_names():
        expected = expect_one_of(file.rulebook, tuple(book_names()))
        unknown = Difference(("rulebook",), spell_value(file.rulebook), expected)
        faults += _place([unknown], text, str(path))
        return None, {}
    jurisdiction, jurisdiction_file = _read_jurisdiction(file, text, path, faults)
    house, house_file = _read_house(file, text, path, faults)
    book_text, book_file = load_book(file.rulebook), f"{file.rulebook}.toml"
    texts = {
        "book": book_text,
        "book_file": book_file,
        "jurisdiction": jurisdiction,
        "jurisdiction_file": jurisdiction_file,
        "house": house,
        "house_file": house_file,
    }
    try:
        return compile_texts(texts), texts
    except BookError as error:
        faults += error.faults
        return None, texts


def compile_texts(header: dict[str, str]) -> RuleBook:
    """Compile the rule book from the texts that a journal's header keeps.

    Raises:
        BookError: If this version of the engine does not take them.
    """
    return compile_book(
        header["book"],
        file=header["book_file"],
        jurisdiction=header.get("jurisdiction") or None,
        jurisdiction_file=header.get("jurisdiction_file", ""),
        house=header["house"] or None,
        house_file=header["house_file"],
    )


def _read_jurisdiction(
    file: TableFile, text: str, path: Path, faults: list[Fault]
) -> tuple[str, str]:
    """Return the text of the jurisdiction's rules and the name of its file; empty for none."""
    if not file.jurisdiction:
        return "", ""
    return _read_rules(("jurisdiction",), file.jurisdiction, text, path, faults)


def _read_rules(
    key: KeyPath, name: str, text: str, path: Path, faults: list[Fault]
) -> tuple[str, str]:
    rules = path.parent / name
    try:
        return rules.read_text(encoding="utf-8"), str(rules)
    except (OSError, UnicodeDecodeError) as error:
        unreadable = Difference(key, spell_value(name), f"a file ({error})")
        faults += _place([unreadable], text, str(path))
        return "", ""


def _read_house(file: TableFile, text: str, path: Path, faults: list[Fault]) -> tuple[str, str]:
    """Return the text of the house rules and the name of its file; empty where there are none."""
    if isinstance(file.house, str):
        return _read_rules(("house",), file.house, text, path, faults)
    section = _house_section(text)
    if tomllib.loads(section) != file.house:
        odd = Difference(("house",), "a table written within a line", "a section [house]")
        faults += _place([odd], text, str(path))
    return section.strip() and section, str(path)


def _house_section(text: str) -> str:
    """Return the section ``[house]`` as a file of its own; every line keeps its number."""
    kept: list[str] = []
    is_inside = False
    for line in text.splitlines():
        header = _HOUSE_HEADER.fullmatch(line)
        if header or line.lstrip().startswith("["):
            is_inside = header is not None
            kept.append(f"{header[1]}{header[2]}{header[3]}" if header and header[2] else "")
        else:
            kept.append(line if is_inside else "")
    return "\n".join(kept)


def _read_packs(file: TableFile, text: str, path: Path, faults: list[Fault]) -> tuple[Pack, ...]:
    packs: list[Pack] = []
    for index, section in enumerate(file.pack):
        register = path.parent / section.register
        try:
            packs.append(
                read_pack(
                    register.read_text(encoding="utf-8"),
                    file=str(register),
                    name=section.name,
                    faces=PLANS[file.game].pack,
                )
            )
        except RegisterError as error:
            faults += error.faults
        except (OSError, UnicodeDecodeError) as error:
            key = ("pack", index, "register")
            faults += _unreadable(key, section.register, error, text, path)
    try:
        Register(packs)
    except RegisterError as error:
        faults += error.faults
    if file.decks > 1:
        # All packs of a shoe are in play at once, so they are one register.
        return (Pack("shoe", tuple(line for pack in packs for line in pack.cards)),)
    return tuple(packs)


def _read_near(survey: Path) -> NearBy:
    """Return what the table's survey says of its neighbours, where there is one.

    Raises:
        TableFileError: If the survey cannot be read.
    """
    try:
        return near_of(read_survey(survey.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return are_neighbours
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        expected = "what misdeal survey wrote, or no such file"
        raise TableFileError([Fault(str(survey), 0, "", str(error), expected)]) from error


def _read_codes(
    file: TableFile, text: str, path: Path, faults: list[Fault]
) -> dict[str, dict[str, Card]]:
    """Read the maps of those shoes that tell codes; add what is wrong to the faults."""
    maps: dict[str, dict[str, Card]] = {}
    for index, reader in enumerate(file.reader):
        if not reader.codes:
            continue
        source = path.parent / reader.codes
        try:
            maps[reader.name] = read_code_map(source.read_text(encoding="utf-8"), file=str(source))
        except RegisterError as error:
            faults += error.faults
        except (OSError, UnicodeDecodeError) as error:
            key = ("reader", index, "codes")
            faults += _unreadable(key, reader.codes, error, text, path)
    return maps


def _read_camera(file: TableFile, text: str, path: Path, faults: list[Fault]) -> "Task | None":
    """Return what the camera's process is to watch; add what is wrong to the faults."""
    section = file.camera
    if not isinstance(section, CameraSection):
        return None
    # OpenCV takes a tenth of a second to load; most tables of today have no camera.
    from misdeal.calibration import bare_of, read_calibration  # noqa: PLC0415
    from vision.watching import Task  # noqa: PLC0415

    source = path.parent / section.calibration
    try:
        calibration = read_calibration(source)
    except CalibrationError as error:
        faults += error.faults
        return None
    found, size = calibration.picture_wh_px, (section.width, section.height)
    if found != size:
        expected = f"{found[0]} and height = {found[1]}, as calibrated"
        key, spelt = ("camera", "width"), f"{size[0]} and height = {size[1]}"
        faults += _place([Difference(key, spelt, expected)], text, str(path))
    journal = path.parent / file.journal
    return Task(
        wanted=wanted_of(section, path.parent),
        calibration=calibration,
        bare=str(bare_of(source)),
        tells_backs=section.backs,
        enrolled=_read_enrolled(section, calibration, text, path, faults),
        album=str(journal.with_name(f"{journal.stem}-backs")),
    )


def _read_enrolled(
    section: CameraSection,
    calibration: "Calibration",
    text: str,
    path: Path,
    faults: list[Fault],
) -> tuple[str, ...]:
    """Return the files of the enrolled backs; add what is wrong with them to the faults."""
    if not section.enrolled:
        return ()
    from vision.backfile import read_back  # noqa: PLC0415 - as above
    from vision.resting import misfit  # noqa: PLC0415

    key = ("camera", "enrolled")
    files = [path.parent / name for name in section.enrolled]
    for index, file in enumerate(files):
        try:
            read_back(file.read_bytes(), str(file))
        except BackFileError as error:
            broken = Difference((*key, index), error.why, "what misdeal backs enrol wrote")
            faults += _place([broken], text, str(path))
        except OSError as error:
            faults += _unreadable((*key, index), section.enrolled[index], error, text, path)
    if (unfit := misfit(calibration)) is not None:
        faults += _place([Difference(key, *unfit)], text, str(path))
    return tuple(map(str, files))


def _unreadable(key: KeyPath, named: str, error: Exception, text: str, path: Path) -> list[Fault]:
    unreadable = Difference(key, spell_value(named), f"a file ({error})")
    return _place([unreadable], text, str(path))


def _setup(file: TableFile, packs: tuple[Pack, ...]) -> TableSetup:
    return TableSetup(
        game=file.game,
        seats=tuple(map(seat_place, file.seats)),
        tableseats=tuple(map(seat_place, file.tableseats or file.seats)),
        button=seat_place(file.button) if file.button else None,
        dealer=seat_place(file.dealer) if file.dealer else None,
        absent=frozenset(map(seat_place, file.absent)),
        penalty={seat_place(int(seat)): hands for seat, hands in file.penalty.items()},
        decks=file.decks,
        actions=file.actions,
        hands="inferred",
        packs=packs,
        readers=frozenset(place for spec in specs_of(file) for place in spec.antennas.values()),
        has_camera=bool(file.camera),
        window_ns=file.window_ms * _NANOSECONDS_PER_MS,
    )


def wanted_of(section: CameraSection, folder: Path) -> "Wanted":
    """Return the pictures that a table wants from its camera.

    Args:
        section: What the table file says of it.
        folder: Where the table file is: films and folders are looked for from there.
    """
    from vision.sources import Wanted, kind_of  # noqa: PLC0415 - as above

    is_file = kind_of(section.source) in ("film", "folder")
    return Wanted(
        source=str(folder / section.source) if is_file else section.source,
        size_wh_px=(section.width, section.height),
        fps=section.fps,
    )


def specs_of(
    file: TableFile, codes: Mapping[str, dict[str, Card]] | None = None
) -> Iterable[ReaderSpec]:
    """Yield the readers as the bridge wants them.

    Args:
        file: The table file.
        codes: What each code shoe's codes stand for, by its name; left out where no card is read.
    """
    for reader in file.reader:
        yield ReaderSpec(
            name=reader.name,
            port=reader.port,
            family=reader.family,
            baud=reader.baud,
            identity=reader.identity,
            antennas={int(number): parse_place(place) for number, place in reader.antennas.items()},
            reset_on_open=reader.reset_on_open,
            settle_s=reader.settle_ms / 1000,
            region=reader.region,
            has_multiplexer=reader.multiplexer,
            codes=(codes or {}).get(reader.name, {}),
            safe_state=SafeState() if reader.gate else None,
        )


def _sentences(file: TableFile, text: str, name: str, by_id: Path) -> Iterable[str]:
    found = notes(file, by_id=by_id)
    lines = lines_of(text, [path for path, _ in found])
    for path, sentence in found:
        where = f"{name}:{lines[path]}" if lines[path] else name
        yield f"{where}: {spell(path)}: {sentence}"


def _place(found: Iterable[Difference], text: str, name: str) -> list[Fault]:
    """Give each difference its line; a key that is missing has that of its table."""
    found = list(found)
    lines = lines_of(
        text, [path[:n] for path in (d.path for d in found) for n in range(len(path) + 1)]
    )
    return [
        Fault(name, lines[d.path] or lines[d.path[:-1]], spell(d.path), d.found, d.expected)
        for d in found
    ]


def _syntax_fault(message: str, text: str, name: str) -> Fault:
    """Turn the TOML parser's sentence, which has line and column, into a fault."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message)
    line = int(match[2]) if match and match[2] else len(text.splitlines())
    lines = text.splitlines() or [""]
    expected = f"TOML ({match[1] if match else message})"
    return Fault(name, line, "", spell_value(lines[line - 1].strip()), expected)
