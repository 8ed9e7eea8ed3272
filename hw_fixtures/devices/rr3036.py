"""A simulated Chafon RR3036: an HF pad for ISO 15693.

The frame of the UHF readers, but a command has a second byte, the state, and an answer does not
name its command: ``LEN ADR STATUS data CRC``.

Known from 545ch4/RR3036 (connection.rb): the commands, the meaning of every status, that 00 00
answers with version (2), a reserved word (2), reader type, supported kinds (2) and scan time, that
an inventory is n times (DSFID, UID), that state 06 is ISO 15693.

Assumed, no captured bytes show it:
    UIDs last byte first, as the derived vectors have them; 27 of them at most, and 0B for more as
    for one that was heard and not read; the values of 00 00.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from hw_fixtures.devices import iso15693
from hw_fixtures.devices.chafon_uhf import BROADCAST, OWN, encode, measure_command
from hw_fixtures.devices.device import FramedDevice, Reply, Timing

OK, BAD_LENGTH, BAD_COMMAND, NO_FIELD = 0x00, 0x01, 0x02, 0x05
INCOMPLETE, NO_TAG, TAG_ERROR, WRONG_MODE = 0x0B, 0x0E, 0x0F, 0x1F
ISO15693_STATE = 0x06
MOST_UIDS = 27
INFORMATION = bytes.fromhex("0100000036000a1e")


class Rr3036(FramedDevice):
    """The state of a pad and its answers; it has no name to tell."""

    TIMING: ClassVar[Timing] = Timing(discovery_ms=30.0, tag_ms=5.0)

    def restart(self) -> None:
        """Start anew: field on, ISO 15693."""
        super().restart()
        self._has_field = self._is_iso15693 = True

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a command: one byte longer than the UHF readers' at least."""
        return measure_command(head) if head[0] >= 5 else 0

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command that is meant for this reader."""
        address, command, state, data = frame[1], frame[2], frame[3], frame[4:-2]
        if address not in (OWN, BROADCAST):
            return []
        act = self._ACTS.get(command)
        return [act(self, state, data) if act else self._answer(BAD_COMMAND)]

    def _answer(self, status: int, data: bytes = b"") -> Reply:
        return self._say(encode(bytes([status]) + data))

    def _control(self, state: int, data: bytes) -> Reply:
        """Tell who the reader is, switch the field or the kind of tags, light the lamp."""
        match state:
            case 0x00:
                return self._answer(OK, INFORMATION)
            case 0x01 | 0x02:
                self._has_field = state == 0x02
            case 0x05 | 0x06 | 0x09:
                self._is_iso15693 = state == ISO15693_STATE
            case 0x07:
                pass
            case _:
                return self._answer(BAD_COMMAND)
        return self._answer(OK)

    def _inventory(self, state: int, data: bytes) -> Reply:
        if state & 0x0F != ISO15693_STATE or not self._is_iso15693:
            return self._answer(WRONG_MODE)
        if not self._has_field:
            return self._answer(NO_FIELD)
        heard = self._look([1])
        told = heard.tags[:MOST_UIDS]
        is_whole = heard.is_whole and told == heard.tags
        status = (OK if told else NO_TAG) if is_whole else INCOMPLETE
        uids = b"".join(b"\x00" + bytes.fromhex(tag)[::-1] for tag in told)
        return self._tell(encode(bytes([status]) + uids), told)

    def _pass_on(self, command: int, data: bytes) -> Reply:
        if len(data) < 8:
            return self._answer(BAD_LENGTH)
        flags = iso15693.ADDRESSED | (iso15693.OPTION if command == iso15693.READ else 0)
        said = iso15693.answer(self._look([1]).tags, bytes([flags, command]) + data)
        if said is None:
            return self._answer(NO_TAG)
        return self._answer(TAG_ERROR if said[0] else OK, said[1:])

    def _read(self, state: int, data: bytes) -> Reply:
        return self._pass_on(iso15693.READ, data)

    def _write(self, state: int, data: bytes) -> Reply:
        return self._pass_on(iso15693.WRITE, data)

    def _describe(self, state: int, data: bytes) -> Reply:
        return self._pass_on(iso15693.SYSTEM, data)

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], Reply]]] = {
        0x00: _control,
        0x01: _inventory,
        0x20: _read,
        0x21: _write,
        0x2B: _describe,
    }
