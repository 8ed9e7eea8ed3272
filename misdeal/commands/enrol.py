"""``misdeal enrol``: a pack is registered card by card."""

import asyncio
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec
from msgspec.structs import replace

from engine.cards import PACK, SHOE, Place, parse_card
from firmware_bridge.bridge import ReaderHealth
from firmware_bridge.register import write_pack
from firmware_bridge.wiring import ReaderSpec
from misdeal.clock import table_clock
from misdeal.config import TableFile
from misdeal.desk import Desk, reader_at
from misdeal.enrolment import (
    CONFIRM_LOOKS,
    Asked,
    Enrolment,
    Happening,
    Refused,
    Registered,
    Said,
    Skipped,
    TakenBack,
    Undone,
    prompt,
)
from misdeal.errors import FileExistsAlreadyError
from misdeal.health import reader_words
from misdeal.keyboard import hear_lines
from misdeal.prompting import prompter
from misdeal.registering import (
    begin,
    finish,
    keep,
    part_of,
    turn_bytes,
    with_lines_of,
)
from misdeal.tablefile import parse

# A card passes the shoe's mouth within some looks.
_SHOE_LOOKS = 2

_WORDS: dict[str, Happening] = {"u": Undone(), "undo": Undone(), "s": Skipped(), "skip": Skipped()}


@click.command(epilog="Example: misdeal enrol table.toml --pack red")
@click.argument("table", type=click.Path(path_type=Path), default="table.toml")
@click.option("--pack", "name", required=True, help="The pack's name, as in the table file.")
@click.option("--register", type=click.Path(path_type=Path), help="Its file; else the table's.")
@click.option("--place", type=click.Choice(["pack", "shoe"]), help="Where cards are read.")
@click.option("--replace", "dead", help="The card whose tag is dead, like 9h.")
@click.option("--import", "source", help="A CSV file to begin with (- is standard input).")
@click.option("--reversed", "is_reversed", is_flag=True, help="Turn UIDs that stand E0 last.")
@click.option("--export", "target", help="Write the whole register there, too (- is the output).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(  # noqa: PLR0913 - one parameter an option
    *,
    table: Path,
    name: str,
    register: Path | None,
    place: str | None,
    dead: str | None,
    source: str | None,
    target: str | None,
    is_reversed: bool,
    as_json: bool,
) -> int:
    """Register the pack --pack of TABLE (table.toml): the asked card is laid down, its tag read.

    A line `u` takes the last card back, `s` puts the asked one off. Each card is kept at once:
    after Ctrl-C the same command goes on where it was. The register is written when the pack is
    whole.
    """
    file = parse(table.read_text(encoding="utf-8"), str(table))
    register = register or _register_of(file, table.parent, name)
    enrolment = begin(file, table.parent, name, register)
    if source is not None:
        enrolment = _import(enrolment, register, source, is_reversed=is_reversed)
    if dead is not None:
        enrolment = _begin_replacing(enrolment, dead)
    if enrolment.asked is not None:
        enrolment = _work(enrolment, register, _reader(file, place), as_json=as_json)
    finish(register)
    if target is not None:
        _export(enrolment, target)
    signed = f", {len(enrolment.signatures)} with a signature" if enrolment.signatures else ""
    click.echo(f"pack {name}: {len(enrolment.faces)} cards in {register}{signed}", err=True)
    return 0


# ---------------------------------------------------------------- where it begins
def _register_of(file: TableFile, folder: Path, name: str) -> Path:
    named = (section.register for section in file.pack if section.name == name)
    return folder / next(named, f"{name}.csv")


def _import(enrolment: Enrolment, register: Path, source: str, *, is_reversed: bool) -> Enrolment:
    if enrolment.lines:
        raise FileExistsAlreadyError(register if register.exists() else part_of(register))
    text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    enrolment = with_lines_of(enrolment, turn_bytes(text) if is_reversed else text, file=source)
    keep(enrolment, register)
    return enrolment


def _begin_replacing(enrolment: Enrolment, dead: str) -> Enrolment:
    card = parse_card(dead)
    if enrolment.missing or card not in enrolment.faces:
        why = f"--replace {dead}: expected a card of a pack that is whole"
        raise click.UsageError(why)
    return replace(enrolment, replacing=card)


def _reader(file: TableFile, place: str | None) -> ReaderSpec:
    """Return the reader at the place that was asked for; else at the pad, else at the shoe."""
    places = [Place(place)] if place else [PACK, SHOE]
    found = next(filter(None, (reader_at(file, each) for each in places)), None)
    if found is None:
        why = f"no reader of the table file covers {' or '.join(places)}"
        raise click.UsageError(why)
    return found


def _export(enrolment: Enrolment, target: str) -> None:
    text = write_pack(enrolment.pack(), enrolment.signatures)
    if target == "-":
        click.echo(text, nl=False)
    else:
        Path(target).write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- the work at the pad
def _work(enrolment: Enrolment, register: Path, spec: ReaderSpec, *, as_json: bool) -> Enrolment:
    is_shoe = SHOE in spec.antennas.values()
    enrolment = replace(enrolment, confirm=_SHOE_LOOKS if is_shoe else CONFIRM_LOOKS)
    with _teller(enrolment, as_json=as_json) as tell:
        tell(prompt(enrolment))
        desk = Desk(enrolment, tell=tell, keep=lambda now: keep(now, register))
        asyncio.run(_attend(desk, spec))
    return desk.enrolment


async def _attend(desk: Desk, spec: ReaderSpec) -> None:
    """Read cards and the operator's words until the pack is whole."""

    def take(line: str | None) -> None:
        happening = _WORDS.get((line or "").strip().lower())
        if happening is not None:
            desk.offer(happening)

    hear_lines(take)
    rng = random.Random()  # noqa: S311 - spreads retries over time, no secret hangs on it
    await desk.attend(spec, clock=table_clock(0), rng=rng, tell_reader=_tell_reader)


def _tell_reader(reader: ReaderHealth) -> None:
    click.echo(reader_words(reader), err=True)


@contextmanager
def _teller(enrolment: Enrolment, *, as_json: bool) -> Iterator[Callable[[Said], None]]:
    """Yield what tells people, or programs, how it goes on."""
    if as_json:
        yield lambda said: click.echo(msgspec.json.encode(said))
        return
    with prompter(len(enrolment.faces)) as prompts:

        def show(said: Said) -> None:
            if isinstance(said, Asked):
                prompts.ask(said_words(said), said.done)
            else:
                prompts.tell(said_words(said))

        yield show


def said_words(said: Said) -> str:
    """Return what is said in one sentence."""
    match said:
        case Asked():
            return f"lay down {said.card} ({said.done + 1} of {said.of}; u: undo, s: skip)"
        case Registered():
            return f"{said.card} is {said.tag}"
        case TakenBack():
            return f"{said.card} is taken back: lift the card"
        case Refused():
            return _refusal(said)
        case _:
            return "the pack is whole"


def _refusal(said: Refused) -> str:
    tags = ", ".join(said.tags)
    return {
        "two cards": f"{len(said.tags)} cards lie there: take them away, lay down one alone",
        "has a card": f"that is {said.card} already",
        "of another pack": f"that card is of pack {said.pack}: take it away",
        "no uid": f"{tags} is no card's number: take it away",
        "reversed": f"{tags} stands last byte first: this reader's bytes are read the wrong way",
        "forged": f"the signature of that {said.card} is not its maker's: take it away",
        "passed": "that was too short: lay the card down and leave it",
    }[said.why]
