"""The controller of a table: one queue, one consumer, the journal before anyone is told.

Whatever happens is put on the queue: by readers, by a camera, by the operator's door, by the
clock. One consumer takes it, asks the engine, hands event and rulings to the journal, and tells
the listeners when the disk has them. It decides nothing itself.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from engine.docket import Ruling
from engine.errors import StatementError
from engine.events import AnyEvent, Approved, TimePassed
from engine.statements import parse_statement
from engine.watch import TableView, Watch, advance, public, refused, view
from misdeal.clock import Clock
from misdeal.disclosure import faces_up
from misdeal.door import Answer
from misdeal.feed import Feed, Shown
from misdeal.journal import Entry, Journal
from misdeal.people import Person
from misdeal.replay import event_entry, ruling_entry

# A deadline is kept to a tenth of a second: nobody at a table tells a difference.
TICK_S = 0.1


class _Happening(Struct, frozen=True):
    """An event on the queue; where an operator said it, his words and the answer he waits for."""

    event: AnyEvent
    text: str = ""
    by: Person | None = None
    answer: asyncio.Future[Answer] | None = None


class Controller:
    """Carries a table from event to event."""

    def __init__(
        self,
        watch: Watch,
        journal: Journal,
        feed: Feed,
        *,
        clock: Clock,
        on_move: Callable[[Watch], None],
        on_told: Callable[[AnyEvent, Shown], None] = lambda event, shown: None,
    ) -> None:
        """Take over a table.

        Args:
            watch: The table as it stands.
            journal: Keeps what happens from now on.
            feed: Everyone who is told.
            clock: The table's clock.
            on_move: Called with the table after each event, before the journal has it; for
                machinery that must look ahead, never for people.
            on_told: Called with each event and what may be shown of it, once the journal has it;
                for lamps, buzzer and gate.
        """
        self.watch = watch
        self._table = view(watch)
        self._journal = journal
        self._feed = feed
        self._clock = clock
        self._on_move = on_move
        self._on_told = on_told
        # Without a bound: readers and operators are never dropped, and they speak of cards that
        # people move by hand. A thousand waiting events are done in hundredths of a second.
        self._queue: asyncio.Queue[_Happening] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def offer(self, event: AnyEvent) -> None:
        """Put an event on the queue."""
        self._queue.put_nowait(_Happening(event))

    async def say(self, text: str, by: Person | None = None) -> Answer:
        """Carry an operator's words to the table; returns when the journal has them.

        Args:
            text: The words.
            by: Who says them, where it is known; the journal keeps it, and an approval is his.
        """
        answer: asyncio.Future[Answer] = self._loop.create_future()
        try:
            event = parse_statement(text, self._clock())
        except StatementError as error:
            self._refuse(text, error.reason, self._clock(), answer, by)
        else:
            if by is not None and isinstance(event, Approved):
                event = replace(event, by=by.name)
            self._queue.put_nowait(_Happening(event, text, by, answer))
        return await answer

    async def consume(self) -> None:
        """Take what happens, one after the other, until cancelled."""
        while True:
            happening = await self._queue.get()
            event, answer = happening.event, happening.answer
            reason = refused(self.watch, event) if answer else None
            if answer and reason:
                self._refuse(happening.text, reason, event.at_ns, answer, happening.by)
            else:
                self.take(event, answer, text=happening.text, by=happening.by)

    async def tick(self) -> None:
        """Let time pass, until cancelled."""
        while True:
            await asyncio.sleep(TICK_S)
            self.offer(TimePassed(at_ns=self._clock()))

    def note(self, person: Person | None, did: str, **more: str) -> None:
        """Keep what a person did that is no statement, such as to sign in; None for a stranger."""
        self._keep([person_entry(person, did, self._clock(), **more)], lambda: None)

    def take(
        self,
        event: AnyEvent,
        answer: asyncio.Future[Answer] | None = None,
        *,
        text: str = "",
        by: Person | None = None,
    ) -> None:
        """Ask the engine about an event, and see to it that journal and listeners are told.

        Time that changes nothing leaves no trace, not even in the table: so the journal's events
        alone give the same table again.

        Args:
            event: What happened.
            answer: Where an operator said it: what he waits for.
            text: His words.
            by: Who he is, where it is known.
        """
        after, rulings = advance(self.watch, event)
        table = view(after)
        if isinstance(event, TimePassed) and not rulings and table == self._table:
            return
        ended = [Entry("head", event.at_ns, "hand")] if _is_over(self.watch, after) else []
        self.watch, self._table = after, table
        self._on_move(after)
        shown = show(after, table, event, rulings, said=text, by=by.name if by else "")
        said = [person_entry(by, "said", event.at_ns, text=text)] if by else []
        entries = [
            *said,
            event_entry(event),
            *(ruling_entry(each, event.at_ns) for each in rulings),
            *ended,
        ]
        self._keep(entries, partial(self._tell, event, shown, answer))

    def _refuse(
        self,
        text: str,
        reason: str,
        at_ns: int,
        answer: asyncio.Future[Answer],
        by: Person | None,
    ) -> None:
        whose = {"person": by.name, "role": by.role} if by else {}
        body = json.dumps({"text": text, "reason": reason, **whose}, ensure_ascii=False)
        refusal = Answer(ok=False, reason=reason)
        self._keep([Entry("refused", at_ns, body)], partial(_give, answer, refusal))

    def _keep(self, entries: list[Entry], then: Callable[[], None]) -> None:
        self._journal.append(entries, partial(self._loop.call_soon_threadsafe, then))

    def _tell(self, event: AnyEvent, shown: Shown, answer: asyncio.Future[Answer] | None) -> None:
        self._on_told(event, shown)
        self._feed.tell(shown)
        if answer is not None:
            _give(answer, Answer(ok=True, rulings=shown.rulings))


def show(
    watch: Watch,
    table: TableView,
    event: AnyEvent,
    rulings: Sequence[Ruling],
    *,
    said: str = "",
    by: str = "",
) -> Shown:
    """Return what may be shown after an event.

    Args:
        watch: The table after it.
        table: The view of it.
        event: What happened.
        rulings: Those that are new or changed.
        said: An operator's words, where that is what happened.
        by: Who he is, where it is known.
    """
    return Shown(
        at_ns=event.at_ns,
        rulings=tuple(public(watch, ruling) for ruling in rulings),
        table=table,
        faces=faces_up(watch),
        can_undo=bool(watch.table.hand.said),
        said=said,
        by=by,
    )


def _is_over(before: Watch, after: Watch) -> bool:
    """Say whether a hand ended; a deal that is to be dealt again is one of its own."""
    was, now = before.table, after.table
    return was.hand_no != now.hand_no or (was.hand.is_started and not now.hand.is_started)


def person_entry(person: Person | None, did: str, at_ns: int, **more: str) -> Entry:
    """Return what a person did as the journal keeps it."""
    who = {"person": person.name, "role": person.role} if person else {"person": ""}
    body = {**who, "did": did, **more}
    return Entry("person", at_ns, json.dumps(body, ensure_ascii=False))


def _give(future: asyncio.Future[Answer], answer: Answer) -> None:
    """Answer whoever still waits; a door that was closed meanwhile does not."""
    if not future.done():
        future.set_result(answer)
