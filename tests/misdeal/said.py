"""A command run in a test: its exit status, what it wrote, and its JSON lines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Said = Callable[..., tuple[int, str, str]]


def rows(out: str) -> list[dict[str, Any]]:
    """Return JSON lines, each of which must be an object."""
    objects = [json.loads(line) for line in out.splitlines()]
    assert all(isinstance(each, dict) for each in objects)
    return objects


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
