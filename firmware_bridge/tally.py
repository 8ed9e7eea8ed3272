"""What is counted on a link, for the health line."""

from msgspec import Struct

WINDOW_NS = 60_000_000_000
MOST_BAD_SHARE = 0.01
FEWEST_JUDGED = 100
"""A link is degraded with more than 1 % bad frames in a minute. Source: rfid/bugs row 17.

A share is not formed from fewer than 100 frames (chosen: then one bad frame is just the limit).
"""


class Tally(Struct):
    """Counters of one reader, over all its links since the start."""

    frames: int = 0
    checksum_errors: int = 0
    checksum_run: int = 0
    """Bad frames since the last good answer."""
    noise_bytes: int = 0
    timeouts: int = 0
    """Inventories that were given up."""
    retries: int = 0
    """Probes and greetings that were given up: while a reader boots they are no fault."""
    repeats: int = 0
    """Numbered commands that were sent again."""
    strays: int = 0
    """Answers that nobody waited for: late ones, doubled ones; card codes in no map."""
    notices: int = 0
    restarts: int = 0
    """Restarts that the reader told, and those that we ordered."""
    _window_ns: int = 0
    _good: int = 0
    _bad: int = 0
    _was_degraded: bool = False

    def count_frame(self, now_ns: int) -> None:
        """Count a whole frame."""
        self._turn_window(now_ns)
        self.frames += 1
        self._good += 1

    def count_checksum_error(self, now_ns: int) -> None:
        """Count a frame whose check failed."""
        self._turn_window(now_ns)
        self.checksum_errors += 1
        self.checksum_run += 1
        self._bad += 1

    @property
    def is_degraded(self) -> bool:
        """Whether too many frames are bad, in this minute or in the one before."""
        return self._was_degraded or self._is_bad_window()

    def _is_bad_window(self) -> bool:
        judged = self._good + self._bad
        return judged >= FEWEST_JUDGED and self._bad > judged * MOST_BAD_SHARE

    def _turn_window(self, now_ns: int) -> None:
        if now_ns - self._window_ns >= WINDOW_NS:
            self._was_degraded = self._is_bad_window()
            self._window_ns = now_ns
            self._good = self._bad = 0
