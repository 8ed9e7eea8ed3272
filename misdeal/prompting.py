"""Asks a person for one thing after the other and tells how it went, with a bar on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

if TYPE_CHECKING:
    from rich.progress import Progress


class Prompter(Protocol):
    """Speaks to whoever does the work, on standard error."""

    def ask(self, text: str, done: int) -> None:
        """Ask for the next thing; so many are done."""

    def tell(self, text: str) -> None:
        """Tell how something went."""


class _Lines:
    """A line for each thing, where there is no screen."""

    def ask(self, text: str, done: int) -> None:
        del done
        click.echo(text, err=True)

    def tell(self, text: str) -> None:
        click.echo(text, err=True)


@contextmanager
def prompter(total: int) -> Iterator[Prompter]:
    """Yield what asks and tells: a bar with the question beside it, or lines.

    Args:
        total: How many things are asked for.
    """
    if not sys.stderr.isatty():
        yield _Lines()
        return
    # rich is loaded where it is used
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    console = Console(stderr=True)
    if console.is_dumb_terminal:
        yield _Lines()
        return
    with Progress(console=console) as progress:
        yield _Bar(progress, total)


class _Bar:
    """A bar with the question beside it; what is told goes above it."""

    def __init__(self, progress: "Progress", total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=total)

    def ask(self, text: str, done: int) -> None:
        self._progress.update(self._task, completed=done, description=text)

    def tell(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False)
