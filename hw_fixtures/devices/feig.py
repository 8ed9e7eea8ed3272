"""A simulated FEIG OBID i-scan HF reader, with an 8-channel multiplexer.

Standard ``LEN ADR CMD data CRC lo hi``, advanced ``02 ALEN hi lo ADR CMD data CRC lo hi``; both
lengths count the whole frame, the CRC is CRC-16/MCRF4XX over all before it. An answer is framed as
its command was and has a status after CMD. FF asks every reader; an answer bears the reader's own
address.

Known from FEIG's system manuals as they are public (ID ISC.MR/PR101 H60301, MR200 H40801, LR1002
H20411): 65 (7 bytes: firmware, hardware, type, supported tags), 66 80 (device id), the data sets of
B0 01, MORE, that data stands beside 00, 83, 94 and 95 alone. The vectors add 84. That the antenna
byte is a bit field, lowest bit first: ID ISC.MU02 H90701 (a UHF reader) and the mode bit 10.

Assumed, no public bytes show it:
    That the answer to an inventory with an antenna byte looks like that without.
    How many tags a reader remembers (100), and that one more gives 93 beside the last of them.
    That radio trouble with tags read is 84, without any 83.
    What 6E, 74, 76, 80 and 66 00 carry, and addresses: the reader is 00.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices import iso15693
from hw_fixtures.devices.device import FramedDevice, Reply, Timing

OWN, BROADCAST = 0x00, 0xFF
ADVANCED = 0x02
MOST_COMMAND = 255
OK, NO_TRANSPONDER, OUT_OF_RANGE = 0x00, 0x01, 0x11
UNKNOWN, BAD_LENGTH, NOT_AVAILABLE = 0x80, 0x81, 0x82
RF_ERROR, RF_WARNING, OVERFLOW, MORE_DATA, ISO_ERROR = 0x83, 0x84, 0x93, 0x94, 0x95
MORE, ANTENNA = 0x80, 0x10
ISO15693_SET = b"\x03\x00"

MOST_REMEMBERED = 100
# (255 - 7) / 10, what one standard frame carries; an advanced frame carries all.
SETS_OF_A_STANDARD_FRAME = 24

# Firmware 02.00, hardware 00, type 77 (ID ISC.MR102), ISO 15693.
VERSION = bytes([0x02, 0x00, 0x00, 0x00, 77, 0x00, 0x08])


def encode(rest: bytes, *, address: int = OWN, is_advanced: bool = False) -> bytes:
    """Wrap command, status and data in a frame."""
    if is_advanced:
        length = len(rest) + 6
        body = bytes([ADVANCED]) + length.to_bytes(2, "big") + bytes([address]) + rest
    else:
        body = bytes([len(rest) + 4, address]) + rest
    return body + crc16.mcrf4xx(body).to_bytes(2, "little")


class FeigReader(FramedDevice):
    """The state of an i-scan reader and its answers; its name is its device id, 8 hex digits."""

    TIMING: ClassVar[Timing] = Timing(discovery_ms=15.0, tag_ms=4.0)

    def restart(self) -> None:
        """Start anew: nothing left to tell, field on."""
        super().restart()
        self._rest: list[Tag] = []
        self._closing = OK
        self._is_advanced = False
        self._has_field = True

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a command."""
        least = 7 if head[0] == ADVANCED else 5
        if len(head) < 3:
            return None if head[0] == ADVANCED or head[0] >= least else 0
        size = head[1] << 8 | head[2] if head[0] == ADVANCED else head[0]
        if not least <= size <= MOST_COMMAND:
            return 0
        if len(head) < size:
            return None
        crc = crc16.mcrf4xx(head[: size - 2]).to_bytes(2, "little")
        return size if head[size - 2 : size] == crc else 0

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command that is meant for this reader."""
        self._is_advanced = frame[0] == ADVANCED
        address, command, *data = frame[3 if self._is_advanced else 1 : -2]
        if address not in (OWN, BROADCAST):
            return []
        act = self._ACTS.get(command)
        return [act(self, command, bytes(data)) if act else self._answer(command, UNKNOWN)]

    def _answer(
        self, command: int, status: int, data: bytes = b"", *, restarts: bool = False
    ) -> Reply:
        return self._say(self._frame(command, status, data), restarts=restarts)

    def _frame(self, command: int, status: int, data: bytes) -> bytes:
        return encode(bytes([command, status]) + data, is_advanced=self._is_advanced)

    def _acknowledge(self, command: int, data: bytes) -> Reply:
        return self._answer(command, OK)

    def _refuse(self, command: int, data: bytes) -> Reply:
        return self._answer(command, NOT_AVAILABLE)

    def _reset(self, command: int, data: bytes) -> Reply:
        return self._answer(command, OK, restarts=True)

    def _reset_radio(self, command: int, data: bytes) -> Reply:
        self._rest = []
        return self._answer(command, OK)

    def _switch_field(self, command: int, data: bytes) -> Reply:
        if len(data) != 1:
            return self._answer(command, BAD_LENGTH)
        self._has_field = data != b"\x00"
        self._rest = []
        return self._answer(command, OK)

    def _version(self, command: int, data: bytes) -> Reply:
        return self._answer(command, OK, VERSION)

    def _information(self, command: int, data: bytes) -> Reply:
        if data == b"\x00":
            return self._answer(command, OK, VERSION + b"\x01\x00\x04\x00")
        if data == b"\x80":
            return self._answer(command, OK, bytes.fromhex(self._name) + bytes(12))
        return self._answer(command, OUT_OF_RANGE if data else BAD_LENGTH)

    def _diagnose(self, command: int, data: bytes) -> Reply:
        return self._answer(command, OK, b"\x00\x00")

    def _inputs(self, command: int, data: bytes) -> Reply:
        return self._answer(command, OK, b"\x00")

    def _antennas_found(self, command: int, data: bytes) -> Reply:
        return self._answer(command, OK, bytes([(1 << self._antennas) - 1]))

    def _read_configuration(self, command: int, data: bytes) -> Reply:
        return self._answer(command, OK, bytes(14))

    def _host_command(self, command: int, data: bytes) -> Reply:
        if len(data) < 2:
            return self._answer(command, BAD_LENGTH)
        if data[0] != 0x01:
            return self._pass_on(command, data)
        if data[1] & MORE:
            return self._go_on(command, is_first=False)
        antennas = self._chosen(data)
        if antennas is None:
            return self._answer(command, OUT_OF_RANGE)
        self.antenna = antennas[0]
        heard = self._look(antennas if self._has_field else [])
        self._rest = list(heard.tags[:MOST_REMEMBERED])
        trouble = RF_WARNING if self._rest else RF_ERROR
        overflow = OVERFLOW if len(heard.tags) > MOST_REMEMBERED else OK
        self._closing = overflow if heard.is_whole else trouble
        return self._go_on(command, is_first=True)

    def _chosen(self, data: bytes) -> list[int] | None:
        """Return the antennas of the antenna byte; None where they cannot be chosen."""
        if not data[1] & ANTENNA:
            return [1]
        if len(data) != 3 or not 0 < data[2] < 1 << self._antennas:
            return None
        return [bit + 1 for bit in range(8) if data[2] & 1 << bit]

    def _go_on(self, command: int, *, is_first: bool) -> Reply:
        if not self._rest and self._closing == OK:
            return self._tell(self._frame(command, NO_TRANSPONDER, b""), [], is_first=is_first)
        most = MOST_REMEMBERED if self._is_advanced else SETS_OF_A_STANDARD_FRAME
        told, self._rest = self._rest[:most], self._rest[most:]
        status = MORE_DATA if self._rest else self._closing
        if not self._rest:
            self._closing = OK
        sets = b"".join(ISO15693_SET + bytes.fromhex(tag) for tag in told)
        frame = self._frame(command, status, bytes([len(told)]) + sets)
        return self._tell(frame, told, is_first=is_first)

    def _pass_on(self, command: int, data: bytes) -> Reply:
        """Carry out another ISO 15693 command: no tag takes writes, none is told what it holds."""
        if not self._look([1]).tags:
            return self._answer(command, NO_TRANSPONDER)
        return self._answer(command, ISO_ERROR, iso15693.LOCKED[1:])

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], Reply]]] = {
        0x21: _refuse,
        0x22: _refuse,
        0x31: _refuse,
        0x32: _refuse,
        0x33: _refuse,
        0x52: _acknowledge,
        0x63: _reset,
        0x65: _version,
        0x66: _information,
        0x69: _reset_radio,
        0x6A: _switch_field,
        0x6E: _diagnose,
        0x72: _acknowledge,
        0x74: _inputs,
        0x76: _antennas_found,
        0x80: _read_configuration,
        0x81: _acknowledge,
        0x82: _acknowledge,
        0x83: _acknowledge,
        0xA0: _acknowledge,
        0xB0: _host_command,
        0xB1: _refuse,
    }
