"""A simulated microcontroller that speaks our own frame, as docs/front-end-frame.md has it.

``00 | COBS(TYPE SEQ data CRC lo hi) | 00``; the CRC is CRC-16/MCRF4XX over TYPE, SEQ and data. It
has two lamps, a buzzer and the gate of a shoe, and goes to the safe state when its host falls
silent. It reads the signatures of the chips that have one here.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from cobs import cobs  # type: ignore[import-untyped]
from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices.device import FramedDevice, Heard, Reply, Timing
from hw_fixtures.devices.iso15693 import SIGNATURES

DESCRIBE, INVENTORY, LAMP, BUZZER, GATE, KEEP_ALIVE, RESET, SIGNATURE, SAFE_STATE = range(1, 10)
ANSWER, STARTED, TAG, REFUSED = 0x80, 0xC0, 0xC1, 0xFF
UNKNOWN, BAD_DATA, NO_SUCH, RADIO_FAULT = 0x01, 0x02, 0x03, 0x04
COMPLETE = 0x01
MOST_FRAME = 253
VERSION, LAMPS, CAN = 1, 2, 0x07
# What one answer holds: 9 bytes a tag behind TYPE, SEQ, antenna, flags, number and CRC.
MOST_TAGS = 27
SAFE_TICKS = 20
MODEL = "simulated seat"


def encode(kind: int, sequence: int, data: bytes = b"") -> bytes:
    """Wrap an answer or a notice in a frame."""
    body = bytes([kind, sequence & 0xFF]) + data
    block: bytes = cobs.encode(body + crc16.mcrf4xx(body).to_bytes(2, "little"))
    return b"\x00" + block + b"\x00"


def opened(block: bytes) -> bytes:
    """Return TYPE, SEQ and data of what stands between two zeros; nothing where it is not sound."""
    try:
        body: bytes = cobs.decode(block)
    except cobs.DecodeError:
        return b""
    is_sound = len(body) >= 4 and crc16.mcrf4xx(body[:-2]) == int.from_bytes(body[-2:], "little")
    return body[:-2] if is_sound else b""


class FrontEnd(FramedDevice):
    """The state of a front end and its answers; its name is its serial number."""

    TIMING: ClassVar[Timing] = Timing(command_ms=1.0, restart_ms=200.0)

    def restart(self) -> None:
        """Start anew, in the safe state."""
        super().restart()
        self.is_polling = True
        self._before: tuple[bytes, list[Reply]] = b"", []
        self._noticed = 0
        self._safe_state = SAFE_TICKS, 0, 0
        self._make_safe()

    def _make_safe(self) -> None:
        _, gate, lamp = self._safe_state
        self.lamps = [lamp] * LAMPS
        self.buzzer_ms = 0
        self.is_gate_open = gate == 1
        self._silent_ticks = 0

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a sound command between two zeros."""
        end = head.find(0, 1)
        if head[0] or (end < 0 and len(head) >= MOST_FRAME):
            return 0
        if end < 0:
            return None
        body = opened(head[1:end])
        return end + 1 if body and body[0] < ANSWER else 0

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a sound command; answer a repeat as before, with nothing done anew."""
        body = opened(frame[1:-1])
        self._silent_ticks = 0
        if body[:2] != self._before[0]:
            self._before = body[:2], [self._carry_out(body[0], body[1], body[2:])]
        return self._before[1]

    def greet(self) -> list[Reply]:
        """Describe itself, as after each start."""
        return [self._notice(STARTED, self._description())]

    def notices(self) -> list[Reply]:
        """Let a tenth of a second pass: the buzzer ends, a silent host is noticed."""
        self.buzzer_ms = max(0, self.buzzer_ms - 100)
        self._silent_ticks += 1
        if self._silent_ticks >= self._safe_state[0]:
            self._make_safe()
        return []

    def _notice(self, kind: int, data: bytes) -> Reply:
        sequence, self._noticed = self._noticed, self._noticed + 1
        return self._say(encode(kind, sequence, data))

    def _carry_out(self, command: int, sequence: int, data: bytes) -> Reply:
        act = self._ACTS.get(command)
        said = act(self, data) if act else UNKNOWN
        if isinstance(said, int):
            return self._say(encode(REFUSED, sequence, bytes([command, said])))
        frame = encode(ANSWER + command, sequence, said)
        if command == INVENTORY:
            return self._tell(frame, self._told)
        return self._say(frame, restarts=command == RESET)

    def _description(self) -> bytes:
        texts = [text.encode() for text in (MODEL, self._name)]
        numbers = bytes([VERSION, self._antennas, MOST_TAGS, LAMPS, CAN, SAFE_TICKS])
        return numbers + b"".join(bytes([len(text)]) + text for text in texts)

    def _describe(self, data: bytes) -> bytes | int:
        return BAD_DATA if data else self._description()

    def _inventory(self, data: bytes) -> bytes | int:
        if len(data) != 1:
            return BAD_DATA
        if not 1 <= data[0] <= self._antennas:
            return NO_SUCH
        self.antenna = data[0]
        heard = self._look([self.antenna])
        self._told = heard.tags[:MOST_TAGS]
        is_complete = heard == Heard(self._told)
        records = b"".join(b"\x08" + bytes.fromhex(tag) for tag in self._told)
        flags = COMPLETE if is_complete else 0
        return bytes([self.antenna, flags, len(self._told)]) + records

    def _light(self, data: bytes) -> bytes | int:
        if len(data) != 2 or data[1] > 2:
            return BAD_DATA
        if not 1 <= data[0] <= LAMPS:
            return NO_SUCH
        self.lamps[data[0] - 1] = data[1]
        return b""

    def _buzz(self, data: bytes) -> bytes | int:
        if len(data) != 1:
            return BAD_DATA
        self.buzzer_ms = 10 * data[0]
        return b""

    def _move_gate(self, data: bytes) -> bytes | int:
        if data not in (b"\x00", b"\x01"):
            return BAD_DATA
        self.is_gate_open = data == b"\x01"
        return b""

    def _read_signature(self, data: bytes) -> bytes | int:
        if len(data) != 9:
            return BAD_DATA
        if not 1 <= data[0] <= self._antennas:
            return NO_SUCH
        tag = Tag(data[1:].hex().upper())
        is_there = tag in self._look([data[0]]).tags
        return SIGNATURES.get(tag, RADIO_FAULT) if is_there else RADIO_FAULT

    def _set_safe_state(self, data: bytes) -> bytes | int:
        if len(data) != 3 or not data[0] or data[1] > 1 or data[2] > 2:
            return BAD_DATA
        self._safe_state = data[0], data[1], data[2]
        return b""

    def _acknowledge(self, data: bytes) -> bytes | int:
        return BAD_DATA if data else b""

    _ACTS: ClassVar[dict[int, Callable[[Any, bytes], bytes | int]]] = {
        DESCRIBE: _describe,
        INVENTORY: _inventory,
        LAMP: _light,
        BUZZER: _buzz,
        GATE: _move_gate,
        KEEP_ALIVE: _acknowledge,
        RESET: _acknowledge,
        SIGNATURE: _read_signature,
        SAFE_STATE: _set_safe_state,
    }


class PassingFrontEnd(FrontEnd):
    """A front end at the mouth of a shoe: each card that comes past an antenna is a notice."""

    def restart(self) -> None:
        """Start anew: what lies in the mouth is told again."""
        super().restart()
        self._present: tuple[Tag, ...] = ()

    def notices(self) -> list[Reply]:
        """Tell each card that came since the last look, once."""
        said = super().notices()
        present = self._look([1]).tags
        came = [tag for tag in present if tag not in self._present]
        self._present = present
        for tag in came:
            notice = self._notice(TAG, b"\x01" + bytes.fromhex(tag))
            said.append(self._tell(notice.data, [tag], is_first=False))
        return said
