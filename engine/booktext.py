"""Where in a TOML text a key stands, and which known word a wrong one is closest to."""

import difflib
import re
from collections.abc import Iterable

_HEADER = re.compile(r"\s*\[\[\s*([\w.-]+)\s*\]\]")
_KEY = re.compile(r"\s*\"?([\w-]+)\"?\s*=")
_AT_LINE = re.compile(r"at line (\d+)")


def closest(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean ...?`` where a known word is close, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


class Locator:
    """Finds the lines of keys in a TOML text of plain keys and arrays of tables."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, int, str], int] = {}
        self._count = text.count("\n") + 1
        section, index = "", 0
        seen: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if header := _HEADER.match(line):
                section = header[1]
                index = seen.get(section, -1) + 1
                seen[section] = index
                self._lines[section, index, ""] = number
                self._lines.setdefault(("", 0, section), number)
            elif key := _KEY.match(line):
                self._lines.setdefault((section, index, key[1]), number)

    def line(self, key: str) -> int:
        """Return the line of a key at the top of the text, 1 where it is not found."""
        return self._lines.get(("", 0, key), 1)

    def line_in(self, section: str, index: int, key: str) -> int:
        """Return the line of a key in the nth table of a section, else the table's own."""
        own = self._lines.get((section, index, ""), self.line(section))
        return self._lines.get((section, index, key), own)

    def line_of_error(self, message: str) -> int:
        """Return the line that a syntax error names, else the last."""
        match = _AT_LINE.search(message)
        return int(match[1]) if match else self._count
