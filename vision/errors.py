"""Every error of vision, under one root.

VisionError
 +-- CameraError        a camera that cannot be opened, or gives no more pictures
 +-- MarksError         a picture in which the marks of the table are not as they should be
 +-- PicturesError      pictures that cannot be used, with every fault found
 +-- BackFileError      a file that is no enrolled back
 +-- TooFewShotsError   fewer pictures than a back can be enrolled from
"""

from collections.abc import Sequence

from engine.errors import Fault


class VisionError(Exception):
    """Root of every error that vision raises."""


class CameraError(VisionError, OSError):
    """A camera that cannot be opened, or that gives no pictures any more."""

    def __init__(self, source: str, why: str) -> None:
        super().__init__(f"{source} {why}")
        self.source = source
        self.why = why

    def __str__(self) -> str:
        return str(self.args[0])


class MarksError(VisionError, ValueError):
    """The marks in a picture do not show where the table is."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found}, expected {expected}")
        self.found = found
        self.expected = expected


class PicturesError(VisionError, ValueError):
    """Pictures that cannot be used; carries all their faults, not only the first."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class BackFileError(VisionError, ValueError):
    """A file that is no enrolled back that this version can read."""

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"{file} cannot be read as an enrolled back: {why}")
        self.file = file
        self.why = why


class TooFewShotsError(VisionError, ValueError):
    """Fewer pictures than are needed to learn a back, or to show a false-alarm rate."""

    def __init__(self, found: int, needed: int, rate: float | None) -> None:
        why = "" if rate is None else f" to show a false-alarm rate of {100 * rate:g} %"
        super().__init__(f"found {found} pictures of good backs, expected at least {needed}{why}")
        self.found = found
        self.needed = needed
        self.rate = rate
