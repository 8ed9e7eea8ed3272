"""The door takes statements, answers each, and belongs to its owner alone."""

import asyncio
import stat
from pathlib import Path

import msgspec
import pytest

from misdeal.door import MAX_LINE_BYTES, Answer, open_door, say_at
from misdeal.errors import DoorError


async def refuse_jumps(text: str) -> Answer:
    return Answer(ok=False, reason="nobody jumps") if "jump" in text else Answer(ok=True)


async def asked(path: Path, sent: bytes) -> list[Answer]:
    """Open a door, send bytes, and return every answer until the door hangs up."""
    door = await open_door(path, refuse_jumps)
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(sent)
    writer.write_eof()
    answers = (await reader.read()).splitlines()
    writer.close()
    await door.close()
    return [msgspec.json.decode(answer, type=Answer) for answer in answers]


@pytest.mark.parametrize(
    ("sent", "oks"),
    [
        (b'{"say": "act S3 fold"}\n', [True]),
        (b'{"say": "act S3 jump"}\n{"say": "approve"}\n', [False, True]),
        (b'{"say": "approve"}', [True]),
        (b"approve\n", [False]),
        (b'{"sya": "approve"}\n', [False]),
        (b'{"say": 3}\n\n', [False, False]),
        (b"\xff\x00\n", [False]),
        (b"x" * (3 * MAX_LINE_BYTES) + b"\n", []),
        (b"", []),
    ],
)
def test_every_line_is_answered_and_a_line_without_end_is_cut_off(
    tmp_path: Path, sent: bytes, oks: list[bool]
) -> None:
    answers = asyncio.run(asked(tmp_path / "door", sent))
    assert [answer.ok for answer in answers] == oks
    assert all(answer.ok or answer.reason for answer in answers)


def test_the_door_is_its_owners_alone_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "door"
    path.touch()  # what a controller that was killed left there

    async def mode() -> int:
        door = await open_door(path, refuse_jumps)
        mode = path.stat().st_mode
        await door.close()
        return mode

    before = asyncio.run(mode())
    assert (stat.S_ISSOCK(before), stat.S_IMODE(before)) == (True, 0o600)
    assert not path.exists()


def test_what_is_said_at_a_door_comes_back_with_its_answer(tmp_path: Path) -> None:
    async def speak() -> Answer:
        door = await open_door(tmp_path / "door", refuse_jumps)
        answer = await asyncio.to_thread(say_at, tmp_path / "door", "act S3 jump")
        await door.close()
        return answer

    assert asyncio.run(speak()) == Answer(ok=False, reason="nobody jumps")


def test_a_door_where_nobody_is_is_named(tmp_path: Path) -> None:
    with pytest.raises(DoorError, match="no controller answers at"):
        say_at(tmp_path / "door", "approve")


def test_a_speaker_who_hangs_up_leaves_the_door_open(tmp_path: Path) -> None:
    async def speak() -> Answer:
        door = await open_door(tmp_path / "door", refuse_jumps)
        _, writer = await asyncio.open_unix_connection(tmp_path / "door")
        writer.write(b'{"say": "approve"}\n{"say"')
        writer.close()
        answer = await asyncio.to_thread(say_at, tmp_path / "door", "approve")
        await door.close()
        return answer

    assert asyncio.run(speak()) == Answer(ok=True)
