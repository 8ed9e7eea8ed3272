"""What an operator types while something else goes on: line by line, without a thread."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress


def hear_lines(take: Callable[[str | None], None]) -> bool:
    """Have each line of standard input handed on, without its end; None when there are no more.

    Must be called within a running loop. A thread that waits for a line would outlive Ctrl-C.

    Returns:
        Whether lines can come: not from a file, nor where there is no input at all.
    """
    loop = asyncio.get_running_loop()

    def hear() -> None:
        line = sys.stdin.readline()
        if line:
            take(line.rstrip("\n"))
        else:
            loop.remove_reader(sys.stdin)
            take(None)

    with suppress(OSError, ValueError):
        loop.add_reader(sys.stdin, hear)
        return True
    return False
