"""What is heard on one link: bytes in, messages out, and whether the line is quiet."""

from firmware_bridge.families.family import Family, Frame, Message, Noise
from firmware_bridge.framing import Framer
from firmware_bridge.talk import MS
from firmware_bridge.tally import Tally

QUIET_NS = 50 * MS
"""A line is quiet, and an incomplete frame is given up, after so long without a byte.

Source: rfid/bugs row 18: 3 frame times + 50 ms; here counted from the last byte, not the first.
"""


class Ear:
    """Hears one link after the other; what is no message is counted."""

    def __init__(self, family: Family, tally: Tally) -> None:
        self._family = family
        self._tally = tally
        self._framer = Framer(family)
        self.quiet_ns = 0
        """When the line is quiet, if nothing comes before."""

    @property
    def held(self) -> int:
        """Bytes that wait for the rest of their frame."""
        return self._framer.held

    def attach(self, settled_ns: int) -> None:
        """Begin a link that is to be quiet for a while from a moment on."""
        self._framer = Framer(self._family)
        self.quiet_ns = settled_ns + QUIET_NS

    def take(self, data: bytes, now_ns: int) -> list[Message | Noise]:
        """Take bytes; return the messages that they completed and the noise that counts."""
        self.quiet_ns = max(self.quiet_ns, now_ns + QUIET_NS)
        found = self._framer.feed(data)
        if not self._framer.held:
            found += self._framer.flush()
        return [self._understand(each, now_ns) for each in found]

    def pause(self, now_ns: int) -> list[Message | Noise]:
        """Take it that time passed: what is incomplete on a quiet line is given up."""
        if not self._framer.held or now_ns < self.quiet_ns:
            return []
        return [self._understand(each, now_ns) for each in self._framer.flush()]

    def _understand(self, item: Frame | Noise, now_ns: int) -> Message | Noise:
        if isinstance(item, Frame):
            self._tally.count_frame(now_ns)
            return self._family.decode(item.data, "rx")
        self._tally.noise_bytes += item.length
        if item.reason == "checksum":
            self._tally.count_checksum_error(now_ns)
        return item
