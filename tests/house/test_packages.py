"""The five packages come from here, whole, and import one another in one direction."""

import ast
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PACKAGES = ("engine", "firmware_bridge", "vision", "misdeal", "hw_fixtures")


@pytest.mark.parametrize("package", PACKAGES)
def test_an_isolated_interpreter_finds_each_package_here(package: str, root: Path) -> None:
    script = f"import {package}; print({package}.__file__)"
    found = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    assert Path(found.stdout.strip()) == root / package / "__init__.py"


def imported(source: Path) -> Iterator[str]:
    """Yield the first name of each module that a file imports."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_what_the_packages_import_is_among_the_dependencies(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    declared = {Requirement(line).name for line in (*project["dependencies"], *extras)}
    libraries = packages_distributions()
    strange = {
        f"{path.relative_to(root)}: {name}"
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
        if "training" not in path.parts  # has an environment of its own: tools/train.sh
        for name in set(imported(path)) - set(PACKAGES) - sys.stdlib_module_names
        if declared.isdisjoint(libraries.get(name, (name,)))
    }
    assert strange == set()


@pytest.mark.parametrize(
    "library",
    [
        "argon2",
        "cel",
        "click",
        "cv2",
        "ecdsa",
        "fastcrc",
        "msgspec",
        "rich",
        "serial",
        "starlette",
        "uvicorn",
    ],
)
def test_each_library_loads_with_the_system_packages_that_set_up_asks_for(library: str) -> None:
    told = subprocess.run(
        [sys.executable, "-I", "-c", f"import {library}"], capture_output=True, check=False
    )
    assert told.stderr == b""


def test_imports_go_in_one_direction(root: Path) -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    told = subprocess.run(
        [linter, "--no-cache"], cwd=root, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout
    assert "0 broken" in told.stdout


def test_a_wheel_holds_every_file_of_the_packages(root: Path, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=root,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    ours = {
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours - set(zipfile.ZipFile(wheel).namelist()) == set()
