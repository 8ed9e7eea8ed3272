"""What is told to everyone: one message an event, to as many listeners as there are.

A listener that does not keep up loses messages, never the table: what waited for it is dropped,
and the next message that it takes is marked as a snapshot, from which it can start afresh.
"""

import asyncio
from collections import deque

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Card, Place
from engine.docket import Ruling
from engine.watch import TableView

# At 5 events a second a listener may sleep for a minute before it misses anything.
WAITING_AT_MOST = 300


class Shown(Struct, frozen=True, kw_only=True):
    """What may be shown after an event; it names no face-down card of a live hand."""

    at_ns: int
    rulings: tuple[Ruling, ...]
    """The rulings that are new or changed."""
    table: TableView
    """The table as it is seen now, the rulings in force included."""
    faces: dict[Place, tuple[Card, ...]] = {}
    """The cards that lie face up, as a camera sees them."""
    can_undo: bool = False
    """Something has been said in this hand that can be taken back."""
    said: str = ""
    """What an operator said, where that is what happened."""
    by: str = ""
    """Who said it; empty for whoever came by the operator's door."""
    is_snapshot: bool = False
    """Messages before this one were lost, so ``rulings`` does not hold every change."""


class Listener:
    """One who listens; holds a bounded number of messages."""

    def __init__(self) -> None:
        self.lost = 0
        self._waiting: deque[Shown] = deque()
        self._arrived = asyncio.Event()

    def tell(self, shown: Shown) -> None:
        """Hand over a message; never waits."""
        if len(self._waiting) == WAITING_AT_MOST:
            self.lost += len(self._waiting)
            self._waiting.clear()
            shown = replace(shown, is_snapshot=True)
        self._waiting.append(shown)
        self._arrived.set()

    async def next(self) -> Shown:
        """Wait for the next message and take it."""
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()


class Feed:
    """Everyone who listens to one table."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def listen(self) -> Listener:
        """Return a new listener; it hears everything that is told from now on."""
        listener = Listener()
        self._listeners.append(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Stop telling a listener."""
        self._listeners.remove(listener)

    def tell(self, shown: Shown) -> None:
        """Tell everyone."""
        for listener in self._listeners:
            listener.tell(shown)
