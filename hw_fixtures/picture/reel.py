"""Hands as the camera over the table would film them, and what it ought to tell of them."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Card, Place, Tag
from hw_fixtures.picture.layout import SPOTS
from hw_fixtures.picture.scene import FLIGHT_S, TURN_S, Scene, happen
from hw_fixtures.timeline import Move, Step, Timeline, Turn
from vision.track import BACKS_AT, FACES_AT

FPS = 30.0


class Exposure(Struct, frozen=True, kw_only=True):
    """A card that lies face up, from the moment at which it has come to rest."""

    place: Place
    card: Card
    from_s: float
    until_s: float
    """When it is turned down or taken away."""


class Landing(Struct, frozen=True):
    """A card came to lie face down."""

    place: Place
    at_s: float


class Hands(Struct, frozen=True):
    """Several hands, one after the other."""

    steps: tuple[Step, ...]
    """By one clock, in order of time."""
    faces: dict[Tag, Card]
    length_s: float


def in_a_row(timelines: Iterable[Timeline], length_s: float) -> Hands:
    """Return hands one after the other, until they are so long."""
    steps: list[Step] = []
    faces: dict[Tag, Card] = {}
    start_s = 0.0
    for timeline in timelines:
        steps += [_later(step, start_s) for step in timeline.steps]
        faces |= timeline.faces
        start_s += timeline.length_s
        if start_s >= length_s:
            break
    return Hands(tuple(steps), faces, min(start_s, length_s))


def _later(step: Step, by_s: float) -> Step:
    return replace(step, at_s=round(step.at_s + by_s, 3))


def scenes(hands: Hands, fps: float = FPS) -> Iterator[tuple[float, Scene]]:
    """Yield the table as it is at the moment of each picture."""
    scene, waiting = Scene(), iter(hands.steps)
    step = next(waiting, None)
    for number in range(int(hands.length_s * fps)):
        at_s = number / fps
        while step is not None and step.at_s <= at_s:
            scene = happen(scene, [step], hands.faces, step.at_s)
            step = next(waiting, None)
        yield at_s, scene


def exposures(steps: Iterable[Step], faces: Mapping[Tag, Card], end_s: float) -> list[Exposure]:
    """Return the cards that lie face up where the camera looks for faces, in order of time."""
    open_at: dict[Tag, tuple[Place, float]] = {}
    found: list[Exposure] = []

    def close(tag: Tag, until_s: float) -> None:
        place, from_s = open_at.pop(tag)
        if until_s > from_s:
            card = faces[tag]
            found.append(Exposure(place=place, card=card, from_s=from_s, until_s=until_s))

    for step in steps:
        if not isinstance(step, (Move, Turn)):
            continue
        if step.tag in open_at:
            close(step.tag, step.at_s)
        place = step.target if isinstance(step, Move) else step.place
        if step.is_face_up and place in SPOTS and place in FACES_AT:
            lasts_s = FLIGHT_S if isinstance(step, Move) else TURN_S
            open_at[step.tag] = (place, step.at_s + lasts_s)
    for tag in list(open_at):
        close(tag, end_s)
    return sorted(found, key=lambda each: each.from_s)


def landings(steps: Iterable[Step]) -> list[Landing]:
    """Return where cards came to lie face down, or were turned down, where backs are told."""
    found: list[Landing] = []
    for step in steps:
        if isinstance(step, (Move, Turn)) and not step.is_face_up:
            place = step.target if isinstance(step, Move) else step.place
            lasts_s = FLIGHT_S if isinstance(step, Move) else TURN_S
            if place in BACKS_AT:
                found.append(Landing(place, step.at_s + lasts_s))
    return found
