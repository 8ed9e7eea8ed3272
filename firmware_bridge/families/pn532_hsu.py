"""NXP PN532 on its high-speed UART: two ISO 14443 targets at most, a cut-card pad or one seat.

``00 00 FF LEN LCS TFI data DCS 00``: LEN and LCS sum to 0, so do TFI to DCS; TFI is D4 to the chip
and D5 from it. Extended: ``FF FF LEN hi LEN lo LCS`` in place of LEN and LCS. ACK and NAK are
frames of their own. The outer bytes of 00 are idle line and may be missing: the start code
``00 FF`` is hunted for, never expected at a place.

Source: rfid/protocols 2.5, rfid/vectors (NXP's frame rule as in nfcpy).
"""

from typing import Final

from firmware_bridge.families.family import (
    BAD_CHECKSUM,
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    failed,
    uid_lsb,
    uid_msb,
)

TO_CHIP, FROM_CHIP, ERROR = 0xD4, 0xD5, 0x7F
LIST_TARGETS, EXCHANGE, THROUGH = 0x4A, 0x40, 0x42
LINE_TEST, VERSION, SAM, RADIO = 0x00, 0x02, 0x14, 0x32

# The chip's limit: TFI and 264 bytes.
MOST_DATA = 265

NAMES: Final = {
    LINE_TEST: "line test",
    VERSION: "version",
    0x04: "status",
    0x10: "serial baud",
    SAM: "sam configuration",
    0x16: "power down",
    RADIO: "radio",
    EXCHANGE: "exchange",
    THROUGH: "transparent",
    0x44: "deselect",
    LIST_TARGETS: "inventory",
    0x52: "release",
    0x54: "select",
    0x60: "poll",
}

_HAS_STATUS: Final = frozenset([EXCHANGE, THROUGH, 0x44, 0x52, 0x54])
"""Commands whose answers begin with a status byte; its six low bits are the error."""

ACK, NAK, EXTENDED = b"\x00\xff", b"\xff\x00", b"\xff\xff"
# Source: ISO/IEC 14443-3: single, double and triple size.
UID_LENGTHS = (4, 7, 10)
WAKE_UP: Final = b"\x55\x55" + bytes(14)
"""What wakes a chip that sleeps; noise to its framer."""


def frame(command: int, data: bytes = b"") -> bytes:
    """Return the frame that carries a command, extended where it is long."""
    body = bytes([TO_CHIP, command]) + data
    if len(body) < 256:
        header = bytes([len(body), -len(body) & 0xFF])
    else:
        high, low = len(body) >> 8, len(body) & 0xFF
        header = bytes([0xFF, 0xFF, high, low, -(high + low) & 0xFF])
    return b"\x00\x00\xff" + header + body + bytes([-sum(body) & 0xFF, 0])


def acknowledge() -> bytes:
    """Return the host's ACK, which also aborts the command under way."""
    return b"\x00\x00\xff" + ACK + b"\x00"


def get_version() -> bytes:
    """Return the command that asks for the chip's type and firmware version."""
    return frame(VERSION)


def configure_sam() -> bytes:
    """Return the command that puts the chip in normal mode; the first one after waking it."""
    return frame(SAM, b"\x01\x00\x00")


def list_targets(most: int = 1) -> bytes:
    """Return the command that looks for one or two ISO 14443-A cards."""
    return frame(LIST_TARGETS, bytes([most, 0x00]))


def release_targets() -> bytes:
    """Return the command that lets all cards go, so that the next look finds them again."""
    return frame(0x44, b"\x00")


def radio_off() -> bytes:
    """Return the command that switches the field off."""
    return frame(RADIO, b"\x01\x00")


def limit_retries() -> bytes:
    """Return the command that has the chip look twice for a card, and not until one comes.

    Source: setPassiveActivationRetries in Adafruit's PN532 library; the first two are defaults.
    """
    return frame(RADIO, b"\x05\xff\x01\x02")


def test_line(token: bytes) -> bytes:
    """Return the command whose answer repeats it: nothing else can be taken for that."""
    return frame(LINE_TEST, b"\x00" + token)


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    at = _after_start(head)
    if at == 0:
        return NOT_A_HEAD
    code = head[at : at + 2]
    if len(code) < 2:
        return NEEDS_MORE
    if code in (ACK, NAK):
        return _closed(head, at + 2)
    if code != EXTENDED:
        return _measure_data(head, at + 2, code[0], sum(code), direction)
    header = head[at + 2 : at + 5]
    if len(header) < 3:
        return NEEDS_MORE
    return _measure_data(head, at + 5, header[0] << 8 | header[1], sum(header), direction)


def _after_start(head: bytes) -> int:
    """Return where the start code ends, or would end where it is cut off; 0 where none stands."""
    for start in (b"\x00\xff", b"\x00\x00\xff"):
        if start.startswith(head[: len(start)]):
            return len(start)
    return 0


def _measure_data(head: bytes, at: int, length: int, check: int, direction: Direction) -> Measure:
    """Judge TFI, data and DCS, from ``at`` on; ``check`` is the sum of length and LCS."""
    if check & 0xFF or not 1 <= length <= MOST_DATA:
        return BAD_LENGTH
    tfi = head[at : at + 1]
    is_ours = tfi[0] == (FROM_CHIP if direction == "rx" else TO_CHIP) if tfi else True
    if not is_ours and not (length == 1 and tfi[0] == ERROR):
        return NOT_A_HEAD
    end = at + length + 1
    if len(head) < end:
        return NEEDS_MORE
    return BAD_CHECKSUM if sum(head[at:end]) & 0xFF else _closed(head, end)


def _closed(head: bytes, end: int) -> Measure:
    """Take the postamble along where it stands; a frame without one is whole too."""
    if len(head) == end:
        return Measure(length=end, needs_more=True)
    return Measure(length=end + (head[end] == 0))


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    at = data.index(0xFF, 1) + 1
    code = data[at : at + 2]
    if code == ACK:
        return Message(kind="command" if direction == "tx" else "notice", name="ack")
    if code == NAK:
        return failed("nak", "the frame was not understood", kind="notice")
    body = data[at + 2 : at + 2 + code[0]]
    if code == EXTENDED:
        body = data[at + 5 : at + 5 + (data[at + 2] << 8 | data[at + 3])]
    if body[0] == ERROR:
        return failed("error", "7F: application error")
    if len(body) < 2:
        return failed("unknown", "the frame names no command")
    return _read_command(body) if direction == "tx" else _read_answer(body[1] - 1, body[2:])


def _name(command: int) -> str:
    return NAMES.get(command, f"command {command & 0xFF:02X}")


def _read_command(body: bytes) -> Message:
    """Read a command; a request sent through the chip may name the ISO 15693 tag it is for."""
    command, rest = body[1], body[2:]
    end = rest.find(0xE0, 8) + 1 if command == THROUGH else 0
    uids = (uid_lsb(rest[end - 8 : end]),) if end else ()
    return Message(kind="command", name=_name(command), uids=uids, data=rest)


def _read_answer(command: int, rest: bytes) -> Message:
    """Read an answer; its code is the command's plus one."""
    name = _name(command)
    if command == LIST_TARGETS:
        return _read_targets(rest)
    if command in _HAS_STATUS and rest and rest[0] & 0x3F:
        return failed(name, f"{rest[0] & 0x3F:02X}: refused", echoes=command, data=rest)
    return Message(kind="answer", name=name, echoes=command, data=rest)


def _read_targets(rest: bytes) -> Message:
    """Read the count and as many targets; targets that are no ISO 14443-A are not read."""
    count = rest[0] if rest else 0
    uids = _split_targets(rest[1:])
    if not rest or len(uids) != count:
        return failed("inventory", "targets of an unknown kind", echoes=LIST_TARGETS, data=rest)
    return Message(
        kind="answer",
        name="inventory",
        status="ok" if uids else "empty",
        uids=uids,
        echoes=LIST_TARGETS,
        data=rest,
    )


def _split_targets(targets: bytes) -> tuple[str, ...]:
    """Cut (number, SENS_RES, SEL_RES, length, UID, an ATS where SEL_RES says so), n times."""
    uids: list[str] = []
    at = 0
    while at + 5 <= len(targets):
        has_ats, length = targets[at + 3] & 0x20, targets[at + 4]
        end = at + 5 + length
        if length not in UID_LENGTHS or end > len(targets):
            return ()
        uids.append(uid_msb(targets[at + 5 : end]))
        at = end + (targets[end] if has_ats and end < len(targets) else 0)
    return tuple(uids) if at == len(targets) else ()


FAMILY = Family(
    name="pn532_hsu",
    baud=115200,
    antennas=1,
    max_tags=2,
    # It says how many there are where that is fewer than it was asked for.
    knows_complete=True,
    uid_order="msb",
    identity="chip type and firmware version (command 02)",
    # Source: nfcpy waits 1.5 s for the ACK on a Raspberry Pi's ttyUSB; 100 ms is the rule.
    timeout_ms=1500,
    # Preamble and start code, extended header, data, DCS, postamble.
    max_frame=3 + 5 + MOST_DATA + 2,
    measure=measure,
    decode=decode,
)
