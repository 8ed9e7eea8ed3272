"""Backs that have come to lie still at the shoe's mouth or on the pack's pad, compared over looks.

Pure but for the place where pictures are kept, which is handed in. A look costs tens of
milliseconds, so a back gets few: once it lies still, some time apart, until they agree or cannot.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from engine.cards import PACK, SHOE, Place
from engine.events import BackMarked
from vision.backs import (
    COARSEST_PX_PER_MM,
    BackLook,
    BackVerdict,
    agree,
    annotated,
    compare,
    is_same,
    told,
)
from vision.calibrate import Calibration
from vision.enrolled import BackModel
from vision.gate import Change
from vision.geometry import Outline, area, box, centre, distance, overlap, shifted
from vision.outline import find_card
from vision.seen import Corners, Eye, Picture

COMPARED_AT: tuple[Place, ...] = (SHOE, PACK)
"""Where backs are compared: there they lie one at a time, or one on top."""

CALM_NS = 100_000_000
"""So long a place is still before a look, and so long passes between two. Chosen: a card that is
dealt on at once is not looked at."""

MOST_LOOKS = 4
"""Looks at one back; of four, three must show the mark."""

_CLEAN_LOOKS = 2
"""After so many that show nothing, three of four cannot agree any more."""

_BARE_SHARE = 0.95
"""A place is empty where so much of it looks as the bare table."""

_OFF = 0.08
"""By so much the sides of a card may differ from those of the enrolled one: it lies whole."""

_ALL = 0.7
"""What the eye takes for a back is the card where each covers so much of the other."""

_MARGIN = 0.25
"""So much of a back's size is shown around it."""

Keep = Callable[[Picture, int], str]
"""Keeps a picture of a back by its time; returns what is said of it."""


class _Spot(Struct, kw_only=True):
    """A place, and what has come of the back that lies there."""

    place: Place
    outline: tuple[tuple[float, float], ...]
    still_ns: int = -1
    """Since when nothing has moved there."""
    due_ns: int = 0
    """When the next look may be."""
    tries: int = 0
    first_ns: int = 0
    """The first look."""
    looks: list[BackLook] = field(default_factory=list)
    told: BackVerdict | None = None
    """Of the back that lies there, or lay there last."""

    def begin(self, still_ns: int) -> None:
        """Begin with what has come to rest now."""
        self.still_ns, self.due_ns, self.tries = still_ns, still_ns + CALM_NS, 0
        self.looks = []

    @property
    def is_clean(self) -> bool:
        """Whether so many looks show nothing that the others cannot agree any more."""
        clean = sum(not (look.unfit or look.is_foreign or look.marks) for look in self.looks)
        return clean >= _CLEAN_LOOKS

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to be gained by another look."""
        return self.tries >= MOST_LOOKS or self.is_clean


def misfit(calibration: Calibration) -> tuple[str, str] | None:
    """Return what keeps backs from being compared: what was found, what was expected."""
    plane = calibration.plane()
    scales = {
        place: plane.px_per_mm(centre(zone))
        for place, zone in calibration.zones.items()
        if place in COMPARED_AT
    }
    if not scales:
        return "no place shoe or pack in the calibration", "one of them, to compare backs at"
    if max(scales.values()) >= COARSEST_PX_PER_MM:
        return None
    found = ", ".join(f"{scale:.1f} px a millimetre at {place}" for place, scale in scales.items())
    return found, f"at least {COARSEST_PX_PER_MM}: a camera that is nearer, or a finer one"


class RestingBacks:
    """Compares the backs of one table."""

    def __init__(
        self, calibration: Calibration, models: Sequence[BackModel], eye: Eye, keep: Keep
    ) -> None:
        """Begin before the first frame.

        Args:
            calibration: How the camera sees the table.
            models: The enrolled backs of the packs in use, one at least.
            eye: What tells a back from a face.
            keep: Keeps the picture of a verdict.
        """
        self._models, self._eye, self._keep = list(models), eye, keep
        self._plane = calibration.plane()
        self._spots = [
            _Spot(place=place, outline=outline)
            for place, outline in calibration.outlines_px().items()
            if place in COMPARED_AT
        ]

    def see(self, frame: Picture, change: Change) -> list[BackMarked]:
        """Take a frame; look at one back at most, and return what is sure of it.

        Args:
            frame: The picture, whole.
            change: What the gate gives of it.
        """
        for spot in self._spots:
            since_ns = change.still_since_ns(spot.outline)
            if since_ns != spot.still_ns:
                spot.begin(since_ns)
            if spot.is_done or change.at_ns < spot.due_ns:
                continue
            spot.tries, spot.due_ns = spot.tries + 1, change.at_ns + CALM_NS
            if change.bare_share(spot.outline) >= _BARE_SHARE:
                spot.told = None
                continue
            return self._look(spot, frame, change.at_ns)
        return []

    def _look(self, spot: _Spot, frame: Picture, at_ns: int) -> list[BackMarked]:
        found = self._find(frame, spot.outline)
        if found is None:
            return []
        picture, corners, is_back = found
        look = self._compare(picture, corners)
        if look.is_foreign and not is_back:
            return []  # it may be a face that the eye has missed
        if not spot.looks:
            spot.first_ns = at_ns
        spot.looks.append(look)
        model = self._models[0]
        verdict = agree(spot.looks, model)
        if verdict is None:
            spot.told = None if spot.is_clean else spot.told
            return []
        spot.tries = MOST_LOOKS
        is_again = spot.told is not None and _is_one(spot.told, verdict, model)
        spot.told = verdict
        if is_again:
            return []
        event = told(verdict, at_ns=spot.first_ns, place=spot.place)
        kept = self._keep(annotated(picture, look), spot.first_ns)
        return [replace(event, how=f"{event.how}; {kept}")]

    def _compare(self, picture: Picture, corners: Corners) -> BackLook:
        """Compare with the packs in use, the one that came last first; foreign is unlike all."""
        others: list[BackLook] = []
        for at, model in enumerate(self._models):
            look = compare(picture, corners, model)
            if not (look.unfit or look.is_foreign):
                self._models.insert(0, self._models.pop(at))
                return look
            others.append(look)
        return next((look for look in others if look.unfit), others[0])

    def _find(self, frame: Picture, outline: Outline) -> tuple[Picture, Corners, bool] | None:
        """Find a card that lies whole in a place, apart from others, where no face is seen.

        Returns:
            A piece of the picture, where the card is in it, and whether the eye takes it for a
            back; None where there is none to be sure of.
        """
        place, corner = _cut_out(frame, outline, 0.0)
        seen = self._eye.look(place)
        if seen.cards:
            return None
        backs = [shifted(each.corners_px, corner) for each in seen.backs]
        for piece, at in (*(_cut_out(frame, back, _MARGIN) for back in backs), (place, corner)):
            corners = find_card(piece)
            if corners is not None and self._is_whole(card := shifted(corners, at)):
                return piece, corners, any(_covers(back, card) for back in backs)
        return None

    def _is_whole(self, corners: Corners) -> bool:
        a, b, c, d = self._plane.to_mm(corners)
        wide, high = (distance(a, b) + distance(c, d)) / 2, (distance(b, c) + distance(d, a)) / 2
        return any(
            abs(wide / model.frame.width_mm - 1) <= _OFF
            and abs(high / model.frame.height_mm - 1) <= _OFF
            for model in self._models
        )


def _cut_out(frame: Picture, outline: Outline, margin: float) -> tuple[Picture, tuple[int, int]]:
    """Return the piece of a picture around an outline, and where its top left corner is."""
    left, top, right, bottom = box(outline)
    x, y = margin * (right - left), margin * (bottom - top)
    begin = max(0, int(left - x)), max(0, int(top - y))
    return frame[begin[1] : int(bottom + y) + 1, begin[0] : int(right + x) + 1], begin


def _covers(back: Corners, card: Corners) -> bool:
    """Say whether what the eye takes for a back is about all of a card."""
    return min(area(back), area(card)) >= _ALL * max(area(back), area(card)) and (
        overlap(back, card) >= _ALL
    )


def _is_one(one: BackVerdict, other: BackVerdict, model: BackModel) -> bool:
    """Say whether two verdicts are on one thing: a card that a hand passed over in between."""
    if one.mark is None or other.mark is None:
        return one.is_foreign and other.is_foreign
    return is_same(one.mark, other.mark, model.frame)
