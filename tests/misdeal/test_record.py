"""A reader is recorded, and the recording gives the same again when it is played through."""

import asyncio
import os
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from engine.cards import Place
from firmware_bridge.families import FAMILIES, pepper_c1
from hw_fixtures.faults import Faults
from hw_fixtures.packs import demo_packs, own_cards
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import Antenna, Wiring
from misdeal.cli import run
from misdeal.clock import stopwatch_ns
from misdeal.commands.record import _record
from misdeal.errors import NotARecordingError
from misdeal.masking import mask
from misdeal.recorder import Recorder
from misdeal.recording import (
    Conversation,
    Entry,
    Header,
    is_recording,
    read_entries,
    read_header,
    spec_of,
    write_line,
)
from misdeal.rehearsal import Line, Rehearsal, line_words

SPEED = 10.0
MS = 1_000_000
PACK = own_cards(demo_packs(1)[0])
TAGS = [card.tag for card in PACK[:3]]
KEY = b"k" * 32

IDENTITIES = {
    "pepper_c1": "C1-MUX SIM",
    "feig": "01020304",
    "anyid7e55": "SIM",
    "metratec_ascii": "SIM",
    "front_end": "SIM",
}


def header_of(family: str, *, is_asked: bool = True) -> Header:
    return Header(
        version="1",
        family=family,
        baud=FAMILIES[family].baud,
        antennas=(1, 2),
        is_asked=is_asked,
        began="2026-01-01",
    )


Play = Callable[[SimulatedReaders, Sequence[Entry]], bool]


async def recorded(
    family: str, play: Play, *, faults: Faults | None = None, is_asked: bool = True
) -> list[Entry]:
    """Record a simulated reader with two antennas until whoever plays with it has enough."""
    wiring = Wiring(
        name="R",
        identity=IDENTITIES[family],
        family=family,
        antennas=(Antenna(place=Place("S1")), Antenna(place=Place("S2"))),
    )
    kept: list[Entry] = []
    async with await SimulatedReaders.start((wiring,), speed=SPEED) as readers:
        if faults is not None:
            readers.set_faults(faults)
        enough = asyncio.Event()

        def take(entry: Entry) -> None:
            kept.append(entry)
            if play(readers, kept):
                enough.set()

        loop = asyncio.get_running_loop()
        begin_s = loop.time()
        recorder = Recorder(
            spec_of(family, readers.ports["R"], (1, 2), None),
            take=take,
            clock=lambda: round((loop.time() - begin_s) * 1e9),
            rng=random.Random(1),
            is_asked=is_asked,
        )
        recording = asyncio.ensure_future(recorder.run())
        await asyncio.wait_for(enough.wait(), 20)
        recording.cancel()
        await asyncio.gather(recording, return_exceptions=True)
    return kept


def lay_and_lift(answers: int) -> Play:
    """Two cards come to the first antenna, and one goes when half is heard."""

    def play(readers: SimulatedReaders, kept: Sequence[Entry]) -> bool:
        heard = sum(entry.kind == "rx" for entry in kept)
        if kept[-1].kind == "rx" and heard == 1:
            readers.put(TAGS[:2], Place("S1"))
        if kept[-1].kind == "rx" and heard == answers // 2:
            readers.take(TAGS[:1])
        return heard == answers

    return play


def enough(answers: int) -> Play:
    return lambda readers, kept: sum(entry.kind == "rx" for entry in kept) >= answers


def played(header: Header, entries: Sequence[Entry]) -> tuple[Rehearsal, list[Line]]:
    rehearsal = Rehearsal(header)
    return rehearsal, list(rehearsal.play(entries))


def events_of(lines: Sequence[Line]) -> list[tuple[str, str]]:
    return [
        (line.fields["event"], line.fields.get("tag", "")) for line in lines if line.kind == "event"
    ]


def states_of(lines: Sequence[Line]) -> list[str]:
    return [line.fields["state"] for line in lines if line.kind == "state"]


# ---------------------------------------------------------------- round trips
@pytest.mark.parametrize("family", IDENTITIES)
def test_a_recording_gives_the_frames_states_and_cards_that_were_there(family: str) -> None:
    # An AnyID wants 50 ms between two commands.
    entries = asyncio.run(recorded(family, lay_and_lift(120 if family == "anyid7e55" else 250)))
    rehearsal, lines = played(header_of(family), entries)
    states = states_of(lines)
    # On a busy machine an answer may be late meanwhile.
    assert (states[:2], states[-1]) == (["CONNECTING", "READY"], "READY")
    events = events_of(lines)
    assert sorted(events[:2]) == sorted(("CardRead", tag) for tag in TAGS[:2])
    assert events[2:] in ([("CardGone", TAGS[0])], [])
    # The recording may end within a frame.
    noise = [line.fields["reason"] for line in lines if line.fields.get("ok") is False]
    assert noise in ([], ["truncated"])
    assert (rehearsal.noise_bytes > 0) is bool(noise)
    assert {line.fields["direction"] for line in lines if line.kind == "frame"} == {"rx", "tx"}
    assert [line.at_ns for line in lines] == sorted(line.at_ns for line in lines)


def test_a_card_that_goes_is_gone_in_the_recording_as_well() -> None:
    entries = asyncio.run(recorded("pepper_c1", lay_and_lift(600)))
    _, lines = played(header_of("pepper_c1"), entries)
    assert events_of(lines)[2:] == [("CardGone", TAGS[0])]


def test_a_masked_recording_gives_the_same_with_other_tags() -> None:
    entries = asyncio.run(recorded("pepper_c1", lay_and_lift(600)))
    header, masked = mask(header_of("pepper_c1"), entries, KEY)
    true, false = (played(header, each)[1] for each in (entries, masked))
    assert [(line.kind, line.at_ns) for line in true] == [(line.kind, line.at_ns) for line in false]
    assert [event for event, _ in events_of(true)] == [event for event, _ in events_of(false)]
    assert not {tag for _, tag in events_of(false)} & set(TAGS)
    assert not any(bytes.fromhex(tag) in entry.data for entry in masked for tag in TAGS)


def test_what_is_asked_follows_from_what_was_answered() -> None:
    """The conversation is the same live and played again: question for question."""
    entries = asyncio.run(recorded("pepper_c1", enough(200), faults=Faults(seed=4, late=0.02)))
    talk = Conversation(spec_of("pepper_c1", "", (1, 2), None))
    asked, was_asked = b"", b""
    for entry in entries:
        if entry.kind == "opened":
            asked += talk.open(entry.at_ns).write
        elif entry.kind == "rx":
            asked += talk.receive(entry.data, entry.at_ns).write
        elif entry.kind == "tick":
            asked += talk.advance(entry.at_ns).write
        else:
            was_asked += entry.data
    assert was_asked
    assert asked.startswith(was_asked)


def last_state(entries: Sequence[Entry]) -> tuple[str, int]:
    _, lines = played(header_of("pepper_c1"), entries)
    return [(line.fields["state"], line.at_ns // MS) for line in lines if line.kind == "state"][-1]


def test_a_silence_is_told_when_it_was_noticed_and_else_when_it_was_due() -> None:
    opened, *ticks = [
        Entry(at_ns=0, kind="opened"),
        *(Entry(at_ns=at_ms * MS, kind="tick") for at_ms in (60, 700, 800, 1300, 1400)),
    ]
    assert last_state([opened, *ticks]) == ("STALE", 1300)
    state, at_ms = last_state([opened, Entry(at_ns=5000 * MS, kind="tick")])
    assert state == "STALE"
    assert 1000 <= at_ms < 1200


def test_noise_time_outs_and_a_pulled_plug_are_in_the_recording() -> None:
    def play(readers: SimulatedReaders, kept: Sequence[Entry]) -> bool:
        if len(kept) == 300:
            readers.unplug("R")
        return kept[-1].kind == "lost"

    entries = asyncio.run(recorded("pepper_c1", play, faults=Faults(seed=2, bit_error=0.005)))
    rehearsal, lines = played(header_of("pepper_c1"), entries)
    assert rehearsal.tally["noise_bytes"] > 0
    assert rehearsal.tally["frames"] > 50
    assert states_of(lines)[-1] == "LINK_LOST"
    assert [event for event, _ in events_of(lines)][-2:] == ["DeviceFaulted"] * 2


def test_a_reader_that_is_only_listened_to_is_asked_nothing() -> None:
    spoken = Entry(at_ns=5 * MS, kind="rx", hex=pepper_c1.frame(b"\x00\x01").hex())
    entries = [Entry(at_ns=0, kind="opened"), spoken]
    _, lines = played(header_of("pepper_c1", is_asked=False), entries)
    assert [line.kind for line in lines] == ["frame"]


def test_silence_ends_an_incomplete_frame_as_in_the_bridge() -> None:
    frame = pepper_c1.frame(b"\x00\x01")
    cut = Entry(at_ns=1 * MS, kind="rx", hex=frame[:6].hex())
    soon = Entry(at_ns=2 * MS, kind="rx", hex=frame[6:].hex())
    late = Entry(at_ns=90 * MS, kind="rx", hex=frame[6:].hex())
    header = header_of("pepper_c1", is_asked=False)
    assert [line.fields["ok"] for line in played(header, [cut, soon])[1]] == [True]
    assert [line.fields["ok"] for line in played(header, [cut, late])[1]] == [False, False]


def test_a_reader_that_never_answers_is_opened_afresh() -> None:
    async def work() -> None:
        lost = asyncio.Event()

        def take(entry: Entry) -> None:
            kept.append(entry)
            if entry.kind == "lost":
                lost.set()

        spec = replace(spec_of("pepper_c1", os.ttyname(client), (1,), None), connect_s=0.2)
        begin_ns = stopwatch_ns()
        clock, rng = (lambda: stopwatch_ns() - begin_ns), random.Random(1)
        recorder = Recorder(spec, take=take, clock=clock, rng=rng, is_asked=True)
        recording = asyncio.ensure_future(recorder.run())
        await asyncio.wait_for(lost.wait(), 20)
        recording.cancel()
        await asyncio.gather(recording, return_exceptions=True)

    master, client = os.openpty()
    kept: list[Entry] = []
    asyncio.run(work())
    os.close(client)
    os.close(master)
    assert next(entry.why for entry in kept if entry.kind == "lost") == "no handshake"


# ---------------------------------------------------------------- the file
def test_a_file_is_read_as_it_was_written_and_known_by_its_first_bytes(tmp_path: Path) -> None:
    header = header_of("feig")
    entries = [
        Entry(at_ns=0, kind="opened"),
        Entry(at_ns=1, kind="rx", hex="AB", is_unsealed=True),
        Entry(at_ns=2, kind="lost", why="gone"),
    ]
    path = tmp_path / "r.jsonl"
    path.write_bytes(write_line(header) + b"".join(map(write_line, entries)))
    assert is_recording(path)
    first, *rest = path.read_bytes().splitlines(keepends=True)
    assert read_header(first, file="r") == header
    assert list(read_entries(rest, file="r")) == entries
    assert list(read_entries([*rest[:1], rest[1][:9]], file="r")) == entries[:1]
    path.write_bytes(b"SQLite format 3\0")
    assert not is_recording(path)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b'{"recording":9}\n', 1),
        (b'{"recording":1}\n', 1),
        (write_line(header_of("feig")).replace(b'"feig"', b'"nobody"'), 1),
        (b'{"at_ns":1,"kind":"sung"}\n', 2),
        (b'{"at_ns":1,"kind":"rx","hex":"A"}\n', 2),
        (b"no JSON\n", 2),
    ],
)
def test_a_line_that_is_none_is_told_with_its_number(line: bytes, number: int) -> None:
    def read() -> object:
        return read_header(line, file="r") if number == 1 else list(read_entries([line], file="r"))

    with pytest.raises(NotARecordingError, match=f"r:{number}: expected a line of a recording"):
        read()


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("state", {"state": "READY", "why": ""}, "reader is READY"),
        ("state", {"state": "STALE", "why": "silent"}, "reader is STALE: silent"),
        ("event", {"event": "CardRead", "place": "antenna:1", "tag": "E0"}, "antenna:1 E0"),
        (
            "frame",
            {"ok": True, "kind": "answer", "name": "uid", "status": "ok", "error": None,
             "uids": ["E0"], "direction": "rx"},
            "rx  answer uid: ok E0",
        ),
        (
            "frame",
            {"ok": False, "reason": "checksum", "length": 3, "direction": "rx"},
            "rx  no frame: checksum, 3 bytes",
        ),
    ],
)  # fmt: skip
def test_each_line_has_its_words(kind: str, fields: dict[str, object], words: str) -> None:
    told = line_words(Line(at_ns=1_500_000, fields=fields, kind=kind))
    assert told.startswith("       1.500 ms")
    assert told.endswith(words)


# ---------------------------------------------------------------- the commands
async def commanded(output: Path, *options: str) -> tuple[int, bytes, bytes]:
    async with await SimulatedReaders.start(speed=SPEED) as readers:
        readers.put(TAGS, Place("S1"))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "misdeal", "record", readers.ports["A"]),
            *("--family", "pepper_c1", "--antennas", "1,2", "--seconds", "0.7"),
            *("-o", str(output), *options),
            stdout=-1,
            stderr=-1,
        )
        out, err = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out, err


@pytest.mark.parametrize("options", [(), ("--mask",)])
def test_what_is_recorded_can_be_replayed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    path = tmp_path / "r.jsonl"
    status, out, err = asyncio.run(commanded(path, *options))
    assert (status, out) == (0, b""), err
    assert run(["replay", str(path), "--json"]) == 0
    sys.stdout.flush()
    told = capfd.readouterr()
    fields = [msgspec.json.decode(line) for line in told.out.splitlines()]
    read = {each["tag"] for each in fields if each.get("event") == "CardRead"}
    assert len(read) == 3
    assert (read == set(TAGS)) is not bool(options)
    assert "pepper_c1: " in told.err
    assert run(["replay", str(path)]) == 0
    assert "reader is READY" in capfd.readouterr().out


def test_a_recording_on_standard_output_is_nothing_but_the_recording() -> None:
    status, out, _ = asyncio.run(commanded(Path("-")))
    assert status == 0
    first, *rest = out.splitlines(keepends=True)
    assert read_header(first, file="-").antennas == (1, 2)
    assert next(read_entries(rest, file="-")).kind == "opened"


def test_a_recording_that_is_to_be_masked_ends_where_no_more_can_be_kept() -> None:
    async def work() -> int:
        async with await SimulatedReaders.start(speed=SPEED) as readers:
            spec = spec_of("pepper_c1", readers.ports["A"], (1,), None)
            return await _record(spec, kept.append, None, 100, is_asked=True)

    kept: list[Entry] = []
    heard = asyncio.run(work())
    assert 100 < heard < 400
    assert heard == sum(len(entry.data) for entry in kept if entry.kind == "rx")


def test_a_recording_that_cannot_be_kept_ends_at_once() -> None:
    def fail(entry: Entry) -> None:
        raise OSError(28, "No space left on device")

    async def work() -> int:
        spec = spec_of("pepper_c1", "/dev/none", (1,), None)
        return await _record(spec, fail, None, None, is_asked=True)

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(work())


def test_a_port_that_is_not_there_is_told_and_nothing_heard_is_a_no(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    arguments = ["record", "/dev/none", "--family", "feig", "--seconds", "0.3", "-o", str(path)]
    assert run(arguments) == 1
    assert "/dev/none: No such file or directory; it is tried again" in capfd.readouterr().err
    assert run(["replay", str(path)]) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--family", "ti_s6350"], "expected --listen"),
        (["--family", "feig", "--antennas", "9"], "expected numbers from 1 to 8"),
        (["--family", "feig", "--antennas", "a"], "expected numbers from 1 to 8"),
        (["--family", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_recorded_is_told(
    capfd: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert run(["record", "/dev/none", *options]) == 2
    assert said in capfd.readouterr().err


def test_a_recording_that_is_broken_is_told_with_its_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(write_line(header_of("feig")) + b"{}\n")
    assert run(["replay", str(path)]) == 2
    assert f"{path}:2: expected a line of a recording" in capfd.readouterr().err
