"""Each public bug report that the bridge must survive has a test that names it.

A test names rows by its name (``test_bugs_9_and_13_...``), its docstring (``Bugs 18, 25: ...``) or
the id of one of its cases (``bugs 48: ...``). The rows are those of the project's survey of bug
reports about serial ports and RFID readers, 1 to 52.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROWS = range(1, 53)

_NAMED = re.compile(r"\bbugs?[ _](\d+(?:(?:, | and |_and_|_)\d+)*)", re.IGNORECASE)


def named(text: str) -> set[int]:
    """Return the rows that a text names."""
    return {int(row) for match in _NAMED.finditer(text) for row in re.findall(r"\d+", match[1])}


def texts(test: ast.FunctionDef) -> Iterator[str]:
    """Yield what a test says of itself: its name, its docstring and the ids of its cases."""
    yield test.name.removeprefix("test_")
    yield ast.get_docstring(test) or ""
    for decorator in test.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


@pytest.fixture(scope="module")
def tested(root: Path) -> set[int]:
    """The rows that some test names."""
    trees = [ast.parse(path.read_text("utf-8")) for path in (root / "tests").rglob("test_*.py")]
    return {
        row
        for tree in trees
        for test in ast.walk(tree)
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_")
        for text in texts(test)
        for row in named(text)
    }


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("bugs_9_and_13_swapped_adapters", {9, 13}),
        ("bugs_18_19_52_bytes_before", {18, 19, 52}),
        ("Bugs 18, 25: half a header", {18, 25}),
        ("bugs 48: a part", {48}),
        ("the 14 bugs of 2014", set()),
        ("debug_7", set()),
    ],
)
def test_how_rows_are_named(text: str, rows: set[int]) -> None:
    assert named(text) == rows


@pytest.mark.parametrize("row", ROWS)
def test_each_row_has_a_test(tested: set[int], row: int) -> None:
    assert row in tested


def test_no_test_names_a_row_that_is_not_there(tested: set[int]) -> None:
    assert tested <= set(ROWS)
