"""A book that judges nothing and notes everything: what is found is what is ruled on."""

import functools
from collections.abc import Iterable
from typing import Literal

from engine.clauses import KINDS
from engine.docket import Ruling
from engine.events import AnyEvent
from engine.rulebook import RuleBook, compile_book
from engine.setup import TableSetup
from engine.watch import Watch, advance, begin
from tests.engine.dealer import GAMES

HEAD = """
name = "neutral"
version = "1"
title = "Every finding is noted"
games = [{games}]
dealt_by = "{dealt_by}"
"""
CLAUSE = """
[[clause]]
id = "{kind}"
finding = "{kind}"
verdict = "noted"
source = "this file"
plain = "It is noted."
"""


@functools.cache
def neutral_book(dealt_by: Literal["house", "players"] = "house") -> RuleBook:
    """Return the book."""
    games = ", ".join(f'"{game}"' for game in GAMES)
    clauses = "".join(CLAUSE.format(kind=kind) for kind in sorted(KINDS))
    return compile_book(HEAD.format(games=games, dealt_by=dealt_by) + clauses, file="neutral.toml")


def watched(
    setup: TableSetup, events: Iterable[AnyEvent], rules: RuleBook
) -> tuple[Watch, list[tuple[int, Ruling]]]:
    """Watch events; return the table after them, and each change of a ruling with the index of
    the event after which it came."""
    watch = begin(setup, rules)
    changes: list[tuple[int, Ruling]] = []
    for at, event in enumerate(events):
        watch, changed = advance(watch, event)
        changes += [(at, ruling) for ruling in changed]
    return watch, changes
