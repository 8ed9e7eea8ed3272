"""What systemd is told, and what it and udev are given."""

import asyncio
import random
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from misdeal.app import App, attend
from misdeal.clock import table_clock
from misdeal.systemd import STATUS_S, beat_s, notify, report_to_systemd
from misdeal.tablefile import Layout

UNIT = "misdeal@.service"
RULES = "61-misdeal.rules"


@pytest.fixture
def manager(tmp_path: Path) -> socket.socket:
    """A service manager's end of the socket."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(tmp_path / "notify"))
    listening.settimeout(5)
    return listening


def test_the_service_manager_hears_what_it_is_told(manager: socket.socket) -> None:
    assert notify("READY=1", {"NOTIFY_SOCKET": manager.getsockname()})
    assert manager.recv(100) == b"READY=1"
    manager.close()


def test_a_manager_at_an_abstract_socket_hears_it_too(tmp_path: Path) -> None:
    name = f"misdeal-{tmp_path}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}")
        assert notify("READY=1", {"NOTIFY_SOCKET": f"@{name}"})
        assert listening.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", ["", "/nowhere/notify", "x" * 300])
def test_a_manager_that_is_not_there_stops_nothing(address: str) -> None:
    assert notify("READY=1", {"NOTIFY_SOCKET": address}) is False


@pytest.mark.parametrize(
    ("watchdog_us", "expected_s"),
    [("", STATUS_S), ("20000000", STATUS_S), ("2000000", 1.0), ("soon", STATUS_S)],
)
def test_a_watchdog_hears_twice_as_often_as_it_asks_for(
    watchdog_us: str, expected_s: float
) -> None:
    assert beat_s({"WATCHDOG_USEC": watchdog_us}) == expected_s


def test_a_controller_says_that_it_is_up_that_it_lives_and_that_it_ends(
    layout: Layout, manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.getsockname())
    said: list[bytes] = []

    async def listen(app: App) -> None:
        del app
        said.extend([await asyncio.to_thread(manager.recv, 200) for _ in range(2)])

    works = (report_to_systemd, listen)
    asyncio.run(attend(layout, *works, start_clock=table_clock, rng=random.Random(1)))
    said.append(manager.recv(200))
    manager.close()
    status = b"WATCHDOG=1\nSTATUS=0 of 3 readers heard, not A, B, C"
    assert said == [b"READY=1", status, b"STOPPING=1"]


def test_the_unit_is_one_that_systemd_takes(root: Path, tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("no systemd-analyze on this machine")
    text = (root / "deploy" / UNIT).read_text(encoding="utf-8")
    program = re.compile(r"(?m)^(ExecStart\w*=)\S+")
    assert program.search(text)
    unit = tmp_path / UNIT
    unit.write_text(program.sub(rf"\1{sys.executable}", text), encoding="utf-8")
    told = subprocess.run([verify, "verify", unit], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


def test_the_unit_waits_until_the_controller_says_that_it_is_up(root: Path) -> None:
    lines = (root / "deploy" / UNIT).read_text(encoding="utf-8").splitlines()
    assert "Type=notify" in lines
    assert "RestartPreventExitStatus=2" in lines


PAIR = re.compile(
    r'(?:[A-Z_]+(?:\{[\w.$]+\})?(?:==|!=|=|\+=|-=|:=)"[^"]*")(?:, (?:[A-Z_]+(?:\{[\w.$]+\})?'
    r'(?:==|!=|=|\+=|-=|:=)"[^"]*"))*'
)


def rules(root: Path) -> list[str]:
    text = (root / "deploy" / RULES).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_bugs_7_the_udev_rules_keep_modem_managers_away(root: Path) -> None:
    assigned = " ".join(rules(root))
    assert 'ENV{ID_MM_DEVICE_IGNORE}="1"' in assigned
    assert 'ENV{ID_MM_PORT_IGNORE}="1"' in assigned
    assert 'GROUP="dialout"' in assigned
    assert "60-serial.rules" < RULES < "77-mm"


def test_each_udev_rule_is_well_formed_and_jumps_to_a_label_that_is_there(root: Path) -> None:
    written = rules(root)
    assert [line for line in written if not PAIR.fullmatch(line)] == []
    jumps = set(re.findall(r'GOTO="(\w+)"', "\n".join(written)))
    assert jumps == set(re.findall(r'LABEL="(\w+)"', "\n".join(written)))


def test_the_udev_rules_are_ones_that_udev_takes(root: Path) -> None:
    udevadm = shutil.which("udevadm")
    if (
        udevadm is None
        or "verify"
        not in subprocess.run(
            [udevadm, "--help"], capture_output=True, text=True, check=True
        ).stdout
    ):
        pytest.skip("no `udevadm verify` on this machine")
    told = subprocess.run([udevadm, "verify", root / "deploy" / RULES], check=False)
    assert told.returncode == 0
