"""Which devices are there, by which names they last, and who holds them."""

import sys
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.ports import Holder, PortInfo
from misdeal.cli import run
from misdeal.commands.devices import Device, device_words, list_devices
from misdeal.hardware import Advice, CameraInfo, advise, find_cameras

BY_ID, BY_PATH = "/dev/serial/by-id/usb-FTDI_A1", "/dev/serial/by-path/pci-0-usb-0:2"
NUMBERED = PortInfo(
    device="/dev/ttyUSB0",
    by_id=BY_ID,
    by_path=BY_PATH,
    vid=0x0403,
    pid=0x6001,
    serial_number="A1",
    description="FT232R USB UART",
    latency_ms=16,
)
CHEAP = PortInfo(
    device="/dev/ttyUSB1",
    by_id="/dev/serial/by-id/usb-1a86_USB_Serial",
    by_path="/dev/serial/by-path/pci-0-usb-0:3",
    vid=0x1A86,
    pid=0x7523,
)
CHEAP_TOO = msgspec.structs.replace(CHEAP, device="/dev/ttyUSB2", by_id=None, by_path=None)
SAME_NUMBER = msgspec.structs.replace(NUMBERED, device="/dev/ttyUSB3")
BUILT_IN = PortInfo(device="/dev/ttyS0", description="n/a")


@pytest.mark.parametrize(
    ("port", "others", "name", "why"),
    [
        (NUMBERED, [CHEAP], BY_ID, "any socket"),
        (NUMBERED, [SAME_NUMBER], BY_PATH, "keep it in this socket"),
        (CHEAP, [], CHEAP.by_path, "keep it in this socket"),
        (CHEAP_TOO, [CHEAP], "/dev/ttyUSB2", "another adapter at the next start"),
        (BUILT_IN, [], "/dev/ttyS0", "built in"),
    ],
)
def test_bugs_9_a_port_is_named_by_what_stays(
    port: PortInfo, others: list[PortInfo], name: str, why: str
) -> None:
    advice = advise(port, [port, *others])
    assert advice == Advice(name, advice.why)
    assert why in advice.why


@pytest.fixture
def cameras(tmp_path: Path) -> tuple[CameraInfo, ...]:
    """Three devices as the kernel tells of them: a camera, its metadata, and one that is built in.

    Their numbers are such that text order is not theirs.
    """
    dev, kernel = tmp_path / "dev", tmp_path / "sys"
    for kind in ("by-id", "by-path"):
        (dev / "v4l" / kind).mkdir(parents=True)
    for number, index in ((10, "0"), (11, "1"), (9, "0")):
        node = kernel / "class" / "video4linux" / f"video{number}"
        node.mkdir(parents=True)
        (node / "index").write_text(index)
        (node / "name").write_text(f"camera {number}\n")
        (dev / f"video{number}").touch()
    usb = kernel / "devices" / "usb1" / "1-2"
    (usb / "1-2:1.0").mkdir(parents=True)
    (usb / "idVendor").write_text("046d\n")
    (usb / "idProduct").write_text("085e\n")
    (kernel / "class/video4linux/video10/device").symlink_to(usb / "1-2:1.0")
    (dev / "v4l/by-id/usb-Logitech_BRIO-video-index0").symlink_to(dev / "video10")
    return find_cameras(dev, kernel)


def test_a_camera_is_told_once_with_its_lasting_name(
    cameras: tuple[CameraInfo, ...], tmp_path: Path
) -> None:
    built_in, usb = cameras
    assert (built_in.device, built_in.name) == (str(tmp_path / "dev/video9"), "camera 9")
    assert (built_in.vid, built_in.by_id) == (None, None)
    assert (usb.vid, usb.pid) == (0x046D, 0x085E)
    assert usb.by_id == str(tmp_path / "dev/v4l/by-id/usb-Logitech_BRIO-video-index0")


def test_a_machine_without_cameras_has_none(tmp_path: Path) -> None:
    assert find_cameras(tmp_path, tmp_path) == ()


def test_each_device_is_told_with_its_holders_and_its_line(
    cameras: tuple[CameraInfo, ...], tmp_path: Path
) -> None:
    handles = tmp_path / "proc" / "512" / "fd"
    handles.mkdir(parents=True)
    (handles / "3").symlink_to("/dev/ttyUSB0")
    (handles.parent / "comm").write_text("ModemManager\n")
    ports = [BUILT_IN, NUMBERED]
    told = list(list_devices(ports, cameras, tmp_path / "proc"))
    assert [device.kind for device in told] == ["port", "port", "camera", "camera"]
    assert [device.device for device in told[:2]] == ["/dev/ttyUSB0", "/dev/ttyS0"]
    assert told[0].held_by == (Holder(512, "ModemManager"),)
    assert told[0].line == f'port = "{BY_ID}"'
    assert (told[0].usb, told[0].latency_ms) == ("0403:6001", 16)
    assert (told[1].usb, told[1].name) == (None, "")
    assert told[3].usb == "046d:085e"


def test_a_device_in_words_names_everything_once() -> None:
    device = Device(
        kind="port",
        device="/dev/ttyUSB0",
        usb="0403:6001",
        name="FT232R",
        serial_number="A1",
        by_id=BY_ID,
        by_path=BY_PATH,
        held_by=(Holder(512, "ModemManager"),),
        line=f'port = "{BY_ID}"',
        why="it stays",
    )
    assert device_words(device).splitlines() == [
        "/dev/ttyUSB0  0403:6001, FT232R, A1",
        f'    port = "{BY_ID}"   # it stays',
        f"    by-path: {BY_PATH}",
        "    held by ModemManager (process 512)",
    ]


@pytest.mark.parametrize("arguments", [["devices"], ["devices", "--json"]])
def test_the_devices_of_this_machine_can_be_told(
    capfd: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert run(arguments) == 0
    sys.stdout.flush()
    out = capfd.readouterr().out
    if "--json" in arguments:
        assert all("line" in msgspec.json.decode(line) for line in out.splitlines())
    assert "Traceback" not in out
