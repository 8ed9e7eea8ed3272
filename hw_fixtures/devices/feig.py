"""A simulated FEIG OBID i-scan HF reader, with an 8-channel multiplexer.

Standard ``LEN ADR CMD data CRC lo hi``, advanced ``02 ALEN hi lo ADR CMD data CRC lo hi``; both
lengths count the whole frame, the CRC is CRC-16/MCRF4XX over all before it. An answer is framed as
its command was and has a status after CMD. FF asks every reader; an answer bears the reader's own
address.

A reader with outputs of its own is told some by the antenna byte and says, in longer data sets,
which of them heard a tag. An ISC.ANT.MUX behind one output is spoken to through BF, as a tag is,
and connects its channel until it is told another.

Known from the makers' public manuals: 65 and 66 (PR101 H60301), the data sets of B0 01, MORE, that
a tag which was told is quiet until 69 or until it leaves the field (MR200 H40801), beside which
statuses data stands (LR200 H90692), data sets with antennas, the antenna byte as a bit field and
100 tags at most (Siemens RF290R C79000-G8976-C377), BF (PR101), the multiplexer's DD and DE
(H30701).

Assumed, no public bytes show it:
    That one tag more than 100 gives 93 beside them, that radio trouble with tags read is 84.
    That another antenna or channel wakes tags that were quiet, that channel 1 is connected first.
    What 6E, 74, 76, 80 and 66 00 carry, and addresses: the reader is 00.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices import iso15693
from hw_fixtures.devices.device import FramedDevice, Heard, Reply, Timing

OWN, BROADCAST = 0x00, 0xFF
ADVANCED = 0x02
MOST_COMMAND = 255
OK, NO_TRANSPONDER, OUT_OF_RANGE = 0x00, 0x01, 0x11
UNKNOWN, BAD_LENGTH, NOT_AVAILABLE = 0x80, 0x81, 0x82
RF_ERROR, RF_WARNING, OVERFLOW, MORE_DATA, ISO_ERROR = 0x83, 0x84, 0x93, 0x94, 0x95
MORE, ANTENNA = 0x80, 0x10
ISO15693_TYPE, DSFID = 0x03, 0x00
RSSI = 0x40
SELECT_CHANNEL, RESET_MULTIPLEXER, FUNCTION_UNIT = 0xDD, 0xDE, 0xFE

MOST_REMEMBERED = 100
# What frames have room for besides header, status, number of sets and CRC.
ROOM_OF_A_STANDARD_FRAME = 255 - 7
ROOM_OF_AN_ADVANCED_FRAME = 65535 - 9

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
        self._quiet: set[Tag] = set()
        self._closing = OK
        self._channel = 1
        self._heard_at: dict[Tag, list[int]] = {}
        self._tells_antennas = False
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
        self._quiet.clear()
        return self._answer(command, OK)

    def _switch_field(self, command: int, data: bytes) -> Reply:
        if len(data) != 1:
            return self._answer(command, BAD_LENGTH)
        self._has_field = data != b"\x00"
        self._rest = []
        self._quiet.clear()
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
        self._tells_antennas = bool(data[1] & ANTENNA)
        heard = self._hear_anew(antennas)
        self._rest = list(heard.tags[:MOST_REMEMBERED])
        trouble = RF_WARNING if self._rest else RF_ERROR
        overflow = OVERFLOW if len(heard.tags) > MOST_REMEMBERED else OK
        self._closing = overflow if heard.is_whole else trouble
        return self._go_on(command, is_first=True)

    def _chosen(self, data: bytes) -> list[int] | None:
        """Return the antennas of the antenna byte; None where they cannot be chosen."""
        if not data[1] & ANTENNA:
            return [self._channel]
        if len(data) != 3 or not 0 < data[2] < 1 << self._antennas:
            return None
        return [bit + 1 for bit in range(8) if data[2] & 1 << bit]

    def _hear_anew(self, antennas: list[int]) -> Heard:
        """Look at antennas; a tag that was told there already says nothing while it stays."""
        if antennas[0] != self.antenna:
            self._quiet.clear()
        self.antenna = antennas[0]
        looks = {number: self._look([number]) for number in antennas if self._has_field}
        self._heard_at = {}
        for number, look in looks.items():
            for tag in look.tags:
                self._heard_at.setdefault(tag, []).append(number)
        fresh = tuple(tag for tag in self._heard_at if tag not in self._quiet)
        self._quiet = set(self._heard_at)
        return Heard(fresh, all(look.is_whole for look in looks.values()))

    def _go_on(self, command: int, *, is_first: bool) -> Reply:
        if not self._rest and self._closing == OK:
            return self._tell(self._frame(command, NO_TRANSPONDER, b""), [], is_first=is_first)
        room = ROOM_OF_AN_ADVANCED_FRAME if self._is_advanced else ROOM_OF_A_STANDARD_FRAME
        told: list[Tag] = []
        sets = b""
        while self._rest and len(sets) + len(self._set(self._rest[0])) <= room:
            told.append(self._rest.pop(0))
            sets += self._set(told[-1])
        status = MORE_DATA if self._rest else self._closing
        if not self._rest:
            self._closing = OK
        frame = self._frame(command, status, bytes([len(told)]) + sets)
        return self._tell(frame, told, is_first=is_first)

    def _set(self, tag: Tag) -> bytes:
        """Return the data set of a tag, with the antennas that heard it where they were asked."""
        uid = bytes.fromhex(tag)
        kind = bytes([ISO15693_TYPE, DSFID])
        if not self._tells_antennas:
            return kind + uid
        antennas = [bytes([number, OK, RSSI]) + bytes(4) for number in self._heard_at[tag]]
        counted = bytes([len(antennas)]) + b"".join(antennas)
        return bytes([ANTENNA]) + kind + bytes([len(uid)]) + uid + counted

    def _pass_on(self, command: int, data: bytes) -> Reply:
        """Carry out another ISO 15693 command: no tag takes writes, none is told what it holds."""
        if not self._look([self._channel]).tags:
            return self._answer(command, NO_TRANSPONDER)
        return self._answer(command, ISO_ERROR, iso15693.LOCKED[1:])

    def _speak_through(self, command: int, data: bytes) -> Reply:
        """Pass a request on to the multiplexer or to a tag: mode, lengths (4), request."""
        request = data[5:]
        if request[2:3] == bytes([FUNCTION_UNIT]):
            said = self._switch(request[1], request[3:])
        else:
            said = iso15693.answer(self._look([self._channel]).tags, request)
        if said is None:
            return self._answer(command, NO_TRANSPONDER)
        return self._answer(command, OK, said + crc16.ibm_sdlc(said).to_bytes(2, "little"))

    def _switch(self, order: int, params: bytes) -> bytes | None:
        """Return what the multiplexer at address 0 says: flags and status."""
        if params[:1] != b"\x00":
            return None
        if order == RESET_MULTIPLEXER:
            self._channel = 1
        elif order == SELECT_CHANNEL and len(params) == 3:
            _, channel, other = params
            if not 1 <= channel <= self._antennas or channel == other:
                return bytes([0, OUT_OF_RANGE])
            self._channel = channel
        else:
            return None
        return bytes([0, OK])

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
        0xBF: _speak_through,
    }
