"""The facts that a rule book's conditions may name: flat, typed, documented, sometimes unknown.

A fact is computed from the table, the matter in hand and its siblings only when a condition
names it. What nobody has told and no sensor can see is ``Unknown`` with the values that it may
have; the ruling then tries each of them and asks where the verdict depends on it.
"""

from engine.facts import of_counts, of_every, of_faces, of_people, of_places
from engine.facts.fact import FACTS, Fact, Scene, Unknown, Value

ASKED = frozenset({
    "substantial_action", "exposed_by", "handled", "looked", "anted", "has_acted", "acted_since",
})  # fmt: skip
"""Facts that a ruling may ask for."""


def facts_for(kind: str) -> dict[str, Fact]:
    """Return the facts that a finding of a kind has."""
    return {name: f for name, f in FACTS.items() if not f.kinds or kind in f.kinds}


# Importing a module registers its facts; this names them all in one place.
MODULES = (of_every, of_faces, of_places, of_counts, of_people)

__all__ = ["ASKED", "FACTS", "MODULES", "Fact", "Scene", "Unknown", "Value", "facts_for"]
