"""Every way in which a parsed document differs from the types that it should have.

msgspec stops at the first difference; a person who writes a file wants them all, so the document
is compared value by value.
"""

import json
import re
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from misdeal.locate import KeyPath

_SHOWN_CHARACTERS = 60


class Difference(Struct, frozen=True):
    """One value that is not what it should be."""

    path: KeyPath
    found: str
    expected: str


def spell_value(value: object) -> str:
    """Return a parsed value much as it stands in the file, shortened where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def expect_one_of(word: str, known: tuple[str, ...]) -> str:
    """Return what was expected in place of an unknown word, the likeliest meant named first."""
    meant = get_close_matches(word, known, n=1)
    listed = ", ".join(known)
    return f"{meant[0]!r}? (one of {listed})" if meant else f"one of {listed}"


def differences(value: object, kind: Any, path: KeyPath = ()) -> list[Difference]:
    """Compare a parsed value with the type that it should have.

    Args:
        value: What ``tomllib`` or ``json`` gave.
        kind: A type that ``msgspec.convert`` takes.
        path: Where the value stands.

    Returns:
        Every difference, in the order of the document; nothing where it would convert.
    """
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if isinstance(value, dict) and get_origin(bare) is UnionType:
        bare = next((part for part in get_args(bare) if _is_struct(part)), bare)
    found: list[Difference] = []
    if isinstance(value, dict) and _is_struct(bare):
        found = _of_struct(value, bare, path)
    elif isinstance(value, list) and get_origin(bare) is tuple:
        for index, item in enumerate(value):
            found += differences(item, get_args(bare)[0], (*path, index))
    elif isinstance(value, dict) and get_origin(bare) is dict:
        for key, item in value.items():
            found += differences(item, get_args(bare)[1], (*path, key))
    return found or _of_leaf(value, kind, path)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _of_struct(document: dict[str, object], kind: type[Struct], path: KeyPath) -> list[Difference]:
    known = {field.encode_name: field for field in fields(kind)}
    found: list[Difference] = []
    for key, value in document.items():
        if key not in known:
            expected = expect_one_of(key, tuple(known))
            found.append(Difference((*path, key), "an unknown key", expected))
        else:
            found += differences(value, known[key].type, (*path, key))
    missing = [name for name, field in known.items() if field.required and name not in document]
    return found + [
        Difference((*path, name), "nothing", describe(known[name]).split(";")[0] or "a value")
        for name in missing
    ]


def _of_leaf(value: object, kind: Any, path: KeyPath) -> list[Difference]:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return [Difference(path, spell_value(value), _expected(str(error), value, kind))]
    return []


def _expected(message: str, value: object, kind: Any) -> str:
    """Turn msgspec's sentence into the words after "expected"."""
    choices = _choices(kind)
    if choices:
        return expect_one_of(str(value), choices)
    wanted = re.sub(r", got `.*?`| - at `.*`|`| \| null", "", message)
    return wanted.removeprefix("Expected ").replace("object", "table").replace(" | ", " or ")


def _choices(kind: Any) -> tuple[str, ...]:
    """Return the words of a Literal, looked for inside annotations and unions."""
    if get_origin(kind) is Literal:
        return tuple(str(word) for word in get_args(kind))
    return next((found for part in get_args(kind) if (found := _choices(part))), ())


def describe(field: FieldInfo) -> str:
    """Return what a field's annotation says of it; empty where it says nothing."""
    notes = [note for note in get_args(field.type) if isinstance(note, msgspec.Meta)]
    return next((note.description for note in notes if note.description), "")
