"""What people call: claims of players, and irregularities that no card sensor sees."""

from engine.cards import Tag
from engine.events import ClaimMade, Reported
from engine.state import Acted, Finding, Table, Told


def told(table: Table, happening: Told) -> tuple[Table, list[Finding]]:
    """Take a claim or a report; each is a matter of its own."""
    match happening.event:
        case ClaimMade() as claim:
            return table, [
                Finding(
                    kind="claim",
                    place=claim.seat,
                    tag=Tag(f"{claim.claim}@{claim.at_ns}"),
                    at_ns=claim.at_ns,
                    facts={"claim": claim.claim},
                )
            ]
        case Reported() as report:
            return table, [
                Finding(
                    kind="report",
                    place=report.place,
                    tag=Tag(f"{report.clause}@{report.at_ns}"),
                    at_ns=report.at_ns,
                    facts={"clause": report.clause, **report.amounts},
                )
            ]
        case _:
            return table, []


def acted(table: Table, happening: Acted) -> tuple[Table, list[Finding]]:
    """A hand thrown in before its turn is a report that the action itself makes."""
    if not happening.is_out_of_turn or happening.action != "fold":
        return table, []
    return table, [
        Finding(
            kind="report",
            place=happening.seat,
            tag=Tag(f"{FOLD_OUT_OF_TURN}@{happening.seat}"),
            at_ns=table.now_ns,
            facts={"clause": FOLD_OUT_OF_TURN},
        )
    ]


FOLD_OUT_OF_TURN = "fold out of turn"
"""The name under which a book's clause may take an entered fold out of turn."""
