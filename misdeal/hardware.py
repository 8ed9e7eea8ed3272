"""What hangs on this machine: serial ports and cameras, by the names that last."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from firmware_bridge.ports import PortInfo, lasting_name

DEV, SYS, PROC = Path("/dev"), Path("/sys"), Path("/proc")


class CameraInfo(Struct, frozen=True, kw_only=True):
    """One camera."""

    device: str
    name: str = ""
    by_id: str | None = None
    """Its lasting name by its maker, model and number."""
    by_path: str | None = None
    """Its lasting name by the socket that it is plugged into."""
    vid: int | None = None
    pid: int | None = None


class Advice(Struct, frozen=True):
    """By which name the table file should speak of a port, and why by this one."""

    name: str
    why: str


def find_cameras(dev: Path = DEV, sys: Path = SYS) -> tuple[CameraInfo, ...]:
    """List the cameras, in the order of their numbers.

    A camera has several devices of which the first gives pictures; the rest are left out.
    """
    nodes = (sys / "class" / "video4linux").glob("video*")
    return tuple(
        _camera(node, dev)
        for node in sorted(nodes, key=lambda node: (len(node.name), node.name))
        if read_line(node / "index") in ("", "0")
    )


def _camera(node: Path, dev: Path) -> CameraInfo:
    device = str(dev / node.name)
    vid, pid = _usb_numbers(node / "device")
    return CameraInfo(
        device=device,
        name=read_line(node / "name"),
        by_id=lasting_name(device, dev / "v4l" / "by-id"),
        by_path=lasting_name(device, dev / "v4l" / "by-path"),
        vid=vid,
        pid=pid,
    )


def _usb_numbers(device: Path) -> tuple[int | None, int | None]:
    """Return VID and PID of the USB device that a device of the kernel is a part of."""
    real = device.resolve()
    for folder in (real, *real.parents):
        vid, pid = read_line(folder / "idVendor"), read_line(folder / "idProduct")
        if vid and pid:
            return int(vid, 16), int(pid, 16)
    return None, None


def advise(port: PortInfo, ports: Sequence[PortInfo]) -> Advice:
    """Return the name that a port keeps, for the table file.

    Args:
        port: The port.
        ports: All ports of this machine: adapters that cannot be told apart are found by them.
    """
    if port.vid is None:
        return Advice(port.device, "built in: its number stays")
    if port.by_id and port.serial_number and not _has_twin(port, ports):
        return Advice(port.by_id, "the adapter's own number is in it: any socket will do")
    if port.by_path:
        return Advice(port.by_path, "the adapter has no number of its own: keep it in this socket")
    return Advice(
        port.device, "it has no lasting name: it may be another adapter at the next start"
    )


def _has_twin(port: PortInfo, ports: Sequence[PortInfo]) -> bool:
    """Say whether another adapter has the same numbers; bad makers give all the same."""
    return (
        sum(
            (other.vid, other.pid, other.serial_number) == (port.vid, port.pid, port.serial_number)
            for other in ports
        )
        > 1
    )


def usb_words(vid: int | None, pid: int | None) -> str | None:
    """Return VID and PID as people write them: ``0403:6001``."""
    return None if vid is None or pid is None else f"{vid:04x}:{pid:04x}"


def read_line(path: Path) -> str:
    """Return what a small file of the kernel says; empty where it is not there."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
