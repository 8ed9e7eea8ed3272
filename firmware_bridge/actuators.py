"""What a device shall do besides reading: its lamps, its buzzer, the gate of a shoe.

Which of them a ruling wants is the program's; here is kept what was ordered and what the device has
acknowledged, so that an order outlives lost answers, restarts and unplugging.
"""

from msgspec import Struct

from firmware_bridge.families.front_end import LampMode


class Lamp(Struct, frozen=True):
    """A lamp, counted from 1, and what it shall show."""

    number: int
    mode: LampMode


class Buzzer(Struct, frozen=True):
    """A sound, once; 0 ms ends one that sounds."""

    duration_ms: int


class Gate(Struct, frozen=True):
    """The gate of the shoe."""

    is_open: bool


class SafeState(Struct, frozen=True):
    """What the device does by itself when it hears nothing from the host any more."""

    after_ms: int = 2000
    """How long it waits, 100 to 25500 ms in steps of 100."""
    is_gate_open: bool = False
    lamp: LampMode = "off"
    """What all its lamps show then."""


Output = Lamp | Buzzer | Gate | SafeState


class Actuators:
    """The orders to one device.

    A lamp, the gate and the safe state are states: the last order counts, and it is given again
    after each start of the device. A sound is a moment: it is given once, and what the device did
    not hear before its link was lost is not made up for.
    """

    def __init__(self) -> None:
        self._states: dict[object, Output] = {}
        self._due: dict[object, Output] = {}
        self._refused: dict[object, str] = {}

    @property
    def due(self) -> int:
        """How many orders the device has not acknowledged yet."""
        return len(self._due)

    @property
    def refused(self) -> tuple[str, ...]:
        """What the device refused to do since it started, and why, for people."""
        return tuple(self._refused.values())

    def want(self, output: Output) -> None:
        """Take an order; it replaces an older one for the same output."""
        key = _key(output)
        if not isinstance(output, Buzzer):
            self._states[key] = output
        self._due[key] = output

    def next_due(self) -> Output | None:
        """Return the order to be given next, if any: the safe state before all others."""
        return min(self._due.values(), key=_rank, default=None)

    def note_done(self, output: Output) -> None:
        """Take it that the device has acknowledged an order."""
        self._refused.pop(_key(output), None)
        self._settle(output)

    def note_refused(self, output: Output, why: str) -> None:
        """Take it that the device cannot do it; it is not asked again before it starts anew."""
        self._refused[_key(output)] = f"{output}: {why}"
        self._settle(output)

    def renew(self) -> None:
        """Take it that the device has started anew: it knows nothing of what it was told."""
        self._refused.clear()
        self._due = dict(self._states)

    def _settle(self, output: Output) -> None:
        if self._due.get(_key(output)) == output:
            del self._due[_key(output)]


def _key(output: Output) -> object:
    return (Lamp, output.number) if isinstance(output, Lamp) else type(output)


def _rank(output: Output) -> int:
    """Order by what waits worst: what keeps the table safe, what stops the shoe, the rest."""
    return (SafeState, Gate, Lamp, Buzzer).index(type(output))
