"""The serial ports of a machine, from folders that look like its own."""

import os
from pathlib import Path

import pytest

from engine.cards import Place
from firmware_bridge.errors import WiringError
from firmware_bridge.ports import (
    Holder,
    PortInfo,
    check_devices,
    find_ports,
    holders,
    is_path,
    lasting_name,
    latency_ms,
    locate,
)
from firmware_bridge.wiring import ReaderSpec

FTDI = PortInfo(device="/dev/ttyUSB0", vid=0x0403, pid=0x6001, serial_number="A1B2")
TWIN = PortInfo(device="/dev/ttyUSB1", vid=0x0403, pid=0x6001, serial_number="C3D4")
CH340 = PortInfo(device="/dev/ttyUSB2", vid=0x1A86, pid=0x7523)
BOARD = PortInfo(device="/dev/ttyS0")


@pytest.mark.parametrize(
    ("port", "device"),
    [
        ("usb:1a86:7523", "/dev/ttyUSB2"),
        ("usb:1A86:7523", "/dev/ttyUSB2"),
        ("usb:0403:6001:C3D4", "/dev/ttyUSB1"),
        ("usb:0403:6001", None),
        ("usb:0403:6001:none", None),
        ("usb:dead:beef", None),
        ("usb:", None),
    ],
)
def test_bugs_9_an_adapter_is_found_by_its_numbers_if_it_is_the_only_one(
    port: str, device: str | None
) -> None:
    assert not is_path(port)
    assert locate(port, [FTDI, TWIN, CH340, BOARD]) == device


def test_a_path_is_taken_as_it_is() -> None:
    assert is_path("/dev/serial/by-id/usb-FTDI")


def test_the_ports_of_this_machine_can_be_listed() -> None:
    assert [port.device for port in find_ports()] == sorted(port.device for port in find_ports())


def test_a_lasting_name_is_the_link_that_points_to_the_device(tmp_path: Path) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    folder = tmp_path / "by-id"
    assert lasting_name(str(device), folder) is None
    folder.mkdir()
    (folder / "usb-other").symlink_to(tmp_path / "ttyUSB1")
    assert lasting_name(str(device), folder) is None
    (folder / "usb-FTDI").symlink_to(device)
    assert lasting_name(str(device), folder) == str(folder / "usb-FTDI")


@pytest.mark.parametrize(("text", "ms"), [("16\n", 16), ("1\n", 1), ("much", None), (None, None)])
def test_bugs_14_the_latency_timer_of_an_adapter_is_told(
    tmp_path: Path, text: str | None, ms: int | None
) -> None:
    (tmp_path / "ttyUSB0").mkdir()
    if text is not None:
        (tmp_path / "ttyUSB0" / "latency_timer").write_text(text)
    assert latency_ms("/dev/ttyUSB0", tmp_path) == ms


def test_who_holds_a_port_is_told_as_far_as_it_can_be_seen(tmp_path: Path) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    proc = tmp_path / "proc"
    for pid, name, target in [("7", "modem", device), ("8", "shell", tmp_path), ("9", "", device)]:
        (proc / pid / "fd").mkdir(parents=True)
        (proc / pid / "fd" / "0").touch()
        (proc / pid / "fd" / "3").symlink_to(target)
        if name:
            (proc / pid / "comm").write_text(f"{name}\n")
    (proc / "10").mkdir()
    (proc / "self").mkdir()
    assert holders(str(device), proc) == (Holder(7, "modem"), Holder(9, ""))


def test_we_are_among_the_holders_of_what_we_hold() -> None:
    master, client = os.openpty()
    assert os.getpid() in {holder.pid for holder in holders(os.ttyname(client))}
    os.close(master)
    os.close(client)


def test_bugs_5_two_names_of_one_device_are_refused_and_missing_ports_are_not(
    tmp_path: Path,
) -> None:
    master, client = os.openpty()
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(os.ttyname(client))
    specs = [
        ReaderSpec(name=path.name, port=str(path), antennas={1: Place("S1")})
        for path in (one, other)
    ]
    check_devices(specs)
    other.symlink_to(one)
    with pytest.raises(WiringError, match="readers one and other are wired to one device"):
        check_devices(specs)
    os.close(master)
    os.close(client)
