"""The camera over a scripted table, in lock-step with its dealer.

Cards are painted as they lie, and the watcher of a real table sees them come to rest: frames are
made around each thing that a script shows to a camera. What happens in between is painted into one
still picture, and what the watcher makes of that is passed over.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from msgspec.structs import replace

from engine.cards import SHOE, Card, Place, Tag
from engine.events import BackSighted, CardLost, CardSighted
from hw_fixtures.picture.calibrated import calibration
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.layout import SPOTS
from hw_fixtures.picture.painting import Painter
from hw_fixtures.picture.scene import Scene, lay, lift, turn
from hw_fixtures.picture.truth import TruthEye
from misdeal.moments import Moment, Sight
from vision.eye import open_eye
from vision.seen import Eye, Picture
from vision.track import BACKS_AT, FACES_AT
from vision.watcher import CameraEvent, Watcher

FRAME_S = 1 / 30

_LEAST_STILL, _QUIET, _MOST_STILL = 12, 6, 90
"""Frames of a still table: at least, on end without an event, and at most. The tracker wants four
looks that agree, and ten frames for what has gone."""

_SHOWN = FACES_AT & SPOTS.keys()
"""Where a face in a picture is told."""

_PAST_S = 1.0
"""How long ago what was not filmed has come to rest."""


class ScriptedCamera:
    """Films a scripted table.

    Args:
        faces: What is printed on every card.
        eye: Finds the cards in the pictures; a ``TruthEye`` is told what they show.
    """

    def __init__(self, faces: Mapping[Tag, Card], eye: Eye) -> None:
        self._faces = faces
        self._eye = eye
        self._scene = Scene()
        self._watcher = Watcher(calibration(), _bare(), eye)
        self._at_s = 0.0
        self._filmed: Scene | None = None
        self._unnamed = 0

    @property
    def now_ns(self) -> int:
        """The time of the camera's own clock, by which its events are: that of the last frame."""
        return round(self._at_s * 1e9)

    def settle(self) -> None:
        """Look at the table until nothing is new about it, as it lay before what comes now.

        Where nothing has happened since the last frame that is done already.
        """
        if self._scene == self._filmed:
            return
        quiet = 0
        for number in range(_MOST_STILL):
            quiet = 0 if self.shoot() else quiet + 1
            if number >= _LEAST_STILL and quiet >= _QUIET:
                return

    def shoot(self) -> list[CameraEvent]:
        """Make the next frame; return what the watcher tells of it."""
        self._at_s += FRAME_S
        self._filmed = self._scene
        frame = _painter().render(self._scene, self._at_s)
        if isinstance(self._eye, TruthEye):
            self._eye.face(frame, self._scene, self._at_s)
        return self._watcher.see(frame, self.now_ns)

    def follow(self, moment: Moment) -> list[Sight]:
        """Let a moment happen under the camera.

        Returns:
            What the script has cameras see that no picture shows.
        """
        at_s = self._at_s if moment.seen else self._at_s - _PAST_S
        self._scene = lift(self._scene, moment.lifted)
        sights = list(moment.seen)
        for place, tags in moment.laid.items():
            for tag in tags:
                face = self._faces.get(tag)
                up = next((each for each in sights if _shows(each, place, face)), None)
                if face is None or (place == SHOE and up is None):
                    continue  # nothing is printed on it, or it is through the mouth at once
                if up is not None:
                    sights.remove(up)
                self._scene = lay(self._scene, tag, face, place, up is not None, at_s)
        return [sight for sight in sights if not self._happen(sight)]

    def take_away(self, tags: Iterable[Tag]) -> None:
        """Take cards off the table."""
        self._scene = lift(self._scene, tags)

    def clear(self) -> None:
        """Take all cards off the table."""
        self._scene = Scene()

    def _happen(self, sight: Sight) -> bool:
        """Let a card be turned or laid that no reader hears; say no where no picture shows it."""
        match sight:
            case BackSighted() if sight.place in BACKS_AT:
                return self._lay_unnamed(sight, next(iter(self._faces.values())), is_up=False)
            case CardSighted(card=card, tag=None) if card is not None and sight.place in _SHOWN:
                return self._turn(sight, card) or self._lay_unnamed(sight, card, is_up=True)
            case CardLost(card=card) if card is not None:
                return self._turn(sight, card)
            case _:
                return False

    def _turn(self, sight: CardSighted | CardLost, card: Card) -> bool:
        is_up = isinstance(sight, CardSighted)
        there = (each for each in self._scene.at(sight.place) if each.face == card)
        found = next((each for each in there if each.is_face_up is not is_up), None)
        if found is None:
            return False
        self._scene = turn(self._scene, found.tag, is_up, self._at_s)
        return True

    def _lay_unnamed(self, sight: CardSighted | BackSighted, card: Card, *, is_up: bool) -> bool:
        if any(each.face == card and is_up for each in self._scene.at(sight.place)):
            return False  # it lies there face up already
        self._unnamed += 1
        tag = Tag(f"unnamed {self._unnamed}")
        self._scene = lay(self._scene, tag, card, sight.place, is_up, self._at_s)
        return True


def sight_words(sight: Sight) -> str:
    """Return a sight in a few words: ``CardSighted 9h S2``."""
    known = (type(sight).__name__, getattr(sight, "card", None), getattr(sight, "place", None))
    return " ".join(filter(None, known))


def open_script_eye() -> Eye:
    """Return the eye that ships, for the pictures of scripted tables."""
    return open_eye(calibration().card_width_px())


def _shows(sight: Sight, place: Place, face: Card | None) -> bool:
    return (
        isinstance(sight, CardSighted)
        and place in _SHOWN
        and (sight.place, sight.card, sight.tag)
        == (
            place,
            face,
            None,
        )
    )


def is_told(sight: Sight, told: Iterable[CameraEvent]) -> bool:
    """Say whether a sight of a script is among what the watcher told, whenever that was."""
    return any(replace(each, at_ns=sight.at_ns) == sight for each in told)


@cache
def _painter() -> Painter:
    return Painter(Deck())


@cache
def _bare() -> Picture:
    return _painter().render(Scene(), 0.0)
