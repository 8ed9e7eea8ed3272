"""R200, M100, YRM100: UHF modules for discard rack and pack check.

``BB type CMD PL hi lo params sum 7E``: type 00 is a command, 01 an answer, 02 a notice; the sum is
that of all bytes from type to params. Nothing is escaped, BB and 7E occur in payloads: a frame ends
by its length and sum alone. Each tag of an inventory comes as a notice; a refusal has the command
FF. Code 15 means "no tag" and "a tag's checksum was wrong" alike: no proof of an empty field.

Source: rfid/protocols 2.7, rfid/vectors.
"""

from typing import Final

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
    uid_msb,
)

START, END = 0xBB, 0x7E
INFORMATION, REGION = 0x03, 0x07
SINGLE, MULTI, STOP, REFUSED = 0x22, 0x27, 0x28, 0xFF
NO_TAG = 0x15

NAMES: Final = {
    INFORMATION: "information",
    REGION: "region",
    0x08: "read region",
    SINGLE: "inventory",
    MULTI: "inventory",
    STOP: "stop",
    0x39: "read",
    0x49: "write",
    0xB6: "power",
    0xB7: "read power",
    REFUSED: "refusal",
}

_ERRORS: Final = {
    0x09: "read failed",
    0x10: "write failed",
    NO_TAG: "no tag, or a tag's checksum was wrong",
    0x16: "wrong password",
    0x17: "unknown command",
}

# ASSUMED: a notice has 17 bytes of parameters, a read of 32 words 80.
MOST_PARAMS = 256

_MOST: Final = {("tx", SINGLE): 0, ("tx", STOP): 0, ("tx", MULTI): 3, ("rx", SINGLE): 67}
"""Most parameter bytes where they are known: the longest EPC has 62 bytes."""


def frame(command: int, params: bytes = b"") -> bytes:
    """Return the frame that carries a command."""
    body = bytes([0x00, command]) + len(params).to_bytes(2, "big") + params
    return bytes([START]) + body + bytes([sum(body) & 0xFF, END])


def get_information() -> bytes:
    """Return the command that asks for the module's hardware, as text."""
    return frame(INFORMATION, b"\x00")


def poll_once() -> bytes:
    """Return the command that asks for one round of inventory."""
    return frame(SINGLE)


def poll_many(rounds: int) -> bytes:
    """Return the command that asks for up to 65535 rounds; notices come until it is stopped."""
    return frame(MULTI, bytes([SINGLE]) + rounds.to_bytes(2, "big"))


def stop() -> bytes:
    """Return the command that ends polling; notices under way may still come after its answer."""
    return frame(STOP)


def set_power(centi_dbm: int) -> bytes:
    """Return the command that sets the transmit power, in hundredths of a dBm."""
    return frame(0xB6, centi_dbm.to_bytes(2, "big"))


def set_region(region: int) -> bytes:
    """Return the command that sets the radio region; 03 is Europe."""
    return frame(REGION, bytes([region]))


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] != START:
        return NOT_A_HEAD
    if len(head) < 2:
        return NEEDS_MORE
    if head[1] not in ((1, 2) if direction == "rx" else (0,)):
        return NOT_A_HEAD
    if len(head) < 5:
        return NEEDS_MORE
    params = head[3] << 8 | head[4]
    if params > _MOST.get((direction, head[2]), MOST_PARAMS):
        return BAD_LENGTH
    return judged(head, 7 + params, _is_sound)


def _is_sound(data: bytes) -> bool:
    return data[-1] == END and sum(data[1:-2]) & 0xFF == data[-2]


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    command, params = data[2], data[5:-2]
    name = NAMES.get(command, f"command {command:02X}")
    if direction == "tx":
        return Message(kind="command", name=name, data=params)
    if command == REFUSED:
        code = params[0] if params else 0
        words = _ERRORS.get(code, "refused")
        return failed(name, f"{code:02X}: {words}", code=code, data=params)
    # RSSI, PC word, EPC, CRC of the tag.
    is_tag = command == SINGLE and len(params) >= 7
    return Message(
        kind="notice" if data[1] == 2 else "answer",
        name=name,
        uids=(uid_msb(params[3:-2]),) if is_tag else (),
        echoes=command,
        data=params,
    )


FAMILY = Family(
    name="r200",
    baud=115200,
    antennas=1,
    # ASSUMED: each tag is a notice of its own; 200 is what a round of a second can carry.
    max_tags=200,
    knows_complete=False,
    uid_order="msb",
    identity="hardware, software and maker as text (command 03)",
    # ASSUMED: no manual at hand; an answer within this at 115200 baud.
    timeout_ms=300,
    max_frame=7 + MOST_PARAMS,
    reads_to_trust=2,
    measure=measure,
    decode=decode,
)
