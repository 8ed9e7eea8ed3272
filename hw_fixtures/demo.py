"""The demo's dealer: hands without end, clean and irregular in turn."""

import random
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from engine.cards import Pack, Place, seat_place
from engine.setup import Game
from hw_fixtures.camera import watch
from hw_fixtures.dealing import Pace, Table, perform
from hw_fixtures.errors import TooFewSeatsError
from hw_fixtures.hands import Hand, clean_hands, new_hand
from hw_fixtures.packs import demo_packs
from hw_fixtures.timeline import Irregularity, Timeline
from hw_fixtures.upsets import irregularity_at, reaches_flop, regular, upset

NINE_HANDED: tuple[Place, ...] = tuple(seat_place(number) for number in range(1, 10))

# A deal that begins one seat too far and a seat that is passed over need others beside them.
MIN_SEATS = 3

# What the TDA text makes a misdeal, so that the same hand is dealt once more (rule 35 A and C).
MISDEALS: frozenset[Irregularity] = frozenset({"exposed", "count", "skipped", "misplaced"})

# What takes the pack out of play (rule 35 E).
FOULED: frozenset[Irregularity] = frozenset({"duplicate", "fouled"})


class DemoDealer:
    """Deals hold'em, hand after hand; iterate it for timelines.

    Each timeline begins and ends with the whole pack on its pad. After a misdeal the same hand
    comes again, from the same button; after a fouled deck the other pack is taken.

    Args:
        seed: Settles everything that happens.
        seats: Who plays, clockwise.
        packs: The two packs; left out, ``demo_packs(seed)``.
        actions: Whether somebody enters what the players do.
        pace: How fast the dealer works.

    Raises:
        TooFewSeatsError: If there are fewer than three seats.
    """

    def __init__(
        self,
        seed: int,
        seats: Sequence[Place] = NINE_HANDED,
        *,
        packs: tuple[Pack, Pack] | None = None,
        actions: Literal["entered", "none"] = "entered",
        pace: Pace | None = None,
    ) -> None:
        if len(seats) < MIN_SEATS:
            raise TooFewSeatsError(len(seats), MIN_SEATS)
        self.seats = tuple(seats)
        self.packs = packs or demo_packs(seed)
        """The two packs, the one that is dealt next first."""
        self.button = self.seats[-1]
        """The button of the next hand; a controller that knows better may set it."""
        self._seed = seed
        self._rng = random.Random(f"dealer {seed}")
        self._actions = actions
        self._pace = pace or Pace()
        self._hand_no = 0
        self._is_replay = False
        self._on_pad: Pack | None = None

    def __iter__(self) -> Iterator[Timeline]:
        return self

    def __next__(self) -> Timeline:
        if not self._is_replay:
            self._hand_no += 1
        kind = None if self._is_replay else irregularity_at(self._hand_no, self._seed)
        pack = self.packs[0]
        hand = self._decide(pack, kind)
        course = regular(hand) if kind is None else upset(hand, kind, pack, self._rng)
        table = perform(course, pack, on_pad=self._on_pad, pace=self._pace, actions=self._actions)
        timeline = as_timeline(table, hand, pack, number=self._hand_no)
        timeline = replace(timeline, irregularity=kind, is_replay=self._is_replay)
        self._on_pad = pack
        self._is_replay = kind in MISDEALS
        if kind in FOULED:
            self.packs = self.packs[::-1]
        if not self._is_replay:
            self.button = hand.order[0]
        return timeline

    def _decide(self, pack: Pack, kind: Irregularity | None) -> Hand:
        while True:
            hand = new_hand(self._rng, pack, self.seats, self.button, game="holdem")
            if kind != "fouled" or reaches_flop(hand):
                return hand


def clean_timelines(
    seed: int, game: Game = "holdem", *, actions: Literal["entered", "none"] = "entered"
) -> Iterator[Timeline]:
    """Yield random clean hands without end, each at a table and with a pack of its own."""
    for number, (hand, pack) in enumerate(clean_hands(seed, game), start=1):
        table = perform(regular(hand), pack, on_pad=pack, pace=Pace(), actions=actions)
        yield as_timeline(table, hand, pack, number=number)


def as_timeline(table: Table, hand: Hand, pack: Pack, *, number: int) -> Timeline:
    """Return what happened at a table, with what the camera saw of it, in order of time."""
    sights = watch(table.steps, table.faces)
    return Timeline(
        number=number,
        game=hand.game,
        button=hand.button,
        seats=hand.seats,
        pack=pack,
        steps=tuple(sorted([*table.steps, *sights], key=lambda step: step.at_s)),
        faces=table.faces,
        length_s=table.at_s,
    )
