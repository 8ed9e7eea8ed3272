"""A key is found on the line where its statement begins."""

import pytest

from misdeal.locate import KeyPath, lines_of, spell

TEXT = """\
# a comment
name = "t"
seats = [
  1,
  2,
]

[[reader]]
name = "a"
antennas = { 1 = "S1" }
[[reader]]
name = "b"

[reader.antennas]
# another comment
2 = "S2"
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 0),
        (("name",), 2),
        (("seats",), 3),
        (("seats", 1), 3),
        (("seats", 2), 0),
        (("reader",), 8),
        (("reader", 0), 8),
        (("reader", 0, "name"), 9),
        (("reader", 0, "antennas", "1"), 10),
        (("reader", 1, "name"), 12),
        (("reader", 1, "antennas"), 14),
        (("reader", 1, "antennas", "2"), 16),
        (("name", "deeper"), 0),
        (("nothing",), 0),
    ],
)
def test_a_key_stands_on_the_first_line_of_its_statement(path: KeyPath, line: int) -> None:
    assert lines_of(TEXT, [path]) == {path: line}


def test_a_path_is_spelled_as_people_write_it() -> None:
    assert spell(("reader", 0, "antennas", "1")) == "reader[0].antennas.1"
