"""What presence believes of weak readers, of those that tell unasked, and of copied tags."""

import pytest
from msgspec.structs import replace

from engine.cards import RACK, SHOE, Card, Pack, Place, Tag, TaggedCard
from engine.events import CardRead
from firmware_bridge.polls import Poll
from firmware_bridge.presence import Presence
from firmware_bridge.register import Register
from tests.firmware_bridge.looks import (
    BLUE,
    FOREIGN,
    MS,
    NINE,
    S1,
    S3,
    empty,
    fed,
    presence,
    seen,
    short,
    unknown,
)


# ---------------------------------------------------------------- readers that are not trusted
@pytest.mark.parametrize(("reads", "told"), [(1, ["+shoe 9h"]), (2, [])])
def test_bugs_27_a_weak_checksum_needs_two_reads_at_the_shoe_too(
    reads: int, told: list[str]
) -> None:
    keeper = presence()
    polls = [replace(seen(SHOE, n, NINE), reads_to_trust=reads) for n in (0, 30)]
    assert short(keeper.take(polls[0])) == told
    assert short(keeper.take(polls[1])) == ([] if told else ["+shoe 9h"])


# ---------------------------------------------------------------- readers that tell unasked
def told_of(place: Place, at_ms: int, *tags: Tag) -> Poll:
    return replace(seen(place, at_ms, *tags, is_complete=False), is_pushed=True)


@pytest.mark.parametrize(
    ("gap_ms", "told"), [(49, []), (50, ["+rack 9h"]), (2_000, ["+rack 9h"]), (2_001, [])]
)
def test_a_tag_of_a_stream_is_confirmed_by_time_and_not_by_the_tags_between(
    gap_ms: int, told: list[str]
) -> None:
    crowd = [told_of(RACK, n, Tag(f"E280{n:020X}")) for n in range(1, 49)]
    polls = [told_of(RACK, 0, NINE), *crowd, told_of(RACK, gap_ms, NINE)]
    assert short(fed(presence(), polls)) == told


def test_a_card_on_a_pad_that_repeats_it_is_told_once_and_never_gone() -> None:
    keeper = presence()
    polls = [told_of(S1, 100 * n, NINE) for n in range(50)]
    later = [told_of(S1, 60_000 + 100 * n, NINE) for n in range(50)]
    assert short(fed(keeper, polls + later)) == ["+S1 9h"]


def test_a_card_on_a_pad_is_told_again_after_it_was_elsewhere() -> None:
    keeper = presence()
    fed(keeper, [told_of(S1, 100 * n, NINE) for n in range(2)])
    fed(keeper, [seen(S3, 1_000 + 100 * n, NINE) for n in range(2)])
    assert short(fed(keeper, [told_of(S1, 2_000 + 100 * n, NINE) for n in range(5)])) == ["+S1 9h"]


@pytest.mark.parametrize(("gap_ms", "told"), [(1_999, []), (2_000, ["+shoe 9h"])])
def test_a_card_that_a_shoe_tells_again_after_two_seconds_has_passed_it_again(
    gap_ms: int, told: list[str]
) -> None:
    keeper = presence()
    assert short(keeper.take(told_of(SHOE, 0, NINE))) == ["+shoe 9h"]
    assert short(keeper.take(told_of(SHOE, gap_ms, NINE))) == told


def test_a_reader_that_lives_and_vouches_for_nothing_is_not_blind() -> None:
    keeper = presence()
    polls = [seen(S1, 1_000 * n, is_complete=False) for n in range(20)]
    assert fed(keeper, polls) == []
    fed(keeper, [unknown(S1, 30_000 + 500 * n) for n in range(4)])
    assert short(keeper.take(seen(S1, 40_000, is_complete=False))) == ["restored seat:1"]


# ---------------------------------------------------------------- shoes that know faces alone
def passed(at_ms: int, *cards: str) -> Poll:
    faces = tuple(map(Card, cards))
    return replace(told_of(SHOE, at_ms), cards=faces)


def test_a_code_is_the_one_registered_card_of_its_face() -> None:
    (event,) = presence().take(passed(5, "9h"))
    assert event == CardRead(place=SHOE, tag=NINE, card=Card("9h"), pack="blue", at_ns=5 * MS)


def test_each_code_is_a_card_however_often_it_comes() -> None:
    events = fed(presence(), [passed(5, "9h"), passed(55, "9h", "Kd", "9h")])
    assert [event.at_ns for event in events] == [5 * MS, 55 * MS, 55 * MS, 55 * MS]


def test_a_code_that_comes_twice_at_once_was_doubled_on_its_way() -> None:
    assert len(fed(presence(), [passed(5, "9h", "9h"), passed(54, "9h"), passed(103, "9h")])) == 1


def test_a_doubled_frame_confirms_nothing() -> None:
    polls = [told_of(RACK, 10 * n, NINE) for n in range(5)]
    assert fed(presence(), polls) == []


@pytest.mark.parametrize("packs", [[], [BLUE, Pack("red", (TaggedCard(FOREIGN, Card("9h")),))]])
def test_a_code_that_may_be_several_cards_is_a_card_of_its_own(packs: list[Pack]) -> None:
    keeper = Presence(Register(packs))
    events = fed(keeper, [passed(5, "9h"), passed(60, "9h", "Kd", "9h")])
    assert all(isinstance(e, CardRead) and e.pack is None for e in events)
    assert len({event.tag for event in events if isinstance(event, CardRead)}) == 4


def test_a_code_of_a_card_that_the_pack_has_not_is_a_card_of_no_pack() -> None:
    (event,) = presence().take(passed(5, "As"))
    assert isinstance(event, CardRead)
    assert (event.card, event.pack) == ("As", None)


# ---------------------------------------------------------------- copied tags
def test_bugs_49_a_uid_that_stays_at_two_far_places_is_a_suspicion_told_once() -> None:
    keeper = presence()
    far = Place("S5")
    polls = [seen(place, 100 * n, NINE) for n in range(30) for place in (S1, far)]
    told = short(fed(keeper, polls))
    assert told[:2] == ["+S1 9h", "+S5 9h"]
    (suspicion,) = keeper.suspicions
    assert (suspicion.tag, suspicion.places) == (NINE, (S1, far))
    assert "cannot hear one card" in suspicion.why


def test_a_card_that_is_carried_to_and_fro_is_no_copied_tag() -> None:
    keeper = presence()
    far = Place("S5")
    for n in range(0, 40, 4):
        here, there = (S1, far) if n % 8 else (far, S1)
        for at in range(4):
            fed(keeper, [seen(here, 400 * (n + at), NINE), empty(there, 400 * (n + at) + 100)])
    assert keeper.suspicions == []


def test_what_a_survey_found_counts_instead_of_the_layout() -> None:
    keeper = Presence(Register([BLUE]), lambda _one, _other: True)
    fed(keeper, [seen(place, 100 * n, NINE) for n in range(30) for place in (S1, Place("S5"))])
    assert keeper.suspicions == []
