"""The five packages come from here, whole, and import one another in one direction."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGES = ("engine", "firmware_bridge", "vision", "misdeal", "hw_fixtures")


@pytest.mark.parametrize("package", PACKAGES)
def test_an_isolated_interpreter_finds_each_package_here(package: str, root: Path) -> None:
    script = f"import {package}; print({package}.__file__)"
    found = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    assert Path(found.stdout.strip()) == root / package / "__init__.py"


@pytest.mark.parametrize("library", ["cel", "click", "cv2", "fastcrc", "msgspec", "rich", "serial"])
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
