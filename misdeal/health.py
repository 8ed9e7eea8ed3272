"""How the readers do, in words."""

from firmware_bridge.bridge import ReaderHealth


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
