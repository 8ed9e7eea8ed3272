"""A simulated Metratec HF reader of the first generation: lines of ASCII text.

A line ends in CR; in ``EOF`` mode LF follows each answer. In CRC mode each line ends in a blank and
CRC-16/MCRF4XX over line and blank, as four hex digits, high byte first. An inventory is told as UID
lines, ``ARP nn`` (the antenna, where that is wanted) and ``IVF nn``, the number found.

Known from metratec/rfid-sdk-python (read, not used) and the vectors: the commands, BRA and NCM,
DNS, CCE, ``OK!``, UCO, UPA, NOS, TNR, the inventory, the answer to a request, ``SRT`` and ``RNW``
after a restart, HBT.

Assumed, no public bytes show it:
    That a reader says ``SRT`` when it has started, and ``RNW`` instead of an inventory until SRI
    has set up its radio.
    That a tag that was heard and not read is counted by IVF, and that ``INV SSL`` says ``CDT``
    where several tags answer.
    That the UID of a request stands first byte first, as the maker's SDK puts it in.
    That antennas count from 1, that an automatic multiplexer moves on after each inventory, that
    answers bear a CRC when commands must, that CON switches it on (the survey names CCE, which the
    maker's SDK takes for the refusal of a wrong checksum).
"""

import re
from collections.abc import Callable
from typing import Any, ClassVar

from fastcrc import crc16

from engine.cards import Tag
from hw_fixtures.devices import iso15693
from hw_fixtures.devices.device import FramedDevice, Heard, Reply, Timing

CR, LF = b"\r", b"\n"
MOST_LINE = 300
OK, UNKNOWN, BAD_PARAMETER, NO_SUPPORT = "OK!", "UCO", "UPA", "NOS"
NOT_SET_UP, STARTED, BAD_CHECKSUM, COLLISION = "RNW", "SRT", "CCE", "CDT"
TAG_SILENT = "TNR"
RADIO = re.compile(r"(SS|DS) (10|100)|OFF|TIM \d+")
MODES = frozenset(["156", "14A", "14B"])


def checksum(line: str) -> str:
    """Return what closes a line in CRC mode: a blank and the CRC over line and blank."""
    return f" {crc16.mcrf4xx(f'{line} '.encode()):04X}"


def encode(lines: list[str], *, has_crc: bool = False, has_end: bool = False) -> bytes:
    """Return the lines of one answer as they are sent."""
    closed = [f"{line}{checksum(line) if has_crc else ''}\r" for line in lines]
    return "".join(closed).encode("ascii") + (LF if has_end else b"")


def measure_line(head: bytes) -> int | None:
    """Measure a line up to its CR; what cannot be printed belongs to none."""
    end = head.find(CR)
    text = head if end < 0 else head[:end]
    if not 0x20 <= head[0] < 0x7F or len(text) > MOST_LINE:
        return 0
    if not text.isascii() or not text.decode("ascii").isprintable():
        return 0
    return None if end < 0 else end + 1


class MetratecReader(FramedDevice):
    """The state of a first-generation reader and its answers; its name has up to 15 characters."""

    TIMING: ClassVar[Timing] = Timing(discovery_ms=15.0, tag_ms=8.0)

    measure = staticmethod(measure_line)

    def restart(self) -> None:
        """Start anew: no radio, no CRC, no end mark, antenna 1 by hand."""
        super().restart()
        self._has_crc = self._has_end = self._has_radio = self._reports_antenna = False
        self._automatic = 0
        self._continuous = ""
        self._beat_s = self._ticks = 0
        self._known: set[Tag] = set()

    def greet(self) -> list[Reply]:
        """Say that the reader has started and lost its settings."""
        return [self._lines([STARTED])]

    def obey(self, frame: bytes) -> list[Reply]:
        """Carry out a line."""
        line = frame[:-1].decode("ascii")
        if self._has_crc:
            text = line[:-5]
            if line != text + checksum(text):
                return [self._lines([BAD_CHECKSUM])]
            line = text
        command, _, params = line.partition(" ")
        act = self._ACTS.get(command)
        return [act(self, params) if act else self._lines([UNKNOWN])]

    def notices(self) -> list[Reply]:
        """Tell an inventory while they go on for ever, and beat the heart."""
        said: list[Reply] = []
        self._ticks += 1
        if self._continuous:
            said.append(self._inventory(self._continuous))
        if self._beat_s and self._ticks % (10 * self._beat_s) == 0:
            said.append(self._lines(["HBT"]))
        return said

    def _lines(self, lines: list[str], *, restarts: bool = False) -> Reply:
        return self._say(self._encoded(lines), restarts=restarts)

    def _encoded(self, lines: list[str]) -> bytes:
        return encode(lines, has_crc=self._has_crc, has_end=self._has_end)

    def _stop(self, params: str) -> Reply:
        said = "BRA" if self._continuous else "NCM"
        self._continuous = ""
        self.is_polling = self._beat_s > 0
        return self._lines([said])

    def _wake(self, params: str) -> Reply:
        return self._lines(["DNS"])

    def _reset(self, params: str) -> Reply:
        return self._lines([OK], restarts=True)

    def _revision(self, params: str) -> Reply:
        return self._lines([f"{self._name:<15}01000218"])

    def _mark_ends(self, params: str) -> Reply:
        self._has_end = True
        return self._lines([OK])

    def _begin_crc(self, params: str) -> Reply:
        answer = self._lines([OK])
        self._has_crc = True
        return answer

    def _end_crc(self, params: str) -> Reply:
        self._has_crc = False
        return self._lines([OK])

    def _set_radio(self, params: str) -> Reply:
        if not RADIO.fullmatch(params):
            return self._lines([BAD_PARAMETER])
        self._has_radio = params != "OFF"
        self._known.clear()
        return self._lines([OK])

    def _set_mode(self, params: str) -> Reply:
        return self._lines([OK if params in MODES else BAD_PARAMETER])

    def _set_antenna(self, params: str) -> Reply:
        if self._antennas == 1:
            return self._lines([NO_SUPPORT])
        match params.split():
            case ["MAN", number] if number.isdecimal() and 1 <= int(number) <= self._antennas:
                self.antenna, self._automatic = int(number), 0
            case ["AUT", count, *_] if count.isdecimal() and 1 <= int(count) <= self._antennas:
                self.antenna, self._automatic = 1, int(count)
            case ["ARP", "ON" | "OFF" as switch]:
                self._reports_antenna = switch == "ON"
            case _:
                return self._lines([BAD_PARAMETER])
        self._known.clear()
        return self._lines([OK])

    def _set_power(self, params: str) -> Reply:
        word, _, value = params.partition(" ")
        return self._lines([OK if word == "PWR" and value.isdecimal() else BAD_PARAMETER])

    def _set_heartbeat(self, params: str) -> Reply:
        if not params.isdecimal():
            return self._lines([BAD_PARAMETER])
        self._beat_s = int(params)
        self.is_polling = bool(self._beat_s or self._continuous)
        return self._lines([OK])

    def _go_on(self, params: str) -> Reply:
        command, _, rest = params.partition(" ")
        if command != "INV":
            return self._lines([BAD_PARAMETER])
        self._continuous = f"{rest} "  # never empty
        self.is_polling = True
        return self._inventory(rest)

    def _inventory(self, params: str) -> Reply:
        if not self._has_radio:
            return self._lines([NOT_SET_UP])
        words = params.split()
        heard = self._look([self.antenna])
        if "SSL" in words and len(heard.tags) > 1:
            return self._tell(self._encoded([COLLISION]), [])
        if "ONT" in words:
            heard = Heard(tuple(t for t in heard.tags if t not in self._known), heard.is_whole)
            self._known.update(heard.tags)
        lines: list[str] = [*heard.tags]
        if self._reports_antenna:
            lines.append(f"ARP {self.antenna:02}")
        lines.append(f"IVF {len(heard.tags) + (not heard.is_whole):02}")
        reply = self._tell(self._encoded(lines), heard.tags)
        if self._automatic:
            self.antenna = self.antenna % self._automatic + 1
        return reply

    def _request(self, params: str) -> Reply:
        """Pass a request on to a tag: ``REQ <hex> [CRC]``; its UID stands first byte first."""
        if not self._has_radio:
            return self._lines([NOT_SET_UP])
        text = params.partition(" ")[0]
        if not re.fullmatch("([0-9A-F]{2})+", text):
            return self._lines([BAD_PARAMETER])
        request = iso15693.turn_uid(bytes.fromhex(text))
        said = iso15693.answer(self._look([self.antenna]).tags, request)
        if said is None:
            return self._lines([TAG_SILENT])
        sealed = said + crc16.ibm_sdlc(said).to_bytes(2, "little")
        return self._lines(["TDT", sealed.hex().upper(), "COK", "NCL"])

    _ACTS: ClassVar[dict[str, Callable[[Any, str], Reply]]] = {
        "BRK": _stop,
        "WAK": _wake,
        "RST": _reset,
        "REV": _revision,
        "EOF": _mark_ends,
        "CON": _begin_crc,
        "COF": _end_crc,
        "SRI": _set_radio,
        "MOD": _set_mode,
        "SAP": _set_antenna,
        "SET": _set_power,
        "HBT": _set_heartbeat,
        "CNR": _go_on,
        "INV": _inventory,
        "REQ": _request,
        "WRQ": _request,
    }
