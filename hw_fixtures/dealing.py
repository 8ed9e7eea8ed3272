"""A dealer's hands: turns a hand that is decided into what happens at the table, step by step.

The pack lies on its pad, goes into the shoe, card by card to its places, and back to the pad
whole. The shoe is two places: ``stub`` is inside it, where no antenna hears a card, ``shoe`` its
mouth.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from engine.cards import (
    BOARD,
    BURN,
    FLOOR,
    HANDS,
    MUCK,
    PACK,
    SHOE,
    STUB,
    Card,
    Pack,
    Place,
    Tag,
    TaggedCard,
)
from hw_fixtures.hands import RULES, Deed, Hand, live_seats
from hw_fixtures.packs import own_cards
from hw_fixtures.timeline import Move, Said, Step, Turn


class Pace(Struct, frozen=True, kw_only=True):
    """How fast a dealer works, in seconds."""

    card_s: float = 0.4
    """From card to card of the deal: 2.5 cards a second."""
    mouth_s: float = 0.2
    """How long a card shows in the mouth of the shoe."""
    act_s: float = 0.6
    """What a player takes to act."""
    muck_s: float = 0.2
    """From the word to the cards in the muck."""
    street_s: float = 1.0
    gather_s: float = 0.15
    """For each hand that is gathered in."""
    notice_s: float = 3.0
    """How long play stands still when something is wrong."""
    count_s: float = 3.0
    """How long the pack lies on its pad: its reader counts it three times."""


class Pitch(Struct, frozen=True, kw_only=True):
    """One card of the initial deal and where it goes."""

    card: TaggedCard
    place: Place
    is_face_up: bool = False


class Course(Struct, frozen=True, kw_only=True):
    """What a dealer does with a hand: all of it, or until something is wrong."""

    hand: Hand
    pitches: tuple[Pitch, ...]
    added: tuple[TaggedCard, ...] = ()
    """Cards that got into the pack and do not belong there."""
    stops_at: Literal["pitch", "deal", "street"] | None = None
    """Play stops after the last pitch, when the deal is called over, or after the last street
    that the hand's betting reaches; None where nothing stops it."""


class Table:
    """What lies where while a hand is played, and the steps that brought it there.

    Args:
        lies: What lies where at the beginning.
        pace: How fast it goes.
        is_entered: Whether anybody tells the operator's door what is said and done.
    """

    def __init__(
        self, lies: Mapping[Place, Sequence[TaggedCard]], *, pace: Pace, is_entered: bool
    ) -> None:
        self.pace = pace
        self.steps: list[Step] = []
        self.at_s = 0.0
        self.faces: dict[Tag, Card] = {
            card.tag: card.card for cards in lies.values() for card in cards
        }
        self._where: dict[Tag, Place] = {
            card.tag: place for place, cards in lies.items() for card in cards
        }
        self._is_entered = is_entered

    def at(self, place: Place) -> list[Tag]:
        """Return the cards at a place, in the order in which they came."""
        return [tag for tag, lies in self._where.items() if lies == place]

    def wait(self, seconds: float) -> None:
        """Let time pass; it is kept in whole milliseconds."""
        self.at_s = round(self.at_s + seconds, 3)

    def say(self, text: str) -> None:
        """Tell the operator's door, where anybody does."""
        if self._is_entered:
            self.steps.append(Said(at_s=self.at_s, text=text))

    def carry(self, tags: Iterable[Tag], place: Place, *, is_face_up: bool = False) -> None:
        """Carry cards to a place."""
        for tag in tags:
            source = self._where.pop(tag)
            self._where[tag] = place
            self.steps.append(
                Move(at_s=self.at_s, tag=tag, source=source, target=place, is_face_up=is_face_up)
            )

    def turn_up(self, tags: Iterable[Tag]) -> None:
        """Turn cards face up where they lie."""
        for tag in tags:
            self.steps.append(
                Turn(at_s=self.at_s, tag=tag, place=self._where[tag], is_face_up=True)
            )

    def draw(self, tag: Tag, place: Place, *, is_face_up: bool = False) -> None:
        """Draw a card from the shoe and deal it to a place."""
        self.carry([tag], SHOE)
        self.wait(self.pace.mouth_s)
        self.carry([tag], place, is_face_up=is_face_up)
        self.wait(self.pace.card_s - self.pace.mouth_s)


def initial_deal(hand: Hand) -> tuple[Pitch, ...]:
    """Return the initial deal as it ought to be: one card at a time, the button last."""
    places = hand.order * RULES[hand.game].hand_cards
    return tuple(
        Pitch(card=card, place=place) for card, place in zip(hand.cards, places, strict=False)
    )


def perform(
    course: Course,
    pack: Pack,
    *,
    on_pad: Pack | None,
    pace: Pace,
    actions: Literal["entered", "none"],
) -> Table:
    """Play a hand.

    Args:
        course: What the dealer does.
        pack: The pack that he deals.
        on_pad: The pack that lies on the pad; it is changed first where it is another one.
        pace: How fast he works.
        actions: Whether anybody enters what is said and done.

    Returns:
        The table after it, with the steps that brought it there.
    """
    lies = {FLOOR: list(course.added), PACK: list(own_cards(on_pad)) if on_pad else []}
    if on_pad != pack:
        lies[FLOOR] += own_cards(pack)
    table = Table(lies, pace=pace, is_entered=actions == "entered")
    if on_pad != pack:
        table.carry(table.at(PACK), FLOOR)
        if on_pad is not None:
            table.say(f"say pack {pack.name}")
        table.carry([card.tag for card in own_cards(pack)], PACK)
        table.wait(pace.count_s)
    play(table, course)
    return table


def play(table: Table, course: Course) -> None:
    """Play a hand from the pack on the pad to the pack on the pad."""
    added = [card.tag for card in course.added]
    table.say("shuffle")
    table.carry([*table.at(PACK), *added], STUB)
    table.wait(table.pace.street_s)
    for pitch in course.pitches:
        table.draw(pitch.card.tag, pitch.place, is_face_up=pitch.is_face_up)
    if course.stops_at != "pitch":
        table.say("deal ends")
    if course.stops_at in {None, "street"}:
        _play_streets(table, course)
    if course.stops_at is None:
        _finish(table, course.hand)
    else:
        table.wait(table.pace.notice_s)
    _gather(table, added)


def _play_streets(table: Table, course: Course) -> None:
    hand = course.hand
    dealt = {pitch.card.tag for pitch in course.pitches}
    stub = iter([card.tag for card in hand.cards if card.tag not in dealt])
    for number, deeds in enumerate(hand.betting):
        if number:
            table.wait(table.pace.street_s)
            table.draw(next(stub), BURN)
            for _ in range(RULES[hand.game].streets[number - 1]):
                table.draw(next(stub), BOARD, is_face_up=True)
        for deed in deeds:
            _act(table, deed)
        is_run_out = bool(hand.betting[number + 1 :]) and not any(hand.betting[number + 1 :])
        if deeds and is_run_out and hand.is_tabled_early:
            _show(table, hand.showdown)


def _act(table: Table, deed: Deed) -> None:
    table.wait(table.pace.act_s)
    table.say(f"act {deed.seat} {deed.action}")
    if deed.action == "fold":
        table.wait(table.pace.muck_s)
        table.carry(table.at(deed.seat), MUCK)


def _show(table: Table, seats: Sequence[Place]) -> None:
    for seat in seats:
        table.wait(table.pace.act_s)
        table.say(f"say tabled {seat}")
        table.turn_up(table.at(seat))


def _finish(table: Table, hand: Hand) -> None:
    if not hand.is_tabled_early:
        _show(table, hand.showdown)
    if hand.showdown:
        for seat in live_seats(hand):
            if seat not in hand.showdown:
                table.carry(table.at(seat), MUCK)
    table.wait(table.pace.act_s)
    table.say("say pot taken")


def _gather(table: Table, added: Sequence[Tag]) -> None:
    """Gather all cards into one hand, take out what does not belong there, square the pack."""
    for place in (MUCK, *sorted(HANDS), BOARD, BURN):
        if tags := table.at(place):
            table.wait(table.pace.gather_s)
            table.carry(tags, STUB)
    table.wait(table.pace.gather_s)
    table.carry(added, FLOOR)
    table.carry(table.at(STUB), PACK)
    table.wait(table.pace.count_s)
