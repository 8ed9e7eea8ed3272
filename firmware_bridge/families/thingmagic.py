"""ThingMagic M5e, M6e and kin: UHF modules for discard rack and pack check.

Command ``FF LEN OP data CRC hi lo``; answer ``FF LEN OP ST ST data CRC hi lo``; LEN counts the data
alone. Nothing is escaped. The checksum is CRC-16 with 1021 and FFFF like many, but the maker never
appends the 16 zero bits: so the last two bytes before it are not yet divided, and it equals
CRC-16/SPI-FUJITSU of all but them, XOR them.

Status 0400 on 22 comes each second while a reader streams: no tag, and the reader is alive. Status
0101 on 03 says that the module waits in its boot loader for 04.

Source: rfid/protocols 2.8, rfid/vectors; where EPC and antenna stand in a streamed tag, and what is
sent to set a stream up: sparkfun/SparkFun_Simultaneous_RFID_Tag_Reader_Library.
"""

from collections.abc import Iterable
from typing import Final

from fastcrc import crc16

from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Kind,
    Measure,
    Message,
    failed,
    judged,
    uid_msb,
)

START = 0xFF
# Source: the protocol's limit for data, so that a frame fits in 255 bytes.
MOST_DATA = 248
VERSION, BOOT, SINGLE, MULTI, STREAM = 0x03, 0x04, 0x21, 0x22, 0x2F
ANTENNAS, PROTOCOL, REGION, OPTION = 0x91, 0x93, 0x97, 0x9A
NO_TAGS, BOOT_LOADER = 0x0400, 0x0101

NAMES: Final = {
    VERSION: "version",
    BOOT: "boot",
    0x10: "hardware version",
    SINGLE: "inventory",
    MULTI: "inventory",
    0x24: "write",
    0x28: "read",
    0x29: "read tags",
    0x2A: "clear tags",
    STREAM: "stream",
    0x61: "antennas",
    0x62: "power",
    0x63: "protocol",
    ANTENNAS: "set antennas",
    0x92: "set power",
    PROTOCOL: "set protocol",
    REGION: "set region",
    OPTION: "set option",
}

_STATUSES: Final = {
    0x0100: "wrong number of bytes",
    BOOT_LOADER: "unknown command; still in the boot loader",
    0x0105: "parameter out of range",
    0x0504: "too hot",
    0x0505: "high return loss: an antenna is missing",
}


def checksum(body: bytes) -> int:
    """Return the checksum over ``LEN OP ...``, which has two bytes or more."""
    return crc16.spi_fujitsu(body[:-2]) ^ (body[-2] << 8 | body[-1])


def frame(opcode: int, data: bytes = b"") -> bytes:
    """Return the frame that carries a command."""
    body = bytes([len(data), opcode]) + data
    return bytes([START]) + body + checksum(body).to_bytes(2, "big")


def get_version() -> bytes:
    """Return the command that asks for the versions, and whether the module has booted."""
    return frame(VERSION)


def boot() -> bytes:
    """Return the command that starts the module's firmware."""
    return frame(BOOT)


def read_single(timeout_ms: int) -> bytes:
    """Return the command that reads one tag."""
    return frame(SINGLE, timeout_ms.to_bytes(2, "big"))


def set_region(region: int) -> bytes:
    """Return the command that sets the radio region."""
    return frame(REGION, bytes([region]))


def set_antennas(numbers: Iterable[int]) -> bytes:
    """Return the command that has the module search these antennas in turn."""
    pairs = b"".join(bytes([number, number]) for number in numbers)
    return frame(ANTENNAS, b"\x02" + pairs)


def choose_gen2() -> bytes:
    """Return the command that chooses EPC Gen2."""
    return frame(PROTOCOL, b"\x00\x05")


def repeat_tags() -> bytes:
    """Return the command that has a stream tell a tag as often as it is heard."""
    return frame(OPTION, b"\x01\x0c\x00")


def start_stream() -> bytes:
    """Return the command that has the module read for ever and tell each tag."""
    return frame(STREAM, bytes.fromhex("00000122000005072210001b03e801ff"))


def stop_stream() -> bytes:
    """Return the command that ends a stream."""
    return frame(STREAM, b"\x00\x00\x02")


def get_antennas() -> bytes:
    """Return the command that asks which antennas are in use."""
    return frame(0x61, b"\x01")


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] != START:
        return NOT_A_HEAD
    if len(head) < 2:
        return NEEDS_MORE
    if head[1] > MOST_DATA:
        return BAD_LENGTH
    return judged(head, head[1] + (7 if direction == "rx" else 5), _is_sound)


def _is_sound(data: bytes) -> bool:
    return checksum(data[1:-2]) == data[-2] << 8 | data[-1]


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    opcode = data[2]
    name = NAMES.get(opcode, f"command {opcode:02X}")
    if direction == "tx":
        return Message(kind="command", name=name, data=data[3:-2])
    status, rest = data[3] << 8 | data[4], data[5:-2]
    kind: Kind = "notice" if opcode == MULTI else "answer"
    if status == NO_TAGS:
        return Message(kind=kind, name=name, status="empty", echoes=opcode, code=status, data=rest)
    if status:
        words = f"{status:04X}: {_STATUSES.get(status, 'refused')}"
        return failed(name, words, kind=kind, echoes=opcode, code=status, data=rest)
    uids = _read_tag(opcode, rest)
    return Message(kind=kind, name=name, uids=uids, echoes=opcode, data=rest)


def _read_tag(opcode: int, rest: bytes) -> tuple[str, ...]:
    """Find the EPC: before the tag's own CRC; in a stream, behind the tag's circumstances."""
    if opcode == SINGLE:
        return (uid_msb(rest[:-2]),) if len(rest) >= 4 else ()
    if opcode != MULTI or len(rest) < 24:
        return ()
    # 19 bytes of circumstances, bits of memory data (2), the data, 1 byte, bits of PC, EPC and
    # CRC together (2), PC (2), EPC, CRC (2).
    at = 22 + (rest[19] << 8 | rest[20]) // 8
    length = int.from_bytes(rest[at : at + 2], "big") // 8 - 4
    epc = rest[at + 4 : at + 4 + length]
    return (uid_msb(epc),) if length > 0 and len(epc) == length else ()


def antenna_of(data: bytes) -> int | None:
    """Return the antenna that heard a streamed tag; None where the record is too short.

    Args:
        data: ``Message.data`` of a notice; the byte has the receiving antenna in its low half.
    """
    return data[8] & 0x0F if len(data) > 8 else None


FAMILY = Family(
    name="thingmagic",
    baud=115200,
    antennas=4,
    # ASSUMED: the module's own buffer; a stream has no limit.
    max_tags=200,
    knows_complete=False,
    uid_order="msb",
    identity="hardware and firmware versions (command 03)",
    # A search for a single tag is given 1000 ms in the public captures.
    timeout_ms=1200,
    max_frame=MOST_DATA + 7,
    measure=measure,
    decode=decode,
)
