"""A simulated Chafon or RRU UHF reader, UHFReader18 and 288M in one.

``LEN ADR CMD data CRC lo hi``, LEN + 1 bytes in all, CRC-16/MCRF4XX over all before it; an answer
has a status after CMD. FF asks every reader; an answer bears the reader's own address.

An inventory without parameters is answered as UHFReader18 does: ``n`` and n times (length, EPC).
One with the parameters of a 288M is answered as that does: ``antenna n`` and n times (length, EPC,
RSSI), the antenna as a bit.

Known from wabson/chafon-rfid (tests and uhfreader288m.py): both shapes, the antenna codes 80 to 83
of the question, 03 while frames follow, 01 and no tags as the end, 21 with 12 bytes.

Assumed, no public bytes show it:
    That all tags come in frames of status 03 and the last frame has none; that UHFReader18 says FB
    where there is none at all; that a tag which was heard and not read makes the end 02, and more
    tags than 200 make it 04; the answers of other commands.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices.device import EPC, FramedDevice, Heard, Reply, TagKind, Timing

OWN, BROADCAST = 0x00, 0xFF
OK, END, TIMED_OUT, MORE, FULL = 0x00, 0x01, 0x02, 0x03, 0x04
ANTENNA_FAULT, NO_TAG, BAD_LENGTH, BAD_COMMAND = 0xF8, 0xFB, 0xFD, 0xFE
MOST_REMEMBERED = 200
MOST_COMMAND = 64
RSSI = 0x6B
FIRST_ANTENNA = 0x80
PARAMETERS_288M = 9
"""Q, session, mask source, mask (3), target, antenna, scan time."""


def encode(rest: bytes, *, address: int = OWN) -> bytes:
    """Wrap command, status and data in a frame."""
    body = bytes([len(rest) + 3, address]) + rest
    return body + crc16.mcrf4xx(body).to_bytes(2, "little")


def measure_command(head: bytes) -> int | None:
    """Measure a command."""
    size = head[0] + 1
    if not 5 <= size <= MOST_COMMAND:
        return 0
    if len(head) < size:
        return None
    crc = crc16.mcrf4xx(head[: size - 2]).to_bytes(2, "little")
    return size if head[size - 2 : size] == crc else 0


class ChafonUhfReader(FramedDevice):
    """The state of a UHF reader and its answers; its name is the data of 21, as hex."""

    KIND: ClassVar[TagKind] = EPC
    TIMING: ClassVar[Timing] = Timing(discovery_ms=20.0, tag_ms=3.0)

    measure = staticmethod(measure_command)

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command that is meant for this reader."""
        address, command, data = frame[1], frame[2], frame[3:-2]
        if address not in (OWN, BROADCAST):
            return []
        act = self._ACTS.get(command)
        return act(self, command, data) if act else [self._answer(command, BAD_COMMAND)]

    def _answer(self, command: int, status: int, data: bytes = b"") -> Reply:
        return self._say(encode(bytes([command, status]) + data))

    def _acknowledge(self, command: int, data: bytes) -> list[Reply]:
        return [self._answer(command, OK)]

    def _find_none(self, command: int, data: bytes) -> list[Reply]:
        return [self._answer(command, NO_TAG)]

    def _identify(self, command: int, data: bytes) -> list[Reply]:
        return [self._answer(command, OK, bytes.fromhex(self._name))]

    def _inventory(self, command: int, data: bytes) -> list[Reply]:
        if len(data) not in (0, PARAMETERS_288M):
            return [self._answer(command, BAD_LENGTH)]
        is_288m = bool(data)
        self.antenna = data[7] - FIRST_ANTENNA + 1 if is_288m else 1
        if not 1 <= self.antenna <= self._antennas:
            return [self._answer(command, ANTENNA_FAULT)]
        heard = self._look([self.antenna])
        front = bytes([1 << self.antenna - 1]) if is_288m else b""
        trailer = bytes([RSSI]) if is_288m else b""
        replies = [
            self._tell(
                encode(
                    bytes([command, MORE]) + front + bytes([len(part)]) + _records(part, trailer)
                ),
                part,
                is_first=number == 0,
            )
            for number, part in enumerate(_parts(heard.tags[:MOST_REMEMBERED]))
        ]
        if not replies and not is_288m and heard.is_whole:
            return self._find_none(command, data)
        end = self._answer(command, _closing(heard), front + b"\x00")
        return [*replies, end]

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], list[Reply]]]] = {
        0x01: _inventory,
        0x02: _find_none,
        0x03: _find_none,
        0x21: _identify,
        0x22: _acknowledge,
        0x24: _acknowledge,
        0x25: _acknowledge,
        0x28: _acknowledge,
        0x2F: _acknowledge,
        0x33: _acknowledge,
    }


def _closing(heard: Heard) -> int:
    if not heard.is_whole:
        return TIMED_OUT
    return FULL if len(heard.tags) > MOST_REMEMBERED else END


def _records(tags: Sequence[Tag], trailer: bytes) -> bytes:
    epcs = [bytes.fromhex(tag) for tag in tags]
    return b"".join(bytes([len(epc)]) + epc + trailer for epc in epcs)


def _parts(tags: Sequence[Tag]) -> list[list[Tag]]:
    """Cut tags into what one frame holds: 256 bytes less header, counts and CRC."""
    parts: list[list[Tag]] = []
    room = 0
    for tag in tags:
        size = len(tag) // 2 + 2
        if size > room:
            parts.append([])
            room = 240
        parts[-1].append(tag)
        room -= size
    return parts
