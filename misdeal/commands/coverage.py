"""``misdeal coverage``: what a table's sensors see of each clause."""

from collections import Counter
from pathlib import Path

import click
import msgspec

from engine.cards import Place
from engine.coverage import Level, Sensing, coverage, unwatched
from engine.setup import TableSetup
from engine.words import VERDICTS
from misdeal.shape import expect_one_of
from misdeal.tablefile import load

_LEVELS: dict[Level, str] = {"full": "fully", "part": "in part", "operator": "operator"}


@click.command(epilog="Example: misdeal coverage table.toml --without shoe,seat:3")
@click.argument("table", type=click.Path(path_type=Path), default="table.toml")
@click.option("--without", metavar="DEVICES", default="", help="As if these had failed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a clause.")
def command(table: Path, without: str, *, as_json: bool) -> int:
    """Say for each clause of the rule book of TABLE (table.toml) how its sensors see it.

    Fully; in part, and why; or not at all, so that an operator has to call it. DEVICES are named
    as in the journal and parted by commas: shoe, board, camera, seat:3.
    """
    layout = load(table)
    down = _devices(without, layout.setup)
    rows = coverage(layout.book, layout.setup, down)
    if as_json:
        for row in rows:
            click.echo(msgspec.json.encode(row))
    else:
        _show(rows, layout.setup, down)
    counts = Counter(row.level for row in rows)
    told = ", ".join(f"{counts[level]} {words}" for level, words in _LEVELS.items())
    less = len(unwatched(layout.book, layout.setup, down))
    lost = f"; {less} less than with all devices up" if down else ""
    click.echo(f"{len(rows)} clauses of {layout.book.name}: {told}{lost}", err=as_json)
    return 0


def _devices(text: str, setup: TableSetup) -> frozenset[str]:
    """Return the devices that are named, each of which the table must have."""
    named = frozenset(name for word in text.split(",") if (name := word.strip()))
    known = sorted(map(_device, setup.readers)) + ["camera"] * setup.has_camera
    for name in sorted(named - set(known)):
        raise click.UsageError(_unknown(name, tuple(known)))
    return named


def _unknown(name: str, known: tuple[str, ...]) -> str:
    expected = expect_one_of(name, known) if known else "none: the table has no device"
    return f"--without: found {name!r}, expected {expected}"


def _device(place: Place) -> str:
    """Return the name of the reader at a place, as events have it."""
    return f"seat:{place[1:]}" if place[1:].isdecimal() else str(place)


def _show(rows: list[Sensing], setup: TableSetup, down: frozenset[str]) -> None:
    up = [name for name in sorted(map(_device, setup.readers)) if name not in down]
    has_camera = setup.has_camera and "camera" not in down
    formatter = click.HelpFormatter()
    formatter.write_text(
        f"Readers at {', '.join(up) or 'no place'}; {'a' if has_camera else 'no'} camera; "
        f"actions {'entered' if setup.actions == 'entered' else 'not entered'}."
    )
    formatter.write_paragraph()
    width = max((len(row.clause) for row in rows), default=0)
    formatter.write_dl(
        [
            (
                f"{_LEVELS[row.level]:8}  {row.clause:{width}}",
                "; ".join((VERDICTS[row.verdict], *row.why)),
            )
            for row in rows
        ],
        col_max=60,
    )
    click.echo(formatter.getvalue(), nl=False)
