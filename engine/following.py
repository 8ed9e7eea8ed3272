"""One event after the other: the table, what was found, and the rulings that follow."""

from msgspec import Struct
from msgspec.structs import replace

from engine.closing import close_deal, close_hand, dealer_named, is_stopped, replays
from engine.docket import Docket, Ruling
from engine.events import AnyEvent
from engine.rulebook import RuleBook
from engine.rulings import rule
from engine.seating import arrange, next_hand
from engine.state import Table
from engine.table import Found, end_late, ends_before, keep_for_next, step


class Now(Struct, frozen=True):
    """A table and its rulings at one moment."""

    table: Table
    docket: Docket


Followed = tuple[Now, list[Ruling]]


def follow(book: RuleBook, now: Now, event: AnyEvent) -> Followed:
    """Return the table and its rulings after an event, and the rulings that changed."""
    changes: list[Ruling] = []
    stopped = is_stopped(now.docket)
    if ends_before(now.table, event, is_stopped=stopped):
        now, changes = _take(book, now, *end_late(now.table))
    table = keep_for_next(now.table, event, is_stopped=stopped)
    now, more = _take(book, now, *step(table, event))
    return now, changes + more


def _take(book: RuleBook, now: Now, table: Table, found: list[Found]) -> Followed:
    """Let the rulings follow the table."""
    before, docket = now.table, now.docket
    is_collected = table.deal_no != before.deal_no
    docket, changes = rule(book, docket, before if is_collected else table, found)
    if is_collected:
        table, docket, more = _close(table, docket, is_said=table.hand_no != before.hand_no)
        changes += more
    elif table.hand_no != before.hand_no:
        docket, more = close_hand(docket, table.hand_no)
        changes += more
    return Now(table, docket), changes


def _close(table: Table, docket: Docket, *, is_said: bool) -> tuple[Table, Docket, list[Ruling]]:
    """End a deal: the same one is due again, or the next hand."""
    is_replay = replays(docket)
    named = dealer_named(docket)
    is_redeal = named is not None and named.verdict == "redeal"
    table = replace(table, next_dealer=named.next_dealer if named else None)
    if is_redeal:
        dealer = table.next_dealer
        table = arrange(replace(table, dealer=dealer, due_dealer=dealer))
    docket, changes = close_deal(docket)
    if not is_said:
        is_due = not is_replay or (named is not None and not is_redeal)
        if table.setup.hands == "entered" or not is_due:
            return table, docket, changes
        table = next_hand(table)
    docket, more = close_hand(docket, table.hand_no)
    return table, docket, changes + more
