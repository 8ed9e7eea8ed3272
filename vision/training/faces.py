"""Card faces to train on: decks that packages ship, cut to pictures of one card each.

A deck is 54 faces in the order of `CODES`, each a picture of `FACE_H` rows, blue-green-red, and the
box of its corner index. Which decks there are, from which package and under which licence, is said
in vision/models/MODEL.md.
"""

import gzip
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

RANKS = "A23456789TJQK"
SUITS = "CDHS"
CODES = tuple(rank + suit for suit in SUITS for rank in RANKS)
JOKERS = ("XB", "XR")

FACE_H = 308
"""Rows of a face: 3.5 pixels a millimetre."""

_NAMES = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
_SUIT_NAMES = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}

# Of the sheets of the GNOME package: those with English letters and whole faces.
SHEETS = (
    "anglo", "anglo_bitmap", "anglo_modern", "anglo_modern_4_color", "anglo_poker", "bellot",
    "gnomangelo_bitmap", "neoclassical", "neoclassical_4_color", "ornamental", "plastic",
    "simplistic", "tigullio",
)  # fmt: skip
THEMES = ("nicu-ornamental", "nicu-white", "standard")
FLAT = ("2color", "2color-bf", "4color", "4color-bf")


@dataclass(frozen=True)
class Deck:
    """The faces of one design."""

    name: str
    faces: NDArray[np.uint8]
    """Shape (54, FACE_H, width, 3); a face that the design lacks is all zeros."""
    index_xywh: tuple[float, float, float, float]
    """The box of the corner index, rank and suit together, as shares of width and height."""


def render_svg(svg: bytes, element: str | None = None, high: int = FACE_H) -> NDArray[np.uint8]:
    """Return a drawing, or one element of it, on white.

    Args:
        svg: The drawing.
        element: The id of the element to draw alone.
        high: Rows of the result.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "a.svg"), Path(folder, "a.png")
        source.write_bytes(svg)
        only = ["--export-id", f"#{element}"] if element else []
        size = ["-h", str(high), "--keep-aspect-ratio"]
        subprocess.run(
            ["rsvg-convert", "-u", *only, *size, "-o", target, source],
            check=True, capture_output=True,
        )  # fmt: skip
        return _on_white(cv2.imread(str(target), cv2.IMREAD_UNCHANGED))


def _on_white(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    if picture.shape[2] == 3:
        return picture
    alpha = picture[..., 3:].astype(np.float32) / 255
    return (picture[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)


def find_index(faces: NDArray[np.uint8]) -> tuple[float, float, float, float]:
    """Return the box of the corner index of a design: what all its low cards have in the corner.

    Args:
        faces: Shape (54, height, width, 3), in the order of `CODES`.
    """
    height, width = faces.shape[1:3]
    # Aces, twos and threes: nothing but the index lies near their upper left corner.
    codes = [rank + suit for suit in "CDH" for rank in "A23"]
    inks = [_printed(face) for face in (faces[CODES.index(code)] for code in codes) if face.any()]
    ink = np.mean(inks, axis=0)[: int(0.34 * height), : int(0.27 * width)] > 0.1
    column = np.flatnonzero(ink.any(axis=0))
    gaps = np.flatnonzero(np.diff(column) > 0.04 * width)
    column = column[: gaps[0] + 1] if len(gaps) else column
    row = np.flatnonzero(ink[:, column[0] : column[-1] + 1].any(axis=1))
    x, y = column[0], row[0]
    return (
        float(x / width),
        float(y / height),
        float((column[-1] + 1 - x) / width),
        float((row[-1] + 1 - y) / height),
    )


def _printed(face: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return where a face is printed, without its border."""
    ink = (np.abs(face.astype(np.int16) - 255).max(axis=2) > 60).astype(np.uint8)
    ink[[0, 1, -1, -2], :] = 1
    ink[:, [0, 1, -1, -2]] = 1
    cv2.floodFill(ink, None, (0, 0), 0)
    return ink.astype(np.bool_)


def _deck(name: str, faces: dict[str, NDArray[np.uint8]]) -> Deck:
    width = round(float(np.median([FACE_H * f.shape[1] / f.shape[0] for f in faces.values()])))
    stack = np.zeros((54, FACE_H, width, 3), np.uint8)
    for at, code in enumerate((*CODES, *JOKERS)):
        if code in faces:
            stack[at] = cv2.resize(faces[code], (width, FACE_H), interpolation=cv2.INTER_AREA)
    return Deck(name, stack, find_index(stack))


def heruka(package: Path, design: str) -> Deck:
    """Return a design of the npm package @heruka_urgyen/react-playing-cards (art CC0)."""
    folder = package / "src" / "images" / design
    faces = {code: render_svg((folder / f"{code}.svg").read_bytes()) for code in CODES}
    joker = folder / "2J.svg"
    if joker.exists():
        faces["XR"] = render_svg(joker.read_bytes())
    return _deck(f"heruka-{design}", faces)


def younestouati(package: Path) -> Deck:
    """Return the npm package @younestouati/playing-cards-standard-deck (LGPL-3)."""
    numbers = {rank: str(at + 1) for at, rank in enumerate(RANKS)}
    faces = {
        code: render_svg(
            (package / "cards" / f"{numbers[code[0]]}{code[1].lower()}.svg").read_bytes()
        )
        for code in CODES
        if code != "4S"  # its drawing is broken
    }
    faces["XB"] = render_svg((package / "cards" / "joker.svg").read_bytes())
    return _deck("younestouati", faces)


def htdebeer(package: Path) -> Deck:
    """Return the npm package svg-cards (LGPL-2.1)."""
    folder = package / "png" / "2x"
    names = {code: f"{_SUIT_NAMES[code[1]]}_{_NAMES.get(code[0], code[0])}" for code in CODES} | {
        "XB": "joker_black",
        "XR": "joker_red",
    }
    return _deck(
        "htdebeer",
        {
            code: _on_white(cv2.imread(str(folder / f"{name}.png"), cv2.IMREAD_UNCHANGED))
            for code, name in names.items()
        },
    )


def _sheet(folder: Path, name: str) -> NDArray[np.uint8]:
    svg = gzip.decompress((folder / f"{name}.svgz").read_bytes())
    return render_svg(svg, high=5 * FACE_H)


def sheet(folder: Path, name: str) -> Deck:
    """Return a sheet of the Debian package gnome-cards-data (GPL-3+): 13 columns, 5 rows."""
    whole = _sheet(folder, name)
    width = whole.shape[1] / 13
    cards = {}
    for at, code in enumerate((*CODES, *JOKERS)):
        row, column = divmod(at, 13)
        left, right = round(column * width), round((column + 1) * width)
        cards[code] = trim(whole[row * FACE_H : (row + 1) * FACE_H, left:right])
    return _deck(f"gnome-{name}", cards)


def trim(cell: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a face without the white that surrounds it on its sheet, where there is a border."""
    ink = np.abs(cell.astype(np.int16) - 255).max(axis=2) > 24
    rows, columns = np.flatnonzero(ink.mean(1) > 0.3), np.flatnonzero(ink.mean(0) > 0.3)
    if len(rows) < 2 or len(columns) < 2:
        return cell
    high, wide = rows[-1] - rows[0], columns[-1] - columns[0]
    if high < 0.85 * cell.shape[0] or wide < 0.85 * cell.shape[1]:
        return cell
    return cell[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def theme(folder: Path, name: str) -> Deck:
    """Return a theme of the Debian package kdegames-card-data-kf5 (GPL-2+, LGPL-2+, GPL-3+)."""
    svg = gzip.decompress(next((folder / f"svg-{name}").glob("*.svgz")).read_bytes())
    faces = {
        code: render_svg(svg, f"{_NAMES.get(code[0], code[0])}_{_SUIT_NAMES[code[1]]}")
        for code in CODES
    }
    for code, joker in (("XB", "black_joker"), ("XR", "red_joker")):
        if f'id="{joker}"'.encode() in svg:
            faces[code] = render_svg(svg, joker)
    return _deck(f"kde-{name}", faces)


def backs(npm: Path, sheets: Path) -> list[NDArray[np.uint8]]:
    """Return the backs of the same packages, half as large as faces."""
    drawings = [
        npm / "@heruka_urgyen" / "react-playing-cards" / "src" / "images" / "back.svg",
        npm / "@younestouati" / "playing-cards-standard-deck" / "cards" / "back.svg",
    ]
    found = [render_svg(each.read_bytes()) for each in drawings]
    flat = sorted((npm / "svg-cards" / "png" / "2x").glob("back*.png"))
    found += [_on_white(cv2.imread(str(file), cv2.IMREAD_UNCHANGED)) for file in flat]
    for name in SHEETS:
        whole = _sheet(sheets, name)
        width = whole.shape[1] / 13
        cell = trim(whole[4 * FACE_H :, round(2 * width) : round(3 * width)])
        if np.ptp(cell) > 60:
            found.append(cell)
    sizes = [(round(each.shape[1] * FACE_H / each.shape[0] / 2), FACE_H // 2) for each in found]
    return [
        np.asarray(cv2.resize(each, size, interpolation=cv2.INTER_AREA), np.uint8)
        for each, size in zip(found, sizes, strict=True)
    ]
