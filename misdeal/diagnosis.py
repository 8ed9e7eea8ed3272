"""What would go wrong on this machine: each check looks at one thing and says what it found.

Nothing here is changed on the machine. What is looked at comes in as an argument, so that any
machine can be shown to the checks.
"""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

from msgspec import Struct

from misdeal.hardware import DEV, PROC, SYS, read_line

GB = 1_000_000_000

LEAST_FREE_BYTES = 1 * GB
"""Source: 22 kB of journal a hand (measured, 60 hands of the demo): 45 days at 1000 hands a day."""

SLOW_WRITE_MS = 20.0
TOO_SLOW_WRITE_MS = 100.0
"""Nothing is shown before it is on disk. Chosen: people see 100 ms; 20 ms is half of what the way
from a byte to a ruling may take."""

LEAST_SQLITE = (3, 22, 0)
"""The first that reads a journal in WAL mode without writing. Source: sqlite.org/wal.html."""

FIRST_YEAR = 2025
"""A clock that shows an earlier one was never set; this version was written later."""

_WRITES = 20
_BLOCK = bytes(4096)

_CLOCK_SETTERS = frozenset({"chronyd", "ntpd", "ntpd-rs", "ntp-daemon"})
_STEADY_SOURCES = frozenset({"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"})


class Finding(Struct, frozen=True, kw_only=True):
    """What a check came to."""

    check: str
    state: Literal["well", "note", "fault"]
    """``note``: it works, but should be known. ``fault``: something would go wrong."""
    found: str
    remedy: str = ""


class Machine(Struct, frozen=True, kw_only=True):
    """Where a machine tells of itself."""

    dev: Path = DEV
    sys: Path = SYS
    proc: Path = PROC
    run: Path = Path("/run")
    etc: Path = Path("/etc")
    lib: Path = Path("/usr/lib")
    may_use: Callable[[str], bool] = lambda path: os.access(path, os.R_OK | os.W_OK)
    """Whether this user may read and write a device."""

    def processes(self) -> frozenset[str]:
        """Return the names of the processes that run."""
        return frozenset(read_line(process) for process in self.proc.glob("[0-9]*/comm"))

    def has_rules(self, pattern: str) -> bool:
        """Say whether there are udev rules whose file is named so."""
        return any(any((root / "udev/rules.d").glob(pattern)) for root in (self.etc, self.lib))

    def has_usb_device(self, vendor: str) -> bool:
        """Say whether a device of a maker is plugged in, whether or not it got a port."""
        return vendor in {
            read_line(file) for file in (self.sys / "bus/usb/devices").glob("*/idVendor")
        }


# ---------------------------------------------------------------- who else grasps at ports
def check_modem_manager(machine: Machine) -> Finding:
    """Look for the program that sends AT commands to every new port. Source: rfid/bugs row 7."""
    check = "ModemManager"
    if check not in machine.processes():
        return Finding(check=check, state="well", found="it does not run")
    if machine.has_rules("*misdeal*.rules"):
        return Finding(check=check, state="well", found="it runs; our udev rules keep it away")
    return Finding(
        check=check,
        state="fault",
        found="it runs, and will speak to a reader that is plugged in",
        remedy="install deploy/61-misdeal.rules, or: systemctl disable --now ModemManager",
    )


# Source: rfid/bugs row 8. WCH's vendor number, whichever of its chips it is.
_WCH = "1a86"


def check_brltty(machine: Machine) -> Finding:
    """Look for the braille driver that takes CH34x adapters away. Source: rfid/bugs row 8."""
    is_there = machine.has_rules("*brltty*.rules") or "brltty" in machine.processes()
    if not is_there:
        return Finding(check="brltty", state="well", found="it is not installed")
    if not machine.has_usb_device(_WCH):
        return Finding(
            check="brltty",
            state="note",
            found="it is installed, and takes a CH34x adapter away as soon as one is plugged in",
            remedy="apt-get remove brltty",
        )
    return Finding(
        check="brltty",
        state="fault",
        found="it is installed, a CH34x adapter is plugged in, and its port vanishes",
        remedy="apt-get remove brltty, then plug the adapter in anew",
    )


# ---------------------------------------------------------------- clock
def check_steady_clock(machine: Machine) -> Finding:
    """Look at what the kernel counts time by: reading some sources is slow."""
    folder = machine.sys / "devices/system/clocksource/clocksource0"
    source = read_line(folder / "current_clocksource") or "an unknown source"
    if source in _STEADY_SOURCES:
        return Finding(check="steady clock", state="well", found=f"counted by {source}")
    return Finding(
        check="steady clock",
        state="note",
        found=f"counted by {source}: slower to read than a processor's counter",
        remedy="see `dmesg | grep -i clocksource` for why",
    )


def check_date(machine: Machine, year: int) -> Finding:
    """Look at whether the wall clock is set, and whether something keeps it so."""
    remedy = "timedatectl set-ntp true"
    if year < FIRST_YEAR:
        found = f"the clock says {year}: the journal would bear that date"
        return Finding(check="date", state="fault", found=found, remedy=remedy)
    if (machine.run / "systemd/timesync/synchronized").exists():
        return Finding(check="date", state="well", found="set by systemd-timesyncd")
    setter = machine.processes() & _CLOCK_SETTERS
    if setter:
        return Finding(check="date", state="well", found=f"set by {min(setter)}")
    found = "nothing sets the clock: dates in the journal drift, deadlines do not"
    return Finding(check="date", state="note", found=found, remedy=remedy)


# ---------------------------------------------------------------- disk
def check_space(folder: Path, free_bytes: int) -> Finding:
    """Judge how much room the journal has."""
    found = f"{free_bytes / GB:.1f} GB free at {folder}"
    if free_bytes >= LEAST_FREE_BYTES:
        return Finding(check="disk space", state="well", found=found)
    return Finding(
        check="disk space",
        state="fault",
        found=found,
        remedy=f"make room: {LEAST_FREE_BYTES / GB:.0f} GB is a month and a half of journal",
    )


def time_writes(folder: Path, stopwatch_ns: Callable[[], int]) -> list[float]:
    """Write a block and have the disk keep it, some times over; return how long each took, in ms.

    Raises:
        OSError: If the folder cannot be written to.
    """
    times_ms: list[float] = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(_WRITES):
            start_ns = stopwatch_ns()
            file.write(_BLOCK)
            os.fsync(file.fileno())
            times_ms.append((stopwatch_ns() - start_ns) / 1e6)
    return times_ms


def check_writing(folder: Path, stopwatch_ns: Callable[[], int]) -> Finding:
    """Measure how fast the disk keeps what is written."""
    try:
        times_ms = sorted(time_writes(folder, stopwatch_ns))
    except OSError as error:
        found = f"{folder} cannot be written to: {error.strerror}"
        remedy = "give the folder to the user that runs the controller"
        return Finding(check="disk writes", state="fault", found=found, remedy=remedy)
    median_ms, worst_ms = times_ms[len(times_ms) // 2], times_ms[-1]
    found = f"kept after {median_ms:.1f} ms, at worst {worst_ms:.1f} ms"
    if median_ms < SLOW_WRITE_MS:
        return Finding(check="disk writes", state="well", found=found)
    return Finding(
        check="disk writes",
        state="note" if median_ms < TOO_SLOW_WRITE_MS else "fault",
        found=f"{found}: every ruling comes so much later",
        remedy="put table file and journal on a solid-state disk",
    )


# ---------------------------------------------------------------- software
def check_sqlite(found: tuple[int, ...] = sqlite3.sqlite_version_info) -> Finding:
    """Look at the version of SQLite."""
    words = ".".join(map(str, found))
    if found >= LEAST_SQLITE:
        return Finding(check="SQLite", state="well", found=words)
    least = ".".join(map(str, LEAST_SQLITE))
    return Finding(
        check="SQLite", state="fault", found=words, remedy=f"use a Python with SQLite {least}"
    )


def check_libraries(
    needs: Sequence[str] | None = None, installed: Callable[[str], str] = version
) -> Finding:
    """Compare the installed libraries with the versions that misdeal asks for.

    Args:
        needs: Requirements like ``click<9,>=8.1``; left out, those of misdeal.
        installed: Gives the version of a library.
    """
    needs = needs if needs is not None else requires("misdeal") or []
    wrong = list(_misfits(needs, installed))
    if not wrong:
        return Finding(check="libraries", state="well", found=f"{len(needs)} as asked for")
    return Finding(
        check="libraries",
        state="fault",
        found=", ".join(wrong),
        remedy="tools/setup.sh makes .venv what requirements.lock says",
    )


def _misfits(needs: Sequence[str], installed: Callable[[str], str]) -> Iterator[str]:
    for need in needs:
        name, bounds = re.findall(r"^([\w.-]+)([^;]*)", need)[0]
        try:
            found = installed(name)
        except PackageNotFoundError:
            if "extra ==" not in need:  # what is not asked for by all may be missing
                yield f"{name} is missing"
            continue
        if not all(_is_within(found, bound) for bound in bounds.split(",")):
            yield f"{name} {found} where {bounds.strip()} is asked for"


def _is_within(found: str, bound: str) -> bool:
    """Say whether a version keeps to ``<9`` or ``>=8.1``; other bounds are not in use here."""
    have, limit = _numbers(found), _numbers(bound)
    return have < limit if "<" in bound else have >= limit


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def check_import(module: str, *, is_needed: bool, python: str = sys.executable) -> Finding:
    """Import a library in a process of its own: one that lacks system libraries may crash there.

    Args:
        module: What is imported.
        is_needed: Whether the table cannot do without it.
        python: The interpreter.
    """
    tried = subprocess.run(  # noqa: S603 - our own interpreter
        [python, "-c", f"import {module}"], capture_output=True, text=True, check=False
    )
    if tried.returncode == 0:
        return Finding(check=module, state="well", found="can be imported")
    said = tried.stderr.strip().splitlines() or [f"ended with status {tried.returncode}"]
    return Finding(
        check=module,
        state="fault" if is_needed else "note",
        found=f"cannot be imported: {said[-1]}",
        remedy="apt-get install libgl1 libglib2.0-0",
    )
