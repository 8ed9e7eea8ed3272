"""How long the page has patience with a connection: whoever holds one must ask for something."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

CONNECTIONS_AT_MOST = 600
"""Connections at once; a process has 1,024 files by default, and the readers need theirs."""

PATIENCE_S = 10.0
"""How long a connection may ask for nothing, or take to finish asking."""


class Patience(H11Protocol):
    """A connection that ends when nothing whole has been asked for too long."""

    patience_s = PATIENCE_S
    connections_at_most = CONNECTIONS_AT_MOST

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or turn it away where there are too many."""
        super().connection_made(transport)
        self._last: object = self
        self._look: asyncio.TimerHandle | None = None
        if len(self.connections) > self.connections_at_most:
            transport.abort()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of a connection."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._look = self.loop.call_later(self.patience_s, self._lose_patience)

    def _lose_patience(self) -> None:
        """End it where it has been idle since the last look, with the same request behind it."""
        cycle: RequestResponseCycle | None = self.cycle
        is_idle = cycle is None or cycle.response_complete
        if is_idle and self._last is cycle:
            self.transport.abort()
            return
        self._last = cycle if is_idle else self
        self._wait()
