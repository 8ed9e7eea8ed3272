"""What is known of a table at one moment, and the happenings that a single event gives rise to.

Everything here is a frozen value. A dict inside a value is never changed in place: whoever
needs another makes a copy, so that a table kept from before an event stays what it was.
"""

from typing import Any, Literal

from msgspec import Struct

from engine.cards import Card, Place, Tag
from engine.events import AnyEvent, CutMade, CutRefused, PackShuffled, Stated
from engine.games.plan import Plan
from engine.setup import TableSetup


class Seen(Struct, frozen=True, kw_only=True):
    """One physical card in the deal that is being made."""

    tag: Tag
    card: Card | None
    pack: str | None
    number: int = 0
    """Which card off the pack it was in this deal, from 1; 0 for a card that was not dealt."""
    nth: int = 0
    """Which card of its hand it was when it landed, from 1."""
    place: Place | None = None
    """Where it lies; None while it is between the shoe and its place."""
    hand: Place | None = None
    """The hand that holds it; None once it has left every hand."""
    left_ns: int = 0
    """When it left the shoe."""
    landed_ns: int = 0
    path: tuple[Place, ...] = ()
    """Every place it was read at in this deal, oldest first."""
    is_up: bool = False
    landed_up: bool = False
    """It came to its place face up."""
    up_ns: int = 0
    """When a camera first saw it face up."""
    down_ns: int = 0
    """When a camera last saw that it lies face up no more."""
    is_boxed: bool = False
    """It lay face up in the pack."""
    is_exposed: bool = False
    """An exposure was found; the same card seen face up again is none."""
    is_inferred: bool = False
    """Its place was taken from the deal plan, no reader told it."""
    contest: Place | None = None
    """A second place that reads it while the first has not let it go."""
    was_down: bool = False
    """It was dealt face down."""


FindingKind = Literal[
    "exposed_card", "boxed_card", "first_card_misplaced", "unentitled_hand", "omitted_hand",
    "wrong_count", "out_of_sequence", "rounds_omitted", "extra_hand", "duplicate_card",
    "foreign_card", "nonstandard_card", "missing_card", "marked_card", "wrong_pack_count",
    "cut_too_thin", "card_exposed_in_cut", "not_shuffled", "not_cut", "dealer_out_of_turn",
    "burn_error", "premature_card", "board_count", "wrong_draw", "stuck_cards",
    "stub_disordered", "equipment_fault", "cross_read", "face_mismatch", "unread_card",
    "early_draw", "claim", "report",
]  # fmt: skip


class Finding(Struct, frozen=True, kw_only=True):
    """A neutral statement that something at the table is not as it should be."""

    kind: FindingKind
    place: Place | None = None
    card: Card | None = None
    tag: Tag | None = None
    """The physical card that it is about; tells two findings of one kind apart."""
    at_ns: int = 0
    facts: dict[str, Any] = {}
    """What held when it was found and does not change any more."""

    @property
    def key(self) -> str:
        """What makes it the same finding when it is found again."""
        if self.tag is not None:
            return f"{self.kind}|{self.tag}"
        if self.kind in ("unentitled_hand", "out_of_sequence"):
            # However many cards it is about, it is one hand that nobody is owed, one deal.
            return f"{self.kind}|{self.place or ''}"
        return f"{self.kind}|{self.place or ''}|{self.card or ''}"


class Pending(Struct, frozen=True):
    """A finding that a late entry or reading may explain, and what would."""

    finding: Finding
    seats: frozenset[Place]
    """Seats whose actions explain it; empty where a street does."""
    street: int
    """The street that explains it once it is complete."""


class Betting(Struct, frozen=True, kw_only=True):
    """Who has acted and who has yet to, as far as actions are entered."""

    in_turn: int = 0
    """Actions in turn since the deal; posted blinds are none."""
    has_chips: bool = False
    """At least one of them put chips in the pot."""
    seats_acted: frozenset[Place] = frozenset()
    """Seats that have acted at any time in this hand."""
    folded: frozenset[Place] = frozenset()
    all_in: frozenset[Place] = frozenset()
    to_act: frozenset[Place] = frozenset()
    """Seats that must still act before the next card may come."""
    may_act: frozenset[Place] = frozenset()
    """Seats that must act again only if an all-in was a raise, which nobody has said."""
    street_actions: int = 0
    """Actions since the last street was complete."""
    is_open: bool = False
    """Somebody has bet on this street."""


class Hand(Struct, frozen=True, kw_only=True):
    """One deal, from the shuffle to the return of the cards."""

    cards: dict[Tag, Seen] = {}
    hands: dict[Place, tuple[Tag, ...]] = {}
    """The cards that each hand holds, in the order they came."""
    unread: dict[Place, int] = {}
    """Cards that a camera saw land and no reader named."""
    air: tuple[Tag, ...] = ()
    """Cards that left the shoe and have not been placed in the order of the deal."""
    landed_early: dict[Tag, tuple[Place, int]] = {}
    """Cards read at their place, and when, while an earlier one is still on its way."""
    ahead: tuple[tuple[Seen, Place, int], ...] = ()
    """Cards read where they lie before the shoe told of them; without a shoe reader, before the
    card that was due."""
    sightings: tuple[tuple[Place, Card | None, int], ...] = ()
    """Face-up cards that a camera saw and no reader has named yet: place, face, time."""
    backs: tuple[tuple[Place, int], ...] = ()
    """Face-down cards that a camera saw land and no reader has named yet."""
    dealt: int = 0
    """Cards off the pack that went to a place, boxed cards set aside left out."""
    served: int = 0
    """Cards dealt to entitled hands."""
    turn: int = 0
    """Whose turn it is to be served: an index into the plan's order."""
    is_started: bool = False
    is_deal_over: bool = False
    deal_ended: bool = False
    """The dealer said that he takes the deal as complete."""
    ended_ns: int = 0
    """When the initial deal ended."""
    is_counted: bool = False
    """The hands were counted when the initial deal was over."""
    is_to_count: bool = False
    """The deal is over and the hands have not been counted yet."""
    slips: tuple[Place, ...] = ()
    """Seats at which the order of the deal was broken."""
    boxed: int = 0
    burns: int = 0
    """Cards burned since the last street."""
    extra_burns: int = 0
    """Other cards of a hand that were laid on the burn."""
    spare_burns: int = 0
    """Exposed cards that were taken as the burn."""
    moved_in: frozenset[Place] = frozenset()
    """Hands that a card came to from elsewhere; they are counted when play goes on."""
    inventory: frozenset[Tag] | None = None
    """The tags that the last whole inventory of the pack pad heard."""
    street: int = 0
    """Streets that are complete: flop, turn, river; in stud the later rounds."""
    street_cards: int = 0
    pending: tuple[Pending, ...] = ()
    """What was found and may yet be explained by an entry or a reading that comes late."""
    board: tuple[Tag, ...] = ()
    last_board_ns: int = 0
    betting: Betting = Betting()
    touched: frozenset[Place] = frozenset()
    looked: frozenset[Place] = frozenset()
    given: dict[Place, int] = {}
    """Cards given up for exchange."""
    drawn: dict[Place, int] = {}
    """Cards drawn in exchange."""
    tabled: frozenset[Place] = frozenset()
    stands: dict[Place, int] = {}
    """How often each player has stood: once for each of his hands."""
    stood_ns: dict[Place, int] = {}
    """When each player last stood."""
    splits: dict[Place, int] = {}
    doubled: dict[Place, int] = {}
    """How many cards a player had when he doubled; one more is his last."""
    pot_taken_ns: int | None = None
    is_shuffled: bool = True
    is_cut: bool = True
    for_next: tuple[PackShuffled | CutMade | CutRefused, ...] = ()
    """What was told of the pack while a ruling had stopped this deal: it is of the next one."""
    wrong_draws: int = 0
    """Wrong draws in this coup; after the first no card is due any more."""
    said: tuple[Stated, ...] = ()
    """The operator's statements of this hand, oldest first."""
    undo: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = ()
    """What each statement changed: the fields of table and hand as they were before it."""


class Past(Struct, frozen=True):
    """What is still known of the hand before, for as long as it may be disputed."""

    places: dict[Tag, Place] = {}
    """Where each card lay last in it."""
    pot_taken_ns: int | None = None
    inventory: frozenset[Tag] | None = None
    """What the pad heard when it ended."""
    paths: dict[Tag, tuple[tuple[int, Place], ...]] = {}
    """Where each card has been in the deals before: the deal's number and the place."""


class Table(Struct, frozen=True, kw_only=True):
    """Everything known of a table."""

    setup: TableSetup
    plan: Plan
    is_player_dealt: bool = False
    """The players deal in turn, nobody is paid for it; such a table burns no cards."""
    own_tags: dict[str, frozenset[Tag]] = {}
    """The tags that make each registered pack whole."""
    order: tuple[Place, ...] = ()
    """Hands in the order in which they are served, as the button or dealer stands."""
    entitled: frozenset[Place] = frozenset()
    hand: Hand = Hand()
    past: Past = Past()
    hand_no: int = 1
    deal_no: int = 1
    """Deals so far; a replay is a deal of its own in the same hand."""
    is_next_begun: bool = False
    """The hand after a taken pot has begun: its first riffle, or its first card."""
    seats: tuple[Place, ...] = ()
    newcomers: frozenset[Place] = frozenset()
    """Players who sat down during the hand; they are dealt in when the next one begins."""
    was_absent: frozenset[Place] = frozenset()
    """Players who were away when the deal that is being replayed was made first."""
    button: Place | None = None
    dealer: Place | None = None
    due_dealer: Place | None = None
    next_dealer: Place | None = None
    """Who deals next, where a ruling has said so."""
    absent: frozenset[Place] = frozenset()
    penalty: dict[Place, int] = {}
    is_replay: bool = False
    """The deal that is due is the one before made again."""
    in_break: bool = False
    bets_closed: bool = False
    pack: str | None = None
    approved_ns: int = -1
    """When the inspector last approved that play goes on."""
    now_ns: int = 0


class Withdrawn(Struct, frozen=True, kw_only=True):
    """A matter proved to be none: what was found is taken back."""

    kind: FindingKind
    place: Place | None = None
    only_asking: bool = False
    """Only what still waits for an answer is taken back."""
    reason: str = ""


class Settled(Struct, frozen=True, kw_only=True):
    """What the ruling asked for was done; the ruling stands and is not looked at again."""

    kind: FindingKind
    place: Place | None = None


# ---------------------------------------------------------------- happenings
class Landed(Struct, frozen=True):
    """A card off the pack was placed in the order of the deal."""

    seen: Seen
    due: Place | None
    """The hand whose turn it was; None where no hand was due."""


class Left(Struct, frozen=True):
    """A card left the shoe."""

    seen: Seen


class Moved(Struct, frozen=True):
    """A card that had a place came to another."""

    before: Seen
    seen: Seen


class Arrived(Struct, frozen=True):
    """A card that did not come off the pack appeared at a place."""

    seen: Seen


class CrossRead(Struct, frozen=True):
    """A tag was read at two places and is still at the first."""

    seen: Seen
    other: Place


class TurnedUp(Struct, frozen=True):
    """A card is seen face up."""

    seen: Seen | None
    """None where the card was never dealt."""
    place: Place
    card: Card | None
    landed_up: bool
    at_ns: int


class DealOver(Struct, frozen=True):
    """The initial deal is over and every card of it has had its time to be read."""


class Acted(Struct, frozen=True):
    """A player acted."""

    seat: Place
    action: str
    is_out_of_turn: bool


class HandStarted(Struct, frozen=True):
    """The first card of a deal came off the pack."""


class Collected(Struct, frozen=True):
    """All cards of the hand went back; ``before`` is the table as it was until then."""

    before: Table
    missing: tuple[Tag, ...] = ()
    """Tags of the pack that a complete inventory did not hear."""


class Unread(Struct, frozen=True):
    """A card lies at a place and no reader has named it in time."""

    place: Place
    card: Card | None
    at_ns: int


class Mismatched(Struct, frozen=True):
    """The camera sees another face than the one that the tag stands for."""

    seen: Seen
    face: Card


class Counted(Struct, frozen=True):
    """The pack, or a hand, was counted."""

    count: int
    place: Place | None = None
    """The hand; None for the pack."""


class Overdue(Struct, frozen=True):
    """What was found has waited long enough for somebody to enter what would explain it."""

    finding: Finding


class Told(Struct, frozen=True):
    """A device or a person told something that a detector must look at."""

    event: AnyEvent


Happening = (
    Landed | Left | Moved | Arrived | CrossRead | TurnedUp | DealOver | Acted | HandStarted
    | Collected | Unread | Mismatched | Counted | Overdue | Told
)  # fmt: skip


def is_casino(table: Table) -> bool:
    """Say whether the house banks the game."""
    return table.plan.is_banked


def count_of(table: Table, place: Place) -> int:
    """Return how many cards a hand holds, counting those that could not be read."""
    hand = table.hand
    return len(hand.hands.get(place, ())) + hand.unread.get(place, 0)


def is_stuck(table: Table, seen: Seen) -> bool:
    """Say whether a card left the shoe at one moment with the one before it in its hand."""
    cards = table.hand.cards
    before = table.hand.hands.get(seen.hand or Place(""), ())[:-1]
    return bool(seen.left_ns) and any(cards[tag].left_ns == seen.left_ns for tag in before)


def last_said(hand: Hand, topic: str, seat: Place | None = None) -> Stated | None:
    """Return the operator's last word on a topic, or None."""
    for stated in reversed(hand.said):
        if stated.topic == topic and (seat is None or stated.seat == seat):
            return stated
    return None


def seat_after(seats: tuple[Place, ...], seat: Place | None) -> Place | None:
    """Return the next seat clockwise; seats are in clockwise order, ``seat`` may be a gap.

    Seats are numbered clockwise, so a seat that is not among them stands where its number
    would.
    """
    if not seats:
        return None
    if seat in seats:
        return seats[(seats.index(seat) + 1) % len(seats)]
    if seat is None:
        return seats[0]
    number = int(seat[1:])
    later = [s for s in seats if int(s[1:]) > number]
    return later[0] if later else min(seats, key=lambda s: int(s[1:]))
