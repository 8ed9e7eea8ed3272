"""``misdeal record``: the raw traffic of a real reader to a file."""

import asyncio
import random
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from firmware_bridge.dialects import DIALECTS
from firmware_bridge.families import FAMILIES
from firmware_bridge.wiring import ReaderSpec
from misdeal import __version__
from misdeal.clock import as_utc, stopwatch_ns, table_clock
from misdeal.masking import mask
from misdeal.recorder import Recorder
from misdeal.recording import Entry, Header, spec_of, write_line

MOST_MASKED_BYTES = 16_000_000
"""A recording is masked as a whole, in memory, and ends here. At 115200 baud it is 23 minutes."""

_KEY_BYTES = 32


@click.command(
    epilog="Example: misdeal record /dev/ttyUSB0 --family pepper_c1 --mask -o reader.jsonl"
)
@click.argument("port")
@click.option("--family", required=True, type=click.Choice(list(FAMILIES)), help="Who speaks.")
@click.option("-o", "--output", default="-", help="The file (- is standard output, the default).")
@click.option("--mask", "is_masked", is_flag=True, help="Replace tags, the same by the same.")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="How long; else until Ctrl-C.")
@click.option("--antennas", help="Which are asked, like 1,2,5; else all that the family has.")
@click.option("--listen", is_flag=True, help="Ask nothing: a reader that talks by itself.")
@click.option("--baud", type=click.IntRange(300, 4_000_000), help="Speed; else the family's.")
def command(  # noqa: PLR0913 - one parameter an option
    *,
    port: str,
    family: str,
    output: str,
    is_masked: bool,
    seconds: float | None,
    antennas: str | None,
    listen: bool,
    baud: int | None,
) -> int:
    """Record what the reader at PORT and we say to each other, with times.

    `misdeal replay FILE` plays it through the bridge again. Exit status 1: nothing was heard.
    """
    if not listen and family not in DIALECTS:
        raise click.UsageError("nobody knows how to ask this family: expected --listen")
    numbers = _numbers(antennas, FAMILIES[family].antennas)
    spec = spec_of(family, port, numbers, baud)
    header = Header(
        version=__version__,
        family=family,
        baud=baud or FAMILIES[family].baud,
        antennas=numbers,
        is_asked=not listen,
        began=as_utc(table_clock(0)()),
    )
    with _writer(header, output, is_masked=is_masked) as write:
        most_bytes = MOST_MASKED_BYTES if is_masked else None
        heard = asyncio.run(_record(spec, write, seconds, most_bytes, is_asked=not listen))
    click.echo(f"{heard} bytes of the reader are recorded", err=True)
    return 0 if heard else 1


def _numbers(antennas: str | None, most: int) -> tuple[int, ...]:
    if antennas is None:
        return tuple(range(1, most + 1))
    numbers = [int(each) for each in antennas.split(",") if each.strip().isdecimal()]
    if not numbers or not all(1 <= number <= most for number in numbers):
        why = f"--antennas {antennas}: expected numbers from 1 to {most}, like 1,2"
        raise click.UsageError(why)
    return tuple(dict.fromkeys(numbers))


async def _record(
    spec: ReaderSpec,
    write: Callable[[Entry], None],
    seconds: float | None,
    most_bytes: int | None,
    *,
    is_asked: bool,
) -> int:
    """Record until the time is over or there is no more room; return how many bytes were heard.

    Raises:
        OSError: If what was recorded cannot be kept.
    """
    heard, trouble = 0, ""
    is_over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    begin_ns = stopwatch_ns()

    def take(entry: Entry) -> None:
        nonlocal heard, trouble
        if is_over.done():
            return
        try:
            write(entry)
        except OSError as error:
            is_over.set_exception(error)
            return
        heard += len(entry.data) if entry.kind == "rx" else 0
        if most_bytes is not None and heard > most_bytes:
            click.echo("no more can be masked at once: the recording ends here", err=True)
            is_over.set_result(None)
        if entry.why not in ("", trouble):
            trouble = entry.why
            click.echo(f"{spec.port}: {trouble}; it is tried again", err=True)

    recorder = Recorder(
        spec,
        take=take,
        clock=lambda: stopwatch_ns() - begin_ns,
        rng=random.Random(),  # noqa: S311 - spreads retries over time, no secret hangs on it
        is_asked=is_asked,
    )
    recording = asyncio.ensure_future(recorder.run())
    try:
        async with asyncio.timeout(seconds):
            await is_over
    except TimeoutError:
        pass
    finally:
        recording.cancel()
        await asyncio.gather(recording, return_exceptions=True)
    return heard


@contextmanager
def _writer(header: Header, output: str, *, is_masked: bool) -> Iterator[Callable[[Entry], None]]:
    """Yield what keeps an entry: at once, or masked all together when the recording ends."""
    with _opened(output) as file:
        if not is_masked:
            file.write(write_line(header))
            yield lambda entry: _put(file, entry)
            return
        kept: list[Entry] = []
        try:
            yield kept.append
        finally:
            header, entries = mask(header, kept, secrets.token_bytes(_KEY_BYTES))
            file.write(write_line(header))
            for entry in entries:
                file.write(write_line(entry))


def _put(file: BinaryIO, entry: Entry) -> None:
    file.write(write_line(entry))
    file.flush()


@contextmanager
def _opened(output: str) -> Iterator[BinaryIO]:
    if output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with Path(output).open("wb") as file:
            yield file
