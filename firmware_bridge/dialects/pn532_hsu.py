"""NXP PN532 on its high-speed UART: one or two ISO 14443-A cards."""

from firmware_bridge.dialects.dialect import (
    UNHEARD,
    Dialect,
    Dialog,
    Fits,
    Greeting,
    Inventory,
    Options,
    Request,
    found,
    is_done,
)
from firmware_bridge.families import pn532_hsu as pn532


class Pn532(Dialect):
    """A cut-card pad, or the seat of a game with at most two cards.

    A chip that may sleep is woken by its preamble and then wants its set-up first. The probe is a
    line test with a number of its own: its answer is no other's. Before each look the field is
    taken away, as a card that was told is halted and would not be found again.

    The chip says how many of at most two cards it found: fewer than two are all that answered.
    """

    family = pn532.FAMILY
    # The ACK of the host ends a command that is under way; there is no command to restart the chip.
    reset = pn532.acknowledge() + pn532.WAKE_UP

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._probes = 0

    def probe(self) -> Dialog[None]:
        """Wake the chip and have it repeat a number."""
        yield Request(pn532.WAKE_UP + pn532.configure_sam(), _answers(pn532.SAM))
        self._probes = self._probes % 0xFFFF + 1
        token = self._probes.to_bytes(2, "big")
        yield Request(
            pn532.test_line(token),
            lambda message: message.echoes == pn532.LINE_TEST and message.data == b"\0" + token,
        )

    def greet(self) -> Dialog[Greeting]:
        """Have it look twice for a card, not for ever; return type and version, 8 hex digits."""
        yield Request(pn532.limit_retries(), _answers(pn532.RADIO))
        version = yield Request(pn532.get_version(), _answers(pn532.VERSION))
        return Greeting((version.data.hex().upper(),) if is_done(version) else ())

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Take the field away and look for cards."""
        del antenna
        # A busy host is late with the ACK; to wait longer costs nothing where it comes.
        patience_ms = self.family.timeout_ms
        woken = yield Request(pn532.radio_off(), _answers(pn532.RADIO), patience_ms)
        if not is_done(woken):
            return UNHEARD
        answer = yield Request(
            pn532.list_targets(self.family.max_tags), _answers(pn532.LIST_TARGETS), patience_ms
        )
        is_complete = is_done(answer) and len(answer.uids) < self.family.max_tags
        return found(answer.uids, is_complete=is_complete)


def _answers(command: int) -> Fits:
    """Return the test for the answer to a command, or for the error frame, which names none."""
    return lambda message: (
        message.kind == "answer" and (message.echoes == command or message.name == "error")
    )
