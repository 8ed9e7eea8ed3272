"""A pack is registered at a simulated pad and by the command; nothing is lost."""

import asyncio
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.cards import FULL_PACK, PACK, SHOE, Card, Place, Tag
from firmware_bridge.bridge import ReaderHealth
from firmware_bridge.register import read_pack, write_pack
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.devices.front_end import FrontEnd
from hw_fixtures.devices.iso15693 import SIGNATURES
from hw_fixtures.faults import Faults
from hw_fixtures.packs import demo_packs, own_cards
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.world import Antenna, Wiring
from misdeal.cli import run
from misdeal.clock import table_clock
from misdeal.demo import write_table
from misdeal.desk import HEALTH_S, Desk, reader_at
from misdeal.enrolment import Asked, Enrolment, Registered, Said, Whole, prompt
from misdeal.registering import part_of, read_part, with_lines_of
from misdeal.tablefile import parse
from tests.firmware_bridge.plugged import Plugged

FRESH = Enrolment(name="red", faces=(Card("As"), Card("Ks"), Card("Qs")))

# ---------------------------------------------------------------- at a simulated pad
TABLE_PACKS = demo_packs(1)
RED = own_cards(TABLE_PACKS[0])
SPEED = 10.0


async def enrolled(place: Place, faults: Faults, count: int) -> tuple[Enrolment, list[Said]]:
    """Register so many cards by hand at simulated readers; the hand lays down what is asked for."""
    tags = {line.card: line.tag for line in RED}
    faces = tuple(line.card for line in RED[:count])
    said: list[Said] = []
    async with await SimulatedReaders.start(speed=SPEED) as readers:
        readers.set_faults(faults)
        reader = "C" if place == SHOE else "B"
        spec = ReaderSpec(
            name=reader, port=readers.ports[reader], antennas={1 if place == SHOE else 5: place}
        )
        on_pad: list[Tag] = []

        def tell(each: Said) -> None:
            said.append(each)
            if isinstance(each, Asked):
                readers.take(on_pad)
                on_pad[:] = [tags[each.card]]
                readers.put(on_pad, place)

        begun = Enrolment(name="red", faces=faces)
        # These readers read no signature: five tries end the wait for the last one.
        desk = Desk(begun, tell=tell, keep=lambda now: None, last_wait_s=60.0)
        tell(prompt(begun))
        clock, rng = table_clock(0), random.Random(1)
        await desk.attend(spec, clock=clock, rng=rng, tell_reader=lambda reader: None)
    return desk.enrolment, said


@pytest.mark.parametrize(
    ("place", "faults"),
    [
        (PACK, Faults()),
        (SHOE, Faults()),
        (PACK, Faults(seed=1, missed_tag=0.1, ghost_tag=0.1, bit_error=0.002)),
    ],
)
def test_a_pack_is_registered_at_a_simulated_pad_also_where_it_is_read_badly(
    place: Place, faults: Faults
) -> None:
    enrolment, said = asyncio.run(enrolled(place, faults, 12))
    assert enrolment.pack().cards == RED[:12]
    assert said[-1] == Whole(cards=12)


SIGNING_PAD = Wiring(
    name="P",
    identity="0102030405060708090A0B0C",
    family="anyid7e55",
    antennas=(Antenna(place=PACK, capacity=60),),
)


def test_cards_that_can_sign_are_registered_with_their_makers_signatures(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def work() -> Enrolment:
        chips = list(SIGNATURES)
        async with await SimulatedReaders.start((SIGNING_PAD,), speed=SPEED) as readers:
            spec = ReaderSpec(
                name="P", port=readers.ports["P"], family="anyid7e55", antennas={1: PACK}
            )

            def tell(each: Said) -> None:
                if isinstance(each, Asked):
                    readers.move(chips[each.done : each.done + 1], PACK)

            desk = Desk(FRESH, tell=tell, keep=lambda now: None)
            tell(prompt(FRESH))
            clock, rng = table_clock(0), random.Random(1)
            await desk.attend(spec, clock=clock, rng=rng, tell_reader=lambda reader: None)
        return desk.enrolment

    enrolment = asyncio.run(work())
    assert enrolment.signatures == SIGNATURES
    assert [record.message for record in caplog.records if "forgery" in record.message] == []
    text = write_pack(enrolment.pack(), enrolment.signatures)
    assert with_lines_of(FRESH, text, file="f").signatures == SIGNATURES


def test_the_last_signature_is_not_waited_for_for_ever() -> None:
    """Our front end may read signatures; this one does not, and says so when it is greeted."""
    pad = Wiring(name="P", identity="7", family="front_end", antennas=(Antenna(place=PACK),))

    async def work() -> Enrolment:
        async with await SimulatedReaders.start((pad,), speed=SPEED) as readers:
            readers.put([RED[0].tag], PACK)
            spec = ReaderSpec(
                name="P", port=readers.ports["P"], family="front_end", antennas={1: PACK}
            )
            begun = Enrolment(name="red", faces=(RED[0].card,))
            desk = Desk(begun, tell=_ignore, keep=_ignore, last_wait_s=0.2)
            clock, rng = table_clock(0), random.Random(1)
            await desk.attend(spec, clock=clock, rng=rng, tell_reader=_ignore)
        return desk.enrolment

    enrolment = asyncio.run(work())
    assert enrolment.lines == RED[:1]
    assert enrolment.signatures == {}


def test_a_reader_that_is_not_there_is_told_once() -> None:
    async def work() -> list[ReaderHealth]:
        told: list[ReaderHealth] = []
        is_told = asyncio.Event()

        def tell(reader: ReaderHealth) -> None:
            told.append(reader)
            is_told.set()

        desk = Desk(FRESH, tell=_ignore, keep=_ignore)
        spec = ReaderSpec(name="P", port="/dev/none", antennas={5: PACK})
        clock, rng = table_clock(0), random.Random(1)
        working = asyncio.ensure_future(desk.attend(spec, clock=clock, rng=rng, tell_reader=tell))
        await is_told.wait()
        await asyncio.sleep(HEALTH_S)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        return told

    assert [(each.state, each.why) for each in asyncio.run(work())] == [
        ("LINK_LOST", "No such file or directory")
    ]


def _ignore(said: object) -> None:
    del said


def test_a_register_that_cannot_be_kept_ends_the_work_at_once() -> None:
    async def work() -> None:
        async with await SimulatedReaders.start(speed=SPEED) as readers:
            readers.put([RED[0].tag], SHOE)
            spec = ReaderSpec(name="C", port=readers.ports["C"], antennas={1: SHOE})

            def fail(now: Enrolment) -> None:
                raise OSError(28, "No space left on device")

            desk = Desk(FRESH, tell=lambda said: None, keep=fail)
            clock, rng = table_clock(0), random.Random(1)
            await desk.attend(spec, clock=clock, rng=rng, tell_reader=lambda reader: None)

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(work())


# ---------------------------------------------------------------- through the shoe
BOX = """\
[[reader]]
name = "box"
port = "{port}"
family = "front_end"
gate = true
settle_ms = 5
antennas = {{2 = "burn", 1 = "shoe"}}
"""


def test_a_pack_is_registered_through_the_shoe_with_its_gate_open(tmp_path: Path) -> None:
    """A box tells each card that passes once, and hears it as long as it is held there."""

    async def work() -> tuple[Enrolment, set[bool], bool]:
        box = Plugged("front_end_shoe", {1: SHOE}, tmp_path / "box")
        device = box.device
        assert isinstance(device, FrontEnd)
        box.plug()
        text = write_table(tmp_path, [], {}, wirings=()).read_text() + BOX.format(port=box.path)
        spec = reader_at(parse(text, "table.toml"), SHOE)
        assert spec is not None
        gates: set[bool] = set()

        def tell(said: Said) -> None:
            if isinstance(said, Asked):
                box.cards[SHOE] = (RED[said.done].tag,)
            elif isinstance(said, Registered):
                gates.add(device.is_gate_open)

        desk = Desk(FRESH, tell=tell, keep=_ignore)
        tell(prompt(FRESH))
        clock, rng = table_clock(0), random.Random(1)
        await desk.attend(spec, clock=clock, rng=rng, tell_reader=_ignore)
        for _ in range(20):  # two seconds without a host
            device.notices()
        box.unplug()
        return desk.enrolment, gates, device.is_gate_open

    enrolment, gates, is_open_afterwards = asyncio.run(work())
    assert enrolment.lines == RED[:3]
    assert (gates, is_open_afterwards) == ({True}, False)


def test_a_reader_is_asked_as_the_table_file_has_it(tmp_path: Path) -> None:
    text = write_table(tmp_path, [], {}, wirings=()).read_text()
    feig = '[[reader]]\nname = "mux"\nport = "/none"\nfamily = "feig"\nmultiplexer = true\n'
    antennas = 'reset_on_open = true\nantennas = {1 = "S1", 2 = "pack"}\n'
    spec = reader_at(
        parse(f"{text}{feig}{antennas}{BOX.format(port='/none/2')}", "table.toml"), PACK
    )
    assert spec == ReaderSpec(
        name="mux",
        port="/none",
        family="feig",
        antennas={2: PACK},
        reset_on_open=True,
        has_multiplexer=True,
    )


# ---------------------------------------------------------------- the command
@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A demo table whose red pack is not registered yet; its readers are not there."""
    path = write_table(tmp_path, TABLE_PACKS, {"A": "/none/A", "B": "/none/B", "C": "/none/C"})
    (tmp_path / "red.csv").unlink()
    return path


def red_text(table: Path) -> str:
    return (table.parent / "red.csv").read_text()


def test_the_reader_at_a_place_listens_there_alone(table: Path) -> None:
    file = parse(table.read_text(), "table.toml")
    spec = reader_at(file, PACK)
    assert spec is not None
    assert (spec.name, spec.antennas, spec.identity) == ("B", {5: PACK}, "C1-MUX SIM-B")
    assert reader_at(file, Place("rack")) is None


def test_a_whole_csv_is_imported_and_exported_without_a_reader(
    table: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    maker = table.parent / "maker.csv"
    maker.write_text(write_pack(TABLE_PACKS[0]))
    arguments = ["enrol", str(table), "--pack", "red"]
    assert run([*arguments, "--import", str(maker)]) == 0
    kept = read_pack(red_text(table), file="f", name="red")
    assert kept.cards[:52] == RED
    assert set(kept.cards) == set(TABLE_PACKS[0].cards)
    assert run([*arguments, "--export", str(table.parent / "out.csv")]) == 0
    assert (table.parent / "out.csv").read_text() == red_text(table)
    capfd.readouterr()
    assert run([*arguments, "--export", "-"]) == 0
    sys.stdout.flush()
    assert capfd.readouterr().out == red_text(table)
    assert run([*arguments, "--import", str(maker)]) == 2
    assert "is there already; it is not overwritten" in capfd.readouterr().err


def test_a_csv_in_reversed_byte_order_is_refused_with_the_reason_and_turned_on_demand(
    table: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    maker = table.parent / "maker.csv"
    maker.write_text(
        re.sub(
            r"E0\w{14}",
            lambda m: bytes.fromhex(m[0])[::-1].hex().upper(),
            write_pack(TABLE_PACKS[0]),
        )
    )
    arguments = ["enrol", str(table), "--pack", "red", "--import", str(maker)]
    assert run(arguments) == 2
    assert "UIDs in reversed byte order, E0 last (56 lines)" in capfd.readouterr().err
    assert run([*arguments, "--reversed"]) == 0
    assert read_pack(red_text(table), file="f", name="red").cards[:52] == RED


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--replace", "9h"], "expected a card of a pack that is whole"),
        (["--replace", "9x"], "'9x' is no card"),
        (["--import", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_what_cannot_be_done_is_told_on_one_line(
    table: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(["enrol", str(table), "--pack", "red", *arguments]) == 2
    err = capfd.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_a_table_without_a_reader_at_the_pad_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_table(tmp_path, [], {}, wirings=())
    assert run(["enrol", str(path), "--pack", "red"]) == 2
    assert "no reader of the table file covers pack or shoe" in capfd.readouterr().err


def test_a_pack_is_gone_on_with_after_ctrl_c_and_nothing_is_lost(tmp_path: Path) -> None:
    async def work() -> list[list[str]]:
        async with await SimulatedReaders.start(speed=SPEED) as readers:
            path = write_table(tmp_path, [], readers.ports)
            return [await _run_until(path, readers, have, stop) for have, stop in ((0, 2), (2, 3))]

    first, second = asyncio.run(work())
    assert first[:2] == ["asked As 0", "registered As"]
    assert second[0] == "asked Qs 2"
    part = read_part(
        part_of(tmp_path / "red.csv").read_text(), file="f", name="red", faces=FULL_PACK
    )
    assert part.cards == RED[:3]


async def _run_until(path: Path, readers: SimulatedReaders, have: int, stop: int) -> list[str]:
    """Run the command, laying card upon card, until so many are kept; then Ctrl-C."""
    readers.put([RED[have].tag], PACK)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "misdeal", "enrol", str(path), "--pack", "red", "--json"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    told: list[str] = []
    async for line in process.stdout:
        said = msgspec.json.decode(line)
        told.append(f"{said['kind']} {said['card']} {said.get('done', '')}".strip())
        if said["kind"] == "registered":
            have += 1
            if have == stop:
                process.send_signal(signal.SIGINT)
            else:
                readers.put([RED[have].tag], PACK)
    assert await process.wait() == 130
    return told
