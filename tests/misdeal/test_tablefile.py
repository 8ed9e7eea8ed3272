"""A table file is read whole, and everything that is wrong with it is told at once."""

from pathlib import Path

import pytest

from engine.cards import Place
from firmware_bridge.register import write_pack
from hw_fixtures.packs import demo_packs
from misdeal.commands.init import TEMPLATE
from misdeal.errors import TableFileError
from misdeal.tablefile import compile_texts, load, parse

SOUND = """\
config_version = 1
name = "t1"
game = "holdem"
rulebook = "tda-2024"
seats = [1, 2, 3]

[[reader]]
name = "dealer"
port = "/dev/serial/by-id/a"
family = "pepper_c1"
[reader.antennas]
1 = "shoe"
2 = "board"

[[reader]]
name = "seats"
port = "/dev/serial/by-id/b"
family = "pepper_c1"
baud = 115200
[reader.antennas]
1 = "S1"
2 = "S2"

[[pack]]
name = "red"
register = "red.csv"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for pack in demo_packs(1):
        (tmp_path / f"{pack.name}.csv").write_text(write_pack(pack))
    return tmp_path


def told(folder: Path, text: str) -> list[str]:
    """Return the faults of a table file, its folder left out."""
    path = folder / "table.toml"
    path.write_text(text)
    with pytest.raises(TableFileError) as error:
        load(path)
    return [bare(str(fault), folder) for fault in error.value.faults]


def bare(sentence: str, folder: Path) -> str:
    """Return a sentence that begins with the line in the table file, or with another file."""
    return sentence.removeprefix(f"{folder}/").removeprefix("table.toml:")


def test_a_sound_table_file_becomes_a_layout(folder: Path) -> None:
    path = folder / "table.toml"
    path.write_text(SOUND)
    layout = load(path)
    assert layout.setup.seats == ("S1", "S2", "S3")
    assert layout.setup.hands == "inferred"
    assert layout.setup.readers == {"shoe", "board", "S1", "S2"}
    assert layout.setup.window_ns == 400_000_000
    assert [spec.name for spec in layout.readers] == ["dealer", "seats"]
    assert layout.readers[1].antennas == {1: Place("S1"), 2: Place("S2")}
    assert [pack.name for pack in layout.setup.packs] == ["red"]
    assert layout.journal == folder / "journal.db"
    assert layout.header["table"] == SOUND


def test_the_template_is_sound_and_small() -> None:
    assert parse(TEMPLATE, "table.toml").seats == (1, 2, 3, 4, 5, 6, 7, 8, 9)
    assert len(TEMPLATE.splitlines()) < 40


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "baud = 115200",
            'baud = "fast"',
            ['19: reader[1].baud: found "fast", expected int'],
        ),
        (
            "seats = [1, 2, 3]",
            "seets = [1, 2, 3]",
            [
                "5: seets: found an unknown key, expected 'seats'? (one of ",
                " seats: found nothing, expected the seats entitled to a hand",
            ],
        ),
        (
            "config_version = 1",
            "config_version = 2",
            ["1: config_version: found 2, expected one of 1"],
        ),
        (
            "seats = [1, 2, 3]",
            "seats = [1, 2, 2]\nbutton = 7\ntableseats = [1]",
            [
                "5: seats[2]: found 2 again, expected each once",
                "5: seats[1]: found 2, expected one of tableseats [1]",
                "5: seats[2]: found 2, expected one of tableseats [1]",
                "6: button: found 7, expected one of the seats [1]",
                '24: reader[1].antennas.2: found "S2", expected one of the seats [1]',
            ],
        ),
        (
            '"tda-2024"',
            '"tda-2042"',
            ["4: rulebook: found \"tda-2042\", expected 'tda-2024'? (one of "],
        ),
        (
            'port = "/dev/serial/by-id/b"',
            'port = "/dev/serial/by-id/a"',
            [
                (
                    '17: reader[1].port: found "/dev/serial/by-id/a", expected a port of '
                    "its own: reader 'dealer' has this one"
                )
            ],
        ),
        (
            'family = "pepper_c1"\nbaud',
            'family = "peper_c1"\nbaud',
            ["18: reader[1].family: found \"peper_c1\", expected 'pepper_c1'? (one of "],
        ),
        (
            '2 = "S2"',
            '2 = "S1"',
            [
                (
                    '22: reader[1].antennas.2: found "S1", expected a place that no other '
                    "antenna covers"
                )
            ],
        ),
        (
            '2 = "S2"',
            '9 = "bord"',
            [
                (
                    '22: reader[1].antennas.9: found "9", expected an antenna number from 1 '
                    "to 8, as a pepper_c1 has them"
                ),
                "22: reader[1].antennas.9: found \"bord\", expected 'board'? (one of ",
            ],
        ),
        (
            '1 = "S1"\n2 = "S2"',
            "",
            [('20: reader[1].antennas: found no antenna, expected one or more, like 1 = "S1"')],
        ),
        (
            'name = "seats"',
            'name = "dealer"',
            ['16: reader[1].name: found "dealer" again, expected each once'],
        ),
        (
            '"red.csv"',
            '"rad.csv"',
            ['26: pack[0].register: found "rad.csv", expected a file ('],
        ),
        (
            "seats = [1, 2, 3]",
            'seats = [1, 2, 3]\nhouse = "none.toml"',
            ['6: house: found "none.toml", expected a file ('],
        ),
        (
            "seats = [1, 2, 3]",
            'seats = [1, 2, 3]\nhouse = {exposed_card = "misdeal"}',
            ["6: house: found a table written within a line, expected a section [house]"],
        ),
        ("seats = [", "seats [", ['5: found "seats [1, 2, 3]", expected TOML (']),
        ('name = "red"', 'name = "red', ['25: found "name = ']),
    ],
)
def test_a_fault_is_told_with_line_key_found_and_expected(
    folder: Path, old: str, new: str, expected: list[str]
) -> None:
    faults = told(folder, SOUND.replace(old, new, 1))
    assert len(faults) == len(expected)
    assert [f[: len(e)] for f, e in zip(faults, expected, strict=True)] == expected


def test_faults_of_different_kinds_are_told_together(folder: Path) -> None:
    text = SOUND.replace('"S2"', '"S1"').replace('"tda-2024"', '"x"').replace("red.csv", "r.csv")
    assert len(told(folder, text)) == 3


def test_a_faulty_register_is_told_with_its_own_lines(folder: Path) -> None:
    lines = (folder / "red.csv").read_text().splitlines()
    (folder / "red.csv").write_text("\n".join([*lines[:3], lines[2], *lines[4:]]))
    assert [fault.split(": found")[0] for fault in told(folder, SOUND)] == [
        "red.csv:4: card",
        "red.csv:4: tag",
        "red.csv: card",
    ]


def test_two_packs_that_claim_one_tag_are_refused(folder: Path) -> None:
    text = SOUND + '[[pack]]\nname = "other"\nregister = "red.csv"\n'
    assert "expected a tag that pack 'red' does not claim" in told(folder, text)[0]


HOUSE = """
[house]
exposed_card = "misdeal"
[[house.clause]]
id = "h1"
finding = "boxed_card"
verdict = "misdeel"
source = "house rules, 3"
"""


def test_house_rules_in_the_table_file_are_checked_on_their_own_lines(folder: Path) -> None:
    faults = told(folder, SOUND + HOUSE)
    assert len(faults) == 1
    assert faults[0].startswith("33: clause[0].verdict: found 'misdeel', expected")


@pytest.mark.parametrize("is_inline", [True, False])
def test_house_rules_are_laid_over_the_book_and_kept_in_the_header(
    folder: Path, *, is_inline: bool
) -> None:
    rules = 'exposed_card = "misdeal"\n'
    (folder / "house.toml").write_text(rules)
    ours = f"\n[house] # ours\n{rules}" if is_inline else ""
    text = SOUND if is_inline else 'house = "house.toml"\n' + SOUND
    path = folder / "table.toml"
    path.write_text(text + ours)
    layout = load(path)
    (clause,) = layout.book.clauses_on("exposed_card", "holdem")
    assert (clause.verdict, clause.basis) == ("misdeal", "house")
    assert compile_texts(layout.header).hash == layout.book.hash


def test_a_port_that_may_change_is_noted_with_its_lasting_name(folder: Path) -> None:
    by_id = folder / "by-id"
    by_id.mkdir()
    (by_id / "usb-FTDI_1").symlink_to("/dev/ttyUSB0")
    path = folder / "table.toml"
    path.write_text(
        SOUND.replace("/dev/serial/by-id/a", "/dev/ttyUSB0").replace(
            "/dev/serial/by-id/b", "/dev/ttyACM1"
        )
    )
    notes = [bare(note, folder) for note in load(path, by_id=by_id).notes]
    assert notes == [
        (
            "9: reader[0].port: /dev/ttyUSB0 may be another adapter at the next start; use "
            f'port = "{by_id}/usb-FTDI_1"'
        ),
        (
            "17: reader[1].port: /dev/ttyACM1 may be another adapter at the next start; use "
            f"its name under {by_id}"
        ),
        "7: reader: no reader at S3: followed from the deal plan",
        "7: reader: no reader at burn, muck, pack: not watched there",
    ]


def test_two_names_of_one_device_are_one_port(folder: Path) -> None:
    device = folder / "ttyUSB7"
    device.touch()
    (folder / "by-path").symlink_to(device)
    text = SOUND.replace("/dev/serial/by-id/a", str(device)).replace(
        "/dev/serial/by-id/b", str(folder / "by-path")
    )
    assert "reader 'dealer' has this one" in told(folder, text)[0]
