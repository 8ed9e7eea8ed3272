"""A film of a shoe's mouth at 4 pixels to the millimetre: felt with print on it, and one card."""

from collections.abc import Sequence
from random import Random

import cv2
import numpy as np

from engine.cards import SHOE, Place
from engine.events import BackMarked
from hw_fixtures.backs import Back, photograph
from tests.vision.shots import CAMERA, enrolled
from vision.calibrate import Calibration
from vision.enrolled import BackModel
from vision.outline import find_card
from vision.resting import RestingBacks
from vision.seen import Picture, Seen, SeenBack, SeenCard
from vision.watcher import CameraEvent, Watcher

WIDE, HIGH = 960, 544
FRAME_NS = 33_333_333
AT_PX = (60, 40)
"""Where the picture of a card is laid: 300 by 400, the card in its middle."""

S1 = Place("S1")
CALIBRATION = Calibration(
    picture_wh_px=(WIDE, HIGH),
    size_mm=(WIDE / 4, HIGH / 4),
    corners_px=((0.0, 0.0), (float(WIDE), 0.0), (float(WIDE), float(HIGH)), (0.0, float(HIGH))),
    zones={
        SHOE: ((10.0, 5.0), (95.0, 5.0), (95.0, 115.0), (10.0, 115.0)),
        S1: ((130.0, 5.0), (230.0, 5.0), (230.0, 115.0), (130.0, 115.0)),
    },
    card_mm=(63.0, 88.0),
)

_RNG = np.random.default_rng(3)
_NOISE = [_RNG.normal(0, 2, (HIGH, WIDE, 3)).round().astype(np.int16) for _ in range(7)]


class OutlineEye:
    """Takes the one thing on the felt for a back, for an unread face, or does not see it."""

    def __init__(self) -> None:
        self.is_face = False
        self.is_blind = False

    def look(self, picture: Picture) -> Seen:
        corners = find_card(picture)
        if corners is None or self.is_blind:
            return Seen((), ())
        if self.is_face:
            return Seen((SeenCard(None, 0.9, corners),), ())
        return Seen((), (SeenBack(0.9, corners),))


class Mouth:
    """Plays the film to a watcher, and keeps what it tells and the pictures that are kept."""

    def __init__(
        self,
        models: Sequence[BackModel] = (),
        backs: RestingBacks | None = None,
    ) -> None:
        self.eye = OutlineEye()
        self.kept: list[tuple[Picture, int]] = []
        backs = backs or RestingBacks(
            CALIBRATION, models or [enrolled().model], self.eye, self._keep
        )
        self.watcher = Watcher(CALIBRATION, bare(), self.eye, backs)
        self.table = bare()
        self.frame = 0
        self.cover: tuple[int, int] | None = None
        """Rows of the picture that show something dark instead."""
        self.run(20)

    def _keep(self, picture: Picture, at_ns: int) -> str:
        self.kept.append((picture, at_ns))
        return f"picture {len(self.kept)}"

    def run(self, frames: int, hand: bool = False) -> list[CameraEvent]:
        """Show so many frames of the table as it is."""
        told: list[CameraEvent] = []
        for _ in range(frames):
            self.frame += 1
            picture = self.table.copy()
            if self.cover is not None:
                picture[slice(*self.cover), :400] = (30, 30, 30)
            if hand:
                picture[200:500, 40 + 7 * (self.frame % 9) : 380] = (120, 150, 205)
            noisy = np.clip(picture + _NOISE[self.frame % 7], 0, 255).astype(np.uint8)
            told += self.watcher.see(noisy, self.frame * FRAME_NS)
        return told

    def lay(self, back: Back, seed: int) -> list[BackMarked]:
        """Lay a card at the mouth and leave it there for a second; return what is told of it."""
        taken = photograph(back, CAMERA, Random(seed)).picture
        x, y = AT_PX
        self.table[y : y + taken.shape[0], x : x + taken.shape[1]] = taken
        return marked(self.run(30))

    def clear(self) -> None:
        """Take the card away, for a second."""
        self.table = bare()
        assert marked(self.run(30)) == []


def marked(events: Sequence[CameraEvent]) -> list[BackMarked]:
    """Return what was told of backs."""
    return [event for event in events if isinstance(event, BackMarked)]


def bare() -> Picture:
    """Return the bare table."""
    picture = np.full((HIGH, WIDE, 3), (52, 84, 38), np.uint8)
    for at in range(9):
        where = (430 + 55 * at, 500 - 45 * (at % 3))
        cv2.putText(picture, chr(65 + at), where, cv2.FONT_HERSHEY_SIMPLEX, 1, (140, 200, 120), 2)
    return picture
