"""A simulated R200, M100 or YRM100 UHF module.

``BB type CMD PL hi lo params sum 7E``: type 00 is a command, 01 an answer, 02 a notice; the sum is
that of all bytes from type to params. Nothing is escaped. Each tag of a round is a notice of its
own: RSSI, PC word, EPC and the tag's CRC; a round without tags is the refusal FF 15.

Known from the vectors: the frames, 03, 07, B6, the notices, FF 15; 28 is public as a command alone.

Assumed, no public bytes show it:
    The answer of 28, and that the notices of the round under way come after it.
    That a round in which a tag was heard and not read ends in FF 15, the code for both.
    What 03 says for software and maker, the answers of 08 and B7, and the signal strength.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices.device import EPC, FramedDevice, Reply, TagKind, Timing

START, END = 0xBB, 0x7E
COMMAND, ANSWER, NOTICE = 0x00, 0x01, 0x02
SINGLE, REFUSED = 0x22, 0xFF
NO_TAG, BAD_COMMAND = 0x15, 0x17
MOST_PARAMS = 64
RSSI = 0xC9
TEXTS = ("", "V2.3.5", "MagicRf")
"""What 03 says of hardware (the reader's name), software and maker."""


def encode(kind: int, command: int, params: bytes = b"") -> bytes:
    """Wrap an answer or a notice in a frame."""
    body = bytes([kind, command]) + len(params).to_bytes(2, "big") + params
    return bytes([START]) + body + bytes([sum(body) & 0xFF, END])


def tell_tag(tag: Tag) -> bytes:
    """Return what stands in a notice: RSSI, PC word (the EPC's length), EPC and their CRC."""
    epc = bytes.fromhex(tag)
    stored = (len(epc) // 2 << 11).to_bytes(2, "big") + epc
    return bytes([RSSI]) + stored + crc16.genibus(stored).to_bytes(2, "big")


class R200(FramedDevice):
    """The state of a module and its answers."""

    KIND: ClassVar[TagKind] = EPC
    TIMING: ClassVar[Timing] = Timing(discovery_ms=10.0, tag_ms=3.0)

    def restart(self) -> None:
        """Start anew: not polling, 26 dBm, region 01."""
        super().restart()
        self._rounds = 0
        self._power = (2600).to_bytes(2, "big")
        self._region = b"\x01"

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a command."""
        if head[0] != START or head[1:2] not in (b"", b"\x00"):
            return 0
        if len(head) < 5:
            return None
        size = 7 + int.from_bytes(head[3:5], "big")
        if size > 7 + MOST_PARAMS:
            return 0
        if len(head) < size:
            return None
        is_sound = head[size - 1] == END and sum(head[1 : size - 2]) & 0xFF == head[size - 2]
        return size if is_sound else 0

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command."""
        act = self._ACTS.get(frame[2])
        return act(self, frame[2], frame[5:-2]) if act else [self._refuse(BAD_COMMAND)]

    def notices(self) -> list[Reply]:
        """Tell one round of a poll that goes on."""
        if not self._rounds:
            return []
        self._rounds -= 1
        self.is_polling = self._rounds > 0
        return self._round()

    def _round(self) -> list[Reply]:
        heard = self._look([1])
        told = [
            self._tell(encode(NOTICE, SINGLE, tell_tag(tag)), [tag], is_first=number == 0)
            for number, tag in enumerate(heard.tags)
        ]
        return told if told and heard.is_whole else [*told, self._refuse(NO_TAG)]

    def _answer(self, command: int, params: bytes = b"\x00") -> list[Reply]:
        return [self._say(encode(ANSWER, command, params))]

    def _refuse(self, code: int) -> Reply:
        return self._say(encode(ANSWER, REFUSED, bytes([code])))

    def _tell_module(self, command: int, params: bytes) -> list[Reply]:
        if len(params) != 1 or params[0] >= len(TEXTS):
            return [self._refuse(BAD_COMMAND)]
        text = TEXTS[params[0]] or self._name
        return self._answer(command, params + text.encode("ascii"))

    def _set_region(self, command: int, params: bytes) -> list[Reply]:
        self._region = params
        return self._answer(command)

    def _tell_region(self, command: int, params: bytes) -> list[Reply]:
        return self._answer(command, self._region)

    def _poll_once(self, command: int, params: bytes) -> list[Reply]:
        return self._round()

    def _poll_many(self, command: int, params: bytes) -> list[Reply]:
        if len(params) != 3 or params[0] != SINGLE:
            return [self._refuse(BAD_COMMAND)]
        self._rounds = int.from_bytes(params[1:], "big")
        self.is_polling = self._rounds > 0
        return []

    def _stop(self, command: int, params: bytes) -> list[Reply]:
        late = self._round() if self._rounds else []
        self._rounds, self.is_polling = 0, False
        return self._answer(command) + late

    def _set_power(self, command: int, params: bytes) -> list[Reply]:
        self._power = params
        return self._answer(command)

    def _tell_power(self, command: int, params: bytes) -> list[Reply]:
        return self._answer(command, self._power)

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], list[Reply]]]] = {
        0x03: _tell_module,
        0x07: _set_region,
        0x08: _tell_region,
        SINGLE: _poll_once,
        0x27: _poll_many,
        0x28: _stop,
        0xB6: _set_power,
        0xB7: _tell_power,
    }
