"""``make train``: from packages to weights, each step kept, so that an ended run goes on.

Faces are cut, decks drawn, scenes made, then both networks trained side by side, one a processor.
"""

import pickle
import shutil
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np
from fontTools.ttLib import TTFont
from torch import nn, set_num_threads

from vision.training import faces, learn, scenes, surfaces
from vision.training.faces import Deck
from vision.training.procedural import draw_deck, glyph

SEED = 7
DRAWN_DECKS = 110
SHARDS, SHARD = 49, 250
"""Stored scenes: 12,250."""
FINDER_STEPS, READER_STEPS = 4500, 8500
BACKS, GLYPHS = 160, 300
ODD_LETTERS = "BCDEFGHILMNOPRSUVWXYZabcdefghklmnprstuwxyz&%$#@!?+*"
"""What is printed on tables and is no index."""
_PACKAGED = 4
"""Packaged decks are taken so many times as often as drawn ones."""


# ---------------------------------------------------------------- decks
def _jobs(home: Path) -> list[partial[Deck]]:
    npm = home / "npm" / "node_modules"
    share = home / "deb" / "root" / "usr" / "share"
    kennard = npm / "@heruka_urgyen" / "react-playing-cards"
    return [
        *(partial(faces.heruka, kennard, design) for design in faces.FLAT),
        partial(faces.younestouati, npm / "@younestouati" / "playing-cards-standard-deck"),
        partial(faces.htdebeer, npm / "svg-cards"),
        *(partial(faces.sheet, share / "aisleriot" / "cards", name) for name in faces.SHEETS),
        *(partial(faces.theme, share / "carddecks", name) for name in faces.THEMES),
    ]


def _cut(home: Path, job: partial[Deck]) -> None:
    _keep(home, job())


def _keep(home: Path, deck: Deck) -> None:
    target = home / "decks" / f"{deck.name}.npz"
    np.savez_compressed(target, faces=deck.faces, index=np.array(deck.index_xywh))


@cache
def _decks(home: Path) -> list[Deck]:
    found = []
    for file in sorted((home / "decks").glob("*.npz")):
        stored = np.load(file)
        x, y, width, height = (float(value) for value in stored["index"])
        found.append(Deck(file.stem, stored["faces"], (x, y, width, height)))
    return found


def fonts(root: Path) -> tuple[list[str], list[str]]:
    """Return the fonts that have all letters of an index, and those that have all suits."""
    letters, pips = [], []
    for file in sorted({*root.rglob("*.ttf"), *root.rglob("*.otf")}):
        try:
            known = TTFont(file, lazy=True).getBestCmap()
        except Exception:  # noqa: BLE001, S112 - a font that fontTools cannot read is left out
            continue
        if all(ord(letter) in known for letter in "A234567890JQKTOER"):
            letters.append(str(file))
        if all(ord(pip) in known for pip in "\u2660\u2663\u2665\u2666"):
            pips.append(str(file))
    return letters, pips


def _draw(home: Path, chosen: tuple[int, str, str]) -> None:
    courts = [
        deck
        for deck in _decks(home)
        if not deck.name.startswith(("drawn", "gnome-neo", "gnome-pl"))
    ]
    try:
        deck = draw_deck(*chosen, courts)
    except OSError:  # a font that has the letter but cannot draw it
        return
    if deck:
        _keep(home, deck)


# ---------------------------------------------------------------- scenes
def _stock(home: Path) -> scenes.Stock:
    rng = np.random.default_rng(SEED)
    letters, _ = fonts(home / "deb" / "root")
    drawn = [deck for deck in _decks(home) if deck.name.startswith("drawn")]
    packaged = [deck for deck in _decks(home) if not deck.name.startswith("drawn")]
    odd = (
        glyph(str(rng.choice(letters)), str(rng.choice(list(ODD_LETTERS))), 48)
        for _ in range(GLYPHS)
    )
    return scenes.Stock(
        [*drawn, *packaged * _PACKAGED],
        [surfaces.back(rng) for _ in range(BACKS)],
        list(_photos(home / "deb" / "root" / "usr" / "share")),
        [ink for ink in odd if ink is not None],
    )


def _photos(root: Path) -> Iterable[surfaces.Picture]:
    for file in sorted(root.rglob("*")):
        if file.suffix.lower() not in (".jpg", ".jpeg", ".png", ".webp") or "card" in str(file):
            continue
        picture = cv2.imread(str(file))
        if picture is None or min(picture.shape[:2]) < 60:
            continue
        scale = 1000 / min(picture.shape[:2])
        if scale < 1:
            picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        if min(picture.shape[:2]) < 400:
            high, wide = (400 // side + 1 for side in picture.shape[:2])
            picture = np.tile(picture, (high, wide, 1))
        yield np.asarray(picture, np.uint8)


_cached_stock = cache(_stock)


def _store(home: Path, shard: int) -> None:
    cv2.setNumThreads(1)
    stored: tuple[list[object], ...] = ([], [], [])
    for seed in range(shard * SHARD, (shard + 1) * SHARD):
        scene = scenes.draw(seed, _cached_stock(home))
        quality = int(np.random.default_rng(seed + 10**7).integers(40, 96))
        jpeg = cv2.imencode(".jpg", scene.picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        for values, value in zip(stored, (jpeg, scene.indices, scene.ground), strict=True):
            values.append(value)
    (home / "shards" / f"{shard:03d}.pkl").write_bytes(pickle.dumps(stored))


# ---------------------------------------------------------------- networks
def _progress(name: str, steps: int) -> learn.Progress:
    start = time.monotonic()

    def tell(step: int, loss: float, _: nn.Module) -> None:
        if step % 100 == 0:
            took = time.monotonic() - start
            print(f"{name} {step}/{steps}  loss {loss:.3f}  {took:.0f} s", flush=True)  # noqa: T201

    return tell


def _fit(home: Path, models: Path, name: str) -> None:
    set_num_threads(1)
    cv2.setNumThreads(1)
    shards = home / "shards"
    if name == "finder":
        model = learn.train_finder(shards, FINDER_STEPS, SEED, _progress(name, FINDER_STEPS))
        varying = {"picture": {2: "height", 3: "width"}, "seen": {2: "rows", 3: "columns"}}
        learn.write(model, (1, 3, 352, 640), models / "finder.onnx", varying)
    else:
        model = learn.train_reader(shards, READER_STEPS, SEED, _progress(name, READER_STEPS))
        learn.write(
            model, (4, 3, 48, 32), models / "reader.onnx", {"picture": {0: "n"}, "seen": {0: "n"}}
        )


def main(home: Path, models: Path) -> None:
    """Make the weights.

    Args:
        home: Where packages are and what is made of them is kept.
        models: Where the networks are written.
    """
    for folder in ("decks", "shards"):
        (home / folder).mkdir(exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        if not list((home / "decks").glob("drawn*")):
            list(pool.map(partial(_cut, home), _jobs(home)))
            letters, pips = fonts(home / "deb" / "root")
            rng = np.random.default_rng(SEED)
            chosen = [
                (1000 + at, str(rng.choice(letters)), str(rng.choice(pips)))
                for at in range(DRAWN_DECKS)
            ]
            list(pool.map(partial(_draw, home), chosen))
    with ProcessPoolExecutor(2) as pool:
        missing = [n for n in range(SHARDS) if not (home / "shards" / f"{n:03d}.pkl").exists()]
        list(pool.map(partial(_store, home), missing))
        list(pool.map(partial(_fit, home, models), ("finder", "reader")))


if __name__ == "__main__":
    if shutil.which("rsvg-convert") is None:
        sys.exit("make train: rsvg-convert is missing (Debian package librsvg2-bin)")
    main(Path(sys.argv[1]).resolve(), Path("vision", "models"))
