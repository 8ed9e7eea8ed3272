"""The serial ports of this machine: their lasting names, their chips, and who holds them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from serial.tools import list_ports

from firmware_bridge.errors import WiringError
from firmware_bridge.wiring import ReaderSpec

_DEV_SERIAL = Path("/dev/serial")
_SYS_PORTS = Path("/sys/bus/usb-serial/devices")
_USB = "usb:"


class Holder(Struct, frozen=True):
    """A process that has a port open."""

    pid: int
    name: str


class PortInfo(Struct, frozen=True, kw_only=True):
    """One serial port."""

    device: str
    by_id: str | None = None
    """Its lasting name by the adapter's own number; None where the adapter has none."""
    by_path: str | None = None
    """Its lasting name by the socket that it is plugged into."""
    vid: int | None = None
    pid: int | None = None
    serial_number: str | None = None
    description: str = ""
    latency_ms: int | None = None
    """How long an FTDI chip holds bytes back; None where the driver has no such timer."""


def find_ports() -> tuple[PortInfo, ...]:
    """List the serial ports, in the order of their device names."""
    return tuple(
        PortInfo(
            device=port.device,
            by_id=lasting_name(port.device, _DEV_SERIAL / "by-id"),
            by_path=lasting_name(port.device, _DEV_SERIAL / "by-path"),
            vid=port.vid,
            pid=port.pid,
            serial_number=port.serial_number,
            description=port.description,
            latency_ms=latency_ms(port.device, _SYS_PORTS),
        )
        for port in sorted(list_ports.comports(), key=lambda port: str(port.device))
    )


def is_path(port: str) -> bool:
    """Say whether a table file's ``port`` is a path, not an adapter's number."""
    return not port.startswith(_USB)


def locate(port: str, ports: Sequence[PortInfo]) -> str | None:
    """Return the path of an adapter's device.

    Args:
        port: ``usb:VID:PID`` or ``usb:VID:PID:SERIAL``, VID and PID as four hex digits.
        ports: The ports of this machine.

    Returns:
        The path; None where no such adapter, or more than one, is plugged in.
    """
    vid, pid, serial_number = [*port.removeprefix(_USB).split(":", 2), "", "", ""][:3]
    found = [
        each.device
        for each in ports
        if (f"{each.vid or 0:04x}", f"{each.pid or 0:04x}") == (vid.lower(), pid.lower())
        and serial_number in ("", each.serial_number)
    ]
    return found[0] if len(found) == 1 else None


def check_devices(specs: Sequence[ReaderSpec]) -> None:
    """Refuse readers whose ports are one device under two names.

    Ports that are not there now are not compared; the lock on an open port stands for them.

    Raises:
        WiringError: If two ports are one device.
    """
    owners: dict[int, str] = {}
    faults: list[str] = []
    for spec in specs:
        number = _device_number(spec.port)
        if number is None:
            continue
        owner = owners.setdefault(number, spec.name)
        if owner != spec.name:
            faults.append(
                f"readers {owner} and {spec.name} are wired to one device: {spec.port} is "
                f"{Path(spec.port).resolve()}"
            )
    if faults:
        raise WiringError(faults)


def lasting_name(device: str, folder: Path) -> str | None:
    """Return the link in a folder that points to a device, if there is one."""
    if not folder.is_dir():
        return None
    real = Path(device).resolve()
    return next((str(link) for link in sorted(folder.iterdir()) if link.resolve() == real), None)


def latency_ms(device: str, folder: Path) -> int | None:
    """Return how long the adapter of a device holds bytes back, in milliseconds."""
    timer = folder / Path(device).resolve().name / "latency_timer"
    try:
        return int(timer.read_text())
    except (OSError, ValueError):
        return None


def holders(device: str, proc: Path = Path("/proc")) -> tuple[Holder, ...]:
    """Return the processes that have a device open, as far as this user may see."""
    real = str(Path(device).resolve())
    found = {int(process.name) for process, target in _open_files(proc) if target == real}
    return tuple(Holder(pid, _name(proc / str(pid))) for pid in sorted(found))


def _open_files(proc: Path) -> Iterator[tuple[Path, str]]:
    for process in proc.iterdir():
        if not process.name.isdigit():
            continue
        try:
            handles = list((process / "fd").iterdir())
        except OSError:  # another user's, or ended just now
            continue
        for handle in handles:
            try:
                yield process, str(handle.readlink())
            except OSError:
                continue


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return ""


def _device_number(port: str) -> int | None:
    try:
        return Path(port).stat().st_rdev
    except OSError:
        return None
