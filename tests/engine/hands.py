"""Random legal hands of every game, decided by the tables of this file alone.

``clean_deal`` gives a hand as deeds, ``clean_hand`` as the events of a full set of sensors.
Nothing here asks the engine what comes next.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from engine.cards import BOARD, BURN, DEALER, MUCK, RACK, Place
from engine.events import AnyEvent
from engine.setup import Game, TableSetup
from tests.engine.dealer import LAYOUTS, Betting, Deal, Dealer, Entries, S, shuffled
from tests.engine.deeds import (
    FULL,
    Physical,
)
from tests.engine.felt import packs, seats


# ---------------------------------------------------------------- showdowns
def _showdown(dealer: Dealer, betting: Betting) -> None:
    """Turn the live hands over, or muck what cannot win, and take the pot."""
    rng = dealer.rng
    if len(betting.live) > 1:
        shown = [seat for seat in betting.live if rng.random() < 0.7] or betting.live[:1]
        for seat in shown:
            if rng.random() < 0.5:
                dealer.tell(f"say tabled {seat}")
            dealer.turn_up(seat)
        for seat in betting.live:
            if seat not in shown:
                dealer.give_up(seat)
    dealer.wait(1000, 2000)
    dealer.tell("say pot taken")


def _kill(dealer: Dealer, betting: Betting) -> None:
    """Kill the hands of those who are away or on penalty."""
    away = {*dealer.setup.absent, *dealer.setup.penalty}
    for seat in tuple(betting.order):
        if seat in away:
            dealer.give_up(seat)
            betting.live.remove(seat)
            betting.able.discard(seat)


def _after_button(setup: TableSetup, button: Place) -> tuple[Place, ...]:
    at = setup.seats.index(button) + 1
    return setup.seats[at:] + setup.seats[:at]


# ---------------------------------------------------------------- poker
def _flop_game(dealer: Dealer) -> None:
    order = _after_button(dealer.setup, dealer.setup.button)
    dealer.deal_rounds(order)
    if dealer.rng.random() < 0.3:
        dealer.tell("deal ends")
    betting = Betting(dealer, order)
    _kill(dealer, betting)
    betting.street(is_open=True, start=2 % len(order) if len(order) > 2 else 1)
    for cards in dealer.layout.streets:
        if len(betting.live) < 2:
            break
        dealer.wait(600, 1500)
        dealer.deal(BURN)
        for _ in range(cards):
            dealer.deal(BOARD, is_up=True)
        dealer.wait(600, 1500)
        betting.street(is_open=False)
    _showdown(dealer, betting)


def _stud(dealer: Dealer) -> None:
    order = _after_button(dealer.setup, dealer.setup.button)
    dealer.deal_rounds(order)
    betting = Betting(dealer, order)
    _kill(dealer, betting)
    betting.street(is_open=False)
    for _ in dealer.layout.streets:
        if len(betting.live) < 2:
            break
        dealer.wait(600, 1500)
        dealer.deal(BURN)
        for seat in tuple(betting.live):
            dealer.deal_hand(seat)
        dealer.wait(600, 1500)
        betting.street(is_open=False, start=dealer.rng.randrange(len(order)))
    _showdown(dealer, betting)


def _draw(dealer: Dealer) -> None:
    order = _after_button(dealer.setup, dealer.setup.dealer)
    dealer.deal_rounds(order)
    betting = Betting(dealer, order)
    _kill(dealer, betting)
    betting.street(is_open=False)
    if len(betting.live) > 1:
        for seat in tuple(betting.live):
            exchange(dealer, seat, min(dealer.rng.choice((0, 0, 1, 1, 2, 3, 3, 5)), 5))
        dealer.wait(600, 1500)
        betting.street(is_open=False)
    _showdown(dealer, betting)


def exchange(dealer: Dealer, seat: Place, number: int) -> None:
    """Let a player give up some cards and draw as many."""
    dealer.wait(600, 1500)
    if number > len(dealer.stub):
        return
    for card in dealer.rng.sample(dealer.hands[seat], number):
        dealer.carry(card, seat, MUCK)
    dealer.wait(500, 1000)
    for _ in range(number):
        dealer.deal(seat)
    dealer.wait(500, 1000)


# ---------------------------------------------------------------- against the house
def _house_poker(dealer: Dealer) -> None:
    areas = dealer.setup.seats
    dealer.tell("say bets closed")
    dealer.deal_rounds((*areas, DEALER))
    if dealer.rng.random() < 0.5:
        dealer.tell("deal ends")
    for area in areas:
        if dealer.rng.random() < 0.5:
            dealer.tell(f"look {area}")
        action = dealer.rng.choice(("fold", "call"))
        dealer.tell(f"act {area} {action}")
        if action == "fold":
            dealer.give_up(area, dealer.rng.choice((RACK, MUCK)))
    dealer.turn_up(DEALER)
    for area in areas:
        if dealer.hands[area]:
            dealer.turn_up(area)


# Source: 58 Pa. Code 631a.11. Banker's total -> Player's third cards on which Banker draws.
BANKER_DRAWS_ON = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}


def baccarat_value(card: Physical) -> int:
    """Return what a card counts in baccarat."""
    rank = (card.card or "T")[0]
    return 0 if rank in "TJQK" else 1 if rank == "A" else int(rank)


def baccarat_due(player: Sequence[Physical], banker: Sequence[Physical]) -> str:
    """Return who draws the fifth or sixth card: ``P``, ``B`` or nobody."""
    first, second = (sum(map(baccarat_value, hand[:2])) % 10 for hand in (player, banker))
    if max(first, second) >= 8 or len(banker) > 2:
        return ""
    if len(player) == 2:
        return "P" if first <= 5 else "B" if second <= 5 else ""
    return "B" if str(baccarat_value(player[2])) in BANKER_DRAWS_ON[second] else ""


def _baccarat(dealer: Dealer) -> None:
    player, banker = Place("P"), Place("B")
    dealer.tell("say bets closed")
    dealer.deal_rounds((player, banker))
    while due := baccarat_due(dealer.hands[player], dealer.hands[banker]):
        dealer.deal_hand(Place(due))
        dealer.wait(500, 1500)


def blackjack_total(cards: Sequence[Physical]) -> int:
    """Return the best total of a hand."""
    ranks = [(card.card or "T")[0] for card in cards]
    total = sum(10 if r in "TJQK" else 1 if r == "A" else int(r) for r in ranks)
    return total + 10 if "A" in ranks and total <= 11 else total


def _blackjack(dealer: Dealer) -> None:
    areas = dealer.setup.seats
    dealer.tell("say bets closed")
    dealer.deal_rounds((*areas, DEALER))
    for area in areas:
        _decide(dealer, area)
    dealer.turn_up(DEALER)
    while any(dealer.hands[a] for a in areas) and blackjack_total(dealer.hands[DEALER]) < 17:
        dealer.deal_hand(DEALER)
        dealer.wait(500, 1500)


def _decide(dealer: Dealer, area: Place) -> None:
    """Let a player play his hand."""
    hand = dealer.hands[area]
    while (total := blackjack_total(hand)) < 21:
        choices = ["stand"] if total > 16 else ["hit", "hit", "stand"]
        if len(hand) == 2:
            choices.append("double")
        action = dealer.rng.choice(choices)
        dealer.tell(f"act {area} {action}")
        if action != "stand":
            dealer.deal_hand(area)
        if action != "hit":
            break
    if blackjack_total(hand) > 21:
        dealer.give_up(area, RACK)


_COURSES: dict[Game, Callable[[Dealer], None]] = {
    "holdem": _flop_game,
    "omaha": _flop_game,
    "shortdeck": _flop_game,
    "stud7": _stud,
    "draw5": _draw,
    "lowball27": _draw,
    "caribbean-stud": _house_poker,
    "three-card": _house_poker,
    "baccarat": _baccarat,
    "blackjack": _blackjack,
}


# ---------------------------------------------------------------- whole hands
def random_setup(game: Game, rng: random.Random, *, entries: Entries, hands: str) -> TableSetup:
    """Return a table of random seats, some of them away or on penalty in poker."""
    layout = LAYOUTS[game]
    decks = rng.choice(layout.decks)
    fewest = 1 if layout.is_banked else 2
    number = rng.randint(fewest, layout.most_seats) if layout.most_seats else 0
    sitting = seats(" ".join(map(str, sorted(rng.sample(range(1, 11), number)))))
    away: list[Place] = []
    if not layout.is_banked and number > 3:
        away = rng.sample(sitting, rng.choice((0, 0, 0, 1, 2)))
    fields: dict[str, Any] = {
        "game": game,
        "seats": sitting,
        "decks": decks,
        "packs": packs(game, decks),
        "readers": FULL.readers,
        "actions": "entered" if entries == "all" else "none",
        "hands": hands,
        "absent": frozenset(away[:1]),
        "penalty": dict.fromkeys(away[1:], 2),
    }
    if sitting:
        fields["button"] = fields["dealer"] = rng.choice(sitting)
    if entries == "all" and not layout.is_banked:
        fields["prepared"] = rng.random() < 0.5
    return TableSetup(**fields)


def clean_deal(
    game: Game, rng: random.Random, *, entries: Entries = "all", hands: str = "entered"
) -> Deal:
    """Return a random legal hand as deeds.

    Args:
        game: The game.
        rng: Settles everything.
        entries: Whether anybody enters actions and statements, or nobody enters anything.
        hands: ``entered`` where the next hand is said, ``inferred`` where it is not.
    """
    setup = random_setup(game, rng, entries=entries, hands=hands)
    cards = shuffled(setup.packs[0], rng)
    return dealt(setup, cards, rng, entries=entries)


def dealt(
    setup: TableSetup,
    cards: Sequence[Physical],
    rng: random.Random,
    *,
    entries: Entries,
    start_ns: int = S,
) -> Deal:
    """Return a legal hand at a table, dealt from cards that lie in their order."""
    game = setup.game
    dealer = Dealer(game, rng, entries=entries, setup=setup)
    dealer.stub = list(cards)
    dealer.at_ns = start_ns
    if not setup.prepared:
        dealer.tell("shuffle")
        dealer.tell(f"cut {rng.randint(5, 20)}/{rng.randint(5, 20)}")
    _COURSES[game](dealer)
    dealer.gather()
    return Deal(
        setup=setup,
        deeds=tuple(dealer.deeds),
        initial=tuple(dealer.initial),
        stub=tuple(dealer.stub),
        dealt_by="players" if game == "draw5" else "house",
        rulebook=LAYOUTS[game].rulebook,
    )


def clean_hands(
    game: Game,
    rng: random.Random,
    number: int,
    *,
    entries: Entries = "all",
    hands: str = "entered",
) -> list[Deal]:
    """Return legal hands one after the other at one table, each later than the one before.

    The button moves on by one seat, the pack is shuffled for each hand; a shoe of several packs
    is dealt on from where it stands.
    """
    deal = clean_deal(game, rng, entries=entries, hands=hands)
    deals = [deal]
    for _ in range(number - 1):
        setup, seats_in = deal.setup, deal.setup.seats
        if seats_in:
            at = seats_in.index(setup.button or seats_in[-1]) + 1
            seat = seats_in[at % len(seats_in)]
            served = {seat: left - 1 for seat, left in setup.penalty.items() if left > 1}
            setup = replace(setup, button=seat, dealer=seat, penalty=served)
        cards = deal.stub if setup.decks > 1 else tuple(shuffled(setup.packs[0], rng))
        start_ns = deal.deeds[-1].at_ns + 5 * S
        deal = dealt(setup, cards, rng, entries=entries, start_ns=start_ns)
        deals.append(deal)
    return deals


def clean_hand(
    game: Game, rng: random.Random, *, entries: Entries = "all", hands: str = "entered"
) -> tuple[TableSetup, tuple[AnyEvent, ...]]:
    """Return a random legal hand as the events of a full set of sensors."""
    deal = clean_deal(game, rng, entries=entries, hands=hands)
    return deal.setup, deal.sensed(FULL, rng.randrange(2**32)).events
