"""What a picture in which nothing moves costs, beside the decoding of it."""

import cv2
import numpy as np

from engine.cards import BOARD
from misdeal.bench.figures import Figure, timed
from misdeal.clock import stopwatch_ns
from vision.calibrate import Calibration, usual_zones
from vision.gate import Gate, shrink
from vision.seen import Picture, Seen
from vision.watcher import Watcher

FRAMES = 300
_WIDE, _HIGH = 1920, 1080
_FRAME_NS = 33_333_333
_NOISES = 6
_PRINT = 40


class NoEye:
    """Sees nothing, at no cost."""

    def look(self, picture: Picture) -> Seen:
        """Return nothing."""
        del picture
        return Seen()


def measure_gate(frames: int = FRAMES) -> list[Figure]:
    """Measure pictures of 1920 by 1080 of a still table, noise included, on one thread."""
    bare, jpegs = _table()
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        decode_ns, gate_ns, watcher_ns = _measure(bare, jpegs, frames)
    finally:
        cv2.setNumThreads(threads)
    share = 1 + float(np.median(watcher_ns)) / float(np.median(decode_ns))
    return [
        timed("a picture of 1920x1080: decoded", decode_ns),
        timed("  nothing moves: shrunk and compared", gate_ns),
        timed(
            "  nothing moves: all of it but the eye", watcher_ns, note=f"{share:.2f} of decoding"
        ),
    ]


def _measure(
    bare: Picture, jpegs: list[bytes], frames: int
) -> tuple[list[int], list[int], list[int]]:
    gate, watcher = Gate(shrink(bare)), Watcher(_calibration(), bare, NoEye())
    decode_ns: list[int] = []
    gate_ns: list[int] = []
    watcher_ns: list[int] = []
    for at in range(frames):
        begin_ns = stopwatch_ns()
        frame = cv2.imdecode(np.frombuffer(jpegs[at % _NOISES], np.uint8), cv2.IMREAD_COLOR)
        picture = np.asarray(frame, np.uint8)
        decoded_ns = stopwatch_ns()
        gate.see(shrink(picture), at * _FRAME_NS)
        gated_ns = stopwatch_ns()
        watcher.see(picture, at * _FRAME_NS)
        decode_ns.append(decoded_ns - begin_ns)
        gate_ns.append(gated_ns - decoded_ns)
        watcher_ns.append(stopwatch_ns() - gated_ns)
    return decode_ns, gate_ns, watcher_ns


def _calibration() -> Calibration:
    size = (float(_WIDE), float(_HIGH))
    return Calibration(
        picture_wh_px=(_WIDE, _HIGH),
        size_mm=size,
        corners_px=((0.0, 0.0), (size[0], 0.0), size, (0.0, size[1])),
        zones=usual_zones(size, [], [BOARD]),
    )


def _table() -> tuple[Picture, list[bytes]]:
    """Return the bare table, with print on it, and pictures of it as JPEGs."""
    rng = np.random.default_rng(1)
    bare = np.full((_HIGH, _WIDE, 3), (58, 92, 34), np.uint8)
    for x, y in rng.integers((100, 100), (_WIDE - 100, _HIGH - 100), (_PRINT, 2)).tolist():
        cv2.putText(bare, "21", (x, y), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (120, 150, 110), 3)
    jpegs: list[bytes] = []
    for _ in range(_NOISES):
        noise = rng.normal(0, 3, bare.shape)
        noisy = np.clip(bare + noise, 0, 255).astype(np.uint8)
        jpegs.append(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes())
    return bare, jpegs
