"""Metratec HF readers (QuasarMX and LR, DeskID ISO, QR): lines of text, in two generations.

ASCII: a line ends with CR; ``EOF`` mode adds LF after an answer. An inventory is UID lines, perhaps
``ARP nn`` (the antenna), and ``IVF nn``, the number found: the check on the lines before it. A read
is ``TDT``, the data, ``COK`` or ``CER``, ``NCL`` or ``CDT``. ``SRT`` and ``RNW`` say that the
reader restarted and lost its settings. In CRC mode each line ends in a blank and CRC-16/MCRF4XX
over line and blank, as four hex digits, high byte first.

AT: ``+INV: uid`` lines closed by ``OK`` or ``ERROR``, ``+CINV: uid`` notices. Lines may end in CR,
LF or both.

An answer is one frame, however many lines it has; where its closing line is missing, it ends where
something else or silence follows, and is partial. Without the CRC mode the wire has no checksum: a
tag counts only when it is read twice.

Source: rfid/protocols 2.2; metratec/rfid-sdk-python, read, not used.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from fastcrc import crc16

from firmware_bridge.families.family import (
    BAD_CHECKSUM,
    NEEDS_MORE,
    NOT_A_HEAD,
    Direction,
    Family,
    Measure,
    Message,
    Status,
    failed,
)

# ASSUMED: a read of 32 blocks is 270 characters long.
MOST_LINE = 300

_ENDS, _LF = b"\r\n", 0x0A
_LINE = re.compile(rb"[\r\n]*([ -~]{1,%d})[\r\n]" % MOST_LINE)
_BEGUN = re.compile(rb"[\r\n]*[ -~]{0,%d}" % MOST_LINE)
"""A line that may still be ended by the bytes to come."""

# 16 digits for ISO 15693, 8, 14 or 20 for ISO 14443, which the AT generation reads too.
_UID = re.compile(r"[0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{16}|[0-9A-F]{20}")

_DONE: Final = {
    "BRA": "stopped",
    "NCM": "nothing to stop",
    "GMO": "awake",
    "DNS": "not asleep",
    "OK!": "done",
    "LOW": "input",
    "HI!": "input",
}
_ERRORS: Final = {
    "TNR": "the tag is silent",
    "TND": "no data from a tag",
    "RDL": "too much data from a tag",
    "CER": "wrong checksum from a tag",
    "CCE": "wrong checksum of the command",
    "UCO": "unknown command",
    "UPA": "unknown parameter",
    "NOS": "not supported",
}

_ANSWERS: Final = {
    # It begins with E0 (the maker's example has E2): what is left of a longer line is no UID.
    "uid": re.compile(r"E[0-9A-F]{15}"),
    "antenna": re.compile(r"ARP \d{1,2}"),
    "found": re.compile(r"IVF \d{2,3}"),
    "read": re.compile(r"TDT"),
    "read check": re.compile(r"COK|CER"),
    "read end": re.compile(r"NCL|CDT"),
    "restart": re.compile(r"SRT|RNW"),
    "heartbeat": re.compile(r"HBT(?: \d+)?|\+HBT"),
    "notice": re.compile(r"\+(?:CINV[A-Z]*|IEV): ?.*"),
    "at line": re.compile(r"\+(?!CINV|IEV|HBT)[A-Z]+: ?.*"),
    "at end": re.compile(r"OK|ERROR"),
    "revision": re.compile(r"[A-Za-z][A-Za-z0-9_ ]{14,15}\d{4}(?:\d{4})?"),
    "word": re.compile("|".join((*_DONE, *_ERRORS))),
    "data": re.compile(r"(?:[0-9A-F]{2})+"),
}
"""What a line from the reader can be; the first shape that fits counts."""

_FOLLOW: Final[dict[str, tuple[frozenset[str], str]]] = {
    "uid": (frozenset(["uid", "antenna"]), "found"),
    "antenna": (frozenset(["uid", "antenna"]), "found"),
    "read": (frozenset(["data", "uid", "read check"]), "read end"),
    "at line": (frozenset(["at line"]), "at end"),
}
"""For the first line of an answer: what may follow it, and what closes the answer."""

_COMMAND = re.compile(r"AT(?:[A-Z]\d?)?|AT\+[A-Z]+(?:[=?].*)?|[A-Z]{3}(?: [A-Za-z0-9]+)*")
_ENDS_IN_DIGITS = ("REQ", "WRQ", "SET", "HBT", "SAP AUT")
"""Commands whose last parameter may look like a checksum."""

_CHECKED = re.compile(r"(.+) ([0-9A-F]{4})")


class _Line(NamedTuple):
    """One whole line: its kind ("" for none), its text without checksum, where the next begins."""

    kind: str
    text: str
    end: int


def line(text: str, *, has_crc: bool = False) -> bytes:
    """Return a command as it is sent, with its checksum where the reader is in CRC mode."""
    raw = text.encode("ascii")
    if has_crc:
        raw += b" "
        raw += f"{crc16.mcrf4xx(raw):04X}".encode("ascii")
    return raw + b"\r"


def stop() -> bytes:
    """Return the command that ends whatever goes on; answered by BRA or NCM."""
    return line("BRK")


def wake(*, has_crc: bool = False) -> bytes:
    """Return the command that wakes a sleeping reader; answered by GMO or DNS."""
    return line("WAK", has_crc=has_crc)


def reset() -> bytes:
    """Return the command that restarts the reader."""
    return line("RST")


def get_revision(*, has_crc: bool = False) -> bytes:
    """Return the command that asks for name and versions."""
    return line("REV", has_crc=has_crc)


def set_crc(*, on: bool, has_crc: bool = False) -> bytes:
    """Return the command that switches the CRC mode.

    Source: ``CON`` and ``COF`` in metratec/rfid-sdk-java; ``CCE`` is the error of a wrong checksum.
    """
    return line("CON" if on else "COF", has_crc=has_crc)


def set_radio(depth_percent: int = 100, *, has_crc: bool = False) -> bytes:
    """Return the command that sets one subcarrier and the modulation depth, 10 or 100 %."""
    return line(f"SRI SS {depth_percent}", has_crc=has_crc)


def set_mode(*, has_crc: bool = False) -> bytes:
    """Return the command that chooses ISO 15693."""
    return line("MOD 156", has_crc=has_crc)


def set_antenna(number: int, *, has_crc: bool = False) -> bytes:
    """Return the command that connects an antenna of the multiplexer."""
    return line(f"SAP MAN {number}", has_crc=has_crc)


def report_antenna(*, has_crc: bool = False) -> bytes:
    """Return the command that has each inventory say which antenna it is from."""
    return line("SAP ARP ON", has_crc=has_crc)


def start_inventory(
    *, is_single_slot: bool = False, afi: int | None = None, has_crc: bool = False
) -> bytes:
    """Return the command that asks for the tags, of one application family where asked for."""
    slot = " SSL" if is_single_slot else ""
    family = "" if afi is None else f" AFI {afi:02X}"
    return line(f"INV{slot}{family}", has_crc=has_crc)


def at_inventory() -> bytes:
    """Return the AT generation's command that asks for the tags."""
    return line("AT+INV")


def at_set_antenna(number: int) -> bytes:
    """Return the AT generation's command that connects an antenna."""
    return line(f"AT+ANT={number}")


def at_get_information() -> bytes:
    """Return the AT generation's command that asks for firmware, hardware and serial number."""
    return line("ATI")


def at_choose_iso15693() -> bytes:
    """Return the AT generation's command that chooses ISO 15693."""
    return line("AT+MOD=ISO15")


def at_set_inventory() -> bytes:
    """Return the AT generation's command for inventories of UIDs alone, all tags, all slots."""
    return line("AT+INVS=0,0,0")


def at_stop() -> bytes:
    """Return the AT generation's command that ends inventories that go on for ever."""
    return line("AT+BINV")


def at_reset() -> bytes:
    """Return the AT generation's command that restarts the reader."""
    return line("AT+RST")


def measure(head: bytes, direction: Direction) -> Measure:
    """Judge the head of a buffer."""
    if head[0] in _ENDS:
        return Measure(length=1) if direction == "rx" and head[0] == _LF else NOT_A_HEAD
    first = _next_line(head, 0, direction)
    if first is None:
        return NEEDS_MORE if _BEGUN.fullmatch(head) else NOT_A_HEAD
    if first.kind in ("", "data"):
        return NOT_A_HEAD
    if first.kind == "bad checksum":
        return BAD_CHECKSUM
    if first.kind in _FOLLOW:
        return _measure_rest(head, first)
    return Measure(length=first.end)


def _measure_rest(head: bytes, first: _Line) -> Measure:
    """Take the lines of one answer together."""
    inner, closing = _FOLLOW[first.kind]
    last = first
    while following := _next_line(head, last.end, "rx"):
        if following.kind == closing:
            return Measure(length=following.end)
        if following.kind not in inner:
            return Measure(length=last.end)
        last = following
    is_open = _BEGUN.fullmatch(head, last.end) is not None
    return Measure(length=last.end, needs_more=is_open)


def _next_line(head: bytes, start: int, direction: Direction) -> _Line | None:
    """Return the next line that is not blank, None where none is whole."""
    found = _LINE.match(head, start)
    if found is None:
        return None
    kind, text = _classify(found[1].decode("ascii"), direction)
    return _Line(kind, text, found.end())


@lru_cache(maxsize=1024)
def _classify(text: str, direction: Direction) -> tuple[str, str]:
    """Return the kind of a line and its text without checksum."""
    shape = _shape_of_answer if direction == "rx" else _shape_of_command
    checked = _CHECKED.fullmatch(text)
    kind = shape(checked[1]) if checked else ""
    if checked is None or not kind:
        return shape(text), text
    if crc16.mcrf4xx(text[:-4].encode("ascii")) == int(checked[2], 16):
        return kind, checked[1]
    return shape(text) or "bad checksum", text


def _shape_of_answer(text: str) -> str:
    return next((kind for kind, shape in _ANSWERS.items() if shape.fullmatch(text)), "")


def _shape_of_command(text: str) -> str:
    is_damaged = _CHECKED.fullmatch(text) and not text.startswith(_ENDS_IN_DIGITS)
    return "command" if _COMMAND.fullmatch(text) and not is_damaged else ""


def decode(data: bytes, direction: Direction) -> Message:
    """Read one whole frame."""
    lines: list[_Line] = []
    while following := _next_line(data, lines[-1].end if lines else 0, direction):
        lines.append(following)
    if not lines:
        return Message(kind="notice", name="end of answer", data=data)
    if direction == "tx":
        return _read_command(lines[0].text)
    read = _READ.get(lines[0].kind, _read_word)
    return read(lines)


def _read_command(text: str) -> Message:
    word = text.partition(" ")[0].lower()
    name = "inventory" if re.search(r"\bC?INV\b", text) else word
    return Message(kind="command", name=name, data=text.encode("ascii"))


def _read_inventory(lines: list[_Line]) -> Message:
    """Read UID lines against the number found, which closes the answer where no line was lost."""
    uids = tuple(each.text for each in lines if each.kind == "uid")
    found = lines[-1].text[4:] if lines[-1].kind == "found" else ""
    is_complete = found != "" and int(found) == len(uids)
    whole: Status = "ok" if uids else "empty"
    return Message(
        kind="answer",
        name="inventory",
        status=whole if is_complete else "partial",
        is_complete=is_complete,
        uids=uids,
        error=None if is_complete else f"{found or 'not said how many'} found, {len(uids)} told",
        data=_joined(lines),
    )


def _read_transfer(lines: list[_Line]) -> Message:
    """Read the answer to a request that was passed on to a tag."""
    text = _joined(lines)
    said = {each.text for each in lines}
    if {"COK", "NCL"} <= said:
        return Message(kind="answer", name="read", data=text)
    words = "a collision" if "CDT" in said else _ERRORS["CER"] if "CER" in said else "cut short"
    return failed("read", words, data=text)


def _read_at(lines: list[_Line]) -> Message:
    """Read an AT answer: lines of ``+NAME: values``, closed by OK or ERROR."""
    name, values = _at_name(lines[0].text), [_at_value(each.text) for each in lines]
    closing = lines[-1].text if lines[-1].kind == "at end" else ""
    if closing == "ERROR":
        return failed(name, values[0].strip("<>").lower() or "refused", data=_joined(lines))
    if name != "inventory":
        return Message(kind="answer", name=name, data=_joined(lines))
    told = values[:-1] if closing else values
    uids = tuple(each for each in told if _UID.fullmatch(each))
    is_empty = told == ["<NO TAGS FOUND>"]
    is_complete = bool(closing) and (is_empty or len(uids) == len(told))
    whole: Status = "ok" if uids else "empty"
    return Message(
        kind="answer",
        name=name,
        status=whole if is_complete else "partial",
        is_complete=is_complete,
        uids=uids,
        error=None if is_complete else "cut short",
        data=_joined(lines),
    )


def _read_notice(lines: list[_Line]) -> Message:
    """Read what a reader says of its own accord, in a continuous inventory for instance."""
    text, value = lines[0].text, _at_value(lines[0].text)
    if text.startswith("+IEV"):
        return Message(kind="notice", name="input", data=_joined(lines))
    is_empty = value == "<NO TAGS FOUND>"
    if value.startswith("<") and not is_empty:
        return Message(kind="notice", name=value.strip("<>").lower(), data=_joined(lines))
    return Message(
        kind="notice",
        name="inventory",
        status="empty" if is_empty else "ok",
        uids=(value,) if _UID.fullmatch(value) else (),
        data=_joined(lines),
    )


def _read_signal(lines: list[_Line]) -> Message:
    return Message(kind="notice", name=lines[0].kind, data=_joined(lines))


def _read_word(lines: list[_Line]) -> Message:
    """Read an answer of one word, or the reader's name and versions."""
    word, text = lines[0].text, _joined(lines)
    if word == "CDT":
        return Message(
            kind="answer",
            name="collision",
            status="partial",
            is_complete=False,
            error="a collision: tags are there, unread",
        )
    if word in _ERRORS:
        return failed("answer", f"{word}: {_ERRORS[word]}", data=text)
    return Message(kind="answer", name=_DONE.get(word, lines[0].kind), data=text)


def _at_name(text: str) -> str:
    name = text.split(":", 1)[0].lstrip("+").lower()
    return {"inv": "inventory", "ok": "done"}.get(name, name)


def _at_value(text: str) -> str:
    """Return the first value of ``+NAME: value,...``."""
    return text.partition(":")[2].strip().split(",")[0]


def _joined(lines: list[_Line]) -> bytes:
    return "\n".join(each.text for each in lines).encode("ascii")


_READ: Final[dict[str, Callable[[list[_Line]], Message]]] = {
    "uid": _read_inventory,
    "antenna": _read_inventory,
    "found": _read_inventory,
    "read": _read_transfer,
    "at line": _read_at,
    "at end": _read_at,
    "notice": _read_notice,
    "restart": _read_signal,
    "heartbeat": _read_signal,
}

FAMILY = Family(
    name="metratec_ascii",
    baud=115200,
    # ASSUMED: the widest multiplexer; an antenna is told in two digits.
    antennas=16,
    # ASSUMED: what the longest accepted answer holds, at 17 bytes a line.
    max_tags=100,
    knows_complete=True,
    uid_order="msb",
    identity="name and versions (REV); serial number (ATI, AT generation)",
    # Source: the maker's SDK waits 2 s for an inventory; its readers say 100 tags a second.
    timeout_ms=2000,
    max_frame=2048,
    reads_to_trust=2,
    measure=measure,
    decode=decode,
)
