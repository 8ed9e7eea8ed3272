"""A shoe that says cards as text: one code a line, from a serial port or a keyboard wedge.

No casino shoe's protocol is public and none is claimed. What a code means stands in a map file: a
code says a face and not which physical card bears it, so a message has no UID but the code as its
data.
"""

from typing import Final

from engine.cards import Card, is_card_code
from engine.errors import Fault
from firmware_bridge.errors import RegisterError
from firmware_bridge.families.family import (
    BAD_LENGTH,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
)

# ASSUMED: barcode scanners send more, card codes do not.
MOST_CODE = 64

_ENDS = b"\r\n"
_PRINTABLE: Final = frozenset(range(0x20, 0x7F))


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer: a line, or the second byte of a line's end."""
    if direction == "tx":
        return NOT_A_HEAD
    if head[0] in _ENDS:
        return Measure(length=1)
    end = next((at for at, byte in enumerate(head) if byte not in _PRINTABLE), None)
    if end is None:
        return NEEDS_MORE if len(head) <= MOST_CODE else BAD_LENGTH
    if head[end] not in _ENDS:
        return NOT_A_HEAD
    return Measure(length=end + 1) if end <= MOST_CODE else BAD_LENGTH


def decode(data: bytes, direction: Direction) -> Message:
    """Read one line."""
    code = data[:-1].strip()
    return Message(kind="notice", name="code" if code else "line end", data=code)


def read_code_map(text: str, *, file: str) -> dict[str, Card]:
    """Read a map file: a code and a card a line, divided by blanks; ``#`` begins a comment.

    Args:
        text: The text of the file, for instance ``"3020 2c"``.
        file: Its name, for errors.

    Returns:
        The card of each code.

    Raises:
        RegisterError: If a line cannot be read or a code stands twice, with every such line.
    """
    faces: dict[str, Card] = {}
    faults: list[Fault] = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not is_card_code(words[1]):
            faults.append(Fault(file, number, "", repr(raw.strip()), "a code and a card"))
        elif words[0] in faces:
            faults.append(Fault(file, number, words[0], "the code twice", "each code once"))
        else:
            faces[words[0]] = Card(words[1])
    if faults:
        raise RegisterError(faults)
    return faces


FAMILY = Family(
    name="code_shoe",
    baud=9600,
    antennas=1,
    max_tags=1,
    knows_complete=False,
    uid_order="msb",
    identity="none",
    # Never asked.
    timeout_ms=1000,
    max_frame=MOST_CODE + 1,
    measure=measure,
    decode=decode,
)
