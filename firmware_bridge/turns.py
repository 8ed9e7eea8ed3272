"""Whose turn it is at the table: which place a reader may ask now, for the sake of its neighbours.

Antennas that hear each other's cards are not asked at once, and they may belong to several readers.
"""

from collections.abc import Collection
from itertools import takewhile

from engine.cards import Place
from firmware_bridge.copies import NearBy


class Turns:
    """Lets readers ask side by side, and keeps no place waiting for long.

    A place that was due and could not be asked is kept waiting: until it had its turn it comes
    first with its own reader, and whoever came later keeps off its neighbourhood. Else a reader of
    one antenna, which asks without a pause, would keep the neighbours of its seat from ever being
    asked. The longest wait goes first, so no two wait for each other.

    Args:
        near: Which places may hear each other's cards.
    """

    def __init__(self, near: NearBy) -> None:
        self._near = near
        self._waiting: dict[Place, None] = {}

    def choose(
        self, due: Collection[Place], asked: Collection[Place], ready: Collection[Place]
    ) -> Place | None:
        """Return which of its places a reader asks now, or None where it may ask none.

        Args:
            due: The reader's places, the most urgent first.
            asked: The places that the other readers are asking.
            ready: The places of the other readers that work; for others nobody keeps off.
        """
        waiting = [place for place in self._waiting if place in due]
        for place in (*waiting, *(each for each in due if each not in waiting)):
            heeded = (*asked, *self._claimed(place, ready))
            if not any(self._near(place, each) for each in heeded):
                self._waiting.pop(place, None)
                return place
            self._waiting.setdefault(place)
        return None

    def _claimed(self, place: Place, ready: Collection[Place]) -> list[Place]:
        """Return the places that come before one; what waits for such a place claims none."""
        claimed: list[Place] = []
        for other in takewhile(place.__ne__, self._waiting):
            if other in ready and not any(self._near(other, each) for each in claimed):
                claimed.append(other)
        return claimed
