"""Frame in, events out: the gate, the eye, the tracker and the health of one camera, joined.

Pure: whoever captures frames calls ``see`` with each and its time, and ``pass_time`` where none
comes. Most frames cost the gate alone; the eye looks where something has changed and come to rest,
where the tracker is not sure yet, and at everything once in a while.
"""

import math
from collections.abc import Collection

from engine.cards import Place
from engine.events import (
    BackMarked,
    BackSighted,
    CardLost,
    CardSighted,
    DeviceFaulted,
    DeviceRestored,
)
from vision.calibrate import Calibration
from vision.drift import Reference, Standpoint
from vision.gate import Cells, Change, Gate, shrink
from vision.geometry import box, shifted
from vision.health import CAMERA, SILENT_NS, Alarm, Health
from vision.resting import RestingBacks
from vision.seen import Eye, Picture, Seen, SeenBack, SeenCard
from vision.track import FACES_AT, Tracker

CameraEvent = CardSighted | CardLost | BackSighted | BackMarked | DeviceFaulted | DeviceRestored

_MS = 1_000_000

LOOKS = 10
"""So often the eye looks at a place after something has changed there."""

KEY_NS = 2_000 * _MS
"""So often it looks at everything, whatever has changed."""

WHOLE_SHARE = 0.6
"""Where the places to be looked at span so much of the picture, all of it is looked at."""

COVERED_SHARE = 0.9
"""A place is covered where so much of it shows no felt, and no card is seen there."""

BLOCKED_NS = 10_000 * _MS
"""A place that is covered for so long is blocked: a coat, a tray. Arms do not lie there so long."""


class Watcher:
    """Watches one table with one camera."""

    def __init__(
        self,
        calibration: Calibration,
        bare: Picture,
        eye: Eye,
        backs: RestingBacks | None = None,
    ) -> None:
        """Begin before the first frame.

        Args:
            calibration: How the camera sees the table.
            bare: The picture of the bare table that it was calibrated with.
            eye: What finds the cards.
            backs: Compares backs, where some are enrolled.
        """
        self._eye = eye
        self._backs = backs
        self._size = calibration.picture_wh_px
        outlines = calibration.outlines_px()
        self._outlines = {place: each for place, each in outlines.items() if place in FACES_AT}
        self._margin_px = math.hypot(*calibration.card_mm) * (
            calibration.card_width_px() / calibration.card_mm[0]
        )
        self._gate = Gate(shrink(bare))
        self._tracker = Tracker(self._outlines)
        self._looks = dict.fromkeys(self._outlines, 0)
        self._whole_ns: int | None = None
        self._health = Health(calibration.picture_wh_px)
        self._alarm = Alarm(CAMERA)
        self._blocked = {
            place: Alarm(f"{CAMERA}:{place}", fault_ns=BLOCKED_NS) for place in self._outlines
        }
        reference = Reference(bare, calibration.plane(), calibration.table_mm)
        self._standpoint = Standpoint(reference, self._gate.shape)
        self._newest_ns: int | None = None
        self._bare: Cells | None = None
        self._hidden: frozenset[Place] = frozenset()

    def see(self, frame: Picture, at_ns: int) -> list[CameraEvent]:
        """Take a frame; return what has come about.

        Args:
            frame: The picture, whole.
            at_ns: When it was captured, later than the one before.
        """
        self._newest_ns = at_ns
        wrong = self._health.size(frame, at_ns)
        if wrong is not None:
            return [*self._alarm.see(wrong, at_ns, at_once=True)]
        small = shrink(frame)
        change = self._gate.see(small, at_ns)
        moved = self._standpoint.look(frame, change)
        wrong = moved or self._health.look(small, at_ns) or self._covered(change)
        told: list[CameraEvent] = [*self._alarm.see(wrong, at_ns, at_once=moved is not None)]
        if wrong is not None or self._alarm.is_faulted or self._standpoint.is_bumped:
            self._tracker.pause()
            return told
        told += self._track(frame, change)
        told += self._backs.see(frame, change) if self._backs else []
        return told + self._view(at_ns)

    def pass_time(self, now_ns: int) -> list[CameraEvent]:
        """Take note that no frame has come until now."""
        if self._newest_ns is None:
            self._newest_ns = now_ns
        is_silent = now_ns - self._newest_ns >= SILENT_NS
        return self.lose("gives no frames", now_ns) if is_silent else []

    def lose(self, reason: str, at_ns: int) -> list[CameraEvent]:
        """Take note that there are no frames any more, and why."""
        self._tracker.pause()
        return [*self._alarm.see(reason, at_ns, at_once=True)]

    # ------------------------------------------------------------ cards
    def _track(self, frame: Picture, change: Change) -> list[CameraEvent]:
        wanted = self._wanted(change)
        if not wanted:
            is_idle = not self._tracker.is_waiting and not change.moving.any()
            return [] if is_idle else [*self._tracker.rest(change)]
        seen = self._look(frame, wanted)
        told = self._tracker.see(seen, change, wanted)
        looked = change.moving & False
        for place in wanted:
            self._looks[place] = max(0, self._looks[place] - 1)
            looked[change.cells(self._outlines[place])] = True
        self._gate.accept(looked & ~change.moving)
        return [*told]

    def _wanted(self, change: Change) -> frozenset[Place]:
        """Return the places that are to be looked at now."""
        if self._whole_ns is None or change.at_ns - self._whole_ns >= KEY_NS:
            self._whole_ns = change.at_ns
            self._gate.learn(change)
            return frozenset(self._outlines)
        fresh = change.fresh & ~change.moving
        if fresh.any():
            for place, outline in self._outlines.items():
                if fresh[change.cells(outline)].any():
                    self._looks[place] = LOOKS
        hoped = frozenset(place for place, looks in self._looks.items() if looks)
        return hoped | self._tracker.pending()

    def _look(self, frame: Picture, places: Collection[Place]) -> Seen:
        """Look at the places: at the box around them, or at all of the picture."""
        width, height = self._size
        left, top, right, bottom = box([p for place in places for p in self._outlines[place]])
        left, top = max(0, int(left - self._margin_px)), max(0, int(top - self._margin_px))
        right, bottom = (
            min(width, int(right + self._margin_px)),
            min(height, int(bottom + self._margin_px)),
        )
        if (right - left) * (bottom - top) >= WHOLE_SHARE * width * height:
            return self._eye.look(frame)
        return moved(self._eye.look(frame[top:bottom, left:right]), (left, top))

    # ------------------------------------------------------------ the view
    def _covered(self, change: Change) -> str | None:
        """Say that hardly any place shows its felt, where that is so."""
        if change.bare is not self._bare:
            self._bare = change.bare
            self._hidden = frozenset(
                place
                for place, outline in self._outlines.items()
                if change.bare_share(outline) <= 1 - COVERED_SHARE
            )
        if len(self._hidden) * 2 <= len(self._outlines):
            return None
        return "shows hardly any felt: the view is blocked, or it is lit otherwise"

    def _view(self, at_ns: int) -> list[CameraEvent]:
        told: list[CameraEvent] = []
        shown = {card.place for card in self._tracker.cards if card.is_seen}
        for place, alarm in self._blocked.items():
            is_blocked = place in self._hidden and place not in shown
            told += alarm.see("the view is blocked" if is_blocked else None, at_ns)
        return told


def moved(seen: Seen, by_px: tuple[int, int]) -> Seen:
    """Return what was seen in a piece of a picture as it lies in the whole.

    Args:
        seen: In pixels of the piece.
        by_px: Where the piece begins in the whole, from its left and top.
    """
    return Seen(
        cards=tuple(
            SeenCard(each.card, each.confidence, shifted(each.corners_px, by_px))
            for each in seen.cards
        ),
        backs=tuple(
            SeenBack(each.confidence, shifted(each.corners_px, by_px)) for each in seen.backs
        ),
    )
