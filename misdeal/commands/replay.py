"""``misdeal replay``: a journal through the engine again."""

from pathlib import Path

import click
import msgspec

from misdeal.journal import JournalReader
from misdeal.replay import Comparison, begin_again, play


@click.command(epilog="Example: misdeal replay journal.db")
@click.argument("journal", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(journal: Path, *, as_json: bool) -> int:
    """Run the events of JOURNAL through the engine and compare the rulings, byte for byte.

    Exit status 0: the same; 1: not the same, with the first difference.
    """
    comparison = Comparison()
    with JournalReader(journal) as reader:
        for played in play(begin_again(reader.header), reader.records()):
            comparison.take(played)
    comparison.finish()
    if as_json:
        click.echo(
            msgspec.json.encode(
                {
                    "events": comparison.events,
                    "rulings": comparison.rulings,
                    "divergence": comparison.divergence,
                }
            )
        )
    elif comparison.divergence is None:
        click.echo(f"{comparison.events} events, {comparison.rulings} ruling changes: the same")
    else:
        click.echo(f"row {comparison.divergence.row}: the engine rules otherwise now")
        click.echo(f"  then: {comparison.divergence.recorded or 'nothing'}")
        click.echo(f"  now:  {comparison.divergence.replayed or 'nothing'}")
    return 0 if comparison.divergence is None else 1
