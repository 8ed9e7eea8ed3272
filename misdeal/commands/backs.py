"""``misdeal backs``: the back of a pack enrolled, and cards' backs checked against it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import cv2
import msgspec

from engine.errors import Fault
from misdeal.errors import FileExistsAlreadyError
from misdeal.pictures import picture_files, read_picture
from vision.backfile import SUFFIX, read_back, write_back
from vision.backs import (
    BackLook,
    BackVerdict,
    agree,
    annotated,
    compare,
    mark_words,
    verdict_words,
)
from vision.enrolled import BackModel, Enrolment, Shot, enrol
from vision.errors import PicturesError
from vision.likeness import CARD_MM, Frame
from vision.outline import find_card
from vision.seen import Corners, Picture

_BAD_INPUT = 2


class _Corners(click.ParamType[Corners]):
    """Four points, as ``x,y x,y x,y x,y``."""

    name = "corners"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Corners:
        """Read four points."""
        try:
            points = [tuple(map(float, each.split(","))) for each in str(value).split()]
            (a, b), (c, d), (e, f), (g, h) = points
        except ValueError:
            self.fail(f"found {value!r}, expected four points 'x,y x,y x,y x,y'", param, ctx)
        return (a, b), (c, d), (e, f), (g, h)


class _Size(click.ParamType[Frame]):
    """Width and height, as ``63x88``."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Frame:
        """Read a size in millimetres."""
        if isinstance(value, Frame):
            return value
        try:
            width, height = map(float, str(value).split("x"))
        except ValueError:
            width = height = 0.0
        if not (30 <= width < height <= 200):
            self.fail(f"found {value!r}, expected width x height in mm, like 63x88", param, ctx)
        return Frame(width, height)


PACK = click.argument("pack")
PICTURES = click.argument("pictures", type=click.Path(path_type=Path), nargs=-1, required=True)
FILE = click.option("--file", type=click.Path(path_type=Path), help=f"Else PACK{SUFFIX}.")
CORNERS = click.option("--corners", type=_Corners(), help="Of the card in every picture, in px.")
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


@click.group()
def command() -> None:
    """Enrol the back of a pack, and check cards' backs against it."""


# ---------------------------------------------------------------- enrol
@command.command("enrol", epilog="Example: misdeal backs enrol red shots/")
@PACK
@PICTURES
@FILE
@CORNERS
@click.option("--card", type=_Size(), default=Frame(*CARD_MM), show_default="63x88", help="In mm.")
@click.option("--rate", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="The false-alarm rate of a look that must be shown, like 0.05.")  # fmt: skip
@click.option("--anew", is_flag=True, help="Write over a back that was enrolled before.")
@JSON
def enrol_back(  # noqa: PLR0913 - one parameter an option
    *,
    pack: str,
    pictures: tuple[Path, ...],
    file: Path | None,
    corners: Corners | None,
    card: Frame,
    rate: float | None,
    anew: bool,
    as_json: bool,
) -> int:
    """Learn the back of PACK from PICTUREs of good backs: one of each card, taken where it is read.

    A picture that stands out from the rest teaches nothing, is named, and counts as a false alarm.
    A folder stands for the pictures in it.
    """
    target = file or Path(f"{pack}{SUFFIX}")
    if target.exists() and not anew:
        raise FileExistsAlreadyError(target)
    files, faults = picture_files(pictures)
    with _bar(2 * len(files), "enrolling") as tick:
        shots = _Shots(files, corners, faults, tick)
        enrolment = enrol(shots, card, rate=rate)
    target.write_bytes(write_back(enrolment.model))
    _tell_enrolment(pack, target, enrolment, files, as_json=as_json)
    return 0


class _Shots:
    """Pictures of good backs, each read when it is asked for."""

    def __init__(
        self,
        files: Sequence[Path],
        corners: Corners | None,
        faults: Sequence[Fault],
        tick: Callable[[], None],
    ) -> None:
        self._files, self._tick = files, tick
        found = [self._look(path, corners) for path in files]
        wrong = [*faults, *(each for each in found if isinstance(each, Fault))]
        if wrong:
            raise PicturesError(wrong)
        self._corners = [each for each in found if not isinstance(each, Fault)]

    def _look(self, path: Path, corners: Corners | None) -> Corners | Fault:
        self._tick()
        shot = _shot(path, corners)
        return shot if isinstance(shot, Fault) else shot.corners_px

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, number: int) -> Shot:
        self._tick()
        shot = _shot(self._files[number], self._corners[number])
        if isinstance(shot, Fault):  # it was there a moment ago
            raise PicturesError([shot])
        return shot


def _shot(path: Path, corners: Corners | None) -> Shot | Fault:
    picture = read_picture(path)
    if isinstance(picture, Fault):
        return picture
    corners = corners or find_card(picture)
    if corners is None:
        return Fault(str(path), 0, "", "no card to be sure of", "one card, whole, on plain ground")
    return Shot(picture, corners)


def _tell_enrolment(
    pack: str, target: Path, enrolment: Enrolment, files: Sequence[Path], *, as_json: bool
) -> None:
    strange = [str(files[number]) for number in enrolment.strange]
    alarms = enrolment.model.false_alarms
    if as_json:
        said = {"pack": pack, "file": str(target), "strange": strange,
                "threshold": enrolment.model.threshold, "false_alarms": alarms}  # fmt: skip
        click.echo(msgspec.json.encode(said))
        return
    for name in strange:
        click.echo(f"{name}: stands out from the rest and was left out: is that back good?")
    click.echo(f"{pack}: {alarms.shots} pictures, {len(strange)} left out, in {target}")
    click.echo(
        f"a good back is called marked at less than {_percent(alarms.shown_rate)} of looks "
        f"(19 times in 20; so many pictures show no less); {_percent(alarms.expected_rate)} is "
        "expected and not shown"
    )


def _percent(rate: float) -> str:
    return f"{100 * rate:.2g} %"


@contextmanager
def _bar(total: int, label: str) -> Iterator[Callable[[], None]]:
    """Yield what is called for each picture that was read."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=total, label=label, file=sys.stderr, hidden=hidden) as bar:
        yield lambda: bar.update(1)


# ---------------------------------------------------------------- check
@command.command("check", epilog="Example: misdeal backs check red suspect.jpg --annotate marked/")
@PACK
@PICTURES
@FILE
@CORNERS
@click.option("--same", is_flag=True, help="The pictures are looks at one card: one verdict.")
@click.option("--annotate", type=click.Path(path_type=Path), metavar="DIR",
              help="Write each picture there with its marks drawn on it.")  # fmt: skip
@JSON
def check(  # noqa: PLR0913 - one parameter an option
    *,
    pack: str,
    pictures: tuple[Path, ...],
    file: Path | None,
    corners: Corners | None,
    same: bool,
    annotate: Path | None,
    as_json: bool,
) -> int:
    """Compare the backs in PICTUREs with the enrolled back of PACK.

    One look is no verdict: with --same, that is given where the looks agree on the place. Exit
    status 0: nothing stands out; 1: something does; 2: a picture cannot be judged.
    """
    source = file or Path(f"{pack}{SUFFIX}")
    model = read_back(source.read_bytes(), str(source))
    files, faults = picture_files(pictures)
    looks: list[BackLook] = []
    for path in files:
        look = _check_one(path, corners, model, annotate, as_json=as_json)
        if isinstance(look, Fault):
            faults.append(look)
        else:
            looks.append(look)
    for fault in faults:
        click.echo(str(fault), err=True)
    verdict = agree(looks, model) if same else None
    if same:
        _tell_verdict(verdict, as_json=as_json)
    is_marked = verdict is not None if same else any(e.is_foreign or e.marks for e in looks)
    return _BAD_INPUT if faults else int(is_marked)


def _check_one(
    path: Path, corners: Corners | None, model: BackModel, annotate: Path | None, *, as_json: bool
) -> BackLook | Fault:
    shot = _shot(path, corners)
    if isinstance(shot, Fault):
        return shot
    look = compare(*shot, model)
    if look.unfit:
        return Fault(str(path), 0, "", look.unfit, "a back that can be judged")
    if annotate is not None:
        _write(annotate, path, annotated(shot.picture, look))
    if as_json:
        said = {"image": str(path), **msgspec.to_builtins(look), "threshold": model.threshold,
                "corners_px": shot.corners_px}  # fmt: skip
        del said["unfit"]
        click.echo(msgspec.json.encode(said))
    else:
        for line in _look_lines(look, model):
            click.echo(f"{path}: {line}")
    return look


def _write(folder: Path, path: Path, picture: Picture) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _, data = cv2.imencode(".jpg", picture)
    (folder / f"{path.stem}.jpg").write_bytes(data.tobytes())


def _look_lines(look: BackLook, model: BackModel) -> list[str]:
    score = f"score {look.score:.1f}, threshold {model.threshold:.1f}"
    if look.is_foreign:
        return [f"another design ({score})"]
    if not look.marks:
        return [f"nothing stands out ({score})"]
    return [f"{mark_words(mark)} (score {mark.score:.1f})" for mark in look.marks]


def _tell_verdict(verdict: BackVerdict | None, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode({"verdict": verdict}))
    else:
        click.echo(verdict_words(verdict) if verdict else "the looks agree on nothing")
