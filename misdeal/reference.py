"""The reference page of the table file, made from its types.

python -m misdeal.reference > docs/table-file.md
"""

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from misdeal.commands.init import TEMPLATE
from misdeal.config import CameraSection, PackSection, PageSection, Reader, TableFile
from misdeal.shape import describe, spell_value

_SECTIONS = (
    ("The table", TableFile),
    ("`[[reader]]`", Reader),
    ("`[[pack]]`", PackSection),
    ("`[camera]`", CameraSection),
    ("`[page]`", PageSection),
)

_HEAD = """\
# The table file

<!-- Made by `python -m misdeal.reference` from misdeal/config.py; a test keeps it true. -->

`table.toml` says what stands at a table: one file, a key a fact. `misdeal init` writes a small one,
`misdeal config check` tells everything that is wrong with one, line by line, `misdeal config show`
prints one with every default filled in, and `misdeal config schema` describes the format for an
editor. Do not copy the whole list below: keys that are left out have sensible values.

A key that is not listed is an error, and the likeliest one meant is named. What a file names
(registers, house rules, journal, socket) is looked for from the file's own folder.
"""

_TAIL = """
## House rules

`house` lays rules over the book: the name of a file, or a section `[house]` in the table file with
the same keys as a house file. In short form a finding's name is the key and a verdict the value.

```toml
[house]
exposed_card = "misdeal"
```

## Registers

A register is a CSV file with the columns `card,tag` and, where a pack has spares, `spare`. Every
card of the pack stands in it once, a spare with `yes` in the third column. Tags are upper-case hex,
most significant byte first. A doubled tag, a card that is missing or doubled, and a column in
reversed byte order are refused with their lines.

## What is noted

`misdeal config check` and `misdeal run` note what works but should be known: a port by a name that
may be another adapter at the next start, seats without a reader, which are followed from the deal
plan, and other places where nothing is seen.

## What `misdeal init` writes

```toml
"""


def main() -> None:
    """Print the page."""
    sys.stdout.write(page())


def page() -> str:
    """Return the page as Markdown."""
    sections = "".join(_section(title, kind) for title, kind in _SECTIONS)
    return f"{_HEAD}{sections}{_TAIL}{TEMPLATE}```\n"


def _section(title: str, kind: type[Struct]) -> str:
    rows = "\n".join(_rows(kind))
    head = "| key | meaning | value | default |\n|---|---|---|---|"
    return f"\n## {title}\n\n{inspect.getdoc(kind)}\n\n{head}\n{rows}\n"


def _rows(kind: type[Struct]) -> Iterator[str]:
    for field in fields(kind):
        yield f"| `{field.name}` | {describe(field)} | {_value(field)} | {_left_out(field)} |"


def _value(field: FieldInfo) -> str:
    return _spell(msgspec.json.schema(field.type))


def _spell(schema: dict[str, Any]) -> str:
    """Return what a JSON schema allows, in a few words."""
    if "enum" in schema:
        return " ".join(f"`{spell_value(each)}`" for each in schema["enum"])
    if "anyOf" in schema:
        parts = [_spell(each) for each in schema["anyOf"] if each.get("type") != "null"]
        return " or ".join(parts)
    if "$ref" in schema:
        return "table"
    if schema.get("type") == "array":
        return f"list, each a {_spell(schema['items'])}"
    bounds = [
        f"{word} {schema[key]}"
        for key, word in (("minimum", "from"), ("maximum", "to"))
        if key in schema
    ]
    words = {"string": "text", "integer": "number", "boolean": "true or false", "object": "table"}
    return " ".join([words[schema["type"]], *bounds])


def _left_out(field: FieldInfo) -> str:
    if field.required:
        return "required"
    if field.default is NODEFAULT or field.default in (None, ()):
        return ""
    if isinstance(field.default, Struct):
        return ""
    return f"`{spell_value(field.default)}`"


if __name__ == "__main__":
    main()
