"""What the eye sees in photographs, and what a look costs: ``python -m misdeal.bench.eyes``.

Photographs: those of a folder with ``labels.csv``, each card matched by name within its picture.
Cost: one processor, a painted table with twenty cards face up at 1920 by 1080, side by side in one
run with the least that any program on OpenCV pays for such a frame.
"""

import argparse
import csv
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from msgspec import Struct

from engine.cards import BOARD, FULL_PACK, Place, Tag
from hw_fixtures.picture.calibrated import calibration
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.scene import Scene, lay
from misdeal.bench.figures import columns
from misdeal.pictures import read_picture
from vision.eye import open_eye
from vision.nets import has_onnxruntime
from vision.seen import Eye, Picture
from vision.watcher import Watcher

NO_CARD = "none"
_RUNS = 40
_CARDS = 20
_MS = 1e6


# ---------------------------------------------------------------- photographs
class Tally(Struct):
    """What was seen in the photographs of one source."""

    pictures: int = 0
    cards: int = 0
    right: int = 0
    wrong: int = 0
    """Named, and not there: misread, or more often than it lies there."""
    unread: int = 0
    times_ms: list[float] = []


def labels(folder: Path) -> dict[str, Counter[str]]:
    """Return which cards lie in each picture, by the picture's name.

    A picture whose labels are single indices may name a card twice; it lies there once.
    """
    truth: dict[str, Counter[str]] = {}
    with (folder / "labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            cards = truth.setdefault(row["image"], Counter())
            code = row["card"]
            if code != NO_CARD:
                card = code[0] + code[1:].lower()
                cards[card] = 1 if row["kind"] == "index" else cards[card] + 1
    return truth


def measure_photographs(folder: Path, eye: Eye) -> tuple[dict[str, Tally], list[str]]:
    """Return what was seen, by source, and a line for each picture that is not all right."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    flaws: list[str] = []
    for name, there in labels(folder).items():
        picture = read_picture(folder / name)
        if not isinstance(picture, np.ndarray):
            flaws.append(str(picture))
            continue
        start_ns = time.perf_counter_ns()
        seen = eye.look(picture)
        took_ms = (time.perf_counter_ns() - start_ns) / _MS
        named = Counter(str(each.card) for each in seen.cards if each.card)
        tally = tallies[name.split("_")[0]]
        tally.pictures += 1
        tally.cards += there.total()
        tally.right += (there & named).total()
        tally.wrong += (named - there).total()
        tally.unread += sum(each.card is None for each in seen.cards)
        tally.times_ms.append(took_ms)
        if there != named:
            missed, extra = (
                " ".join(sorted(each.elements())) for each in (there - named, named - there)
            )
            flaws.append(f"{name}: not read: {missed or '-'}; not there: {extra or '-'}")
    return tallies, flaws


def photograph_rows(tallies: dict[str, Tally]) -> Iterator[tuple[str, ...]]:
    """Yield the table: a row a source, and one for all."""
    yield (
        "source",
        "pictures",
        "cards",
        "right",
        "share",
        "wrong or extra",
        "unread",
        "ms a picture",
    )
    total = Tally()
    for tally in tallies.values():
        total.pictures += tally.pictures
        total.cards += tally.cards
        total.right += tally.right
        total.wrong += tally.wrong
        total.unread += tally.unread
        total.times_ms = total.times_ms + tally.times_ms
    for source, tally in [*tallies.items(), ("all", total)]:
        share = f"{100 * tally.right / tally.cards:.1f}%" if tally.cards else "-"
        counts = (tally.pictures, tally.cards, tally.right)
        ms = f"{statistics.median(tally.times_ms):.0f}"
        yield (source, *map(str, counts), share, str(tally.wrong), str(tally.unread), ms)


# ---------------------------------------------------------------- cost
def busy_table() -> Scene:
    """Return a table on which twenty cards lie face up: two at each seat, two on the board."""
    scene = Scene()
    places = [Place(f"S{1 + at // 2}") for at in range(18)] + [BOARD] * (_CARDS - 18)
    for at, place in enumerate(places):
        scene = lay(scene, Tag(f"{at:016X}"), FULL_PACK[at * 2], place, True, -10.0)
    return scene


def least(jpeg: Picture) -> None:
    """Do the least that is done with a frame: decode, grey, half, threshold, outlines."""
    picture = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    assert picture is not None  # noqa: S101 - our own JPEG
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    half = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    _, white = cv2.threshold(half, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    cv2.findContours(white, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)


def _decoded(jpeg: Picture) -> Picture:
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _look(eye: Eye, jpeg: Picture) -> None:
    eye.look(_decoded(jpeg))


def _jpeg(picture: Picture, quality: int = 85) -> Picture:
    return np.asarray(
        cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], np.uint8
    )


def cost_rows(runs: int = _RUNS) -> Iterator[tuple[str, ...]]:
    """Yield what a frame costs, and how often the least cost that is."""
    yield ("a frame of 1920x1080", "median", "slowest of ten", "times the least", "aim")
    where = calibration()
    painter = Painter(Deck(), seed=1)
    bare, busy = painter.render(Scene(), 0.0), painter.render(busy_table(), 0.0)
    jpeg = _jpeg(busy)
    eyes = {"OpenCV": open_eye(where.card_width_px(), by_opencv=True)}
    if has_onnxruntime():
        eyes["onnxruntime"] = open_eye(where.card_width_px())
    watcher = Watcher(where, bare, eyes["OpenCV"])
    frame_ns = 33_333_333
    for frame in range(60):  # what lies there is told and at rest
        watcher.see(_decoded(jpeg), frame * frame_ns)
    clock = iter(range(60 * frame_ns, 10**12, frame_ns))
    works: dict[str, Callable[[], object]] = {
        "the least: decode, grey, half, Otsu, outlines": lambda: least(jpeg),
        **{
            f"decode and look at all, by {by}": partial(_look, eye, jpeg)
            for by, eye in eyes.items()
        },
        "decode and watch, nothing moves": lambda: watcher.see(_decoded(jpeg), next(clock)),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            start_ns = time.perf_counter_ns()
            work()
            times[name].append((time.perf_counter_ns() - start_ns) / _MS)
    floor = statistics.median(next(iter(times.values())))
    aims = ("", *("3" for _ in eyes), "1.3")
    for (name, each), aim in zip(times.items(), aims, strict=True):
        middle, tail = statistics.median(each), sorted(each)[int(0.9 * len(each))]
        yield (name, f"{middle:.1f} ms", f"{tail:.1f} ms", f"{middle / floor:.2f}", aim)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m misdeal.bench.eyes")
    parser.add_argument("--photographs", type=Path, help="a folder with labels.csv")
    parser.add_argument("--opencv", action="store_true", help="not by onnxruntime")
    parser.add_argument("--runs", type=int, default=_RUNS, help="looks that are timed")
    asked = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    sys.stdout.write(columns(list(cost_rows(asked.runs))) + "\n")
    if asked.photographs and not (asked.photographs / "labels.csv").is_file():
        sys.stdout.write(f"\n{asked.photographs}: no photographs with labels are here\n")
    elif asked.photographs:
        tallies, flaws = measure_photographs(asked.photographs, open_eye(by_opencv=asked.opencv))
        sys.stdout.write("\n" + columns(list(photograph_rows(tallies))) + "\n\n")
        sys.stdout.write("".join(f"{flaw}\n" for flaw in flaws))
    return 0


if __name__ == "__main__":
    sys.exit(main())
