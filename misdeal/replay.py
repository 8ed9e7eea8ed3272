"""A journal through the engine again: the state it led to, and whether it still rules the same."""

from collections.abc import Callable, Iterator

import msgspec
from msgspec import Struct

from engine.docket import Ruling
from engine.events import AnyEvent
from engine.setup import TableSetup
from engine.watch import Watch, advance, begin
from misdeal.journal import Entry, JournalReader, Record
from misdeal.tablefile import compile_texts

_EVENT = msgspec.json.Decoder(AnyEvent)


class Played(Struct, frozen=True):
    """A row of the journal that has been played."""

    record: Record
    watch: Watch
    """The table after it."""
    event: AnyEvent | None = None
    rulings: tuple[Ruling, ...] = ()
    """What the engine rules now; the rows that follow an event hold what it ruled then."""


class Divergence(Struct, frozen=True):
    """The first row at which the engine does not rule as it did."""

    row: int
    recorded: str
    """The JSON of the ruling in the journal; empty where it has none."""
    replayed: str
    """The JSON of the ruling now; empty where there is none now."""


def event_entry(event: AnyEvent) -> Entry:
    """Return an event as the journal keeps it."""
    return Entry("event", event.at_ns, msgspec.json.encode(event).decode())


def ruling_entry(ruling: Ruling, at_ns: int) -> Entry:
    """Return a new or changed ruling as the journal keeps it."""
    return Entry("ruling", at_ns, msgspec.json.encode(ruling).decode())


def begin_again(header: dict[str, str]) -> Watch:
    """Return the table as it was before the first row of a journal.

    Raises:
        BookError: If this version of the engine does not take the journal's rule book.
    """
    setup = msgspec.json.decode(header["setup"], type=TableSetup)
    return begin(setup, compile_texts(header))


def play(watch: Watch, records: Iterator[Record]) -> Iterator[Played]:
    """Play rows of a journal, from the table before the first of them."""
    for record in records:
        if record.kind != "event":
            yield Played(record, watch)
            continue
        event = _EVENT.decode(record.body)
        watch, rulings = advance(watch, event)
        yield Played(record, watch, event, rulings)


class Comparison:
    """Compares the rulings of a journal with those of its replay, row by row."""

    def __init__(self) -> None:
        self.events = 0
        self.rulings = 0
        self.divergence: Divergence | None = None
        self._due: list[str] = []
        self._last_row = -1

    def take(self, played: Played) -> None:
        """Compare one row; after the first difference nothing is compared any more."""
        record = played.record
        if record.kind == "ruling":
            self.rulings += 1
            self._compare(record.seq, record.body, self._due.pop(0) if self._due else "")
        else:
            self._expect_none(record.seq)
        if played.event is not None:
            self.events += 1
            self._due = [msgspec.json.encode(ruling).decode() for ruling in played.rulings]
        self._last_row = record.seq

    def finish(self) -> None:
        """Say that there are no more rows."""
        self._expect_none(self._last_row + 1)

    def _expect_none(self, row: int) -> None:
        if self._due:
            self._compare(row, "", self._due[0])

    def _compare(self, row: int, recorded: str, replayed: str) -> None:
        if recorded != replayed and self.divergence is None:
            self.divergence = Divergence(row, recorded, replayed)


def resume(
    reader: JournalReader, follow: Callable[[AnyEvent, tuple[Ruling, ...]], None] | None = None
) -> tuple[Watch, int, Divergence | None]:
    """Return where a journal left its table.

    Args:
        reader: The journal.
        follow: Called with every event and the rulings that it changed.

    Returns:
        The table; the time of the last row, 0 for none; where the engine would rule otherwise now.
    """
    watch, last_ns = begin_again(reader.header), 0
    comparison = Comparison()
    for played in play(watch, reader.records()):
        watch, last_ns = played.watch, max(last_ns, played.record.at_ns)
        comparison.take(played)
        if follow and played.event is not None:
            follow(played.event, played.rulings)
    comparison.finish()
    return watch, last_ns, comparison.divergence
