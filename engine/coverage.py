"""What a table's sensors can see of each clause: fully, in part, or only through an operator.

Source: the table "What each sensor can and cannot decide" of the rule notes.
"""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from engine.cards import BOARD, BURN, DEALER, PACK, RACK, SHOE, Place
from engine.clauses import Clause
from engine.rulebook import RuleBook
from engine.setup import TableSetup

Level = Literal["full", "part", "operator"]
_RANK: dict[Level, int] = {"full": 0, "part": 1, "operator": 2}


class Sensors(Struct, frozen=True):
    """What a table has to see with."""

    shoe: bool
    hands: bool
    """Every hand has a reader."""
    some_hands: bool
    board: bool
    burn: bool
    pack: bool
    rack: bool
    camera: bool
    actions: bool
    """Betting actions are entered."""


class Sensing(Struct, frozen=True):
    """How far a clause is sensed, and why no further."""

    clause: str
    finding: str
    verdict: str
    level: Level
    why: tuple[str, ...]


def sensors_of(setup: TableSetup, without: frozenset[str] = frozenset()) -> Sensors:
    """Return what a table can see with, devices that have failed left out.

    Args:
        setup: The table.
        without: Devices that are down, as events name them: ``shoe``, ``seat:3``, ``camera``.
    """
    down = {Place(d.replace("seat:", "S") if d.startswith("seat:") else d) for d in without}
    readers = setup.readers - down
    hands = set(setup.tableseats or setup.seats)
    if setup.game in ("caribbean-stud", "three-card", "blackjack"):
        hands.add(DEALER)
    if setup.game == "baccarat":
        hands = {Place("P"), Place("B")}
    return Sensors(
        shoe=SHOE in readers,
        hands=hands <= readers,
        some_hands=bool(hands & readers),
        board=BOARD in readers,
        burn=BURN in readers,
        pack=PACK in readers,
        rack=RACK in readers,
        camera=setup.has_camera and "camera" not in without,
        actions=setup.actions == "entered",
    )


Answer = tuple[Level, str]


def _places(s: Sensors) -> Answer:
    if s.hands:
        return "full", ""
    if s.some_hands:
        return "part", "some hands have no reader; their cards are placed by the deal plan"
    if s.camera and not s.shoe:
        return "part", "no hand has a reader; the camera sees where cards come to lie"
    return "operator", "no hand has a reader; places are taken from the deal plan"


def _counts(s: Sensors) -> Answer:
    if s.hands:
        return "full", ""
    if s.shoe:
        return "part", "hands have no reader; the shoe counts how many cards went out in all"
    return _places(s)


def _faces(s: Sensors) -> Answer:
    if not s.camera:
        return "operator", "no camera: readers cannot tell which way up a card lies"
    if s.shoe or s.hands:
        return "full", ""
    return "part", "no reader says which card off the pack it was"


def _identity(s: Sensors) -> Answer:
    if s.shoe:
        return "full", ""
    if s.hands and s.board:
        return "part", "no reader at the shoe: a card is known when it lies, not when it leaves"
    if s.camera:
        return "part", "only face-up cards are seen"
    return "operator", "no reader at the shoe, not at every hand, and no camera"


def _tags(s: Sensors) -> Answer:
    if s.shoe or s.hands:
        return ("full", "") if s.shoe else ("part", "no reader at the shoe")
    return "operator", "only a tag tells a card of another pack"


def _board(s: Sensors) -> Answer:
    if s.board and s.burn:
        return "full", ""
    if s.board or s.burn or s.camera:
        return "part", "board and burn do not both have a reader"
    return "operator", "neither board nor burn has a reader"


def _premature(s: Sensors) -> Answer:
    if not s.actions:
        return "operator", "no betting actions are entered"
    return ("full", "") if s.board or s.camera else ("operator", "the board is not seen")


def _count(s: Sensors) -> Answer:
    return ("full", "") if s.pack else ("operator", "no reader for the whole pack")


def _missing(s: Sensors) -> Answer:
    return ("full", "") if s.pack else ("operator", "no census without a pack reader")


def _cut(s: Sensors) -> Answer:
    return "operator", "the cut is entered by an operator until a cut pad has a reader or camera"


def _shuffle(s: Sensors) -> Answer:
    return "operator", "a shuffle is entered by an operator or told by a shuffler"


def _back(s: Sensors) -> Answer:
    return "operator", "backs are looked at by people until a camera has learned the pack"


def _people(s: Sensors) -> Answer:
    return "operator", "no card sensor sees it; an operator calls it"


def _draws(s: Sensors) -> Answer:
    if s.hands and s.shoe:
        return "full", ""
    if s.hands:
        return "part", "no reader at the shoe: a wrong draw is found when it lies"
    if s.camera and not s.shoe:
        return "part", "no hand has a reader; the camera sees where cards come to lie"
    return "operator", "the hands have no reader"


def _early(s: Sensors) -> Answer:
    if s.shoe:
        return "full", ""
    if s.hands or s.camera:
        return "part", "no reader at the shoe: a card is known when it lies, not when it leaves"
    return "operator", "it takes a reader at the shoe"


def _stuck(s: Sensors) -> Answer:
    if s.shoe and s.hands:
        return "full", ""
    return "operator", "it takes a reader at the shoe and at the hands"


def _devices(s: Sensors) -> Answer:
    return "part", "readers and cameras tell their own faults; other devices are reported"


def _sensors_agree(s: Sensors) -> Answer:
    if s.camera and s.some_hands:
        return ("full" if s.hands else "part"), "" if s.hands else "some hands have no reader"
    return "operator", "it takes a camera and readers at the hands to compare"


def _two_readers(s: Sensors) -> Answer:
    if s.hands:
        return "full", ""
    if s.some_hands:
        return "part", "some hands have no reader"
    return "operator", "it takes two places with readers"


SENSED_BY: dict[str, Callable[[Sensors], Answer]] = {
    "exposed_card": _faces,
    "boxed_card": _faces,
    "first_card_misplaced": _places,
    "unentitled_hand": _places,
    "omitted_hand": _places,
    "wrong_count": _counts,
    "out_of_sequence": _places,
    "rounds_omitted": _counts,
    "extra_hand": _places,
    "duplicate_card": _identity,
    "foreign_card": _tags,
    "nonstandard_card": _identity,
    "missing_card": _missing,
    "marked_card": _back,
    "wrong_pack_count": _count,
    "cut_too_thin": _cut,
    "card_exposed_in_cut": _cut,
    "not_shuffled": _shuffle,
    "not_cut": _shuffle,
    "dealer_out_of_turn": _people,
    "burn_error": _board,
    "premature_card": _premature,
    "board_count": _board,
    "wrong_draw": _draws,
    "stuck_cards": _stuck,
    "stub_disordered": _people,
    "equipment_fault": _devices,
    "cross_read": _two_readers,
    "face_mismatch": _sensors_agree,
    "unread_card": _sensors_agree,
    "early_draw": _early,
    "claim": _people,
    "report": _people,
}
"""Every finding, and how far a set of sensors sees it."""

_ASKED: dict[str, str] = {
    "substantial_action": "substantial action is asked for: no actions are entered",
    "has_acted": "whether the player has acted is asked for: no actions are entered",
    "acted_since": "whether anybody has acted is asked for: no actions are entered",
    "handled": "whether a player has handled his cards is asked for where nobody tells",
    "anted": "antes are not seen; they are asked for",
    "agreed_short": "an agreement of the players is stated by an operator",
    "pot_taken": "that the pot was taken is stated by an operator",
    "upheld": "a claim is entered by an operator",
}
_NEEDS_ACTIONS = frozenset({"substantial_action", "has_acted", "acted_since"})


def sense(clause: Clause, sensors: Sensors) -> Sensing:
    """Return how far a clause is sensed."""
    level, why = SENSED_BY[clause.finding](sensors)
    reasons = [why] if why else []
    for name in clause.when.names:
        if name not in _ASKED or (name in _NEEDS_ACTIONS and sensors.actions):
            continue
        reasons.append(_ASKED[name])
        level = max(level, "part", key=lambda each: _RANK[each])
    if "exposed_by" in clause.when.names and level == "full":
        reasons.append("who turned a card that had lain face down is asked for")
        level = "part"
    if clause.callable_by:
        reasons.append("the claim itself is entered by an operator")
    return Sensing(clause.id, clause.finding, clause.verdict, level, tuple(reasons))


def coverage(
    book: RuleBook, setup: TableSetup, without: frozenset[str] = frozenset()
) -> list[Sensing]:
    """Return how far each clause of a book is sensed at a table, in the order of the book."""
    sensors = sensors_of(setup, without)
    return [
        sense(clause, sensors)
        for clause in book.clauses
        if not clause.games or setup.game in clause.games
    ]


def unwatched(book: RuleBook, setup: TableSetup, down: frozenset[str]) -> list[Sensing]:
    """Return the clauses that are sensed less than they would be with all devices up."""
    whole = {s.clause + s.verdict: s.level for s in coverage(book, setup)}
    return [
        s
        for s in coverage(book, setup, down)
        if _RANK[s.level] > _RANK[whole[s.clause + s.verdict]]
    ]
