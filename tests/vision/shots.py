"""Pictures of backs, and a back enrolled from some of them; the same each time."""

import functools
from collections.abc import Callable
from random import Random

from hw_fixtures.backs import BLUE, Back, Camera, framed, photograph
from vision.backs import BackLook, compare
from vision.enrolled import Enrolment, Shot, enrol

CAMERA = Camera(px_per_mm=4.0, print_mm=0.1)
COUNT = 16
DESIGN = framed(BLUE)


def shot(back: Back, seed: int, camera: Camera = CAMERA) -> Shot:
    taken = photograph(back, camera, Random(seed))
    return Shot(taken.picture, taken.corners_px)


@functools.cache
def shots(count: int = COUNT) -> list[Shot]:
    return [shot(DESIGN, seed) for seed in range(count)]


@functools.cache
def enrolled() -> Enrolment:
    return enrol(shots())


def looks(back: Back, seeds: range = range(100, 103)) -> list[BackLook]:
    """Look at one card several times."""
    return [compare(*shot(back, seed), enrolled().model) for seed in seeds]


Marker = Callable[[Back, float, Random], tuple[Back, tuple[float, float]]]
