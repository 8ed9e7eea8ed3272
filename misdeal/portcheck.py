"""What would go wrong at the readers' ports: names, rights, other programs, adapters' timers."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from firmware_bridge.errors import WiringError
from firmware_bridge.ports import Holder, PortInfo, check_devices, holders, is_path, locate
from firmware_bridge.wiring import ReaderSpec
from misdeal.diagnosis import Finding, Machine
from misdeal.hardware import advise

MOST_LATENCY_MS = 2
"""An adapter that holds bytes back for longer is slower than the wire. Source: rfid/bugs row 14."""

# Numbered by the order in which the kernel met the devices; the next start may number otherwise.
_UNSTABLE = ("ttyUSB", "ttyACM")

_OURSELVES = "misdeal"


def check_readers(
    machine: Machine, specs: Sequence[ReaderSpec], ports: Sequence[PortInfo]
) -> Iterator[Finding]:
    """Look at the port of each reader of a table.

    Args:
        machine: The machine.
        specs: The readers.
        ports: The ports of this machine.
    """
    try:
        check_devices(specs)
    except WiringError as error:
        for fault in error.faults:
            yield Finding(
                check="wiring", state="fault", found=fault, remedy="give each reader its own port"
            )
    for spec in specs:
        check = f"reader {spec.name}"
        device = spec.port if is_path(spec.port) else locate(spec.port, ports)
        if device is None or not Path(device).exists():
            yield Finding(
                check=check,
                state="fault",
                found=f"{spec.port} is not there",
                remedy="plug it in; `misdeal devices` tells the ports that are there",
            )
            continue
        port = _info(device, ports)
        found = [*_name_faults(check, spec, port, ports), *check_port(machine, check, port)]
        if spec.identity is None and len(specs) > 1:
            found.append(_unnamed(check))
        yield from found or [Finding(check=check, state="well", found=spec.port)]


def _unnamed(check: str) -> Finding:
    return Finding(
        check=check,
        state="note",
        found="if it were swapped with another, nobody would notice",
        remedy="set `identity`, where the reader has a name of its own",
    )


def _info(device: str, ports: Sequence[PortInfo]) -> PortInfo:
    """Return what is known of a device; one that no driver lists is known by its path alone."""
    real = Path(device).resolve()
    found = (port for port in ports if Path(port.device).resolve() == real)
    return next(found, PortInfo(device=str(real)))


def _name_faults(
    check: str, spec: ReaderSpec, port: PortInfo, ports: Sequence[PortInfo]
) -> Iterator[Finding]:
    """Look at whether a reader will be found again under the name that the table file has."""
    advice = advise(port, ports)
    is_unstable = Path(spec.port).name.startswith(_UNSTABLE)
    is_ambiguous = spec.port == port.by_id != advice.name
    if is_unstable or is_ambiguous:
        why = "another adapter's at the next start" if is_unstable else "an identical adapter's"
        yield Finding(
            check=check,
            state="fault",
            found=f"{spec.port} may be {why}",
            remedy=f'port = "{advice.name}"',
        )


def check_port(machine: Machine, check: str, port: PortInfo) -> Iterator[Finding]:
    """Look at whether a port can be opened by us and by nobody else, and how fast it is.

    Args:
        machine: The machine.
        check: What the findings are called.
        port: The port.
    """
    if not machine.may_use(port.device):
        yield Finding(
            check=check,
            state="fault",
            found=f"this user may not open {port.device}",
            remedy="usermod -aG dialout USER, then log in anew",
        )
    for holder in holders(port.device, machine.proc):
        if holder.pid != os.getpid():
            yield _held(check, port.device, holder)
    if port.latency_ms is not None and port.latency_ms > MOST_LATENCY_MS:
        yield Finding(
            check=check,
            state="note",
            found=f"the adapter holds bytes back for {port.latency_ms} ms until we open it",
            remedy="deploy/61-misdeal.rules sets it to 1 ms for good",
        )


def _held(check: str, device: str, holder: Holder) -> Finding:
    found = f"{device} is held by {holder.name or 'a process'} (process {holder.pid})"
    if holder.name == _OURSELVES:
        return Finding(check=check, state="note", found=found, remedy="the controller runs already")
    return Finding(
        check=check,
        state="fault",
        found=found,
        remedy="end that program; two that read one port get half of the bytes each",
    )
