"""What the camera tells of filmed hands: ``python -m misdeal.bench.video``.

Nine-handed hands, clean and irregular, are painted frame by frame and go through the watcher as
frames of a camera would, with nothing wrong and with one thing wrong after the other. Every card
that comes to lie face up must be told soon, and nothing that did not happen.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np
from msgspec import Struct

from engine.events import BackSighted
from hw_fixtures.demo import DemoDealer
from hw_fixtures.picture.calibrated import calibration
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.mishaps import Mishaps, spoil
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.reel import Hands, exposures, in_a_row, landings, scenes
from hw_fixtures.picture.scene import Scene
from hw_fixtures.picture.truth import TruthEye
from misdeal.bench.figures import columns
from misdeal.bench.sights import Score, Span, Told, score
from vision.eye import open_eye
from vision.seen import Eye, Picture
from vision.watcher import Watcher
from vision.watching import Newcomers

CLEAN_S, FAULTY_S = 600.0, 120.0

_EVERY_S, _FIRST_S, _LASTS_S = 30.0, 12.0, 6.0
"""When a fault comes and how long it stays: every half minute, for six seconds."""

DECKS = (
    Deck(),
    Deck(letters="italic", is_four_colour=True, back="red"),
    Deck(is_jumbo=True, weight=600),
    Deck(is_jumbo=True, is_four_colour=True, letters="italic", back="red"),
)

HEAD = (
    "camera", "seconds", "faces", "in 300 ms", "later", "missed", "wrong", "median", "slowest",
    "backs", "faults told", "look, median", "p99",
)  # fmt: skip


class Setting(Struct, frozen=True, kw_only=True):
    """What is wrong with the camera."""

    name: str
    mishaps: Mishaps = Mishaps()
    is_always: bool = False
    """Whether it is wrong all the time, and all must be told in time nevertheless."""


SETTINGS = (
    Setting(name="clean"),
    Setting(name="one frame in ten lost", mishaps=Mishaps(drop=0.1), is_always=True),
    Setting(name="noise", mishaps=Mishaps(noise=8.0), is_always=True),
    Setting(name="frozen", mishaps=Mishaps(is_frozen=True)),
    Setting(name="no frames", mishaps=Mishaps(is_stalled=True)),
    Setting(name="unplugged", mishaps=Mishaps(is_unplugged=True)),
    Setting(name="dark", mishaps=Mishaps(is_dark=True)),
    Setting(name="blinded", mishaps=Mishaps(is_blinded=True)),
    Setting(name="bumped", mishaps=Mishaps(bump_px=(31, -18))),
    Setting(name="another size", mishaps=Mishaps(shrink=2)),
)


class Result(Struct, frozen=True, kw_only=True):
    """What came of a setting."""

    setting: Setting
    score: Score
    length_s: float
    looks_ms: tuple[float, ...]
    """What each frame cost the watcher."""


class _Film:
    """Films hands with a camera that something is wrong with, and has them watched."""

    def __init__(self, hands: Hands, deck: Deck, eye: Eye | None, seed: int) -> None:
        self._hands = hands
        self._painter = Painter(deck, seed=seed)
        self._rng = np.random.default_rng(seed)
        where = calibration()
        self._truth = TruthEye(where.picture_wh_px)
        self._newcomers = Newcomers()
        bare = self._painter.render(Scene(), 0.0)
        self._watcher = Watcher(where, bare, eye or self._truth)
        self._last: Picture | None = None
        self.looks_ms: list[float] = []

    def run(self, setting: Setting) -> Iterator[Told]:
        was_bad = False
        for at_s, scene in scenes(self._hands):
            is_bad = setting.is_always or is_bad_at(at_s, setting)
            mishaps = setting.mishaps if is_bad else Mishaps()
            at_ns = round(at_s * 1e9)
            frame = self._shoot(scene, at_s, mishaps)
            if mishaps.is_unplugged and not was_bad:
                events = self._watcher.lose("was cut off", at_ns)
            elif frame is None:
                events = self._watcher.pass_time(at_ns)
            else:
                self._truth.face(frame, scene, at_s)
                self._newcomers.begin(at_ns)
                start_ns = time.perf_counter_ns()
                events = self._watcher.see(frame, at_ns)
                self.looks_ms.append((time.perf_counter_ns() - start_ns) / 1e6)
            was_bad = is_bad
            yield from (Told(at_s, event) for event in self._newcomers.among(events))

    def _shoot(self, scene: Scene, at_s: float, mishaps: Mishaps) -> Picture | None:
        """Return a frame as it comes out of a JPEG; None where none comes."""
        is_lost = mishaps.drop > 0 and self._rng.uniform() < mishaps.drop
        if mishaps.is_stalled or mishaps.is_unplugged or is_lost:
            return None
        if mishaps.is_frozen and self._last is not None:
            return self._last.copy()
        picture = spoil(self._painter.render(scene, at_s), mishaps, self._rng)
        jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
        self._last = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
        return self._last


def is_bad_at(at_s: float, setting: Setting) -> bool:
    """Say whether the fault of a setting is there at a moment."""
    return setting.mishaps != Mishaps() and _FIRST_S <= at_s % _EVERY_S < _FIRST_S + _LASTS_S


def bad_spans(setting: Setting, length_s: float) -> list[Span]:
    """Return when the fault of a setting is there."""
    if setting.is_always or setting.mishaps == Mishaps():
        return []
    starts = np.arange(_FIRST_S, length_s, _EVERY_S)
    return [(float(start), float(start) + _LASTS_S) for start in starts]


def measure(
    setting: Setting, length_s: float, *, deck: Deck, eye: Eye | None, seed: int = 1
) -> Result:
    """Film hands in a setting and hold what is told against what lay there.

    Args:
        setting: What is wrong.
        length_s: For how long.
        deck: What the cards look like.
        eye: What finds them; None for one that is told.
        seed: Settles hands, felt and noise.
    """
    hands = in_a_row(DemoDealer(seed), length_s)
    film = _Film(hands, deck, eye, seed)
    told = list(film.run(setting))
    lay = exposures(hands.steps, hands.faces, hands.length_s)
    lay = [each for each in lay if each.from_s < hands.length_s - 1.0]
    return Result(
        setting=setting,
        score=score(
            lay,
            told,
            hands.length_s,
            bad_spans(setting, hands.length_s),
            landings(hands.steps),
        ),
        length_s=hands.length_s,
        looks_ms=tuple(film.looks_ms),
    )


def row(result: Result) -> tuple[str, ...]:
    """Return the line of a setting."""
    scored = result.score
    waits = sorted(scored.waits_s) or [0.0]
    looks = sorted(result.looks_ms) or [0.0]
    false_backs = sum(isinstance(each.event, BackSighted) for each in scored.wrong)
    return (
        result.setting.name,
        f"{result.length_s:.0f}",
        str(scored.exposed),
        str(scored.in_time),
        str(len(scored.waits_s) - scored.in_time),
        str(len(scored.missed)),
        str(len(scored.wrong) - false_backs),
        f"{statistics.median(waits) * 1000:.0f} ms",
        f"{waits[-1] * 1000:.0f} ms",
        "{1} of {0}, {2} false".format(*scored.backs, false_backs),
        str(len(scored.blind)),
        f"{statistics.median(looks):.1f} ms",
        f"{looks[int(len(looks) * 0.99)]:.1f} ms",
    )


def flaws(result: Result) -> Iterator[str]:
    """Yield what was not as it must be, a line each."""
    name = result.setting.name
    for each in result.score.missed:
        yield f"{name}: {each.from_s:.2f} s: {each.card} at {each.place} was not told"
    for told in result.score.wrong:
        yield f"{name}: {told.at_s:.2f} s: did not happen: {told.event}"


def _usual_eye() -> Eye:
    return open_eye(calibration().card_width_px())


def main(arguments: Sequence[str] | None = None, make_eye: Callable[[], Eye] = _usual_eye) -> int:
    """Print the table; return 1 where something was missed or wrong."""
    parser = argparse.ArgumentParser(prog="python -m misdeal.bench.video")
    parser.add_argument("--clean", type=float, default=CLEAN_S, help="seconds without a fault")
    parser.add_argument("--faulty", type=float, default=FAULTY_S, help="seconds with each fault")
    parser.add_argument("--eye", choices=("real", "told"), default="real", help="what finds cards")
    parser.add_argument("--only", help="the settings whose name has this word")
    parser.add_argument("--seed", type=int, default=1, help="settles the hands")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    eye = make_eye() if given.eye == "real" else None
    rows: list[tuple[str, ...]] = [HEAD]
    found: list[str] = []
    for at, setting in enumerate(SETTINGS):
        if given.only and given.only not in setting.name:
            continue
        length_s = given.clean if setting.mishaps == Mishaps() else given.faulty
        deck = DECKS[at % len(DECKS)]
        result = measure(setting, length_s, deck=deck, eye=eye, seed=given.seed + at)
        rows.append(row(result))
        found += flaws(result)
        sys.stderr.write(f"{' '.join(rows[-1])}\n")
    sys.stdout.write("\n".join([columns(rows), *found, ""]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
