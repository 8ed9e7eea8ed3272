"""``misdeal replay``: a journal through the engine again, a recording through the bridge."""

from pathlib import Path

import click
import msgspec

from misdeal.journal import JournalReader, is_being_written
from misdeal.recording import is_recording, read_entries, read_header
from misdeal.rehearsal import Rehearsal, line_words
from misdeal.replay import Comparison, Divergence, begin_again, play


@click.command(epilog="Example: misdeal replay journal.db")
@click.argument(
    "journal", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(journal: Path, *, as_json: bool) -> int:
    """Run the events of a journal through the engine and compare the rulings, byte for byte.

    A recording of `misdeal record` goes through the bridge instead: its frames, the states of its
    reader and what became of its cards are told. Exit status 0: the same rulings, or a recording;
    1: not the same, with the first difference.
    """
    if is_recording(journal):
        return _rehearse(journal, as_json=as_json)
    comparison = Comparison()
    with JournalReader(journal) as reader:
        for played in play(begin_again(reader.header), reader.records()):
            comparison.take(played)
    comparison.finish()
    divergence = _discreet(comparison.divergence, journal)
    if as_json:
        said = {"events": comparison.events, "rulings": comparison.rulings}
        click.echo(msgspec.json.encode({**said, "divergence": divergence}))
    elif divergence is None:
        click.echo(f"{comparison.events} events, {comparison.rulings} ruling changes: the same")
    else:
        click.echo(f"row {divergence.row}: the engine rules otherwise now")
        click.echo(f"  then: {divergence.recorded or 'nothing'}")
        click.echo(f"  now:  {divergence.replayed or 'nothing'}")
    return 0 if divergence is None else 1


def _rehearse(recording: Path, *, as_json: bool) -> int:
    """Play a recording through the bridge."""
    with recording.open("rb") as lines:
        header = read_header(lines.readline(), file=str(recording))
        rehearsal = Rehearsal(header)
        for line in rehearsal.play(read_entries(lines, file=str(recording))):
            click.echo(msgspec.json.encode(line.fields) if as_json else line_words(line))
    said = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in rehearsal.tally.items())
    click.echo(f"{header.family}: {said}", err=True)
    return 0


def _discreet(divergence: Divergence | None, journal: Path) -> Divergence | None:
    """Leave the rulings out while a controller writes the journal: its hand may be live."""
    if divergence is None or not is_being_written(journal):
        return divergence
    hidden = "(not told while a controller writes the journal)"
    return Divergence(divergence.row, hidden, hidden)
