"""Random hands are legal: the deal, the order of betting, who may do what, who shows."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import Place, seat_place
from engine.setup import Game
from hw_fixtures.hands import RULES, Deed, Hand, clean_hands, live_seats

GAMES: list[Game] = ["holdem", "omaha", "shortdeck"]


def hands(seed: int, game: Game, count: int = 20) -> list[Hand]:
    return [hand for hand, _ in itertools.islice(clean_hands(seed, game), count)]


def seats(*numbers: int) -> tuple[Place, ...]:
    return tuple(map(seat_place, numbers))


FACING = {"fold", "call", "raise", "allin"}


class Referee:
    """Watches the betting of a hand by the plain rules of the game; notes every breach."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.live = set(hand.order)
        self.able = set(hand.order)
        self.circle = hand.order
        self.waiting: list[Place] = []
        self.owing: set[Place] = set()
        self.has_bet = False
        self.faults: list[str] = []

    def open_street(self, number: int) -> None:
        order = self.hand.order
        first = 1 if len(order) == 2 else 2
        start = 0 if number else first
        self.circle = order[start:] + order[:start]
        self.waiting = [seat for seat in self.circle if seat in self.able]
        self.has_bet = number == 0
        self.owing = set() if number else self.able - {order[first - 1]}

    def take(self, deed: Deed) -> None:
        self.note(not self.waiting or deed.seat != self.waiting.pop(0), f"{deed} out of turn")
        is_alone = not self.able - {deed.seat} and deed.seat not in self.owing
        self.note(is_alone, f"{deed}, but nobody is left to bet against")
        free = {"check", "raise", "allin"} if self.has_bet else {"check", "bet", "allin"}
        allowed = FACING if deed.seat in self.owing else free
        self.note(deed.action not in allowed, f"{deed} may not")
        self.owing.discard(deed.seat)
        if deed.action in {"fold", "allin"}:
            self.able.discard(deed.seat)
        if deed.action == "fold":
            self.live.discard(deed.seat)
        if deed.action in {"bet", "raise", "allin"}:
            self.has_bet = True
            at = self.circle.index(deed.seat) + 1
            others = self.able - {deed.seat}
            self.waiting = [s for s in self.circle[at:] + self.circle[:at] if s in others]
            self.owing = set(others)

    def close_street(self) -> None:
        is_open = len(self.live) > 1 and bool(self.waiting)
        self.note(is_open and bool(self.owing), "somebody still owes an answer")
        self.note(is_open and len(self.able) > 1, "somebody has not acted")

    def close_hand(self) -> None:
        hand, is_contested = self.hand, len(self.live) > 1
        streets = len(RULES[hand.game].streets) + 1
        self.note(is_contested and len(hand.betting) != streets, "the board was not dealt out")
        self.note(is_contested != bool(hand.showdown), "shown against nobody, or not at all")
        self.note(not set(hand.showdown) <= self.live, "a folded hand was shown")

    def note(self, is_fault: bool, fault: str) -> None:
        if is_fault:
            self.faults.append(fault)


def faults_of(hand: Hand) -> list[str]:
    referee = Referee(hand)
    for number, deeds in enumerate(hand.betting):
        referee.open_street(number)
        for deed in deeds:
            referee.take(deed)
        referee.close_street()
    referee.close_hand()
    return referee.faults


@pytest.mark.parametrize("game", GAMES)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_every_hand_is_bet_by_the_rules(game: Game, seed: int) -> None:
    assert [fault for hand in hands(seed, game) for fault in faults_of(hand)] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_is_dealt_from_a_whole_pack_of_its_game(game: Game) -> None:
    for hand, pack in itertools.islice(clean_hands(1, game), 20):
        assert sorted(card.card for card in hand.cards) == sorted(RULES[game].faces)
        assert {card.tag for card in hand.cards} == pack.own_tags()


def test_the_same_seed_gives_the_same_hands_and_another_others() -> None:
    assert hands(7, "holdem") == hands(7, "holdem")
    assert hands(7, "holdem") != hands(8, "holdem")


def test_hands_of_every_kind_occur() -> None:
    some = hands(1, "holdem", 300)
    assert {len(hand.seats) for hand in some} == set(range(2, 11))
    walks = [
        hand
        for hand in some
        if len(hand.betting) == 1 and {deed.action for deed in hand.betting[0]} == {"fold"}
    ]
    assert walks
    assert {len(hand.betting) for hand in some} == {1, 2, 3, 4}
    assert any(hand.is_tabled_early for hand in some)
    assert any(len(hand.showdown) < len(live_seats(hand)) for hand in some if hand.showdown)
    assert any(seat_gaps(hand) for hand in some)
    actions = {deed.action for hand in some for street in hand.betting for deed in street}
    assert actions == {"fold", "check", "call", "bet", "raise", "allin"}


def seat_gaps(hand: Hand) -> bool:
    numbers = [int(seat[1:]) for seat in hand.seats]
    return numbers[-1] - numbers[0] >= len(numbers)


@pytest.mark.parametrize(
    ("players", "button", "order"),
    [
        ((1, 4, 9), 9, (1, 4, 9)),
        ((1, 4, 9), 4, (9, 1, 4)),
        ((2, 8), 2, (8, 2)),
    ],
)
def test_the_deal_begins_left_of_the_button(
    players: tuple[int, ...], button: int, order: tuple[int, ...]
) -> None:
    hand = Hand(
        game="holdem", seats=seats(*players), button=seat_place(button), cards=(), betting=()
    )
    assert hand.order == seats(*order)


def test_who_folded_is_no_longer_live() -> None:
    one, two, three = seats(1, 2, 3)
    hand = Hand(
        game="holdem",
        seats=(one, two, three),
        button=three,
        cards=(),
        betting=((Deed(three, "fold"), Deed(one, "call")), (Deed(one, "fold"),)),
    )
    assert live_seats(hand) == (two,)
    assert live_seats(hand, until=1) == (one, two)
