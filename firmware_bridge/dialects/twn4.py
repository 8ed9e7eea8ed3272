"""Elatec TWN4 with the Simple Protocol: a pad that finds one tag."""

from firmware_bridge.dialects.dialect import (
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Options,
    Request,
    found,
    is_done,
    text,
)
from firmware_bridge.families import twn4_simple as twn4
from firmware_bridge.families.family import Message


class Twn4(Dialect):
    """A pad for enrolment and for looking at a single card.

    Answers name no function. The probe is the USB type, a single byte that is not 0: a search
    that found nothing says the single byte 0, one that found a tag is longer. The pad finds one
    tag; that it found none is a word of an empty pad, that it found one is none about others.

    Whether the device wants checksums is learned: one that does not takes ours for a parameter.
    """

    family = twn4.FAMILY
    # ASSUMED: USB has to come up again.
    reset_ms = 2000

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._has_crc = True
        self.reset = twn4.reset()

    def probe(self) -> Dialog[None]:
        """Ask for the USB type."""
        answer = yield Request(twn4.get_usb_type(has_crc=self._has_crc), _is_usb_type)
        if not is_done(answer):
            self._has_crc = not self._has_crc
            self.reset = twn4.reset(has_crc=self._has_crc)
            yield Request(twn4.get_usb_type(has_crc=self._has_crc), _is_usb_type)

    def greet(self) -> Dialog[Greeting]:
        """Return the version."""
        told = yield Request(twn4.get_version(has_crc=self._has_crc), _is_version)
        return Greeting((text(told.data[1:]),) if is_done(told) else ())

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Search for a tag."""
        del antenna
        answer = yield Request(
            twn4.search_tag(has_crc=self._has_crc), _is_search, work_ms=self.family.timeout_ms
        )
        return found(answer.uids, is_complete=answer.status == "empty")


def _is_usb_type(message: Message) -> bool:
    """Say whether a message is a USB type; 5 is the second byte of our own command in an echo."""
    is_type = len(message.data) == 1 and message.data not in b"\0\5"
    return message.kind == "answer" and (is_type or message.status == "error")


def _is_version(message: Message) -> bool:
    is_text = len(message.data) > 1 and message.data[0] == len(message.data) - 1
    return message.name == "answer" and (is_text or message.status == "error")


def _is_search(message: Message) -> bool:
    return message.name == "inventory" or message.status in ("empty", "error")
