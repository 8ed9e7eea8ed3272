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
from misdeal.rotation import change_key
from misdeal.sealing import key_path, line_of, public_key, read_key, short_of
from misdeal.verify import HeadsError, kept_heads
from misdeal.verify import verify as verify_chain

JOURNAL = click.argument("journal", type=click.Path(path_type=Path, exists=True, dir_okay=False))
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")

# How often a journal that is followed is looked at.
FOLLOW_S = 0.2


@click.group()
def command() -> None:
    """Verify, export or follow a journal; its heads and its key."""


@command.command(epilog="Example: misdeal journal verify journal.db --key KEY --heads kept.txt")
@JOURNAL
@JSON
@click.option("--key", default="", help="The public key, as `misdeal journal key` printed it.")
@click.option(
    "--heads",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Heads that were kept elsewhere (JOURNAL.heads).",
)
def verify(journal: Path, key: str, heads: Path | None, *, as_json: bool) -> int:
    """Check the hash chain of JOURNAL, its signed heads, and that its end was not cut off.

    Exit status 0: sound; 1: broken, with the row. It reads alone, and needs no controller.
    """
    JournalReader(journal).close()
    try:
        verdict = verify_chain(journal, key=key.strip().lower(), heads=kept_heads(journal, heads))
    except HeadsError as error:
        raise click.BadParameter(str(error), param_hint="--heads") from error
    click.echo(msgspec.json.encode(verdict._asdict()) if as_json else str(verdict))
    return 0 if verdict.broken_at is None else 1


@command.command(epilog="Example: misdeal journal head journal.db")
@JOURNAL
@JSON
@click.option("--full", is_flag=True, help="The whole line of JOURNAL.heads, with its signature.")
def head(journal: Path, *, full: bool, as_json: bool) -> int:
    """Print the newest signed head of JOURNAL, short enough to be written down.

    Row, the first 20 digits of its hash, when, and what ended. Keep it where nobody who can write
    JOURNAL can write: `verify --heads` finds by it that the end was cut off. Exit status 1: none.
    """
    with JournalReader(journal) as reader:
        newest = next(iter(deque(reader.heads(), maxlen=1)), None)
    if newest is None:
        click.echo(
            "no row is signed yet: that is done when a hand or the controller ends", err=True
        )
        return 1
    if as_json:
        click.echo(newest.body)
    else:
        click.echo(line_of(newest.body) if full else short_of(newest.body))
    return 0


@command.command(epilog="Example: misdeal journal key journal.db")
@JOURNAL
@click.option("--change", is_flag=True, help="Make a new key, which the old one endorses.")
def key(journal: Path, *, change: bool) -> int:
    """Print the public key that the heads of JOURNAL are signed with.

    The private key is JOURNAL.key; the controller makes it when it first opens the journal. It is
    changed while no controller runs, and the journal keeps the change.
    """
    secret = change_key(journal) if change else read_key(key_path(journal))
    click.echo(public_key(secret))
    return 0


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
