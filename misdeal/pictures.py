"""Pictures from files: each that cannot be read is a line, the others are read all the same."""

import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from engine.errors import Fault
from vision.seen import Picture

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif")
_MANY = (".gif", ".webp", ".png", ".tif", ".tiff")


def picture_files(paths: Sequence[Path]) -> tuple[list[Path], list[Fault]]:
    """Return the files that are named or lie in a folder that is named, and what is wrong."""
    files: list[Path] = []
    faults: list[Fault] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES)
            files += inside
            if not inside:
                faults.append(Fault(str(path), 0, "", "a folder without pictures", "pictures"))
        else:
            files.append(path)
    return files, faults


def read_picture(path: Path) -> Picture | Fault:
    """Return the picture of a file (- is standard input), or what is wrong with it."""
    try:
        read = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        data = np.frombuffer(read, np.uint8)
    except OSError as error:
        return Fault(str(path), 0, "", (error.strerror or "nothing").lower(), "a picture")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # our line says it
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    except cv2.error:
        picture = None
    if picture is None:
        return Fault(str(path), 0, "", "no picture that can be decoded", "a JPEG or PNG")
    return np.asarray(picture, np.uint8)


def frames_in(path: Path) -> int:
    """Return how many pictures a file holds: more than one where it is animated or has pages."""
    if path.suffix.lower() not in _MANY or not path.is_file():
        return 1
    try:
        return max(1, int(cv2.imcount(str(path))))
    except cv2.error:
        return 1
