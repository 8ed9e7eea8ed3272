"""What the finder says of cells becomes indices in pixels of the picture."""

import numpy as np
import pytest

from vision.detect import BACK, FACE, Indices, find, joined, without_twins

HEAT, COS, SIN, HIGH, WIDE, DX, DY, CX, CY = range(9)


class Told:
    """A finder that says what it is told, of a map of given cells."""

    def __init__(self, rows: int, columns: int) -> None:
        self.said = np.zeros((1, 12, rows, columns), np.float32)
        self.said[0, HEAT] = -9
        self.shapes: list[tuple[int, ...]] = []

    def run(self, blob: np.ndarray) -> np.ndarray:
        self.shapes.append(blob.shape)
        return self.said


def indices(*rows: tuple[float, float, float, float]) -> Indices:
    """Indices from (heat, x, y, turn in degrees), each 20 px high."""
    n = len(rows)
    heat, x, y, turn = np.array(rows, np.float32).T
    down = np.stack([np.cos(np.radians(turn)), np.sin(np.radians(turn))], 1)
    at = np.stack([x, y], 1)
    return Indices(heat, at, down, np.full(n, 20.0), np.full(n, 60.0), at + 30)


def test_the_picture_is_brought_to_the_scale_and_to_sides_of_sixteens() -> None:
    net = Told(34, 60)
    find(net, np.zeros((540, 960, 3), np.uint8), 480, 0.3)
    assert net.shapes == [(1, 3, 272, 480)]


def test_a_peak_is_told_in_pixels_of_the_picture() -> None:
    net = Told(68, 120)
    net.said[0, :, 10, 20] = [4, 0.0, 0.5, np.log(15), np.log(50), 1.0, -1.0, 2.0, 1.0, 0, 0, 0]
    net.said[0, HEAT, 10, 21] = 3  # a slope, no second peak
    seen = find(net, np.zeros((544, 960, 3), np.uint8), 480, 0.3)
    found = seen.indices
    # 480 of 960 pixels: the cell's middle (82, 42) and what it points at count twice.
    assert found.at.tolist() == [[166.0, 82.0]]
    assert found.card_at.tolist() == [[228.0, 116.0]]
    assert found.down.round(4).tolist() == [[0.0, 1.0]]
    assert found.high.tolist() == pytest.approx([30.0])
    assert found.card_wide.tolist() == pytest.approx([100.0])
    assert found.heat.tolist() == pytest.approx([1 / (1 + np.exp(-4))])
    assert seen.cell_px == (8.0, 8.0)


def test_faint_cells_are_no_indices() -> None:
    net = Told(68, 120)
    net.said[0, HEAT, 5, 5] = np.log(0.2 / 0.8)
    assert len(find(net, np.zeros((544, 960, 3), np.uint8), 480, 0.3).indices) == 0
    assert len(find(net, np.zeros((544, 960, 3), np.uint8), 480, 0.1).indices) == 1


def test_the_ground_is_the_likeliest_of_three() -> None:
    net = Told(2, 3)
    net.said[0, 9 + FACE, 0, 1] = 1
    net.said[0, 9 + BACK, 1, 2] = 1
    assert find(net, np.zeros((32, 48, 3), np.uint8), 48, 0.3).ground.tolist() == [
        [0, 1, 0],
        [0, 0, 2],
    ]


def test_an_index_seen_at_two_scales_is_told_once_the_surer() -> None:
    both = joined([indices((0.6, 100, 100, 90)), indices((0.9, 103, 101, 95), (0.5, 200, 100, 90))])
    assert without_twins(both).heat.tolist() == pytest.approx([0.9, 0.5])


def test_near_but_upside_down_is_another_index() -> None:
    assert len(without_twins(indices((0.9, 100, 100, 90), (0.8, 103, 100, 270)))) == 2


def test_nothing_found_is_nothing_kept() -> None:
    none = find(Told(68, 120), np.zeros((544, 960, 3), np.uint8), 480, 0.3).indices
    assert len(without_twins(none)) == 0
    assert len(without_twins(joined([none, none]))) == 0
