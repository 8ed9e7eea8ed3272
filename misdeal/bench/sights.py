"""What a camera told, held against what lay at the table."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from engine.events import BackSighted, CardLost, CardSighted, DeviceFaulted, DeviceRestored
from hw_fixtures.picture.reel import Exposure, Landing
from vision.health import CAMERA
from vision.watcher import CameraEvent

IN_TIME_S = 0.3
"""How soon a card that lies face up is to be told. Source: issue 5, "What must show"."""

BRIEF_S = 0.5
"""A card that lies for less may be told or not: it is on its way again before it could be."""

LATE_S = 1.5
"""How long after its card was taken away a sight or a loss may still be told."""

_Cause = TypeVar("_Cause", Landing, Exposure)

Span = tuple[float, float]

Sight = TypeVar("Sight", CardSighted, CardLost)


class Told(Struct, frozen=True):
    """An event, and when the frame came with which it was told."""

    at_s: float
    event: CameraEvent


class Score(Struct, frozen=True, kw_only=True):
    """How much of what was to be told was told, how soon, and what was told besides."""

    exposed: int
    """Cards that came to lie face up while the camera could see."""
    waits_s: tuple[float, ...]
    """From coming to rest to being told, for each that was told."""
    missed: tuple[Exposure, ...]
    wrong: tuple[Told, ...]
    """Sights and losses of what did not happen, backs that did not come."""
    backs: tuple[int, int] = (0, 0)
    """How many came to lie face down, and of how many that was told."""
    blind: tuple[Span, ...]
    """When the camera was told to be faulted."""

    @property
    def in_time(self) -> int:
        """How many were told soon enough."""
        return sum(wait <= IN_TIME_S for wait in self.waits_s)


def score(
    exposures: Sequence[Exposure],
    told: Sequence[Told],
    end_s: float,
    bad: Sequence[Span] = (),
    landings: Sequence[Landing] = (),
) -> Score:
    """Hold what was told against what lay there.

    Args:
        exposures: What lay face up.
        told: What was told, in order.
        end_s: When it was over.
        bad: When something was wrong with the camera: what came to rest then, or while it was told
            to be faulted, need not be told in time, but nothing else may be told.
        landings: What came to lie face down.
    """
    blind = _blind(told, end_s)
    # What is shut out, and what comes back just as the camera does.
    unseen = [*blind, *((from_s - IN_TIME_S, until_s + IN_TIME_S) for from_s, until_s in bad)]
    faces = [each for each in told if isinstance(each.event, CardSighted)]
    waits_s: list[float] = []
    missed: list[Exposure] = []
    exposed = 0
    for exposure in exposures:
        found = next((each for each in faces if _shows(each, exposure)), None)
        if found is not None:
            faces.remove(found)
        is_due = exposure.until_s - exposure.from_s >= BRIEF_S and not _is_within(
            exposure.from_s, unseen
        )
        if is_due:
            exposed += 1
            if found is None:
                missed.append(exposure)
            else:
                waits_s.append(found.at_s - exposure.from_s)
    # After a fault a card that still lies there may be told anew.
    wrong = [each for each in faces if not _is_again(each, exposures, blind)]
    wrong += _false_losses(exposures, told)
    backs = sum(isinstance(each.event, BackSighted) for each in told)
    false_backs = _false_backs(landings, told)
    wrong += false_backs
    return Score(
        exposed=exposed,
        waits_s=tuple(waits_s),
        missed=tuple(missed),
        wrong=tuple(sorted(wrong, key=lambda each: each.at_s)),
        blind=tuple(blind),
        backs=(len(landings), backs - len(false_backs)),
    )


def _unexplained(
    told: Sequence[Told], causes: Sequence[_Cause], explains: Callable[[_Cause, Told], bool]
) -> list[Told]:
    """Return what nothing explains; each cause explains one."""
    left = list(causes)
    wrong: list[Told] = []
    for each in told:
        cause = next((cause for cause in left if explains(cause, each)), None)
        if cause is None:
            wrong.append(each)
        else:
            left.remove(cause)
    return wrong


def _false_backs(landings: Sequence[Landing], told: Sequence[Told]) -> list[Told]:
    """Return the backs that no landing explains."""
    backs = [each for each in told if isinstance(each.event, BackSighted)]
    return _unexplained(backs, landings, _landed)


def _landed(landing: Landing, told: Told) -> bool:
    event = told.event
    is_there = isinstance(event, BackSighted) and landing.place == event.place
    return is_there and landing.at_s - IN_TIME_S <= told.at_s


def _blind(told: Sequence[Told], end_s: float) -> list[Span]:
    spans: list[Span] = []
    since_s: float | None = None
    for each in told:
        match each.event:
            case DeviceFaulted(device=device) if device == CAMERA:
                since_s = each.at_s if since_s is None else since_s
            case DeviceRestored(device=device) if device == CAMERA and since_s is not None:
                spans.append((since_s, each.at_s))
                since_s = None
            case _:
                pass
    return [*spans, (since_s, end_s)] if since_s is not None else spans


def _is_within(at_s: float, spans: Sequence[Span]) -> bool:
    return any(from_s <= at_s <= until_s for from_s, until_s in spans)


def _shows(told: Told, exposure: Exposure) -> bool:
    event = told.event
    return (
        isinstance(event, CardSighted)
        and (event.place, event.card) == (exposure.place, exposure.card)
        and exposure.from_s - IN_TIME_S <= told.at_s <= exposure.until_s + LATE_S
    )


def _is_again(told: Told, exposures: Sequence[Exposure], blind: Sequence[Span]) -> bool:
    was_blind = any(until_s <= told.at_s for _, until_s in blind)
    return was_blind and any(_shows(told, each) for each in exposures)


def _false_losses(exposures: Sequence[Exposure], told: Sequence[Told]) -> list[Told]:
    """Return the losses that no card's going explains."""
    losses = [each for each in told if isinstance(each.event, CardLost)]
    return _unexplained(losses, exposures, _went)


def _went(exposure: Exposure, told: Told) -> bool:
    event = told.event
    is_it = isinstance(event, CardLost) and (event.place, event.card) == (
        exposure.place,
        exposure.card,
    )
    return is_it and exposure.until_s - IN_TIME_S <= told.at_s
