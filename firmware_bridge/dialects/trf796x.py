"""TI TRF796x boards: a slot a line, ended by an empty line or by silence."""

from firmware_bridge.dialects.dialect import (
    Dialect,
    Dialog,
    Fits,
    Greeting,
    Inventory,
    Request,
    found,
)
from firmware_bridge.families import ti_trf796x_ascii as trf796x
from firmware_bridge.families.family import Message


class Trf796x(Dialect):
    """A pad of up to 16 tags.

    An answer says in words what was done: so the write of the registers, which sets the board up,
    is the probe, and its words are no inventory's. Slots without the line that says inventory are
    what is left of an older answer, and answer nothing.
    """

    family = trf796x.FAMILY
    reset = trf796x.reset()
    # ASSUMED: a small controller starts at once.
    reset_ms = 500

    def probe(self) -> Dialog[None]:
        """Write the registers for ISO 15693."""
        yield Request(trf796x.choose_iso15693(), _says("register"))

    def greet(self) -> Dialog[Greeting]:
        """Return the firmware's revision; what is neither register nor inventory is its text."""
        told = yield Request(trf796x.get_revision(), _says(""))
        return Greeting((told.name.strip(),))

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Ask for the tags in 16 slots."""
        del antenna
        answer = yield Request(
            trf796x.start_inventory(), _is_inventory, work_ms=self.family.timeout_ms
        )
        # One line is whole where one slot was asked for; 16 were.
        is_told = answer.data.count(b"[") >= trf796x.SLOTS
        return found(answer.uids, is_complete=answer.is_complete and is_told)


def _is_inventory(message: Message) -> bool:
    return message.kind == "answer" and "inventory" in message.name


def _says(word: str) -> Fits:
    """Return the test for an answer with a word in it that is no inventory."""
    return lambda message: (
        message.kind == "answer"
        and word in message.name
        and message.name != "slots"
        and not _is_inventory(message)
    )
