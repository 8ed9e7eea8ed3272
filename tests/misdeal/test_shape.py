"""Every difference between a document and its types is told, not only the first."""

from typing import Annotated, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from misdeal.locate import KeyPath
from misdeal.shape import differences


class Inner(Struct, forbid_unknown_fields=True):
    size: Annotated[int, Meta(ge=1)]
    words: dict[str, str] = {}


class Outer(Struct, forbid_unknown_fields=True):
    kind: Annotated[Literal["red", "blue"], Meta(description="its colour; of the back")]
    numbers: Annotated[tuple[int, ...], Meta(description="numbers")] = ()
    inner: tuple[Inner, ...] = ()
    baud: Annotated[int, Meta(ge=300)] | None = None


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"kind": "red"}, []),
        ({}, [(("kind",), "nothing", "its colour")]),
        ({"kind": "rad"}, [(("kind",), '"rad"', "'red'? (one of red, blue)")]),
        ({"kind": "xyz"}, [(("kind",), '"xyz"', "one of red, blue")]),
        ({"kind": 3}, [(("kind",), "3", "one of red, blue")]),
        (
            {"kind": "red", "inmer": []},
            [(("inmer",), "an unknown key", "'inner'? (one of kind, numbers, inner, baud)")],
        ),
        (
            {"kind": "red", "numbers": [1, "two", 3, 4.5]},
            [(("numbers", 1), '"two"', "int"), (("numbers", 3), "4.5", "int")],
        ),
        ({"kind": "red", "numbers": 5}, [(("numbers",), "5", "array")]),
        (
            {"kind": "red", "inner": [{"size": 0, "words": {"a": 1}}, {}]},
            [
                (("inner", 0, "size"), "0", "int >= 1"),
                (("inner", 0, "words", "a"), "1", "str"),
                (("inner", 1, "size"), "nothing", "a value"),
            ],
        ),
        ({"kind": "red", "baud": "fast"}, [(("baud",), '"fast"', "int")]),
        ({"kind": "red", "inner": [7]}, [(("inner", 0), "7", "table")]),
    ],
)
def test_every_difference_is_told(document: object, told: list[tuple[KeyPath, str, str]]) -> None:
    assert [(d.path, d.found, d.expected) for d in differences(document, Outer)] == told


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 500) | st.sampled_from(["red", "x", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "numbers", "inner", "baud", "size", "words", "other"]), inner
        )
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_nothing_is_told_exactly_where_msgspec_would_convert(document: object) -> None:
    try:
        msgspec.convert(document, Outer)
        converts = True
    except msgspec.ValidationError:
        converts = False
    assert (differences(document, Outer) == []) == converts
