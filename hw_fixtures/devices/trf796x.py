"""A simulated TI TRF796x board (EVM, DLP-RFID): text in both directions.

A command is hex text without an end mark: ``01 LEN 00 03 04 CMD ... 00 00``; LEN counts all bytes.
An answer is a line that says what is done, a line in brackets for each slot and an empty line:
``[uid,rssi]`` is a tag, ``[,40]`` an empty slot, ``[,z]`` a collision.

Known from the vectors and from TI's own firmware as it is public (host.c, iso15693.c, 2010 to
2013): what each command says, FE, FF, the slots in the order of the UIDs' lowest four bits, that
each collided slot is asked anew with four bits more, the last first, the empty line at the end.

Assumed:
    UIDs last byte first, as the vectors have them; one public firmware prints them the other way.
    A tag that was heard and not read is one more collision, in a slot of its own where one is free.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from engine.cards import Tag
from hw_fixtures.devices import iso15693
from hw_fixtures.devices.device import FramedDevice, Reply, Timing

CRLF = "\r\n"
SLOTS = 16
ONE_SLOT = 0x20
EMPTY, COLLIDED = "[,40]", "[,z]"
RSSI = "7F"
MOST_TEXT = 128
HEX = frozenset(b"0123456789ABCDEFabcdef")
INVENTORY, REQUEST, RESET, REVISION = 0x14, 0x18, 0x17, 0xFE
STAY_QUIET = 0x02

SAYINGS: dict[int, str] = {
    0x10: "Register write request.\r\n",
    0x11: "Continous write request.\r\n",
    0x15: "Direct command.\r\n",
    0x16: "RAW mode.\r\n",
    RESET: "MCU reset.\r\n",
    0xA0: "14443A REQA.\r\n",
    0xB0: "14443B REQB.\r\n",
    0xF0: "AGC Toggle",
    0xF1: "AM PM Toggle",
    0xFF: "TRF7970A EVM \r\n",
}
"""What is said of commands that need no tag; the firmware spells them so."""


def encode(lines: str) -> bytes:
    """Return what is said to one command, and the empty line that ends it."""
    return f"{lines}{CRLF}".encode("ascii")


def tell_slots(tags: Sequence[Tag], *, is_one_slot: bool = False, depth: int = 0) -> list[str]:
    """Return a line for each slot of a round, and those of the rounds that resolve collisions.

    Args:
        tags: The tags that take part.
        is_one_slot: Whether all of them answer at once; then nothing is resolved.
        depth: How many nibbles of the UID are settled, from its end.
    """
    if is_one_slot:
        return [_slot(tags)]
    nibble = -1 - depth
    slots = [[tag for tag in tags if int(tag[nibble], 16) == slot] for slot in range(SLOTS)]
    lines = [_slot(slot) for slot in slots]
    for slot in reversed(slots):
        if len(slot) > 1:
            lines += tell_slots(slot, depth=depth + 1)
    return lines


def _slot(tags: Sequence[Tag]) -> str:
    if len(tags) > 1:
        return COLLIDED
    return f"[{bytes.fromhex(tags[0])[::-1].hex().upper()},{RSSI}]" if tags else EMPTY


class Trf796x(FramedDevice):
    """The state of a board and its answers; its name is its firmware's, as FE tells it."""

    TIMING: ClassVar[Timing] = Timing(discovery_ms=90.0)

    def restart(self) -> None:
        """Start anew: no tag is silenced."""
        super().restart()
        self._quiet: set[Tag] = set()

    @staticmethod
    def measure(head: bytes) -> int | None:
        """Measure a command by the length in its second byte; its end is no mark."""
        if not b"01".startswith(head[:2]):
            return 0
        if len(head) < 4:
            return None if HEX.issuperset(head) else 0
        if not HEX.issuperset(head[:4]):
            return 0
        size = 2 * int(head[2:4], 16)
        if not 16 <= size <= MOST_TEXT or not HEX.issuperset(head[:size]):
            return 0
        if len(head) < size:
            return None
        return size if head[4:10] == b"000304" and head[size - 4 : size] == b"0000" else 0

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a command."""
        body = bytes.fromhex(frame.decode("ascii"))
        command, params = body[5], body[6:-2]
        act = self._ACTS.get(command)
        if act is not None:
            return [act(self, params)]
        if command == 0x10:
            self._quiet.clear()
        return [self._say(encode(SAYINGS.get(command, "")), restarts=command == RESET)]

    def _tell_revision(self, params: bytes) -> Reply:
        return self._say(encode(f"{self._name} {CRLF}"))

    def _inventory(self, params: bytes) -> Reply:
        heard = self._look([1])
        tags = [tag for tag in heard.tags if tag not in self._quiet]
        lines = tell_slots(tags, is_one_slot=bool(params[:1] and params[0] & ONE_SLOT))
        if not heard.is_whole:
            lines[lines.index(EMPTY) if EMPTY in lines else 0] = COLLIDED
        told = [tag for tag in tags if any(_slot([tag]) == line for line in lines)]
        text = "ISO 15693 Inventory request.\r\n" + "".join(f"{line}{CRLF}" for line in lines)
        return self._tell(encode(text), told)

    def _request(self, params: bytes) -> Reply:
        tags = self._look([1]).tags
        if len(params) >= 10 and params[1] == STAY_QUIET:
            self._quiet.add(Tag(params[2:10][::-1].hex().upper()))
        said = iso15693.answer([tag for tag in tags if tag not in self._quiet], params)
        is_heard = "" if said is None else said.hex().upper()
        return self._say(encode(f"Request mode.{CRLF}[{is_heard}]"))

    _ACTS: ClassVar[dict[int, Callable[[Any, bytes], Reply]]] = {
        INVENTORY: _inventory,
        REQUEST: _request,
        REVISION: _tell_revision,
    }
