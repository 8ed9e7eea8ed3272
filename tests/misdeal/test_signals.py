"""Lamps, buzzer and gate of a table file: which device is told what, and when."""

from pathlib import Path

import pytest

from engine.cards import Place
from engine.docket import Ruling
from engine.events import Approved, TimePassed
from firmware_bridge.actuators import Buzzer, Gate, Lamp, Output, SafeState
from firmware_bridge.register import write_pack
from firmware_bridge.wiring import are_neighbours
from hw_fixtures.packs import demo_packs
from misdeal.config import Reader
from misdeal.errors import TableFileError
from misdeal.outputs import BUZZ_MS
from misdeal.signals import Signals
from misdeal.surveying import Crossing, Reading, Survey, write_survey
from misdeal.tablefile import Layout, load

PASSING = TimePassed(at_ns=1)
FOULED = Ruling(
    id="r1",
    finding="duplicate_card",
    place=None,
    verdict="deck_fouled",
    state="final",
    decider="book",
    rulebook="a book",
    book_version="1",
    book_hash="",
    because="",
    hand=1,
)


def reader(name: str, *, gate: bool = False, lamps: dict[str, str] | None = None) -> Reader:
    return Reader(
        name=name,
        port=f"/dev/{name}",
        family="front_end",
        antennas={"1": "shoe"},
        gate=gate,
        lamps=lamps or {},
    )


def orders_of(signals: Signals, *rulings: Ruling) -> list[tuple[str, Output]]:
    told: list[tuple[str, Output]] = []
    signals.show(rulings, lambda device, order: told.append((device, order)))
    return told


def test_a_table_that_must_stop_shuts_the_gate_and_sounds_whatever_was_ruled() -> None:
    told: list[tuple[str, Output]] = []
    signals = Signals([reader("shoe", gate=True), reader("B", lamps={"1": "table"}), reader("C")])
    assert signals.stop(lambda device, order: told.append((device, order)))
    assert told == [
        ("shoe", Gate(is_open=False)),
        ("shoe", Buzzer(BUZZ_MS)),
        ("B", Buzzer(BUZZ_MS)),
    ]
    assert not Signals([reader("C")]).stop(lambda device, order: told.append((device, order)))


def test_a_fouled_deck_shuts_the_gate_and_approval_opens_it() -> None:
    signals = Signals([reader("shoe", gate=True)])
    assert orders_of(signals) == [("shoe", Gate(is_open=True))]
    signals.follow(PASSING, (FOULED,))
    assert orders_of(signals, FOULED) == [("shoe", Gate(is_open=False)), ("shoe", Buzzer(BUZZ_MS))]
    assert orders_of(signals, FOULED) == []
    signals.follow(Approved(at_ns=2), ())
    assert orders_of(signals) == [("shoe", Gate(is_open=True))]


def test_a_device_with_lamps_alone_is_told_of_no_gate() -> None:
    signals = Signals([reader("rail", lamps={"1": "table", "3": "S3"})])
    assert orders_of(signals) == [("rail", Lamp(1, "off")), ("rail", Lamp(3, "off"))]


def test_a_reader_without_lamps_and_gate_is_told_nothing() -> None:
    assert orders_of(Signals([reader("seats")]), FOULED) == []


# ---------------------------------------------------------------- the table file
HEAD = """\
config_version = 1
name = "t1"
game = "holdem"
rulebook = "tda-2024"
seats = [1, 2, 3]
[[pack]]
name = "red"
register = "red.csv"
[[reader]]
name = "box"
port = "/dev/serial/by-id/a"
"""


def table(folder: Path, rest: str) -> Layout:
    for pack in demo_packs(1):
        (folder / f"{pack.name}.csv").write_text(write_pack(pack))
    path = folder / "table.toml"
    path.write_text(HEAD + rest)
    return load(path)


def faults_of(folder: Path, rest: str) -> list[str]:
    with pytest.raises(TableFileError) as refused:
        table(folder, rest)
    return [f"{fault.key}: expected {fault.expected}" for fault in refused.value.faults]


FRONT_END = 'family = "front_end"\ngate = true\n'


def test_a_device_with_the_gate_shuts_it_when_it_hears_nothing(tmp_path: Path) -> None:
    rest = '[reader.antennas]\n1 = "shoe"\n[reader.lamps]\n1 = "table"\n3 = "S3"\n'
    layout = table(tmp_path, FRONT_END + rest)
    assert layout.readers[0].safe_state == SafeState(is_gate_open=False)
    assert layout.file.reader[0].lamps == {"1": "table", "3": "S3"}


def test_every_fault_of_lamps_is_told(tmp_path: Path) -> None:
    rest = '[reader.antennas]\n1 = "shoe"\n[reader.lamps]\nx = "tabel"\n0 = "S3"\n'
    number, place, zero = faults_of(tmp_path, FRONT_END + rest)
    assert "a lamp number from 1 to 255" in number
    assert "a lamp number from 1 to 255" in zero
    assert "table" in place


def test_a_family_without_outputs_has_no_gate(tmp_path: Path) -> None:
    rest = 'family = "pepper_c1"\ngate = true\n[reader.antennas]\n1 = "shoe"\n'
    (fault,) = faults_of(tmp_path, rest)
    assert "no gate: a pepper_c1 has no outputs" in fault


def test_a_code_shoe_takes_its_map_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "codes.txt").write_text("3020 2c\n3021 3c\n")
    rest = 'family = "code_shoe"\ncodes = "codes.txt"\n[reader.antennas]\n1 = "shoe"\n'
    assert table(tmp_path, rest).readers[0].codes == {"3020": "2c", "3021": "3c"}


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ('family = "code_shoe"\n', "a file that says which code is which card"),
        ('family = "code_shoe"\ncodes = "none.txt"\n', "a file ("),
        ('family = "code_shoe"\ncodes = "bad.txt"\n', "a code and a card"),
        ('family = "pepper_c1"\ncodes = "bad.txt"\n', "no codes: a pepper_c1 reads tags"),
    ],
)
def test_a_map_that_is_missing_or_wrong_is_told(tmp_path: Path, rest: str, expected: str) -> None:
    (tmp_path / "bad.txt").write_text("3020\n")
    told = faults_of(tmp_path, rest + '[reader.antennas]\n1 = "shoe"\n')
    assert any(expected in fault for fault in told), told


# ---------------------------------------------------------------- the survey beside it
PEPPER = 'family = "pepper_c1"\n[reader.antennas]\n1 = "S1"\n2 = "S2"\n3 = "S3"\n'
S1, S2, S3 = Place("S1"), Place("S2"), Place("S3")


def test_without_a_survey_neighbours_are_those_of_a_usual_table(tmp_path: Path) -> None:
    assert table(tmp_path, PEPPER).near is are_neighbours


def test_a_survey_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "survey.json").write_text("{")
    (fault,) = faults_of(tmp_path, PEPPER)
    assert "what misdeal survey wrote" in fault


def test_a_survey_says_who_hears_whom(tmp_path: Path) -> None:
    survey = Survey(
        table="t1",
        made="2026-11-30",
        readings=tuple(
            Reading(place=each, height=1, looks=50, heard=(50,)) for each in (S1, S2, S3)
        ),
        crossings=(Crossing(lies_at=S1, heard_at=S3, looks=50, hits=5),),
    )
    (tmp_path / "survey.json").write_text(write_survey(survey))
    near = table(tmp_path, PEPPER).near
    assert (near(S3, S1), near(S1, S2)) == (True, False)
