"""FEIG OBID i-scan readers (MR102, MR200, LR and kin), standard and advanced protocol.

Standard ``LEN ADR CMD data CRC lo hi``, advanced ``02 ALEN hi lo ADR CMD data CRC lo hi``; both
lengths count the whole frame, the CRC is CRC-16/MCRF4XX over all before it. An answer has a status
byte after CMD. The bus address FF asks every reader; an answer bears the reader's own, never FF,
and so an echo of our own broadcast is no answer.

An inventory (B0 01) that says 83, 84, 93 or 94 may still carry data sets: cards that are there,
and no word about those that are not. A tag that was told is silent afterwards: the reader's field
must be taken away (69) before each inventory that shall hear all tags.

A reader with several outputs is told which by the antenna byte, and then tells in each data set
which antennas heard it. The multiplexer ISC.ANT.MUX stands behind one output and is spoken to
through the reader (BF): its commands look like those to a tag.

Source: rfid/protocols 2.3; the maker's public manuals of ID ISC.MR200 (H40801-5e, 6.1.1), PR101
(H60301-3e, 5.6, 6.1 and 8.6), LR1002 (H20411: 66), MU02.02 (H90701-3e, 10.1.1: data sets with
antennas) and of the multiplexer (H30701-3e, 2.2.3); no vendor code was used.
"""

from typing import Final

from fastcrc import crc16

from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    Status,
    failed,
    judged,
    uid_msb,
)

ADVANCED = 0x02
BROADCAST = 0xFF
INVENTORY = 0xB0
TRANSPARENT, RADIO_RESET, VERSION, INFORMATION = 0xBF, 0x69, 0x65, 0x66
MORE, ANTENNA = 0x80, 0x10
ISO15693 = 0x03

OK, NO_TRANSPONDER, MORE_DATA = 0x00, 0x01, 0x94
PARTIAL: Final = frozenset([0x83, 0x84, 0x90, 0x93, MORE_DATA])
"""Statuses beside which data sets may stand."""

NAMES: Final = {
    0x21: "read buffer",
    0x22: "read buffer",
    0x31: "buffer information",
    0x32: "clear buffer",
    0x33: "initialise buffer",
    0x52: "baud detect",
    0x63: "reset",
    VERSION: "version",
    INFORMATION: "reader information",
    RADIO_RESET: "radio reset",
    0x6A: "radio",
    0x6E: "diagnosis",
    0x72: "outputs",
    0x74: "inputs",
    0x76: "check antennas",
    0x80: "read configuration",
    0x81: "write configuration",
    0x82: "save configuration",
    0x83: "reset configuration",
    0xA0: "login",
    INVENTORY: "inventory",
    0xB1: "custom command",
    TRANSPARENT: "transparent",
}

_STATUSES: Final = {
    0x02: "data false",
    0x03: "write error",
    0x04: "address error",
    0x05: "wrong transponder type",
    0x10: "memory failure",
    0x11: "parameter out of range",
    0x80: "unknown command",
    0x81: "length error",
    0x82: "command not available",
    0x83: "radio communication error",
    0x84: "radio warning",
    0x90: "buffer overflow",
    0x92: "no valid data",
    0x93: "buffer overflow",
    MORE_DATA: "more data",
    0x95: "error from the transponder",
}

_SHORT: Final = frozenset([0x52, 0x63, 0x69, 0x6A, 0x72, 0x81, 0x82, 0x83])
"""Commands whose answers are a status and no data: a longer one is a damaged length."""

# ASSUMED: 65535 is the protocol's limit; a whole inventory of 100 tags is about 1000 bytes.
MOST_BYTES = 1100


def frame(command: int, data: bytes = b"", *, to: int = BROADCAST) -> bytes:
    """Return the standard frame of a command."""
    return _closed(bytes([5 + len(data), to, command]) + data)


def advanced_frame(command: int, data: bytes = b"", *, to: int = BROADCAST) -> bytes:
    """Return the advanced frame of a command."""
    length = (7 + len(data)).to_bytes(2, "big")
    return _closed(bytes([ADVANCED]) + length + bytes([to, command]) + data)


def _closed(body: bytes) -> bytes:
    return body + crc16.mcrf4xx(body).to_bytes(2, "little")


def start_inventory(antenna: int | None = None) -> bytes:
    """Return the command that starts an inventory, where asked for on one antenna, 1 to 8."""
    if antenna is None:
        return frame(INVENTORY, b"\x01\x00")
    return frame(INVENTORY, bytes([0x01, ANTENNA, 1 << antenna - 1]))


def continue_inventory() -> bytes:
    """Return the command that asks for the rest after status 94."""
    return frame(INVENTORY, bytes([0x01, MORE]))


def select_channel(channel: int) -> bytes:
    """Return the command that has the first multiplexer connect a channel, 1 to 8, to its input.

    The multiplexer's command is flags 02, DD, FE, its address (0) and a channel for each of its two
    inputs. Mode 1 of BF is "read request". ASSUMED: that the length of the answer is told in bits
    (flags, status and CRC: 32), and that the two bytes behind it are 0.
    """
    return frame(TRANSPARENT, bytes([0x01, 0x00, 0x20, 0, 0, 0x02, 0xDD, 0xFE, 0, channel, 0]))


def get_version() -> bytes:
    """Return the command that asks for versions and type of the reader."""
    return frame(VERSION)


def get_device_id() -> bytes:
    """Return the command that asks for the four bytes that no other reader has."""
    return frame(INFORMATION, b"\x80")


def reset_radio() -> bytes:
    """Return the command that takes the field away for a moment, so that all tags start anew."""
    return frame(RADIO_RESET)


def reset() -> bytes:
    """Return the command that restarts the reader."""
    return frame(0x63)


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] == ADVANCED:
        if len(head) < 5:
            return NEEDS_MORE
        return _measure_body(head, head[1] << 8 | head[2], 3, direction)
    if len(head) < 3:
        return NEEDS_MORE if head[0] >= 5 else BAD_LENGTH
    return _measure_body(head, head[0], 1, direction)


def _measure_body(head: bytes, length: int, start: int, direction: Direction) -> Measure:
    """Judge by the length that the header claims; address and command begin at ``start``."""
    least = start + (5 if direction == "rx" else 4)
    most = least if direction == "rx" and head[start + 1] in _SHORT else MOST_BYTES
    if not least <= length <= most:
        return BAD_LENGTH
    if direction == "rx" and head[start] == BROADCAST:
        return NOT_A_HEAD
    return judged(head, length, _is_sound)


def _is_sound(data: bytes) -> bool:
    return crc16.mcrf4xx(data[:-2]) == data[-2] | data[-1] << 8


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    body = data[3:-2] if data[0] == ADVANCED else data[1:-2]
    command, rest = body[1], body[2:]
    name = NAMES.get(command, f"command {command:02X}")
    if direction == "tx":
        return Message(kind="command", name=name, data=rest)
    status, sets = rest[0], rest[1:]
    if command == INVENTORY and (status == OK or status in PARTIAL):
        return _read_inventory(status, sets)
    if status == OK:
        return Message(kind="answer", name=name, echoes=command, code=status, data=sets)
    if status == NO_TRANSPONDER:
        return Message(
            kind="answer", name=name, status="empty", echoes=command, code=status, data=sets
        )
    words = _STATUSES.get(status, "refused")
    return failed(name, f"{status:02X}: {words}", echoes=command, code=status, data=sets)


def _read_inventory(status: int, sets: bytes) -> Message:
    """Read ``n`` and n data sets, of either shape.

    An answer to B0 does not name its sub-command: what is no list with ISO 15693 cards is passed
    on as it stands. Cards of other types in a list are not read, so the list is not whole.
    """
    records = _split_plain(sets)
    if records is None:
        records = _split_with_antennas(sets)
    uids = tuple(uid_msb(uid) for kind, uid in records or () if kind == ISO15693)
    is_list = records is not None and bool(uids or not records)
    words = f"{status:02X}: {_STATUSES.get(status, 'more than can be read')}"
    if not is_list and status == OK:
        return Message(kind="answer", name="custom command", echoes=INVENTORY, data=sets)
    if not is_list or (status not in (OK, MORE_DATA) and not uids):
        return failed("inventory", words, echoes=INVENTORY, code=status, data=sets)
    is_complete = status == OK and len(uids) == len(records or ())
    whole: Status = "ok" if uids else "empty"
    return Message(
        kind="answer",
        name="inventory",
        status=whole if is_complete else "partial",
        is_complete=is_complete,
        uids=uids,
        error=None if is_complete else words,
        echoes=INVENTORY,
        code=status,
        data=sets,
    )


def _split_plain(sets: bytes) -> list[tuple[int, bytes]] | None:
    """Cut n times (TR-TYPE, DSFID, UID); None where that does not come out even."""
    if len(sets) % 10 != 1 or sets[0] != len(sets) // 10:
        return None
    return [(sets[at], sets[at + 2 : at + 10]) for at in range(1, len(sets), 10)]


def _split_with_antennas(sets: bytes) -> list[tuple[int, bytes]] | None:
    """Cut n times (flags, TR-TYPE, DSFID, length, UID, m, m times the 7 bytes of an antenna)."""
    records: list[tuple[int, bytes]] = []
    at = 1
    while at + 5 <= len(sets):
        end = at + 4 + sets[at + 3]
        records.append((sets[at + 1], sets[at + 4 : end]))
        at = end + 1 + 7 * sets[end] if end < len(sets) else len(sets) + 1
    return records if at == len(sets) and sets[0] == len(records) else None


FAMILY = Family(
    name="feig",
    baud=38400,
    parity="E",
    antennas=8,
    # ASSUMED: no public limit; what one standard frame carries, (255 - 7) / 10.
    max_tags=24,
    knows_complete=True,
    uid_order="msb",
    identity="device id of four bytes (command 66, mode 80)",
    # ASSUMED: an ISO 15693 inventory of 16 slots with repeats takes up to about 200 ms.
    timeout_ms=300,
    max_frame=MOST_BYTES,
    measure=measure,
    decode=decode,
)
