"""The cut pad: two packets beside each other, seen at an angle, and how many cards are in each.

A packet is a box with the card's outline for its ground. Where it stands and how high it is follow
from its silhouette: the box is moved, turned and raised until its outline in the picture is the
one that is seen. The two heights add up to the pack, so that they need no scale of their own:
what counts is their proportion.

Readers under the pad count better. This is for pads without, and tells nothing unless it is sure.
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Card
from engine.events import CutMade
from vision.boxfit import Box, PadView, fit_box
from vision.seen import Picture, Seen

# Assumed: by how much, of its height, the air in a packet makes one higher than the other.
_LOOSENESS = 0.01
# The two packets and the pack measured at enrolment may differ by so much, air included.
_MOST_OFF = 0.05
# A thick packet is told where its count is good to 8 %, 19 times in 20. A thin one, of which that
# is less than a card, where the next number of cards is a thousand times less likely: that is
# where rules look.
_NEARLY = 0.08
_LIKELIER = math.log(1000)
# Of a packet, in the picture. Smaller things on the pad are crumbs and chips.
_LEAST_CARD_AREA = 0.3
_LEAST_UNLIKE = 18


class WholePack(Struct, frozen=True):
    """The pack as it stood squared on the pad, measured at enrolment."""

    cards: int
    box: Box


class Cut(Struct, frozen=True, kw_only=True):
    """What a picture of the cut pad shows."""

    top: float = 0.0
    """Cards in the packet that was lifted off, as measured."""
    bottom: float = 0.0
    sigma: float = math.inf
    """One standard deviation of either, in cards."""
    faces_up: tuple[Card, ...] = ()
    unsure: str = ""
    """Why it is not told; empty where it is."""


def enrol_pack(picture: Picture, empty: Picture, view: PadView, cards: int) -> WholePack | None:
    """Measure the whole pack, squared on the pad; None where there is not one packet alone.

    Args:
        picture: The pad with the pack on it.
        empty: The pad without it, in the same light.
        view: Where the camera sees the pad from.
        cards: How many the pack has.
    """
    found = packets(picture, empty, view)
    return WholePack(cards, found[0]) if len(found) == 1 else None


def look_at_cut(
    picture: Picture, empty: Picture, view: PadView, pack: WholePack, seen: Seen
) -> Cut:
    """Measure the two packets of a cut.

    Args:
        picture: The pad with both packets, at rest.
        empty: The pad without them, in the same light.
        view: Where the camera sees the pad from.
        pack: The whole pack as enrolled; the packet that stands nearer to its place is the bottom.
        seen: What the Eye sees in the same picture.
    """
    found = packets(picture, empty, view)
    if len(found) != 2:
        return Cut(unsure=f"{len(found)} packets on the pad, expected 2")
    cut = weighed((found[0], found[1]), pack)
    faces, unread = _faces(seen, found, view)
    if unread and not cut.unsure:
        cut = replace(cut, unsure="a card lies face up and cannot be read")
    return replace(cut, faces_up=faces)


def weighed(boxes: tuple[Box, Box], pack: WholePack) -> Cut:
    """Return what two packets are of the pack, by the proportion of their heights."""
    bottom, top = sorted(boxes, key=lambda box: math.dist(_at(box), _at(pack.box)))
    whole = top.height_mm + bottom.height_mm
    cards = pack.cards * top.height_mm / whole
    cut = Cut(top=cards, bottom=pack.cards - cards, sigma=_sigma(top, bottom, pack.cards))
    return replace(cut, unsure=_doubt(cut, whole, pack))


def cut_event(cut: Cut, at_ns: int) -> CutMade | None:
    """Return the event of a cut that is sure; None where a person must be asked."""
    if cut.unsure:
        return None
    total = round(cut.top + cut.bottom)
    top = round(cut.top)
    return CutMade(at_ns=at_ns, top=top, bottom=total - top, faces_up=cut.faces_up)


def question(cut: Cut) -> str:
    """Return what a person is asked where a cut is not sure: the fact, never a guess."""
    asked = "say `cut TOP/BOTTOM`"
    if not math.isfinite(cut.sigma):
        return f"the cut was not counted ({cut.unsure}): {asked}"
    low, high = (max(0, round(cut.top + side * 2 * cut.sigma)) for side in (-1, 1))
    return f"the cut was not counted ({cut.unsure}; {low} to {high} on top): {asked}"


def _at(box: Box) -> tuple[float, float]:
    return box.x_mm, box.y_mm


def _sigma(top: Box, bottom: Box, cards: int) -> float:
    """Return how far off the count may be: edges in the picture, and air between the cards."""
    whole = top.height_mm + bottom.height_mm
    edges = math.hypot(bottom.height_mm * top.sigma_mm, top.height_mm * bottom.sigma_mm) / whole**2
    air = math.sqrt(2) * _LOOSENESS * top.height_mm * bottom.height_mm / whole**2
    return cards * math.hypot(edges, air)


def _doubt(cut: Cut, whole_mm: float, pack: WholePack) -> str:
    if abs(whole_mm / pack.box.height_mm - 1) > _MOST_OFF:
        return (
            f"the packets are {whole_mm:.1f} mm together, the pack is {pack.box.height_mm:.1f} mm"
        )
    thin = min(cut.top, cut.bottom)
    off = abs(thin - round(thin))
    is_sure = (
        2 * cut.sigma <= _NEARLY * thin
        if _NEARLY * thin >= 1
        else (1 - 2 * off) / (2 * cut.sigma**2) >= _LIKELIER
    )
    if is_sure:
        return ""
    return f"{thin:.1f} cards in the thinner packet, give or take {2 * cut.sigma:.1f}"


# ---------------------------------------------------------------- packets
def packets(picture: Picture, empty: Picture, view: PadView) -> list[Box]:
    """Return the packets that stand on the pad."""
    unlike = cv2.GaussianBlur(cv2.absdiff(picture, empty), (0, 0), 1.0).max(axis=-1)
    level = max(_LEAST_UNLIKE, cv2.threshold(unlike, 0, 255, cv2.THRESH_OTSU)[0] / 2)
    mask = (unlike > level).astype(np.uint8)
    reach = max(3, round(2 * view.px_per_mm))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    least = _LEAST_CARD_AREA * view.card_area_px
    large = [np.asarray(each, np.float64)[:, 0] for each in contours
             if cv2.contourArea(each) > least]  # fmt: skip
    return [fit_box(each, unlike.astype(np.float32), view) for each in large]


def _faces(seen: Seen, boxes: Sequence[Box], view: PadView) -> tuple[tuple[Card, ...], int]:
    """Return the faces that lie on the packets, and how many there could not be read."""
    outlines = [view.outline(box).astype(np.float32) for box in boxes]
    on_packets = [
        card
        for card in seen.cards
        if any(cv2.pointPolygonTest(each, _middle(card.corners_px), False) >= 0
               for each in outlines)
    ]  # fmt: skip
    read = tuple(card.card for card in on_packets if card.card is not None)
    return read, len(on_packets) - len(read)


def _middle(corners: Sequence[tuple[float, float]]) -> tuple[float, float]:
    x, y = np.mean(np.array(corners), axis=0)
    return float(x), float(y)
