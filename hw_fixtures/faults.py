"""What goes wrong between a card and the host, as rates with a seed.

The same rates, seed and questions give the same faults. What a person does to the hardware
(pulls a plug, swaps two adapters) is an order to the process that hosts the readers, not a rate.
"""

import random
from collections.abc import Sequence

from msgspec import Struct

from engine.cards import Tag
from hw_fixtures.devices.device import ISO15693, Heard, TagKind

# A 7E55 inventory answer, whole and with a good checksum, as a wrong adapter would send it.
# Source: Cyberistic/Python-R321-RFID-Read-Write-with-ISO15693, dumb.txt, F7 answer, first bytes.
OTHER_FAMILY = bytes.fromhex("7e553d010000001ff700523332314720323130343231303020313530353033")

BANNER = b"\r\nESP-ROM:boot\r\nPepper C1 ready\r\n"
"""What a reader babbles when it gets power; the text is assumed."""


class Faults(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often things go wrong: each rate from 0 (never) to 1 (always)."""

    seed: int = 0

    bit_error: float = 0.0
    """For each byte: one of its bits is turned."""
    lost_byte: float = 0.0
    """For each byte: it never arrives."""
    doubled_byte: float = 0.0
    """For each byte: it arrives twice."""

    echo: float = 0.0
    """For each command: its bytes come back before the answer."""
    other_family: float = 0.0
    """For each answer: bytes of another reader family come before it."""
    delayed: float = 0.0
    """For each answer: it comes ``delay_ms`` later, still in time."""
    delay_ms: float = 30.0
    late: float = 0.0
    """For each answer: it comes ``late_ms`` later, when nobody waits for it any more."""
    late_ms: float = 700.0

    missed_tag: float = 0.0
    """For each tag at each look: it does not answer."""
    collision: float = 0.0
    """For each look: one of the tags that answer stays unread, and the reader notices it."""
    ghost_tag: float = 0.0
    """For each look: a UID answers that no card has."""
    cross_read: float = 0.0
    """For each look: a card at a neighbouring antenna answers, too."""
    brown_out: float = 0.0
    """For each look: the supply breaks down, the answer is cut and the reader restarts."""

    banner: bool = False
    """The reader babbles after each restart and when its port is opened."""
    boot_ms: float = 0.0
    """The reader is deaf for so long after its port is opened, as where DTR resets it."""


class FaultSource:
    """Draws the faults of one reader."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self._rng = random.Random(faults.seed)

    def happens(self, rate: float) -> bool:
        """Say whether something of this rate happens now."""
        return rate > 0 and self._rng.random() < rate

    def hear(
        self, own: Sequence[Tag], beside: Sequence[Tag], kind: TagKind = ISO15693
    ) -> tuple[Tag, ...]:
        """Return the tags that answer: of those at the antenna and of those at its neighbours.

        Args:
            own: The tags at the antenna.
            beside: Those at the antennas beside it.
            kind: What a ghost looks like.
        """
        faults = self.faults
        heard = [tag for tag in own if not self.happens(faults.missed_tag)]
        if beside and self.happens(faults.cross_read):
            heard.append(self._rng.choice(beside))
        if self.happens(faults.ghost_tag):
            digits = kind.ghost_digits - len(kind.ghost_prefix)
            noise = self._rng.getrandbits(4 * digits)
            heard.append(Tag(f"{kind.ghost_prefix}{noise:0{digits}X}"))
        return tuple(heard)

    def collide(self, heard: Sequence[Tag]) -> Heard:
        """Return what is read of the tags that answer: all of them, or one less than that."""
        if not heard or not self.happens(self.faults.collision):
            return Heard(tuple(heard))
        lost = self._rng.randrange(len(heard))
        return Heard((*heard[:lost], *heard[lost + 1 :]), is_whole=False)

    def lateness_ms(self) -> float:
        """Return by how much the next answer comes later than it should, in milliseconds."""
        faults = self.faults
        late = faults.late_ms if self.happens(faults.late) else 0.0
        return late + (faults.delay_ms if self.happens(faults.delayed) else 0.0)

    def spoil(self, data: bytes) -> bytes:
        """Carry bytes over the wire: some are turned, lost or doubled."""
        faults = self.faults
        if not (faults.bit_error or faults.lost_byte or faults.doubled_byte):
            return data
        arrived = bytearray()
        for byte in data:
            if self.happens(faults.lost_byte):
                continue
            turned = 1 << self._rng.randrange(8) if self.happens(faults.bit_error) else 0
            arrived += bytes([byte ^ turned]) * (2 if self.happens(faults.doubled_byte) else 1)
        return bytes(arrived)

    def cut(self, data: bytes) -> bytes:
        """Return the part of an answer that leaves before the supply breaks down."""
        return data[: self._rng.randrange(len(data))]

    def garble(self, data: bytes) -> bytes:
        """Return what is read at a wrong speed: about as many bytes, none of them right."""
        return bytes(byte ^ self._rng.randrange(1, 256) for byte in data)
