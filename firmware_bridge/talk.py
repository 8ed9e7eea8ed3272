"""One dialog that is under way on a link: its pending request, and how long it is waited for."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.dialects.dialect import Dialog, Inventory, Request
from firmware_bridge.families.family import Message

MS = 1_000_000

LEAST_PATIENCE_NS = 100 * MS
PATIENCE_FACTOR = 4
"""An answer is waited for four times as long as the slowest of late took, but at least so long.

Chosen: an FTDI adapter adds 16 ms, a busy machine some more. To be wrong costs no card but one
quarantine, and the next wait is twice as long, up to the family's own time-out.
"""


class Patience:
    """How long an answer of one reader is waited for; learned from its answers."""

    def __init__(self, timeout_ms: int) -> None:
        self._limit_ns = timeout_ms * MS
        self._slowest_ns: int | None = None

    def learn(self, took_ns: int) -> None:
        """Note how long an answer took; what was slow once is forgotten within some dozen."""
        self._slowest_ns = max(took_ns, (self._slowest_ns or 0) * 15 // 16)

    def lengthen(self) -> None:
        """Note that an answer did not come in time."""
        if self._slowest_ns is not None:
            self._slowest_ns = 2 * self.wait_ns() // PATIENCE_FACTOR

    def wait_ns(self) -> int:
        """Return how long the next answer is waited for."""
        if self._slowest_ns is None:
            return self._limit_ns
        return min(self._limit_ns, max(LEAST_PATIENCE_NS, PATIENCE_FACTOR * self._slowest_ns))


class Talk(Struct):
    """A dialog, and the request of it that waits for its answer."""

    dialog: Dialog[Any]
    pending: Request
    finish: Callable[[Any, int], None]
    """Takes what the dialog returns, and when."""
    antenna: int | None = None
    """The antenna whose inventory it is; None in all other dialogs."""
    tries_left: int = 0
    asked_ns: int = 0
    deadline_ns: int = 0
    is_sent: bool = False
    """Whether the request's bytes are on the wire: only then something can be its answer."""
    is_garbled: bool = False
    """Bytes came that may have been the answer: it will not come again."""
    is_doubtful: bool = False
    """Bytes came while it lasted that may have been a part of what was told."""

    def note_garbled(self) -> None:
        """Take it that something came that is no message."""
        if self.is_sent:
            self.is_garbled = self.is_doubtful = True

    def fits(self, message: Message) -> bool:
        """Say whether a message is the answer that is waited for."""
        return self.is_sent and self.pending.fits(message)

    def doubt(self, found: object) -> object:
        """Return what the dialog found; a list with garbled bytes in between may lack something."""
        if isinstance(found, Inventory) and self.is_doubtful:
            return replace(found, is_complete=False)
        return found

    def send(self, now_ns: int, patience: Patience) -> bytes:
        """Return the request's bytes, which are to be sent now."""
        request = self.pending
        wait_ns = max(patience.wait_ns(), request.work_ms * MS)
        if request.silence_ms is not None:
            wait_ns = request.silence_ms * MS
        self.tries_left -= 1
        self.asked_ns = now_ns
        self.deadline_ns = now_ns + wait_ns
        self.is_sent = not request.data
        self.is_garbled = False
        return request.data

    def end_ns(self, quiet_ns: int) -> int:
        """Return when it is not waited for any longer, on a line that is quiet from then on."""
        return min(self.deadline_ns, quiet_ns) if self.is_garbled else self.deadline_ns
