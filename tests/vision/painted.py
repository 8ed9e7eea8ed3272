"""A small table that is painted frame by frame, and an eye for its plain cards."""

from collections.abc import Iterable, Iterator
from functools import cache

import cv2
import numpy as np
from msgspec import Struct, field

from engine.cards import Card, Place
from vision.calibrate import Calibration
from vision.geometry import in_order
from vision.seen import Corners, Picture, Seen, SeenBack, SeenCard
from vision.watcher import CameraEvent, Watcher

WIDE, HIGH = 960, 544
FRAME_NS = 33_333_333
CARD_WIDE, CARD_HIGH = 63, 89

FELT, HAND, BACK, WHITE = (60, 110, 40), (120, 150, 205), (190, 60, 40), (245, 245, 245)

# The colour in the middle of a card tells its face.
FACES: dict[Card, tuple[int, int, int]] = {
    Card("9h"): (30, 30, 200),
    Card("Kd"): (20, 180, 200),
    Card("As"): (20, 20, 20),
    Card("2c"): (20, 140, 20),
}

_NOISE = np.random.default_rng(5).normal(0, 2, (7, HIGH, WIDE, 3)).round()
NOISE = [(each.clip(0).astype(np.uint8), (-each).clip(0).astype(np.uint8)) for each in _NOISE]
"""Of the sensor, in turn: as seldom alike as it need be."""

S1, S2, BOARD = Place("S1"), Place("S2"), Place("board")
ZONES: dict[Place, tuple[tuple[float, float], ...]] = {
    S1: ((40.0, 40.0), (340.0, 40.0), (340.0, 240.0), (40.0, 240.0)),
    S2: ((600.0, 40.0), (920.0, 40.0), (920.0, 240.0), (600.0, 240.0)),
    BOARD: ((200.0, 300.0), (760.0, 300.0), (760.0, 500.0), (200.0, 500.0)),
}
CALIBRATION = Calibration(
    picture_wh_px=(WIDE, HIGH),
    size_mm=(float(WIDE), float(HIGH)),
    corners_px=((0.0, 0.0), (float(WIDE), 0.0), (float(WIDE), float(HIGH)), (0.0, float(HIGH))),
    zones=ZONES,
)
"""A pixel is a millimetre."""


def corners(x: float, y: float, turn_deg: float = 0.0) -> Corners:
    """Return the corners of a card by its middle."""
    turn = np.radians(turn_deg)
    right = np.array([np.cos(turn), np.sin(turn)]) * CARD_WIDE / 2
    down = np.array([-np.sin(turn), np.cos(turn)]) * CARD_HIGH / 2
    four = (-right - down, right - down, right + down, -right + down)
    a, b, c, d = ((float(x + p[0]), float(y + p[1])) for p in four)
    return a, b, c, d


class Painted(Struct, kw_only=True):
    """What is on the table now."""

    cards: dict[str, tuple[Card | None, float, float]] = field(default_factory=dict)
    """By any name: a face, or None for a back, and where its middle is."""
    hands: list[tuple[float, float, float, float]] = field(default_factory=list)
    """Left, top, right and bottom of what covers the table."""
    light: tuple[float, float, float] = (1.0, 1.0, 1.0)
    bump_px: tuple[int, int] = (0, 0)
    seed: int = 0

    def frame(self) -> Picture:
        """Return the next frame, noise included."""
        self.seed += 1
        more, less = NOISE[self.seed % len(NOISE)]
        return np.asarray(cv2.subtract(cv2.add(self._picture(), more), less), np.uint8)

    def _picture(self) -> Picture:
        picture = bare()
        for face, x, y in self.cards.values():
            quad = np.array(corners(x, y)).round().astype(np.int32)
            cv2.fillConvexPoly(picture, quad, BACK if face is None else WHITE)
            if face is not None:
                cv2.circle(picture, (round(x), round(y)), 12, FACES[face], -1)
        for left, top, right, bottom in self.hands:
            ends = (round(left), round(top)), (round(right), round(bottom))
            cv2.rectangle(picture, *ends, HAND, -1)
        if self.bump_px != (0, 0):
            picture = np.roll(picture, self.bump_px, axis=(1, 0))
        if self.light != (1.0, 1.0, 1.0):
            scale = (*self.light, 0.0)
            picture = np.asarray(cv2.multiply(picture, scale), np.uint8)  # type: ignore[call-overload]
        return picture


def bare() -> Picture:
    """Return the bare table: felt with print on it, so that a bump can be noticed."""
    return _bare().copy()


@cache
def _bare() -> Picture:
    picture = np.full((HIGH, WIDE, 3), FELT, np.uint8)
    shade = np.linspace(0.85, 1.1, WIDE).reshape(1, WIDE, 1)
    picture = np.clip(picture * shade, 0, 255).astype(np.uint8)
    rng = np.random.default_rng(7)
    for x in range(100, WIDE - 80, 95):
        for y in (115, 270, 420):
            at = (x + int(rng.integers(-20, 20)), y + int(rng.integers(-10, 10)))
            cv2.putText(
                picture, chr(65 + x // 95), at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (140, 200, 120), 2
            )
    return picture


class PlainEye:
    """Finds the painted cards by their colours; whole ones only."""

    def __init__(self) -> None:
        self.looks: list[tuple[int, int]] = []
        """The size of every picture that it was shown."""

    def look(self, picture: Picture) -> Seen:
        self.looks.append((picture.shape[1], picture.shape[0]))
        blue, green, red = (np.asarray(each, np.uint8) for each in cv2.split(picture))
        other = np.maximum(green, red)
        least, most = np.minimum(np.minimum(green, red), blue), np.maximum(other, blue)
        white = ((most > 90) & (least > 0.75 * most)).astype(np.uint8)
        blue = (blue > 1.8 * other).astype(np.uint8)
        faces = tuple(SeenCard(_face(picture, quad), 0.97, quad) for quad in _quads(white))
        return Seen(cards=faces, backs=tuple(SeenBack(0.97, quad) for quad in _quads(blue)))


def _quads(mask: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> Iterator[Corners]:
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for contour in found:
        rectangle = cv2.minAreaRect(contour)
        short, long = sorted(rectangle[1])
        is_card = abs(short - CARD_WIDE) < 6 and abs(long - CARD_HIGH) < 6
        if is_card and cv2.contourArea(contour) > 0.93 * short * long:
            yield in_order([(float(x), float(y)) for x, y in cv2.boxPoints(rectangle)])


def _face(picture: Picture, quad: Corners) -> Card:
    x, y = (round(sum(each) / 4) for each in zip(*quad, strict=True))
    colour = np.median(picture[y - 4 : y + 5, x - 4 : x + 5].reshape(-1, 3), axis=0) + 8
    colour = colour / np.linalg.norm(colour)

    def likeness(card: Card) -> float:
        wanted = np.array(FACES[card], np.float64) + 8
        return float(colour @ wanted / np.linalg.norm(wanted))

    return max(FACES, key=likeness)


class Film:
    """Plays a painted table to a watcher, and keeps what it tells with the frame that told it."""

    def __init__(
        self, table: Painted | None = None, calibration: Calibration = CALIBRATION
    ) -> None:
        self.table = table or Painted()
        self.eye = PlainEye()
        self.watcher = Watcher(calibration, bare(), self.eye)
        self.frame = 0
        self.told: list[tuple[int, CameraEvent]] = []

    def run(self, frames: int) -> list[CameraEvent]:
        """Show so many frames of the table as it is."""
        told: list[CameraEvent] = []
        for _ in range(frames):
            self.frame += 1
            events = self.watcher.see(self.table.frame(), self.frame * FRAME_NS)
            self.told += [(self.frame, event) for event in events]
            told += events
        return told

    def pull(self, name: str, to: tuple[float, float], frames: int) -> list[CameraEvent]:
        """Move a card in a straight line; it rests with the last of the frames."""
        face, x0, y0 = self.table.cards[name]
        told: list[CameraEvent] = []
        for step in range(1, frames + 1):
            share = step / frames
            x, y = x0 + (to[0] - x0) * share, y0 + (to[1] - y0) * share
            self.table.cards[name] = (face, x, y)
            told += self.run(1)
        return told


def faces(events: Iterable[object]) -> list[object]:
    """Return events without those of devices."""
    return [event for event in events if not hasattr(event, "device")]
