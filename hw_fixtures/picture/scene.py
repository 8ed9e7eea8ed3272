"""What lies on the simulated table at a moment, and what moves: frozen values, as time goes on.

A card that is laid somewhere sets out at once and comes to rest a fifth of a second later. Cards
are pitched from the shoe; all else is carried by a hand, which then withdraws.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import FLOOR, HANDS, SHOE, STUB, Card, Place, Tag
from hw_fixtures.picture.layout import DEALER_AT, SPOTS, Pose, pose, shoulder
from hw_fixtures.timeline import Move, Step, Turn

FLIGHT_S = 0.2
"""From place to place. Source: a dealer pitches 2.5 cards a second (hw_fixtures.dealing.Pace)."""

TURN_S = 0.2
LEAVE_S = 0.15
"""How long a hand takes to be away from a card that it has laid down. Both assumed."""

_PILES_SHOWN = 3
"""Cards of a pile that are drawn: nothing of those below shows."""

_NOWHERE = Pose(DEALER_AT[0], DEALER_AT[1])


class Lying(Struct, frozen=True, kw_only=True):
    """A card on the table, and how it came there."""

    tag: Tag
    face: Card
    place: Place
    slot: int
    pose: Pose
    is_face_up: bool
    how: Literal["pitched", "carried", "turned"] = "carried"
    source: Pose = _NOWHERE
    was_face_up: bool = False
    since_s: float = -1e9
    """When it set out, or began to be turned."""

    @property
    def rests_s(self) -> float:
        """When it came to rest."""
        return self.since_s + (TURN_S if self.how == "turned" else FLIGHT_S)


class Hand(Struct, frozen=True):
    """An arm over the table."""

    shoulder: tuple[float, float]
    over: Pose
    reach: float
    """From 0, away, to 1, at the card."""


class Scene(Struct, frozen=True, kw_only=True):
    """The table: every card that the camera may see, in the order in which they were laid."""

    cards: tuple[Lying, ...] = ()

    def at(self, place: Place) -> tuple[Lying, ...]:
        """Return the cards of a place, the lowest first."""
        return tuple(card for card in self.cards if card.place == place)

    def resting(self, at_s: float) -> tuple[Lying, ...]:
        """Return the cards that lie still."""
        return tuple(card for card in self.cards if card.rests_s <= at_s)

    def moving(self, at_s: float) -> tuple[Lying, ...]:
        """Return the cards that are on their way."""
        return tuple(card for card in self.cards if card.since_s <= at_s < card.rests_s)

    def hands(self, at_s: float) -> tuple[Hand, ...]:
        """Return the arms that are over the table."""
        hands: dict[tuple[float, float], Hand] = {}
        for card in self.cards:
            ends_s = card.rests_s + LEAVE_S
            if card.how == "pitched" or not card.since_s <= at_s < ends_s:
                continue
            from_at = shoulder(card.place) if card.how == "turned" else DEALER_AT
            reach = 1.0 if at_s < card.rests_s else (ends_s - at_s) / LEAVE_S
            hands[from_at] = Hand(from_at, pose_at(card, at_s), reach)
        return tuple(hands.values())


def pose_at(card: Lying, at_s: float) -> Pose:
    """Return where a card is at a moment; it sets out fast and comes to rest slowly."""
    if card.how == "turned" or at_s >= card.rests_s:
        return card.pose
    share = max(0.0, (at_s - card.since_s) / FLIGHT_S)
    gone = 1 - (1 - share) ** 2
    one, other = card.source, card.pose
    return Pose(
        one.x_mm + (other.x_mm - one.x_mm) * gone,
        one.y_mm + (other.y_mm - one.y_mm) * gone,
        one.turn_deg + (other.turn_deg - one.turn_deg) * gone,
    )


def happen(scene: Scene, steps: Iterable[Step], faces: dict[Tag, Card], at_s: float) -> Scene:
    """Return the table after cards have been moved and turned at a moment."""
    for step in steps:
        match step:
            case Move():
                face = faces[step.tag]
                scene = lay(scene, step.tag, face, step.target, step.is_face_up, at_s)
            case Turn():
                scene = turn(scene, step.tag, step.is_face_up, at_s)
            case _:
                pass
    return scene


def lay(scene: Scene, tag: Tag, face: Card, place: Place, is_face_up: bool, at_s: float) -> Scene:
    """Return the table after a card was carried to a place, from wherever it lay."""
    before = next((card for card in scene.cards if card.tag == tag), None)
    scene = lift(scene, [tag])
    taken = {card.slot for card in scene.at(place)}
    slot = next(slot for slot in range(len(taken) + 1) if slot not in taken)
    there = None if place in (STUB, FLOOR) and not is_face_up else pose(place, slot, tag)
    if there is None:
        return scene
    card = Lying(
        tag=tag,
        face=face,
        place=place,
        slot=slot,
        pose=there,
        is_face_up=is_face_up,
        how="pitched" if before and before.place == SHOE and place in HANDS else "carried",
        source=before.pose if before else _source(place, tag),
        was_face_up=is_face_up,
        since_s=at_s,
    )
    return replace(scene, cards=_without_buried((*scene.cards, card), card))


def _source(place: Place, tag: Tag) -> Pose:
    """Return where a card comes from that the camera has not seen: out of the shoe, or a hand."""
    return (pose(SHOE, 0, tag) if place == SHOE else None) or _NOWHERE


def _without_buried(cards: tuple[Lying, ...], newest: Lying) -> tuple[Lying, ...]:
    """Leave out what lies so deep in a pile that nothing of it shows."""
    if SPOTS[newest.place].step_mm:
        return cards
    same = [card.tag for card in cards if card.place == newest.place]
    buried = frozenset(same[:-_PILES_SHOWN])
    return tuple(card for card in cards if card.tag not in buried)


def turn(scene: Scene, tag: Tag, is_face_up: bool, at_s: float) -> Scene:
    """Return the table after a card was turned over where it lies."""
    return replace(
        scene,
        cards=tuple(
            replace(
                card,
                how="turned",
                was_face_up=card.is_face_up,
                is_face_up=is_face_up,
                since_s=at_s,
            )
            if card.tag == tag
            else card
            for card in scene.cards
        ),
    )


def lift(scene: Scene, tags: Iterable[Tag]) -> Scene:
    """Return the table after cards were taken away."""
    gone = frozenset(tags)
    return replace(scene, cards=tuple(card for card in scene.cards if card.tag not in gone))
