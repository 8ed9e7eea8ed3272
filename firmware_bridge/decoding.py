"""Raw bytes of a reader told as records: the core of ``misdeal decode``."""

from firmware_bridge.families.family import Direction, Family, Frame, Noise
from firmware_bridge.framing import Framer

Record = dict[str, str | bool | int | list[str] | None]
"""One JSON object of ``misdeal decode --json``."""


def decode_stream(data: bytes, family: Family, direction: Direction = "rx") -> list[Record]:
    """Return a record for each frame and for each run of bytes that is none, in stream order.

    Args:
        data: A whole stream: what is incomplete at its end is told as such.
        family: The family that spoke.
        direction: ``rx`` for what a reader sent, ``tx`` for what a host sent.
    """
    framer = Framer(family, direction)
    found = framer.feed(data) + framer.flush()
    return [
        _tell_frame(each, family, direction) if isinstance(each, Frame) else _tell_noise(each)
        for each in found
    ]


def _tell_frame(frame: Frame, family: Family, direction: Direction) -> Record:
    message = family.decode(frame.data, direction)
    return {
        "ok": True,
        "family": family.name,
        "kind": message.kind,
        "name": message.name,
        "status": message.status,
        "complete": message.is_complete,
        "uids": list(message.uids),
        "error": message.error,
        "offset": frame.offset,
        "length": len(frame.data),
    }


def _tell_noise(run: Noise) -> Record:
    return {"ok": False, "reason": run.reason, "offset": run.offset, "length": run.length}
