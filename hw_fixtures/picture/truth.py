"""An eye that does not look: it is told what lies in the scene, for trying all that follows it."""

import math
from collections.abc import Iterable, Sequence

from hw_fixtures.picture.faces import CARD_MM
from hw_fixtures.picture.layout import VIEW_MM, Pose
from hw_fixtures.picture.scene import Hand, Lying, Scene
from vision.seen import Corners, Picture, Point, Seen, SeenBack, SeenCard

_INDEX_MM = (7.0, 14.0)
"""The middle of a corner index, from the card's corner."""

_ARM_MM = 46.0
"""How far to each side of its middle line an arm covers what lies below."""

_SURE = 0.99


class TruthEye:
    """Sees every card that lies still and whose index, or half of whose back, is not covered.

    Args:
        size_wh_px: How large whole pictures are.
    """

    def __init__(self, size_wh_px: tuple[int, int]) -> None:
        self._size = size_wh_px
        self._px_per_mm = size_wh_px[0] / VIEW_MM[0]
        self._frame: Picture | None = None
        self._scene = Scene()
        self._at_s = 0.0

    def face(self, frame: Picture, scene: Scene, at_s: float) -> None:
        """Take what the next pictures show, which are this one or pieces of it."""
        self._frame, self._scene, self._at_s = frame, scene, at_s

    def look(self, picture: Picture) -> Seen:
        """Return the cards and backs of a picture."""
        left, top = self._begin_of(picture)
        height, width = picture.shape[:2]
        resting = self._scene.resting(self._at_s)
        moving = self._scene.moving(self._at_s)
        hands = self._scene.hands(self._at_s)
        cards: list[SeenCard] = []
        backs: list[SeenBack] = []
        for number, card in enumerate(resting):
            above = (*resting[number + 1 :], *moving)
            corners = self._corners(card.pose, left, top)
            x, y = (sum(each) / 4 for each in zip(*corners, strict=True))
            if not (0 <= x < width and 0 <= y < height):
                continue
            if card.is_face_up and _is_index_free(card, above, hands):
                cards.append(SeenCard(card.face, _SURE, corners))
            elif not card.is_face_up and not _is_covered((0.0, 0.0), card, above, hands):
                backs.append(SeenBack(_SURE, corners))
        return Seen(tuple(cards), tuple(backs))

    def _begin_of(self, picture: Picture) -> tuple[int, int]:
        """Return the pixel of the whole picture at which a piece of it begins."""
        if self._frame is None:
            return 0, 0
        begins = picture.ctypes.data - self._frame.ctypes.data
        row, rest = divmod(begins, self._frame.strides[0])
        return rest // 3, row

    def _corners(self, pose: Pose, left: int, top: int) -> Corners:
        half_w, half_h = CARD_MM[0] / 2, CARD_MM[1] / 2
        around = ((-half_w, -half_h), (half_w, -half_h), (half_w, half_h), (-half_w, half_h))
        a, b, c, d = (_on_table(pose, point) for point in around)
        first, second, third, fourth = (
            (x * self._px_per_mm - left, y * self._px_per_mm - top) for x, y in (a, b, c, d)
        )
        return first, second, third, fourth


def _on_table(pose: Pose, point: Point) -> Point:
    """Return where a point of a card, from its middle, is on the table."""
    turn = math.radians(pose.turn_deg)
    x, y = point
    return (
        pose.x_mm + x * math.cos(turn) - y * math.sin(turn),
        pose.y_mm + x * math.sin(turn) + y * math.cos(turn),
    )


def _is_index_free(card: Lying, above: Sequence[Lying], hands: Iterable[Hand]) -> bool:
    x, y = CARD_MM[0] / 2 - _INDEX_MM[0], CARD_MM[1] / 2 - _INDEX_MM[1]
    hands = tuple(hands)
    return any(not _is_covered(point, card, above, hands) for point in ((-x, -y), (x, y)))


def _is_covered(point: Point, card: Lying, above: Sequence[Lying], hands: Iterable[Hand]) -> bool:
    """Say whether a point of a card is under another card or an arm."""
    spot = _on_table(card.pose, point)
    return any(_covers(each.pose, spot) for each in above) or any(
        _is_under(hand, spot) for hand in hands
    )


def _covers(pose: Pose, spot: Point) -> bool:
    turn = math.radians(pose.turn_deg)
    x, y = spot[0] - pose.x_mm, spot[1] - pose.y_mm
    across = x * math.cos(turn) + y * math.sin(turn)
    along = y * math.cos(turn) - x * math.sin(turn)
    return abs(across) < CARD_MM[0] / 2 and abs(along) < CARD_MM[1] / 2


def _is_under(hand: Hand, spot: Point) -> bool:
    (x0, y0), tip = hand.shoulder, (hand.over.x_mm, hand.over.y_mm)
    x1, y1 = x0 + (tip[0] - x0) * hand.reach, y0 + (tip[1] - y0) * hand.reach
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    along = ((spot[0] - x0) * (x1 - x0) + (spot[1] - y0) * (y1 - y0)) / length
    aside = abs((spot[0] - x0) * (y1 - y0) - (spot[1] - y0) * (x1 - x0)) / length
    return -_ARM_MM < along < length and aside < _ARM_MM
