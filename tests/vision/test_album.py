"""Pictures of marked backs that are kept: where, and how many."""

from pathlib import Path

import cv2
import numpy as np

from vision.album import Album

PICTURE = np.full((40, 30, 3), 90, np.uint8)


def test_a_picture_is_kept_under_the_tables_time_and_the_oldest_gives_way(tmp_path: Path) -> None:
    album = Album(tmp_path / "journal-backs", ahead_ns=100, most=2)
    said = [album.keep(PICTURE, at_ns) for at_ns in (7, 9_000, 80)]
    assert said[0] == "picture journal-backs/00000000000000000107.jpg"
    names = sorted(file.name for file in (tmp_path / "journal-backs").iterdir())
    assert names == ["00000000000000000180.jpg", "00000000000000009100.jpg"]
    shown = cv2.imread(str(tmp_path / "journal-backs" / names[0]))
    assert (shown.shape, int(shown.mean())) == ((40, 30, 3), 90)  # type: ignore[union-attr]


def test_a_picture_that_cannot_be_kept_is_said_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / "journal-backs").write_text("a file")
    assert Album(tmp_path / "journal-backs").keep(PICTURE, 1) == "no picture: File exists"
