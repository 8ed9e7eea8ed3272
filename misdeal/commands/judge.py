"""``misdeal judge``: table scripts played, and what they expect checked."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click
import msgspec

from engine.docket import Ruling
from engine.errors import BookError, ScriptError
from engine.performing import Verdicts, judge_script
from engine.rulebook import RuleBook, compile_book, load_book
from engine.script import Script, read_script
from misdeal.words import ruling_fields, sentence


@click.command(epilog="Example: misdeal judge hand.toml --json")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a ruling change.")
@click.option(
    "--through",
    type=click.Choice(["hardware"]),
    help="Through simulated readers, a rendered camera and the controller of a table, which must "
    "rule the same.",
)
def command(files: tuple[str, ...], *, as_json: bool, through: str | None) -> int:
    """Play table scripts and check what they expect.

    A FILE may be a folder, which stands for every .toml file below it, or - for standard input.

    Exit status 0: every expectation met; 1: some not met; 2: a script that cannot be read.
    """
    judge = _Judge(_through_hardware() if through else judge_script, as_json=as_json)
    for name in _with_bar(_names(files)):
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        judge.play(name, text)
    click.echo(
        f"{judge.met + judge.unmet} scripts played: {judge.met} as expected, {judge.unmet} not; "
        f"{judge.unreadable} unreadable",
        err=True,
    )
    return 2 if judge.unreadable else 1 if judge.unmet else 0


class _Judge:
    """Plays scripts one after the other and counts."""

    def __init__(self, how: Callable[[Script, RuleBook], Verdicts], *, as_json: bool) -> None:
        self._how = how
        self.met = self.unmet = self.unreadable = 0
        self._as_json = as_json
        self._books: dict[tuple[str, str | None], RuleBook] = {}

    def play(self, name: str, text: str) -> None:
        """Play one script and print what came of it."""
        try:
            script = read_script(text, file=name)
            verdicts = self._how(script, self._book(script, name))
        except (ScriptError, BookError) as error:
            self.unreadable += 1
            click.echo(str(error), err=True)
            return
        for after, ruling in verdicts.lines:
            self._print(name, after, ruling)
        for miss in verdicts.misses:
            click.echo(f"{name}: not met: {miss}", err=self._as_json)
        if verdicts.misses:
            self.unmet += 1
        else:
            self.met += 1

    def _book(self, script: Script, name: str) -> RuleBook:
        key = (script.rulebook, script.house)
        if key not in self._books:
            self._books[key] = compile_book(
                load_book(script.rulebook),
                file=f"{script.rulebook}.toml",
                house=script.house,
                house_file=name,
            )
        return self._books[key]

    def _print(self, name: str, after: int, ruling: Ruling) -> None:
        if self._as_json:
            click.echo(
                msgspec.json.encode({"script": name, "after": after, **ruling_fields(ruling)})
            )
        else:
            click.echo(f"{name}: after {after}: {sentence(ruling)}")


def _through_hardware() -> Callable[[Script, RuleBook], Verdicts]:
    """Return the judge who has scripts played at simulated readers."""
    # Bridge and simulation are loaded where they are used.
    from misdeal.filming import open_script_eye  # noqa: PLC0415
    from misdeal.through_hardware import judge_through_hardware  # noqa: PLC0415

    eye = open_script_eye()

    def judge(script: Script, book: RuleBook) -> Verdicts:
        judged = judge_through_hardware(script, book, eye)
        for note in judged.notes:
            click.echo(f"{script.file}: note: {note}", err=True)
        return judged.verdicts

    return judge


def _names(files: Iterable[str]) -> list[str]:
    """Return the name of every script that is meant."""
    names: list[str] = []
    for name in files:
        path = Path(name)
        names += map(str, sorted(path.rglob("*.toml"))) if path.is_dir() else [name]
    return names


def _with_bar(names: list[str]) -> Iterable[str]:
    """Yield names; a terminal that is not filled with rulings shows how far it has come."""
    if sys.stdout.isatty() or not sys.stderr.isatty():
        yield from names
        return
    with click.progressbar(names, file=sys.stderr) as bar:
        yield from bar
