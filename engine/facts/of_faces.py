"""Facts of cards that were exposed or lay face up in the pack."""

from collections.abc import Iterable

from engine.cards import Place
from engine.facts.fact import Scene, Unknown, fact, found
from engine.state import Finding, Table, count_of


def exposed_by_of(table: Table, finding: Finding) -> str | Unknown:
    """Return who exposed a card: what was said of it, else what the landing shows."""
    for stated in reversed(table.hand.said):
        if stated.topic == "exposed" and stated.card == finding.card and stated.by:
            return stated.by
    if finding.facts.get("landed_up"):
        return "dealer"
    return Unknown(("dealer", "player"))


@fact(str, "exposed_card", values=("dealer", "player"))
def exposed_by(scene: Scene) -> str | Unknown:
    """Who exposed the card."""
    return exposed_by_of(scene.table, scene.finding)


def _tally(findings: Iterable[Finding], table: Table) -> tuple[int, int]:
    """Return how many of some exposures are the dealer's for certain, and how many may be."""
    by = [exposed_by_of(table, finding) for finding in findings]
    sure = sum(who == "dealer" for who in by)
    return sure, sum(isinstance(who, Unknown) for who in by)


def _before(scene: Scene) -> list[Finding]:
    """Return the exposures in the deal before this one: those that count together with it."""
    earlier: list[Finding] = []
    for finding in scene.siblings:
        if finding.key == scene.finding.key:
            return earlier
        if finding.facts.get("where") in ("seat", "dealer"):
            earlier.append(finding)
    return earlier


@fact(int, "exposed_card")
def exposed_before(scene: Scene) -> int | Unknown:
    """Cards that the dealer exposed before this one in this deal."""
    sure, maybe = _tally(_before(scene), scene.table)
    return Unknown(tuple(range(sure, sure + maybe + 1)), "exposed_by") if maybe else sure


@fact(bool, "exposed_card", "boxed_card")
def followed(scene: Scene) -> bool:
    """A later finding of the same kind carries the matter on."""
    if scene.finding.kind == "boxed_card":
        counting = [f for f in scene.siblings if f.facts.get("in_deal") or f is scene.finding]
        return counting[-1].key != scene.finding.key
    earlier = {finding.key for finding in _before(scene)} | {scene.finding.key}
    later = [
        finding
        for finding in scene.siblings
        if finding.key not in earlier and finding.facts.get("where") in ("seat", "dealer")
    ]
    return _tally(later, scene.table)[0] > 0


@fact(int, "exposed_card")
def up_at_hand(scene: Scene) -> int | Unknown:
    """Cards that the dealer dealt face up to this hand, this one included."""
    place = scene.finding.place
    here = [f for f in scene.siblings if f.place == place]
    sure, maybe = _tally(here, scene.table)
    return Unknown(tuple(range(sure, sure + maybe + 1)), "exposed_by") if maybe else sure


@fact(int, "exposed_card")
def down_cards(scene: Scene) -> int:
    """Cards of this hand that lie face down or were dealt so."""
    hand = scene.table.hand
    tags = hand.hands.get(scene.finding.place or Place(""), ())
    return sum(hand.cards[tag].was_down and not hand.cards[tag].is_up for tag in tags)


@fact(int, "exposed_card")
def cards_since(scene: Scene) -> int:
    """Cards that came to this hand after this one."""
    finding = scene.finding
    return count_of(scene.table, finding.place or Place("")) - int(finding.facts.get("nth", 0))


found("number", "which card off the pack it was, from 1", int, "exposed_card")
found("nth", "which card of its hand it was, from 1", int, "exposed_card")
found("in_deal", "it was found before the initial deal was over", bool,
       "exposed_card", "boxed_card", "marked_card")  # fmt: skip
found("where", "where the exposed card lies", str, "exposed_card",
       values=("seat", "dealer", "stub", "floor"))  # fmt: skip
found("street", "how many streets were complete", int,
       "exposed_card", "premature_card", "board_count", "burn_error")  # fmt: skip


@fact(int, "boxed_card")
def boxed_cards(scene: Scene) -> int:
    """Cards found face up in the pack during the initial deal."""
    return sum(bool(f.facts.get("in_deal")) for f in scene.siblings)


@fact(int, "boxed_card")
def boxed_in_hand(scene: Scene) -> int:
    """Cards found face up in the pack in this hand."""
    return len(scene.siblings)
