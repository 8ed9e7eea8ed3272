"""A back against the enrolled back of its pack."""

from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from engine.cards import Card, Place, Tag
from engine.events import BackMarked
from hw_fixtures.backs import (
    BLUE,
    RED,
    Back,
    Camera,
    bend,
    dot,
    framed,
    lattice,
    nick,
    printed,
    stain,
    torn,
)
from tests.vision.shots import CAMERA, DESIGN, Marker, enrolled, looks, shot
from vision.backs import (
    BackLook,
    BackVerdict,
    Mark,
    agree,
    annotated,
    compare,
    is_same,
    mark_words,
    px_per_mm,
    told,
    verdict_words,
)

MODEL = enrolled().model
WIDTH_MM, HEIGHT_MM = 63.0, 88.0
MARK = Mark(
    what="dark",
    x_mm=20.0,
    y_mm=30.0,
    box_mm=(19.0, 29.5, 21.0, 30.5),
    score=40.0,
    outline_px=((0.0, 0.0), (8.0, 0.0), (8.0, 4.0), (0.0, 4.0)),
)
GOOD = BackLook(score=1.0, likeness=0.99)
MARKED = BackLook(score=40.0, likeness=0.99, marks=(MARK,))


def off_mm(mark: Mark, where: tuple[float, float]) -> float:
    """Return how far a mark is from where it was made, either way round."""
    x, y = where
    ways = ((x, y), (WIDTH_MM - x, HEIGHT_MM - y))
    return float(min(np.hypot(mark.x_mm - a, mark.y_mm - b) for a, b in ways))


@pytest.mark.parametrize(
    ("marker", "size_mm", "whats"),
    [
        (dot, 2.0, {"dark"}),
        (stain, 6.0, {"dark"}),
        (nick, 2.5, {"edge"}),
        (torn, 6.0, {"edge"}),
        (bend, 45.0, {"line"}),
    ],
)
def test_a_mark_is_found_where_it_is(marker: Marker, size_mm: float, whats: set[str]) -> None:
    back, where = marker(DESIGN, size_mm, Random(4))
    for look in looks(back):
        assert look.score > MODEL.threshold
        assert look.marks[0].what in whats
        assert off_mm(look.marks[0], where) < max(4, size_mm / 3)


def test_a_dot_is_boxed_at_its_size() -> None:
    back, _ = dot(DESIGN, 3.0, Random(4))
    left, top, right, bottom = looks(back)[0].marks[0].box_mm
    assert 2.5 <= right - left <= 4.5
    assert 2.5 <= bottom - top <= 4.5


def test_a_pale_place_is_told_as_such() -> None:
    pixels = DESIGN.pixels.copy()
    pixels[500:550, 300:350] = 250
    assert {mark.what for mark in looks(Back(pixels, DESIGN.is_card))[0].marks} == {"light"}


def test_good_backs_show_nothing() -> None:
    assert [look.marks for look in looks(DESIGN, range(200, 206))] == [()] * 6


@pytest.mark.parametrize(
    "other",
    [framed(RED), framed(BLUE, seed=9), lattice(BLUE), printed(np.full((88, 63, 3), 90, np.uint8))],
    ids=["another colour", "another pattern", "a lattice", "plain"],
)
def test_another_design_is_foreign(other: Back) -> None:
    for look in looks(other):
        assert (look.is_foreign, look.marks, look.unfit) == (True, (), "")


@pytest.mark.parametrize("share", [0.45, 0.6, 0.7])
def test_a_covered_card_is_not_judged(share: float) -> None:
    picture, corners = shot(DESIGN, 1)
    covered = picture.copy()
    covered[: round(len(covered) * share)] = (120, 150, 200)
    look = compare(covered, corners, MODEL)
    assert look.unfit.endswith(" % of the card is covered or changed")
    assert (look.is_foreign, look.marks) == (False, ())


def test_a_card_that_is_too_small_is_not_judged() -> None:
    picture, corners = shot(DESIGN, 1, Camera(px_per_mm=2.0))
    look = compare(picture, corners, MODEL)
    assert look == BackLook(
        score=0.0, likeness=0.0, unfit=f"{px_per_mm(corners, MODEL.frame):.1f} px a millimetre, "
        "expected at least 2.5",
    )  # fmt: skip


def test_a_large_picture_is_judged_like_a_small_one() -> None:
    back, where = dot(DESIGN, 2.0, Random(4))
    look = compare(*shot(back, 5, replace(CAMERA, px_per_mm=9.0)), MODEL)
    assert off_mm(look.marks[0], where) < 1


def test_light_from_one_side_and_sheen_are_no_marks() -> None:
    camera = replace(CAMERA, light=0.3, sheen=8.0)
    assert [compare(*shot(DESIGN, seed, camera), MODEL).marks for seed in (1, 2, 3)] == [()] * 3


# ---------------------------------------------------------------- several looks
@pytest.mark.parametrize(
    ("taken", "agreeing"),
    [
        ([], None),
        ([MARKED, MARKED], None),
        ([MARKED, MARKED, MARKED], (3, 3)),
        ([MARKED, GOOD, MARKED, MARKED], (3, 4)),
        ([MARKED, GOOD, MARKED, GOOD, MARKED], None),
        ([MARKED, MARKED, replace(MARKED, unfit="covered")], None),
    ],
)
def test_looks_agree_where_most_show_the_mark(
    taken: list[BackLook], agreeing: tuple[int, int] | None
) -> None:
    verdict = agree(taken, MODEL)
    assert (verdict and (verdict.agreeing, verdict.looks)) == agreeing
    assert verdict is None or verdict.mark == MARK


def test_marks_that_wander_are_none() -> None:
    wandering = [
        replace(MARKED, marks=(replace(MARK, x_mm=x, box_mm=(x - 1, 29.5, x + 1, 30.5)),))
        for x in (10.0, 20.0, 40.0)
    ]
    assert agree(wandering, MODEL) is None


def test_looks_agree_on_another_design() -> None:
    foreign = BackLook(score=300.0, likeness=0.1, is_foreign=True)
    assert agree([foreign] * 3, MODEL) == BackVerdict(is_foreign=True, looks=3, agreeing=3)
    assert agree([foreign, foreign, GOOD], MODEL) is None


def test_a_place_and_the_one_across_the_middle_are_the_same() -> None:
    assert is_same(MARK, replace(MARK, x_mm=43.0, y_mm=58.0), MODEL.frame)
    assert is_same(MARK, replace(MARK, x_mm=22.9), MODEL.frame)
    assert not is_same(MARK, replace(MARK, x_mm=23.1), MODEL.frame)


def test_a_verdict_becomes_an_event() -> None:
    verdict = BackVerdict(mark=MARK, looks=4, agreeing=3)
    event = told(verdict, at_ns=7, place=Place("shoe"), tag=Tag("T"), card=Card("9h"))
    assert event == BackMarked(
        at_ns=7,
        place=Place("shoe"),
        tag=Tag("T"),
        card=Card("9h"),
        how="a dark spot, about 2.0 by 1.0 mm, 20 mm from the left and 30 mm from the top "
        "(3 of 4 looks)",
    )
    foreign = told(BackVerdict(is_foreign=True, looks=3, agreeing=3), at_ns=7, place=Place("pack"))
    assert foreign == BackMarked(
        at_ns=7, place=Place("pack"), how="another design (3 of 3 looks)", is_foreign=True
    )


def test_words_name_the_place() -> None:
    assert mark_words(replace(MARK, what="edge")).startswith("a damaged edge, about 2.0 by 1.0 mm")
    assert verdict_words(BackVerdict(is_foreign=True, looks=3, agreeing=3)) == (
        "another design (3 of 3 looks)"
    )


def test_the_mark_is_drawn_on_the_picture() -> None:
    back, _ = dot(DESIGN, 3.0, Random(4))
    picture, corners = shot(back, 5)
    look = compare(picture, corners, MODEL)
    drawn = annotated(picture, look)
    changed = np.argwhere((drawn != picture).any(axis=-1))[:, ::-1]
    outline = np.array(look.marks[0].outline_px)
    assert np.abs(changed.min(axis=0) - outline.min(axis=0)).max() <= 3
    assert np.abs(changed.max(axis=0) - outline.max(axis=0)).max() <= 3
    assert (annotated(picture, GOOD) == picture).all()
