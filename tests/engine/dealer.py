"""A dealer and his table: the layout of each game, the deeds of a hand, a round of betting."""

import random
from collections import deque
from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from engine.cards import DEALER, FULL_PACK, MUCK, Card, Pack, Place
from engine.setup import Game, TableSetup
from engine.statements import parse_statement
from tests.engine.deeds import (
    FULL,
    MS,
    AnyDeed,
    Carried,
    Dealt,
    Gathered,
    Physical,
    Sensed,
    Sensors,
    Told,
    Turned,
    sense,
)

S = 1_000_000_000
SHORT_PACK = tuple(card for card in FULL_PACK if card[0] not in "2345")
MOST_RAISES = 2


class Layout(Struct, frozen=True, kw_only=True):
    """What a game needs to be dealt."""

    cards: int
    """Cards that the initial deal gives to each hand."""
    most_seats: int
    faces: tuple[Card, ...] = FULL_PACK
    up: str = ""
    """For each card of a player's hand ``u`` or ``d``; beyond its end all lie down."""
    dealer_up: str = ""
    streets: tuple[int, ...] = ()
    decks: tuple[int, ...] = (1,)
    is_banked: bool = False
    rulebook: str = "tda-2024"


LAYOUTS: dict[Game, Layout] = {
    "holdem": Layout(cards=2, most_seats=10, streets=(3, 1, 1)),
    "omaha": Layout(cards=4, most_seats=9, streets=(3, 1, 1)),
    "shortdeck": Layout(cards=2, most_seats=9, streets=(3, 1, 1), faces=SHORT_PACK),
    "stud7": Layout(cards=3, most_seats=6, streets=(1, 1, 1, 1), up="dduuuud"),
    "draw5": Layout(cards=5, most_seats=5, rulebook="laws-of-poker"),
    "lowball27": Layout(cards=5, most_seats=5),
    "caribbean-stud": Layout(
        cards=5, most_seats=7, dealer_up="ddddu", is_banked=True, rulebook="nsw-caribbean-stud"
    ),
    "three-card": Layout(cards=3, most_seats=7, is_banked=True, rulebook="qld-three-card"),
    "baccarat": Layout(
        cards=2, most_seats=0, decks=(6, 8), up="uuu", is_banked=True, rulebook="pa-baccarat"
    ),
    "blackjack": Layout(
        cards=2, most_seats=7, decks=(1, 2, 6, 8), up="u" * 22, dealer_up="ud" + "u" * 20,
        is_banked=True, rulebook="south-dakota-blackjack",
    ),
}  # fmt: skip
GAMES: tuple[Game, ...] = tuple(LAYOUTS)

Entries = Literal["all", "none"]


class Deal(Struct, frozen=True, kw_only=True):
    """One hand: how the table is set up, and what happens."""

    setup: TableSetup
    deeds: tuple[AnyDeed, ...]
    initial: tuple[int, ...] = ()
    """Which deeds are the cards of the initial deal."""
    stub: tuple[Physical, ...] = ()
    """The rest of the pack, the next card first."""
    dealt_by: Literal["house", "players"] = "house"
    rulebook: str = ""

    def sensed(self, sensors: Sensors = FULL, seed: int = 0) -> Sensed:
        """Return what a set of sensors tells of it."""
        own = self.setup.packs[0].own_tags()
        return sense(self.deeds, sensors, own=own, decks=self.setup.decks, seed=seed)

    def watched_by(self, sensors: Sensors) -> TableSetup:
        """Return the set-up of a table with these sensors."""
        fields = {name: getattr(self.setup, name) for name in self.setup.__struct_fields__}
        fields |= {"readers": sensors.readers, "has_camera": sensors.has_camera}
        return TableSetup(**fields)


def shuffled(pack: Pack, rng: random.Random) -> list[Physical]:
    """Return the cards that make a pack whole, in random order."""
    cards = [Physical(line.tag, line.card) for line in pack.cards if not line.spare]
    rng.shuffle(cards)
    return cards


class Dealer:
    """Deals a hand and notes each deed; who is told what depends on ``entries``."""

    def __init__(self, game: Game, rng: random.Random, *, entries: Entries, setup: Any) -> None:
        self.rng = rng
        self.layout = LAYOUTS[game]
        self.setup = setup
        self.deeds: list[AnyDeed] = []
        self.initial: list[int] = []
        self.at_ns = S
        self.is_entered = entries == "all"
        self.stub: list[Physical] = []
        self.hands: dict[Place, list[Physical]] = {}

    def wait(self, least_ms: int, most_ms: int) -> None:
        self.at_ns += self.rng.randint(least_ms, most_ms) * MS

    def tell(self, text: str) -> None:
        """Say something to the operator, where there is one."""
        if self.is_entered:
            self.wait(500, 2000)
            event = parse_statement(text, self.at_ns)
            self.deeds.append(Told(at_ns=self.at_ns, event=event))

    def deal(self, place: Place, *, is_up: bool = False) -> Physical:
        """Deal the next card of the shoe."""
        self.wait(150, 700)
        card = self.stub.pop(0)
        self.deeds.append(Dealt(at_ns=self.at_ns, card=card, place=place, is_up=is_up))
        self.hands.setdefault(place, []).append(card)
        return card

    def deal_hand(self, place: Place) -> Physical:
        """Deal a card to a hand as the game's schedule has it."""
        faces = self.layout.dealer_up if place == DEALER else self.layout.up
        nth = len(self.hands.get(place, ()))
        return self.deal(place, is_up=faces[nth : nth + 1] == "u")

    def deal_rounds(self, order: Sequence[Place]) -> None:
        """Make the initial deal."""
        for _ in range(self.layout.cards):
            for place in order:
                self.initial.append(len(self.deeds))
                self.deal_hand(place)
        self.wait(500, 1500)

    def carry(self, card: Physical, source: Place, target: Place) -> None:
        self.wait(20, 200)
        self.hands[source].remove(card)
        self.deeds.append(Carried(at_ns=self.at_ns, card=card, place=target))

    def give_up(self, place: Place, target: Place = MUCK) -> None:
        """Carry a whole hand to the discards."""
        self.wait(300, 900)
        for card in tuple(self.hands[place]):
            self.carry(card, place, target)
        self.wait(500, 1000)

    def turn_up(self, place: Place) -> None:
        """Turn a hand face up."""
        self.wait(500, 1000)
        for card in self.hands.get(place, ()):
            self.deeds.append(Turned(at_ns=self.at_ns, card=card))

    def gather(self) -> None:
        """Take all cards back."""
        self.wait(1500, 3000)
        self.deeds.append(Gathered(at_ns=self.at_ns))
        self.wait(2000, 3000)
        if self.setup.hands == "entered":
            self.tell("say next hand")


# ---------------------------------------------------------------- betting
class Betting:
    """Who is in, who can still bet, and the actions of one street after another."""

    def __init__(self, dealer: Dealer, order: Sequence[Place]) -> None:
        self._dealer = dealer
        self._rng = dealer.rng
        self.order = list(order)
        self.live = list(order)
        self.able = set(order)

    def street(self, *, is_open: bool, start: int = 0) -> None:
        """Play a round of betting until nobody has to act any more."""
        circle = [*self.order[start:], *self.order[:start]]
        waiting = deque(seat for seat in circle if seat in self.able)
        raises = 0
        if len(self.able) < 2 and not is_open:
            return
        while waiting and len(self.live) > 1:
            seat = waiting.popleft()
            action = self._choose(is_open, raises)
            self._dealer.tell(f"act {seat} {action}")
            self._note(seat, action)
            if action in ("bet", "raise", "allin"):
                raises, is_open = raises + 1, True
                after = circle.index(seat) + 1
                others = [*circle[after:], *circle[: after - 1]]
                waiting = deque(other for other in others if other in self.able)

    def _choose(self, is_open: bool, raises: int) -> str:
        weights = {"fold": 35, "call": 45} if is_open else {"check": 65}
        if raises < MOST_RAISES:
            weights |= {"raise": 12, "allin": 8} if is_open else {"bet": 28, "allin": 7}
        return self._rng.choices(list(weights), list(weights.values()))[0]

    def _note(self, seat: Place, action: str) -> None:
        if action == "fold":
            self.live.remove(seat)
            self._dealer.give_up(seat)
        if action in ("fold", "allin"):
            self.able.discard(seat)
