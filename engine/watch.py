"""A table being watched: one event in, the rulings that are new or changed out.

This is the engine's door. ``advance`` is pure and never raises on any sequence of events.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine import words
from engine.cards import BOARD, BURN, MUCK, RACK, Place, Tag, seat_number
from engine.closing import refuses
from engine.docket import Docket, Ruling
from engine.events import (
    ActionEntered,
    AnyEvent,
    ClaimMade,
    DealEnded,
    HandLooked,
    HandTouched,
    Reported,
    Stated,
)
from engine.following import Now, follow
from engine.judging import named_clauses
from engine.landing import GIVEN_UP_NS, due_hand
from engine.ordering import Moment, put_in_order, remember
from engine.rulebook import RuleBook
from engine.seating import open_table
from engine.setup import TableSetup
from engine.state import Table, count_of
from engine.table import GRACE_NS


class Watch(Struct, frozen=True, kw_only=True):
    """A table, its rulings and the book it is played by."""

    table: Table
    docket: Docket
    book: RuleBook
    recent: tuple[Moment, ...] = ()
    """What was told within the window, for a reading that comes late."""


class PlaceView(Struct, frozen=True):
    """A hand, the board or a pile as it may be shown: counts, no faces."""

    place: Place
    cards: int
    due: int | None
    unread: int
    is_next: bool


class TableView(Struct, frozen=True, kw_only=True):
    """What may be shown of a table to anybody."""

    phase: str
    hand_no: int
    button: Place | None
    places: tuple[PlaceView, ...]
    in_force: tuple[Ruling, ...]


def begin(setup: TableSetup, book: RuleBook) -> Watch:
    """Return a table before its first event.

    Raises:
        SetupError: If the table cannot be watched as it is described.
    """
    table = open_table(setup, is_player_dealt=book.dealt_by == "players")
    return Watch(table=table, docket=Docket(), book=book)


def advance(watch: Watch, event: AnyEvent) -> tuple[Watch, tuple[Ruling, ...]]:
    """Return the table after an event, and the rulings that are new or changed, in order."""
    now = Now(watch.table, watch.docket)
    if watch.recent and event.at_ns < watch.table.now_ns:
        now, recent, changes = put_in_order(watch.book, now, watch.recent, event)
    else:
        recent = remember(watch.recent, Moment(event, now), watch.table.setup)
        now, changes = follow(watch.book, now, event)
    after = Watch(table=now.table, docket=now.docket, book=watch.book, recent=recent)
    return after, tuple(changes)


def wakes_at(watch: Watch) -> int | None:
    """Return when the passing of time alone will next change something, or None.

    Whoever holds the clock tells ``TimePassed`` then; until then nothing needs it.
    """
    table = watch.table
    hand, window_ns = table.hand, table.setup.window_ns
    times = [at_ns + window_ns + 1 for _, _, at_ns in (*hand.sightings, *hand.ahead)]
    times += [at_ns + window_ns + 1 for _, at_ns in hand.backs]
    times += [pending.finding.at_ns + GRACE_NS + 1 for pending in hand.pending]
    if hand.air:
        times.append(hand.cards[hand.air[0]].left_ns + GIVEN_UP_NS + 1)
    if hand.is_to_count:
        times.append(hand.ended_ns + window_ns + 1)
    return min(times) if times else None


def next_due(watch: Watch) -> tuple[Place, Literal["up", "down"]] | None:
    """Return who gets the next card of the deal and how it is to lie, or None."""
    table = watch.table
    place = due_hand(table)
    if place is None:
        return None
    nth = count_of(table, place) + 1
    return place, table.plan.face(nth, is_dealer=place == "D")


def card_path(watch: Watch, tag: Tag) -> tuple[tuple[int, Place], ...]:
    """Return where a card has been, oldest first: the number of the deal and the place.

    It names the card by its tag, so who may see it is for the caller to decide.
    """
    table = watch.table
    seen = table.hand.cards.get(tag)
    now = tuple((table.deal_no, place) for place in seen.path) if seen else ()
    return (*table.past.paths.get(tag, ()), *now)


def open_rulings(watch: Watch) -> tuple[Ruling, ...]:
    """Return the rulings that wait for a claim, an answer or the floor."""
    return tuple(r for r in watch.docket.rulings.values() if r.state == "open")


def refused(watch: Watch, event: AnyEvent) -> str | None:
    """Return why an operator's statement does not fit the state of the table, or None."""
    table = watch.table
    if isinstance(event, Stated):
        return _refused_saying(watch, event)
    if isinstance(event, ActionEntered | ClaimMade | HandTouched | HandLooked):
        return _refused_of_seat(table, event.seat, is_action=isinstance(event, ActionEntered))
    if isinstance(event, DealEnded) and not table.hand.is_started:
        return "no deal has begun"
    if isinstance(event, Reported) and not named_clauses(watch.book, event.clause):
        return f"{watch.book.name} has no clause {event.clause!r}"
    return None


def _refused_of_seat(table: Table, seat: Place | None, *, is_action: bool) -> str | None:
    if seat not in table.entitled:
        return f"{seat} has no hand"
    if is_action and not table.hand.is_started:
        return "no hand is being played"
    if is_action and seat in table.hand.betting.folded:
        return f"{seat} has folded"
    return None


# Statements about a hand, which must be one that is entitled to cards.
_OF_A_HAND = frozenset({"tabled", "counted", "found", "interfered", "looked", "agree short"})


def _refused_saying(watch: Watch, event: Stated) -> str | None:
    table, seat = watch.table, event.seat
    if event.topic in _OF_A_HAND:
        return _refused_of_seat(table, seat, is_action=False)
    hand = table.hand
    is_between = not hand.is_started and seat in table.seats
    is_seat = seat is not None and seat_number(seat) is not None
    taken = f"{seat} is in the game" if is_seat else f"{seat} is no seat"
    reasons = {
        "undo": (bool(hand.said), "there is no statement to undo"),
        "button": (is_between, "the button moves between hands, to a seat in the game"),
        "leaves": (is_between, "a player leaves between hands, from a seat in the game"),
        "sits": (is_seat and seat not in table.seats, taken),
        "back": (seat in table.absent, f"{seat} is not absent"),
        "pack": (event.text in table.own_tags, f"no pack {event.text!r} is registered"),
        "pot taken": (hand.is_started or bool(table.past.places), "no hand is being played"),
    }
    fits, reason = reasons.get(event.topic, (True, ""))
    return refuses(watch.docket, event) if fits else reason


_STREETS = ("preflop", "flop", "turn", "river")
_STUD_STREETS = ("third", "fourth", "fifth", "sixth", "seventh")


def phase(table: Table) -> str:
    """Return what the table is doing, in a word or two."""
    hand = table.hand
    if not hand.is_started:
        return "waiting for the deal"
    if not hand.is_deal_over:
        return "initial deal"
    if hand.pot_taken_ns is not None:
        return "pot taken"
    return _betting_phase(table)


def _betting_phase(table: Table) -> str:
    hand, kind = table.hand, table.plan.kind
    if kind == "flop":
        return _STREETS[min(hand.street, 3)]
    if kind == "stud":
        return f"{_STUD_STREETS[min(hand.street, 4)]} street"
    if kind == "draw":
        return "second betting" if hand.street else "exchange" if hand.given else "first betting"
    return "play"


def view(watch: Watch) -> TableView:
    """Return what may be shown: counts and rulings, no identity of a face-down card."""
    table = watch.table
    due = due_hand(table)
    wanted = table.plan.hand_cards
    hand = table.hand
    seats = dict.fromkeys((*table.order, *(p for p in hand.hands if hand.hands[p])))
    places = [
        PlaceView(
            p,
            count_of(table, p),
            wanted if p in table.entitled else 0,
            hand.unread.get(p, 0),
            p == due,
        )
        for p in seats
    ]
    for pile in (BOARD, BURN, MUCK, RACK):
        lying = sum(seen.place == pile for seen in hand.cards.values())
        places.append(PlaceView(pile, lying, None, 0, False))
    in_force = tuple(
        public(watch, ruling)
        for ruling in watch.docket.rulings.values()
        if ruling.state in ("open", "final") and ruling.hand == table.hand_no
    )
    return TableView(
        phase=phase(table),
        hand_no=table.hand_no,
        button=table.button,
        places=tuple(places),
        in_force=in_force,
    )


def public(watch: Watch, ruling: Ruling) -> Ruling:
    """Return a ruling as a live table may show it.

    A face-down card of a live hand is named only where the ruling stops the hand or takes that
    very card out of play.
    """
    if ruling.card is None:
        return replace(ruling, matter="")
    if ruling.verdict in words.STOPPING and ruling.state == "final":
        return replace(ruling, matter="")
    if ruling.verdict in words.TAKES_CARD_OUT and ruling.state == "final":
        return replace(ruling, matter="")
    if ruling.finding in ("exposed_card", "boxed_card", "card_exposed_in_cut", "missing_card"):
        return replace(ruling, matter="")
    because = ruling.because.replace(ruling.card, "a card")
    return replace(ruling, card=None, because=because[0].upper() + because[1:], matter="")
