"""Scenes of which the tests ask for facts."""

from typing import Any

from engine.facts import FACTS, Scene, Unknown
from engine.state import Finding
from tests.engine.felt import Played

YES_OR_NO = Unknown((True, False))
DEALER_OR_PLAYER = Unknown(("dealer", "player"))


def scene_of(played: Played, kind: str, at: int = -1) -> Scene:
    """Return the scene of a matter that is alive: the newest of its kind, or the nth from 0."""
    matters = played.watch.docket.matters.values()
    siblings = [matter for matter in matters if matter.finding.kind == kind]
    return Scene(
        played.watch.table,
        siblings[at].finding,
        tuple(matter.finding for matter in siblings),
        played.watch.book.substantial_action,
        siblings[at].upheld is not None,
    )


def plain_scene(played: Played) -> Scene:
    """Return a scene for facts that every finding has."""
    finding = Finding(kind="marked_card", at_ns=played.watch.table.now_ns)
    return Scene(played.watch.table, finding, (finding,), played.watch.book.substantial_action)


def fact(name: str, scene: Scene) -> Any:
    return FACTS[name].compute(scene)
