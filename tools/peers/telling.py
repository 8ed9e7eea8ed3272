"""How a player tells what came of a question: one JSON line each, read by misdeal.bench.peers."""

# ruff: noqa: INP001 - scripts of another environment, no package

import json
import sys
import time
from collections.abc import Iterable

ANTENNAS = 8


def tell(antenna: int, asked_ns: int, tags: Iterable[str] | None) -> None:
    """Tell an answer that is known now; no tags at all where the library raised an error."""
    answered_ns = time.monotonic_ns()
    told = {
        "antenna": antenna,
        "asked_ns": asked_ns,
        "answered_ns": answered_ns,
        "tags": None if tags is None else list(tags),
    }
    sys.stdout.write(json.dumps(told) + "\n")
