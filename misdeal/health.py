"""How readers and camera do, in words, and what is not watched while one of them fails."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.coverage import unwatched
from firmware_bridge.bridge import ReaderHealth
from firmware_bridge.wiring import device_of
from misdeal.tablefile import Layout

if TYPE_CHECKING:
    from misdeal.lookout import CameraHealth

CAMERA = "camera"
"""The device by which the engine knows the camera."""


def is_well(reader: ReaderHealth) -> bool:
    """Say whether a reader reads; a quarantine is over within moments and shows in the counters."""
    return reader.state in ("READY", "QUARANTINED")


def as_reader(camera: "CameraHealth") -> ReaderHealth:
    """Return how the camera does as readers do: it covers no place alone, and is seen as a whole.

    Its turn is from picture to picture.
    """
    return ReaderHealth(
        name=CAMERA,
        state="READY" if camera.is_well else "STALE",
        why=camera.why,
        places=(),
        frames=camera.frames,
        checksum_errors=0,
        noise_bytes=0,
        timeouts=0,
        retries=0,
        strays=0,
        restarts=camera.restarts,
        cycle_ms=1000 / camera.fps if camera.fps else 0.0,
        is_slow=False,
        is_degraded=False,
        last_good_ns=camera.last_good_ns,
    )


def reader_words(reader: ReaderHealth) -> str:
    """Return how a reader does, and where nothing is seen while it does not work."""
    name = f"reader {reader.name}" if reader.places else reader.name
    if is_well(reader):
        faults = [
            "slower than a brisk deal" if reader.is_slow else "",
            "more than 1 % bad frames" if reader.is_degraded else "",
        ]
        return f"{name}: " + (", ".join(filter(None, faults)) or "well")
    unseen = ", ".join(reader.places) or "which way up cards lie"
    why = f" ({reader.why})" if reader.why else ""
    return f"{name}: {reader.state.lower().replace('_', ' ')}{why}; unseen: {unseen}"


def unwatched_clauses(layout: Layout, readers: Iterable[ReaderHealth]) -> tuple[str, ...]:
    """Return the clauses of which less is seen than with every reader, in the book's order."""
    down = frozenset(
        device
        for reader in readers
        if not is_well(reader)
        for device in (map(device_of, reader.places) if reader.places else [reader.name])
    )
    if not down:
        return ()
    return tuple(dict.fromkeys(each.clause for each in unwatched(layout.book, layout.setup, down)))
