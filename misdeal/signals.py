"""Lamps, buzzer and the shoe's gate of one table, told what the rulings ask of them."""

from collections.abc import Callable, Sequence

from engine.cards import PLACES, Place
from engine.docket import Ruling
from engine.events import AnyEvent
from firmware_bridge.actuators import Buzzer, Gate, Output
from misdeal.config import Reader
from misdeal.outputs import BUZZ_MS, Held, Outputs, follow, orders, wanted


class Signals:
    """Follows a table's events and gives each device the orders that they lead to."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        """Note which devices have lamps or the gate.

        Args:
            readers: The readers of the table file.
        """
        self._held = Held()
        self._told: dict[str, Outputs] = {}
        self._lamps = {
            reader.name: {int(number): _stand(place) for number, place in reader.lamps.items()}
            for reader in readers
            if reader.lamps or reader.gate
        }
        self._with_gate = frozenset(reader.name for reader in readers if reader.gate)

    def follow(self, event: AnyEvent, rulings: tuple[Ruling, ...]) -> None:
        """Fold an event that a journal already holds."""
        self._held = follow(self._held, event, rulings)

    def show(self, in_force: Sequence[Ruling], command: Callable[[str, Output], None]) -> None:
        """Give every device the orders that changed.

        Args:
            in_force: The rulings that are open or final.
            command: Takes a device's name and an order, as ``Bridge.command`` does.
        """
        after = wanted(self._held, in_force)
        for device, lamps in self._lamps.items():
            for order in orders(self._told.get(device), after, lamps):
                if device in self._with_gate or not isinstance(order, Gate):
                    command(device, order)
            self._told[device] = after

    def stop(self, command: Callable[[str, Output], None]) -> bool:
        """Shut the gate and sound, whatever the rulings ask; say whether any device can.

        Args:
            command: As for ``show``.
        """
        for device in self._lamps:
            if device in self._with_gate:
                command(device, Gate(is_open=False))
            command(device, Buzzer(BUZZ_MS))
        return bool(self._lamps)


def _stand(place: str) -> Place | None:
    return next((known for known in PLACES if known == place), None)
