"""How the readers do, in words, and what is not watched while one does not read."""

from collections.abc import Iterable

from engine.coverage import unwatched
from firmware_bridge.bridge import ReaderHealth
from firmware_bridge.wiring import device_of
from misdeal.tablefile import Layout


def is_well(reader: ReaderHealth) -> bool:
    """Say whether a reader reads; a quarantine is over within moments and shows in the counters."""
    return reader.state in ("READY", "QUARANTINED")


def reader_words(reader: ReaderHealth) -> str:
    """Return how a reader does, and where nothing is seen while it does not work."""
    if is_well(reader):
        faults = [
            "slower than a brisk deal" if reader.is_slow else "",
            "more than 1 % bad frames" if reader.is_degraded else "",
        ]
        return f"reader {reader.name}: " + (", ".join(filter(None, faults)) or "well")
    unseen = ", ".join(reader.places)
    why = f" ({reader.why})" if reader.why else ""
    return f"reader {reader.name}: {reader.state.lower().replace('_', ' ')}{why}; unseen: {unseen}"


def unwatched_clauses(layout: Layout, readers: Iterable[ReaderHealth]) -> tuple[str, ...]:
    """Return the clauses of which less is seen than with every reader, in the book's order."""
    down = frozenset(
        device_of(place) for reader in readers if not is_well(reader) for place in reader.places
    )
    if not down:
        return ()
    return tuple(dict.fromkeys(each.clause for each in unwatched(layout.book, layout.setup, down)))
