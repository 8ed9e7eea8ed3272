"""What a dialect is: what is asked of a reader, in which order, and what the answers add up to.

A dialog is a generator: it yields a request, is sent the answer that fits it, and returns what it
found out. It knows no clock and no port; time-outs, noise and late answers are the session's.
"""

from collections.abc import Callable, Generator, Iterable
from typing import ClassVar, TypeVar

from msgspec import Struct

from engine.cards import Tag
from firmware_bridge.actuators import Output
from firmware_bridge.families.family import Family, Message

Found = TypeVar("Found")
Fits = Callable[[Message], bool]


class Request(Struct, frozen=True):
    """One command and what its answer looks like."""

    data: bytes
    """Empty to wait for one more answer to the command before."""
    fits: Fits
    """Whether a message can be the answer; where answers name no command, by their shape."""
    work_ms: int = 0
    """How long the reader may work on it; 0 for no longer than on anything else."""
    tries: int = 1
    """How often it may be sent; more than once only where its answer bears its number."""
    silence_ms: int | None = None
    """Silence for so long is an answer, too: ``SILENCE`` is sent to the dialog."""


MOST_LISTED = 512
"""Most tags that one inventory takes from a reader that names no bound: an eight-pack shoe's and
some spares (presence.MAX_TAGS). One that goes on for ever is not believed."""

SILENCE = Message(kind="notice", name="silence")


class Inventory(Struct, frozen=True):
    """What a reader heard at one antenna.

    Tags that answered prove that they are there. No tags prove something only where the
    inventory is complete: then that nothing is there.
    """

    tags: tuple[Tag, ...] = ()
    is_complete: bool = False
    is_good: bool = True
    """False where the antenna gave no good answer at all: an error, a collision."""
    is_unset: bool = False
    """True where the answer shows that the reader has lost its set-up."""
    codes: tuple[str, ...] = ()
    """What a shoe said of the cards that passed it, where it knows no tags but card codes."""


UNHEARD = Inventory(is_good=False)
UNSET = Inventory(is_good=False, is_unset=True)


class Greeting(Struct, frozen=True):
    """Who a reader says that it is."""

    names: tuple[str, ...] = ()
    flaw: str = ""
    """Why it cannot do its work, for people; empty where it can."""


class Overheard(Struct, frozen=True):
    """What a reader told of its own accord."""

    antenna: int
    found: Inventory


class Options(Struct, frozen=True):
    """What of a reader's wiring its dialect needs to know."""

    antennas: tuple[int, ...] = (1,)
    region: int | None = None
    has_multiplexer: bool = False


Dialog = Generator[Request, Message, Found]


class Dialect:
    """How readers of one family are talked to; one instance a reader, it may learn.

    A dialect that polls overrides ``inventory``; one that listens sets ``is_listening``, and turns
    what the reader tells unasked into reads.
    """

    family: ClassVar[Family]
    max_tags: ClassVar[int | None] = None
    """Most tags that one of its inventories can give; None for as many as one answer has."""
    reset: bytes = b""
    """The command that restarts the reader; empty where there is none."""
    reset_ms: ClassVar[int] = 0
    """How long a restarted reader is deaf."""
    gap_ms: ClassVar[int] = 0
    """The least time from an answer to the next command."""
    is_listening: ClassVar[bool] = False
    """Whether the reader is never asked for tags: it tells them."""
    quiet_ms: ClassVar[int | None] = None
    """How long a reader that tells may be quiet before it is set up again; None for ever."""
    has_identity: ClassVar[bool] = True
    """Whether the reader can say who it is."""
    reads_signatures: bool = False
    """Whether tags can be asked for their maker's signature through it."""
    has_outputs: ClassVar[bool] = False
    """Whether it has lamps, a buzzer or a gate."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.keep_alive_ms: int | None = None
        """How long the reader may be left without a command; None for ever."""

    def probe(self) -> Dialog[None]:
        """Ask what nothing else asks, so that the answer cannot be an older question's."""
        yield from ()

    def greet(self) -> Dialog[Greeting]:
        """Set the reader up; return who it is."""
        yield from ()
        return Greeting()

    def handshake(self) -> Dialog[Greeting]:
        """Probe, then set the reader up; return who it is."""
        yield from self.probe()
        return (yield from self.greet())

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Switch to an antenna and ask for its tags: one transaction."""
        del antenna
        yield from ()
        return UNHEARD

    def is_restart(self, message: Message) -> bool:
        """Say whether a reader says by a notice that it has lost its set-up."""
        del message
        return False

    def overhear(self, message: Message) -> Overheard | None:
        """Return what a notice tells of the tags at an antenna, if anything."""
        del message
        return None

    def acknowledge(self, message: Message) -> bytes:
        """Return what a notice must be answered with; empty for nothing."""
        del message
        return b""

    def read_signature(self, antenna: int, tag: Tag) -> Dialog[bytes]:
        """Ask a tag for its maker's signature; return it, or nothing where it gave none."""
        del antenna, tag
        yield from ()
        return b""

    def carry_out(self, output: Output) -> Dialog[str]:
        """Set an output; return why it was refused, nothing where it was done."""
        del output
        yield from ()
        return "it has no outputs"

    def keep_alive(self) -> Dialog[None]:
        """Say that the host is there."""
        yield from ()


def echo(*commands: int) -> Fits:
    """Return the test for an answer that names one of these commands."""
    wanted = frozenset(commands)
    return lambda message: message.kind == "answer" and message.echoes in wanted


def named(*names: str) -> Fits:
    """Return the test for an answer of one of these names, or for a refusal."""
    wanted = frozenset(names)
    return lambda message: (
        message.kind == "answer" and (message.name in wanted or message.status == "error")
    )


def is_done(answer: Message) -> bool:
    """Say whether a reader did what it was asked."""
    return answer.status != "error"


def found(uids: Iterable[str], *, is_complete: bool) -> Inventory:
    """Return what an inventory found; one that is not complete and has no tags says nothing."""
    tags = tuple(dict.fromkeys(map(Tag, uids)))
    return Inventory(tags, is_complete=is_complete, is_good=is_complete or bool(tags))


def text(data: bytes) -> str:
    """Return what a reader says of itself as text, without the zeros behind it."""
    return data.decode("ascii", "replace").rstrip("\x00").strip()
