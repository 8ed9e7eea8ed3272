"""What holds for every file of the source tree."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

# "About 400 lines" is the rule of the house; past this it is no longer about.
MOST_LINES = 450

TEXT = {"", ".css", ".html", ".js", ".json", ".jsonl", ".lock", ".md", ".py", ".sh", ".toml"}


def files(top: Path) -> Iterator[Path]:
    """Yield the text files of the tree, leaving out what tools have left in it."""
    for folder, folders, names in os.walk(top):
        folders[:] = [f for f in folders if f == ".ci" or not f.startswith((".", "__", "dist"))]
        yield from (
            path for name in names if (path := Path(folder, name)).suffix in TEXT and name[0] != "."
        )


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<![\w.~*}/-])/(?:home|root|work|Users)/",
        r"\bpypi\.org\b|\bpythonhosted\b",
    ],
    ids=["a folder of one machine", "a registry"],
)
def test_no_file_names(pattern: str, root: Path) -> None:
    told = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in files(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert told == []


def test_no_source_file_is_much_longer_than_400_lines(root: Path) -> None:
    lengths = {
        str(path.relative_to(root)): len(path.read_text(encoding="utf-8").splitlines())
        for path in files(root)
        if path.suffix == ".py"
    }
    assert lengths
    assert {name: count for name, count in lengths.items() if count > MOST_LINES} == {}


def test_test_files_have_names_of_their_own(root: Path) -> None:
    names = [path.name for path in (root / "tests").rglob("test_*.py")]
    assert sorted({name for name in names if names.count(name) > 1}) == []
