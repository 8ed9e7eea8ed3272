"""A line of the table: what was measured, its middle and its tail, and what was aimed at."""

from collections.abc import Sequence
from statistics import quantiles

from msgspec import Struct


class Figure(Struct, frozen=True, kw_only=True):
    """One measurement, already in words."""

    what: str
    median: str
    p99: str = ""
    aim: str = ""
    note: str = ""


def spread(times_ns: Sequence[int]) -> tuple[float, float]:
    """Return the median and the 99th percentile of two or more times, in their unit."""
    cuts = quantiles(times_ns, n=100, method="inclusive")
    return cuts[49], cuts[98]


def timed(
    what: str, times_ns: Sequence[int], *, unit: str = "ms", aim: str = "", note: str = ""
) -> Figure:
    """Return the figure of a set of times, in ``ms`` or ``us``."""
    scale = {"ms": 1e6, "us": 1e3}[unit]
    median, p99 = (f"{time_ns / scale:.2f} {unit}" for time_ns in spread(times_ns))
    said = ", ".join(filter(None, [f"n = {len(times_ns)}", note]))
    return Figure(what=what, median=median, p99=p99, aim=aim, note=said)


def table(figures: Sequence[Figure]) -> str:
    """Return figures as the text of one table."""
    names = Figure.__struct_fields__
    return columns([names, *(tuple(getattr(each, name) for name in names) for each in figures)])


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of equally many cells, the names of the columns first, as the text of a table."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
