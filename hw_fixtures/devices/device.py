"""What every simulated reader has in common: what it hears, what it says, how its host sees it.

A device knows nothing of ports, clocks or faults: bytes go in, replies come out. Whoever hosts it
says when a tenth of a second has passed and when the line was silent.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from msgspec import Struct

from engine.cards import Tag


class TagKind(Struct, frozen=True, kw_only=True):
    """A kind of tags; a reader hears one kind and is deaf for all others."""

    shape: str
    """What the whole canonical UID looks like, as a regular expression."""
    ghost_prefix: str
    ghost_digits: int
    """How a UID of this kind begins, and its length: for one that noise makes up."""

    def fits(self, tag: Tag) -> bool:
        """Say whether a tag is of this kind."""
        return re.fullmatch(self.shape, tag) is not None


ISO15693 = TagKind(shape="E0[0-9A-F]{14}", ghost_prefix="E004", ghost_digits=16)
# Single, double and triple size: ISO/IEC 14443-3.
ISO14443 = TagKind(
    shape="[0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20}", ghost_prefix="04", ghost_digits=14
)
# EPC Gen2: words of two bytes, 31 at most; here never what could be an ISO 15693 UID.
EPC = TagKind(shape="(?!E0.{14}$)([0-9A-F]{4}){1,31}", ghost_prefix="E28011", ghost_digits=24)
EM4100 = TagKind(shape="[0-9A-F]{10}", ghost_prefix="", ghost_digits=10)


class Heard(Struct, frozen=True):
    """What answered at an antenna, and whether the radio noticed nothing that stayed unread."""

    tags: tuple[Tag, ...] = ()
    is_whole: bool = True


Hear = Callable[[int], Heard]
"""Gives what answers at an antenna, numbered from 1."""


class Timing(Struct, frozen=True, kw_only=True):
    """How long a reader works before it answers, in milliseconds; assumed, none is public."""

    command_ms: float = 0.5
    discovery_ms: float = 8.0
    """One look at an antenna, whether a tag answers or not."""
    tag_ms: float = 5.0
    """Each tag that answers."""
    restart_ms: float = 1000.0
    """Silence after a restart."""


class Reply(Struct, frozen=True, kw_only=True):
    """What a reader says, and how long it works before the first byte."""

    data: bytes
    work_ms: float
    tags: tuple[Tag, ...] = ()
    """The tags whose UID is in it."""
    antenna: int = 1
    """Where these tags were heard."""
    is_inventory: bool = False
    """The antenna field was on for it: the moment when a weak supply breaks down."""
    restarts: bool = False


class Device(Protocol):
    """A simulated reader as its host sees it."""

    kind: TagKind
    """The tags that it hears."""
    timing: Timing
    baud: int
    """The speed that it speaks at now, in bits per second."""
    offered_baud: int
    """The speed that it changes to when its host agrees; the present one where nobody asked."""
    is_polling: bool
    """Whether ``notices`` is to be asked, each tenth of a second."""

    def receive_data(self, data: bytes) -> list[Reply]:
        """Take bytes from the host; return the answers to the commands that they completed."""

    def pause(self) -> None:
        """Take it that the line was silent: the rest of a command that was begun never comes."""

    def notices(self) -> list[Reply]:
        """Let a tenth of a second pass; return what is said unasked."""

    def restart(self) -> None:
        """Start anew, as after a power cut."""

    def greet(self) -> list[Reply]:
        """Return what is said unasked when a start is over."""


class CommandParser:
    """Finds the commands in what a host sends; what is no command is dropped byte by byte.

    Args:
        measure: Returns the size of the command at the head of some bytes, 0 where none is, None
            where more bytes must show it.
    """

    def __init__(self, measure: Callable[[bytes], int | None]) -> None:
        self._measure = measure
        self._buffer = b""

    def receive_data(self, data: bytes) -> list[bytes]:
        """Take the next bytes; return the commands that they completed."""
        self._buffer += data
        found: list[bytes] = []
        while self._buffer and (size := self._measure(self._buffer)) is not None:
            if size:
                found.append(self._buffer[:size])
            self._buffer = self._buffer[max(size, 1) :]
        return found

    def drop(self) -> None:
        """Give up a command that was begun."""
        self._buffer = b""


class TellingDevice:
    """A reader that says what it hears and takes no commands: what every family shares.

    Args:
        name: How it identifies itself; what that can be depends on the family.
        antennas: How many antennas can be selected.
        baud: The speed that it starts with, in bits per second.
        hear: What answers at an antenna.
        timing: How long it works.
    """

    KIND: ClassVar[TagKind] = ISO15693
    TIMING: ClassVar[Timing] = Timing()

    def __init__(
        self, *, name: str, antennas: int, baud: int, hear: Hear, timing: Timing | None = None
    ) -> None:
        self.kind = self.KIND
        self.timing = timing or self.TIMING
        self._name = name
        self._antennas = antennas
        self._first_baud = baud
        self._hear = hear
        self.restart()

    def restart(self) -> None:
        """Start anew: antenna 1, nothing told unasked."""
        self.antenna = 1
        self.baud = self.offered_baud = self._first_baud
        self.is_polling = False

    def receive_data(self, data: bytes) -> list[Reply]:
        """Take bytes from the host; they mean nothing here."""
        return []

    def pause(self) -> None:
        """Take it that the line was silent."""

    def notices(self) -> list[Reply]:
        """Say nothing unasked."""
        return []

    def greet(self) -> list[Reply]:
        """Say nothing at a start."""
        return []

    def _look(self, antennas: Sequence[int]) -> Heard:
        """Look at antennas, one after the other; tags of other kinds stay unheard."""
        looks = [self._hear(number) for number in antennas]
        tags = dict.fromkeys(tag for look in looks for tag in look.tags if self.kind.fits(tag))
        return Heard(tuple(tags), all(look.is_whole for look in looks))

    def _say(self, data: bytes, *, restarts: bool = False) -> Reply:
        """Answer what needs no radio."""
        return Reply(data=data, work_ms=self.timing.command_ms, restarts=restarts)

    def _tell(self, data: bytes, tags: Sequence[Tag], *, is_first: bool = True) -> Reply:
        """Answer with tags; the first answer of an inventory waits for the radio."""
        look_ms = self.timing.discovery_ms if is_first else self.timing.command_ms
        return Reply(
            data=data,
            work_ms=look_ms + len(tags) * self.timing.tag_ms,
            tags=tuple(tags),
            antenna=self.antenna,
            is_inventory=True,
        )


class FramedDevice(TellingDevice, ABC):
    """A reader that is asked in frames."""

    def restart(self) -> None:
        """Start anew: antenna 1, nothing half done, nothing told unasked."""
        super().restart()
        self._parser = CommandParser(self.measure)

    @staticmethod
    @abstractmethod
    def measure(head: bytes) -> int | None:
        """Measure the command at the head of some bytes, as ``CommandParser`` wants it."""

    @abstractmethod
    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out one whole command; return what is answered."""

    def receive_data(self, data: bytes) -> list[Reply]:
        """Take bytes from the host; return the answers to the commands that they completed."""
        return [reply for frame in self._parser.receive_data(data) for reply in self.obey(frame)]

    def pause(self) -> None:
        """Take it that the line was silent: the rest of a command that was begun never comes."""
        self._parser.drop()
