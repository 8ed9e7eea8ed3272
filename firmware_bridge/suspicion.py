"""What makes a tag suspect, and which tags on the pack pad are to be asked for their signature.

A registered signature is the maker's (``firmware_bridge.authenticity`` has checked it when it was
registered), so a tag proves at the table by giving the very same one. A tag that gives another is
no registered card any more: it is read with neither face nor pack, and the engine finds a foreign
card. One that gives none is said and stays: in a stack a good tag may not come through.
"""

from collections.abc import Iterable

from msgspec import Struct

from engine.cards import Place, Tag
from firmware_bridge.register import Register

MOST_TRIES = 5
"""How often a tag that gives no signature is asked. Chosen: cards in a stack hide each other."""


class Suspicion(Struct, frozen=True, kw_only=True):
    """A tag that may not be what it says."""

    tag: Tag
    why: str
    """For people; names neither card nor tag."""
    places: tuple[Place, ...]
    at_ns: int


def copied(tag: Tag, places: tuple[Place, Place], at_ns: int) -> Suspicion:
    """Return the suspicion that a UID is borne by two tags."""
    one, other = sorted(places)
    why = f"one tag is at {one} and at {other}, which cannot hear one card: it is copied"
    return Suspicion(tag=tag, why=why, places=(one, other), at_ns=at_ns)


class Verifier:
    """Has each registered tag on the pack pad asked for its signature, once for each stay there."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._tries: dict[Tag, int] = {}
        self._settled: set[Tag] = set()

    def next_tag(self, tags: Iterable[Tag]) -> Tag | None:
        """Return the tag of these that is to be asked next, if any: the least asked first."""
        open_ = [
            tag
            for tag in tags
            if tag not in self._settled and self._register.signature_of(tag) is not None
        ]
        return min(open_, key=lambda tag: self._tries.get(tag, 0), default=None)

    def take(self, tag: Tag, signature: bytes, place: Place, at_ns: int) -> Suspicion | None:
        """Take what a tag gave; return what is suspect about it."""
        if signature and signature == self._register.signature_of(tag):
            self._settled.add(tag)
            return None
        if signature:
            self._settled.add(tag)
            self._register.distrust(tag)
            why = "a tag gives another signature than the registered one: it is a forgery"
            return Suspicion(tag=tag, why=why, places=(place,), at_ns=at_ns)
        self._tries[tag] = self._tries.get(tag, 0) + 1
        if self._tries[tag] < MOST_TRIES:
            return None
        self._settled.add(tag)
        why = f"a tag that was registered with a signature gave none in {MOST_TRIES} tries"
        return Suspicion(tag=tag, why=why, places=(place,), at_ns=at_ns)

    def forget(self) -> None:
        """Take it that the pad is bare: whatever comes next is asked anew."""
        self._tries.clear()
        self._settled.clear()
