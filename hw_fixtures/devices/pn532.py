"""A simulated NXP PN532 on its high-speed UART: two ISO 14443-A cards at most.

``00 00 FF LEN LCS TFI data DCS 00``: LEN and LCS sum to 0, so do TFI to DCS; TFI is D4 to the chip,
D5 from it. Extended: ``FF FF LEN hi LEN lo LCS`` in place of LEN and LCS. Each command is answered
by an ACK at once and by its answer when the work is done.

Known from nfcpy (src/nfc/clf/pn53x.py, pn532.py) and the vectors: frames, ACK and NAK, what nfcpy
asks when it starts (262 bytes to and fro in its line test), that after 10 (baud) the chip answers
at the old speed and changes when the host has acknowledged, the answer to 4A.

Assumed, no public bytes show it:
    SENS_RES and SEL_RES of cards by the length of their UID, that an ACK of the host comes too late
    to abort anything, that cards answer nothing but their UID (time-out, 01), and that registers
    read as zeros. A tag that was heard and not read is simply missing: the chip has no word for it.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from engine.cards import Tag
from hw_fixtures.devices.device import ISO14443, FramedDevice, Reply, TagKind, Timing

ACK, NAK = bytes.fromhex("0000ff00ff00"), bytes.fromhex("0000ffff0000")
TO_CHIP, FROM_CHIP, APPLICATION_ERROR = 0xD4, 0xD5, 0x7F
MOST_DATA = 265
MOST_TARGETS = 2
TIMED_OUT, BAD_CONTEXT = 0x01, 0x27
BAUDS = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1288000)

# SENS_RES and SEL_RES by the bytes of a UID: Mifare Classic, NTAG, a made-up triple-size card.
KINDS: dict[int, bytes] = {4: b"\x00\x04\x08", 7: b"\x00\x44\x00", 10: b"\x00\x84\x00"}


def encode(body: bytes) -> bytes:
    """Wrap TFI and data in a frame, extended where they are long."""
    if len(body) < 256:
        head = bytes([len(body), -len(body) & 0xFF])
    else:
        length = len(body).to_bytes(2, "big")
        head = b"\xff\xff" + length + bytes([-sum(length) & 0xFF])
    return b"\x00\x00\xff" + head + body + bytes([-sum(body) & 0xFF, 0x00])


def measure(head: bytes) -> int | None:
    """Measure a frame of the host; the first byte of its preamble may be missing."""
    at = head.find(b"\x00\xff")
    if at not in (0, 1) or head[0]:
        return None if head in (b"\x00", b"\x00\x00") else 0
    at += 2
    code = head[at : at + 2]
    if len(code) < 2:
        return None
    if code in (ACK[3:5], NAK[3:5]):
        return at + 2
    return _measure_data(head, at)


def _measure_data(head: bytes, at: int) -> int | None:
    """Measure a frame with data, whose length stands from ``at`` on."""
    is_extended = head[at : at + 2] == b"\xff\xff"
    start = at + (5 if is_extended else 2)
    if len(head) < start:
        return None
    field = head[at + 2 : start] if is_extended else head[at:start]
    length = int.from_bytes(field[:-1], "big")
    if sum(field) & 0xFF or not 1 <= length <= MOST_DATA:
        return 0
    end = start + length + 1
    if len(head) < end:
        return None
    return 0 if sum(head[start:end]) & 0xFF or head[start] != TO_CHIP else end


class Pn532(FramedDevice):
    """The state of a chip and its answers; its name is its version, 8 hex digits (32010607)."""

    KIND: ClassVar[TagKind] = ISO14443
    TIMING: ClassVar[Timing] = Timing(discovery_ms=10.0, restart_ms=10.0)

    measure = staticmethod(measure)

    def restart(self) -> None:
        """Start anew: no cards known, the first speed."""
        super().restart()
        self._targets: tuple[Tag, ...] = ()
        self._last = NAK

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command, or take the host's ACK or NAK."""
        start = frame.index(0xFF) + 1
        code = frame[start : start + 2]
        if code == ACK[3:5]:
            self.baud = self.offered_baud
            return []
        if code == NAK[3:5]:
            return [self._say(self._last)]
        body = frame[start + (5 if code == b"\xff\xff" else 2) : -1]
        command, params = body[1:2], body[2:]
        act = self._ACTS.get(command[0]) if command else None
        reply = act(self, command[0], params) if act else self._say(encode(b"\x7f"))
        self._last = reply.data
        return [Reply(data=ACK, work_ms=self.timing.command_ms), reply]

    def _answer(self, command: int, data: bytes = b"") -> Reply:
        return self._say(self._frame(command, data))

    def _frame(self, command: int, data: bytes) -> bytes:
        return encode(bytes([FROM_CHIP, command + 1]) + data)

    def _acknowledge(self, command: int, params: bytes) -> Reply:
        return self._answer(command)

    def _succeed(self, command: int, params: bytes) -> Reply:
        return self._answer(command, b"\x00")

    def _test(self, command: int, params: bytes) -> Reply:
        is_line_test = params[:1] == b"\x00"
        return self._answer(command, params if is_line_test else b"\x00")

    def _version(self, command: int, params: bytes) -> Reply:
        return self._answer(command, bytes.fromhex(self._name))

    def _status(self, command: int, params: bytes) -> Reply:
        numbers = range(1, len(self._targets) + 1)
        targets = b"".join(bytes([number, 0, 0, 0]) for number in numbers)
        return self._answer(command, bytes([0, 0, len(self._targets)]) + targets + b"\x00")

    def _read_registers(self, command: int, params: bytes) -> Reply:
        return self._answer(command, bytes(len(params) // 2))

    def _set_baud(self, command: int, params: bytes) -> Reply:
        if len(params) != 1 or params[0] >= len(BAUDS):
            return self._say(encode(bytes([APPLICATION_ERROR])))
        self.offered_baud = BAUDS[params[0]]
        return self._answer(command)

    def _list(self, command: int, params: bytes) -> Reply:
        if len(params) < 2 or not 1 <= params[0] <= MOST_TARGETS:
            return self._say(encode(bytes([APPLICATION_ERROR])))
        is_type_a = params[1] == 0
        tags = self._look([1]).tags if is_type_a else ()
        self._targets = tags[: params[0]]
        told = b"".join(_target(number, tag) for number, tag in enumerate(self._targets, 1))
        return self._tell(self._frame(command, bytes([len(self._targets)]) + told), self._targets)

    def _release(self, command: int, params: bytes) -> Reply:
        self._targets = ()
        return self._answer(command, b"\x00")

    def _exchange(self, command: int, params: bytes) -> Reply:
        is_known = 1 <= (params[:1] or b"\x00")[0] <= len(self._targets)
        return self._answer(command, bytes([TIMED_OUT if is_known else BAD_CONTEXT]))

    def _pass_on(self, command: int, params: bytes) -> Reply:
        return self._answer(command, bytes([TIMED_OUT]))

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], Reply]]] = {
        0x00: _test,
        0x02: _version,
        0x04: _status,
        0x06: _read_registers,
        0x08: _acknowledge,
        0x10: _set_baud,
        0x12: _acknowledge,
        0x14: _acknowledge,
        0x16: _succeed,
        0x32: _acknowledge,
        0x40: _exchange,
        0x42: _pass_on,
        0x44: _release,
        0x4A: _list,
        0x52: _release,
        0x54: _succeed,
        0x60: _succeed,
    }


def _target(number: int, tag: Tag) -> bytes:
    uid = bytes.fromhex(tag)
    return bytes([number]) + KINDS[len(uid)] + bytes([len(uid)]) + uid
