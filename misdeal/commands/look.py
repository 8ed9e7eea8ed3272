"""``misdeal look``: the cards in pictures."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import cv2
import msgspec

from engine.errors import Fault
from misdeal.pictures import frames_in, picture_files, read_picture
from vision.drawn import drawn
from vision.eye import open_eye
from vision.seen import Eye, Picture, Seen

_BAD_INPUT = 2


@click.command(epilog="Example: misdeal look photos/ --annotate seen/")
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object an image.")
@click.option("--threads", type=click.IntRange(1, 64), default=1, help="Processors; 1 by default.")
@click.option(
    "--card-width-px",
    type=click.FloatRange(12, 4000),
    help="How wide a card is in the picture; without it several scales are tried.",
)
@click.option(
    "--annotate",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write each picture with what was seen drawn on it into this folder.",
)
def command(
    images: tuple[Path, ...],
    threads: int,
    card_width_px: float | None,
    annotate: Path | None,
    *,
    as_json: bool,
) -> int:
    """Tell which cards lie in pictures: files, folders of them, or - for one on standard input.

    A card that lies face up and cannot be read with confidence is told as unread, never guessed.
    """
    cv2.setNumThreads(threads)
    eye = open_eye(card_width_px, threads)
    if annotate:
        annotate.mkdir(parents=True, exist_ok=True)
    files, faults = picture_files(images)
    with _progress(files) as running:
        for path in running:
            picture = read_picture(path)
            if isinstance(picture, Fault):
                faults.append(picture)
                continue
            if (frames := frames_in(path)) > 1:
                click.echo(f"{path}: {frames} pictures; the first is looked at", err=True)
            record, seen = _look(eye, path, picture)
            click.echo(msgspec.json.encode(record) if as_json else _line(record))
            if annotate:
                _write(annotate / f"{path.stem or 'picture'}.jpg", drawn(picture, seen), faults)
    for fault in faults:
        click.echo(str(fault), err=True)
    return _BAD_INPUT if faults else 0


@contextmanager
def _progress(files: Sequence[Path]) -> Iterator[Iterator[Path]]:
    """Show how far it is on a terminal, on standard error."""
    hidden = not sys.stderr.isatty() or sys.stdout.isatty() or len(files) < 3
    with click.progressbar(files, file=sys.stderr, hidden=hidden) as bar:
        yield iter(bar)


def _look(eye: Eye, path: Path, picture: Picture) -> tuple[dict[str, Any], Seen]:
    start = time.perf_counter()
    seen = eye.look(picture)
    took = time.perf_counter() - start
    record = {
        "image": str(path),
        "size_wh_px": [picture.shape[1], picture.shape[0]],
        "ms": round(1000 * took, 1),
        "cards": seen.cards,
        "backs": seen.backs,
    }
    return record, seen


def _line(record: dict[str, Any]) -> str:
    cards = record["cards"]
    named = " ".join(each.card for each in cards if each.card) or "no card read"
    unread = sum(each.card is None for each in cards)
    more = [f"{unread} face up, unread"] * bool(unread)
    backs = len(record["backs"])
    more += [f"{backs} face down"] * bool(backs)
    width, height = record["size_wh_px"]
    return "; ".join([f"{record['image']}  {width}x{height}  {record['ms']} ms: {named}", *more])


def _write(path: Path, picture: Picture, faults: list[Fault]) -> None:
    written, data = cv2.imencode(".jpg", picture)
    try:
        if written:
            path.write_bytes(data.tobytes())
    except OSError as error:
        faults.append(
            Fault(str(path), 0, "", (error.strerror or "nothing").lower(), "room to write")
        )
