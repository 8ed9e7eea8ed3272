"""``misdeal calibrate``: where the table lies in the camera's picture."""

from contextlib import closing
from pathlib import Path

import click
import cv2
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.cards import BOARD, BURN, DEALER, MUCK, SHOE, Place, seat_place
from engine.errors import Fault
from engine.games import PLANS
from misdeal.calibration import FILE, bare_of, faults_of, read_draft, write_calibration
from misdeal.config import CameraSection, TableFile
from misdeal.errors import CalibrationError
from misdeal.pictures import read_picture
from misdeal.tablefile import parse, wanted_of
from vision.calibrate import (
    CUT,
    Calibration,
    annotated,
    corners_by_marks,
    find_marks,
    marks_sheet,
    usual_zones,
)
from vision.drift import LEAST_SPOTS, Reference
from vision.errors import CameraError
from vision.geometry import in_order
from vision.seen import Corners, Picture, Point
from vision.sources import Wanted, open_source

MARK_MM = 60.0
"""How wide a mark is printed: two by two of them, with room to cut, fit a sheet of A4."""

_SETTLING_SHOTS = 15
"""Pictures that are thrown away first: a camera that opens finds its exposure. Assumed: 0.5 s."""


class Calibrated(Struct, frozen=True, kw_only=True):
    """What came of it."""

    file: str
    drawn: str
    places: tuple[str, ...]
    card_width_px: tuple[float, float]
    """Where a card is narrowest, and where it is widest."""
    spots: int
    """By how many spots of print the table is known again when the camera was bumped."""


class Pair(click.ParamType[tuple[float, float]]):
    """Two numbers with a sign between them."""

    def __init__(self, between: str) -> None:
        self.name = f"A{between}B"
        self._between = between

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Return the numbers."""
        try:
            one, other = (float(word) for word in str(value).split(self._between))
        except ValueError:
            example = f"1800{self._between}900"
            self.fail(f"found {value!r}, expected two numbers like {example}", param, ctx)
        return one, other


@click.command(epilog="Example: misdeal calibrate table.toml --picture bare.png --size 1800x900")
@click.argument("table", type=click.Path(path_type=Path), default="table.toml")
@click.option("--picture", type=click.Path(path_type=Path), help="A picture of the bare table.")
@click.option("--camera", metavar="SOURCE", help="Else one from here; else from the table's.")
@click.option("--size", type=Pair("x"), help="Millimetres between the corners, like 1800x900.")
@click.option("--corners", nargs=4, type=Pair(","), help="The corners in pixels, without marks.")
@click.option("--mark-mm", type=click.FloatRange(10, 400), default=MARK_MM, show_default=True)
@click.option("--marks", type=click.Path(path_type=Path), help="Write a sheet of marks there: SVG.")
@click.option("--draw", "is_redrawn", is_flag=True, help="Only draw again what is in the file.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help=f"Else {FILE} beside TABLE.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(  # noqa: PLR0913 - one parameter an option
    *,
    table: Path,
    picture: Path | None,
    camera: str | None,
    size: tuple[float, float] | None,
    corners: tuple[tuple[float, float], ...] | None,
    mark_mm: float,
    marks: Path | None,
    is_redrawn: bool,
    output: Path | None,
    as_json: bool,
) -> int:
    """Find the table of TABLE (table.toml) in the picture of its camera.

    The table is bare but for the four marks of --marks at its corners, 0 to 3 clockwise from the
    top left of the picture, or its corners are given. Written are the calibration, the picture
    of the bare table and one with everything drawn on it to look at. The places are those of a
    usual table at first; mend them in the file, then --draw. Exit status 1: something does not
    fit yet.
    """
    if marks is not None:
        marks.write_text(marks_sheet(mark_mm), encoding="utf-8")
        click.echo(f"{marks}: print it in true size; a mark is then {mark_mm:g} mm wide")
        return 0
    file = output or table.parent / FILE
    known = _known(file)
    if is_redrawn:
        return _finish(file, read_draft(file), _read(bare_of(file)), as_json=as_json)
    stands = parse(table.read_text(encoding="utf-8"), str(table))
    bare = _read(picture) if picture is not None else _capture(stands, table.parent, camera)
    size_mm = size or (known.size_mm if known else None)
    if size_mm is None or min(size_mm) <= 0:
        why = "--size: how far apart are the middles of the marks, in mm, like 1800x900?"
        raise click.UsageError(why)
    found = Calibration(
        picture_wh_px=(bare.shape[1], bare.shape[0]),
        size_mm=size_mm,
        corners_px=_corners(bare, corners, size_mm, mark_mm),
        zones=known.zones if known else _zones(stands, size_mm),
    )
    found = replace(found, card_mm=known.card_mm) if known else found
    found.plane()
    write_calibration(file, found, bare)
    return _finish(file, found, bare, as_json=as_json)


def _known(file: Path) -> Calibration | None:
    """Return the calibration that is there already: its places and its card are kept."""
    return read_draft(file) if file.exists() else None


def _read(file: Path) -> Picture:
    found = read_picture(file)
    if isinstance(found, Fault):
        raise CalibrationError([found])
    return found


def _capture(stands: TableFile, folder: Path, source: str | None) -> Picture:
    """Take a picture from a camera, once it has found its exposure."""
    section = stands.camera
    if source is not None:
        wanted = Wanted(source=source)
    elif isinstance(section, CameraSection):
        wanted = wanted_of(section, folder)
    else:
        why = "expected --picture FILE, --camera SOURCE, or a table file with a section [camera]"
        raise click.UsageError(why)
    with closing(open_source(wanted)) as camera:
        for _ in range(_SETTLING_SHOTS):
            camera.read()
        found = camera.read().picture()
    if found is None:
        raise CameraError(wanted.source, "gave a picture that is broken")
    return found


def _corners(
    bare: Picture,
    given: tuple[tuple[float, float], ...] | None,
    size_mm: tuple[float, float],
    mark_mm: float,
) -> Corners:
    """Return where the corners of the table are: as given, else as the marks show."""
    return in_order(given) if given else corners_by_marks(find_marks(bare), size_mm, mark_mm)


def _zones(stands: TableFile, size_mm: tuple[float, float]) -> dict[Place, tuple[Point, ...]]:
    """Return the places of a usual table of the game."""
    plan = PLANS[stands.game]
    seats = () if plan.places else stands.tableseats or stands.seats
    others = [Place(name) for name in plan.places]
    others += [DEALER] if plan.is_banked and not plan.places else []
    others += [BOARD] if plan.kind == "flop" else []
    others += [] if plan.kind == "casino" else [BURN, MUCK]
    return usual_zones(size_mm, [seat_place(seat) for seat in seats], [*others, SHOE, CUT])


def _finish(file: Path, found: Calibration, bare: Picture, *, as_json: bool) -> int:
    """Draw the calibration, and say what it is and what does not fit."""
    faults = faults_of(file, found)
    for fault in faults:
        click.echo(str(fault), err=True)
    if any(fault.key == "corners_px" for fault in faults):
        return 1
    drawn = file.with_name(f"{file.stem}-drawn.png")
    drawn.write_bytes(cv2.imencode(".png", annotated(bare, found))[1].tobytes())
    widths = [found.card_width_px(place) for place in found.zones] or [found.card_width_px()]
    outcome = Calibrated(
        file=str(file),
        drawn=str(drawn),
        places=tuple(found.zones),
        card_width_px=(round(min(widths), 1), round(max(widths), 1)),
        spots=len(Reference(bare, found.plane(), found.table_mm).spots),
    )
    if as_json:
        click.echo(msgspec.json.encode(outcome))
    else:
        _tell(outcome)
    return 1 if faults else 0


def _tell(outcome: Calibrated) -> None:
    places, (least, most) = len(outcome.places), outcome.card_width_px
    click.echo(f"{outcome.file}: {places} places; {outcome.drawn} shows them, look at it")
    click.echo(f"a card is {least:.0f} to {most:.0f} pixels wide")
    few = "" if outcome.spots >= LEAST_SPOTS else ": too few, a bumped camera will not be noticed"
    click.echo(f"the table is known again by {outcome.spots} spots{few}")
