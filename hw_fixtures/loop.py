"""Timers and file descriptors on one monotonic clock; sleeps until something is due."""

import heapq
import itertools
import selectors
import time
from collections.abc import Callable

Act = Callable[[], None]


class Loop:
    """Runs acts when their time has come or their descriptor has news.

    Args:
        clock_ns: The monotonic clock, in nanoseconds.
    """

    def __init__(self, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.now_ns = clock_ns
        self._timers: list[tuple[int, int, Act]] = []
        self._order = itertools.count()
        # select() rather than epoll(): its time-out is not rounded up to milliseconds.
        self._watched = selectors.SelectSelector()
        self._is_running = False

    def at(self, due_ns: int, act: Act) -> None:
        """Do something at a moment; what is due at the same moment keeps its order."""
        heapq.heappush(self._timers, (due_ns, next(self._order), act))

    def watch(self, fd: int, act: Act) -> None:
        """Do something whenever a descriptor can be read."""
        self._watched.register(fd, selectors.EVENT_READ, act)

    def unwatch(self, fd: int) -> None:
        """Stop watching a descriptor."""
        self._watched.unregister(fd)

    def run_due(self) -> int | None:
        """Do everything that is due; return when the next act is, None where there is none."""
        while self._timers and self._timers[0][0] <= self.now_ns():
            heapq.heappop(self._timers)[2]()
        return self._timers[0][0] if self._timers else None

    def run(self) -> None:
        """Run until ``stop`` is called."""
        self._is_running = True
        while self._is_running:
            due_ns = self.run_due()
            wait_s = None if due_ns is None else max(0, due_ns - self.now_ns()) / 1e9
            for key, _ in self._watched.select(wait_s):
                key.data()

    def stop(self) -> None:
        """Leave ``run`` after the present act."""
        self._is_running = False
