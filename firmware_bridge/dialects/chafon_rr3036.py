"""Chafon RR3036: an HF pad whose answers name no command, told apart by their shapes."""

from firmware_bridge.dialects.dialect import (
    UNSET,
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Request,
    found,
    is_done,
    named,
)
from firmware_bridge.families import chafon_rr3036_hf as rr3036
from firmware_bridge.families.family import Message


class Rr3036(Dialect):
    """A pad for the pack check.

    Its description is eight bytes long, which no inventory is: n times nine, or none. That is the
    probe. A reader that refuses an inventory for want of a field, or as it is set to other tags,
    has lost its set-up.
    """

    family = rr3036.FAMILY

    def probe(self) -> Dialog[None]:
        """Ask what the reader is."""
        yield Request(rr3036.describe(), _is_description)

    def greet(self) -> Dialog[Greeting]:
        """Choose ISO 15693, switch the field on; return version and type, as hex."""
        yield Request(rr3036.choose_iso15693(), _is_word)
        yield Request(rr3036.open_field(), _is_word)
        told = yield Request(rr3036.describe(), _is_description)
        return Greeting((f"{told.data[:2].hex()} {told.data[4:5].hex()}".upper(),))

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Ask for the tags."""
        del antenna
        answer = yield Request(
            rr3036.start_inventory(), named("inventory"), work_ms=self.family.timeout_ms
        )
        if answer.code in (rr3036.FIELD_CLOSED, rr3036.WRONG_MODE):
            return UNSET
        return found(answer.uids, is_complete=is_done(answer) and answer.is_complete)


def _is_description(message: Message) -> bool:
    return message.name == "answer" and len(message.data) == rr3036.DESCRIPTION_BYTES


def _is_word(message: Message) -> bool:
    return message.name == "answer" and not message.data
