"""The calibration of a table's camera as files: where the table lies, and the bare table itself.

``camera.json`` beside the table file has the corners, the places and the size of the picture;
``camera.png`` is the picture of the bare table that they were found in.
"""

from pathlib import Path
from typing import Any

import cv2
import msgspec

from engine.errors import Fault
from misdeal.errors import CalibrationError
from misdeal.locate import spell
from misdeal.shape import differences
from vision.calibrate import Calibration, misfits
from vision.seen import Picture

FILE = "camera.json"


def bare_of(file: Path) -> Path:
    """Return where the picture of the bare table is that belongs to a calibration."""
    return file.with_suffix(".png")


def write_calibration(file: Path, calibration: Calibration, bare: Picture) -> None:
    """Write a calibration, a line a place so that people can mend it, and the bare table.

    Raises:
        OSError: If they cannot be written.
    """
    bare_of(file).write_bytes(cv2.imencode(".png", bare)[1].tobytes())
    lines: list[str] = []
    for key, value in msgspec.to_builtins(calibration).items():
        if isinstance(value, dict):
            inner = ",\n".join(f'    "{name}": {_spelt(each)}' for name, each in value.items())
            lines.append(f'  "{key}": {{\n{inner}\n  }}')
        else:
            lines.append(f'  "{key}": {_spelt(value)}')
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _spelt(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(_rounded(value)), indent=0).decode()


def _rounded(value: Any) -> Any:
    """Return numbers to the hundredth: of a pixel or a millimetre no more is known."""
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 2) if isinstance(value, float) else value


def read_calibration(file: Path) -> Calibration:
    """Read a calibration.

    Raises:
        CalibrationError: With everything that is wrong with it; also where its picture is missing.
    """
    calibration = read_draft(file)
    faults = faults_of(file, calibration)
    if not bare_of(file).is_file():
        faults.append(_fault(bare_of(file), "no picture of the bare table"))
    if faults:
        raise CalibrationError(faults)
    return calibration


def read_draft(file: Path) -> Calibration:
    """Read a calibration in which something need not fit together yet.

    Raises:
        CalibrationError: With everything that is wrong with its shape.
    """
    try:
        document = msgspec.json.decode(file.read_bytes())
    except OSError as error:
        raise CalibrationError([_fault(file, error.strerror or "nothing")]) from error
    except msgspec.DecodeError as error:
        raise CalibrationError([_fault(file, f"no JSON ({error})")]) from error
    found = differences(document, Calibration)
    if found:
        raise CalibrationError(
            [Fault(str(file), 0, spell(each.path), each.found, each.expected) for each in found]
        )
    return msgspec.convert(document, Calibration)


def faults_of(file: Path, calibration: Calibration) -> list[Fault]:
    """Return what does not fit together in a calibration, and why."""
    return [Fault(str(file), 0, *each) for each in misfits(calibration)]


def _fault(file: Path, found: str) -> Fault:
    return Fault(str(file), 0, "", found, "what misdeal calibrate wrote")
