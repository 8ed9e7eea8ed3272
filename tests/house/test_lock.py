"""The lock file holds what pyproject.toml asks for, exactly, by hash, from no particular place."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PIN = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; .*?)?(?: \\\n +--hash=sha256:\w{64})+$",
    flags=re.MULTILINE,
)


LOCKS = {"requirements.lock": ("dev", True), "requirements-browser.lock": ("browser", False)}
"""Each lock file, the group that it is of, and whether what runs at a table is in it too."""


@pytest.fixture(scope="module", params=LOCKS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def lock(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def test_every_dependency_is_locked_within_its_range(root: Path, name: str, lock: str) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    group, has_program = LOCKS[name]
    asked = project["dependency-groups"][group]
    asked += project["project"]["dependencies"] if has_program else []
    pins = [(pin["name"], pin["version"]) for pin in PIN.finditer(lock)]
    unmet = [
        line
        for line in asked
        if not any(
            name == need.name and version in need.specifier
            for need in [Requirement(line)]
            for name, version in pins
        )
    ]
    assert unmet == []


def test_every_line_of_the_lock_is_an_exact_version_with_its_hashes(lock: str) -> None:
    assert re.sub(r"^#.*\n", "", PIN.sub("", lock), flags=re.MULTILINE).strip() == ""


def test_the_lock_names_no_place_to_fetch_from(lock: str) -> None:
    assert "://" not in lock
    assert not re.search(r"^-", lock, flags=re.MULTILINE)
