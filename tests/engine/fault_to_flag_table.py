"""Writes docs/fault-to-flag.md: ``python -m tests.engine.fault_to_flag_table FILE``."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.engine.fault_to_flag import MOST_HANDS, SENSORS, Row, measure, measure_pack

SEED = 1
HANDS = 100
PACKS = 20

HEAD = """\
# From fault to flag

How much passes at a table until an irregularity is told, by what the table has for sensors. Random
hands of every game in which the fault can happen, dealt on as if nobody had noticed; `make
bench-faults` writes this file anew, and the same seed gives the same figures.

- *all sensors*: a reader at the shoe, at every place and on the pack pad, and a camera;
- *shoe alone*: the place of a card is taken from the deal plan;
- *camera alone*: no tags, no shoe.

A cell says in how many of the hands the fault was flagged, and how many events passed from the
first that shows it: the median, and the most. 0 is at once.
"""

PACK_HEAD = """\
## Packs that are not as they should be

A nine-handed hold'em table plays hand after hand with such a pack, nobody enters anything, and the
pack lies on its pad between two hands. A cell says in how many of the packs the fault was flagged
within {most} hands, and how many whole hands passed before: the median.
"""


def document(rows: Sequence[Row], packs: Sequence[Row]) -> str:
    """Return the text of the document."""
    return "\n".join([
        HEAD,
        f"## Faults of a deal\n\n{rows[0].tried} hands for each cell.\n",
        *_table(rows, _events),
        "",
        PACK_HEAD.format(most=MOST_HANDS),
        f"{packs[0].tried} packs for each cell.\n",
        *_table(packs, _hands),
        "",
    ])  # fmt: skip


def _table(rows: Sequence[Row], cell: Callable[[Row], str]) -> Iterator[str]:
    kinds = list(dict.fromkeys(row.kind for row in rows))
    found = {(row.kind, row.sensors): row for row in rows}
    yield f"| fault | {' | '.join(SENSORS)} |"
    yield f"|---{'|---' * len(SENSORS)}|"
    for kind in kinds:
        yield f"| `{kind}` | {' | '.join(cell(found[kind, name]) for name in SENSORS)} |"


def _events(row: Row) -> str:
    if row.events is None:
        return "never"
    return f"{row.flagged} of {row.tried}; {row.events:g}, at most {row.most_events}"


def _hands(row: Row) -> str:
    return f"{row.flagged} of {row.tried}; {row.hands:g}" if row.flagged else "never"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.fault_to_flag_table")
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    text = document(measure(SEED, HANDS), measure_pack(SEED, PACKS))
    given.file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
