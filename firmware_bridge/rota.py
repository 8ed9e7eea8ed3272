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

    def choose(
        self, is_free: Callable[[Place], bool], is_unsure: Callable[[Place], bool]
    ) -> int | None:
        """Return the antenna whose turn it is, or None where none may be asked now.

        Args:
            is_free: Whether a place may be polled while the other readers do what they do.
            is_unsure: Whether something was read there that a second read must confirm.
        """
        best, most = None, 0
        for antenna, place in self._antennas.items():
            is_urgent = place in _ALWAYS_URGENT or place in self._preferred or is_unsure(place)
            urgency = self._waited[antenna] * (_URGENCY if is_urgent else 1)
            if urgency > most and is_free(place):
                best, most = antenna, urgency
        return best

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
