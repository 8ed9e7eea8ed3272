"""No output names a face-down card of a live hand, whatever the hands bring."""

import io
import re
from collections.abc import Iterator, Sequence

import msgspec
import pytest
from rich.console import Console

from engine.cards import SHOE, Card, Place
from engine.docket import Ruling
from engine.events import AnyEvent, CardRead, CardSighted, TimePassed
from engine.watch import Watch, advance, begin, public, view
from engine.words import STOPPING, TAKES_CARD_OUT
from hw_fixtures.packs import own_cards
from misdeal.disclosure import conceal, disclose
from misdeal.feed import Shown
from misdeal.journal import Record
from misdeal.lines import as_json, as_text
from misdeal.replay import event_entry, play, ruling_entry
from misdeal.tablefile import Layout
from misdeal.terminal import Scene, draw

FACE = re.compile(r"(?<![\w-])[2-9TJQKA][shdc](?![\w-])")


class Moment(msgspec.Struct, frozen=True):
    """The table after an event, and what has been seen face up or was ruled out by then."""

    watch: Watch
    event: AnyEvent
    rulings: tuple[Ruling, ...]
    named: frozenset[Card]


def moments(layout: Layout, hands: Sequence[AnyEvent]) -> Iterator[Moment]:
    watch = begin(layout.setup, layout.book)
    named: frozenset[Card] = frozenset()
    for event in hands:
        was_started = watch.table.hand.is_started
        watch, rulings = advance(watch, event)
        if was_started and not watch.table.hand.is_started:
            named = frozenset()
        named |= {each.card for each in rulings if each.card and ends_secrecy(each)}
        if isinstance(event, CardSighted) and event.card:
            named |= {event.card}
        yield Moment(watch, event, rulings, named)


def ends_secrecy(ruling: Ruling) -> bool:
    """Say whether a ruling stops its hand or takes its card out of play."""
    return ruling.state == "final" and ruling.verdict in STOPPING | TAKES_CARD_OUT


def outputs(moment: Moment) -> str:
    """Return everything that is shown after an event, by every screen there is."""
    table = view(moment.watch)
    rulings = tuple(public(moment.watch, ruling) for ruling in moment.rulings)
    shown = Shown(at_ns=moment.event.at_ns, rulings=rulings, table=table)
    console = Console(file=io.StringIO(), width=120)
    console.print(draw(Scene(title="t", pack=52, now_ns=shown.at_ns, table=table, older=rulings)))
    lines = [line.decode() for line in as_json(shown)]
    return "\n".join([*lines, *as_text(shown), console.file.getvalue()])  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def tags(all_kinds: list[AnyEvent]) -> frozenset[str]:
    return frozenset(tag for event in all_kinds if (tag := getattr(event, "tag", None)))


def test_no_screen_names_a_tag_or_a_face_down_card(
    layout: Layout, all_kinds: list[AnyEvent], tags: frozenset[str]
) -> None:
    told = 0
    for moment in moments(layout, all_kinds):
        if moment.rulings or moment.event is all_kinds[-1]:
            text = outputs(moment)
            told += len(FACE.findall(text))
            assert not [tag for tag in tags if tag in text]
            assert set(FACE.findall(text)) <= moment.named
    assert told > 0


def test_a_face_down_card_of_the_other_pack_is_ruled_on_and_not_named(layout: Layout) -> None:
    red, blue = (own_cards(pack) for pack in layout.setup.packs)
    events: list[AnyEvent] = [
        CardRead(at_ns=n * 10**9, place=place, tag=line.tag, card=line.card, pack=pack)
        for n, (line, place, pack) in enumerate(
            [(red[0], SHOE, "red"), (red[0], Place("S1"), "red"), (blue[9], Place("S2"), "blue")]
        )
    ]
    events.append(TimePassed(at_ns=6 * 10**9))
    *_, last = moments(layout, events)
    assert blue[9].card in {ruling.card for ruling in last.rulings}
    text = outputs(last)
    assert "foreign_card" in text
    assert (FACE.findall(text), blue[9].tag in text) == ([], False)
    *_, ruling = play(begin(layout.setup, layout.book), iter(rows(layout, events)))
    assert FACE.findall(str(conceal(ruling).body)) == []


def rows(layout: Layout, hands: Sequence[AnyEvent]) -> list[Record]:
    """Return the rows of the journal of these hands."""
    watch = begin(layout.setup, layout.book)
    kept: list[Record] = []
    for event in hands:
        watch, rulings = advance(watch, event)
        for entry in (event_entry(event), *(ruling_entry(each, event.at_ns) for each in rulings)):
            kept.append(Record(len(kept), entry.kind, entry.at_ns, entry.body))
    return kept


def test_the_tail_of_a_journal_names_no_tag_and_no_face_down_card(
    layout: Layout, all_kinds: list[AnyEvent], tags: frozenset[str]
) -> None:
    named: frozenset[str] = frozenset()
    for played in play(begin(layout.setup, layout.book), iter(rows(layout, all_kinds))):
        named |= {each.card for each in played.rulings if each.card and ends_secrecy(each)}
        if isinstance(played.event, CardSighted) and played.event.card:
            named |= {played.event.card}
        text = msgspec.json.encode(conceal(played)).decode()
        assert not [tag for tag in tags if tag in text]
        assert set(FACE.findall(text)) <= named


def test_an_export_names_every_card_of_hands_that_are_over_and_none_of_the_last(
    layout: Layout, all_kinds: list[AnyEvent], tags: frozenset[str]
) -> None:
    middle = next(
        n
        for n, moment in enumerate(moments(layout, all_kinds))
        if n > len(all_kinds) // 2 and moment.watch.table.hand.served == 5
    )
    kept = rows(layout, all_kinds[: middle + 1])
    told = list(disclose(play(begin(layout.setup, layout.book), iter(kept))))
    assert [row.seq for row in told] == list(range(len(kept)))
    in_full = [
        row.seq
        for row, record in zip(told, kept, strict=True)
        if row.body == msgspec.json.decode(record.body)
    ]
    live = kept[in_full[-1] + 1 :]
    assert len(live) >= 5
    hidden = " ".join(str(row.body) for row in told[-len(live) :])
    assert not [tag for tag in tags if tag in hidden]
    assert any(tag in str(row.body) for row in told[: -len(live)] for tag in tags)
