"""tools/setup.sh: what it does once, what it does not do twice, and what it says when it cannot."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# Stands for any Python: notes how it is called, and makes a .venv of copies of itself.
PYTHON = """#!/bin/sh
echo "${{0##*/}} $*" >>{log}
case "$*" in
  --version) echo "Python {version}" ;;
  -c*) exit {too_old} ;;
  -m\\ venv*)
    mkdir -p .venv/bin
    for name in python pip misdeal; do cp "$0" .venv/bin/$name; done
    echo "# $(pwd -P)/.venv/bin/python" >>.venv/bin/pip ;;
  -\\ *) printf '{wanting}' ;;
esac
"""


class Machine:
    """A copy of the house's set-up, on a machine whose tools only note how they are called."""

    def __init__(self, home: Path, root: Path) -> None:
        self.log = home / "log"
        self.tools = home / "bin"
        self.tools.mkdir()
        self.house = home / "house"
        (self.house / "tools").mkdir(parents=True)
        for name in ("pyproject.toml", "requirements.lock", "tools/setup.sh"):
            shutil.copy(root / name, self.house / name)
        self.has_python()
        self.has_user(uid=1000)
        self.has_tool("apt-get", f'echo "apt-get $*" >>{self.log}')

    def has_tool(self, name: str, script: str) -> None:
        tool = self.tools / name
        tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        tool.chmod(0o755)

    def has_python(self, *, version: str = "3.11.2", wanting: str = "") -> None:
        python = self.tools / "python3"
        too_old = int(version < "3.11")
        script = PYTHON.format(log=self.log, version=version, too_old=too_old, wanting=wanting)
        python.write_text(script, encoding="utf-8")
        python.chmod(0o755)

    def has_user(self, *, uid: int) -> None:
        self.has_tool("id", f"echo {uid}")

    def set_up(self) -> "subprocess.CompletedProcess[str]":
        """Run the script; what was noted before is forgotten."""
        self.log.write_text("", encoding="utf-8")
        return subprocess.run(
            [self.house / "tools" / "setup.sh"],
            env={"PATH": f"{self.tools}{os.pathsep}{os.defpath}"},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, tool: str) -> list[str]:
        """Return how a tool was called in the last set-up."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(tool + " ")]


@pytest.fixture
def machine(tmp_path: Path, root: Path) -> Machine:
    return Machine(tmp_path, root)


def test_a_first_start_installs_what_is_locked_and_speaks_on_stderr(
    machine: Machine,
) -> None:
    told = machine.set_up()
    assert (told.returncode, told.stdout) == (0, "")
    assert told.stderr.splitlines() == [
        "misdeal: setting up .venv with Python 3.11.2 (once; a minute or two)"
    ]
    first, second = (call for call in machine.calls("python") if " install " in call)
    assert first.endswith("--require-hashes --only-binary :all: -r requirements.lock")
    assert second.endswith("--no-deps --no-index --no-build-isolation --editable .")


def test_a_second_start_calls_nothing(machine: Machine) -> None:
    machine.set_up()
    told = machine.set_up()
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    assert machine.log.read_text(encoding="utf-8") == ""


def test_a_changed_lock_is_installed_over_what_is_there(machine: Machine) -> None:
    machine.set_up()
    with (machine.house / "requirements.lock").open("a", encoding="utf-8") as lock:
        lock.write("# one more\n")
    machine.set_up()
    assert len([call for call in machine.calls("python") if " install " in call]) == 2
    assert not any("-m venv" in call for call in machine.calls("python3"))


def test_a_house_that_has_moved_gets_a_new_environment(machine: Machine) -> None:
    machine.set_up()
    machine.house = machine.house.rename(machine.house.with_name("moved"))
    machine.set_up()
    assert machine.calls("python3")[-1] == "python3 -m venv --clear .venv"


def test_an_interrupted_start_is_taken_up_again(machine: Machine) -> None:
    machine.set_up()
    (machine.house / ".venv" / "state").unlink()
    machine.set_up()
    assert len([call for call in machine.calls("python") if " install " in call]) == 2


def test_a_user_is_told_in_one_line_to_paste_which_packages_are_missing(machine: Machine) -> None:
    machine.has_python(wanting="python3-venv\\nlibgl1\\n")
    told = machine.set_up()
    assert told.returncode == 1
    assert told.stderr.splitlines()[-1] == (
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends python3-venv libgl1"
    )
    assert machine.calls("apt-get") == []


def test_root_gets_the_missing_packages_installed(machine: Machine) -> None:
    machine.has_python(wanting="python3-venv\\nlibgl1\\n")
    machine.has_user(uid=0)
    assert machine.set_up().returncode == 0
    assert [call.split()[-2:] for call in machine.calls("apt-get")] == [
        ["-qq", "update"],
        ["python3-venv", "libgl1"],
    ]


def test_an_old_python_is_refused_in_one_line(machine: Machine) -> None:
    machine.has_python(version="3.10.13")
    told = machine.set_up()
    assert told.returncode == 1
    assert told.stderr == (
        "misdeal: Python 3.11 or newer is needed, and python3 is Python 3.10.13; "
        "PYTHON=/path/to/python3.x names another\n"
    )
