"""Ours beside public libraries for the same readers, on the same simulated reader.

``python -m misdeal.bench.peers --python ENVIRONMENT/bin/python --players tools/peers`` wants the
libraries in an environment of their own: they are no part of this program. ``make bench-peers``
makes one and throws it away.
"""

import argparse
import asyncio
import contextlib
import random
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from engine.cards import seat_place
from firmware_bridge.bridge import Bridge
from firmware_bridge.polls import Poll
from firmware_bridge.wiring import ReaderSpec
from misdeal.bench.figures import columns
from misdeal.bench.reckoning import Answer, Score, reckon
from misdeal.bench.upset_reader import TRAITS, UPSETS, Record, Upset
from misdeal.clock import stopwatch_ns

QUESTIONS = 40

# A library that waits for every answer until its time is out needs a second for each.
PATIENCE_S = 300.0


class Peer(Struct, frozen=True):
    """A public library and the reader that it is for."""

    library: str
    player: str
    family: str
    late_ms: int
    """Longer than the library waits for an answer, so that the answer comes late."""


PEERS: Final = (
    Peer("pepper-c1", "play_pepper_c1.py", "pepper_c1", 700),
    # It waits a second for a card, whatever it is told.
    Peer("nfcpy", "play_nfcpy.py", "pn532_hsu", 1200),
    Peer("metratec-rfid", "play_metratec.py", "metratec_ascii", 700),
)


class _Port(Struct):
    port: str


class UpsetReader:
    """A running process of an upset reader."""

    def __init__(self, process: asyncio.subprocess.Process, port: str) -> None:
        self._process = process
        self.port = port
        """The path of its port."""

    async def record(self) -> Record:
        """End it; return what it has lived through."""
        told, _ = await self._process.communicate(b"")
        return msgspec.json.decode(told, type=Record)


@contextlib.asynccontextmanager
async def upset_reader(peer: Peer, upset: Upset) -> AsyncIterator[UpsetReader]:
    """Run an upset reader of a peer's family."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "misdeal.bench.upset_reader", peer.family, upset),
        *("--late-ms", str(peer.late_ms)),
        stdin=PIPE,
        stdout=PIPE,
    )
    try:
        line = await process.stdout.readline() if process.stdout else b""
        yield UpsetReader(process, msgspec.json.decode(line, type=_Port).port)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def play_ours(peer: Peer, upset: Upset, *, questions: int) -> Score:
    """Ask by the bridge as it runs at a table; only the order of the antennas is its own.

    Raises:
        TimeoutError: If it does not get its answers.
    """
    answers: list[Answer] = []
    is_enough = asyncio.Event()
    antennas = {number: seat_place(number) for number in range(1, TRAITS[peer.family].antennas + 1)}
    numbers = {place: number for number, place in antennas.items()}
    asked_ns = 0

    def note(poll: Poll) -> None:
        nonlocal asked_ns
        answered_ns = stopwatch_ns()
        if asked_ns and not is_enough.is_set():
            tags = None if poll.outcome == "unknown" else poll.tags
            answer = Answer(
                antenna=numbers[poll.place], asked_ns=asked_ns, answered_ns=answered_ns, tags=tags
            )
            answers.append(answer)
        asked_ns = answered_ns
        if sum(answer.tags is not None for answer in answers) == questions:
            is_enough.set()

    async with upset_reader(peer, upset) as reader:
        spec = ReaderSpec(name="X", port=reader.port, family=peer.family, antennas=antennas)
        rng = random.Random(1)  # noqa: S311 - spreads tries to reconnect
        bridge = Bridge(
            [spec], [], emit=lambda _event: None, clock=stopwatch_ns, rng=rng, on_poll=note
        )
        running = asyncio.ensure_future(bridge.run())
        async with asyncio.timeout(PATIENCE_S):
            await is_enough.wait()
        await bridge.close()
        await running
        return reckon(answers, await reader.record(), asks_again=True)


async def play_theirs(
    peer: Peer, upset: Upset, *, questions: int, python: Path, players: Path
) -> Score:
    """Ask by the library, in a process of its own.

    Raises:
        subprocess.CalledProcessError: If the player fails.
    """
    async with upset_reader(peer, upset) as reader:
        command = (str(python), str(players / peer.player), reader.port, str(questions))
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
        told, said = await asyncio.wait_for(process.communicate(), PATIENCE_S)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, told, said)
        answers = [msgspec.json.decode(line, type=Answer) for line in told.splitlines()]
        return reckon(answers, await reader.record())


HEAD = (
    "reader, asked by", "upset", "right of asked", "wrong", "lost", "asked again", "ms a question",
    "ms a command", "commands/s", "ratio", "ratio of right answers/s",
)  # fmt: skip


def rows(peer: Peer, upset: Upset, ours: Score, theirs: Score) -> list[tuple[str, ...]]:
    """Return the two lines that stand beside each other."""
    ratios = (
        f"{ours.commands_per_s / theirs.commands_per_s:.1f}",
        f"{ours.right_per_s / theirs.right_per_s:.1f}" if theirs.right else "-",
    )
    return [
        (f"{peer.family}, misdeal", upset, *_cells(ours), *ratios),
        (f"{peer.family}, {peer.library}", upset, *_cells(theirs), "", ""),
    ]


def _cells(score: Score) -> tuple[str, ...]:
    return (
        f"{score.right}/{score.asked}",
        str(score.wrong),
        str(score.lost),
        str(score.again),
        f"{score.took_s / score.asked * 1e3:.1f}",
        f"{1e3 / score.commands_per_s:.1f}",
        f"{score.commands_per_s:.0f}",
    )


async def compare(
    *, python: Path, players: Path, questions: int, upsets: Sequence[Upset] = UPSETS
) -> list[tuple[str, ...]]:
    """Return the table of all peers and upsets, one after the other."""
    told: list[tuple[str, ...]] = [HEAD]
    for peer in PEERS:
        for upset in upsets:
            ours = await play_ours(peer, upset, questions=questions)
            theirs = await play_theirs(
                peer, upset, questions=questions, python=python, players=players
            )
            told += rows(peer, upset, ours, theirs)
    return told


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m misdeal.bench.peers")
    parser.add_argument("--python", type=Path, required=True, help="who has the libraries")
    parser.add_argument("--players", type=Path, required=True, help="where the players are")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    given = parser.parse_args()
    told = asyncio.run(
        compare(python=given.python, players=given.players, questions=given.questions)
    )
    sys.stdout.write(columns(told) + "\n")


if __name__ == "__main__":
    main()
