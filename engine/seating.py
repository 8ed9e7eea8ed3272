"""Who sits where and in which order they are served: a table's start, and from hand to hand."""

from msgspec.structs import replace

from engine.cards import DEALER, Place
from engine.errors import SetupError
from engine.games import PLANS
from engine.setup import TableSetup
from engine.state import Hand, Table, seat_after


def open_table(setup: TableSetup, *, is_player_dealt: bool = False) -> Table:
    """Return the table before its first event.

    Raises:
        SetupError: If the game is unknown or nobody is entitled to a hand.
    """
    plan = PLANS.get(setup.game)
    if plan is None:
        raise SetupError("game", repr(setup.game), f"one of {', '.join(PLANS)}")
    if not setup.seats and not plan.places:
        raise SetupError("seats", "none", f"at least one seat, for {setup.game}")
    last = setup.seats[-1] if setup.seats else None
    dealer = setup.dealer or last
    table = Table(
        setup=setup,
        plan=plan,
        is_player_dealt=is_player_dealt and not plan.is_banked,
        own_tags={pack.name: pack.own_tags() for pack in setup.packs},
        seats=setup.seats,
        button=setup.button or last,
        dealer=dealer,
        due_dealer=setup.due_dealer or dealer,
        absent=setup.absent,
        penalty=dict(setup.penalty),
        pack=setup.packs[0].name if setup.packs else None,
        hand=fresh_hand(setup),
    )
    return arrange(table)


def fresh_hand(setup: TableSetup) -> Hand:
    """Return a hand of which nothing has been dealt."""
    return Hand(is_shuffled=setup.prepared, is_cut=setup.prepared)


def arrange(table: Table) -> Table:
    """Return the table with its order of dealing as button, dealer and seats now stand."""
    plan, seats = table.plan, table.seats
    if plan.places:
        order = tuple(Place(name) for name in plan.places)
    elif plan.is_banked:
        order = (*seats, DEALER)
    else:
        start = seat_after(seats, table.dealer if table.is_player_dealt else table.button)
        at = seats.index(start) if start in seats else 0
        order = seats[at:] + seats[:at]
    return replace(table, order=order, entitled=frozenset(order))


def next_hand(table: Table) -> Table:
    """Return the table with the button, or the deal, one seat on and newcomers dealt in."""
    seats = tuple(sorted({*table.seats, *table.newcomers}, key=lambda seat: int(seat[1:])))
    if not table.newcomers:
        seats = table.seats
    dealer = table.next_dealer or seat_after(seats, table.dealer)
    table = replace(
        table,
        seats=seats,
        newcomers=frozenset(),
        hand_no=table.hand_no + 1,
        button=seat_after(seats, table.button),
        dealer=dealer,
        due_dealer=dealer,
        next_dealer=None,
        penalty={seat: left - 1 for seat, left in table.penalty.items() if left > 1},
        was_absent=frozenset(),
        is_replay=False,
        is_next_begun=table.is_next_begun,
        in_break=False,
    )
    return arrange(table)
