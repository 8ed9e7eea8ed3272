"""The deal plans: who gets the next card, how it lies, and the table of draws."""

import itertools

import pytest

from engine.cards import FULL_PACK, Card, Place
from engine.games import PLANS, baccarat, blackjack
from tests.engine.felt import Felt, book, seats


# ---------------------------------------------------------------- plans by table
@pytest.mark.parametrize(
    ("game", "kind", "faces", "hand_cards", "streets"),
    [
        ("holdem", "flop", 52, 2, (3, 1, 1)),
        ("omaha", "flop", 52, 4, (3, 1, 1)),
        ("shortdeck", "flop", 36, 2, (3, 1, 1)),
        ("stud7", "stud", 52, 3, (1, 1, 1, 1)),
        ("draw5", "draw", 52, 5, ()),
        ("lowball27", "draw", 52, 5, ()),
        ("caribbean-stud", "casino", 52, 5, ()),
        ("three-card", "casino", 52, 3, ()),
        ("baccarat", "casino", 52, 2, ()),
        ("blackjack", "casino", 52, 2, ()),
    ],
)
def test_each_game_has_its_pack_its_hands_and_its_streets(
    game: str, kind: str, faces: int, hand_cards: int, streets: tuple[int, ...]
) -> None:
    plan = PLANS[game]
    assert (plan.kind, len(plan.pack), plan.hand_cards, plan.streets) == (
        kind, faces, hand_cards, streets,
    )  # fmt: skip


def test_short_deck_has_no_card_below_six() -> None:
    assert {card[0] for card in PLANS["shortdeck"].pack} == set("6789TJQKA")


def test_no_pack_has_a_joker() -> None:
    assert all("JK" not in plan.pack for plan in PLANS.values())


def test_a_plan_goes_by_the_name_of_its_game() -> None:
    assert {name: plan.game for name, plan in PLANS.items()} == {name: name for name in PLANS}


@pytest.mark.parametrize(
    ("game", "hand", "faces"),
    [
        ("holdem", "seat", "dd"),
        ("omaha", "seat", "dddd"),
        ("stud7", "seat", "dduuuud"),
        ("draw5", "seat", "dddddddd"),
        ("caribbean-stud", "seat", "ddddd"),
        ("caribbean-stud", "dealer", "ddddu"),
        ("three-card", "seat", "ddd"),
        ("three-card", "dealer", "ddd"),
        ("baccarat", "seat", "uuu"),
        ("blackjack", "seat", "uuuuuuuuuuuu"),
        ("blackjack", "dealer", "uduuuuuuuuuu"),
    ],
)
def test_each_card_of_a_hand_is_dealt_up_or_down_by_its_number(
    game: str, hand: str, faces: str
) -> None:
    dealt = [
        PLANS[game].face(nth, is_dealer=hand == "dealer")[0] for nth in range(1, len(faces) + 1)
    ]
    assert "".join(dealt) == faces


@pytest.mark.parametrize(
    ("game", "is_closed"),
    [("draw5", True), ("lowball27", True), ("stud7", False), ("holdem", False),
     ("caribbean-stud", False)],
)  # fmt: skip
def test_closed_poker_is_dealt_all_face_down(game: str, is_closed: bool) -> None:
    assert PLANS[game].is_closed == is_closed


# ---------------------------------------------------------------- the order of the deal
@pytest.mark.parametrize(
    ("game", "button", "order"),
    [
        ("holdem", 7, "S1 S3 S5 S7"),
        ("holdem", 3, "S5 S7 S1 S3"),
        ("stud7", 1, "S3 S5 S7 S1"),
        # The button may be a seat that nobody has: the next one after it is served first.
        ("omaha", 4, "S5 S7 S1 S3"),
        ("omaha", 9, "S1 S3 S5 S7"),
        ("caribbean-stud", 3, "S1 S3 S5 S7 D"),
        ("three-card", 3, "S1 S3 S5 S7 D"),
        ("blackjack", 3, "S1 S3 S5 S7 D"),
        ("baccarat", 3, "P B"),
    ],
)
def test_the_order_starts_after_the_button_or_at_the_first_area(
    game: str, button: int, order: str
) -> None:
    felt = Felt(game, at="1 3 5 7", button=Place(f"S{button}"))
    assert felt.watch.table.order == tuple(order.split())


def test_where_players_deal_the_order_starts_at_the_left_of_the_dealer() -> None:
    laws = book("laws-of-poker")
    felt = Felt("draw5", laws, at="1 3 5", button=Place("S1"), dealer=Place("S3"))
    assert felt.watch.table.order == seats("5 1 3")


def test_heads_up_the_other_player_is_served_first_and_the_button_last() -> None:
    felt = Felt("holdem", at="2 8", button=Place("S2"))
    assert felt.watch.table.order == seats("8 2")


# ---------------------------------------------------------------- baccarat, 58 Pa. Code 631a.11
# The rule text, written out by hand: which third cards of Player make Banker draw.
BANKER_DRAWS_ON = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",  # all but 8
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}
BANKER_DRAWS_WHERE_PLAYER_STOOD = {0, 1, 2, 3, 4, 5}


def card_of(value: int) -> Card:
    return Card("Ts" if value == 0 else "As" if value == 1 else f"{value}s")


def two_cards(total: int) -> list[Card | None]:
    return [card_of(0), card_of(total)]


def due_by_the_text(player: int, banker: int, third: int | None) -> str:
    """Say who draws: Player has drawn ``third``, or nothing yet."""
    if player >= 8 or banker >= 8:
        return "none"
    if third is None:
        if player <= 5:
            return "P"
        return "B" if banker in BANKER_DRAWS_WHERE_PLAYER_STOOD else "none"
    return "B" if str(third) in BANKER_DRAWS_ON[banker] else "none"


@pytest.mark.parametrize("banker", range(10))
def test_before_a_third_card_the_table_of_draws_says_who_is_due(banker: int) -> None:
    told = [baccarat.due(two_cards(player), two_cards(banker)) for player in range(10)]
    assert told == [due_by_the_text(player, banker, None) for player in range(10)]


@pytest.mark.parametrize(("player", "banker"), list(itertools.product(range(6), range(8))))
def test_after_players_third_card_the_table_says_whether_banker_draws(
    player: int, banker: int
) -> None:
    told = [
        baccarat.due([*two_cards(player), card_of(third)], two_cards(banker)) for third in range(10)
    ]
    assert told == [due_by_the_text(player, banker, third) for third in range(10)]


@pytest.mark.parametrize(("player", "banker"), [(0, 0), (5, 6), (6, 5), (7, 0)])
def test_nothing_is_due_once_banker_has_three_cards(player: int, banker: int) -> None:
    held = [*two_cards(player), card_of(3)] if player <= 5 else two_cards(player)
    assert baccarat.due(held, [*two_cards(banker), card_of(2)]) == "none"


@pytest.mark.parametrize(
    ("player", "banker", "due"), [(0, 0, "P"), (1, 0, "B"), (1, 1, "P"), (2, 1, "B")]
)
def test_the_first_four_cards_go_in_turn_to_player_and_banker(
    player: int, banker: int, due: str
) -> None:
    cards: list[Card | None] = [Card("2s"), Card("3s")]
    assert baccarat.due(cards[:player], cards[:banker]) == due


def test_a_card_that_nobody_could_read_leaves_the_next_draw_unknown() -> None:
    blind: list[Card | None] = [Card("2s"), None]
    assert baccarat.due(blind, two_cards(4)) == "unknown"
    assert baccarat.due(two_cards(4), blind) == "unknown"
    assert baccarat.due([*two_cards(4), None], two_cards(4)) == "unknown"


@pytest.mark.parametrize(
    ("rank", "value"), [("A", 1), ("2", 2), ("9", 9), ("T", 0), ("J", 0), ("Q", 0), ("K", 0)]
)
def test_a_baccarat_card_counts_its_pips_and_courts_nothing(rank: str, value: int) -> None:
    assert baccarat.value(Card(f"{rank}h")) == value


@pytest.mark.parametrize(
    ("cards", "total"), [("", 0), ("Kd", 0), ("9s 9h", 8), ("5s 5h", 0), ("7s 6h 8d", 1)]
)
def test_a_baccarat_total_drops_its_tens(cards: str, total: int) -> None:
    assert baccarat.total([Card(card) for card in cards.split()]) == total


def test_a_baccarat_total_with_a_card_unknown_is_unknown() -> None:
    assert baccarat.total([Card("9s"), None]) is None


# ---------------------------------------------------------------- blackjack
@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ("", 0),
        ("Kd", 10),
        ("As Kd", 21),
        ("As 6d", 17),
        ("As As", 12),
        ("As 5d Kc", 16),
        ("As As Kc", 12),
        ("Td 6c 5h", 21),
        ("Td 6c 6h", 22),
        ("As As As As Kc 7s", 21),
    ],
)
def test_a_blackjack_total_takes_an_ace_as_eleven_where_that_does_not_break_it(
    cards: str, total: int
) -> None:
    assert blackjack.total([Card(card) for card in cards.split()]) == total


def test_a_blackjack_total_with_a_card_unknown_is_unknown() -> None:
    assert blackjack.total([Card("9s"), None]) is None


@pytest.mark.parametrize("cards", list(itertools.combinations_with_replacement("2379TA", 3)))
def test_a_blackjack_total_is_the_best_that_does_not_break(cards: tuple[str, ...]) -> None:
    points = [{"T": (10,), "A": (1, 11)}.get(rank) or (int(rank),) for rank in cards]
    sums = {sum(choice) for choice in itertools.product(*points)}
    best = max((total for total in sums if total <= 21), default=min(sums))
    assert blackjack.total([Card(f"{rank}s") for rank in cards]) == best


def test_every_full_pack_is_the_same_fifty_two_faces() -> None:
    full = {name for name, plan in PLANS.items() if plan.pack == frozenset(FULL_PACK)}
    assert full == set(PLANS) - {"shortdeck"}
