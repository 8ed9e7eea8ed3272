"""A simulated Eccel Pepper C1 or C1 MUX: the reader's side of the wire.

This is an encoder and decoder of its own; the bridge's is not used here, so that an error in
either shows when they meet. ``tests/hw_fixtures/test_simulated_pepper.py`` has the golden bytes.

Frame: ``F5 | LEN lo hi | ~LEN lo hi | payload | CRC lo hi``; LEN counts payload and CRC; the CRC
is CCITT-FALSE over the payload. An answer is ``00 cmd data``, an error ``FF cmd code``, an
unasked packet ``FE ...``. Nothing is escaped, nothing is numbered.

Known from public code, not from a captured wire:
    The answers of 90 and 91 (one UID, lowest byte first, DSFID, 1 where more cards are in range)
    and the error where no card answers: Eccel's own Arduino library, C1_Interface.cpp 1.0.
    02 tells of five tags at most, 90 and 91 go on to the last: comment in a public client.
    13 00 answers with the name that the reader was given: PyPI pepper-c1 0.2.0.
    FE 00 type param uid: eccel-dev/ha-pepper-c1 fake_reader.py.

Assumed, no public bytes show it:
    The order of the two bytes of an error code: low first in PyPI pepper-c1, which the derived
    vectors follow; Eccel's Arduino library takes them high first.
    What 03 says for an index that 02 did not count (error 21), that it keeps what 02 found when
    the antenna changes, that a restart selects antenna 1, and the text of the version.
    UIDs of 03 come highest byte first, as clients print them unturned.
    The times that commands take (``Timing``).
"""

import binascii
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from engine.cards import Tag
from hw_fixtures.devices.device import ISO15693, Reply, Timing

ACK, NOTICE, ERROR = 0x00, 0xFE, 0xFF
START = b"\xf5"

# Most tags that 02 counts: a user's comment in public client code; survey row 47.
MAX_COUNTED = 5

# "Invalid parameter supplied", "Command not supported", "No reply received": Eccel's
# C1_Interface.h 1.0.
BAD_PARAMETER, BAD_COMMAND, NO_REPLY = 0x21, 0x24, 0x01

# Type code of an ICODE SLIX2: PyPI pepper-c1 0.2.0, cli.py.
ICODE_SLIX2 = 0x27

BAUD = 115200

# The longest command that makes sense here; a longer one is noise to this reader.
MAX_COMMAND = 64


def encode(payload: bytes) -> bytes:
    """Wrap a payload in a frame."""
    length = len(payload) + 2
    return b"".join([
        START,
        length.to_bytes(2, "little"),
        (length ^ 0xFFFF).to_bytes(2, "little"),
        payload,
        binascii.crc_hqx(payload, 0xFFFF).to_bytes(2, "little"),
    ])  # fmt: skip


class CommandParser:
    """Finds the commands in what a host sends; what is no command is dropped byte by byte."""

    def __init__(self) -> None:
        self._buffer = b""
        self.dropped = 0
        """Bytes that belonged to no command."""

    def receive_data(self, data: bytes) -> list[bytes]:
        """Take the next bytes; return the payloads of the commands that they completed."""
        self._buffer += data
        found: list[bytes] = []
        while (size := self._measure()) is not None:
            head, self._buffer = self._buffer[: max(size, 1)], self._buffer[max(size, 1) :]
            if size:
                found.append(head[5:-2])
            else:
                self.dropped += 1
        return found

    def _measure(self) -> int | None:
        """Return the size of the frame at the head, 0 where none is, None where bytes lack."""
        head = self._buffer
        if head and head[:1] != START:
            return 0
        if len(head) < 5:
            return None
        length = int.from_bytes(head[1:3], "little")
        if length ^ int.from_bytes(head[3:5], "little") != 0xFFFF or not 3 <= length <= MAX_COMMAND:
            return 0
        if len(head) < 5 + length:
            return None
        payload, crc = head[5 : 3 + length], head[3 + length : 5 + length]
        fits = binascii.crc_hqx(payload, 0xFFFF) == int.from_bytes(crc, "little")
        return 5 + length if fits else 0


class PepperReader:
    """The reader's state and its answers; it knows nothing of ports, clocks or faults.

    Args:
        name: What the reader says when it is asked for its name.
        antennas: How many antennas can be selected.
        hear: Gives the tags that answer at an antenna, numbered from 1.
        timing: How long commands take.
    """

    def __init__(
        self,
        *,
        name: str,
        antennas: int,
        hear: Callable[[int], Sequence[Tag]],
        timing: Timing | None = None,
    ) -> None:
        self._name = name
        self._antennas = antennas
        self._hear = hear
        self.kind = ISO15693
        self.baud = self.offered_baud = BAUD
        # The restart takes about a second: comment on reboot in C1_Interface.cpp 1.0.
        self.timing = timing or Timing()
        self.restart()

    def restart(self) -> None:
        """Start anew, as after a power cut: antenna 1, nothing counted, not polling."""
        self.antenna = 1
        self.is_polling = False
        self._counted: tuple[Tag, ...] = ()
        self._inventory: tuple[Tag, ...] = ()
        self._parser = CommandParser()

    def receive_data(self, data: bytes) -> list[Reply]:
        """Take bytes from the host; return the answers to the commands that they completed."""
        commands = self._parser.receive_data(data)
        return [self._answer(command[0], command[1:]) for command in commands]

    def pause(self) -> None:
        """Keep a command that was begun: ASSUMED, nothing public says how long it waits."""

    def greet(self) -> list[Reply]:
        """Say nothing at a start."""
        return []

    def notices(self) -> list[Reply]:
        """Return the unasked packets of one polling round, one for each tag that answers."""
        if not self.is_polling:
            return []
        return [
            Reply(
                data=encode(bytes([NOTICE, 0x00]) + _card(tag)),
                work_ms=0.0,
                tags=(tag,),
                antenna=self.antenna,
            )
            for tag in self._hear(self.antenna)[:MAX_COUNTED]
        ]

    def _answer(self, command: int, params: bytes) -> Reply:
        act = self._ACTS.get(command)
        return self._error(command, BAD_COMMAND) if act is None else act(self, command, params)

    def _ack(self, command: int, data: bytes = b"", *, restarts: bool = False) -> Reply:
        return Reply(
            data=encode(bytes([ACK, command]) + data),
            work_ms=self.timing.command_ms,
            restarts=restarts,
        )

    def _error(self, command: int, code: int, work_ms: float | None = None) -> Reply:
        return Reply(
            data=encode(bytes([ERROR, command]) + code.to_bytes(2, "little")),
            work_ms=self.timing.command_ms if work_ms is None else work_ms,
        )

    def _acknowledge(self, command: int, params: bytes) -> Reply:
        return self._ack(command)

    def _count(self, command: int, params: bytes) -> Reply:
        self._counted = tuple(self._hear(self.antenna)[:MAX_COUNTED])
        return Reply(
            data=encode(bytes([ACK, command, len(self._counted)])),
            work_ms=self.timing.discovery_ms + len(self._counted) * self.timing.tag_ms,
            is_inventory=True,
        )

    def _tell_uid(self, command: int, params: bytes) -> Reply:
        if len(params) != 1 or params[0] >= len(self._counted):
            return self._error(command, BAD_PARAMETER)
        tag = self._counted[params[0]]
        return Reply(
            data=encode(bytes([ACK, command]) + _card(tag)),
            work_ms=self.timing.command_ms,
            tags=(tag,),
            antenna=self.antenna,
        )

    def _poll(self, command: int, params: bytes) -> Reply:
        if params not in {b"\x00", b"\x01"}:
            return self._error(command, BAD_PARAMETER)
        self.is_polling = params == b"\x01"
        return self._ack(command)

    def _reboot(self, command: int, params: bytes) -> Reply:
        return self._ack(command, restarts=True)

    def _version(self, command: int, params: bytes) -> Reply:
        return self._ack(command, f"2.56 {self._name}".encode() + b"\x00")

    def _select(self, command: int, params: bytes) -> Reply:
        if len(params) != 1 or not 1 <= params[0] <= self._antennas:
            return self._error(command, BAD_PARAMETER)
        self.antenna = params[0]
        return self._ack(command)

    def _settings(self, command: int, params: bytes) -> Reply:
        if params != b"\x00":
            return self._error(command, BAD_PARAMETER)
        name = self._name.encode()
        return self._ack(command, bytes([0x00, 0x00, 0x00, len(name)]) + name)

    def _start_inventory(self, command: int, params: bytes) -> Reply:
        self._inventory = tuple(self._hear(self.antenna))
        return self._next_card(command, self.timing.discovery_ms)

    def _go_on(self, command: int, params: bytes) -> Reply:
        return self._next_card(command, 0.0)

    def _next_card(self, command: int, work_ms: float) -> Reply:
        if not self._inventory:
            return self._error(command, NO_REPLY, work_ms or self.timing.command_ms)
        tag, *rest = self._inventory
        self._inventory = tuple(rest)
        uid = bytes.fromhex(tag)[::-1]
        return Reply(
            data=encode(bytes([ACK, command]) + uid + bytes([0x00, bool(rest)])),
            work_ms=work_ms + self.timing.tag_ms,
            tags=(tag,),
            antenna=self.antenna,
            is_inventory=True,
        )

    _ACTS: ClassVar[dict[int, Callable[[Any, int, bytes], Reply]]] = {
        0x01: _acknowledge,
        0x02: _count,
        0x03: _tell_uid,
        0x04: _acknowledge,
        0x05: _acknowledge,
        0x06: _poll,
        0x0A: _reboot,
        0x0B: _version,
        0x0F: _select,
        0x13: _settings,
        0x16: _acknowledge,
        0x90: _start_inventory,
        0x91: _go_on,
    }


def _card(tag: Tag) -> bytes:
    """Return type, parameter (the DSFID of an ICODE) and UID, highest byte first."""
    return bytes([ICODE_SLIX2, 0x00]) + bytes.fromhex(tag)
