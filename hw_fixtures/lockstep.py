"""An event loop in which time moves only when nothing else does: hardware in lock-step.

Readers on pseudo-terminals and whoever speaks with them run in one loop. While a byte is on its
way time stands still; when all is quiet it leaps to the next moment at which something is due. So
a second at the table costs what its bytes cost, and the same table gives the same bytes at the
same moments, however busy the machine is.

Nothing is on its way when no descriptor can be read: Linux hands over what was written to a
pseudo-terminal when it is polled (``n_tty_poll`` flushes the buffer; ``epoll`` does not ask it).
"""

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar, TypeVarTuple

from hw_fixtures.loop import Act, Loop

_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")

_NS_PER_S = 1_000_000_000


class _Selector(selectors.PollSelector):
    """Waits for descriptors only where ``leap`` has not made waiting needless."""

    def __init__(self, leap: Callable[[float | None], bool]) -> None:
        super().__init__()
        self._leap = leap

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what can be read or written; nothing where time was let pass instead."""
        ready = super().select(0)
        return ready if ready or self._leap(timeout) else super().select(None)


class LockstepLoop(asyncio.SelectorEventLoop):
    """An asyncio loop whose time begins at 0 and leaps from one thing that is due to the next.

    Work that is given to threads, such as the opening of a port, is done one after the other, and
    time stands still meanwhile.
    """

    def __init__(self) -> None:
        self._now_s = 0.0
        self._in_threads = 0
        super().__init__(_Selector(self._leap))
        self.set_default_executor(ThreadPoolExecutor(max_workers=1))

    def time(self) -> float:
        """Return the time of the loop, in seconds."""
        return self._now_s

    def now_ns(self) -> int:
        """Return the time of the loop, in nanoseconds."""
        return round(self._now_s * _NS_PER_S)

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[*_Arguments], _Result],
        *args: *_Arguments,
    ) -> asyncio.Future[_Result]:
        """Have a thread do something; until it is done time stands still."""
        self._in_threads += 1
        done = super().run_in_executor(executor, func, *args)
        done.add_done_callback(self._note_done)
        return done

    def _note_done(self, _: "asyncio.Future[Any]") -> None:
        self._in_threads -= 1

    def _leap(self, wait_s: float | None) -> bool:
        """Let time pass until something is due; say no where a thread is to be waited for."""
        if wait_s is None or (wait_s > 0 and self._in_threads):
            return False
        self._now_s += wait_s
        return True


class LockstepTimers(Loop):
    """The readers' own loop, run by a lock-step one."""

    def __init__(self, loop: LockstepLoop) -> None:
        super().__init__(loop.now_ns)
        self._loop = loop

    def at(self, due_ns: int, act: Act) -> None:
        """Do something at a moment; what is due at the same moment keeps its order."""
        super().at(due_ns, act)
        self._loop.call_at(due_ns / _NS_PER_S, self.run_due)

    def watch(self, fd: int, act: Act) -> None:
        """Do something whenever a descriptor can be read."""
        self._loop.add_reader(fd, act)

    def unwatch(self, fd: int) -> None:
        """Stop watching a descriptor."""
        self._loop.remove_reader(fd)
