"""What the good backs of a pack have in common, and how often a good back is called marked.

Enrolment holds out each picture in turn, compares it with all the others, and so measures what a
good back scores. From that comes the threshold, and what may be promised: the share of good
backs that score above it is *shown* to be below a bound (19 times in 20), which depends on how
many pictures there were, and *expected* from how the scores are spread.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from vision.bands import BANDS, LINES, bands, outstanding, within
from vision.errors import TooFewShotsError
from vision.likeness import (
    Array,
    Frame,
    Laid,
    lay_out,
    lay_over,
    upright,
)
from vision.seen import Corners, Picture

FEWEST_SHOTS = 12
# Beyond these, pictures only test what the others taught; four packs are enough to learn from.
MOST_LEARNT = 208
# The middle of so many is what all are laid over.
_OF_THE_REFERENCE = 15
EXPECTED_RATE = 1e-3
# The share of the scores from which it is told how high they may be.
_OF_THE_TAIL = 0.25
_SURE = 0.95
# A place where good backs hardly differ still has the camera's own noise. Grey levels, each band.
_LEAST_SPREAD = (1.5, 1.0, 0.8, 0.8, 0.15)
# How many pictures the common spread of a band weighs against those of the place itself.
_COMMON_WEIGHT = 8
# In widths of the scores' distribution. By that distribution 17 would be enough for one in ten
# million, but of few pictures the width itself is not well known.
_STRANGE = 20.0
_UNLIKE = 12.0


class Shot(NamedTuple):
    """A picture of a good back, and where it lies in it."""

    picture: Picture
    corners_px: Corners


class Shots(Protocol):
    """Pictures of good backs: a list of them, or what reads each when it is asked for."""

    def __len__(self) -> int:
        """Return how many there are."""

    def __getitem__(self, number: int, /) -> Shot:
        """Return one of them, from 0."""


class FalseAlarms(Struct, frozen=True, kw_only=True):
    """How often a good back is called marked at one look, as far as enrolment shows."""

    shots: int
    over: int
    """Pictures of enrolment that scored above the threshold, those left out included."""
    shown_rate: float
    """The rate is below this, 19 times in 20; the pictures show no more."""
    expected_rate: float
    """What the spread of the scores makes likely; it is not shown."""


class Usual(Struct, frozen=True):
    """What a band of a good back looks like."""

    mean: Array
    """Shape (h, w, channels)."""
    spread: Array
    """Shape (h, w, channels): one standard deviation."""
    place: float = 0.0
    """Where the highest score of a good back usually is."""
    width: float = 1.0
    """How far the highest scores of good backs lie apart."""


class BackModel(Struct, frozen=True, kw_only=True):
    """The enrolled back of a pack."""

    frame: Frame
    reference: Array
    """Shape (h, w, 3), blue-green-red: the middle of the good backs."""
    usual: tuple[Usual, ...]
    """For each band."""
    threshold: float
    """A back that scores more is marked."""
    least_likeness: float
    """A back that is less like the reference is of another design."""
    false_alarms: FalseAlarms


class Enrolment(NamedTuple):
    """What came of enrolling."""

    model: BackModel
    strange: tuple[int, ...]
    """The numbers of pictures, from 0, that stand out from the rest and taught nothing."""


def enrol(
    shots: Shots,
    frame: Frame | None = None,
    *,
    rate: float | None = None,
    most_learnt: int = MOST_LEARNT,
) -> Enrolment:
    """Learn the back of a pack from pictures of good backs.

    Args:
        shots: Of as many cards as can be had; a second picture of the same card shows less.
        frame: The size of the card; a poker card's if it is not given.
        rate: The false-alarm rate of one look that must be shown; None: the best that can be.
        most_learnt: From so many it is learnt; those after them are only compared with it.

    Raises:
        TooFewShotsError: If there are too few to learn from, or to show the rate.
    """
    frame = frame or Frame()
    _expect(len(shots), max(FEWEST_SHOTS, shots_for(rate) if rate else 0), rate)
    reference = _reference(shots, frame)
    learnt = min(len(shots), most_learnt)
    laid = [lay_over(*shots[number], reference, frame) for number in range(learnt)]
    likeness = np.array([each.likeness for each in laid])
    least_likeness = _least_likeness(likeness)
    strange = {number for number, each in enumerate(likeness) if each < least_likeness}
    usual, scores = _learn(laid, reference, frame, strange)
    for number in range(learnt, len(shots)):
        late = lay_over(*shots[number], reference, frame)
        scores.append(total(peaks(late.pixels, reference, usual, frame), usual))
    _expect(len(shots), shots_for(rate, len(strange)) if rate else 0, rate)
    threshold, alarms = _threshold(scores, len(strange))
    model = BackModel(
        frame=frame,
        reference=reference,
        usual=usual,
        threshold=threshold,
        least_likeness=least_likeness,
        false_alarms=alarms,
    )
    return Enrolment(model, tuple(sorted(strange)))


def _expect(found: int, needed: int, rate: float | None) -> None:
    if found < needed:
        raise TooFewShotsError(found, needed, rate)


# ---------------------------------------------------------------- what is usual
def _reference(shots: Shots, frame: Frame) -> Array:
    """Return the middle of some backs, all the same way round."""
    step = max(1, len(shots) // _OF_THE_REFERENCE)
    few = [shots[number] for number in range(0, len(shots), step)][:_OF_THE_REFERENCE]
    first = lay_out(few[0].picture, upright(few[0].corners_px, frame), frame)
    middle = first
    for _ in range(2):
        over = [lay_over(*shot, middle, frame).pixels for shot in few]
        middle = np.median(np.stack(over), axis=0).astype(np.float32)
    return middle


def _least_likeness(likeness: NDArray[np.float64]) -> float:
    low, middle, _ = np.percentile(likeness, [25, 50, 75])
    return float(middle - _UNLIKE * max(middle - low, 0.005))


def _learn(
    laid: Sequence[Laid], reference: Array, frame: Frame, strange: set[int]
) -> tuple[tuple[Usual, ...], list[float]]:
    """Learn what is usual from the backs that are not strange, and find those that are.

    Returns:
        What is usual, and what each back that is not strange scored when it was held out.
    """
    while True:
        kept = [each for number, each in enumerate(laid) if number not in strange]
        numbers = [number for number in range(len(laid)) if number not in strange]
        usual, highest = _held_out(kept, reference, frame)
        usual = tuple(
            replace(each, place=place, width=width)
            for each, (place, width) in zip(usual, map(gumbel, highest.T), strict=True)
        )
        scores = [total(row, usual) for row in highest]
        place, width = gumbel(scores)
        found = {n for n, s in zip(numbers, scores, strict=True) if s > place + _STRANGE * width}
        if not found or len(kept) - len(found) < FEWEST_SHOTS:
            return usual, scores
        strange |= found


def _held_out(
    laid: Sequence[Laid], reference: Array, frame: Frame
) -> tuple[tuple[Usual, ...], NDArray[np.float64]]:
    """Return what is usual, and the highest score of each back against all the others.

    Returns:
        The bands without places and widths, and scores of shape (backs, bands).
    """
    mask, count = frame.mask(), len(laid)
    split = [[band.astype(np.float16) for band in bands(each.pixels, reference, mask)]
             for each in laid]  # fmt: skip
    usual, highest = [], np.empty((count, BANDS))
    for number in range(BANDS):
        stack = np.stack([each[number] for each in split]).astype(np.float32)
        inside = within(mask, number)
        mean, square = stack.mean(axis=0), np.square(stack).mean(axis=0)
        usual.append(Usual(mean, _spread(square - mean**2, count, number, inside)))
        for which, band in enumerate(stack):
            other = (count * mean - band) / (count - 1)
            variance = (count * square - band**2) / (count - 1) - other**2
            spread = _spread(variance, count - 1, number, inside)
            score = outstanding(band, other, spread, is_lines=number == LINES)
            highest[which, number] = score[inside].max()
    return tuple(usual), highest


def _spread(variance: Array, count: int, number: int, inside: NDArray[np.bool_]) -> Array:
    """Return the standard deviation at each place, drawn towards the common one."""
    sample = np.maximum(variance, 0) * (count / (count - 1))
    common = float(np.median(sample[inside]))
    drawn = (count * sample + _COMMON_WEIGHT * common) / (count + _COMMON_WEIGHT)
    return np.asarray(np.sqrt(drawn + _LEAST_SPREAD[number] ** 2), np.float32)


def scores_of(pixels: Array, reference: Array, usual: Sequence[Usual], frame: Frame) -> list[Array]:
    """Return for each band how far each place stands out, in spreads; 0 where there is no card."""
    mask = frame.mask()
    return [
        within(mask, number) * outstanding(band, each.mean, each.spread, is_lines=number == LINES)
        for number, (band, each) in enumerate(
            zip(bands(pixels, reference, mask), usual, strict=True)
        )
    ]


def peaks(
    pixels: Array, reference: Array, usual: Sequence[Usual], frame: Frame
) -> NDArray[np.float64]:
    """Return the highest score of each band."""
    return np.array([each.max() for each in scores_of(pixels, reference, usual, frame)])


def total(highest: NDArray[np.float64], usual: Sequence[Usual]) -> float:
    """Return the score of a back: of its bands the one that stands out most for that band."""
    return max(
        float(high - each.place) / each.width for high, each in zip(highest, usual, strict=True)
    )


# ---------------------------------------------------------------- how often it is wrong
def _threshold(scores: Sequence[float], left_out: int) -> tuple[float, FalseAlarms]:
    start, excess = tail(scores)
    # What was seen once of a good back is no mark, however unlikely it should be.
    threshold = max(start + excess * math.log(_OF_THE_TAIL / EXPECTED_RATE), *scores)
    count = len(scores) + left_out
    return threshold, FalseAlarms(
        shots=count,
        over=left_out,
        shown_rate=rate_bound(left_out, count),
        expected_rate=_OF_THE_TAIL * math.exp((start - threshold) / excess),
    )


def tail(scores: Sequence[float]) -> tuple[float, float]:
    """Return where the highest quarter of scores begins, and how far beyond they are on average.

    Beyond that point scores are taken to fall off as an exponential does.
    """
    start = float(np.quantile(scores, 1 - _OF_THE_TAIL))
    beyond = [score - start for score in scores if score > start]
    return start, max(sum(beyond) / max(1, len(beyond)), 0.1)


def gumbel(scores: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """Return place and width of the spread of highest scores, by their quartiles.

    The highest of many is spread like that; quartiles are what they are if one of them is strange.
    """
    low, middle, high = np.percentile(np.asarray(scores), [25, 50, 75])
    width = max((high - low) / (math.log(math.log(4)) - math.log(math.log(4 / 3))), 1e-3)
    return float(middle + width * math.log(math.log(2))), float(width)


def rate_bound(over: int, shots: int) -> float:
    """Return the rate that so many of so many show: it is lower 19 times in 20.

    Source: Clopper and Pearson 1934, one-sided.
    """
    if over >= shots:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        at_most = sum(math.comb(shots, k) * rate**k * (1 - rate) ** (shots - k)
                      for k in range(over + 1))  # fmt: skip
        low, high = (rate, high) if at_most > 1 - _SURE else (low, rate)
    return high


def shots_for(rate: float, over: int = 0) -> int:
    """Return how many pictures are needed to show a rate, if so many of them score too high."""
    few, many = over, over + 1
    while rate_bound(over, many) > rate:
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if rate_bound(over, middle) <= rate else (middle, many)
    return many
