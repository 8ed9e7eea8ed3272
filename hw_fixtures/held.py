"""A stand-in's process as a program holds it: its number, and its end when the block ends."""

from abc import ABC, abstractmethod
from asyncio.subprocess import Process
from types import TracebackType
from typing import Self


class Held(ABC):
    """A running process that is closed when its block ends."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @abstractmethod
    async def close(self) -> None:
        """End the process; do nothing where it has ended."""
