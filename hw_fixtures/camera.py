"""A stand-in for the camera: it sees what lies face up, a moment after it came to lie so."""

from collections.abc import Iterable, Mapping

from engine.cards import BOARD, HANDS, Card, Place, Tag
from engine.events import CardLost, CardSighted
from hw_fixtures.timeline import Lost, Move, Seen, Step, Turn

# How long a card lies still before it is seen: 3 frames at 30 per second, and as much for the
# reading. Assumed; the engine takes sightings within 400 ms as one happening with the landing.
SIGHT_S = 0.15

VIEW: frozenset[Place] = HANDS | {BOARD}
"""Where faces are looked for; a burn pile or a muck shows none."""


def watch(steps: Iterable[Step], faces: Mapping[Tag, Card]) -> list[Seen | Lost]:
    """Return what the camera sees of a hand, in order of time.

    Args:
        steps: What happens, in order of time.
        faces: What is printed on the cards.
    """
    open_at: dict[Tag, Place] = {}
    sights: list[Seen | Lost] = []
    for step in steps:
        if not isinstance(step, (Move, Turn)):
            continue
        at_s, card = round(step.at_s + SIGHT_S, 3), faces[step.tag]
        place = step.target if isinstance(step, Move) else step.place
        left = open_at.pop(step.tag, None)
        if left is not None:
            sights.append(Lost(at_s=at_s, place=left, card=card))
        if step.is_face_up and place in VIEW:
            open_at[step.tag] = place
            sights.append(Seen(at_s=at_s, place=place, card=card))
    return sights


def as_event(sight: Seen | Lost, at_ns: int) -> CardSighted | CardLost:
    """Return the event that vision would give for a sight, captured at a moment."""
    kind = CardSighted if isinstance(sight, Seen) else CardLost
    return kind(at_ns=at_ns, place=sight.place, card=sight.card)
