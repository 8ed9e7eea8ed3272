"""Whose turn it is: which antenna of a reader is asked next, and how long a round takes."""

from collections.abc import Callable, Collection, Mapping

from engine.cards import SHOE, Place

# A card passes the shoe once and is gone; a card lies at its seat until it is read.
_ALWAYS_URGENT = frozenset({SHOE})

# An urgent antenna is asked this many times as often as another; the rest are never starved:
# with eight antennas and one urgent, each of the seven still has its turn within eleven.
_URGENCY = 4


class Rota:
    """The order in which one reader asks its antennas.

    Each antenna grows more urgent with every turn that it is passed over, urgent places four
    times as fast. So the seats that are due come first and no antenna is forgotten.
    """

    def __init__(self, antennas: Mapping[int, Place]) -> None:
        self._antennas = dict(antennas)
        self._waited = dict.fromkeys(antennas, 1)
        self._asked_ns: dict[int, int] = {}
        self._gap_ns: dict[int, int] = {}
        self._preferred: frozenset[Place] = frozenset()

    def prefer(self, places: Collection[Place]) -> None:
        """Ask the antennas of these places first from now on."""
        self._preferred = frozenset(places)

    def due(self, is_unsure: Callable[[Place], bool]) -> dict[Place, int]:
        """Return the places and their antennas, the most urgent first.

        Args:
            is_unsure: Whether something was read at a place that a second read must confirm.
        """

        def urgency(antenna: int) -> int:
            place = self._antennas[antenna]
            is_urgent = place in _ALWAYS_URGENT or place in self._preferred or is_unsure(place)
            return self._waited[antenna] * (_URGENCY if is_urgent else 1)

        order = sorted(self._antennas, key=urgency, reverse=True)
        return {self._antennas[antenna]: antenna for antenna in order}

    def take_turn(self, antenna: int, now_ns: int) -> None:
        """Note that an antenna is being asked."""
        for each in self._waited:
            self._waited[each] += 1
        self._waited[antenna] = 1
        if antenna in self._asked_ns:
            self._gap_ns[antenna] = now_ns - self._asked_ns[antenna]
        self._asked_ns[antenna] = now_ns

    @property
    def cycle_ns(self) -> int:
        """How long the slowest antenna last waited from turn to turn; 0 before a second round."""
        return max(self._gap_ns.values(), default=0)
