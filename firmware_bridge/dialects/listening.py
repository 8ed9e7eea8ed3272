"""Devices that take no commands: what they say is all that is known of them."""

from firmware_bridge.dialects.dialect import Dialect, Inventory, Overheard, found
from firmware_bridge.families import code_shoe, rdm6300, wl134
from firmware_bridge.families.family import Message


class _Listening(Dialect):
    """A pad that repeats the card that lies on it.

    Its silence says nothing: a card is never missed, it is gone when it is read elsewhere.
    """

    is_listening = True
    has_identity = False

    def overhear(self, message: Message) -> Overheard | None:
        """Take a card's number as a read."""
        return Overheard(1, found(message.uids, is_complete=False)) if message.uids else None


class Rdm6300(_Listening):
    """A 125 kHz pad."""

    family = rdm6300.FAMILY


class Wl134(_Listening):
    """A 134 kHz pad."""

    family = wl134.FAMILY


class CodeShoe(_Listening):
    """A shoe, or a scanner in a shoe, that says the code of each card that passes it."""

    family = code_shoe.FAMILY

    def overhear(self, message: Message) -> Overheard | None:
        """Take a line as the code of a card."""
        if message.name != "code":
            return None
        return Overheard(1, Inventory(codes=(message.data.decode("ascii"),)))
