"""How small a mark on a back is found, and how often a good back is called marked.

Backs are drawn here, or come from files: designs as pictures (--designs), real backs out of the
photographs of people's tables (--photos), cut out and laid flat. Each pack is enrolled from
52 pictures; then good cards and cards with one mark are looked at three times each.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import cv2
import numpy as np
from msgspec import Struct, field

from hw_fixtures.backs import (
    BLUE,
    DRAWN_PX_PER_MM,
    MARKS,
    Back,
    Camera,
    framed,
    lattice,
    photograph,
    printed,
)
from misdeal.pictures import read_picture
from vision.backs import LOOKS_NEEDED, BackLook, agree, compare
from vision.enrolled import BackModel, Shot, enrol, rate_bound
from vision.likeness import Frame, lay_out, upright
from vision.seen import Corners, Picture

SHOTS = 52
SEED = 5
Sizes = dict[str, tuple[float, ...]]
SIZES_MM: Sizes = {
    "ink dot": (0.3, 0.5, 0.75, 1.0, 2.0),
    "stain": (1.0, 1.5, 2.0, 4.0, 8.0),
    "nick": (0.75, 1.0, 1.5, 2.0, 3.0),
    "torn corner": (2.5, 3.0, 4.0, 6.0, 8.0),
    "bend line": (5.0, 10.0, 20.0, 40.0, 60.0),
}
CAMERAS = {
    "5 px a mm": Camera(),
    "3.5 px a mm": Camera(px_per_mm=3.5, blur_px=0.8, noise=3.5),
}
# The upper card's corners in two photographs of jonasblanc/poker-table-recognition, by eye.
PHOTOS: dict[str, Corners] = {
    "back_jonas_17_P1.jpg": ((323, 69), (641, 264), (510, 493), (176, 313)),
    "back_jonas_11_P1.jpg": ((279, 77), (570, 289), (416, 495), (129, 285)),
}


class Cell(Struct, kw_only=True):
    """Cards with one kind of mark of one size, or with none."""

    cards: int = 0
    looks: int = 0
    looks_marked: int = 0
    cards_marked: int = 0

    def add(self, looks: Sequence[BackLook], model: BackModel) -> None:
        """Count three looks at a card."""
        self.cards += 1
        self.looks += len(looks)
        self.looks_marked += sum(bool(look.marks) or look.is_foreign for look in looks)
        self.cards_marked += agree(looks, model) is not None


class Pack(Struct, frozen=True):
    """A pack whose back is enrolled."""

    name: str
    back: Back
    model: BackModel


def drawn() -> dict[str, Back]:
    """Return the designs that are drawn here."""
    return {"drawn: lattice": lattice(), "drawn: framed": framed(BLUE)}


def designs(folder: Path) -> dict[str, Back]:
    """Return the designs of a folder, each a picture of a back without anything around it."""
    return {
        f"design: {path.stem}": printed(_picture(path)) for path in sorted(folder.glob("*.png"))
    }


def photos(folder: Path) -> dict[str, Back]:
    """Return real backs, cut out of the photographs there and laid flat."""
    return {
        f"photo: {name}": printed(_flat(_picture(folder / name), corners))
        for name, corners in PHOTOS.items()
    }


def _picture(path: Path) -> Picture:
    picture = read_picture(path)
    if not isinstance(picture, np.ndarray):
        raise FileNotFoundError(str(picture))
    return picture


def _flat(picture: Picture, corners: Corners) -> Picture:
    """Lay a card out with its long side upright, without the table at its rounded corners."""
    points = np.array(corners, np.float64)
    first, second, *_ = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
    if first > second:
        points = np.roll(points, -1, axis=0)
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    flat = lay_out(picture, upright((a, b, c, d), Frame()), Frame())
    inset = DRAWN_PX_PER_MM // 4
    return np.clip(flat[inset:-inset, inset:-inset], 0, 255).astype(np.uint8)


def enrolled(name: str, back: Back, camera: Camera, rng: Random, shots: int = SHOTS) -> Pack:
    """Enrol a pack from one picture of each card."""
    taken = [photograph(back, camera, rng) for _ in range(shots)]
    return Pack(name, back, enrol([Shot(each.picture, each.corners_px) for each in taken]).model)


def looks_at(back: Back, model: BackModel, camera: Camera, rng: Random) -> list[BackLook]:
    """Take three pictures of a card and look at each."""
    taken = [photograph(back, camera, rng) for _ in range(LOOKS_NEEDED)]
    return [compare(each.picture, each.corners_px, model) for each in taken]


def measure_good(pack: Pack, camera: Camera, cards: int, rng: Random) -> Cell:
    """Look at cards without a mark."""
    cell = Cell()
    for _ in range(cards):
        cell.add(looks_at(pack.back, pack.model, camera, rng), pack.model)
    return cell


def measure_marks(
    pack: Pack, camera: Camera, cards: int, rng: Random, sizes_mm: Sizes
) -> dict[tuple[str, float], Cell]:
    """Look at cards with one mark each, of every kind and size."""
    cells: dict[tuple[str, float], Cell] = {}
    for kind, sizes in sizes_mm.items():
        for size_mm in sizes:
            cell = cells[kind, size_mm] = Cell()
            for _ in range(cards):
                marked, _ = MARKS[kind](pack.back, size_mm, rng)
                cell.add(looks_at(marked, pack.model, camera, rng), pack.model)
    return cells


def measure_foreign(packs: Sequence[Pack], camera: Camera, rng: Random) -> Counter[str]:
    """Look at every other pack's backs with each pack's model; count what is said of them."""
    said: Counter[str] = Counter()
    for pack in packs:
        for other in packs:
            if other.name == pack.name:
                continue
            for look in looks_at(other.back, pack.model, camera, rng):
                said["another design" if look.is_foreign
                     else "marked" if look.marks
                     else "not judged" if look.unfit
                     else "good"] += 1  # fmt: skip
    return said


# ---------------------------------------------------------------- the table
def percent(part: int, whole: int) -> str:
    """Return a share in words of two figures."""
    return f"{100 * part / whole:.0f} %"


def good_lines(name: str, cell: Cell) -> str:
    """Return the row of a pack's good cards."""
    bound = rate_bound(cell.looks_marked, cell.looks)
    return (
        f"| {name} | {cell.looks_marked} of {cell.looks} | {100 * bound:.2g} % "
        f"| {cell.cards_marked} of {cell.cards} |"
    )


def mark_rows(cells: dict[tuple[str, float], Cell], sizes_mm: Sizes) -> Iterator[str]:
    """Yield a row for each kind: for each size the share of looks, and of cards by three looks."""
    for kind, sizes in sizes_mm.items():
        row = [cells[kind, size] for size in sizes]
        shares = (
            f"{size:g} mm: {percent(cell.looks_marked, cell.looks)}, "
            f"{percent(cell.cards_marked, cell.cards)}"
            for size, cell in zip(sizes, row, strict=True)
        )
        yield f"| {kind} | {' | '.join(shares)} |"


class Extent(Struct, frozen=True):
    """How much is measured."""

    good: int
    """Good cards a pack."""
    marked: int
    """Cards a pack, kind and size."""
    shots: int = SHOTS
    """Pictures a pack is enrolled from."""
    sizes_mm: Sizes = field(default_factory=SIZES_MM.copy)


def report(backs: dict[str, Back], camera: Camera, extent: Extent) -> Iterator[str]:
    """Yield the Markdown of everything that is measured with one camera."""
    rng = Random(SEED)  # noqa: S311 - the same pictures each time
    packs = [enrolled(name, back, camera, rng, extent.shots) for name, back in backs.items()]
    yield "| good backs | looks called marked | shown to be below | cards, by three looks |"
    yield "|---|---|---|---|"
    total = Cell()
    for pack in packs:
        cell = measure_good(pack, camera, extent.good, rng)
        yield good_lines(pack.name, cell)
        total = pooled(total, cell)
    yield good_lines("all", total)
    for group in sorted({_group(name) for name in backs}):
        cells: dict[tuple[str, float], Cell] = {}
        for pack in packs:
            if _group(pack.name) == group:
                found = measure_marks(pack, camera, extent.marked, rng, extent.sizes_mm)
                for key, cell in found.items():
                    cells[key] = pooled(cells.get(key, Cell()), cell)
        count = next(iter(cells.values())).cards
        yield f"\n{group}, {count} cards a size: share of looks, and of cards by three looks\n"
        yield "| mark | | | | | |\n|---|---|---|---|---|---|"
        yield from mark_rows(cells, extent.sizes_mm)
    said = measure_foreign(packs, camera, rng)
    yield f"\nLooks at other designs: {dict(said)}"
    yield f"A look takes {_look_ms(packs[0], camera, rng):.0f} ms of processor time."


def pooled(one: Cell, other: Cell) -> Cell:
    """Return two counts as one."""
    names = one.__struct_fields__
    return Cell(**{name: getattr(one, name) + getattr(other, name) for name in names})


def _group(name: str) -> str:
    return "Photographed backs" if name.startswith("photo") else "Drawn backs"


def _look_ms(pack: Pack, camera: Camera, rng: Random) -> float:
    taken = [photograph(pack.back, camera, rng) for _ in range(10)]
    start = time.process_time()
    for each in taken:
        compare(each.picture, each.corners_px, pack.model)
    return (time.process_time() - start) * 1000 / len(taken)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables; an hour or more."""
    parser = argparse.ArgumentParser(prog="python -m misdeal.bench.backs", description=__doc__)
    parser.add_argument("--designs", type=Path, help="a folder of PNG pictures of backs")
    parser.add_argument("--photos", type=Path, help="the folder of the photographs")
    parser.add_argument("--good", type=int, default=170, help="good cards a pack (170)")
    parser.add_argument("--marked", type=int, default=20, help="cards a kind and size (20)")
    parser.add_argument("--camera", choices=CAMERAS, action="append", help="else each in turn")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    backs = {
        **drawn(),
        **(designs(given.designs) if given.designs else {}),
        **(photos(given.photos) if given.photos else {}),
    }
    for name in given.camera or CAMERAS:
        sys.stdout.write(f"\n### {name}\n\n")
        for line in report(backs, CAMERAS[name], Extent(given.good, given.marked)):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
