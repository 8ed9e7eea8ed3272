"""The controller asks the engine, keeps first and tells second."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from engine.events import AnyEvent, PackShuffled, TimePassed
from engine.watch import Watch, begin, view
from misdeal.controller import Controller
from misdeal.door import Answer
from misdeal.feed import Feed, Shown
from misdeal.journal import Journal, JournalReader, Record
from misdeal.replay import Comparison, begin_again, play, resume
from misdeal.tablefile import Layout

Play = Callable[[Controller, Feed], Awaitable[None]]


def attended(layout: Layout, work: Play, on_move: Callable[[Watch], None] | None = None) -> Watch:
    """Let a controller take what the work offers, and return the table after it."""

    async def run() -> Watch:
        with Journal(layout.journal, layout.header) as journal:
            feed = Feed()
            controller = Controller(
                begin(layout.setup, layout.book),
                journal,
                feed,
                clock=lambda: 5,
                on_move=on_move or (lambda watch: None),
            )
            consumer = asyncio.ensure_future(controller.consume())
            await work(controller, feed)
            consumer.cancel()
            return controller.watch

    return asyncio.run(run())


def records(path: Path) -> list[Record]:
    with JournalReader(path) as reader:
        return list(reader.records())


async def offer_all(controller: Controller, events: Sequence[AnyEvent]) -> None:
    """Offer events and wait until the journal has them: the answer to a statement comes behind."""
    for event in events:
        controller.offer(event)
    await controller.say("say undo")


def test_every_listener_hears_every_event_with_its_rulings(
    layout: Layout, hands: list[AnyEvent]
) -> None:
    heard: list[Shown] = []

    async def work(controller: Controller, feed: Feed) -> None:
        listeners = [feed.listen(), feed.listen()]
        first = [event for event in hands[:100] if not isinstance(event, TimePassed)]
        await offer_all(controller, first)
        one, other = [[await each.next() for _ in first] for each in listeners]
        assert one == other
        heard.extend(one)

    watch = attended(layout, work)
    assert [shown.at_ns for shown in heard] == [
        event.at_ns for event in hands[:100] if not isinstance(event, TimePassed)
    ]
    assert heard[-1].table.hand_no == view(watch).hand_no


def test_what_is_shown_is_in_the_journal_already(layout: Layout, hands: list[AnyEvent]) -> None:
    async def work(controller: Controller, feed: Feed) -> None:
        listener = feed.listen()
        for event in hands[:40]:
            controller.offer(event)
            shown = await listener.next()
            kept = [record for record in records(layout.journal) if record.kind == "event"]
            assert kept[-1].at_ns == shown.at_ns

    attended(layout, work)


def test_a_journal_replays_to_the_same_rulings_and_the_same_table(
    layout: Layout, hands: list[AnyEvent]
) -> None:
    async def work(controller: Controller, feed: Feed) -> None:
        await offer_all(controller, hands)

    watch = attended(layout, work)
    with JournalReader(layout.journal) as reader:
        resumed, last_ns, divergence = resume(reader)
    assert divergence is None
    assert view(resumed) == view(watch)
    assert last_ns == max(event.at_ns for event in hands if not isinstance(event, TimePassed))
    assert any(record.kind == "ruling" for record in records(layout.journal))


def test_time_that_changes_nothing_leaves_no_trace(layout: Layout) -> None:
    async def work(controller: Controller, feed: Feed) -> None:
        await offer_all(controller, [TimePassed(at_ns=n * 10**8) for n in range(50)])

    attended(layout, work)
    assert [record.kind for record in records(layout.journal)] == ["refused"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("act S3 jump", "expected one of fold, check"),
        ("say undo", "there is no statement to undo"),
        ("", "nothing was said"),
    ],
)
def test_a_statement_that_is_refused_is_answered_and_kept(
    layout: Layout, text: str, reason: str
) -> None:
    answers: list[Answer] = []

    async def work(controller: Controller, feed: Feed) -> None:
        answers.append(await controller.say(text))

    attended(layout, work)
    assert not answers[0].ok
    assert reason in answers[0].reason
    (record,) = records(layout.journal)
    assert record.kind == "refused"
    assert msgspec.json.decode(record.body)["text"] == text


def test_a_statement_is_answered_with_the_rulings_that_it_made(layout: Layout) -> None:
    answers: list[Answer] = []

    async def work(controller: Controller, feed: Feed) -> None:
        answers.append(await controller.say("pack 51"))

    attended(layout, work)
    (answer,) = answers
    assert answer.ok
    assert [ruling.finding for ruling in answer.rulings] == ["wrong_pack_count"]


def test_machinery_looks_ahead_after_each_event(layout: Layout, hands: list[AnyEvent]) -> None:
    seen: list[str] = []

    async def work(controller: Controller, feed: Feed) -> None:
        await offer_all(controller, hands[:30])

    attended(layout, work, on_move=lambda watch: seen.append(view(watch).phase))
    assert len(seen) == len([event for event in hands[:30] if not isinstance(event, TimePassed)])
    assert "initial deal" in seen


def edited(record: Record, changes: dict[str, object]) -> Record:
    body = msgspec.json.decode(record.body) | changes
    return Record(record.seq, record.kind, record.at_ns, msgspec.json.encode(body).decode())


@pytest.mark.parametrize("change", ["verdict", "left out", "added", "last left out"])
def test_a_replay_that_rules_otherwise_is_told_with_its_row(
    layout: Layout, hands: list[AnyEvent], change: str
) -> None:
    async def work(controller: Controller, feed: Feed) -> None:
        await offer_all(controller, hands)

    attended(layout, work)
    kept = records(layout.journal)
    rows = [n for n, record in enumerate(kept) if record.kind == "ruling"]
    at = rows[-1] if change == "last left out" else rows[0]
    if change == "verdict":
        kept[at] = edited(kept[at], {"because": "else"})
    elif change == "added":
        kept.insert(at, kept[at])
        at += 1
    elif change == "left out":
        del kept[at]
    else:
        del kept[at:]
    comparison = Comparison()
    for played in play(begin_again(layout.header), iter(kept)):
        comparison.take(played)
    comparison.finish()
    assert comparison.divergence is not None
    assert comparison.divergence.recorded != comparison.divergence.replayed
    if change == "verdict":
        assert comparison.divergence.row == kept[at].seq


def test_what_an_operator_says_is_an_event_like_any_other(layout: Layout) -> None:
    async def work(controller: Controller, feed: Feed) -> None:
        assert (await controller.say("shuffle")).ok

    attended(layout, work)
    (record,) = records(layout.journal)
    event = msgspec.json.decode(record.body, type=AnyEvent)
    assert event == PackShuffled(at_ns=5)
