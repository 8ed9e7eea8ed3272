"""A recording of a reader's raw traffic: its file, and who asked what in it.

A file of JSON lines: a header, then what happened, each with its time. What was asked follows from
what was answered: ``Conversation`` is pure, and live it is the same as when a recording is played
through it again.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from engine.cards import Place
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.ear import QUIET_NS
from firmware_bridge.families import FAMILIES
from firmware_bridge.families.family import Direction, Family, Frame, Noise
from firmware_bridge.framing import Framer
from firmware_bridge.polls import Poll
from firmware_bridge.session import Session, Step
from firmware_bridge.standing import State
from firmware_bridge.tally import Tally
from firmware_bridge.wiring import ReaderSpec
from misdeal.errors import NotARecordingError

FORMAT: Literal[1] = 1

_BEGIN = b'{"recording":'


class Header(Struct, frozen=True, kw_only=True):
    """The first line of a recording."""

    recording: Literal[1] = FORMAT
    version: str
    """The version of misdeal that made it."""
    family: str
    baud: int
    antennas: tuple[int, ...]
    is_asked: bool
    """Whether misdeal asked the reader; else it only listened."""
    is_masked: bool = False
    """Whether the tags are others than they were."""
    began: str
    """When, in UTC."""


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that happened: a line of a recording."""

    at_ns: int
    """Since the recording began."""
    kind: Literal["opened", "rx", "tx", "tick", "lost"]
    """The port was opened; bytes from the reader; bytes to it; a time that was waited for was
    noticed to be over, on a busy machine later than it was; the port was lost."""
    hex: str = ""
    why: str = ""
    is_unsealed: bool = False
    """Tags were masked in it and a checksum could not be made to fit: the frame reads as broken."""

    @property
    def data(self) -> bytes:
        """The bytes."""
        return bytes.fromhex(self.hex)


def is_recording(path: Path) -> bool:
    """Say whether a file begins as a recording does.

    Raises:
        OSError: If it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(_BEGIN)) == _BEGIN


def write_line(line: Header | Entry) -> bytes:
    """Write a line of a recording."""
    return msgspec.json.encode(line) + b"\n"


def read_header(line: bytes, *, file: str) -> Header:
    """Read the first line of a recording.

    Raises:
        NotARecordingError: If it is none that this version can read.
    """
    try:
        header = msgspec.json.decode(line, type=Header)
    except msgspec.DecodeError as error:
        raise NotARecordingError(file, 1, str(error)) from error
    if header.family not in FAMILIES:
        raise NotARecordingError(file, 1, f"no family {header.family} is known")
    return header


def read_entries(lines: Iterable[bytes], *, file: str) -> Iterator[Entry]:
    """Read the lines behind the header; a last line that was cut short ends it.

    Raises:
        NotARecordingError: At a line that is none.
    """
    decoder = msgspec.json.Decoder(Entry)
    for number, line in enumerate(lines, start=2):
        if not line.endswith(b"\n"):
            return
        try:
            entry = decoder.decode(line)
            bytes.fromhex(entry.hex)
        except (msgspec.DecodeError, ValueError) as error:
            raise NotARecordingError(file, number, str(error)) from error
        yield entry


# ---------------------------------------------------------------- asking
class Told(Struct, frozen=True, kw_only=True):
    """What follows from one happening."""

    write: bytes = b""
    polls: tuple[Poll, ...] = ()
    state: State | None = None
    """The new state, where it changed."""
    why: str = ""
    is_hopeless: bool = False


def spec_of(family: str, port: str, antennas: Sequence[int], baud: int | None) -> ReaderSpec:
    """Return the reader of a recording; its places are its antennas."""
    return ReaderSpec(
        name="recorded",
        port=port,
        family=family,
        antennas={number: Place(f"antenna:{number}") for number in antennas},
        baud=baud,
    )


class Conversation:
    """A reader that is asked antenna by antenna, as fast as it answers.

    Args:
        spec: The reader.
    """

    def __init__(self, spec: ReaderSpec) -> None:
        self._session = Session(spec, DIALECTS[spec.family](spec.options))
        self._turns = itertools.cycle(spec.antennas)

    @property
    def tally(self) -> Tally:
        """What was counted."""
        return self._session.tally

    @property
    def due_ns(self) -> int | None:
        """When ``advance`` has something to do, if nothing comes before; None for never."""
        return self._session.due_ns

    def open(self, now_ns: int) -> Told:
        """Begin a link."""
        return self._follow(self._session.open(now_ns), now_ns)

    def lose(self, why: str, now_ns: int) -> Told:
        """End a link."""
        return self._follow(self._session.lose(why, now_ns), now_ns)

    def receive(self, data: bytes, now_ns: int) -> Told:
        """Take bytes of the reader."""
        return self._follow(self._session.receive(data, now_ns), now_ns)

    def advance(self, now_ns: int) -> Told:
        """Let time pass."""
        return self._follow(self._session.advance(now_ns), now_ns)

    def _follow(self, step: Step, now_ns: int) -> Told:
        asking = Step()
        if self._session.is_idle:
            asking = self._session.ask(next(self._turns), now_ns)
        return Told(
            write=step.write + asking.write,
            polls=step.polls,
            state=asking.state or step.state,
            why=self._session.why,
            is_hopeless=step.is_hopeless,
        )


# ---------------------------------------------------------------- cutting
class Cutter:
    """Cuts one direction of a link into frames as the bridge would: silence ends what is open.

    Args:
        family: Who spoke.
        direction: ``rx`` for the reader, ``tx`` for the host.
    """

    def __init__(self, family: Family, direction: Direction) -> None:
        self._family = family
        self._direction: Direction = direction
        self._framer = Framer(family, direction)
        self._quiet_ns = 0

    def take(self, data: bytes, at_ns: int) -> list[Frame | Noise]:
        """Take bytes; return what they completed, and what silence before them ended."""
        found = self.flush() if at_ns >= self._quiet_ns else []
        self._quiet_ns = at_ns + QUIET_NS
        found += self._framer.feed(data)
        # What a host writes at one time is whole.
        return found + (self.flush() if self._direction == "tx" or not self._framer.held else [])

    def flush(self) -> list[Frame | Noise]:
        """Take it that nothing follows."""
        return self._framer.flush()
