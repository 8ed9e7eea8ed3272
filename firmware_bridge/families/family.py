"""What every reader family says of itself, and the values that its decoder gives."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

Direction = Literal["rx", "tx"]
Kind = Literal["command", "answer", "notice"]
Status = Literal["ok", "empty", "partial", "error"]


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

    kind: Kind
    name: str
    status: Status = "ok"
    is_complete: bool = True
    uids: tuple[str, ...] = ()
    """Canonical: upper-case hex, most significant byte first."""
    error: str | None = None
    echoes: int | None = None
    """The command that an answer names; None where the family's answers name none."""
    code: int | None = None
    """The status in the family's own numbers, where it has any."""
    data: bytes = b""
    """The payload after the header, for whoever needs more than the shared words."""


class Measure(Struct, frozen=True, kw_only=True):
    """What stands at the head of a buffer: a whole frame, the start of one, or none.

    A verdict without ``needs_more`` holds whatever bytes follow: so frames do not depend on how
    the stream was cut.
    """

    length: int = 0
    """Bytes of the whole frame; 0 where there is none (yet)."""
    needs_more: bool = False
    """More bytes decide. Together with a ``length``: a frame already, if nothing more comes."""
    fault: Literal["noise", "checksum", "length"] | None = None


NEEDS_MORE = Measure(needs_more=True)
NOT_A_HEAD = Measure(fault="noise")
BAD_CHECKSUM = Measure(fault="checksum")
BAD_LENGTH = Measure(fault="length")


def judged(head: bytes, length: int, is_sound: Callable[[bytes], bool]) -> Measure:
    """Judge a head whose header claims a frame of ``length`` bytes and is credible itself."""
    if len(head) < length:
        return NEEDS_MORE
    return Measure(length=length) if is_sound(head[:length]) else BAD_CHECKSUM


def failed(
    name: str,
    error: str,
    *,
    kind: Kind = "answer",
    echoes: int | None = None,
    code: int | None = None,
    data: bytes = b"",
) -> Message:
    """Return a message that says that something went wrong: no cards, and no word of absence."""
    return Message(
        kind=kind,
        name=name,
        status="error",
        is_complete=False,
        error=error,
        echoes=echoes,
        code=code,
        data=data,
    )


def uid_msb(raw: bytes) -> str:
    """Return the canonical form of a UID that the wire carries most significant byte first."""
    return raw.hex().upper()


def uid_lsb(raw: bytes) -> str:
    """Return the canonical form of a UID that the wire carries least significant byte first."""
    return raw[::-1].hex().upper()


def uid_learned(raw: bytes) -> str:
    """Return the canonical form of a UID whose order no public bytes show.

    An ISO 15693 UID has eight bytes and ``E0`` for its most significant: where only the last byte
    is ``E0``, the wire carries it last byte first. Every other UID is taken as it stands.
    """
    is_reversed = len(raw) == 8 and raw[-1] == 0xE0 != raw[0]
    return uid_lsb(raw) if is_reversed else uid_msb(raw)


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
    """Most bytes of one frame; more is refused as an absurd length and never buffered."""
    reads_to_trust: int = 1
    """Equal reads before a new tag counts; 2 where the wire has no checksum, or a weak one."""
    measure: Callable[[bytes, Direction], Measure]
    """Judges the head of a buffer of 1 to ``max_frame`` bytes; pure, cheap, never raises."""
    decode: Callable[[bytes, Direction], Message]
    """Reads one whole frame; pure, never raises on a frame that ``measure`` accepted."""
