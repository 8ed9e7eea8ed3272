"""What every reader family says of itself, and the values that its decoder gives."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

Direction = Literal["rx", "tx"]


class Frame(Struct, frozen=True, kw_only=True):
    """The bytes of one whole frame that passed its checks, and where it began in the stream."""

    offset: int
    data: bytes


class Noise(Struct, frozen=True, kw_only=True):
    """A run of bytes that is no frame."""

    offset: int
    length: int
    reason: Literal["noise", "checksum", "length", "truncated"]


class Message(Struct, frozen=True, kw_only=True):
    """What a frame says, in words that every family shares."""

    kind: Literal["command", "answer", "notice"]
    name: str
    status: Literal["ok", "empty", "partial", "error"] = "ok"
    is_complete: bool = True
    uids: tuple[str, ...] = ()
    """Canonical: upper-case hex, most significant byte first."""
    error: str | None = None
    echoes: int | None = None
    """The command that an answer names; None where the family's answers name none."""
    data: bytes = b""
    """The payload after the header, for whoever needs more than the shared words."""


class Measure(Struct, frozen=True, kw_only=True):
    """What stands at the head of a buffer: a whole frame, the start of one, or none."""

    length: int = 0
    """Bytes of the whole frame; 0 where there is none (yet)."""
    needs_more: bool = False
    fault: Literal["noise", "checksum", "length"] | None = None


class Family(Struct, frozen=True, kw_only=True):
    """What a reader family can do, how it frames its bytes and how it says what it read."""

    name: str
    baud: int
    parity: Literal["N", "E", "O"] = "N"
    antennas: int
    max_tags: int
    """Most tags that one inventory can give; what lies beyond it rests on other evidence."""
    knows_complete: bool
    """Whether the family says that an inventory heard every tag."""
    uid_order: Literal["msb", "lsb", "learned"]
    """The byte order on the wire; ``learned`` where no public bytes show it."""
    identity: str
    """How a reader of this family identifies itself, for people."""
    timeout_ms: int
    max_frame: int
    measure: Callable[[bytes, Direction], Measure]
    """Judges the head of a buffer; pure, cheap, never raises."""
    decode: Callable[[bytes, Direction], Message]
    """Reads one whole frame; pure, never raises on a frame that ``measure`` accepted."""
