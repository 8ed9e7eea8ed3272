"""``misdeal devices``: what hangs on this machine, and which line the table file wants."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import click
import msgspec
from msgspec import Struct

from firmware_bridge.ports import Holder, PortInfo, find_ports, holders
from misdeal.hardware import PROC, CameraInfo, advise, find_cameras, usb_words


class Device(Struct, frozen=True, kw_only=True):
    """What ``--json`` tells of a device."""

    kind: Literal["port", "camera"]
    device: str
    usb: str | None
    """VID:PID."""
    name: str
    serial_number: str | None = None
    by_id: str | None
    by_path: str | None
    latency_ms: int | None = None
    held_by: tuple[Holder, ...]
    line: str
    """What the table file says of it."""
    why: str


@click.command(epilog="Example: misdeal devices")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a device.")
def command(*, as_json: bool) -> int:
    """List serial ports and cameras, who holds them, and the line to write into the table file."""
    found = list(list_devices(find_ports(), find_cameras(), PROC))
    for device in found:
        click.echo(msgspec.json.encode(device) if as_json else device_words(device))
    if not found:
        click.echo("no serial port and no camera is there", err=True)
    return 0


def list_devices(
    ports: Sequence[PortInfo], cameras: Sequence[CameraInfo], proc: Path
) -> Iterator[Device]:
    """Yield what is known of each device: adapters first, then built-in ports, then cameras.

    Args:
        ports: The serial ports.
        cameras: The cameras.
        proc: Where the kernel tells of processes.
    """
    for port in sorted(ports, key=lambda port: port.vid is None):
        advice = advise(port, ports)
        yield Device(
            kind="port",
            device=port.device,
            usb=usb_words(port.vid, port.pid),
            name="" if port.description == "n/a" else port.description,
            serial_number=port.serial_number,
            by_id=port.by_id,
            by_path=port.by_path,
            latency_ms=port.latency_ms,
            held_by=holders(port.device, proc),
            line=f'port = "{advice.name}"',
            why=advice.why,
        )
    for camera in cameras:
        yield Device(
            kind="camera",
            device=camera.device,
            usb=usb_words(camera.vid, camera.pid),
            name=camera.name,
            by_id=camera.by_id,
            by_path=camera.by_path,
            held_by=holders(camera.device, proc),
            line=f'source = "{camera.by_id or camera.by_path or camera.device}"',
            why="in the section [camera]",
        )


def device_words(device: Device) -> str:
    """Return a device as people read it: what it is, its line, its other names, who holds it."""
    known = ", ".join(filter(None, (device.usb, device.name, device.serial_number)))
    lines = [f"{device.device}  {known}".rstrip(), f"    {device.line}   # {device.why}"]
    for label, name in (("by-id", device.by_id), ("by-path", device.by_path)):
        if name and name not in device.line:
            lines.append(f"    {label}: {name}")
    lines += [f"    held by {holder.name} (process {holder.pid})" for holder in device.held_by]
    return "\n".join(lines)
