"""Copied tags: one UID that stays at two places which cannot hear one card.

A UID can be written onto another tag. A card that two antennas hear is a cross-read and lies
between them; a card that moves is missed where it was. What is heard here and there and here again,
and missed at neither, where no card could be heard at both, are two tags with one UID.
"""

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct

from engine.cards import PLACES, Place, Tag

NearBy = Callable[[Place, Place], bool]
"""Whether antennas at two places may hear each other's cards."""

TURNS = 6
"""Turns from one place to the other and back, without a miss at either, that no card can make.

Chosen: at the pace of the deal, 400 ms a round, these are more than two seconds.
"""


class _Trail(Struct):
    """Where a tag was heard of late."""

    place: Place
    turns: int = 0
    is_told: bool = False


class CopyWatch:
    """Follows the tags that several places hold.

    Args:
        are_neighbours: What a survey found, else the layout.
    """

    def __init__(self, are_neighbours: NearBy) -> None:
        self._are_neighbours = are_neighbours
        self._trails: dict[Tag, _Trail] = {}

    def hear(
        self, tag: Tag, place: Place, holders: Collection[Place], watched: Mapping[Place, object]
    ) -> Place | None:
        """Take it that a place hears a tag that several places hold.

        Args:
            tag: The tag.
            place: The place that hears it now.
            holders: The places that hold it.
            watched: The places that are looked at.

        Returns:
            The other place, where the tag proves now to be two; told once.
        """
        trail = self._trails.setdefault(tag, _Trail(place))
        other, trail.place = trail.place, place
        if other == place or self._is_one_card(other, place, holders, watched):
            return None
        trail.turns += 1
        if trail.turns < TURNS or trail.is_told:
            return None
        trail.is_told = True
        return other

    def miss(self, tag: Tag) -> None:
        """Take it that a place that holds a tag does not hear it."""
        trail = self._trails.get(tag)
        if trail is not None:
            trail.turns = 0

    def forget(self, tag: Tag) -> None:
        """Take it that no two places hold a tag any more."""
        self._trails.pop(tag, None)

    def _is_one_card(
        self, one: Place, other: Place, holders: Collection[Place], watched: Mapping[Place, object]
    ) -> bool:
        """Say whether one card could be heard at both: at one of them, or lying between."""
        near = self._are_neighbours
        between = (place for place in PLACES if place in holders or place not in watched)
        return near(one, other) or any(near(one, each) and near(other, each) for each in between)
