"""How a reader stands: what its link is worth right now, and why."""

from typing import Literal

from msgspec import Struct

from firmware_bridge.talk import MS

State = Literal["CONNECTING", "READY", "QUARANTINED", "STALE", "WRONG_DEVICE", "LINK_LOST"]

STALE_NS = 1_000 * MS
STALE_CHECKSUM_ERRORS = 100
"""A reader is stale after a second of asking without a good answer, or so many bad in a row."""

MISSES_TO_RESET = 3
"""Time-outs in a row, of the family's full length together, after which a reader is restarted.

Source: rfid/bugs row 40.
"""


class Standing(Struct):
    """What a state is made of."""

    is_open: bool = False
    was_ready: bool = False
    """Whether the reader was set up on this link."""
    stranger: str | None = None
    """Why it is not the reader that is wanted."""
    recovering_since_ns: int | None = None
    """Since when it is not known to be set up; None where it is."""
    asking_since_ns: int | None = None
    """When the first question since its last good answer was asked."""
    misses: int = 0
    """How many questions in a row got no answer in time, or a garbled one."""
    trouble: str = "not opened yet"

    @property
    def is_trusted(self) -> bool:
        """Whether what the reader tells of its own accord may be believed."""
        return self.is_open and self.stranger is None and self.recovering_since_ns is None

    def open(self, now_ns: int) -> None:
        """Begin a link."""
        self.is_open = True
        self.was_ready = False
        self.stranger = None
        self.recovering_since_ns = now_ns
        self.misses = 0
        self.trouble = "no answer yet"

    def lose(self, why: str) -> None:
        """End a link."""
        self.is_open = False
        self.asking_since_ns = None
        self.trouble = why

    def recover(self, trouble: str, now_ns: int) -> None:
        """Note that the reader must be set up again."""
        self.trouble = trouble
        if self.recovering_since_ns is None:
            self.recovering_since_ns = now_ns

    def greet(self, stranger: str | None) -> None:
        """Note that the reader is set up and has said who it is."""
        self.recovering_since_ns = None
        self.stranger = stranger
        self.was_ready = self.was_ready or stranger is None

    def note_asked(self, now_ns: int) -> None:
        """Note that a question was sent."""
        if self.asking_since_ns is None:
            self.asking_since_ns = now_ns

    def note_answered(self) -> None:
        """Note that a good answer came."""
        self.asking_since_ns = None
        self.misses = 0

    def judge(self, now_ns: int, bad_checksums: int) -> tuple[State, str]:
        """Return the state and its reason, for people.

        Args:
            now_ns: The time.
            bad_checksums: How many came in a row.
        """
        if not self.is_open:
            return "LINK_LOST", self.trouble
        if self.stranger is not None:
            return "WRONG_DEVICE", self.stranger
        if bad_checksums >= STALE_CHECKSUM_ERRORS:
            return "STALE", f"{bad_checksums} bad checksums in a row"
        if self.silence_ns(now_ns) >= STALE_NS:
            return "STALE", self.trouble
        if self.recovering_since_ns is not None:
            return ("QUARANTINED" if self.was_ready else "CONNECTING"), self.trouble
        return "READY", ""

    def silence_ns(self, now_ns: int) -> int:
        """Return for how long questions have gone without a good answer."""
        return 0 if self.asking_since_ns is None else now_ns - self.asking_since_ns

    def is_hung(self, now_ns: int, timeout_ns: int) -> bool:
        """Say whether a reader that has worked on this link answers nothing any more."""
        is_silent = self.silence_ns(now_ns) >= MISSES_TO_RESET * timeout_ns
        return self.was_ready and self.misses >= MISSES_TO_RESET and is_silent

    def is_hopeless(self, now_ns: int, limit_ns: int) -> bool:
        """Say whether the handshake takes too long."""
        since_ns = self.recovering_since_ns
        return self.is_open and since_ns is not None and now_ns - since_ns >= limit_ns
