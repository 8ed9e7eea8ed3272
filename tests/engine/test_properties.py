"""Properties over random hands of every game: silence on clean hands, a flag on every fault.

``EXAMPLES`` is small here; a bench runs the same checks over as many hands as it likes.
"""

import random
from collections.abc import Sequence
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import FULL_PACK, JOKER, PLACES, Card, Place, Tag
from engine.events import (
    Action,
    AnyEvent,
    BackSighted,
    CardGone,
    CardLost,
    CardRead,
    CardSighted,
    PackCounted,
    Stated,
    TimePassed,
    Topic,
)
from engine.setup import Game
from engine.state import FindingKind
from engine.watch import (
    advance,
    begin,
    next_due,
    open_rulings,
    public,
    refused,
    view,
    wakes_at,
)
from tests.engine.dealer import GAMES, Deal, Entries
from tests.engine.deeds import (
    CAMERA_ALONE,
    FULL,
    FULL_AND_BACKS,
    PROMPT,
    PROMPT_AND_BACKS,
    SHOE_ALONE,
    SHOE_AND_PAD,
    Sensors,
    delayed,
)
from tests.engine.faults import GAMES_OF, WAITS, faulty_deal, with_fault
from tests.engine.felt import book, short
from tests.engine.hands import clean_deal, clean_hand, clean_hands
from tests.engine.neutral import neutral_book, watched
from tests.engine.silence import books_of, measure_silence

EXAMPLES = 6
"""Hands for each case."""


def hands_of(many: int) -> settings:
    """Return how long to search; a seed cannot be made simpler, so nothing is shrunk."""
    return settings(max_examples=many * EXAMPLES, phases=(Phase.reuse, Phase.generate))


SENSORS: dict[str, Sensors] = {
    "full": FULL,
    "full and backs": FULL_AND_BACKS,
    "shoe": SHOE_ALONE,
    "shoe and pad": SHOE_AND_PAD,
    "camera": CAMERA_ALONE,
}
SEEDS = st.integers(0, 2**32)


def rulings_on(deal: Deal, sensors: Sensors, events: Sequence[AnyEvent]) -> list[str]:
    """Return what any book says of a hand, in short words."""
    setup = deal.watched_by(sensors)
    told = [watched(setup, events, rules)[1] for rules in books_of(deal)]
    return [short(ruling) for changes in told for _, ruling in changes]


# ---------------------------------------------------------------- clean hands
@pytest.mark.parametrize("sensors", SENSORS)
@pytest.mark.parametrize("entries", get_args(Entries))
@pytest.mark.parametrize("game", GAMES)
@hands_of(1)
@given(SEEDS, st.sampled_from(["entered", "inferred"]))
def test_a_clean_hand_gives_no_ruling(
    game: Game, entries: Entries, sensors: str, seed: int, hands: str
) -> None:
    deal = clean_deal(game, random.Random(seed), entries=entries, hands=hands)
    watching = SENSORS[sensors]
    assert rulings_on(deal, watching, deal.sensed(watching, seed).events) == []


@pytest.mark.parametrize("sensors", SENSORS)
@pytest.mark.parametrize("entries", get_args(Entries))
@pytest.mark.parametrize("game", GAMES)
@hands_of(1)
@given(SEEDS, st.sampled_from(["entered", "inferred"]))
def test_clean_hands_one_after_the_other_give_no_ruling(
    game: Game, entries: Entries, sensors: str, seed: int, hands: str
) -> None:
    if sensors == "camera":
        # A camera has no event for a back that is taken away: somebody must say the next hand.
        entries, hands = "all", "entered"
    elif entries == "none":
        hands = "inferred"
    deals = clean_hands(game, random.Random(seed), 3, entries=entries, hands=hands)
    watching = SENSORS[sensors]
    events = [event for deal in deals for event in deal.sensed(watching, seed).events]
    assert rulings_on(deals[0], watching, events) == []


@pytest.mark.parametrize("entries", get_args(Entries))
@pytest.mark.parametrize("game", GAMES)
@hands_of(1)
@given(SEEDS)
def test_after_a_clean_hand_the_next_is_due_and_the_button_has_moved(
    game: Game, entries: Entries, seed: int
) -> None:
    deal = clean_deal(game, random.Random(seed), entries=entries, hands="inferred")
    before = begin(deal.setup, neutral_book(deal.dealt_by)).table
    after, _ = watched(deal.setup, deal.sensed(FULL, seed).events, neutral_book(deal.dealt_by))
    assert after.table.hand_no == before.hand_no + 1
    seats = deal.setup.seats
    if seats:
        at = seats.index(deal.setup.button or seats[-1]) + 1
        assert after.table.button == seats[at % len(seats)]


# ---------------------------------------------------------------- faults
CASES = [(kind, game) for kind, games in GAMES_OF.items() for game in games]


@pytest.mark.parametrize(("kind", "game"), CASES)
@hands_of(1)
@given(SEEDS)
def test_a_fault_is_found_at_once_and_where_it_is(kind: FindingKind, game: Game, seed: int) -> None:
    fault = faulty_deal(game, kind, random.Random(seed))
    sensed = fault.sensed(FULL, seed)
    _, changes = watched(fault.setup, sensed.events, neutral_book(fault.dealt_by))
    first, last = sensed.first(fault.begins), sensed.last(fault.found, with_time=kind in WAITS)
    assert [short(ruling) for at, ruling in changes if at < first] == []
    found = [(r.finding, r.place) for at, r in changes if at <= last]
    assert (kind, fault.place) in found


@pytest.mark.parametrize("kind", GAMES_OF)
def test_a_bench_gets_a_fault_as_events_with_what_must_be_found_by_when(kind: FindingKind) -> None:
    setup, events, found, place, by = with_fault(GAMES_OF[kind][0], kind, random.Random(kind))
    rules = neutral_book("players" if setup.game == "draw5" else "house")
    _, changes = watched(setup, events, rules)
    assert (found, place) in [(r.finding, r.place) for at, r in changes if at <= by]


def test_a_bench_gets_as_many_hands_as_it_asks_for_and_no_ruling() -> None:
    rows = measure_silence(seed=5, hands=40)
    assert sum(row.hands for row in rows) == 40
    assert {row.game for row in rows} == set(GAMES)
    assert [row for row in rows if row.rulings or not row.events] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_bench_gets_a_clean_hand_as_events(game: Game) -> None:
    setup, events = clean_hand(game, random.Random(game))
    rules = neutral_book("players" if game == "draw5" else "house")
    assert watched(setup, events, rules)[1] == []


# ---------------------------------------------------------------- order, replay, repetition
def final(deal_or_fault: Any, events: Sequence[AnyEvent]) -> list[str]:
    """Return what stands after some events, in short words, in no order."""
    rules = neutral_book(deal_or_fault.dealt_by)
    _, changes = watched(deal_or_fault.setup, events, rules)
    rulings = {ruling.id: ruling for _, ruling in changes}
    return sorted(short(r) for r in rulings.values() if r.state != "superseded")


@pytest.mark.parametrize("game", GAMES)
@hands_of(2)
@given(SEEDS, st.sampled_from(get_args(Entries)), st.sampled_from([PROMPT, PROMPT_AND_BACKS]))
def test_a_clean_hand_is_silent_in_any_order_that_delays_allow(
    game: Game, seed: int, entries: Entries, sensors: Sensors
) -> None:
    rng = random.Random(seed)
    deal = clean_deal(game, rng, entries=entries, hands="inferred")
    events = delayed(deal.sensed(sensors, seed).events, rng, window_ns=deal.setup.window_ns)
    assert rulings_on(deal, sensors, events) == []


@pytest.mark.parametrize("kind", GAMES_OF)
@hands_of(1)
@given(SEEDS)
def test_events_in_any_order_that_delays_allow_give_the_same_rulings(
    kind: FindingKind, seed: int
) -> None:
    rng = random.Random(seed)
    fault = faulty_deal(rng.choice(GAMES_OF[kind]), kind, rng)
    events = fault.sensed(PROMPT, seed).events
    late = delayed(events, rng, window_ns=fault.setup.window_ns)
    assert final(fault, late) == final(fault, events)


@pytest.mark.parametrize("kind", GAMES_OF)
@hands_of(1)
@given(SEEDS)
def test_the_same_events_give_the_same_table_and_the_same_rulings(
    kind: FindingKind, seed: int
) -> None:
    rng = random.Random(seed)
    fault = faulty_deal(rng.choice(GAMES_OF[kind]), kind, rng)
    events = fault.sensed(FULL, seed).events
    rules = neutral_book(fault.dealt_by)
    assert watched(fault.setup, events, rules) == watched(fault.setup, events, rules)


SENSED = (CardRead, CardGone, CardSighted, CardLost, BackSighted, PackCounted, TimePassed)


@pytest.mark.parametrize("kind", GAMES_OF)
@hands_of(1)
@given(SEEDS)
def test_what_a_sensor_tells_twice_changes_nothing(kind: FindingKind, seed: int) -> None:
    rng = random.Random(seed)
    fault = faulty_deal(rng.choice(GAMES_OF[kind]), kind, rng)
    events = fault.sensed(FULL, seed).events
    twice = [each for event in events for each in (event,) * (1 + isinstance(event, SENSED))]
    rules = neutral_book(fault.dealt_by)
    (once_watch, once), (watch, changes) = (
        watched(fault.setup, told, rules) for told in (events, twice)
    )
    assert [ruling for _, ruling in changes] == [ruling for _, ruling in once]
    assert view(watch) == view(once_watch)


@pytest.mark.parametrize("kind", GAMES_OF)
@hands_of(1)
@given(SEEDS, st.sampled_from(["full", "shoe", "camera"]))
def test_time_changes_nothing_before_the_moment_for_which_the_table_asks(
    kind: FindingKind, seed: int, sensors: str
) -> None:
    rng = random.Random(seed)
    fault = faulty_deal(rng.choice(GAMES_OF[kind]), kind, rng)
    watching = SENSORS[sensors]
    setup = replace(fault.setup, readers=watching.readers, has_camera=watching.has_camera)
    watch = begin(setup, neutral_book(fault.dealt_by))
    for event in fault.sensed(watching, seed).events:
        watch, _ = advance(watch, event)
        wakes_ns = wakes_at(watch)
        quiet_ns = watch.table.now_ns + 3600 * 10**9 if wakes_ns is None else wakes_ns - 1
        if quiet_ns <= watch.table.now_ns:
            continue
        later, changed = advance(watch, TimePassed(at_ns=quiet_ns))
        assert changed == ()
        assert view(later) == view(watch)
        assert wakes_at(later) == wakes_ns


# ---------------------------------------------------------------- whatever happens
A_PLACE = st.sampled_from(sorted(PLACES))
A_SEAT = st.sampled_from(["S1", "S2", "S3", "S9", "D", "P", "B"]).map(Place)
A_CARD = st.sampled_from([Card("9h"), Card("Kd"), Card("2c"), JOKER, *FULL_PACK[:6]])
A_TAG = st.sampled_from(["9h", "Kd", "9h#2", "Kd@other", "X1", "JK", "2c", "As", "Ks"]).map(Tag)
A_TIME = st.integers(0, 8_000_000_000)


ANY_FIELD: dict[str, st.SearchStrategy[Any]] = {
    "at_ns": A_TIME,
    "place": st.none() | A_PLACE,
    "seat": A_SEAT,
    "tag": st.none() | A_TAG,
    "card": st.none() | A_CARD,
    "pack": st.sampled_from([None, "main", "other"]),
    "count": st.integers(0, 60),
    "is_complete": st.booleans(),
    "tags": st.none() | st.lists(A_TAG, max_size=4).map(tuple),
    "device": st.sampled_from(["shoe", "seat:3", "camera", "jackpot-meter", ""]),
    "reason": st.just(""),
    "how": st.just(""),
    "top": st.integers(0, 52),
    "bottom": st.integers(0, 52),
    "faces_up": st.lists(A_CARD, max_size=2).map(tuple),
    "is_done": st.booleans(),
    "was_offered": st.booleans(),
    "action": st.sampled_from(get_args(Action)),
    "is_foreign": st.booleans(),
    "is_out_of_turn": st.booleans(),
    "claim": st.sampled_from(["misdeal", "redeal"]),
    "topic": st.sampled_from(get_args(Topic)),
    "yes": st.none() | st.booleans(),
    "by": st.sampled_from([None, "dealer", "player"]),
    "number": st.none() | st.integers(0, 9),
    "text": st.sampled_from(["", "r1", "r1 why", "r99 why", "main", "other", "mixed", "blue"]),
    "clause": st.sampled_from(["", "T-A5", "A0", "L-B3", "14.9", "Z-99"]),
    "amounts": st.sampled_from([{}, {"needed": 20, "put": 5}, {"limit": 1}]),
}


def _any_field(event: type, name: str) -> st.SearchStrategy[Any]:
    """Return what a field of an event can hold; of a statement it can be left out."""
    return st.none() | ANY_FIELD[name] if (event, name) == (Stated, "seat") else ANY_FIELD[name]


ANY_EVENT = st.one_of(
    [
        st.builds(event, **{name: _any_field(event, name) for name in event.__struct_fields__})
        for event in get_args(AnyEvent)
    ]
)
EVENTS = st.lists(ANY_EVENT, min_size=1, max_size=40)
EVERY_BOOK: dict[Game, tuple[str, ...]] = {
    "holdem": ("tda-2024", "tda-2017", "robert-rules-11", "wsop", "nz-1999"),
    "omaha": ("tda-2024",),
    "shortdeck": ("tda-2024",),
    "stud7": ("tda-2024", "laws-of-poker"),
    "draw5": ("laws-of-poker", "tda-2024"),
    "lowball27": ("tda-2024",),
    "caribbean-stud": ("nsw-caribbean-stud",),
    "three-card": ("qld-three-card",),
    "baccarat": ("pa-baccarat", "melilla-baccarat"),
    "blackjack": ("south-dakota-blackjack",),
}


@pytest.mark.parametrize("game", GAMES)
@hands_of(10)
@given(EVENTS, SEEDS, st.sampled_from(["entered", "inferred"]))
def test_no_sequence_of_events_raises_and_what_comes_of_it_can_be_shown(
    game: Game, events: list[AnyEvent], seed: int, hands: str
) -> None:
    rng = random.Random(seed)
    deal = clean_deal(game, rng, hands=hands)
    watch = begin(deal.setup, book(rng.choice(EVERY_BOOK[game])))
    dealt = list(deal.sensed(FULL, seed).events)
    at = rng.randrange(len(dealt))
    reasons: list[str | None] = []
    for event in [*dealt[:at], *events, *dealt[at:]]:
        reasons.append(refused(watch, event))
        watch, changed = advance(watch, event)
        assert msgspec.json.encode([public(watch, ruling) for ruling in changed])
    assert "" not in reasons
    assert msgspec.json.encode(view(watch))
    assert {ruling.state for ruling in open_rulings(watch)} <= {"open"}
    due = next_due(watch)
    assert due is None or due[0] in watch.table.entitled
