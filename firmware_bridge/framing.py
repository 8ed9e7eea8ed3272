"""Bytes in, frames out: the one place where a stream of bytes is cut into frames."""

from typing import Literal

from firmware_bridge.families.family import Direction, Family, Frame, Measure, Noise

Reason = Literal["noise", "checksum", "length", "truncated"]


class Framer:
    """Cuts the stream of one link into frames, for the life of that link.

    What it returns does not depend on how the stream was cut into pieces. Where no frame stands
    at the head, one byte is dropped and the search goes on at the next: a false start costs
    nothing but itself. Dropped bytes that follow each other are one run of noise, told when it
    ends: at the next frame or at a flush. Between calls it holds less than one frame's bytes.
    """

    def __init__(self, family: Family, direction: Direction = "rx") -> None:
        self._family = family
        self._direction = direction
        self._buffer = b""
        self._offset = 0  # of the buffer's first byte in the stream
        self._run_length = 0  # of the dropped bytes right before the buffer
        self._run_reason: Reason = "noise"
        self.frames = 0
        """Frames given so far."""
        self.noise_bytes = 0
        """Bytes dropped so far."""
        self.faults: dict[Reason, int] = {"noise": 0, "checksum": 0, "length": 0, "truncated": 0}
        """Runs of dropped bytes told so far, by their reason."""

    @property
    def held(self) -> int:
        """Bytes that wait for the rest of their frame."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Frame | Noise]:
        """Take the next bytes of the stream; return what they completed."""
        self._buffer += data
        return self._scan(is_final=False)

    def flush(self) -> list[Frame | Noise]:
        """Take it that nothing follows (silence, end of stream): give up what is incomplete.

        The first byte of an incomplete frame is dropped and the rest searched again, so a frame
        that hid behind a false start still comes out. Nothing is held afterwards.
        """
        found = self._scan(is_final=True)
        self._end_run(found, self._offset)
        return found

    def _scan(self, *, is_final: bool) -> list[Frame | Noise]:
        found: list[Frame | Noise] = []
        buffer, at = self._buffer, 0
        measure, most = self._family.measure, self._family.max_frame
        while at < len(buffer):
            head = buffer[at : at + most]
            verdict = measure(head, self._direction)
            if verdict.needs_more and not is_final and len(head) < most:
                break
            if verdict.length:
                self._end_run(found, self._offset + at)
                frame = head[: verdict.length]
                found.append(Frame(offset=self._offset + at, data=frame))
                self.frames += 1
            else:
                self._drop(_reason(verdict, len(head), most))
            at += verdict.length or 1
        self._buffer = buffer[at:]
        self._offset += at
        return found

    def _drop(self, reason: Reason) -> None:
        """Add one byte to the run; the first reason better than "noise" names the whole run."""
        self.noise_bytes += 1
        self._run_length += 1
        if self._run_reason == "noise":
            self._run_reason = reason

    def _end_run(self, found: list[Frame | Noise], end: int) -> None:
        """Tell the run that ends at an offset, if there is one."""
        if not self._run_length:
            return
        offset = end - self._run_length
        found.append(Noise(offset=offset, length=self._run_length, reason=self._run_reason))
        self.faults[self._run_reason] += 1
        self._run_length, self._run_reason = 0, "noise"


def _reason(verdict: Measure, held: int, most: int) -> Reason:
    """Say why the byte at the head is no part of a frame."""
    if verdict.fault is not None:
        return verdict.fault
    return "truncated" if held < most else "length"
