"""One module a kind of finding; ``LOOKS`` says which of them looks at which happening."""

from collections.abc import Callable
from typing import Any

from engine.detect import (
    board,
    claims,
    counts,
    draws,
    equipment,
    exposure,
    identity,
    order,
    pack,
)
from engine.state import (
    Acted,
    Arrived,
    Collected,
    Counted,
    CrossRead,
    DealOver,
    Finding,
    HandStarted,
    Happening,
    Landed,
    Left,
    Mismatched,
    Moved,
    Overdue,
    Settled,
    Table,
    Told,
    TurnedUp,
    Unread,
    Withdrawn,
)

Look = Callable[[Table, Any], tuple[Table, list[Any]]]

LOOKS: dict[type, tuple[Look, ...]] = {
    HandStarted: (pack.hand_started,),
    Left: (identity.left,),
    Landed: (
        identity.landed,
        order.landed,
        exposure.landed,
        board.landed,
        counts.landed,
        draws.landed,
        pack.stuck,
    ),
    Arrived: (identity.landed,),
    Moved: (order.moved, counts.moved, board.moved, draws.moved),
    CrossRead: (equipment.cross_read,),
    TurnedUp: (identity.turned_up, exposure.turned_up),
    DealOver: (counts.deal_over,),
    Acted: (counts.acted, board.acted, claims.acted),
    Collected: (pack.collected,),
    Unread: (equipment.unread,),
    Mismatched: (equipment.mismatched,),
    Counted: (pack.counted,),
    Overdue: (board.overdue,),
    Told: (
        counts.told,
        exposure.told,
        board.told,
        pack.told,
        equipment.told,
        claims.told,
    ),
}
"""Every happening and the detectors that look at it, in the order in which they look."""


def look_at(
    table: Table, happenings: list[Happening]
) -> tuple[Table, list[Finding | Settled | Withdrawn]]:
    """Show each happening to its detectors; return the table and all that they found."""
    found: list[Finding | Settled | Withdrawn] = []
    for happening in happenings:
        for look in LOOKS[type(happening)]:
            table, more = look(table, happening)
            if more:
                found += more
    return table, found
