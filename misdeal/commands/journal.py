"""``misdeal journal``: verify, export and follow a journal."""

import time
from collections import deque
from pathlib import Path

import click
import msgspec

from misdeal.clock import as_utc
from misdeal.disclosure import Row, conceal, disclose
from misdeal.journal import JournalReader
from misdeal.replay import begin_again, play
from misdeal.verify import verify as verify_chain

JOURNAL = click.argument("journal", type=click.Path(path_type=Path, exists=True, dir_okay=False))
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")

# How often a journal that is followed is looked at.
FOLLOW_S = 0.2


@click.group()
def command() -> None:
    """Verify, export or follow a journal; none of them writes to it."""


@command.command(epilog="Example: misdeal journal verify journal.db")
@JOURNAL
@JSON
def verify(journal: Path, *, as_json: bool) -> int:
    """Check the hash chain of JOURNAL.

    Exit status 0: sound; 1: broken, with the row. Keep the head elsewhere: it proves later that
    nothing was cut off.
    """
    JournalReader(journal).close()
    verdict = verify_chain(journal)
    if as_json:
        click.echo(msgspec.json.encode(verdict._asdict()))
    elif verdict.broken_at is None:
        click.echo(f"{verdict.rows} rows, head {verdict.head}: sound")
    else:
        click.echo(f"{verdict.rows} rows sound, broken at row {verdict.broken_at}: {verdict.why}")
    return 0 if verdict.broken_at is None else 1


@command.command(epilog="Example: misdeal journal export journal.db > hands.jsonl")
@JOURNAL
def export(journal: Path) -> int:
    """Print JOURNAL as JSON lines; of a hand that has not ended, no face-down card is named."""
    with JournalReader(journal) as reader:
        for row in disclose(play(begin_again(reader.header), reader.records())):
            click.echo(msgspec.json.encode(row))
    return 0


@command.command(epilog="Example: misdeal journal tail -f journal.db")
@JOURNAL
@JSON
@click.option("-n", "rows", type=click.IntRange(min=0), default=10, help="Rows to begin with (10).")
@click.option("-f", "--follow", is_flag=True, help="Go on as rows are written, until Ctrl-C.")
def tail(journal: Path, rows: int, *, follow: bool, as_json: bool) -> int:
    """Print the last rows of JOURNAL; no face-down card is named."""
    with JournalReader(journal) as reader:
        watch, last = begin_again(reader.header), -1
        newest: deque[Row] = deque(maxlen=rows)
        for played in play(watch, reader.records()):
            watch, last = played.watch, played.record.seq
            newest.append(conceal(played))
        for row in newest:
            _print(row, as_json=as_json)
        while follow:
            for played in play(watch, reader.records(after=last)):
                watch, last = played.watch, played.record.seq
                _print(conceal(played), as_json=as_json)
            time.sleep(FOLLOW_S)
    return 0


def _print(row: Row, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(row))
        return
    body = msgspec.json.encode(row.body).decode()
    click.echo(f"{row.seq} {as_utc(row.at_ns)} {row.kind} {body}")
