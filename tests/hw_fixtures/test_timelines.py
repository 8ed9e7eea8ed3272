"""What happens at the demo table is possible, and goes wrong where and how it should."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import (
    BOARD,
    BURN,
    FLOOR,
    HANDS,
    MUCK,
    PACK,
    SHOE,
    STUB,
    Card,
    Place,
    Tag,
    seat_place,
)
from engine.setup import Game
from engine.statements import parse_statement
from hw_fixtures.camera import SIGHT_S, watch
from hw_fixtures.demo import FOULED, MISDEALS, NINE_HANDED, DemoDealer, clean_timelines
from hw_fixtures.errors import TooFewSeatsError
from hw_fixtures.hands import clean_hands
from hw_fixtures.timeline import Irregularity, Lost, Move, Said, Seen, Step, Timeline, Turn
from hw_fixtures.upsets import irregularity_at, upset

KINDS: list[Irregularity] = [
    "exposed", "count", "duplicate", "foreign", "skipped", "misplaced", "fouled",
]  # fmt: skip


def dealt_by(dealer: DemoDealer, count: int = 24) -> list[Timeline]:
    return list(itertools.islice(dealer, count))


def clean(seed: int, game: Game = "holdem", count: int = 15) -> list[Timeline]:
    return list(itertools.islice(clean_timelines(seed, game), count))


def moves(timeline: Timeline) -> list[Move]:
    return [step for step in timeline.steps if isinstance(step, Move)]


def dealt(timeline: Timeline) -> list[Move]:
    """The cards of the initial deal: everything that came out of the shoe before the first burn."""
    out = [move for move in moves(timeline) if move.source == SHOE]
    return list(itertools.takewhile(lambda move: move.target != BURN, out))


def impossible(timeline: Timeline, lies: dict[Tag, Place]) -> list[str]:
    """Follow every card; return each step that no table could see."""
    found: list[str] = []
    now_s = 0.0
    for step in timeline.steps:
        if step.at_s < now_s:
            found.append(f"{step} runs backwards")
        now_s = step.at_s
        if isinstance(step, Move):
            if lies.setdefault(step.tag, FLOOR) != step.source:
                found.append(f"{step}, but it lies at {lies[step.tag]}")
            lies[step.tag] = step.target
        elif isinstance(step, Turn) and lies.get(step.tag) != step.place:
            found.append(f"{step}, but it lies at {lies.get(step.tag)}")
        if SHOE in lies.values() and sum(place == SHOE for place in lies.values()) > 1:
            found.append(f"{step} leaves two cards in the mouth of the shoe")
    return found


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_every_card_is_in_one_place_and_the_pack_ends_whole_on_its_pad(seed: int) -> None:
    lies: dict[Tag, Place] = {}
    for timeline in dealt_by(DemoDealer(seed)):
        assert impossible(timeline, lies) == []
        on_pad = {tag for tag, place in lies.items() if place == PACK}
        assert on_pad == timeline.pack.own_tags()
        assert set(lies.values()) <= {PACK, FLOOR}


@pytest.mark.parametrize("game", ["holdem", "omaha", "shortdeck"])
def test_clean_hands_are_possible_and_end_where_they_began(game: Game) -> None:
    for timeline in clean(3, game):
        start: dict[Tag, Place] = dict.fromkeys(timeline.pack.own_tags(), PACK)
        lies = dict(start)
        assert impossible(timeline, lies) == []
        assert lies == start


@pytest.mark.parametrize(("game", "cards"), [("holdem", 2), ("omaha", 4), ("shortdeck", 2)])
def test_a_clean_deal_goes_round_card_by_card_from_the_left_of_the_button(
    game: Game, cards: int
) -> None:
    for timeline in clean(5, game):
        at = timeline.seats.index(timeline.button) + 1
        order = timeline.seats[at:] + timeline.seats[:at]
        places = [move.target for move in dealt(timeline) if move.target in HANDS]
        assert tuple(places) == order * cards
        assert not any(move.is_face_up for move in dealt(timeline))


def test_a_card_is_burnt_before_each_street_and_the_board_lies_open() -> None:
    shapes = set()
    for timeline in clean(1, count=60):
        street = [
            move for move in moves(timeline) if move.source == SHOE and move.target in {BURN, BOARD}
        ]
        shapes.add(" ".join(move.target for move in street))
        assert all(move.is_face_up == (move.target == BOARD) for move in street)
    flop = "burn board board board"
    turn, river = f"{flop} burn board", f"{flop} burn board burn board"
    assert shapes == {"", flop, turn, river}


def test_a_fold_takes_the_whole_hand_to_the_muck() -> None:
    for timeline in clean(2):
        folds = [
            step.text.split()[1]
            for step in timeline.steps
            if isinstance(step, Said) and step.text.endswith("fold")
        ]
        mucked = Counter(move.source for move in moves(timeline) if move.target == MUCK)
        assert all(mucked[Place(seat)] == 2 for seat in folds)


def test_whatever_is_said_is_in_the_words_of_the_operators_door() -> None:
    said = [
        step.text
        for timeline in [*dealt_by(DemoDealer(1)), *clean(1)]
        for step in timeline.steps
        if isinstance(step, Said)
    ]
    assert {text.split()[0] for text in said} == {"shuffle", "act", "say", "deal"}
    assert all(parse_statement(text, 5).at_ns == 5 for text in said)


def test_with_nobody_to_enter_actions_nothing_is_said_and_the_cards_go_the_same_way() -> None:
    for told, silent in zip(
        dealt_by(DemoDealer(4)), dealt_by(DemoDealer(4, actions="none")), strict=True
    ):
        assert not any(isinstance(step, Said) for step in silent.steps)
        assert moves(told) == moves(silent)


def test_the_dealer_pitches_two_to_three_cards_a_second() -> None:
    times = [move.at_s for move in dealt(next(DemoDealer(1)))]
    gaps = {round(b - a, 3) for a, b in itertools.pairwise(times)}
    assert gaps == {0.4}


def test_the_same_seed_deals_the_same_hands() -> None:
    assert dealt_by(DemoDealer(9)) == dealt_by(DemoDealer(9))
    assert dealt_by(DemoDealer(9)) != dealt_by(DemoDealer(10))


def test_clean_and_irregular_hands_alternate_and_every_kind_comes() -> None:
    kinds = [irregularity_at(number, seed=3) for number in range(1, 15)]
    assert kinds[0::2] == [None] * 7
    assert sorted(kind for kind in kinds[1::2] if kind) == sorted(KINDS)


def test_a_misdeal_is_replayed_from_the_same_button_and_other_hands_move_it() -> None:
    for before, after in itertools.pairwise(dealt_by(DemoDealer(6), 40)):
        if before.irregularity in MISDEALS:
            assert (after.is_replay, after.number, after.button) == (
                True,
                before.number,
                before.button,
            )
            assert after.irregularity is None
        else:
            at = NINE_HANDED.index(before.button)
            assert after.button == NINE_HANDED[(at + 1) % 9]
            assert not after.is_replay


def test_after_a_fouled_deck_the_other_pack_is_laid_on_the_pad_and_named() -> None:
    for before, after in itertools.pairwise(dealt_by(DemoDealer(6), 40)):
        assert (after.pack != before.pack) == (before.irregularity in FOULED)
        texts = [step.text for step in after.steps if isinstance(step, Said)]
        assert (f"say pack {after.pack.name}" in texts) == (before.irregularity in FOULED)


def test_a_controller_that_knows_better_may_set_the_button() -> None:
    dealer = DemoDealer(2)
    next(dealer)
    dealer.button = seat_place(7)
    assert next(dealer).button == "S7"


def test_the_demo_needs_three_seats() -> None:
    with pytest.raises(TooFewSeatsError, match="2 seats"):
        DemoDealer(1, NINE_HANDED[:2])


# ---------------------------------------------------------------- what goes wrong
def irregular(kind: Irregularity) -> list[Timeline]:
    """Hands of one kind, from many seeds."""
    return [
        timeline
        for seed in range(12)
        for timeline in dealt_by(DemoDealer(seed), 25)
        if timeline.irregularity == kind
    ]


def counts(timeline: Timeline) -> Counter[Place]:
    return Counter(move.target for move in dealt(timeline))


def test_exposed_means_the_first_or_second_card_or_two_later_ones_lie_open() -> None:
    hand, pack = next(hand for hand in clean_hands(1) if len(hand[0].seats) > 5)
    seen = set()
    for seed in range(200):
        course = upset(hand, "exposed", pack, random.Random(seed))
        seen.add(tuple(at for at, pitch in enumerate(course.pitches) if pitch.is_face_up))
        assert course.pitches[-1].is_face_up
    assert {(0,), (1,)} < seen
    assert all(len(up) == 2 and up[0] >= 2 for up in seen - {(0,), (1,)})


def test_count_means_one_seat_that_is_not_the_buttons_has_three() -> None:
    for timeline in irregular("count"):
        over = [place for place, number in counts(timeline).items() if number != 2]
        assert len(over) == 1
        assert over[0] != timeline.button
        assert counts(timeline)[over[0]] == 3


def test_skipped_means_one_seat_has_nothing_when_the_deal_is_called_over() -> None:
    for timeline in irregular("skipped"):
        assert sorted(counts(timeline).values()) == [2] * 8
        assert "deal ends" in [step.text for step in timeline.steps if isinstance(step, Said)]


def test_misplaced_means_the_first_card_goes_one_seat_too_far() -> None:
    for timeline in irregular("misplaced"):
        at = NINE_HANDED.index(timeline.button)
        assert dealt(timeline)[0].target == NINE_HANDED[(at + 2) % 9]


def test_foreign_means_one_dealt_card_is_in_no_register() -> None:
    for timeline in irregular("foreign"):
        known = {card.tag for card in timeline.pack.cards}
        strangers = [move for move in dealt(timeline) if move.tag not in known]
        assert [move.target in HANDS for move in strangers] == [True]


@pytest.mark.parametrize("kind", ["duplicate", "fouled"])
def test_a_duplicate_is_a_registered_spare_beside_the_card_of_its_face(
    kind: Irregularity,
) -> None:
    for timeline in irregular(kind):
        out = [move for move in moves(timeline) if move.source == SHOE]
        twice = [face for face, n in Counter(timeline.faces[m.tag] for m in out).items() if n > 1]
        assert len(twice) == 1
        pair = [move for move in out if timeline.faces[move.tag] == twice[0]]
        assert [move.tag in timeline.pack.own_tags() for move in pair] == [True, False]
        assert (pair[1].target == BOARD) == (kind == "fouled")


def test_a_fouled_deck_shows_after_a_round_of_betting_on_an_open_board_card() -> None:
    for timeline in irregular("fouled"):
        last_board = max(move.at_s for move in moves(timeline) if move.target == BOARD)
        acts = [
            step
            for step in timeline.steps
            if isinstance(step, Said) and step.text.startswith("act") and step.at_s < last_board
        ]
        chips = [step for step in acts if step.text.split()[2] in {"call", "raise", "allin"}]
        assert len(acts) >= 2
        assert chips


@pytest.mark.parametrize("kind", KINDS)
def test_play_stands_still_for_a_while_when_something_is_wrong(kind: Irregularity) -> None:
    for timeline in irregular(kind):
        times = sorted({step.at_s for step in timeline.steps if not isinstance(step, Seen)})
        assert max(b - a for a, b in itertools.pairwise(times)) >= 3.0


# ---------------------------------------------------------------- the camera
def test_the_camera_sees_what_lies_open_at_seats_and_board_and_loses_it() -> None:
    tag, other = Tag("E0040108AAAAAAAA"), Tag("E0040108BBBBBBBB")
    s1 = seat_place(1)
    faces = {tag: Card("9h"), other: Card("Ks")}
    nine, king = faces.values()
    steps: list[Step] = [
        Move(at_s=1.0, tag=tag, source=SHOE, target=s1),
        Turn(at_s=2.0, tag=tag, place=s1, is_face_up=True),
        Turn(at_s=3.0, tag=tag, place=s1, is_face_up=False),
        Move(at_s=4.0, tag=other, source=SHOE, target=BOARD, is_face_up=True),
        Move(at_s=5.0, tag=tag, source=s1, target=MUCK, is_face_up=True),
        Move(at_s=6.0, tag=other, source=BOARD, target=STUB),
    ]
    assert watch(steps, faces) == [
        Seen(at_s=2.0 + SIGHT_S, place=s1, card=nine),
        Lost(at_s=3.0 + SIGHT_S, place=s1, card=nine),
        Seen(at_s=4.0 + SIGHT_S, place=BOARD, card=king),
        Lost(at_s=6.0 + SIGHT_S, place=BOARD, card=king),
    ]
