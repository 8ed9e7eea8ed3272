"""A simulated AnyID HF reader of the "7E55" kind (R321 and kin).

``7E 55 | LEN | SRC lo hi | DST lo hi | [1F] | CMD | 00 | params | CRC lo hi``: LEN counts SRC to
CRC, the CRC is CRC-16/X-25 over LEN to params, ``1F`` marks an answer. LEN 00 announces a length of
two bytes before the parameters.

Known from "RFID HF READER Communication Protocol V1.1" (Cyberistic/Python-R321-...): the frames,
the parameters of the commands, 25 UIDs an answer at most, last byte first, each followed by AA,
then how many remain; that a repeat sends the last answer once more; the control byte.

Assumed, no public bytes show it:
    That a further query goes on with the rest, and that switching the antenna forgets it.
    That a tag which was heard and not read counts as one that remains.
    Which of the two control bytes holds speed and upload mode (the first), that several enabled
    antennas are asked in order, and that a field that is off hears nothing.
    The text of the version, and that the CPU id (its first 12 bytes here) never changes.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices import iso15693
from hw_fixtures.devices.device import FramedDevice, Hear, Reply, Timing

START = b"\x7e\x55"
HOST, READER, BROADCAST = 0x0000, 0x0001, 0xFFFF
ANSWER = 0x1F
MOST_UIDS = 25
MOST_COMMAND = 300
DONE, FAILED = b"\x00\x00", b"\x01\x00"
TAG_ERROR, TAG_SILENT = b"\x01\x01", b"\x01\x03"

# Working mode ISO 15693 inventory, address 0001, control: passive at 38400 baud, AFI 00.
CONFIGURATION = bytes.fromhex("000100270000")
PASSIVE = 0x20


def encode(
    command: int, params: bytes = b"", *, source: int = READER, to: int = HOST, mark: bytes = b""
) -> bytes:
    """Wrap a command or, marked by 1F, an answer in a frame."""
    head = source.to_bytes(2, "little") + to.to_bytes(2, "little") + mark + bytes([command, 0])
    length = len(head) + len(params) + 2
    if length < 256:
        body = bytes([length]) + head + params
    else:
        body = b"\x00" + head + len(params).to_bytes(2, "little") + params
    return START + body + crc16.ibm_sdlc(body).to_bytes(2, "little")


class AnyIdReader(FramedDevice):
    """The state of a 7E55 reader and its answers."""

    TIMING: ClassVar[Timing] = Timing(discovery_ms=20.0)

    def __init__(
        self, *, name: str, antennas: int, baud: int, hear: Hear, timing: Timing | None = None
    ) -> None:
        self._configuration = CONFIGURATION  # kept over power cuts
        super().__init__(name=name, antennas=antennas, baud=baud, hear=hear, timing=timing)

    def restart(self) -> None:
        """Start anew: antenna 1, field on, nothing left to tell."""
        super().restart()
        self._enabled = [1]
        self._has_field = True
        self._is_collided = False
        self._rest: list[Tag] = []
        self._last = b""
        self.is_polling = self._is_uploading

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a frame of the host, a command or the answer to an upload."""
        if not START.startswith(head[:2]):
            return 0
        if len(head) < 9:
            return None
        at = 10 if head[7] == ANSWER else 9
        size = 3 + head[2]
        if not head[2]:
            if len(head) < at + 2:
                return None
            size = at + 4 + int.from_bytes(head[at : at + 2], "little")
        if not at + 2 <= size <= MOST_COMMAND:
            return 0
        if len(head) < size:
            return None
        sum_ = crc16.ibm_sdlc(head[2 : size - 2]).to_bytes(2, "little")
        return size if head[size - 2 : size] == sum_ else 0

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command that is meant for this reader."""
        to, command = int.from_bytes(frame[5:7], "little"), frame[7]
        if command == ANSWER or to not in (READER, BROADCAST):
            return []
        params = frame[9 if frame[2] else 11 : -2]
        act = self._ACTS.get(command)
        return [act(self, command, params) if act else self._answer(command, FAILED)]

    def notices(self) -> list[Reply]:
        """Upload each tag that answers."""
        return [
            self._tell(encode(0x10, b"\x00" + _uid(tag) + b"\x00\x00"), [tag], is_first=False)
            for tag in self._look(self._enabled).tags
        ]

    @property
    def _is_uploading(self) -> bool:
        return not self._configuration[3] & PASSIVE

    def _answer(self, command: int, params: bytes, *, restarts: bool = False) -> Reply:
        return self._say(encode(command, params, mark=b"\x1f"), restarts=restarts)

    def _acknowledge(self, command: int, params: bytes) -> Reply:
        return self._answer(command, DONE)

    def _reset(self, command: int, params: bytes) -> Reply:
        return self._answer(command, b"", restarts=True)

    def _version(self, command: int, params: bytes) -> Reply:
        return self._answer(command, self._name.encode()[:50].ljust(50, b"\x00") + DONE)

    def _cpu_id(self, command: int, params: bytes) -> Reply:
        return self._answer(command, self._name.encode()[:12].ljust(12, b"\x00") + DONE)

    def _configure(self, command: int, params: bytes) -> Reply:
        if len(params) != len(CONFIGURATION):
            return self._answer(command, FAILED)
        self._configuration = params
        self.is_polling = self._is_uploading
        return self._answer(command, DONE)

    def _tell_configuration(self, command: int, params: bytes) -> Reply:
        return self._answer(command, self._configuration)

    def _switch_field(self, command: int, params: bytes) -> Reply:
        if params not in {b"\x00\x00", b"\x01\x00", b"\x02\x00"}:
            return self._answer(command, FAILED)
        self._has_field = params[0] != 0
        self._rest = []
        return self._answer(command, DONE)

    def _enable(self, command: int, params: bytes) -> Reply:
        enabled = [number for number, flag in enumerate(params, 1) if flag]
        if len(params) != 6 or self._antennas == 1 or any(n > self._antennas for n in enabled):
            return self._answer(command, FAILED)
        self._enabled, self._rest = enabled, []
        self.antenna = enabled[0] if enabled else 1
        return self._answer(command, DONE)

    def _query(self, command: int, params: bytes) -> Reply:
        if params == b"\x01" and self._last:
            return self._say(self._last)
        is_first = not self._rest
        if is_first:
            heard = self._look(self._enabled if self._has_field else [])
            self._rest, self._is_collided = list(heard.tags), not heard.is_whole
        told, self._rest = self._rest[:MOST_UIDS], self._rest[MOST_UIDS:]
        remaining = min(len(self._rest) + self._is_collided, 0xFF)
        uids = b"".join(_uid(tag) + b"\xaa" for tag in told)
        self._last = encode(command, uids + bytes([remaining, 0x00]), mark=b"\x1f")
        return self._tell(self._last, told, is_first=is_first)

    def _pass_on(self, command: int, params: bytes) -> Reply:
        size = params[0] if params else 0
        said = iso15693.answer(self._look(self._enabled).tags, params[1 : 1 + size])
        return self._answer(command, TAG_SILENT if said is None else said + DONE)

    def _read(self, command: int, params: bytes) -> Reply:
        if len(params) != 10:
            return self._answer(command, FAILED)
        request = bytes([0x22, iso15693.READ_SEVERAL]) + params[:9] + bytes([params[9] - 1 & 0xFF])
        said = iso15693.answer(self._look(self._enabled).tags, request)
        return self._answer(command, TAG_SILENT if said is None else said[1:] + DONE)

    def _change(self, command: int, params: bytes) -> Reply:
        request = bytes([0x22, iso15693.WRITE]) + params[:8]
        said = iso15693.answer(self._look(self._enabled).tags, request)
        return self._answer(command, TAG_SILENT if said is None else TAG_ERROR)

    def _describe(self, command: int, params: bytes) -> Reply:
        request = bytes([0x22, iso15693.SYSTEM]) + params[:8]
        said = iso15693.answer(self._look(self._enabled).tags, request)
        if said is None:
            return self._answer(command, TAG_SILENT + bytes(6))
        return self._answer(command, DONE + said[1:2] + said[10:])

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], Reply]]] = {
        0x04: _reset,
        0x11: _query,
        0x22: _read,
        0x23: _change,
        0x24: _change,
        0x25: _change,
        0x26: _change,
        0x27: _change,
        0x28: _describe,
        0x2C: _change,
        0x2F: _pass_on,
        0xE9: _acknowledge,
        0xF0: _switch_field,
        0xF1: _acknowledge,
        0xF2: _enable,
        0xF4: _configure,
        0xF5: _tell_configuration,
        0xF7: _version,
        0xF8: _cpu_id,
        0xFA: _acknowledge,
    }


def _uid(tag: Tag) -> bytes:
    return bytes.fromhex(tag)[::-1]
