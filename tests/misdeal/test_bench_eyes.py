"""The bench of the eye counts as it says: by name within a picture, a card once."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import Card
from misdeal.bench.eyes import cost_rows, labels, main, measure_photographs, photograph_rows
from vision.nets import has_onnxruntime
from vision.seen import Picture, Seen, SeenCard

QUAD = ((0.0, 0.0), (9.0, 0.0), (9.0, 12.0), (0.0, 12.0))
HEAD = "image,card,kind\n"


class Sees:
    """An eye that sees the same in every picture."""

    def __init__(self, *names: str | None) -> None:
        self.seen = Seen(tuple(SeenCard(Card(name) if name else None, 0.9, QUAD) for name in names))

    def look(self, picture: Picture) -> Seen:
        del picture
        return self.seen


def folder(at: Path, rows: str) -> Path:
    (at / "labels.csv").write_text(HEAD + rows)
    for name in {row.split(",")[0] for row in rows.split()}:
        cv2.imwrite(str(at / name), np.zeros((40, 40, 3), np.uint8))
    return at


def test_labels_are_cards_and_a_card_with_two_labelled_indices_is_one(tmp_path: Path) -> None:
    truth = labels(folder(tmp_path, "a_1.png,TH,index\na_1.png,TH,index\nb_1.png,none,card\n"))
    assert truth == {"a_1.png": {"Th": 1}, "b_1.png": {}}


def test_two_decks_may_show_a_card_twice(tmp_path: Path) -> None:
    truth = labels(folder(tmp_path, "a_1.png,2S,card\na_1.png,2S,card\n"))
    assert truth["a_1.png"] == {"2s": 2}


def test_right_wrong_and_unread_are_counted_by_source(tmp_path: Path) -> None:
    at = folder(tmp_path, "a_1.png,9H,card\na_1.png,KD,card\na_2.png,9H,card\nb_1.png,none,card\n")
    tallies, flaws = measure_photographs(at, Sees("9h", "9h", None))
    a, b = tallies["a"], tallies["b"]
    assert (a.pictures, a.cards, a.right, a.wrong, a.unread) == (2, 3, 2, 2, 2)
    assert (b.pictures, b.cards, b.right, b.wrong, b.unread) == (1, 0, 0, 2, 1)
    assert flaws == [
        "a_1.png: not read: Kd; not there: 9h",
        "a_2.png: not read: -; not there: 9h",
        "b_1.png: not read: -; not there: 9h 9h",
    ]
    head, first, second, total = photograph_rows(tallies)
    assert head[:5] == ("source", "pictures", "cards", "right", "share")
    assert first[:7] == ("a", "2", "3", "2", "66.7%", "2", "2")
    assert second[:7] == ("b", "1", "0", "0", "-", "2", "1")
    assert total[:7] == ("all", "3", "3", "2", "66.7%", "4", "3")


def test_a_picture_that_is_gone_is_a_line(tmp_path: Path) -> None:
    at = folder(tmp_path, "a_1.png,9H,card\n")
    (at / "a_1.png").unlink()
    tallies, (flaw,) = measure_photographs(at, Sees("9h"))
    assert tallies == {}
    assert flaw.startswith(str(at / "a_1.png"))


def test_the_cost_is_told_as_a_multiple_of_the_least() -> None:
    head, least, *others = cost_rows(runs=1)
    assert head[3] == "times the least"
    assert least[3] == "1.00"
    assert len(others) == 2 + has_onnxruntime()
    for row in others:
        assert float(row[3]) == pytest.approx(
            float(row[1].removesuffix(" ms")) / float(least[1].removesuffix(" ms")), rel=0.1
        )


def test_where_no_photographs_are_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--photographs", str(tmp_path), "--runs", "1"]) == 0
    assert "no photographs with labels are here" in capsys.readouterr().out
