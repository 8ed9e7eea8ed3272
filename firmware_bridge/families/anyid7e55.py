"""AnyID HF readers of the "7E55" kind (R321 and kin): up to 6 antennas, 25 UIDs an answer.

``7E 55 | LEN | SRC lo hi | DST lo hi | [1F] | CMD | 00 | params | CRC lo hi``: LEN counts SRC to
CRC, the CRC is CRC-16/X-25 over LEN to params, ``1F`` marks an answer. LEN 00 announces a two-byte
parameter length (low byte first) after the reserved byte. The host is 0000, a reader 0001 by
default. The USB-HID form, a length byte before each 63-byte report, is undone before this.

Source: rfid/protocols 2.4 and "RFID HF READER Communication Protocol V1.1" as kept in
Cyberistic/Python-R321-RFID-Read-Write-with-ISO15693.
"""

from typing import Final

from fastcrc import crc16

from firmware_bridge.families import iso15693
from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    failed,
    judged,
    uid_lsb,
)

HEAD = b"\x7e\x55"
ANSWER = 0x1F
BROADCAST = 0xFFFF
READER = 0x0001
UPLOAD, QUERY, EAS, TRANSPARENT = 0x10, 0x11, 0x13, 0x2F
RADIO, ANTENNAS, VERSION, CPU_ID = 0xF0, 0xF2, 0xF7, 0xF8
UID_END = 0xAA

NAMES: Final = {
    0x04: "reset",
    UPLOAD: "tag",
    QUERY: "inventory",
    EAS: "eas alarm",
    0x22: "read blocks",
    0x23: "write blocks",
    0x24: "write afi",
    0x25: "lock afi",
    0x26: "write dsfid",
    0x27: "lock dsfid",
    0x28: "system information",
    0x2C: "lock block",
    TRANSPARENT: "transparent",
    0x30: "read directly",
    0x31: "write directly",
    0x3F: "multi-antenna",
    0xE9: "outputs",
    0xEA: "inputs",
    RADIO: "radio",
    0xF1: "trigger",
    ANTENNAS: "antennas",
    0xF4: "write configuration",
    0xF5: "read configuration",
    VERSION: "version",
    CPU_ID: "cpu id",
    0xFA: "power",
}

_ADDRESSED: Final = frozenset([0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x2C])
"""Commands whose parameters begin with the UID that they are for."""

_NO_VERDICT: Final = frozenset([0x30, 0x31, 0x3F, 0xF5])
"""Answers that do not end in a success flag and an error byte."""

_ERRORS: Final = {0x01: "tag error", 0x02: "wrong checksum from the tag", 0x03: "tag silent"}

# ASSUMED: the protocol allows 65535 bytes of parameters; an answer for 25 tags is 237 bytes long.
MOST_PARAMS = 512


def frame(command: int, params: bytes = b"", *, to: int = READER) -> bytes:
    """Return the frame that carries a command to a reader."""
    body = bytes([8 + len(params), 0, 0]) + to.to_bytes(2, "little") + bytes([command, 0]) + params
    return HEAD + body + crc16.ibm_sdlc(body).to_bytes(2, "little")


def get_version() -> bytes:
    """Return the command that asks every reader on the line for model and versions."""
    return frame(VERSION, to=BROADCAST)


def get_cpu_id() -> bytes:
    """Return the command that asks for the 12 bytes that no other reader has."""
    return frame(CPU_ID)


def query_tags(*, is_repeat: bool = False) -> bytes:
    """Return the command that asks for the UIDs; a repeat asks for the last frame once more."""
    return frame(QUERY, bytes([is_repeat]))


def set_antenna(number: int) -> bytes:
    """Return the command that enables one antenna, 1 to 6, and no other."""
    return frame(ANTENNAS, bytes(number == each for each in range(1, 7)))


def reset_radio() -> bytes:
    """Return the command that takes the field away for 20 ms, so that all tags start anew."""
    return frame(RADIO, b"\x02\x00")


def reset() -> bytes:
    """Return the command that restarts the reader."""
    return frame(0x04)


def read_signature(uid: str) -> bytes:
    """Return the command that passes on the question for a tag's signature.

    Its data is the answer as it came over the air, without checksum, then the two bytes of every
    answer. The time-out (20 ms, in microseconds) is ASSUMED to be long enough.
    """
    request = iso15693.read_signature(uid)
    timeout_us = (20_000).to_bytes(2, "little")
    return frame(TRANSPARENT, bytes([len(request)]) + request + timeout_us + bytes([1 + 32]))


def confirm_upload() -> bytes:
    """Return the host's answer to a tag that the reader uploads of its own accord."""
    body = bytes([0x0B, 0, 0]) + READER.to_bytes(2, "little") + bytes([ANSWER, UPLOAD, 0, 0, 0])
    return HEAD + body + crc16.ibm_sdlc(body).to_bytes(2, "little")


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if not HEAD.startswith(head[:2]):
        return NOT_A_HEAD
    if len(head) < 9:
        return NEEDS_MORE
    is_answer = head[7] == ANSWER
    source = head[3] | head[4] << 8
    if (source == 0) is not (direction == "tx"):
        return NOT_A_HEAD
    return _measure_rest(head, 9 + is_answer)


def _measure_rest(head: bytes, params_at: int) -> Measure:
    """Judge by the length: in the header or, where that is 0, before the parameters."""
    if head[2]:
        length = 3 + head[2]
        return judged(head, length, _is_sound) if length >= params_at + 2 else BAD_LENGTH
    if len(head) < params_at + 2:
        return NEEDS_MORE
    most = head[params_at] | head[params_at + 1] << 8
    return judged(head, params_at + 4 + most, _is_sound) if most <= MOST_PARAMS else BAD_LENGTH


def _is_sound(data: bytes) -> bool:
    return crc16.ibm_sdlc(data[2:-2]) == data[-2] | data[-1] << 8


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    is_answer = data[7] == ANSWER
    command = data[7 + is_answer]
    params = data[(9 if data[2] else 11) + is_answer : -2]
    name = NAMES.get(command, f"command {command:02X}")
    if is_answer and command == QUERY:
        return _read_inventory(params)
    if is_answer:
        return _read_answer(command, name, params)
    if direction == "tx":
        uids = (uid_lsb(params[:8]),) if command in _ADDRESSED and len(params) >= 8 else ()
        return Message(kind="command", name=name, uids=uids, data=params)
    return Message(kind="notice", name=name, uids=_uploaded(params), data=params)


def _read_inventory(params: bytes) -> Message:
    """Read n times (UID, AA), then how many tags remain to be asked for, and 00."""
    marked, rest = params[:-2], params[-2:]
    records = [marked[at : at + 9] for at in range(0, len(marked), 9)]
    if len(rest) < 2 or any(len(each) < 9 or each[8] != UID_END for each in records):
        return failed("inventory", "answer of an unknown shape", echoes=QUERY, data=params)
    uids = tuple(uid_lsb(each[:8]) for each in records)
    remaining = rest[0]
    return Message(
        kind="answer",
        name="inventory",
        status="partial" if remaining else "ok" if uids else "empty",
        is_complete=not remaining,
        uids=uids,
        echoes=QUERY,
        data=params,
    )


def _read_answer(command: int, name: str, params: bytes) -> Message:
    """Read an answer that ends in a flag, 00 for success, and the kind of error."""
    flag, error = params[-2:] if len(params) >= 2 else b"\x00\x00"
    if flag == 0 or command in _NO_VERDICT:
        return Message(kind="answer", name=name, echoes=command, data=params)
    words = _ERRORS.get(error, "refused")
    return failed(name, f"{flag:02X} {error:02X}: {words}", echoes=command, data=params)


def _uploaded(params: bytes) -> tuple[str, ...]:
    """Read the tag of an upload: ``00 UID 0000`` in the manual, ``UID AA 0000`` where seen.

    The two cannot be confused: an ISO 15693 UID ends in E0 on this wire, where the other has AA.
    """
    if len(params) != 11:
        return ()
    at = 0 if params[8] == UID_END else 1
    return (uid_lsb(params[at : at + 8]),)


FAMILY = Family(
    name="anyid7e55",
    baud=38400,
    antennas=6,
    max_tags=25,
    knows_complete=True,
    uid_order="lsb",
    identity="CPU id of 12 bytes (command F8); model and versions (command F7)",
    # Source: the manual promises an answer within 200 ms; 50 ms for a slow converter.
    timeout_ms=250,
    max_frame=14 + MOST_PARAMS,
    measure=measure,
    decode=decode,
)
