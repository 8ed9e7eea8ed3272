"""``misdeal judge``: table scripts played, and what they expect checked."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from engine.errors import BookError, ScriptError
from engine.performing import judge_script
from engine.rulebook import RuleBook, compile_book, load_book
from engine.rulings import Ruling
from engine.script import Script, read_script
from misdeal.words import ruling_fields, sentence


@click.command(epilog="Example: misdeal judge hand.toml --json")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a ruling change.")
def command(files: tuple[str, ...], *, as_json: bool) -> int:
    """Play table scripts and check what they expect.

    A FILE may be a folder, which stands for every .toml file below it, or - for standard input.

    Exit status 0: every expectation met; 1: some not met; 2: a script that cannot be read.
    """
    judge = _Judge(as_json=as_json)
    for name, text in _texts(files):
        judge.play(name, text)
    click.echo(
        f"{judge.met + judge.unmet} scripts played: {judge.met} as expected, {judge.unmet} not; "
        f"{judge.unreadable} unreadable",
        err=True,
    )
    return 2 if judge.unreadable else 1 if judge.unmet else 0


class _Judge:
    """Plays scripts one after the other and counts."""

    def __init__(self, *, as_json: bool) -> None:
        self.met = self.unmet = self.unreadable = 0
        self._as_json = as_json
        self._books: dict[tuple[str, str | None], RuleBook] = {}

    def play(self, name: str, text: str) -> None:
        """Play one script and print what came of it."""
        try:
            script = read_script(text, file=name)
            verdicts = judge_script(script, self._book(script, name))
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


def _texts(files: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Yield the name and text of every script that is meant."""
    for name in files:
        if name == "-":
            yield "-", sys.stdin.read()
            continue
        path = Path(name)
        for each in sorted(path.rglob("*.toml")) if path.is_dir() else [path]:
            yield str(each), each.read_text(encoding="utf-8")
