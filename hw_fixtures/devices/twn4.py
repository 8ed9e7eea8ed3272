"""A simulated Elatec TWN4 with the Simple Protocol: a pad that finds one tag at a time.

A message is hex text ended by CR, or binary behind a length of two bytes (low first); both may end
in CRC-16/MCRF4XX (low first) over the payload. A command is a function of two bytes and its
parameters; an answer begins with an error byte. This pad answers in the form it was asked in; a
real one is set to one form.

Known from TWN4 Simple Protocol DocRev17 and thenewwazoo/elatec-twn4-simple: the forms, the error
bytes, 0003, 0004, 0005, what 0500 answers (found, type, bits, length, ID), the parts of 0D01 with
its UID last byte first, 0D03 with its UID first byte first.

Assumed, no public bytes show it:
    The byte order of 0500's ID (first byte first), that its type of ISO 15693 is 82 and that it
    finds the lowest card of a stack; that 0D01, 0D05 and 0D07 meet a collision like an empty pad.
    That ticks are counted, one a command.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from fastcrc import crc16

from hw_fixtures.devices import iso15693
from hw_fixtures.devices.device import FramedDevice, Reply, Timing

CR = b"\r"
OK, UNKNOWN, MISSING, UNUSED = b"\x00", b"\x01", b"\x02", b"\x03"
NOT_FOUND, FOUND = b"\x00\x00", b"\x00\x01"
ISO15693_TYPE = 0x82
MOST_PAYLOAD = 255
HEX = frozenset(b"0123456789ABCDEFabcdef")
# As both samples of DocRev17 have it.
INFORMATION_FLAGS = b"\xef"


def encode(payload: bytes, *, is_text: bool = True, has_crc: bool = True) -> bytes:
    """Return a payload in the form that is wanted."""
    whole = payload + (crc16.mcrf4xx(payload).to_bytes(2, "little") if has_crc else b"")
    if is_text:
        return whole.hex().upper().encode("ascii") + CR
    return len(whole).to_bytes(2, "little") + whole


class Twn4(FramedDevice):
    """The state of a pad and its answers."""

    TIMING: ClassVar[Timing] = Timing(discovery_ms=40.0)

    def restart(self) -> None:
        """Start anew: no ticks."""
        super().restart()
        self._ticks = 0

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a command in either form: hex digits, or a length below 256."""
        if head[0] in HEX and head[1:2] != b"\x00":
            end = next((at for at, byte in enumerate(head) if byte not in HEX), None)
            if end is None:
                return None if len(head) <= 2 * MOST_PAYLOAD else 0
            return end + 1 if end % 2 == 0 and head[end : end + 1] == CR else 0
        if len(head) < 2:
            return None
        size = 2 + head[0]
        if head[1] or not head[0]:
            return 0
        return size if len(head) >= size else None

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a function; answer in the form that it was asked in."""
        is_text = frame.endswith(CR) and HEX.issuperset(frame[:-1])
        payload = bytes.fromhex(frame[:-1].decode("ascii")) if is_text else frame[2:]
        has_crc = len(payload) > 3 and crc16.mcrf4xx(payload[:-2]) == int.from_bytes(
            payload[-2:], "little"
        )
        if has_crc:
            payload = payload[:-2]
        self._ticks += 1
        function, params = payload[:2], payload[2:]
        if function == b"\x00\x01":
            return [self._say(b"", restarts=True)]
        if function == b"\x05\x00":
            return [self._search(params, is_text=is_text, has_crc=has_crc)]
        answer = self._compute(function, params)
        return [self._say(encode(answer, is_text=is_text, has_crc=has_crc))]

    def _compute(self, function: bytes, params: bytes) -> bytes:
        size, act = self._ACTS.get(function, (0, None))
        if act is None:
            return UNKNOWN
        if len(params) < size:
            return MISSING
        return act(self, params)

    def _search(self, params: bytes, *, is_text: bool, has_crc: bool) -> Reply:
        """Find one tag, with an ID of as many bytes as the host wants."""
        told = self._look([1]).tags[:1] if params else ()
        answer = NOT_FOUND if params else MISSING
        if told:
            uid = bytes.fromhex(told[0])[: params[0]]
            answer = FOUND + bytes([ISO15693_TYPE, 8 * len(uid), len(uid)]) + uid
        return self._tell(encode(answer, is_text=is_text, has_crc=has_crc), told)

    def _ask(self, request: bytes) -> bytes | None:
        """Pass a request on to the tag on the pad; None where no single one answers well."""
        said = iso15693.answer(self._look([1]).tags, request)
        return None if said is None or said[0] else said[1:]

    def _tell_ticks(self, params: bytes) -> bytes:
        return OK + self._ticks.to_bytes(4, "little")

    def _tell_version(self, params: bytes) -> bytes:
        text = self._name.encode("ascii")[: params[0]]
        return OK + bytes([len(text)]) + text

    def _tell_usb_type(self, params: bytes) -> bytes:
        return b"\x00\x01"

    def _choose_kinds(self, params: bytes) -> bytes:
        return OK

    def _pass_on(self, params: bytes) -> bytes:
        size = params[2]
        said = self._ask(params[:2] + params[3 : 3 + size])
        return NOT_FOUND if said is None else FOUND + bytes([len(said)]) + said

    def _describe(self, params: bytes) -> bytes:
        """Tell UID, DSFID, AFI, bytes of a block, blocks (2) and IC reference."""
        said = self._ask(bytes([0x02, iso15693.SYSTEM]))
        if said is None:
            return NOT_FOUND
        blocks = (said[11] + 1).to_bytes(2, "little")
        return FOUND + INFORMATION_FLAGS + said[1:11] + bytes([said[12] + 1]) + blocks + said[13:]

    def _tell_type(self, params: bytes) -> bytes:
        return b"\x00\xff"

    def _read(self, params: bytes) -> bytes:
        said = self._ask(bytes([0x02, iso15693.READ, params[0]]))
        return NOT_FOUND if said is None else FOUND + bytes([len(said)]) + said

    def _write(self, params: bytes) -> bytes:
        return NOT_FOUND

    _ACTS: ClassVar[dict[bytes, tuple[int, Callable[[Any, bytes], bytes]]]] = {
        b"\x00\x03": (0, _tell_ticks),
        b"\x00\x04": (1, _tell_version),
        b"\x00\x05": (0, _tell_usb_type),
        b"\x05\x02": (8, _choose_kinds),
        b"\x0d\x00": (3, _pass_on),
        b"\x0d\x01": (0, _describe),
        b"\x0d\x03": (8, _tell_type),
        b"\x0d\x05": (2, _read),
        b"\x0d\x07": (3, _write),
    }
