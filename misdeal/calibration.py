"""The calibration of a table's camera as files: where the table lies, and the bare table itself.

``camera.json`` beside the table file has the corners, the places and the size of the picture;
``camera.png`` is the picture of the bare table that they were found in.
"""

from pathlib import Path

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
    """Write a calibration and its picture of the bare table.

    Raises:
        OSError: If they cannot be written.
    """
    bare_of(file).write_bytes(cv2.imencode(".png", bare)[1].tobytes())
    file.write_bytes(msgspec.json.format(msgspec.json.encode(calibration)) + b"\n")


def read_calibration(file: Path) -> Calibration:
    """Read a calibration.

    Raises:
        CalibrationError: With everything that is wrong with it; also where its picture is missing.
    """
    try:
        document = msgspec.json.decode(file.read_bytes())
    except OSError as error:
        raise CalibrationError([_fault(file, error.strerror or "nothing")]) from error
    except msgspec.DecodeError as error:
        raise CalibrationError([_fault(file, f"no JSON ({error})")]) from error
    found = differences(document, Calibration)
    faults = [Fault(str(file), 0, spell(each.path), each.found, each.expected) for each in found]
    if faults:
        raise CalibrationError(faults)
    calibration = msgspec.convert(document, Calibration)
    faults = [Fault(str(file), 0, *each) for each in misfits(calibration)]
    if not bare_of(file).is_file():
        faults.append(_fault(bare_of(file), "no picture of the bare table"))
    if faults:
        raise CalibrationError(faults)
    return calibration


def _fault(file: Path, found: str) -> Fault:
    return Fault(str(file), 0, "", found, "what misdeal calibrate wrote")
