"""From polls to cards that come and go."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import BOARD, BURN, MUCK, PACK, SHOE, Card, Place, Tag
from engine.events import CardGone, CardRead, PackCounted
from firmware_bridge.polls import Poll
from firmware_bridge.presence import MAX_TAGS
from tests.firmware_bridge.looks import (
    FOREIGN,
    KING,
    MS,
    NINE,
    S1,
    S2,
    S3,
    empty,
    fed,
    presence,
    seen,
    short,
    unknown,
)


def test_a_second_read_confirms_a_card_and_its_time_is_the_time_of_the_event() -> None:
    keeper = presence()
    first, second = keeper.take(seen(S1, 10, NINE)), keeper.take(seen(S1, 130, NINE))
    assert first == []
    assert second == [CardRead(place=S1, tag=NINE, card=Card("9h"), pack="blue", at_ns=130 * MS)]


def test_bugs_28_a_thousand_repeats_are_one_event() -> None:
    polls = [seen(S1, 100 * n, NINE) for n in range(1_000)]
    assert short(fed(presence(), polls)) == ["+S1 9h"]


@pytest.mark.parametrize("misses", [1, 2])
def test_bugs_37_a_still_card_that_answers_now_and_then_is_never_removed(misses: int) -> None:
    polls = [
        seen(S1, 100 * n, NINE) if n % (misses + 1) == 0 else empty(S1, 100 * n)
        for n in range(1_000)
    ]
    assert short(fed(presence(), polls)) == ["+S1 9h"]


def test_bugs_38_a_hundred_errors_in_a_row_fault_the_seat_and_remove_nothing() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    assert short(fed(keeper, [unknown(S1, 200 + 100 * n) for n in range(100)])) == ["fault seat:1"]
    assert short(keeper.take(seen(S1, 20_000, NINE))) == ["restored seat:1"]


@pytest.mark.parametrize(
    ("polls", "told"),
    [
        pytest.param([empty(S1, 200), empty(S1, 400)], [], id="two misses are too few"),
        pytest.param(
            [empty(S1, 200), empty(S1, 300), empty(S1, 400)], [], id="200 ms are too short"
        ),
        pytest.param(
            [empty(S1, 200), empty(S1, 350), empty(S1, 500)], ["-S1 9h"], id="three over 300 ms"
        ),
        pytest.param(
            [seen(S1, 200, KING), seen(S1, 350, KING), seen(S1, 500, KING)],
            ["+S1 Kd", "-S1 9h"],
            id="a complete inventory without it is evidence",
        ),
        pytest.param(
            [seen(S1, 200 + 100 * n, KING, is_complete=False) for n in range(9)],
            ["+S1 Kd"],
            id="bugs 48: a part is not the whole",
        ),
        pytest.param(
            [empty(S1, 200), unknown(S1, 300), unknown(S1, 400), unknown(S1, 500), empty(S1, 600)],
            [],
            id="errors between misses do not count",
        ),
        pytest.param(
            [empty(S1, 200), empty(S1, 350), seen(S1, 400, NINE), empty(S1, 500), empty(S1, 550)],
            [],
            id="a read starts the count anew",
        ),
    ],
)
def test_only_positive_evidence_removes_a_card(polls: list[Poll], told: list[str]) -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    assert short(fed(keeper, polls)) == told


@pytest.mark.parametrize(
    ("place", "polls", "told"),
    [
        pytest.param(SHOE, [(0, NINE)], ["+shoe 9h"], id="a known card counts at once at the shoe"),
        pytest.param(SHOE, [(0, FOREIGN)], [], id="an unknown tag does not"),
        pytest.param(SHOE, [(0, FOREIGN), (30, FOREIGN)], ["+shoe X"], id="read twice it does"),
        pytest.param(S1, [(0, NINE)], [], id="a passing read counts nowhere else"),
        pytest.param(BOARD, [(0, FOREIGN), (30, FOREIGN)], ["+board X"], id="foreign on the board"),
        pytest.param(
            S1, [(0, NINE), (1, None), (2, None), (3, NINE)], ["+S1 9h"], id="within four polls"
        ),
        pytest.param(
            S1, [(0, NINE), (1, None), (2, None), (3, None), (4, NINE)], [], id="not beyond four"
        ),
    ],
)
def test_bugs_27_and_39_how_often_a_new_tag_must_be_read(
    place: Place, polls: list[tuple[int, Tag | None]], told: list[str]
) -> None:
    heard = [seen(place, at, tag) if tag else empty(place, at) for at, tag in polls]
    assert short(fed(presence(), heard)) == told


@pytest.mark.parametrize("digit", ["0", "F"])
def test_bugs_27_ghost_uids_are_counted_and_never_an_event(digit: str) -> None:
    keeper = presence()
    ghost = Tag(digit * 16)
    assert (
        fed(keeper, [seen(place, n, ghost) for n in range(9) for place in (S1, SHOE, PACK)]) == []
    )
    assert keeper.ghosts == 27


def test_a_ghost_beside_cards_proves_no_absence() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    ghost = Tag("0" * 16)
    assert fed(keeper, [seen(S1, 200 + 100 * n, ghost) for n in range(9)]) == []


def test_a_card_that_moves_is_read_there_and_gone_here() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    moved = [seen(S2, 200, NINE), seen(S2, 300, NINE)]
    left = [empty(S1, 250), empty(S1, 400), empty(S1, 600)]
    polls = sorted(moved + left, key=lambda poll: poll.at_ns)
    assert short(fed(keeper, polls)) == ["+S2 9h", "-S1 9h"]


def test_a_tag_that_two_places_hear_is_told_at_the_old_one_again_and_then_no_more() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    both = [seen(place, 200 + 100 * n, NINE) for n in range(50) for place in (S2, S1)]
    assert short(fed(keeper, both)) == ["+S2 9h", "+S1 9h"]


def test_after_a_crossing_the_place_that_keeps_the_card_tells_it_once_more() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    fed(keeper, [seen(place, at, NINE) for at in (200, 300) for place in (S2, S1)])
    after = [empty(S1, 400), empty(S1, 600), empty(S1, 800), seen(S2, 900, NINE)]
    again = [seen(S2, 1_000 + n, NINE) for n in range(9)]
    assert short(fed(keeper, after + again)) == ["-S1 9h", "+S2 9h"]


def test_a_second_crossing_is_told_like_the_first() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    fed(keeper, [seen(place, at, NINE) for at in (200, 300) for place in (S2, S1)])
    fed(keeper, [empty(S2, at) for at in (400, 600, 800)])
    both = [seen(place, at, NINE) for at in (900, 1_000, 1_100) for place in (S2, S1)]
    assert short(fed(keeper, both)) == ["+S2 9h", "+S1 9h"]


def test_a_crossing_after_the_place_that_kept_the_card_told_it_is_told_too() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE)])
    fed(keeper, [seen(place, at, NINE) for at in (200, 300) for place in (S2, S1)])
    fed(keeper, [empty(S1, at) for at in (400, 600, 800)])
    fed(keeper, [seen(S2, 900, NINE)])
    both = [seen(place, at, NINE) for at in (1_000, 1_100, 1_200) for place in (S1, S2)]
    assert short(fed(keeper, both)) == ["+S1 9h", "+S2 9h"]


@pytest.mark.parametrize("pile", [MUCK, BURN])
def test_bugs_46_a_card_that_is_covered_in_a_pile_has_not_left_it(pile: Place) -> None:
    keeper = presence()
    fed(keeper, [seen(pile, 0, NINE), seen(pile, 100, NINE)])
    covered = [seen(pile, 200 + 100 * n, KING) for n in range(20)]
    assert short(fed(keeper, covered)) == [f"+{pile} Kd"]
    lifted = [empty(pile, 3_000 + 200 * n) for n in range(3)]
    assert sorted(short(fed(keeper, lifted))) == [f"-{pile} 9h", f"-{pile} Kd"]


def test_a_card_taken_out_of_a_pile_is_gone_once_it_is_held_elsewhere() -> None:
    keeper = presence()
    fed(keeper, [seen(MUCK, 100 * n, NINE, KING) for n in range(2)])
    fed(keeper, [seen(S1, 200 + 100 * n, NINE) for n in range(2)])
    rest = [seen(MUCK, 400 + 200 * n, KING) for n in range(3)]
    assert short(fed(keeper, rest)) == ["-muck 9h"]


# ---------------------------------------------------------------- the pack pad
def test_a_pack_is_counted_once_when_it_has_lain_unchanged_with_its_tags_sorted() -> None:
    keeper = presence()
    events = fed(keeper, [seen(PACK, 150 * n, KING, NINE) for n in range(20)])
    assert events == [PackCounted(count=2, is_complete=True, tags=(NINE, KING), at_ns=300 * MS)]


@pytest.mark.parametrize(
    ("polls", "told"),
    [
        pytest.param([seen(PACK, n, NINE) for n in range(9)], [], id="too short"),
        pytest.param([seen(PACK, 400 * n, NINE) for n in range(2)], [], id="too few"),
        pytest.param(
            [seen(PACK, 400 * n, NINE, is_complete=False) for n in range(9)], [], id="incomplete"
        ),
        pytest.param(
            [seen(PACK, 400 * n, *([NINE] if n % 2 else [NINE, KING])) for n in range(9)],
            [],
            id="never the same twice",
        ),
        pytest.param([empty(PACK, 400 * n) for n in range(9)], [], id="a bare pad is no count"),
        pytest.param(
            [seen(PACK, 400 * n, NINE, KING) for n in range(4)]
            + [unknown(PACK, 1_700), unknown(PACK, 1_800)]
            + [seen(PACK, 2_000 + 400 * n, NINE, KING) for n in range(4)],
            ["pack 2"],
            id="errors do not make it news",
        ),
        pytest.param(
            [seen(PACK, 400 * n, NINE, KING) for n in range(4)]
            + [seen(PACK, 2_000 + 400 * n, KING) for n in range(4)],
            ["pack 2", "pack 1"],
            id="a card was taken out",
        ),
        pytest.param(
            [seen(PACK, 400 * n, NINE, KING) for n in range(4)]
            + [empty(PACK, 2_000 + 400 * n) for n in range(4)]
            + [seen(PACK, 4_000 + 400 * n, NINE, KING) for n in range(4)],
            ["pack 2", "pack 2"],
            id="the pack came back",
        ),
    ],
)
def test_when_the_pack_is_counted(polls: list[Poll], told: list[str]) -> None:
    assert short(fed(presence(), polls)) == told


# ---------------------------------------------------------------- devices
def test_each_place_of_a_lost_reader_is_faulted_once_and_restored_when_it_is_heard_again() -> None:
    keeper = presence()
    assert short(keeper.fault([S1, SHOE], "unplugged", 1)) == ["fault seat:1", "fault shoe"]
    assert keeper.fault([S1, SHOE], "still unplugged", 2) == []
    assert short(fed(keeper, [unknown(S1, 3), empty(S1, 4), empty(S1, 5)])) == ["restored seat:1"]
    assert short(keeper.take(empty(SHOE, 6))) == ["restored shoe"]


def test_what_a_place_held_stays_over_a_fault_and_what_it_hoped_for_does_not() -> None:
    keeper = presence()
    fed(keeper, [seen(S1, 0, NINE), seen(S1, 100, NINE, KING)])
    keeper.fault([S1], "unplugged", 200 * MS)
    told = short(fed(keeper, [seen(S1, 9_000, NINE, KING), empty(S1, 9_100)]))
    assert told == ["restored seat:1"]


def test_a_place_is_blind_only_after_a_second_of_errors() -> None:
    keeper = presence()
    assert fed(keeper, [unknown(S1, 100 * n) for n in range(10)]) == []
    assert short(keeper.take(unknown(S1, 1_000))) == ["fault seat:1"]


def test_a_poll_that_tells_something_ends_the_blindness() -> None:
    keeper = presence()
    polls = [unknown(S1, 100 * n) for n in range(10)]
    again = [unknown(S1, 1_000 + 100 * n) for n in range(10)]
    assert fed(keeper, [*polls, empty(S1, 950), *again]) == []


def test_a_place_with_a_tag_to_confirm_is_unsure() -> None:
    keeper = presence()
    assert not keeper.is_unsure(S1)
    keeper.take(seen(S1, 0, NINE))
    assert keeper.is_unsure(S1)
    keeper.take(seen(S1, 1, NINE))
    assert not keeper.is_unsure(S1)


def test_a_tag_that_never_comes_again_is_not_waited_for_for_ever() -> None:
    keeper = presence()
    keeper.take(seen(S1, 0, NINE))
    fed(keeper, [empty(S1, n) for n in range(1, 5)])
    assert not keeper.is_unsure(S1)


# ---------------------------------------------------------------- bounds and invariants
def test_bugs_18_noise_that_looks_like_tags_is_bounded_and_counted() -> None:
    keeper = presence()
    for n in range(10_000):
        keeper.take(seen(S1, n, Tag(f"E004{n:012X}")))
    spot = keeper._spots[S1]
    assert len(spot.hoped) == MAX_TAGS
    assert keeper.dropped == 10_000 - MAX_TAGS


def test_a_place_holds_no_more_than_the_packs_of_a_shoe() -> None:
    keeper = presence()
    crowd = [Tag(f"E004{n:012X}") for n in range(1, MAX_TAGS + 33)]
    waves = [crowd[:100], crowd[:100], crowd[100:], crowd[100:]]
    events = fed(keeper, [seen(S1, n, *wave) for n, wave in enumerate(waves)])
    assert len(events) == MAX_TAGS
    assert keeper.dropped == 32


@st.composite
def busy_tables(draw: st.DrawFn) -> list[Poll]:
    """Draw polls of five places over which three cards wander, heard well or badly."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    places = [S1, S2, S3, SHOE, MUCK]
    lies = {tag: rng.choice(places) for tag in (NINE, KING, FOREIGN)}
    polls: list[Poll] = []
    now_ms = 0
    for _ in range(draw(st.integers(0, 300))):
        now_ms += rng.choice([20, 120])
        if rng.random() < 0.03:
            lies[rng.choice([NINE, KING, FOREIGN])] = rng.choice(places)
        place = rng.choice(places)
        heard = [tag for tag, at in lies.items() if rng.random() < (0.9 if at == place else 0.02)]
        outcome = rng.choices([seen(place, now_ms, *heard), unknown(place, now_ms)], [9, 1])[0]
        polls.append(replace(outcome, is_complete=outcome.is_complete and rng.random() < 0.8))
    return polls


@given(busy_tables())
def test_departures_follow_arrivals_and_never_come_twice(polls: list[Poll]) -> None:
    keeper = presence()
    lying = set()
    for poll in polls:
        for event in keeper.take(poll):
            assert event.at_ns == poll.at_ns
            if isinstance(event, CardRead):
                lying.add((event.place, event.tag))
            elif isinstance(event, CardGone):
                assert (event.place, event.tag) in lying
                lying.remove((event.place, event.tag))


@given(busy_tables())
def test_without_positive_evidence_nothing_is_ever_removed(polls: list[Poll]) -> None:
    keeper = presence()
    parts = [replace(poll, is_complete=False) for poll in polls]
    assert not [event for event in fed(keeper, parts) if isinstance(event, CardGone)]


@given(busy_tables())
def test_nothing_is_kept_of_tags_that_lie_nowhere(polls: list[Poll]) -> None:
    keeper = presence()
    fed(keeper, polls)
    held = [tag for spot in keeper._spots.values() for tag in spot.held]
    assert set(keeper._told) == set(held)
    assert keeper._crossed <= {tag for tag in held if held.count(tag) > 1}
