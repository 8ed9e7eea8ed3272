"""What would go wrong at a table is found on machines where it does, and on no others."""

import itertools
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from engine.cards import Place
from firmware_bridge.ports import PortInfo
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.picture.calibrated import calibration
from misdeal.cameracheck import check_camera
from misdeal.cli import run
from misdeal.commands.doctor import examine, finding_words
from misdeal.diagnosis import (
    LEAST_FREE_BYTES,
    Finding,
    Machine,
    check_brltty,
    check_date,
    check_import,
    check_libraries,
    check_modem_manager,
    check_space,
    check_sqlite,
    check_steady_clock,
    check_writing,
)
from misdeal.portcheck import check_port, check_readers
from misdeal.tablefile import Layout, load
from vision.errors import CameraError
from vision.seen import Picture
from vision.sources import Wanted
from vision.watching import Task

MS = 1_000_000


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which nothing is installed and nothing runs."""
    for name in ("dev", "sys", "proc", "run", "etc", "lib"):
        (tmp_path / name).mkdir()
    return Machine(
        dev=tmp_path / "dev",
        sys=tmp_path / "sys",
        proc=tmp_path / "proc",
        run=tmp_path / "run",
        etc=tmp_path / "etc",
        lib=tmp_path / "lib",
        may_use=bool,
    )


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def let_run(machine: Machine, name: str, *, pid: int = 512, holding: str = "") -> None:
    write(machine.proc / str(pid) / "comm", f"{name}\n")
    if holding:
        (machine.proc / str(pid) / "fd").mkdir()
        (machine.proc / str(pid) / "fd" / "3").symlink_to(Path(holding).resolve())


def plug_in(machine: Machine, vendor: str) -> None:
    write(machine.sys / "bus/usb/devices/1-1/idVendor", f"{vendor}\n")


# ---------------------------------------------------------------- other programs
@pytest.mark.parametrize(
    ("runs", "rules", "state"),
    [
        ("bash", None, "well"),
        ("ModemManager", None, "fault"),
        ("ModemManager", "etc/udev/rules.d/61-misdeal.rules", "well"),
        ("ModemManager", "lib/udev/rules.d/61-misdeal.rules", "well"),
        ("ModemManager", "lib/udev/rules.d/77-mm-cinterion.rules", "fault"),
    ],
)
def test_bugs_7_a_modem_manager_that_would_speak_to_readers_is_told(
    machine: Machine, tmp_path: Path, runs: str, rules: str | None, state: str
) -> None:
    let_run(machine, runs)
    if rules:
        write(tmp_path / rules)
    assert check_modem_manager(machine).state == state


@pytest.mark.parametrize(
    ("is_installed", "vendor", "state"),
    [
        (False, "1a86", "well"),
        (True, "0403", "note"),
        (True, "1a86", "fault"),
    ],
)
def test_bugs_8_a_braille_driver_is_told_where_a_ch34x_adapter_is_plugged_in(
    machine: Machine, *, is_installed: bool, vendor: str, state: str
) -> None:
    plug_in(machine, vendor)
    if is_installed:
        write(machine.lib / "udev/rules.d/85-brltty.rules")
    assert check_brltty(machine).state == state


def test_a_braille_driver_that_runs_without_rules_is_told_as_well(machine: Machine) -> None:
    let_run(machine, "brltty")
    assert check_brltty(machine).state == "note"


# ---------------------------------------------------------------- clock
@pytest.mark.parametrize(
    ("source", "state"), [("tsc", "well"), ("arch_sys_counter", "well"), ("hpet", "note")]
)
def test_a_clock_that_is_slow_to_read_is_told(machine: Machine, source: str, state: str) -> None:
    write(machine.sys / "devices/system/clocksource/clocksource0/current_clocksource", source)
    finding = check_steady_clock(machine)
    assert (finding.state, source in finding.found) == (state, True)


@pytest.mark.parametrize(
    ("year", "setter", "state"),
    [
        (1970, "chronyd", "fault"),
        (2026, "", "note"),
        (2026, "chronyd", "well"),
        (2026, "timesyncd", "well"),
    ],
)
def test_a_date_that_nothing_sets_is_told_and_one_that_is_wrong_is_a_fault(
    machine: Machine, year: int, setter: str, state: str
) -> None:
    if setter == "timesyncd":
        write(machine.run / "systemd/timesync/synchronized")
    elif setter:
        let_run(machine, setter)
    assert check_date(machine, year).state == state


# ---------------------------------------------------------------- disk
@pytest.mark.parametrize(
    ("free_bytes", "state"), [(LEAST_FREE_BYTES, "well"), (LEAST_FREE_BYTES - 1, "fault")]
)
def test_a_disk_that_will_be_full_soon_is_a_fault(free_bytes: int, state: str) -> None:
    assert check_space(Path("/journals"), free_bytes).state == state


@pytest.mark.parametrize(
    ("each_ms", "state"), [(1, "well"), (19, "well"), (20, "note"), (99, "note"), (100, "fault")]
)
def test_a_disk_that_delays_rulings_is_told(tmp_path: Path, each_ms: int, state: str) -> None:
    ticks = itertools.count(step=each_ms * MS)
    finding = check_writing(tmp_path, lambda: next(ticks))
    assert finding.state == state
    assert f"kept after {each_ms}.0 ms, at worst {each_ms}.0 ms" in finding.found
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_a_fault(tmp_path: Path) -> None:
    finding = check_writing(tmp_path / "nowhere", lambda: 0)
    assert finding.state == "fault"
    assert "cannot be written to: No such file or directory" in finding.found


# ---------------------------------------------------------------- software
@pytest.mark.parametrize(
    ("version", "state"), [((3, 22, 0), "well"), ((3, 40, 1), "well"), ((3, 21, 9), "fault")]
)
def test_a_library_that_cannot_keep_a_journal_is_a_fault(
    version: tuple[int, ...], state: str
) -> None:
    assert check_sqlite(version).state == state


@pytest.mark.parametrize(
    ("need", "found"),
    [
        ("click<9,>=8.1", ""),
        ("numpy<3,>=2.0", ""),
        ("rich>=14; python_version>'3'", "rich 13.9.4 where >=14 is asked for"),
        ("cobs<1.2.1,>=1.2", "cobs 1.2.2 where <1.2.1,>=1.2 is asked for"),
        ("nothing>=1", "nothing is missing"),
        ("click", ""),
    ],
)
def test_a_library_of_another_version_is_named(need: str, found: str) -> None:
    versions = {"click": "8.1.8", "numpy": "2.4.0", "rich": "13.9.4", "cobs": "1.2.2"}

    def installed(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    finding = check_libraries(["numpy>=2", need], installed)
    assert (finding.state, finding.found) == (
        ("fault", found) if found else ("well", "2 as asked for")
    )


def test_an_extra_may_be_missing_but_not_of_another_version() -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    extra = "onnxruntime<2,>=1.22; extra == 'onnx'"
    assert check_libraries([extra], missing).state == "well"
    assert check_libraries([extra], lambda name: "1.20.0").found.startswith("onnxruntime 1.20.0")


def test_what_is_installed_here_is_what_is_asked_for() -> None:
    assert check_libraries().state == "well"


@pytest.mark.parametrize(
    ("module", "is_needed", "state"),
    [("json", True, "well"), ("no_such_module", True, "fault"), ("no_such_module", False, "note")],
)
def test_a_library_that_cannot_be_imported_is_a_fault_where_it_is_needed(
    *, module: str, is_needed: bool, state: str
) -> None:
    finding = check_import(module, is_needed=is_needed)
    assert finding.state == state
    assert ("No module named 'no_such_module'" in finding.found) is (state != "well")


def test_a_library_whose_import_crashes_is_told_by_its_status(tmp_path: Path) -> None:
    crashing = tmp_path / "python"
    crashing.write_text("#!/bin/sh\nexit 3\n")
    crashing.chmod(0o755)
    finding = check_import("cv2", is_needed=True, python=str(crashing))
    assert finding.found == "cannot be imported: ended with status 3"


# ---------------------------------------------------------------- ports
def port_at(path: Path, **known: object) -> PortInfo:
    return PortInfo(device=str(path), vid=0x0403, pid=0x6001, **known)  # type: ignore[arg-type]


def reader(port: Path | str, name: str = "A", identity: str | None = "C1 A") -> ReaderSpec:
    antennas = {1: Place("S1" if name == "A" else "S2")}
    return ReaderSpec(name=name, port=str(port), antennas=antennas, identity=identity)


def found_at(
    machine: Machine, specs: Sequence[ReaderSpec], ports: Sequence[PortInfo]
) -> list[tuple[str, str]]:
    return [(each.state, each.found) for each in check_readers(machine, specs, ports)]


def test_a_reader_at_a_lasting_name_is_well(machine: Machine) -> None:
    device, link = machine.dev / "ttyUSB0", machine.dev / "by-id"
    device.touch()
    link.symlink_to(device)
    port = port_at(device, serial_number="A1", by_id=str(link))
    assert found_at(machine, [reader(link)], [port]) == [("well", str(link))]
    assert found_at(machine, [reader("usb:0403:6001:A1")], [port]) == [("well", "usb:0403:6001:A1")]


@pytest.mark.parametrize("name", ["ttyUSB0", "ttyACM3"])
def test_a_reader_by_its_number_is_a_fault_with_the_line_that_mends_it(
    machine: Machine, name: str
) -> None:
    device = machine.dev / name
    device.touch()
    port = port_at(device, by_path="/dev/serial/by-path/usb-0:2")
    (finding,) = check_readers(machine, [reader(device)], [port])
    assert finding.state == "fault"
    assert finding.remedy == 'port = "/dev/serial/by-path/usb-0:2"'


def test_bugs_9_a_name_that_identical_adapters_share_is_a_fault(machine: Machine) -> None:
    device, link = machine.dev / "ttyUSB0", machine.dev / "by-id"
    device.touch()
    link.symlink_to(device)
    port = port_at(device, by_id=str(link), by_path="/dev/serial/by-path/usb-0:2")
    (finding,) = check_readers(machine, [reader(link)], [port])
    assert (finding.state, finding.remedy) == ("fault", 'port = "/dev/serial/by-path/usb-0:2"')
    assert "identical adapter" in finding.found


@pytest.mark.parametrize("port", ["/dev/serial/by-id/usb-nowhere", "usb:dead:beef"])
def test_a_reader_that_is_not_plugged_in_is_a_fault(machine: Machine, port: str) -> None:
    assert found_at(machine, [reader(port)], []) == [("fault", f"{port} is not there")]


def test_readers_without_names_of_their_own_are_noted_where_there_are_two(
    machine: Machine,
) -> None:
    devices = [machine.dev / "ttyS0", machine.dev / "ttyS1"]
    for device in devices:
        device.touch()
    nameless = [reader(devices[0], identity=None), reader(devices[1], "B", identity=None)]
    assert [state for state, _ in found_at(machine, nameless[:1], [])] == ["well"]
    assert [state for state, _ in found_at(machine, nameless, [])][-1] == "note"


def test_bugs_5_two_readers_at_one_device_are_a_fault(machine: Machine) -> None:
    master, client = os.openpty()
    one, other = machine.dev / "one", machine.dev / "other"
    for link in (one, other):
        link.symlink_to(os.ttyname(client))
    found = found_at(machine, [reader(one), reader(other, "B")], [])
    os.close(master)
    os.close(client)
    assert found[0][0] == "fault"
    assert "wired to one device" in found[0][1]


@pytest.mark.parametrize(
    ("holder", "state"), [("screen", "fault"), ("misdeal", "note"), ("", None)]
)
def test_a_port_that_another_program_holds_is_told(
    machine: Machine, holder: str, state: str | None
) -> None:
    device = machine.dev / "ttyUSB0"
    device.touch()
    if holder:
        let_run(machine, holder, holding=str(device))
    let_run(machine, "us", pid=os.getpid(), holding=str(device))
    found = list(check_port(machine, "reader A", port_at(device)))
    assert [each.state for each in found] == ([state] if state else [])
    assert all(f"held by {holder} (process 512)" in each.found for each in found)


def test_a_port_that_this_user_may_not_open_is_a_fault(machine: Machine) -> None:
    barred = replace(machine, may_use=lambda path: path != "/dev/ttyUSB0")
    (finding,) = check_port(barred, "reader A", PortInfo(device="/dev/ttyUSB0"))
    assert finding.state == "fault"
    assert "dialout" in finding.remedy


@pytest.mark.parametrize(("latency_ms", "count"), [(None, 0), (1, 0), (16, 1)])
def test_bugs_14_an_adapter_that_holds_bytes_back_is_noted(
    machine: Machine, latency_ms: int | None, count: int
) -> None:
    port = PortInfo(device="/dev/ttyUSB0", latency_ms=latency_ms)
    assert [each.state for each in check_port(machine, "A", port)] == ["note"] * count


# ---------------------------------------------------------------- the command
def test_all_checks_are_made_and_each_is_one_line(machine: Machine, layout: Layout) -> None:
    bare = list(examine(None, (port_at(Path("/dev/ttyUSB0"), latency_ms=16),), machine))
    assert [each.check for each in bare] == [
        "/dev/ttyUSB0",
        *("ModemManager", "brltty", "steady clock", "date", "disk space", "disk writes"),
        *("SQLite", "libraries", "cv2"),
    ]
    table = list(examine(layout, (), machine))
    assert [each.state for each in table[:3]] == ["fault"] * 3
    assert all(finding_words(each).count("\n") == 0 for each in bare + table)


def test_a_finding_in_words_has_its_remedy() -> None:
    finding = Finding(check="disk", state="fault", found="full", remedy="make room")
    assert finding_words(finding) == "FAULT  disk: full; make room"


def test_the_status_says_whether_something_would_go_wrong(
    capfd: pytest.CaptureFixture[str], layout: Layout
) -> None:
    table = layout.journal.parent / "table.toml"
    assert load(table).readers
    assert run(["doctor", str(table), "--json"]) == 1
    sys.stdout.flush()
    told = [msgspec.json.decode(line, type=Finding) for line in capfd.readouterr().out.splitlines()]
    assert {each.check for each in told if each.state == "fault"} >= {
        "reader A",
        "reader B",
        "reader C",
    }
    assert run(["doctor", "nowhere.toml"]) == 2


def test_a_machine_on_which_nothing_would_go_wrong_has_no_fault_but_this_disk(
    machine: Machine,
) -> None:
    faults = {each.check for each in examine(None, (), machine) if each.state == "fault"}
    assert faults <= {"disk space", "disk writes"}


# ---------------------------------------------------------------- the camera
@pytest.mark.parametrize(
    ("size_wh_px", "state", "found"),
    [
        ((1920, 1080), "well", "rtsp://cam gives 1920x1080, as calibrated"),
        ((1280, 720), "fault", "rtsp://cam gives 1280x720, was calibrated with 1920x1080"),
        (None, "fault", "rtsp://cam is not there"),
    ],
)
def test_a_camera_is_looked_through(
    size_wh_px: tuple[int, int] | None, state: str, found: str
) -> None:
    def grab(wanted: Wanted) -> Picture:
        if size_wh_px is None:
            raise CameraError(wanted.source, "is not there")
        return np.zeros((size_wh_px[1], size_wh_px[0], 3), np.uint8)

    task = Task(wanted=Wanted(source="rtsp://cam"), calibration=calibration(), bare="")
    finding = check_camera(task, grab)
    assert (finding.state, finding.found) == (state, found)
    assert bool(finding.remedy) is (state == "fault")
