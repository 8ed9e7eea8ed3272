"""What was seen, drawn on the picture, for people."""

import cv2
import numpy as np

from vision.seen import Corners, Picture, Seen

_READ, _UNREAD, _BACK = (60, 200, 60), (0, 165, 255), (220, 120, 30)
_WHITE = (255, 255, 255)


def drawn(picture: Picture, seen: Seen) -> Picture:
    """Return a copy of a picture with the outlines and names of what was seen in it."""
    canvas = np.ascontiguousarray(picture).copy()
    line = max(2, round(max(canvas.shape[:2]) / 600))
    for back in seen.backs:
        _outline(canvas, back.corners_px, _BACK, line)
    for card in seen.cards:
        colour = _READ if card.card else _UNREAD
        _outline(canvas, card.corners_px, colour, line)
        words = f"{card.card} {card.confidence:.2f}" if card.card else "?"
        _label(canvas, words, card.corners_px, colour, line)
    return canvas


def _outline(canvas: Picture, corners: Corners, colour: tuple[int, int, int], line: int) -> None:
    quad = np.array(corners, np.float32).round().astype(np.int32)
    cv2.polylines(canvas, [quad], isClosed=True, color=colour, thickness=line, lineType=cv2.LINE_AA)


def _label(
    canvas: Picture, words: str, corners: Corners, colour: tuple[int, int, int], line: int
) -> None:
    size = 0.35 * line
    (wide, high), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, size, line)
    x, y = (round(sum(corner[axis] for corner in corners) / 4) for axis in (0, 1))
    x, y = x - wide // 2, y + high // 2
    cv2.rectangle(canvas, (x - line, y - high - line), (x + wide + line, y + line), colour, -1)
    cv2.putText(
        canvas, words, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, _WHITE, max(1, line // 2),
        cv2.LINE_AA,
    )  # fmt: skip
