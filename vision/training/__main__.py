"""``make train``: from packages to weights, each step kept, so that an ended run goes on.

Faces are cut, decks drawn, scenes made, then both networks trained side by side, one a processor.
"""

import pickle
import shutil
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np
import torch
from fontTools.ttLib import TTFont
from torch import nn, set_num_threads

from vision.nets import OpenCvNet
from vision.training import faces, learn, mining, scenes, surfaces
from vision.training import network as net
from vision.training.faces import Deck
from vision.training.procedural import draw_deck, glyph

SEED = 7
DRAWN_DECKS = 110
SHARD = 250
PLAIN, BACKS_TOO, CHIPS_TOO = 49, 12, 8
"""Stored scenes, in shards of 250: 12,250 as they come, 3,000 of backs, 2,000 of chips."""
SHARDS = PLAIN + BACKS_TOO + CHIPS_TOO
MINED = 8
"""Shards in which the finder's own mistakes are marked, for the second round."""
FIRST_STEPS = {"finder": 4500, "reader": 8500}
THEN_STEPS = {"finder": 1700, "reader": 6800}
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
    share = home / "deb" / "root" / "usr" / "share"
    letters, _ = fonts(home / "deb" / "root")
    drawn = [deck for deck in _decks(home) if deck.name.startswith("drawn")]
    packaged = [deck for deck in _decks(home) if not deck.name.startswith("drawn")]
    odd = (
        glyph(str(rng.choice(letters)), str(rng.choice(list(ODD_LETTERS))), 48)
        for _ in range(GLYPHS)
    )
    return scenes.Stock(
        [*drawn, *packaged * _PACKAGED],
        [
            *(surfaces.back(rng) for _ in range(BACKS)),
            *faces.backs(home / "npm" / "node_modules", share / "aisleriot" / "cards"),
        ],
        list(_photos(share)),
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
    stock = _cached_stock(home)
    if PLAIN <= shard < PLAIN + BACKS_TOO:
        stock = replace(stock, back_share=(0.3, 0.6, 0.9)[shard % 3])
    elif shard >= PLAIN:
        stock = replace(stock, back_share=(0.3, 0.6, 0.15)[shard % 3], chip_share=1.0)
    stored: tuple[list[object], ...] = ([], [], [])
    for seed in range(shard * SHARD, (shard + 1) * SHARD):
        scene = scenes.draw(seed, stock)
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


def _fit(home: Path, models: Path, folder: str, name: str) -> None:
    """Train a network on stored scenes: from where it stands, or from the beginning."""
    set_num_threads(1)
    cv2.setNumThreads(1)
    state = home / f"{name}.pt"
    start = None
    if state.exists():
        start = net.Finder() if name == "finder" else net.Reader()
        start.load_state_dict(torch.load(state))
    steps = (THEN_STEPS if start else FIRST_STEPS)[name]
    train = learn.train_finder if name == "finder" else learn.train_reader
    model = train(home / folder, steps, SEED, _progress(name, steps), start)
    torch.save(model.state_dict(), state)
    model = model.to(memory_format=torch.contiguous_format)
    if name == "finder":
        varying = {"picture": {2: "height", 3: "width"}, "seen": {2: "rows", 3: "columns"}}
        learn.write(model, (1, 3, 352, 640), models / "finder.onnx", varying)
    else:
        varying = {"picture": {0: "n"}, "seen": {0: "n"}}
        learn.write(model, (4, 3, 48, 32), models / "reader.onnx", varying)


def _mine(home: Path, models: Path, photographs: Path | None) -> None:
    """Make the scenes of the second round: the first ones, with mistakes marked in some."""
    finder, reader = (
        OpenCvNet((models / f"{name}.onnx").read_bytes()) for name in ("finder", "reader")
    )
    second = home / "second"
    second.mkdir(exist_ok=True)
    for shard in range(SHARDS):
        name = f"{shard:03d}.pkl"
        stored = pickle.loads((home / "shards" / name).read_bytes())  # noqa: S301 - our own file
        if shard < MINED or PLAIN <= shard < PLAIN + MINED // 2:
            stored = mining.with_mistakes(finder, stored)
        (second / name).write_bytes(pickle.dumps(stored))
    if photographs and (photographs / "labels.csv").is_file():
        shown = mining.photographs(finder, reader, photographs)
        for copy in range(3):
            (second / f"photographs{copy}.pkl").write_bytes(pickle.dumps(shown))


def main(home: Path, models: Path, photographs: Path | None) -> None:
    """Make the weights.

    Args:
        home: Where packages are and what is made of them is kept.
        models: Where the networks are written.
        photographs: A folder of photographs of one card each with ``labels.csv``, if there is one.
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
        list(pool.map(partial(_fit, home, models, "shards"), ("finder", "reader")))
    _mine(home, models, photographs)
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(partial(_fit, home, models, "second"), ("finder", "reader")))


if __name__ == "__main__":
    if shutil.which("rsvg-convert") is None:
        sys.exit("make train: rsvg-convert is missing (Debian package librsvg2-bin)")
    given = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    main(Path(sys.argv[1]).resolve(), Path("vision", "models"), given)
