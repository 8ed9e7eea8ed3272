"""Random legal hands of poker: who sits where, how the cards lie, who does what.

This knows nothing of sensors and nothing of the engine's deal plans: a hand made here is legal by
the tables of this file alone.
"""

import random
from collections import deque
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import FULL_PACK, Card, Pack, Place, TaggedCard, seat_place
from engine.events import Action
from engine.setup import Game
from hw_fixtures.packs import make_pack, own_cards

# Raises on one street after which nobody raises any more, so that hands end.
MAX_RAISES = 3


class Rules(Struct, frozen=True, kw_only=True):
    """What a game needs to be dealt."""

    game: Game
    faces: tuple[Card, ...] = FULL_PACK
    hand_cards: int
    """Cards of the initial deal, all face down, one at a time."""
    streets: tuple[int, ...]
    """Board cards of each later street; a card is burnt before each."""


RULES: dict[Game, Rules] = {
    rules.game: rules
    for rules in (
        Rules(game="holdem", hand_cards=2, streets=(3, 1, 1)),
        Rules(game="omaha", hand_cards=4, streets=(3, 1, 1)),
        Rules(
            game="shortdeck",
            faces=tuple(card for card in FULL_PACK if card[0] not in "2345"),
            hand_cards=2,
            streets=(3, 1, 1),
        ),
    )
}
"""The games that can be dealt, by the names that scripts use."""


class Deed(Struct, frozen=True):
    """A betting action."""

    seat: Place
    action: Action


class Hand(Struct, frozen=True, kw_only=True):
    """A hand, decided before it is dealt."""

    game: Game
    seats: tuple[Place, ...]
    """The seats that are dealt in, clockwise."""
    button: Place
    cards: tuple[TaggedCard, ...]
    """The shuffled pack, the first card to be dealt first."""
    betting: tuple[tuple[Deed, ...], ...]
    """Street by street, the initial deal first; empty where nobody can bet any more."""
    showdown: tuple[Place, ...] = ()
    """Who tables his hand, in order; nobody where the pot is taken without."""
    is_tabled_early: bool = False
    """All in: the hands are tabled before the rest of the board comes."""

    @property
    def order(self) -> tuple[Place, ...]:
        """The seats in the order of the deal, the button last."""
        after = self.seats.index(self.button) + 1
        return self.seats[after:] + self.seats[:after]


def clean_hands(seed: int, game: Game = "holdem") -> Iterator[tuple[Hand, Pack]]:
    """Yield random legal hands without end, each with the pack that it is dealt from.

    Two to ten seats with gaps between them, any button; folds, raises, all-ins, checked-down
    boards, walks, with a showdown or without.
    """
    rng = random.Random(f"hands {game} {seed}")
    rules = RULES[game]
    while True:
        numbers = rng.sample(range(1, 11), rng.randint(2, 10))
        seats = tuple(seat_place(number) for number in sorted(numbers))
        pack = make_pack("red", rules.faces, rng)
        yield new_hand(rng, pack, seats, rng.choice(seats), game=game), pack


def new_hand(
    rng: random.Random, pack: Pack, seats: tuple[Place, ...], button: Place, *, game: Game
) -> Hand:
    """Shuffle the pack and decide what the players do."""
    cards = list(own_cards(pack))
    rng.shuffle(cards)
    hand = Hand(game=game, seats=seats, button=button, cards=tuple(cards), betting=())
    return _decide(rng, hand, RULES[game])


def live_seats(hand: Hand, until: int | None = None) -> tuple[Place, ...]:
    """Return who has not folded after the first ``until`` streets, in the order of the deal."""
    folded = {
        deed.seat for street in hand.betting[:until] for deed in street if deed.action == "fold"
    }
    return tuple(seat for seat in hand.order if seat not in folded)


class _Betting:
    """The betting of one hand while it is decided."""

    def __init__(self, rng: random.Random, order: Sequence[Place]) -> None:
        self._rng = rng
        self.live = list(order)
        self.able = set(order)
        """Live and not all in."""

    def street(self, order: Sequence[Place], big_blind: Place | None = None) -> tuple[Deed, ...]:
        """Decide one street; before the flop all but the big blind face a bet from the start."""
        deeds: list[Deed] = []
        waiting = deque(seat for seat in order if seat in self.able)
        raises = 0
        while waiting and len(self.live) > 1:
            seat = waiting.popleft()
            is_facing = raises > 0 or (big_blind is not None and seat != big_blind)
            others = self.able - {seat}
            if not others and not is_facing:
                break
            action = self._choose(is_facing, bool(others) and raises < MAX_RAISES)
            if action == "bet" and big_blind is not None:
                action = "raise"
            deeds.append(Deed(seat, action))
            self._note(seat, action)
            if action in {"bet", "raise", "allin"}:
                raises += 1
                after = order.index(seat) + 1
                circle = [*order[after:], *order[:after]]
                waiting = deque(other for other in circle if other in others)
        return tuple(deeds)

    def _choose(self, is_facing: bool, may_raise: bool) -> Action:
        choices: dict[Action, int] = {"fold": 45, "call": 40} if is_facing else {"check": 65}
        if may_raise:
            choices |= {"raise": 10, "allin": 5} if is_facing else {"bet": 30, "allin": 5}
        return self._rng.choices(list(choices), list(choices.values()))[0]

    def _note(self, seat: Place, action: Action) -> None:
        if action == "fold":
            self.live.remove(seat)
        if action in {"fold", "allin"}:
            self.able.discard(seat)


def _decide(rng: random.Random, hand: Hand, rules: Rules) -> Hand:
    order = hand.order
    betting = _Betting(rng, order)
    # The small blind sits left of the button; heads-up the button is the small blind.
    first = 1 if len(order) == 2 else 2
    streets = [betting.street(order[first:] + order[:first], order[first - 1])]
    is_all_in = False
    for _ in rules.streets:
        if len(betting.live) > 1:
            is_all_in = is_all_in or len(betting.able) < 2
            streets.append(betting.street(order))
    live = tuple(seat for seat in order if seat in betting.live)
    is_tabled_early = len(live) > 1 and is_all_in and rng.random() < 0.5
    winner = rng.choice(live)
    tabled = tuple(seat for seat in live if is_tabled_early or seat == winner or rng.random() < 0.7)
    return replace(
        hand,
        betting=tuple(streets),
        showdown=tabled if len(live) > 1 else (),
        is_tabled_early=is_tabled_early,
    )
