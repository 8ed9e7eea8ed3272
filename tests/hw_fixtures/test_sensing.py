"""A timeline becomes the events that sensors and people would tell."""

import itertools
from collections import Counter

import pytest
from msgspec.structs import replace

from engine.cards import BOARD, BURN, MUCK, PACK, SHOE, STUB
from engine.events import (
    ActionEntered,
    AnyEvent,
    CardGone,
    CardLost,
    CardRead,
    CardSighted,
    DealEnded,
    PackCounted,
    PackShuffled,
    Stated,
    TimePassed,
)
from hw_fixtures.demo import DemoDealer, clean_timelines
from hw_fixtures.sensing import POLLED, READERS, Lags, as_events, setup_of
from hw_fixtures.timeline import Move, Said, Timeline

START_NS = 7_000_000_000


def first_hand() -> Timeline:
    """A clean hand of the demo that goes to a showdown."""
    return next(
        timeline
        for timeline in DemoDealer(1)
        if any(isinstance(step, Said) and "tabled" in step.text for step in timeline.steps)
    )


def told(timeline: Timeline, lags: Lags | None = None) -> list[AnyEvent]:
    return as_events(timeline, start_ns=START_NS, lags=lags)


def test_a_dealt_card_is_read_at_the_shoe_and_then_at_its_seat() -> None:
    timeline = first_hand()
    reads = [event for event in told(timeline) if isinstance(event, CardRead)]
    paths = [[read.place for read in reads if read.tag == tag] for tag in dict.fromkeys(
        read.tag for read in reads)]  # fmt: skip
    assert {len(path) for path in paths} <= {2, 3}
    assert all(path[0] == SHOE and path[1] in READERS - {SHOE, PACK} for path in paths)
    assert all(path[2] == MUCK for path in paths if len(path) == 3)


def test_every_read_names_the_registered_face_and_pack() -> None:
    timeline = first_hand()
    known = {card.tag: card.card for card in timeline.pack.cards}
    for event in told(timeline):
        if isinstance(event, CardRead):
            assert (event.card, event.pack) == (known[event.tag], timeline.pack.name)


def test_a_card_of_no_register_is_read_without_face_or_pack() -> None:
    timeline = next(t for t in DemoDealer(1) if t.irregularity == "foreign")
    strangers = {
        (event.card, event.pack)
        for event in told(timeline)
        if isinstance(event, CardRead) and event.tag not in {c.tag for c in timeline.pack.cards}
    }
    assert strangers == {(None, None)}


@pytest.mark.parametrize("lags", [None, POLLED])
def test_whatever_was_read_is_gone_before_the_pack_is_counted_again(lags: Lags | None) -> None:
    for timeline in itertools.islice(clean_timelines(2), 10):
        events = told(timeline, lags)
        reads = Counter((e.place, e.tag) for e in events if isinstance(e, CardRead))
        gone = Counter((e.place, e.tag) for e in events if isinstance(e, CardGone))
        assert reads == gone
        *_, count, end = events
        assert isinstance(end, TimePassed)
        assert isinstance(count, PackCounted)
        assert count.is_complete
        assert count.tags == tuple(sorted(timeline.pack.own_tags()))
        assert count.count == len(count.tags)


def test_a_pad_is_counted_only_when_the_cards_on_it_lie_still() -> None:
    for timeline in itertools.islice(DemoDealer(6), 12):
        counts = [event for event in told(timeline) if isinstance(event, PackCounted)]
        assert {event.tags for event in counts} == {tuple(sorted(timeline.pack.own_tags()))}


def test_a_pack_that_is_laid_down_in_two_portions_is_counted_once_when_it_is_whole() -> None:
    timeline = first_hand()
    tags = sorted(timeline.pack.own_tags())
    portions = [(1.0, tags[:20]), (1.8, tags[20:])]
    steps = tuple(
        Move(at_s=at_s, tag=tag, source=STUB, target=PACK)
        for at_s, portion in portions
        for tag in portion
    )
    counts = [
        (event.at_ns, event.count)
        for event in told(replace(timeline, steps=steps))
        if isinstance(event, PackCounted)
    ]
    assert counts == [(START_NS + 2_800_000_000, 52)]


def test_an_open_card_is_seen_within_400_ms_of_its_landing() -> None:
    events = told(first_hand())
    landed = {e.card: e.at_ns for e in events if isinstance(e, CardRead) and e.place == BOARD}
    seen = {e.card: e.at_ns for e in events if isinstance(e, CardSighted) and e.place == BOARD}
    assert seen.keys() == landed.keys()
    assert all(0 < seen[card] - landed[card] <= 400_000_000 for card in seen)
    lost = [event.card for event in events if isinstance(event, CardLost)]
    sighted = [event.card for event in events if isinstance(event, CardSighted)]
    assert sorted(map(str, lost)) == sorted(map(str, sighted))


def test_statements_become_their_events() -> None:
    timeline = first_hand()
    said = [step.text for step in timeline.steps if isinstance(step, Said)]
    kinds = (PackShuffled, DealEnded, ActionEntered, Stated)
    events = [event for event in told(timeline) if isinstance(event, kinds)]
    assert len(events) == len(said)
    acts = [event for event in events if isinstance(event, ActionEntered)]
    assert [f"act {act.seat} {act.action}" for act in acts] == [
        text for text in said if text.startswith("act")
    ]


def test_events_come_in_order_of_capture_from_the_start_on() -> None:
    for lags in (None, POLLED):
        times = [event.at_ns for event in told(first_hand(), lags)]
        assert times == sorted(times)
        assert times[0] >= START_NS


def test_a_polled_reader_tells_later_and_the_same_for_the_same_seed() -> None:
    timeline = first_hand()
    ideal = {(e.place, e.tag): e.at_ns for e in told(timeline) if isinstance(e, CardRead)}
    polled = [event for event in told(timeline, POLLED) if isinstance(event, CardRead)]
    for event in polled:
        lag_ns = event.at_ns - ideal[event.place, event.tag]
        assert lag_ns == 0 if event.place == SHOE else 30_000_000 <= lag_ns <= 180_000_000
    assert told(timeline, POLLED) == told(timeline, POLLED)
    assert told(timeline, POLLED) != told(timeline, replace(POLLED, seed=1))


def test_the_set_up_is_that_of_the_hand() -> None:
    timeline = first_hand()
    setup = setup_of(timeline, actions="none", hands="inferred")
    assert (setup.game, setup.seats, setup.button) == (
        "holdem", timeline.seats, timeline.button,
    )  # fmt: skip
    assert (setup.actions, setup.hands) == ("none", "inferred")
    assert setup.packs == (timeline.pack,)
    assert {SHOE, BOARD, BURN, MUCK, PACK, *timeline.seats} <= setup.readers


def test_without_betting_entered_the_sensors_tell_the_same() -> None:
    told_of, silent = (
        [
            event
            for event in told(next(DemoDealer(8, actions=actions)))
            if isinstance(event, CardRead)
        ]
        for actions in ("entered", "none")
    )
    assert told_of == silent
    assert told_of
