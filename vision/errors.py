"""Every error of vision, under one root.

VisionError
 +-- MarksError   a picture in which the marks of the table are not as they should be
"""


class VisionError(Exception):
    """Root of every error that vision raises."""


class MarksError(VisionError, ValueError):
    """The marks in a picture do not show where the table is."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found}, expected {expected}")
        self.found = found
        self.expected = expected
