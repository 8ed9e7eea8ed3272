"""What happened at a table: frozen, past-tense facts with their capture time.

Readers, cameras, operators and clocks all speak this vocabulary and nothing else, so a script,
a drill, a journal and a live table look the same to the engine. ``at_ns`` is the moment of
capture on the table's monotonic clock, in nanoseconds, not the moment of arrival.
"""

from typing import Literal

from msgspec import Struct

from engine.cards import Card, Place, Tag


class Event(
    Struct, frozen=True, kw_only=True, tag=True, tag_field="event", forbid_unknown_fields=True
):
    """Something that happened, and when."""

    at_ns: int


# ---------------------------------------------------------------- readers
class CardRead(Event, frozen=True, kw_only=True):
    """A confirmed tag came to a place, or proved again to be there after it was read elsewhere.

    The bridge tells it once for each arrival, however often the reader repeats the tag.
    """

    place: Place
    tag: Tag
    card: Card | None = None
    """The registered face; None where no register knows the tag."""
    pack: str | None = None
    """The name of the register that knows the tag."""


class CardGone(Event, frozen=True, kw_only=True):
    """A place that held a tag positively reports that the tag is no longer there."""

    place: Place
    tag: Tag


class PackCounted(Event, frozen=True, kw_only=True):
    """A count of the pack: an inventory of the pack pad, or a count by hand."""

    count: int
    is_complete: bool
    """True only where the reader vouches that it heard every tag."""
    tags: tuple[Tag, ...] | None = None
    """The tags heard, sorted; None for a count by hand."""


class DeviceFaulted(Event, frozen=True, kw_only=True):
    """A device stopped giving good answers."""

    device: str
    """``shoe``, ``seat:3``, ``board``, ``camera``, ``shuffler``, ``jackpot-meter`` ..."""
    reason: str = ""


class DeviceRestored(Event, frozen=True, kw_only=True):
    """A device that had faulted gives good answers again."""

    device: str


# ---------------------------------------------------------------- camera
class CardSighted(Event, frozen=True, kw_only=True):
    """A card lies face up; ``at_ns`` is the first frame that showed it."""

    place: Place
    card: Card | None = None
    """The face that was read; None where the card lies face up and could not be read."""
    tag: Tag | None = None
    """The tag at that very spot, where the camera's place holds one card alone."""


class CardLost(Event, frozen=True, kw_only=True):
    """The spot of a face-up card is seen without it: it was turned down or taken away."""

    place: Place
    card: Card | None = None


class BackSighted(Event, frozen=True, kw_only=True):
    """A face-down card came to lie at a place."""

    place: Place


class BackMarked(Event, frozen=True, kw_only=True):
    """The back of a card proves torn, discoloured or marked."""

    place: Place
    tag: Tag | None = None
    card: Card | None = None
    how: str = ""
    is_foreign: bool = False
    """Its design is not that of the pack in play: it is a card of another pack."""


class CutMade(Event, frozen=True, kw_only=True):
    """The pack was cut into two packets."""

    top: int
    bottom: int
    faces_up: tuple[Card, ...] = ()


# ---------------------------------------------------------------- people and their devices
class PackShuffled(Event, frozen=True, kw_only=True):
    """The pack was shuffled, or is about to be dealt without a shuffle."""

    is_done: bool = True


class CutRefused(Event, frozen=True, kw_only=True):
    """The cut was offered and declined, or was not offered."""

    was_offered: bool


class DealEnded(Event, frozen=True, kw_only=True):
    """The dealer takes the deal as complete."""


Action = Literal[
    "fold", "check", "call", "bet", "raise", "allin", "hit", "stand", "double", "split"
]


class ActionEntered(Event, frozen=True, kw_only=True):
    """A player acted on his hand."""

    seat: Place
    action: Action
    is_out_of_turn: bool = False


class ClaimMade(Event, frozen=True, kw_only=True):
    """A player claims that the deal must be made again."""

    claim: Literal["misdeal", "redeal"]
    seat: Place


class HandTouched(Event, frozen=True, kw_only=True):
    """A player touched his cards."""

    seat: Place


class HandLooked(Event, frozen=True, kw_only=True):
    """A player looked at his face-down cards."""

    seat: Place


Topic = Literal[
    "interfered", "found", "agree short", "ante", "no-ante", "tabled", "exposed", "substantial",
    "handled", "looked", "counted", "dismiss", "undo", "pack", "blind", "pot taken", "next hand",
    "sits", "leaves", "back", "level up", "break", "stub dropped", "bets closed", "button",
]  # fmt: skip


class Stated(Event, frozen=True, kw_only=True):
    """An operator's statement; ``engine/statements.py`` has its words."""

    topic: Topic
    seat: Place | None = None
    card: Card | None = None
    tag: Tag | None = None
    yes: bool | None = None
    by: Literal["dealer", "player"] | None = None
    number: int | None = None
    text: str = ""
    """A ruling's id, a reason, a pack's name."""


class Reported(Event, frozen=True, kw_only=True):
    """An operator calls an irregularity that no card sensor sees, by its clause."""

    clause: str
    place: Place | None = None
    amounts: dict[str, int] = {}
    """Chips, where the clause needs them: ``needed``, ``put``, ``limit``, ``minimum``."""


class Approved(Event, frozen=True, kw_only=True):
    """The inspector approves that play goes on."""

    by: str = ""


# ---------------------------------------------------------------- clock
class TimePassed(Event, frozen=True, kw_only=True):
    """The table's clock reached a moment; deadlines move with it and with nothing else."""


AnyEvent = (
    CardRead | CardGone | PackCounted | DeviceFaulted | DeviceRestored
    | CardSighted | CardLost | BackSighted | BackMarked | CutMade
    | PackShuffled | CutRefused | DealEnded | ActionEntered | ClaimMade
    | HandTouched | HandLooked | Stated | Reported | Approved | TimePassed
)  # fmt: skip
