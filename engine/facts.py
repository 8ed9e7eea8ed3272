"""The facts that a rule book's conditions may name: flat, typed, documented, sometimes unknown.

A fact is computed from the table, the matter in hand and its siblings only when a condition
names it. What nobody has told and no sensor can see is ``Unknown`` with the values that it may
have; the ruling then tries each of them and asks where the verdict depends on it.
"""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from engine.betting import live_seats
from engine.cards import Place
from engine.state import Finding, Table, count_of, last_said

Value = bool | int | str

BREAK_WINDOW_NS = 60_000_000_000
"""In a break a hand may be disputed for a minute after the pot. Source: TDA 2024 rule 22."""


class Unknown(Struct, frozen=True):
    """A fact that is not known, and the values that it may have."""

    values: tuple[Value, ...]
    ask: str = ""
    """The name under which it is asked for, where that is not the fact's own."""


class Scene(Struct, frozen=True):
    """What a fact is computed from."""

    table: Table
    finding: Finding
    siblings: tuple[Finding, ...]
    """All live findings of the same kind, in the order in which they were found."""
    substantial: str = "tda-36"
    """How the rule book defines substantial action."""
    is_upheld: bool = False
    """A claim on this matter has been upheld."""


class Fact(Struct, frozen=True):
    """One fact: what it means, what values it takes, and which findings have it."""

    name: str
    meaning: str
    type: type
    compute: Callable[[Scene], Any]
    values: tuple[Value, ...] = ()
    """All values that a text may have; empty for a text that is free."""
    kinds: frozenset[str] = frozenset()
    """Findings that have it; empty for every one."""


_FACTS: dict[str, Fact] = {}


def _fact(
    kind: type, *kinds: str, values: tuple[Value, ...] = ()
) -> Callable[[Callable[[Scene], Any]], Callable[[Scene], Any]]:
    """Register a function as a fact of its own name; its docstring is the fact's meaning."""

    def add(compute: Callable[[Scene], Any]) -> Callable[[Scene], Any]:
        name = compute.__name__
        meaning = (compute.__doc__ or "").strip()
        _FACTS[name] = Fact(name, meaning, kind, compute, values, frozenset(kinds))
        return compute

    return add


def _found(
    name: str, meaning: str, kind: type, *kinds: str, values: tuple[Value, ...] = ()
) -> None:
    """Add a fact that was fixed when the finding was made."""
    default: Any = kind()

    def compute(scene: Scene) -> Any:
        return scene.finding.facts.get(name, default)

    _FACTS[name] = Fact(name, meaning, kind, compute, values, frozenset(kinds))


# ---------------------------------------------------------------- of every finding
@_fact(
    str,
    values=(
        "holdem",
        "omaha",
        "shortdeck",
        "stud7",
        "draw5",
        "lowball27",
        "caribbean-stud",
        "three-card",
        "baccarat",
        "blackjack",
    ),
)
def game(scene: Scene) -> str:
    """The game that is dealt."""
    return scene.table.plan.game


@_fact(bool)
def substantial_action(scene: Scene) -> bool | Unknown:
    """Substantial action has happened, as the book defines it."""
    table = scene.table
    told = last_said(table.hand, "substantial")
    if told is not None:
        return bool(told.yes)
    if table.setup.actions == "none":
        return Unknown((True, False)) if table.hand.is_deal_over else False
    betting = table.hand.betting
    if scene.substantial == "two-players":
        return len(betting.seats_acted) >= 2
    return betting.in_turn >= 3 or (betting.in_turn >= 2 and betting.has_chips)


@_fact(bool)
def handled(scene: Scene) -> bool | Unknown:
    """A player has handled his cards in this deal."""
    table = scene.table
    told = last_said(table.hand, "handled")
    if told is not None:
        return bool(told.yes)
    if table.hand.touched:
        return True
    unseen = table.setup.actions == "none" and table.hand.is_deal_over
    return Unknown((True, False)) if unseen else False


@_fact(bool)
def deal_over(scene: Scene) -> bool:
    """The initial deal is over."""
    return scene.table.hand.is_deal_over


@_fact(int)
def rounds_begun(scene: Scene) -> int:
    """How many rounds of the initial deal have begun."""
    table = scene.table
    return -(-table.hand.served // max(1, len(table.order)))


@_fact(bool)
def pot_taken(scene: Scene) -> bool:
    """The pot of this hand has been taken in."""
    fixed = scene.finding.facts.get("pot_taken")
    return fixed if isinstance(fixed, bool) else scene.table.hand.pot_taken_ns is not None


@_fact(bool)
def next_hand_begun(scene: Scene) -> bool:
    """The next hand has begun: first riffle or first card."""
    table = scene.table
    return table.past.pot_taken_ns is not None and table.is_next_begun


@_fact(bool)
def disputable(scene: Scene) -> bool:
    """The hand may still be disputed: no next hand, and in a break no minute since the pot."""
    table = scene.table
    if next_hand_begun(scene) and scene.finding.kind == "report":
        return False
    taken = table.hand.pot_taken_ns
    found_ns = scene.finding.at_ns
    return not (taken is not None and table.in_break and found_ns - taken > BREAK_WINDOW_NS)


@_fact(bool)
def bets_closed(scene: Scene) -> bool:
    """The betting is closed and cards may be drawn."""
    return scene.table.bets_closed


@_fact(bool)
def player_dealt(scene: Scene) -> bool:
    """Players deal in turn."""
    return scene.table.is_player_dealt


@_fact(bool)
def closed_poker(scene: Scene) -> bool:
    """A game in which every card is dealt face down."""
    return scene.table.plan.is_closed


@_fact(str, values=("flop", "stud", "draw", "casino"))
def kind_of_game(scene: Scene) -> str:
    """The kind of game."""
    return scene.table.plan.kind


@_fact(bool)
def upheld(scene: Scene) -> bool:
    """A claim on this matter has been upheld."""
    return scene.is_upheld


# ---------------------------------------------------------------- exposed and boxed cards
def exposed_by_of(table: Table, finding: Finding) -> str | Unknown:
    """Return who exposed a card: what was said of it, else what the landing shows."""
    for stated in reversed(table.hand.said):
        if stated.topic == "exposed" and stated.card == finding.card and stated.by:
            return stated.by
    if finding.facts.get("landed_up"):
        return "dealer"
    return Unknown(("dealer", "player"))


@_fact(str, "exposed_card", values=("dealer", "player"))
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


@_fact(int, "exposed_card")
def exposed_before(scene: Scene) -> int | Unknown:
    """Cards that the dealer exposed before this one in this deal."""
    sure, maybe = _tally(_before(scene), scene.table)
    return Unknown(tuple(range(sure, sure + maybe + 1)), "exposed_by") if maybe else sure


@_fact(bool, "exposed_card", "boxed_card")
def followed(scene: Scene) -> bool:
    """A later finding of the same kind carries the matter on."""
    if scene.finding.kind == "boxed_card":
        return scene.siblings[-1].key != scene.finding.key
    earlier = {finding.key for finding in _before(scene)} | {scene.finding.key}
    later = [
        finding
        for finding in scene.siblings
        if finding.key not in earlier and finding.facts.get("where") in ("seat", "dealer")
    ]
    return _tally(later, scene.table)[0] > 0


@_fact(int, "exposed_card")
def up_at_hand(scene: Scene) -> int | Unknown:
    """Cards that the dealer dealt face up to this hand, this one included."""
    place = scene.finding.place
    here = [f for f in scene.siblings if f.place == place]
    sure, maybe = _tally(here, scene.table)
    return Unknown(tuple(range(sure, sure + maybe + 1)), "exposed_by") if maybe else sure


@_fact(int, "exposed_card")
def down_cards(scene: Scene) -> int:
    """Cards of this hand that lie face down or were dealt so."""
    hand = scene.table.hand
    tags = hand.hands.get(scene.finding.place or Place(""), ())
    return sum(hand.cards[tag].was_down and not hand.cards[tag].is_up for tag in tags)


@_fact(int, "exposed_card")
def cards_since(scene: Scene) -> int:
    """Cards that came to this hand after this one."""
    finding = scene.finding
    return count_of(scene.table, finding.place or Place("")) - int(finding.facts.get("nth", 0))


_found("number", "which card off the pack it was, from 1", int, "exposed_card")
_found("nth", "which card of its hand it was, from 1", int, "exposed_card")
_found("in_deal", "it was found before the initial deal was over", bool,
       "exposed_card", "boxed_card", "marked_card")  # fmt: skip
_found("where", "where the exposed card lies", str, "exposed_card",
       values=("seat", "dealer", "stub", "floor"))  # fmt: skip
_found("street", "how many streets were complete", int,
       "exposed_card", "premature_card", "board_count", "burn_error")  # fmt: skip


@_fact(int, "boxed_card")
def boxed_cards(scene: Scene) -> int:
    """Cards found face up in the pack during the initial deal."""
    return sum(bool(f.facts.get("in_deal")) for f in scene.siblings)


@_fact(int, "boxed_card")
def boxed_in_hand(scene: Scene) -> int:
    """Cards found face up in the pack in this hand."""
    return len(scene.siblings)


# ---------------------------------------------------------------- places of the deal
@_fact(bool, "first_card_misplaced", "unentitled_hand")
def further_card(scene: Scene) -> bool:
    """Another card has been dealt since."""
    number = int(scene.finding.facts.get("first_number", 1))
    return scene.table.hand.dealt > number


_found("is_back", "the player was away at the deal that is replayed, and is back", bool,
       "unentitled_hand")  # fmt: skip


@_fact(int, "unentitled_hand")
def cards_there(scene: Scene) -> int:
    """Cards that lie at the place."""
    return count_of(scene.table, scene.finding.place or Place(""))


@_fact(bool, "out_of_sequence")
def only_button(scene: Scene) -> bool:
    """Nothing but the button's own cards was out of turn."""
    table = scene.table
    return all(seat == table.button for seat in table.hand.slips)


_found("rounds_omitted", "the dealer only stopped early: no hand was passed over", bool,
       "wrong_count", "omitted_hand")  # fmt: skip
_found("lacking", "cards that are lacking in all", int, "rounds_omitted")


@_fact(bool, "rounds_omitted")
def button_only(scene: Scene) -> bool:
    """The last card of the deal alone is lacking, and it is the button's."""
    table = scene.table
    is_last = table.order[-1] == table.button and not table.is_player_dealt
    return is_last and scene.finding.facts.get("lacking") == 1


@_fact(bool, "omitted_hand", "wrong_count")
def is_dealer(scene: Scene) -> bool:
    """The hand is the house dealer's."""
    return scene.finding.place == "D"


@_fact(bool, "omitted_hand")
def first_omitted(scene: Scene) -> bool:
    """This is the first hand left out, counted from the dealer's left."""
    places = {finding.place for finding in scene.siblings}
    first = next((place for place in scene.table.order if place in places), None)
    return first == scene.finding.place


@_fact(bool, "omitted_hand")
def dealer_has_hand(scene: Scene) -> bool:
    """The dealer has a hand to give."""
    table = scene.table
    return table.dealer is not None and count_of(table, table.dealer) > 0


@_fact(bool, "omitted_hand")
def anted(scene: Scene) -> bool | Unknown:
    """The player has put in his ante."""
    for stated in reversed(scene.table.hand.said):
        if stated.seat == scene.finding.place and stated.topic in ("ante", "no-ante"):
            return stated.topic == "ante"
    return Unknown((True, False))


# ---------------------------------------------------------------- counts
_found("count", "cards that were counted", int, "wrong_count", "wrong_pack_count", "board_count")
_found("due", "cards that there should be", int, "wrong_count", "wrong_pack_count")
_found("is_button", "the hand is the button's", bool, "wrong_count")
_found("after_draw", "cards have been exchanged", bool, "wrong_count")


@_fact(bool, "wrong_count")
def is_short(scene: Scene) -> bool:
    """The hand has fewer cards than it is due."""
    facts = scene.finding.facts
    return int(facts["count"]) < int(facts["due"])


@_fact(int, "wrong_count")
def hands_over(scene: Scene) -> int:
    """Hands that have more cards than they are due."""
    return sum(int(f.facts["count"]) > int(f.facts["due"]) for f in scene.siblings)


@_fact(int, "wrong_count")
def extra_cards(scene: Scene) -> int:
    """Cards too many in all starting hands."""
    return sum(max(0, int(f.facts["count"]) - int(f.facts["due"])) for f in scene.siblings)


@_fact(bool, "wrong_count")
def extra_to_first(scene: Scene) -> bool:
    """The one extra card went to the first hand after a whole deal."""
    table = scene.table
    hand = table.hand
    whole = table.plan.hand_cards * len(table.order)
    tags = hand.hands.get(table.order[0], ())
    last = hand.cards[tags[-1]].number if tags else 0
    return scene.finding.place == table.order[0] and last == whole + 1


@_fact(bool, "wrong_count")
def next_in_sequence(scene: Scene) -> bool:
    """The last hand in the order lacks one card, which the top card would be."""
    table = scene.table
    facts = scene.finding.facts
    is_last = scene.finding.place == table.order[-1]
    return bool(facts.get("rounds_omitted")) and is_last and len(scene.siblings) == 1


@_fact(bool, "wrong_count")
def has_acted(scene: Scene) -> bool | Unknown:
    """This player has acted on his hand."""
    table = scene.table
    if table.setup.actions == "none" and table.hand.is_deal_over:
        return Unknown((True, False))
    return scene.finding.place in table.hand.betting.seats_acted


@_fact(bool, "wrong_count")
def agreed_short(scene: Scene) -> bool:
    """The players agreed that the short hand may play."""
    return last_said(scene.table.hand, "agree short", scene.finding.place) is not None


@_fact(bool, "wrong_count")
def only_foul_left(scene: Scene) -> bool:
    """All others have dropped and no sound hand is left."""
    live = live_seats(scene.table)
    foul = {finding.place for finding in scene.siblings}
    return scene.finding.place in live and live <= foul and scene.table.hand.is_deal_over


# ---------------------------------------------------------------- the pack
_found("copies", "cards of the one face", int, "duplicate_card")
_found("is_known", "a register knows the tag", bool, "foreign_card")
_found("in_play", "the card has come into play", bool, "foreign_card")
_found("is_dealt", "the card has been dealt", bool, "marked_card")
_found("fewest", "cards in the smaller packet", int, "cut_too_thin")
_found("is_mixed", "the stub was mixed with other cards", bool, "stub_disordered")
_found("from_pack", "the card came off the pack", bool, "board_count")
_found("burns", "cards burned for the street", int, "burn_error")


@_fact(bool, "burn_error")
def acted_since(scene: Scene) -> bool | Unknown:
    """Somebody has acted since it was found."""
    table = scene.table
    if table.setup.actions == "none":
        return Unknown((True, False))
    return table.hand.betting.in_turn > int(scene.finding.facts["actions_then"])


# ---------------------------------------------------------------- draws, devices, people
_DRAWS: tuple[Value, ...] = ("P", "B", "D", "seat", "none")


@_fact(str, "wrong_draw", values=("P", "B", "none"))
def due_draw(scene: Scene) -> str:
    """Who was due the card."""
    return str(scene.finding.facts["due_draw"])


@_fact(str, "wrong_draw", values=_DRAWS)
def landed_draw(scene: Scene) -> str:
    """Where the card landed."""
    place = str(scene.finding.facts["landed_draw"])
    return "seat" if place.startswith("S") else place


_found("is_up", "the card lies face up", bool, "wrong_draw")
_found("player_total", "Player's total of two cards", int, "wrong_draw")
_found("banker_total", "Banker's total of two cards", int, "wrong_draw")


@_fact(bool, "wrong_draw")
def is_exposed_draw(scene: Scene) -> bool:
    """Cards that lie face up on the wrong draw's place now."""
    seen = scene.table.hand.cards.get(scene.finding.tag) if scene.finding.tag else None
    return bool(seen and seen.is_up)


@_fact(str, "equipment_fault")
def device(scene: Scene) -> str:
    """Which device failed."""
    return str(scene.finding.facts["device"])


@_fact(bool, "equipment_fault")
def approved(scene: Scene) -> bool:
    """The inspector has approved since."""
    return scene.table.approved_ns >= scene.finding.at_ns


@_fact(str, "claim", values=("misdeal", "redeal"))
def claim(scene: Scene) -> str:
    """What is claimed."""
    return str(scene.finding.facts["claim"])


for _name, _meaning in (
    ("needed", "chips needed to call"),
    ("put", "chips that were put in"),
    ("limit", "the most that may be bet"),
    ("minimum", "the least that may be raised"),
    ("raised", "chips by which the bet was raised"),
    ("announced", "chips that were announced"),
):
    _found(_name, _meaning + "; 0 where it was not told", int, "report")

FACTS: dict[str, Fact] = _FACTS
"""Every fact that a condition may name."""


def facts_for(kind: str) -> dict[str, Fact]:
    """Return the facts that a finding of a kind has."""
    return {name: f for name, f in FACTS.items() if not f.kinds or kind in f.kinds}
