"""Where in a TOML text a key stands: the standard parser tells lines for broken syntax only."""

import tomllib
from collections.abc import Iterable

KeyPath = tuple[str | int, ...]
"""The keys and list positions that lead to a value: ``("reader", 0, "baud")``."""


def spell(path: KeyPath) -> str:
    """Return a path as people write it: ``reader[0].baud``."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def lines_of(text: str, paths: Iterable[KeyPath]) -> dict[KeyPath, int]:
    """Return the line, from 1, on which each path's statement begins; 0 for none and for ``()``.

    The text is parsed in growing pieces: the piece with which a path first leads somewhere ends
    with that path's statement. Slow, so for the path of faults alone.
    """
    sought = dict.fromkeys(paths, 0)
    lines = text.splitlines(keepends=True)
    begin = 1
    for end in range(1, len(lines) + 1):
        try:
            document = tomllib.loads("".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        for path, line in sought.items():
            if path and not line and _leads_somewhere(document, path):
                sought[path] = begin
        begin = end + 1
    return sought


def _leads_somewhere(document: object, path: KeyPath) -> bool:
    for key in path:
        match document, key:
            case dict(), str() if key in document:
                document = document[key]
            case list(), int() if key < len(document):
                document = document[key]
            case _:
                return False
    return True
