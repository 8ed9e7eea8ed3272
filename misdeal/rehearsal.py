"""A recording played through the bridge again: its frames, what the session makes of them, events.

Pure: nothing is sent anywhere. The session asks as it would have asked then; the answers are those
that were recorded, at the times at which they came.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from firmware_bridge.decoding import Record, decode_stream
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.families import FAMILIES
from firmware_bridge.families.family import Direction, Frame, Noise
from firmware_bridge.presence import Presence
from firmware_bridge.register import Register
from misdeal.recording import Conversation, Cutter, Entry, Header, Told, spec_of

LATE_NS = 500_000_000
"""No machine that records is so busy that it notices a moment so much later. Assumed."""


class Line(Struct, frozen=True, kw_only=True):
    """One thing that a recording shows."""

    at_ns: int
    """Since the recording began."""
    fields: dict[str, Any]
    """As ``--json`` prints it: a record of ``misdeal decode``, a state, an event."""
    kind: str
    """``frame``, ``state`` or ``event``."""


class Rehearsal:
    """Plays one recording.

    Args:
        header: Of the recording.
    """

    def __init__(self, header: Header) -> None:
        self._family = FAMILIES[header.family]
        spec = spec_of(header.family, "", header.antennas, header.baud)
        is_asked = header.is_asked and header.family in DIALECTS
        self._conversation = Conversation(spec) if is_asked else None
        self._presence = Presence(Register(()))
        self._places = tuple(spec.antennas.values())
        self._cutters = self._new_cutters()
        self.frames = 0
        """Whole frames of the reader."""
        self.noise_bytes = 0
        """Bytes of the reader that are in none."""

    @property
    def tally(self) -> dict[str, int]:
        """What was counted of the reader."""
        counted = {"frames": self.frames, "noise_bytes": self.noise_bytes}
        if self._conversation is not None:
            tally = self._conversation.tally
            counted |= {
                name: getattr(tally, name)
                for name in ("checksum_errors", "timeouts", "retries", "strays", "restarts")
            }
        return counted

    def play(self, entries: Iterable[Entry]) -> Iterator[Line]:
        """Yield what the entries show, in order."""
        last_ns = 0
        for entry in entries:
            last_ns = entry.at_ns
            yield from self._pass_time(entry.at_ns)
            yield from self._cut(entry)
            yield from self._tell(self._answer(entry), entry.at_ns)
        yield from self._end_link(last_ns)

    # ------------------------------------------------------------ frames
    def _new_cutters(self) -> dict[str, tuple[Direction, Cutter]]:
        directions: tuple[Direction, ...] = ("rx", "tx")
        return {each: (each, Cutter(self._family, each)) for each in directions}

    def _cut(self, entry: Entry) -> Iterator[Line]:
        if entry.kind in self._cutters:
            direction, cutter = self._cutters[entry.kind]
            for found in cutter.take(entry.data, entry.at_ns):
                yield self._frame(found, direction, entry.at_ns)
        elif entry.kind != "tick":
            yield from self._end_link(entry.at_ns)

    def _end_link(self, at_ns: int) -> Iterator[Line]:
        for direction, cutter in self._cutters.values():
            for found in cutter.flush():
                yield self._frame(found, direction, at_ns)
        self._cutters = self._new_cutters()

    def _frame(self, found: Frame | Noise, direction: Direction, at_ns: int) -> Line:
        record: Record
        if isinstance(found, Frame):
            record = {**decode_stream(found.data, self._family, direction)[0]}
            record["offset"] = found.offset
            self.frames += direction == "rx"
        else:
            record = {
                "ok": False,
                "reason": found.reason,
                "offset": found.offset,
                "length": found.length,
            }
            self.noise_bytes += found.length if direction == "rx" else 0
        record["direction"] = direction
        return Line(at_ns=at_ns, fields={"at_ns": at_ns, **record}, kind="frame")

    # ------------------------------------------------------------ the session
    def _answer(self, entry: Entry) -> Told:
        talk = self._conversation
        if talk is None:
            return Told()
        acts: dict[str, Callable[[], Told]] = {
            "opened": lambda: talk.open(entry.at_ns),
            "rx": lambda: talk.receive(entry.data, entry.at_ns),
            "tick": lambda: talk.advance(entry.at_ns),
            "lost": lambda: talk.lose(entry.why, entry.at_ns),
        }
        return acts.get(entry.kind, Told)()

    def _pass_time(self, until_ns: int) -> Iterator[Line]:
        """Let moments come that the recording knows nothing of: its session was another version's.

        Those that it was waiting for, too, are in the recording, as late as they were noticed.
        """
        talk = self._conversation
        while talk is not None and talk.due_ns is not None and talk.due_ns < until_ns - LATE_NS:
            at_ns = talk.due_ns
            yield from self._tell(talk.advance(at_ns), at_ns)

    def _tell(self, told: Told, at_ns: int) -> Iterator[Line]:
        if told.state is not None:
            fields = {"at_ns": at_ns, "state": told.state, "why": told.why}
            yield Line(at_ns=at_ns, fields=fields, kind="state")
        events = [event for poll in told.polls for event in self._presence.take(poll)]
        if told.state in ("STALE", "WRONG_DEVICE", "LINK_LOST"):
            events += self._presence.fault(self._places, told.why, at_ns)
        for event in events:
            yield Line(at_ns=at_ns, fields=msgspec.to_builtins(event), kind="event")


def line_words(line: Line) -> str:
    """Return a line for people."""
    fields = line.fields
    if line.kind == "state":
        said = f"reader is {fields['state']}" + (f": {fields['why']}" if fields["why"] else "")
    elif line.kind == "event":
        known = ("place", "tag", "device", "reason")
        said = " ".join([fields["event"], *(str(fields[key]) for key in known if fields.get(key))])
    elif fields["ok"]:
        error = f" {fields['error']}" if fields["error"] else ""
        tags = " ".join(["", *fields["uids"]])
        said = f"{fields['kind']} {fields['name']}: {fields['status']}{error}{tags}"
    else:
        said = f"no frame: {fields['reason']}, {fields['length']} bytes"
    return f"{line.at_ns / 1e6:>12.3f} ms  {fields.get('direction', '  ')}  {said}"
