"""``misdeal doctor``: what would go wrong at this table."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from firmware_bridge.ports import PortInfo, find_ports
from misdeal.clock import as_utc, stopwatch_ns, table_clock
from misdeal.diagnosis import (
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


@click.command(epilog="Example: misdeal doctor table.toml")
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a check.")
def command(table: Path | None, *, as_json: bool) -> int:
    """Look for what would go wrong at the table of TABLE, or on this machine.

    Each check is a line, with a remedy where it found something. Exit status 0: nothing would go
    wrong; 1: something would.
    """
    layout = load(table) if table else None
    faults = 0
    for finding in examine(layout, find_ports(), Machine()):
        click.echo(msgspec.json.encode(finding) if as_json else finding_words(finding))
        faults += finding.state == "fault"
    return 1 if faults else 0


def examine(
    layout: Layout | None, ports: tuple[PortInfo, ...], machine: Machine
) -> Iterator[Finding]:
    """Yield what each check finds, the ports first and the camera last.

    Args:
        layout: The table; None looks at every adapter, and at the working directory as the
            journal's.
        ports: The ports of the machine.
        machine: Where it tells of itself.
    """
    if layout is not None:
        yield from check_readers(machine, layout.readers, ports)
    else:
        for port in ports:
            if port.vid is not None:
                yield from check_port(machine, port.device, port)
    folder = layout.journal.parent if layout else Path.cwd()
    yield check_modem_manager(machine)
    yield check_brltty(machine)
    yield check_steady_clock(machine)
    yield check_date(machine, int(as_utc(table_clock(0)())[:4]))
    yield check_space(folder, shutil.disk_usage(folder).free)
    yield check_writing(folder, stopwatch_ns)
    yield check_sqlite()
    yield check_libraries()
    yield check_import("cv2", is_needed=layout is not None and bool(layout.file.camera))
    if layout is not None and layout.camera is not None:
        from misdeal.cameracheck import check_camera  # noqa: PLC0415 - loads OpenCV

        yield check_camera(layout.camera)


def finding_words(finding: Finding) -> str:
    """Return a finding on one line, with its remedy."""
    mark = {"well": "well ", "note": "note ", "fault": "FAULT"}[finding.state]
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    return f"{mark}  {finding.check}: {finding.found}{remedy}"
