"""How a table is set up before its first event: seats, packs, sensors and habits of the house."""

from typing import Literal

from msgspec import Struct

from engine.cards import Pack, Place

Game = Literal[
    "holdem", "omaha", "shortdeck", "stud7", "draw5", "lowball27",
    "caribbean-stud", "three-card", "baccarat", "blackjack",
]  # fmt: skip


class TableSetup(Struct, frozen=True, kw_only=True):
    """Everything that holds before the first event; the key names are those of a table script."""

    game: Game
    seats: tuple[Place, ...]
    """Seats (in casino games: areas) entitled to a hand, clockwise; baccarat: none."""
    tableseats: tuple[Place, ...] = ()
    button: Place | None = None
    dealer: Place | None = None
    due_dealer: Place | None = None
    absent: frozenset[Place] = frozenset()
    penalty: dict[Place, int] = {}
    decks: int = 1
    actions: Literal["entered", "none"] = "entered"
    prepared: bool = True
    """The pack is taken as shuffled, cut and complete before the first event."""
    hands: Literal["entered", "inferred"] = "entered"
    """Whether ``say next hand`` is waited for, or the return of all cards means it."""
    packs: tuple[Pack, ...] = ()
    """Registered packs; the first is in play until it is said otherwise."""
    readers: frozenset[Place] = frozenset()
    """Places that have a reader; a place without one is followed from the deal plan."""
    has_camera: bool = True
    window_ns: int = 400_000_000
    """How far apart two sensors may report one happening."""
