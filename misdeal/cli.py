"""The command line: one word, one module, loaded when it is called.

Commands return their exit status: 0 done, 1 the answer is "no", 2 bad input, 130 interrupted.
Results go to standard output, everything else to standard error.
"""

import importlib
import os
import sys
import traceback
from typing import Any

import click

from engine.errors import EngineError
from firmware_bridge.errors import BridgeError
from hw_fixtures.errors import FixtureError
from misdeal import __version__
from misdeal.errors import MisdealError
from vision.errors import VisionError

INTERRUPTED = 130
BAD_INPUT = 2
# EX_SOFTWARE of sysexits.h: neither "no" nor bad input, the fault is ours.
OUR_FAULT = 70

_BAD_INPUT = (
    MisdealError,
    EngineError,
    BridgeError,
    FixtureError,
    VisionError,
    OSError,
    UnicodeDecodeError,
)

COMMANDS = {
    "demo": "A simulated table, no hardware: clean hands and hands with an irregularity.",
    "init": "Write a small commented table file.",
    "config": "Check a table file, show it whole, or print its JSON schema.",
    "devices": "Serial ports and cameras: their lasting names, and who holds them.",
    "doctor": "What would go wrong at this table: permissions, adapters, clock, disk, libraries.",
    "enrol": "Register a pack card by card: which tag bears which card.",
    "backs": "Enrol the back of a pack, and find cards that are marked.",
    "survey": "Measure read rates, cross-talk between antennas and cycle times.",
    "calibrate": "Find the table and its places in the picture of its camera.",
    "look": "Tell which cards lie in pictures.",
    "run": "Watch a real table.",
    "user": "Who may sign in at the page: add, role, passwd, list, revoke, tokens.",
    "say": "Tell the running controller something, in the script's words.",
    "judge": "Play table scripts and check what they expect.",
    "record": "The raw traffic of a real reader to a file, tags masked on request.",
    "replay": "A journal through the engine again, or a recording through the bridge.",
    "journal": "Verify, export or follow a journal.",
    "decode": "Raw reader bytes to frames.",
    "rules": "The rule books: list them, check a book or house rules, compare two.",
    "explain": "A clause in plain words.",
    "coverage": "What a table's sensors see of each clause.",
}
"""Every command with what it does; ``misdeal.commands`` has a module of the same name for each."""


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which a newcomer meets them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"misdeal.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: misdeal demo",
)
@click.version_option(__version__, prog_name="misdeal")
@click.option("--debug", is_flag=True, help="Show where an error came from (or MISDEAL_DEBUG=1).")
def group(*, debug: bool) -> None:
    """Watch a card table, and say at once what went wrong and what the rule book requires."""
    if debug:
        os.environ["MISDEAL_DEBUG"] = "1"


def main() -> None:
    """Run the command line and leave with its status."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str], command: click.Command = group) -> int:
    """Run a command; every error becomes one clear line and a status."""
    try:
        status: Any = command.main(arguments, prog_name="misdeal", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except _BAD_INPUT as error:
        return _tell(str(error), BAD_INPUT)
    except Exception as error:  # noqa: BLE001 - the outermost frame: no traceback reaches a user
        return _tell(f"this is a fault of misdeal: {type(error).__name__}: {error}", OUR_FAULT)
    return status if isinstance(status, int) else 0


def _tell(sentence: str, status: int) -> int:
    """Say what went wrong, with the way it came if that is wished for."""
    if os.environ.get("MISDEAL_DEBUG"):
        traceback.print_exc()
    click.echo(sentence, err=True)
    return status
