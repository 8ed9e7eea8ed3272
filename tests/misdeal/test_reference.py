"""The documents say what the program does."""

import tomllib
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import fields

from misdeal import __version__
from misdeal.cli import COMMANDS
from misdeal.config import CameraSection, PackSection, PageSection, Reader, TableFile
from misdeal.reference import page
from misdeal.shape import describe


def test_the_reference_page_is_what_the_types_say(root: Path) -> None:
    assert (root / "docs" / "table-file.md").read_text() == page()


@pytest.mark.parametrize("kind", [TableFile, Reader, CameraSection, PackSection, PageSection])
def test_every_key_of_a_table_file_has_a_meaning(kind: type[Struct]) -> None:
    assert [field.name for field in fields(kind) if not describe(field)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_line_in_the_documents(root: Path, name: str) -> None:
    assert f"| `misdeal {name}" in (root / "docs" / "commands.md").read_text()


def test_the_version_is_told_in_one_place(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())
    assert project["project"].get("version", __version__) == __version__
