"""Metratec HF readers, of either generation: which one it is, the first answers show."""

from firmware_bridge.dialects.dialect import (
    SILENCE,
    UNHEARD,
    UNSET,
    Dialect,
    Dialog,
    Greeting,
    Inventory,
    Options,
    Request,
    found,
    is_done,
    named,
)
from firmware_bridge.families import metratec_ascii as metratec
from firmware_bridge.families.family import Message


class Metratec(Dialect):
    """QuasarMX and LR, DeskID ISO and QR in lines of text.

    No answer names its command. A set-up is answered by a word, an inventory by one whole answer
    that counts its tags; the antenna that an ASCII reader reports with it is compared with the
    one that was asked. What ends whatever goes on (BRK, ATI) is answered as nothing else is: that
    is the probe.

    An ASCII reader is put into its CRC mode, so that neither lines nor commands can be garbled
    unseen; the AT generation has none. A reader that sleeps is woken.

    ASSUMED, as no public bytes show it: that a multiplexer's antennas are told by the same numbers
    that SAP takes.
    """

    family = metratec.FAMILY
    reset = metratec.reset()
    # ASSUMED: the maker's SDK connects anew 100 ms after the command.
    reset_ms = 500

    _ASLEEP_MS = 500

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._is_at = False
        self._has_crc = False

    def probe(self) -> Dialog[None]:
        """End whatever goes on; learn generation, CRC mode and whether it slept.

        The last question is for the identity, without a checksum. Its answer has a shape of its
        own, and a reader answers in order: so whatever else was under way is over by then.
        """
        self._has_crc = False
        if not self._is_at:
            yield from self._wake()
        command = metratec.at_get_information() if self._is_at else metratec.get_revision()
        yield Request(command, _is_identity)

    def greet(self) -> Dialog[Greeting]:
        """Set radio, mode and antenna report; return name and versions, or the serial number."""
        return (yield from self._greet_at() if self._is_at else self._greet_ascii())

    def inventory(self, antenna: int) -> Dialog[Inventory]:
        """Switch to an antenna and ask for its tags."""
        has_crc = self._has_crc
        if self._is_switched:
            command = (
                metratec.at_set_antenna(antenna)
                if self._is_at
                else metratec.set_antenna(antenna, has_crc=has_crc)
            )
            switched = yield Request(command, named("done"))
            if not is_done(switched):
                return UNHEARD
        command = (
            metratec.at_inventory() if self._is_at else metratec.start_inventory(has_crc=has_crc)
        )
        answer = yield Request(
            command, named("inventory", "collision"), work_ms=self.family.timeout_ms
        )
        if answer.data in _UNSET:
            return UNSET
        is_its_own = is_done(answer) and _reported_antenna(answer) in (None, antenna)
        return found(answer.uids, is_complete=answer.is_complete) if is_its_own else UNHEARD

    def is_restart(self, message: Message) -> bool:
        """Say whether a reader has started, or refuses work as it has lost its settings."""
        return message.name == "restart"

    def _wake(self) -> Dialog[None]:
        answer = yield Request(metratec.stop(), _is_stopped, silence_ms=self._ASLEEP_MS)
        if answer is SILENCE:
            answer = yield Request(metratec.wake(), _is_awake)
            if answer.data == _WRONG_CHECKSUM:
                yield Request(metratec.wake(has_crc=True), _is_awake)
        if answer.name == "error":
            self._is_at = True
            self.reset = metratec.at_reset()
        elif answer.data == _WRONG_CHECKSUM:
            yield Request(metratec.set_crc(on=False, has_crc=True), named("done"))

    @property
    def _is_switched(self) -> bool:
        return self.options.antennas != (1,)

    def _greet_ascii(self) -> Dialog[Greeting]:
        checked = yield Request(metratec.set_crc(on=True), named("done"))
        self._has_crc = has_crc = is_done(checked)
        revision = yield Request(metratec.get_revision(has_crc=has_crc), _is_identity)
        yield Request(metratec.set_mode(has_crc=has_crc), named("done"))
        if self._is_switched:
            yield Request(metratec.report_antenna(has_crc=has_crc), named("done"))
        radio = yield Request(metratec.set_radio(has_crc=has_crc), named("done"))
        name = " ".join(_lines(revision)[0].split())
        return Greeting((name,), "" if is_done(radio) else f"it refuses its radio: {radio.error}")

    def _greet_at(self) -> Dialog[Greeting]:
        yield Request(metratec.at_stop(), named("done", "binv"))
        mode = yield Request(metratec.at_choose_iso15693(), named("done"))
        yield Request(metratec.at_set_inventory(), named("done"))
        told = yield Request(metratec.at_get_information(), _is_identity)
        told_lines = [line for line in _lines(told) if line.startswith("+")]
        names = tuple(line.partition(":")[2].strip() for line in reversed(told_lines))
        return Greeting(names, "" if is_done(mode) else f"it refuses ISO 15693: {mode.error}")


_WRONG_CHECKSUM = b"CCE"
_UNSET = frozenset([_WRONG_CHECKSUM, b"UCO", b"UPA"])
"""Refusals that a reader which is set up as we left it never gives."""

_is_stopped = named("stopped", "nothing to stop")
_is_awake = named("awake", "not asleep")


def _is_identity(message: Message) -> bool:
    return message.kind == "answer" and message.name in ("revision", "sw")


def _lines(answer: Message) -> list[str]:
    return answer.data.decode("ascii").splitlines()


def _reported_antenna(answer: Message) -> int | None:
    """Return the antenna that an inventory says it is from."""
    return next((int(line[4:]) for line in _lines(answer) if line.startswith("ARP ")), None)
