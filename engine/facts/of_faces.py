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


def _split(scene: Scene, where: tuple[str, ...], *, in_deal: bool) -> tuple[int | Unknown, bool]:
    """Tally the other exposures at some places: the dealer's before this one, any after it.

    Returns:
        How many before it are the dealer's, and whether one after it is the dealer's for certain.
    """
    at = [finding.key for finding in scene.siblings].index(scene.finding.key)
    counting = [
        [
            finding
            for finding in part
            if finding.facts.get("where") in where and (finding.facts.get("in_deal") or not in_deal)
        ]
        for part in (scene.siblings[:at], scene.siblings[at + 1 :])
    ]
    sure, maybe = _tally(counting[0], scene.table)
    before = Unknown(tuple(range(sure, sure + maybe + 1)), "exposed_by") if maybe else sure
    return before, _tally(counting[1], scene.table)[0] > 0


_HANDS = ("seat", "dealer")


@fact(int, "exposed_card")
def exposed_before(scene: Scene) -> int | Unknown:
    """Cards of hands that the dealer exposed before this one."""
    return _split(scene, _HANDS, in_deal=False)[0]


@fact(int, "exposed_card")
def exposed_in_deal_before(scene: Scene) -> int | Unknown:
    """Cards of hands that the dealer exposed before this one during the initial deal."""
    return _split(scene, _HANDS, in_deal=True)[0]


@fact(int, "exposed_card")
def off_table_before(scene: Scene) -> int | Unknown:
    """Cards that were dealt off the table before this one was exposed."""
    return _split(scene, ("floor",), in_deal=False)[0]


@fact(bool, "exposed_card", "boxed_card")
def followed(scene: Scene) -> bool:
    """A later finding of the same kind carries the matter on."""
    if scene.finding.kind == "boxed_card":
        counting = [f for f in scene.siblings if f.facts.get("in_deal") or f is scene.finding]
        return counting[-1].key != scene.finding.key
    return _split(scene, _HANDS, in_deal=False)[1]


@fact(bool, "exposed_card")
def followed_in_deal(scene: Scene) -> bool:
    """A later exposure during the initial deal carries the matter on."""
    return _split(scene, _HANDS, in_deal=True)[1]


@fact(bool, "exposed_card")
def followed_off_table(scene: Scene) -> bool:
    """A card dealt off the table later carries the matter on."""
    return _split(scene, ("floor",), in_deal=False)[1]


@fact(int, "exposed_card")
def others_up_at_hand(scene: Scene) -> int | Unknown:
    """Other cards that the dealer dealt face up to this hand."""
    finding = scene.finding
    others = [f for f in scene.siblings if f.place == finding.place and f.key != finding.key]
    sure, maybe = _tally(others, scene.table)
    return Unknown(tuple(range(sure, sure + maybe + 1)), "exposed_by") if maybe else sure


@fact(int, "exposed_card")
def down_cards(scene: Scene) -> int:
    """Cards of this hand that came to it face down."""
    hand = scene.table.hand
    tags = hand.hands.get(scene.finding.place or Place(""), ())
    return sum(hand.cards[tag].was_down and not hand.cards[tag].landed_up for tag in tags)


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
