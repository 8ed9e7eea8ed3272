"""A table file describes every game: a shoe of several packs, players who deal, absent players."""

from pathlib import Path

import pytest

from firmware_bridge.register import write_pack
from hw_fixtures.packs import demo_packs
from misdeal.errors import TableFileError
from misdeal.tablefile import compile_texts, load

HEAD = """\
config_version = 1
name = "t1"
game = "{game}"
rulebook = "{book}"
seats = {seats}
{more}
"""
PACKS = """
[[pack]]
name = "red"
register = "red.csv"

[[pack]]
name = "blue"
register = "blue.csv"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for pack in demo_packs(1):
        (tmp_path / f"{pack.name}.csv").write_text(write_pack(pack))
    return tmp_path


def written(
    folder: Path, more: str = "", *, game: str = "holdem", book: str = "tda-2024",
    seats: str = "[1, 2, 3]", packs: str = PACKS,
) -> Path:  # fmt: skip
    path = folder / "table.toml"
    path.write_text(HEAD.format(game=game, book=book, seats=seats, more=more) + packs)
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(TableFileError) as error:
        load(path)
    return [str(fault).removeprefix(f"{path}:") for fault in error.value.faults]


def test_all_packs_of_a_shoe_are_one_register(folder: Path) -> None:
    book = {"game": "baccarat", "book": "melilla-baccarat", "seats": "[]"}
    setup = load(written(folder, "decks = 2", **book)).setup
    assert setup.decks == 2
    assert [pack.name for pack in setup.packs] == ["shoe"]
    assert len(setup.packs[0].own_tags()) == 104


def test_a_shoe_without_a_register_for_each_pack_is_refused(folder: Path) -> None:
    book = {"game": "baccarat", "book": "melilla-baccarat", "seats": "[]"}
    assert faults(written(folder, "decks = 6", **book)) == [
        "6: decks: found 6, expected a [[pack]] for each of them, found 2"
    ]


def test_who_deals_and_who_is_away_or_on_penalty_is_told(folder: Path) -> None:
    more = "dealer = 2\nabsent = [3]\npenalty = {1 = 2}"
    setup = load(written(folder, more, game="draw5", book="laws-of-poker")).setup
    assert setup.dealer == "S2"
    assert setup.absent == {"S3"}
    assert setup.penalty == {"S1": 2}


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ("dealer = 7", "6: dealer: found 7, expected one of the seats [1, 2, 3]"),
        ("absent = [4]", "6: absent[0]: found 4, expected one of the seats [1, 2, 3]"),
    ],
)
def test_a_seat_that_is_not_there_is_refused(folder: Path, more: str, fault: str) -> None:
    assert faults(written(folder, more)) == [fault]


def test_a_seat_on_penalty_must_be_in_the_game(folder: Path) -> None:
    [fault] = faults(written(folder, "penalty = {9 = 1}"))
    assert "penalty" in fault
    assert "expected one of the seats [1, 2, 3]" in fault


def test_a_book_that_does_not_know_the_game_is_refused(folder: Path) -> None:
    [fault] = faults(written(folder, book="pa-baccarat"))
    assert fault == '3: game: found "holdem", expected a game of pa-baccarat: baccarat'


def test_a_game_with_seats_needs_one(folder: Path) -> None:
    [fault] = faults(written(folder, seats="[]"))
    assert fault == "5: seats: found no seat, expected at least one, for holdem"


def test_a_jurisdiction_lies_between_book_and_house(folder: Path) -> None:
    (folder / "law.toml").write_text('wrong_pack_count = "deck_fouled"\nmarked_card = "noted"\n')
    more = 'jurisdiction = "law.toml"\nhouse = "house.toml"'
    (folder / "house.toml").write_text('marked_card = "deck_replaced"\n')
    layout = load(written(folder, more))
    said = {c.finding: c.verdict for c in layout.book.clauses if c.layer}
    assert said == {"wrong_pack_count": "deck_fouled", "marked_card": "deck_replaced"}
    assert compile_texts(layout.header).hash == layout.book.hash


def test_a_jurisdiction_that_cannot_be_read_is_refused(folder: Path) -> None:
    [fault] = faults(written(folder, 'jurisdiction = "none.toml"'))
    assert fault.startswith('6: jurisdiction: found "none.toml", expected a file')
