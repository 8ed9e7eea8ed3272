"""What moves, what is new and what is bare, in cells of a picture that is painted here."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.gate import Change, Gate, cells_of, shrink
from vision.seen import Picture

HIGH, WIDE = 160, 320  # 10 rows, 20 columns of cells
MS = 1_000_000
CARD = ((64.0, 32.0), (128.0, 32.0), (128.0, 112.0), (64.0, 112.0))  # cells 2..6, 4..7
APART = ((200.0, 32.0), (300.0, 32.0), (300.0, 112.0), (200.0, 112.0))


def felt(light: float = 1.0, seed: int = 0) -> Picture:
    noise = np.random.default_rng(seed).normal(0, 3, (HIGH, WIDE, 3))
    colour = np.array((60, 110, 40)) * light
    return np.clip(colour + noise, 0, 255).astype(np.uint8)


def with_card(picture: Picture, level: int = 240) -> Picture:
    picture = picture.copy()
    picture[32:112, 64:128] = level
    return picture


def fed(*pictures: Picture) -> tuple[Gate, Change]:
    gate = Gate(shrink(felt()))
    change = None
    for at, picture in enumerate(pictures):
        change = gate.see(shrink(picture), at * 33 * MS)
    assert change is not None
    return gate, change


def test_a_cell_is_sixteen_pixels_wide() -> None:
    rows, columns = cells_of(CARD, (10, 20))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (2, 6, 4, 7)
    assert len(rows) == 20


def test_what_is_smaller_than_a_cell_is_the_nearest_one() -> None:
    rows, columns = cells_of(((17.0, 33.0), (18.0, 33.0), (18.0, 34.0)), (10, 20))
    assert (rows.tolist(), columns.tolist()) == ([2], [1])


@given(st.lists(st.tuples(st.floats(), st.floats()), min_size=3, max_size=6))
def test_any_outline_is_some_cells_of_the_picture(points: list[tuple[float, float]]) -> None:
    rows, columns = cells_of(tuple(points), (10, 20))
    assert 0 <= rows.min() <= rows.max() < 10
    assert 0 <= columns.min() <= columns.max() < 20


def test_of_the_first_frame_nothing_is_still() -> None:
    _, change = fed(felt())
    assert change.moving.all()
    assert not change.fresh.any()
    assert change.bare.all()


def test_noise_is_no_motion() -> None:
    _, change = fed(felt(seed=1), felt(seed=2), felt(seed=3))
    assert not change.moving.any()
    assert not change.fresh.any()
    assert change.bare.all()
    assert change.still_since_ns(CARD) == 0


def test_a_card_that_comes_moves_in_its_own_cells_alone() -> None:
    _, change = fed(felt(seed=1), felt(seed=2), with_card(felt(seed=3)))
    assert change.moving[2:7, 4:8].all()
    assert change.moving.sum() == 20
    assert not change.is_still(CARD)
    assert change.is_still(APART)
    assert change.bare_share(CARD) == 0.0
    assert change.bare_share(APART) == 1.0


def test_the_first_frame_that_showed_it_is_the_last_in_which_it_moved() -> None:
    card = [with_card(felt(seed=seed)) for seed in (3, 4, 5)]
    _, change = fed(felt(seed=1), felt(seed=2), *card)
    assert change.is_still(CARD)
    assert change.still_since_ns(CARD) == 2 * 33 * MS
    assert change.still_since_ns(APART) == 0


def test_what_was_looked_at_is_not_new_any_more() -> None:
    card = with_card(felt(seed=3))
    gate, change = fed(felt(seed=1), card, card)
    assert change.fresh.sum() == 20
    gate.accept(np.ones(gate.shape, np.bool_))
    assert not gate.see(shrink(with_card(felt(seed=4))), 99 * MS).fresh.any()
    assert gate.see(shrink(felt(seed=5)), 132 * MS).fresh.sum() == 20


def test_before_the_first_frame_there_is_nothing_to_accept_or_to_learn() -> None:
    _, change = fed(felt())
    early = Gate(shrink(felt()))
    early.accept(np.ones(early.shape, np.bool_))
    early.learn(change)
    assert early.see(shrink(felt()), 0).bare.all()


@pytest.mark.parametrize("light", [0.6, 0.85, 1.3])
def test_light_that_changes_for_the_whole_picture_is_nothing_new(light: float) -> None:
    before = with_card(felt(seed=1), 180)
    after = np.clip(with_card(felt(seed=2), 180) * light, 0, 255).astype(np.uint8)
    gate, _ = fed(before, before)
    gate.accept(np.ones(gate.shape, np.bool_))
    change = gate.see(shrink(after), 99 * MS)
    assert not change.moving.any()
    assert not change.fresh.any()
    assert change.bare_share(CARD) == 0.0
    assert change.bare_share(APART) == 1.0


def test_a_colour_cast_is_light() -> None:
    _, change = fed(felt(seed=1), (felt(seed=2) * np.array((0.8, 1.0, 1.25))).astype(np.uint8))
    assert not change.moving.any()
    assert change.bare.all()


@pytest.mark.parametrize(
    ("laid", "is_bare"),
    [
        ((33, 61, 22), True),  # the felt, by 45 % darker
        ((64, 118, 43), True),  # brighter by a little
        ((20, 36, 13), False),  # so dark that it may be anything
        ((52, 40, 38), False),  # a sleeve
        ((60, 60, 60), False),  # a black chip
        ((120, 150, 205), False),  # a hand
        ((240, 240, 240), False),  # a card
        ((150, 60, 40), False),  # its back
    ],
)
def test_felt_in_a_shadow_is_bare_and_what_is_of_another_colour_is_not(
    laid: tuple[int, int, int], is_bare: bool
) -> None:
    picture = felt(seed=1)
    picture[32:112, 64:128] = laid
    _, change = fed(picture)
    assert change.bare_share(CARD) == float(is_bare)


def test_the_bare_table_follows_a_cast_that_comes_slowly() -> None:
    gate = Gate(shrink(felt()))
    cast = np.ones((HIGH, WIDE, 3))
    is_bare = True
    for step in range(60):
        # One side turns blue in sixty steps; all at once it would not be taken for felt.
        cast[:, 220:, 0] = 1 + step / 60
        change = gate.see(shrink((felt(seed=step) * cast).astype(np.uint8)), step * 33 * MS)
        for _ in range(8):
            gate.learn(change)
        is_bare = is_bare and bool(change.bare.all())
    assert is_bare
    at_once = Gate(shrink(felt())).see(shrink((felt(seed=99) * cast).astype(np.uint8)), 0)
    assert not at_once.bare.all()


def test_where_nothing_moves_the_rest_is_compared_every_fifteenth_frame_alone() -> None:
    gate, _ = fed(felt(seed=1), felt(seed=2))
    changes = [gate.see(shrink(felt(seed=9)), at * MS) for at in range(100, 100 + 16)]
    assert len({id(change.bare) for change in changes}) == 2
