"""Whether the camera gives good pictures, and what is wrong if not.

Pure: shrunk frames with their times go in, a reason comes out; an alarm makes a fault of a reason
that lasts and takes it back when it has been gone for a while.
"""

from collections import deque

import cv2
import numpy as np

from engine.events import DeviceFaulted, DeviceRestored
from vision.seen import Picture

CAMERA = "camera"

_MS = 1_000_000

DARK_LEVEL = 16
"""A picture whose median is below this of 255 is dark. Chosen: felt in a lit room has 40 to 120."""

BLINDED_SHARE = 0.4
"""A picture is blinded where so much of it is white to the limit: a lamp or the sun in the lens."""

_WHITE = 250

FLAT_LEVELS = 4.0
"""A picture whose brightness differs by less from part to part shows nothing: the lens is covered.

Chosen: the standard deviation of a felt with nothing on it, vignetting included, was above 6."""

_EVERY = 5
"""Of every so many pixels of a shrunk picture, each way, one tells the light."""

FROZEN_NS = 2_000 * _MS
"""Frames that are equal to the last bit for so long come from no living sensor, which has noise.

Chosen: longer than a key frame takes to come where a stream sends what changes alone."""

SILENT_NS = 1_000 * _MS
"""So long without a frame is a fault."""

SLOWEST_FPS = 15.0
"""Below it four looks at a card take more than 300 ms."""

STEADY_FPS = 20.0
"""So many a camera must give that was too slow, or it would fail and recover by turns."""

_RATE_NS = 2_000 * _MS
"""How long the rate of frames is counted over."""

FAULT_NS = 500 * _MS
"""A reason becomes a fault when it has lasted so long: a hand before the lens is none."""

GOOD_NS = 1_000 * _MS
"""A fault is over when nothing was wrong for so long."""


class Alarm:
    """One device's fault: it begins with a reason that lasts, and ends when that is gone."""

    def __init__(self, device: str, *, fault_ns: int = FAULT_NS, good_ns: int = GOOD_NS) -> None:
        self._device = device
        self._fault_ns = fault_ns
        self._good_ns = good_ns
        self._since_ns: int | None = None
        self.is_faulted = False

    def see(
        self, reason: str | None, at_ns: int, *, at_once: bool = False
    ) -> list[DeviceFaulted | DeviceRestored]:
        """Take what is wrong at a moment.

        Args:
            reason: What is wrong; None for nothing.
            at_ns: The moment.
            at_once: Whether it is certain already, so that it need not last.

        Returns:
            The fault or its end, where it has come to that.
        """
        if (reason is not None) == self.is_faulted:
            self._since_ns = None
            return []
        if self._since_ns is None:
            self._since_ns = at_ns
        lasting_ns = self._good_ns if reason is None else self._fault_ns
        if at_ns - self._since_ns < lasting_ns and not (at_once and reason is not None):
            return []
        self._since_ns = None
        self.is_faulted = reason is not None
        if reason is None:
            return [DeviceRestored(device=self._device, at_ns=at_ns)]
        return [DeviceFaulted(device=self._device, reason=reason, at_ns=at_ns)]


class Health:
    """What is wrong with the frames of one camera."""

    def __init__(self, picture_wh_px: tuple[int, int]) -> None:
        """Begin before the first frame.

        Args:
            picture_wh_px: The size of the picture that the table was calibrated with.
        """
        self._size = picture_wh_px
        self._before: Picture | None = None
        self._equal_since_ns = 0
        self._times: deque[int] = deque(maxlen=512)
        self._is_slow = False

    def size(self, frame: Picture, at_ns: int) -> str | None:
        """Take the time of a frame; return what is wrong with its size."""
        self._times.append(at_ns)
        height, width = frame.shape[:2]
        if (width, height) == self._size:
            return None
        wanted = "x".join(map(str, self._size))
        return f"gives {width}x{height}, was calibrated with {wanted}"

    def look(self, small: Picture, at_ns: int) -> str | None:
        """Return what is wrong with a frame, shrunk to a quarter; None for nothing."""
        if self._before is None or not np.array_equal(self._before, small):
            self._equal_since_ns = at_ns
        self._before = small
        fps = self._fps()
        if at_ns - self._equal_since_ns >= FROZEN_NS:
            return "is frozen"
        if fps is not None:
            self._is_slow = fps < (STEADY_FPS if self._is_slow else SLOWEST_FPS)
        if fps is not None and self._is_slow:
            return f"gives {fps:.0f} frames a second, too few"
        return _wrong_light(small)

    def _fps(self) -> float | None:
        """Return the rate of the last frames; None where too few have come to tell."""
        newest_ns = self._times[-1] if self._times else 0
        while self._times and newest_ns - self._times[0] > _RATE_NS:
            self._times.popleft()
        span_ns = newest_ns - self._times[0] if self._times else 0
        return (len(self._times) - 1) * 1e9 / span_ns if span_ns >= _RATE_NS // 2 else None


def _wrong_light(small: Picture) -> str | None:
    grey = np.asarray(cv2.cvtColor(small[::_EVERY, ::_EVERY].copy(), cv2.COLOR_BGR2GRAY))
    if np.median(grey) < DARK_LEVEL:
        return "is dark"
    if (grey >= _WHITE).mean() > BLINDED_SHARE:
        return "is blinded by light"
    if grey.std() < FLAT_LEVELS:
        return "shows nothing: the lens is covered"
    return None
