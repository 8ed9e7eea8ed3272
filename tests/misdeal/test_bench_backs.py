"""The measurement of marked backs counts what it says, here with little of each."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from hw_fixtures.backs import Camera, lattice
from misdeal.bench.backs import (
    PHOTOS,
    Cell,
    Extent,
    designs,
    drawn,
    good_lines,
    main,
    mark_rows,
    photos,
    pooled,
    report,
)

CAMERA = Camera(px_per_mm=4.0)


def test_a_row_tells_looks_and_cards() -> None:
    cell = Cell(cards=20, looks=60, looks_marked=0, cards_marked=0)
    assert good_lines("x", cell) == "| x | 0 of 60 | 4.9 % | 0 of 20 |"
    more = pooled(cell, Cell(cards=1, looks=3, looks_marked=2, cards_marked=1))
    assert more == Cell(cards=21, looks=63, looks_marked=2, cards_marked=1)
    rows = mark_rows(
        {("ink dot", 1.0): Cell(cards=4, looks=12, looks_marked=9, cards_marked=2)},
        {"ink dot": (1.0,)},
    )
    assert list(rows) == ["| ink dot | 1 mm: 75 %, 50 % |"]


def test_a_report_has_good_cards_marked_cards_and_other_designs() -> None:
    few = Extent(good=1, marked=1, shots=12, sizes_mm={"torn corner": (8.0,)})
    text = "\n".join(report({"red": lattice(), "photo: b": lattice((140, 62, 30))}, CAMERA, few))
    assert "| all | 0 of 6 | 39 % | 0 of 2 |" in text
    assert "Drawn backs, 1 cards a size" in text
    assert text.count("| torn corner | 8 mm: 100 %, 100 % |") == 2
    assert "Looks at other designs: {'another design': 6}" in text


def test_backs_come_from_files(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((88, 63, 3), 40, np.uint8))
    for name in PHOTOS:
        cv2.imwrite(str(tmp_path / name), np.full((960, 800, 3), 90, np.uint8))
    assert [*designs(tmp_path), *drawn()] == ["design: a", "drawn: lattice", "drawn: framed"]
    real = photos(tmp_path)
    assert [back.pixels.shape for back in real.values()] == [(1056, 756, 3)] * 2
    assert abs(float(next(iter(real.values())).pixels.mean()) - 90) < 2


def test_photographs_that_are_not_there_are_told_of(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="expected a picture"):
        photos(tmp_path)


def test_its_options_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "how often a good back" in capsys.readouterr().out
