"""A simulated ThingMagic M5e or M6e UHF module.

Command ``FF LEN OP data CRC hi lo``, answer ``FF LEN OP ST ST data CRC hi lo``; LEN counts the
data. Nothing is escaped. The CRC takes 1021 nibble by nibble from FFFF and never appends 16 zero
bits.

Known from the vectors and the comments of sparkfun/SparkFun_Simultaneous_RFID_Tag_Reader_Library:
03 and 04, status 0101 in the boot loader, 21, the answers of 61, 62 and 63, what starts and stops a
stream (2F), where everything stands in a streamed tag, the keep-alive (0400) each second.

Assumed, no public bytes show it:
    That a module waits in its boot loader after each start, that it takes only 03 and 04 there, and
    that 03 says the same as 04 afterwards.
    That 91 with two bytes (transmit and receive port) chooses the antenna that 21 and streams use,
    and with 02 and pairs of them several, which take turns.
    The answer of 61 beyond its first port, signal strength, frequency, phase and time of a tag.
    A tag that was heard and not read is simply missing: the module has no word for it.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices.device import EPC, FramedDevice, Reply, TagKind, Timing

START = 0xFF
MOST_COMMAND_DATA = 64
VERSION, BOOT, SINGLE, STREAMED = 0x03, 0x04, 0x21, 0x22
OK, BAD_LENGTH, BAD_OPCODE, OUT_OF_RANGE, NO_TAGS = 0x0000, 0x0100, 0x0101, 0x0105, 0x0400
KEEP_ALIVE_TICKS = 10

# 7 reserved bytes, RSSI; antenna; then frequency in kHz (3), ms since the last keep-alive (4),
# phase (2), protocol, bits of memory data (2), a reserved byte.
_BEFORE = bytes.fromhex("10001b01ff0101c4")
_BETWEEN = bytes.fromhex("0e16400000012700000500000f")


def checksum(body: bytes) -> int:
    """Return the maker's CRC over LEN, opcode and all that follows."""
    crc = 0xFFFF
    for byte in body:
        for nibble in (byte >> 4, byte & 0x0F):
            carried = crc >> 12
            crc = (crc << 4 | nibble) & 0xFFFF
            for bit in range(4):
                if carried & 1 << bit:
                    crc ^= 0x1021 << bit
    return crc


def encode(opcode: int, status: int = OK, data: bytes = b"") -> bytes:
    """Wrap an answer in a frame."""
    body = bytes([len(data), opcode]) + status.to_bytes(2, "big") + data
    return bytes([START]) + body + checksum(body).to_bytes(2, "big")


class ThingMagicReader(FramedDevice):
    """The state of a module and its answers; its name is the 20 bytes of 03, as hex."""

    KIND: ClassVar[TagKind] = EPC
    TIMING: ClassVar[Timing] = Timing(discovery_ms=20.0, tag_ms=3.0)

    def restart(self) -> None:
        """Start anew, in the boot loader."""
        super().restart()
        self._has_booted = False
        self._search = [1]
        self._ticks = 0

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a command."""
        if head[0] != START or (len(head) > 1 and head[1] > MOST_COMMAND_DATA):
            return 0
        if len(head) < 2 or len(head) < head[1] + 5:
            return None
        size = head[1] + 5
        crc = checksum(head[1 : size - 2]).to_bytes(2, "big")
        return size if head[size - 2 : size] == crc else 0

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command; in the boot loader, only those that it knows."""
        opcode, data = frame[2], frame[3:-2]
        act = self._ACTS.get(opcode)
        if act is None or (not self._has_booted and opcode != BOOT):
            return [self._answer(opcode, BAD_OPCODE)]
        return [act(self, opcode, data)]

    def notices(self) -> list[Reply]:
        """Stream the tags that answer and, each second, that the module lives."""
        said: list[Reply] = []
        for antenna in self._search:
            self.antenna = antenna
            for number, tag in enumerate(self._look([antenna]).tags):
                data = encode(STREAMED, OK, self._streamed(tag))
                said.append(self._tell(data, [tag], is_first=number == 0))
        self._ticks += 1
        if self._ticks % KEEP_ALIVE_TICKS == 0:
            said.append(self._answer(STREAMED, NO_TAGS))
        return said

    def _streamed(self, tag: Tag) -> bytes:
        ports = bytes([self.antenna << 4 | self.antenna])
        stored = _stored(tag)
        bits = (8 * len(stored)).to_bytes(2, "big")
        return _BEFORE + ports + _BETWEEN + bits + stored

    def _answer(self, opcode: int, status: int = OK, data: bytes = b"") -> Reply:
        return self._say(encode(opcode, status, data))

    def _acknowledge(self, opcode: int, data: bytes) -> Reply:
        return self._answer(opcode)

    def _boot(self, opcode: int, data: bytes) -> Reply:
        self._has_booted = True
        return self._version(opcode, data)

    def _version(self, opcode: int, data: bytes) -> Reply:
        return self._answer(opcode, OK, bytes.fromhex(self._name))

    def _hardware(self, opcode: int, data: bytes) -> Reply:
        return self._answer(opcode, OK, bytes.fromhex(self._name)[4:8])

    def _read_single(self, opcode: int, data: bytes) -> Reply:
        if len(data) < 2:
            return self._answer(opcode, BAD_LENGTH)
        told = self._look(self._search).tags[:1]
        if not told:
            return self._tell(encode(opcode, NO_TAGS), [])
        return self._tell(encode(opcode, OK, _stored(told[0])[2:]), told)

    def _find_none(self, opcode: int, data: bytes) -> Reply:
        return self._answer(opcode, NO_TAGS)

    def _stream(self, opcode: int, data: bytes) -> Reply:
        if len(data) < 3:
            return self._answer(opcode, BAD_LENGTH)
        self.is_polling = data[2] == 0x01
        self._ticks = 0
        return self._answer(opcode)

    def _tell_antennas(self, opcode: int, data: bytes) -> Reply:
        ports = b"".join(bytes([port, 0]) for port in range(1, self._antennas + 1))
        return self._answer(opcode, OK, data[:1] + ports)

    def _set_antenna(self, opcode: int, data: bytes) -> Reply:
        # An even number of bytes is one port twice; an odd number begins with the option.
        ports = list(data[1::2] if len(data) % 2 else data[:1])
        if not ports or any(not 1 <= port <= self._antennas for port in ports):
            return self._answer(opcode, OUT_OF_RANGE)
        self._search, self.antenna = ports, ports[0]
        return self._answer(opcode)

    def _tell_power(self, opcode: int, data: bytes) -> Reply:
        limits = bytes.fromhex("08fc03e8") if data == b"\x01" else b""
        return self._answer(opcode, OK, data[:1] + bytes.fromhex("08fc") + limits)

    def _tell_protocol(self, opcode: int, data: bytes) -> Reply:
        return self._answer(opcode, OK, b"\x00\x05")

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], Reply]]] = {
        VERSION: _version,
        BOOT: _boot,
        0x10: _hardware,
        SINGLE: _read_single,
        0x24: _find_none,
        0x28: _find_none,
        0x2F: _stream,
        0x61: _tell_antennas,
        0x62: _tell_power,
        0x63: _tell_protocol,
        0x91: _set_antenna,
        0x92: _acknowledge,
        0x93: _acknowledge,
        0x97: _acknowledge,
        0x9A: _acknowledge,
    }


def _stored(tag: Tag) -> bytes:
    """Return what a tag backscatters: PC word (the EPC's length), EPC and their CRC."""
    epc = bytes.fromhex(tag)
    stored = (len(epc) // 2 << 11).to_bytes(2, "big") + epc
    return stored + crc16.genibus(stored).to_bytes(2, "big")
