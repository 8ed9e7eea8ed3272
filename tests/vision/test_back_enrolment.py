"""A back is enrolled, kept in a file, and promises no more than its pictures show."""

import io
import json
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from hw_fixtures.backs import Camera, dot, lattice
from tests.vision.shots import COUNT, DESIGN, enrolled, shot, shots
from vision.backfile import read_back, write_back
from vision.backs import compare
from vision.enrolled import enrol, gumbel, rate_bound, shots_for, tail
from vision.errors import BackFileError, TooFewShotsError
from vision.likeness import Frame


@pytest.mark.parametrize(
    ("over", "count", "rate"),
    [
        (0, 1, 0.95),
        (0, 52, 1 - 0.05 ** (1 / 52)),
        (0, 2995, 1 - 0.05 ** (1 / 2995)),
        # Of two, one is over: at most one is with 1 - rate^2, which is 1 in 20 here.
        (1, 2, 0.95**0.5),
        (2, 2, 1.0),
    ],
)
def test_pictures_show_a_rate_and_no_less(over: int, count: int, rate: float) -> None:
    assert rate_bound(over, count) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("rate", "over", "count"), [(0.05, 0, 59), (0.01, 0, 299), (0.001, 0, 2995), (0.05, 1, 93)]
)
def test_so_many_pictures_are_needed(rate: float, over: int, count: int) -> None:
    assert shots_for(rate, over) == count
    assert rate_bound(over, count) <= rate < rate_bound(over, count - 1)


def test_the_spread_of_highest_scores_is_found_from_quartiles() -> None:
    uniform = (np.arange(10_000) + 0.5) / 10_000
    scores = 5 - 2 * np.log(-np.log(uniform))
    assert gumbel(scores) == pytest.approx((5, 2), abs=0.01)


def test_the_highest_quarter_tells_how_high_scores_may_be() -> None:
    # The upper quartile of 1 to 9 is 7; 8 and 9 are 1 and 2 beyond it.
    assert tail([float(n) for n in range(1, 10)]) == (7.0, 1.5)


def test_an_enrolment_says_what_it_shows() -> None:
    model, strange = enrolled()
    assert strange == ()
    assert model.false_alarms.shots == COUNT
    assert model.false_alarms.over == 0
    assert model.false_alarms.shown_rate == pytest.approx(1 - 0.05 ** (1 / COUNT))
    assert model.false_alarms.expected_rate <= 0.001001


def test_a_marked_card_among_the_good_ones_is_named_and_counts() -> None:
    marked = shot(dot(DESIGN, 2.0, Random(1))[0], 50)
    unlike = shot(lattice(), 51)
    mixed = [*shots()[:4], marked, *shots()[4:], unlike]
    model, strange = enrol(mixed)
    assert strange == (4, COUNT + 1)
    assert (model.false_alarms.over, model.false_alarms.shots) == (2, COUNT + 2)
    assert model.false_alarms.shown_rate == rate_bound(2, COUNT + 2)
    assert compare(*marked, model).marks


def test_a_rate_that_the_pictures_cannot_show_is_refused() -> None:
    with pytest.raises(TooFewShotsError) as refused:
        enrol(shots(), rate=0.01)
    assert str(refused.value) == (
        f"found {COUNT} pictures of good backs, expected at least 299 "
        "to show a false-alarm rate of 1 %"
    )
    assert enrol(shots(), rate=0.2).model.false_alarms.shown_rate <= 0.2


def test_a_picture_left_out_may_leave_too_few_for_the_rate() -> None:
    mixed = [*shots()[:15], shot(lattice(), 51)]
    with pytest.raises(TooFewShotsError) as refused:
        enrol(mixed, rate=0.2)
    assert (refused.value.found, refused.value.needed) == (16, shots_for(0.2, 1))


def test_so_few_teach_nothing() -> None:
    with pytest.raises(TooFewShotsError, match=r"found 11 pictures.*expected at least 12$"):
        enrol(shots()[:11])


def test_pictures_beyond_those_that_teach_test() -> None:
    model, _ = enrol(shots(), most_learnt=12)
    assert model.false_alarms.shots == COUNT
    good = [compare(*each, model).score for each in shots()[12:]]
    assert max(good) <= model.threshold + 0.05


# ---------------------------------------------------------------- the file
def test_a_back_comes_out_of_its_file_as_it_went_in() -> None:
    model = enrolled().model
    again = read_back(write_back(model), "red.back.npz")
    assert again.false_alarms == model.false_alarms
    assert again.frame == Frame()
    assert again.threshold == model.threshold
    marked = shot(dot(DESIGN, 1.5, Random(2))[0], 7)
    before, after = compare(*marked, model), compare(*marked, again)
    assert after.score == pytest.approx(before.score, rel=0.01)
    assert after.marks[0].x_mm == before.marks[0].x_mm


def test_the_file_is_small() -> None:
    assert len(write_back(enrolled().model)) < 3_000_000


def changed(**arrays: NDArray[np.generic] | None) -> bytes:
    """Return a good file with some arrays replaced or left out."""
    with np.load(io.BytesIO(write_back(enrolled().model))) as archive:
        whole = {name: archive[name] for name in archive.files}
    kept = {name: array for name, array in (whole | arrays).items() if array is not None}
    out = io.BytesIO()
    np.savez(out, **kept)
    return out.getvalue()


def about(**fields: object) -> NDArray[np.uint8]:
    with np.load(io.BytesIO(write_back(enrolled().model))) as archive:
        told = json.loads(archive["about"].tobytes())
    return np.frombuffer(json.dumps(told | fields).encode(), np.uint8)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is damaged or another kind of file"),
        (b"not a zip", "it is damaged or another kind of file"),
        (b"PK\x03\x04 cut short", "it is damaged or another kind of file"),
        (lambda: write_back(enrolled().model)[:5000], "it is damaged or another kind of file"),
        (lambda: changed(about=None), "it is damaged or another kind of file"),
        (lambda: changed(about=about(more=1)), "it is damaged or another kind of file"),
        (lambda: changed(about=about(format=2)), "found format 2, expected 1"),
        (lambda: changed(about=about(places=[1.0])), "found 1 bands, expected 5"),
        (lambda: changed(mean2=None), "mean2: found nothing, expected (88, 63, 3)"),
        (
            lambda: changed(mean2=np.zeros((3, 3), np.float16)),
            "mean2: found (3, 3), expected (88, 63, 3)",
        ),
        (
            lambda: changed(spread0=np.full((352, 252, 3), np.nan, np.float16)),
            "spread0: found what is no number",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(data: object, why: str) -> None:
    given = data() if callable(data) else data
    assert isinstance(given, bytes)
    with pytest.raises(BackFileError) as refused:
        read_back(given, "red.back.npz")
    assert str(refused.value) == f"red.back.npz cannot be read as an enrolled back: {why}"


def test_a_bridge_card_is_enrolled_at_its_own_size() -> None:
    frame = Frame(57.0, 88.0)
    assert frame.size_px == (228, 352)
    mask = frame.mask()
    assert mask.shape == (352, 228)
    assert not mask[:3].any()
    assert mask[3:-3, 20:-20].all()
    # 3.5 mm is 14 px, less 3 of the edge: 11 px around (14, 14). (6, 6) is 10.6 from it, half a
    # pixel being added to each.
    assert not mask[5, 5]
    assert mask[6, 6]


def test_pictures_of_another_size_are_no_matter() -> None:
    larger = shot(DESIGN, 60, Camera(px_per_mm=8.0))
    assert compare(*larger, enrolled().model).score < enrolled().model.threshold
