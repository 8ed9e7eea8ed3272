"""What becomes of rulings when cards go back, when the next hand begins, and who deals then."""

from msgspec.structs import replace

from engine.docket import Docket, Ruling, put
from engine.events import Stated
from engine.words import STOPPING

Change = tuple[Docket, list[Ruling]]

# Findings that no return of cards settles.
OUTLIVE_THE_HAND = frozenset({"equipment_fault"})


def close_deal(docket: Docket) -> Change:
    """Let the matters of a deal rest once its cards are back; claims and questions run out."""
    changes: list[Ruling] = []
    for matter in docket.matters.values():
        for ruling_id in matter.slots.values():
            ruling = docket.rulings[ruling_id]
            if ruling.state == "open" and (ruling.decider == "claim" or ruling.asks):
                expired = replace(ruling, state="expired", asks=(), callable_by=())
                docket = put(docket, expired)
                changes.append(expired)
    kept = {
        key: matter
        for key, matter in docket.matters.items()
        if matter.finding.kind in OUTLIVE_THE_HAND
    }
    for claim in tuple(docket.rulings.values()):
        if claim.finding == "claim" and claim.state == "open":
            expired = replace(claim, state="expired", asks=())
            docket = put(docket, expired)
            changes.append(expired)
    return replace(docket, matters=kept, waiting=()), changes


def close_hand(docket: Docket, hand_no: int) -> Change:
    """Let every ruling of the hands before run out when the next hand begins."""
    changes: list[Ruling] = []
    standing = {r for m in docket.matters.values() for r in m.slots.values()}
    for ruling in tuple(docket.rulings.values()):
        if ruling.state == "open" and ruling.hand < hand_no and ruling.id not in standing:
            expired = replace(ruling, state="expired", asks=(), callable_by=())
            docket = put(docket, expired)
            changes.append(expired)
    kept = {
        ruling_id: ruling
        for ruling_id, ruling in docket.rulings.items()
        if ruling.hand >= hand_no - 1 or ruling_id in standing
    }
    return replace(docket, rulings=kept), changes


def replays(docket: Docket) -> bool:
    """Say whether a misdeal or redeal of the deal on the table is in force."""
    return any(
        docket.rulings[ruling_id].verdict in ("misdeal", "redeal")
        and docket.rulings[ruling_id].state == "final"
        for matter in docket.matters.values()
        for ruling_id in matter.slots.values()
    )


def is_stopped(docket: Docket) -> bool:
    """Say whether a ruling in force has stopped the hand on the table."""
    return any(
        docket.rulings[ruling_id].verdict in STOPPING and docket.rulings[ruling_id].state == "final"
        for matter in docket.matters.values()
        for ruling_id in matter.slots.values()
    )


def dealer_named(docket: Docket) -> Ruling | None:
    """Return the ruling in force that names who deals next, or None."""
    in_force = (
        docket.rulings[ruling_id]
        for matter in docket.matters.values()
        for ruling_id in matter.slots.values()
    )
    return next((r for r in in_force if r.state == "final" and r.next_dealer), None)


def refuses(docket: Docket, stated: Stated) -> str | None:
    """Return why a statement about a ruling does not fit, or None."""
    if stated.topic != "dismiss":
        return None
    ruling_id = stated.text.split(" ", 1)[0].lower()
    ruling = docket.rulings.get(ruling_id)
    if ruling is None:
        return f"there is no ruling {ruling_id}"
    if ruling.state in ("expired", "superseded"):
        return f"{ruling_id} is {ruling.state}"
    return None
