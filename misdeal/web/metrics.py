"""Figures for Prometheus, in its text format 0.0.4. Source: its page "Exposition formats"."""

from collections.abc import Iterable, Iterator, Mapping

from firmware_bridge.bridge import ReaderHealth
from misdeal.health import is_well

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[Mapping[str, str], float]


def family(name: str, kind: str, meaning: str, samples: Iterable[Sample]) -> Iterator[str]:
    """Yield the lines of a family of figures.

    Args:
        name: Its name.
        kind: ``gauge`` or ``counter``.
        meaning: What it counts, in a few words.
        samples: The labels and the value of each figure.
    """
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        inside = ",".join(f'{key}="{_escape(text)}"' for key, text in labels.items())
        yield f"{name}{{{inside}}} {value:.15g}" if inside else f"{name} {value:.15g}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def reader_lines(readers: Iterable[ReaderHealth]) -> Iterator[str]:
    """Yield how the readers do."""
    readers = tuple(readers)
    gauges = (
        ("misdeal_reader_up", "gauge", "whether the reader reads", is_well),
        ("misdeal_reader_cycle_ms", "gauge", "turn to turn of the slowest antenna",
         lambda reader: reader.cycle_ms),
        ("misdeal_reader_frames_total", "counter", "frames that came", lambda r: r.frames),
        ("misdeal_reader_checksum_errors_total", "counter", "frames that came damaged",
         lambda reader: reader.checksum_errors),
        ("misdeal_reader_timeouts_total", "counter", "questions that got no answer",
         lambda reader: reader.timeouts),
        ("misdeal_reader_restarts_total", "counter", "handshakes that were begun anew",
         lambda reader: reader.restarts),
    )  # fmt: skip
    for name, kind, meaning, figure in gauges:
        samples = [({"reader": reader.name}, float(figure(reader))) for reader in readers]
        yield from family(name, kind, meaning, samples)
