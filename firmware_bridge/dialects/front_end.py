"""Our own front end: every command has a number, so every answer is its own."""

from collections.abc import Callable
from typing import Final

from engine.cards import Tag
from firmware_bridge.actuators import Buzzer, Gate, Lamp, Output, SafeState
from firmware_bridge.dialects.dialect import (
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Options,
    Overheard,
    Request,
    echo,
    found,
    is_done,
)
from firmware_bridge.families import front_end
from firmware_bridge.families.family import Message


class FrontEnd(Dialect):
    """A microcontroller with antennas, lamps, a buzzer and the gate of a shoe.

    A command is repeated under its number until it is answered: the device does it once. It
    describes itself when asked and when it starts; a wiring that it cannot serve is a flaw.
    """

    family = front_end.FAMILY
    reset_ms = 500
    has_outputs = True
    reads_signatures = True

    _TRIES = 3
    # A quarter of the time to the safe state: three lost frames in a row are no loss of the host.
    _KEEP_ALIVE_SHARE = 4

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._sequence = 0
        self.reset = front_end.reset(0)

    def probe(self) -> Dialog[None]:
        """Ask for the description: its number is no other command's."""
        yield self._ask(front_end.DESCRIBE, front_end.describe)

    def greet(self) -> Dialog[Greeting]:
        """Return serial number and model, and what the device lacks of its wiring."""
        told = yield self._ask(front_end.DESCRIBE, front_end.describe)
        description = front_end.read_description(told.data)
        if description is None:
            return Greeting(flaw="its description is cut short")
        self.keep_alive_ms = description.safe_after_ms // self._KEEP_ALIVE_SHARE
        self.reads_signatures = description.has_signature
        most = max(self.options.antennas, default=0)
        flaw = (
            f"it has {description.antennas} antennas and is wired with antenna {most}"
            if most > description.antennas
            else ""
        )
        return Greeting((description.serial, description.model), flaw)

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Ask for the tags at an antenna."""
        answer = yield self._ask(
            front_end.INVENTORY, lambda number: front_end.start_inventory(number, antenna)
        )
        is_its_own = is_done(answer) and answer.data[0] == antenna
        return found(answer.uids, is_complete=is_its_own and answer.is_complete)

    def is_restart(self, message: Message) -> bool:
        """Say whether the device says that it has started."""
        return message.kind == "notice" and message.name == "restart"

    def overhear(self, message: Message) -> Overheard | None:
        """Take a card that passed an antenna as a read."""
        if message.kind != "notice" or not message.uids:
            return None
        return Overheard(message.data[0], found(message.uids, is_complete=False))

    def read_signature(self, antenna: int, tag: Tag) -> Dialog[bytes]:
        """Ask a tag for its maker's signature."""
        answer = yield self._ask(
            front_end.SIGNATURE, lambda number: front_end.read_signature(number, antenna, tag)
        )
        return answer.data if is_done(answer) else b""

    def carry_out(self, output: Output) -> Dialog[str]:
        """Set an output."""
        answer = yield self._ask(_KINDS[type(output)], lambda number: _command(output, number))
        if is_done(answer) and isinstance(output, SafeState):
            self.keep_alive_ms = output.after_ms // self._KEEP_ALIVE_SHARE
        return "" if is_done(answer) else answer.error or "refused"

    def keep_alive(self) -> Dialog[None]:
        """Say that the host is there."""
        yield self._ask(front_end.KEEP_ALIVE, front_end.keep_alive)

    def _ask(self, kind: int, build: Callable[[int], bytes]) -> Request:
        """Return a command under the next number."""
        self._sequence = (self._sequence + 1) & 0xFF
        self.reset = front_end.reset((self._sequence + 1) & 0xFF)
        mark = front_end.mark(kind, self._sequence)
        return Request(build(self._sequence), echo(mark), tries=self._TRIES)


_KINDS: Final[dict[type[Output], int]] = {
    Lamp: front_end.LAMP,
    Buzzer: front_end.BUZZER,
    Gate: front_end.GATE,
    SafeState: front_end.SAFE_STATE,
}


def _command(output: Output, number: int) -> bytes:
    match output:
        case Lamp():
            return front_end.set_lamp(number, output.number, output.mode)
        case Buzzer():
            return front_end.buzz(number, output.duration_ms)
        case Gate():
            return front_end.set_gate(number, is_open=output.is_open)
        case SafeState():
            return front_end.set_safe_state(
                number, output.after_ms, is_gate_open=output.is_gate_open, lamp=output.lamp
            )
