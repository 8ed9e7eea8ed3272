"""How the readers do, in words."""

from firmware_bridge.bridge import ReaderHealth


def reader_words(reader: ReaderHealth) -> str:
    """Return how a reader does, and where nothing is seen while it does not work.

    A quarantine is over within moments and shows in the counters: it counts as well.
    """
    faults = [
        "too slow for the deal" if reader.is_slow else "",
        "more than 1 % bad frames" if reader.is_degraded else "",
    ]
    if reader.state in ("READY", "QUARANTINED"):
        return f"reader {reader.name}: " + (", ".join(filter(None, faults)) or "well")
    unseen = ", ".join(reader.places)
    why = f" ({reader.why})" if reader.why else ""
    return f"reader {reader.name}: {reader.state.lower().replace('_', ' ')}{why}; unseen: {unseen}"
