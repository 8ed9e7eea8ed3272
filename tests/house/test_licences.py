"""What runs at a table is under permissive licences, down to the last dependency."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution

import pytest
from packaging.requirements import Requirement

PERMISSIVE = re.compile(
    r"(0BSD|Apache|BSD|CC0|ISC|MIT|PSF|Python|Zlib)\b(?!.*GPL)", flags=re.IGNORECASE
)


def licences(found: Distribution) -> list[str]:
    """Return what a distribution says of its licence: each of them where it names several."""
    said = found.metadata
    if "License-Expression" in said:
        return re.split(r" AND | OR ", said["License-Expression"].strip("()"))
    classifiers = said.get_all("Classifier") or []
    names = [line.rsplit(" :: ", 1)[1] for line in classifiers if line.startswith("License ::")]
    return names or said.get_all("License") or [""]


def needed_by(name: str, known: set[str]) -> Iterator[str]:
    """Yield a distribution's name and the names of all that it needs here at run time."""
    if name in known:
        return
    known.add(name)
    yield name
    for line in distribution(name).requires or ():
        need = Requirement(line)
        if need.marker is None or need.marker.evaluate({"extra": ""}):
            yield from needed_by(need.name, known)


def test_everything_that_runs_at_a_table_is_under_a_permissive_licence() -> None:
    names = list(needed_by("misdeal", set()))
    assert "msgspec" in names
    found = {name: licences(distribution(name)) for name in names}
    assert {n: said for n, said in found.items() if not all(map(PERMISSIVE.match, said))} == {}


@pytest.mark.parametrize(
    "licence",
    ["GPL-3.0-or-later", "GNU General Public License v3 (GPLv3)", "LGPL-2.1", "MIT/GPL", ""],
)
def test_other_licences_are_noticed(licence: str) -> None:
    assert PERMISSIVE.match(licence) is None
