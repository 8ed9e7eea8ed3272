"""The rule books listed, and books and house rules checked."""

from pathlib import Path

from engine.rulebook import book_names
from misdeal.books import read_book
from tests.misdeal.said import Said, rows, write


# ---------------------------------------------------------------- rules list
def test_every_book_is_listed_with_version_games_and_hash(said: Said) -> None:
    _, out, _ = said("rules", "list", "--json")
    listed = rows(out)
    assert [row["name"] for row in listed] == list(book_names())
    wsop = read_book("wsop")
    assert listed[-1] == {
        "name": "wsop",
        "version": "1",
        "title": "WSOP tournament misdeal rules",
        "games": ["holdem", "omaha", "shortdeck", "stud7"],
        "clauses": len(wsop.clauses),
        "hash": wsop.hash,
    }


def test_a_book_is_listed_in_two_lines_for_people(said: Said) -> None:
    _, out, _ = said("rules", "list")
    wsop = read_book("wsop")
    assert out.splitlines()[-2:] == [
        "wsop, version 1: WSOP tournament misdeal rules",
        f"    holdem, omaha, shortdeck, stud7; {len(wsop.clauses)} clauses, {wsop.hash[:12]}",
    ]


# ---------------------------------------------------------------- rules check
BOOK = """\
name = "ours"
version = "3"
title = "Our rules"
games = ["holdem", "stud7"]

[[clause]]
id = "O-1"
finding = "duplicate_card"
verdict = "deal_void"
source = "our book, 1"

[[clause]]
id = "O-2"
finding = "wrong_count"
games = ["holdem"]
verdict = "misdeal"
source = "our book, 2"
"""
JURISDICTION = """\
[[clause]]
id = "J-1"
finding = "marked_card"
verdict = "deck_replaced"
source = "the Act, s 5"

[[replace]]
id = "O-1"
finding = "duplicate_card"
verdict = "deck_fouled"
source = "the Act, s 6"
"""
HOUSE = """\
disable = ["J-1"]
wrong_pack_count = "deal_void"
"""


def test_a_sound_book_is_told_with_what_it_leaves_to_the_floor(said: Said, tmp_path: Path) -> None:
    path = write(tmp_path / "ours.toml", BOOK)
    status, out, err = said("rules", "check", path)
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0] == f"{path}: sound; 2 clauses in all, hash {read_book(path).hash[:12]}"
    assert lines[1].startswith("without a clause in holdem, so for the floor: ")
    assert lines[2].startswith("without a clause in stud7, so for the floor: ")
    assert "board count" in lines[1]
    assert "board count" not in lines[2]
    assert "wrong count" not in lines[1]
    assert "wrong count" in lines[2]
    assert len(lines) == 3


def test_house_rules_are_checked_over_a_book_and_a_jurisdiction(said: Said, tmp_path: Path) -> None:
    book = write(tmp_path / "ours.toml", BOOK)
    law = write(tmp_path / "law.toml", JURISDICTION)
    house = write(tmp_path / "house.toml", HOUSE)
    status, out, _ = said("rules", "check", house, "--over", book, "--jurisdiction", law)
    assert status == 0
    assert out.startswith(f"{house}: sound; 1 of its own over ours; 3 clauses in all")
    _, out, _ = said("rules", "check", house, "--over", book, "--jurisdiction", law, "--json")
    (told,) = rows(out)
    assert told["clauses"] == 3
    assert "marked_card" in told["gaps"]["holdem"]
    assert "wrong_pack_count" not in told["gaps"]["holdem"]
    assert told["shadowed"] == []


def test_a_clause_that_the_house_leaves_nothing_to_say_is_told(said: Said, tmp_path: Path) -> None:
    house = write(
        tmp_path / "house.toml",
        '[[clause]]\nid = "H-1"\nfinding = "duplicate_card"\nverdict = "misdeal"\nsource = "h"\n',
    )
    _, out, _ = said("rules", "check", house, "--over", "tda-2017")
    assert "shadowed, so never applied: 35-E" in out.splitlines()
    _, out, _ = said("rules", "check", house, "--over", "tda-2017", "--json")
    assert rows(out)[0]["shadowed"] == ["35-E"]


FAULTY = """\
disable = ["T-Z9"]

[[clause]]
id = "H-1"
finding = "boxed_cards"
verdict = "misdeal"
when = "boxed >= 2"
"""


def test_every_fault_is_told_with_file_line_key_found_and_expected(
    said: Said, tmp_path: Path
) -> None:
    house = write(tmp_path / "house.toml", FAULTY)
    status, out, err = said("rules", "check", house, "--over", "tda-2024")
    assert (status, out) == (2, "")
    assert [line.removeprefix(f"{house}:").split(": found")[0] for line in err.splitlines()] == [
        "5: clause[0].finding",
        "3: clause[0].source",
        "1: disable",
    ]


def test_faults_as_json_are_an_object_each(said: Said, tmp_path: Path) -> None:
    house = write(tmp_path / "house.toml", FAULTY)
    status, out, err = said("rules", "check", house, "--over", "tda-2024", "--json")
    assert (status, err) == (2, "")
    assert [(row["file"], row["line"]) for row in rows(out)] == [
        (str(house), 5),
        (str(house), 3),
        (str(house), 1),
    ]


def test_house_rules_that_are_taken_for_a_book_are_told_how_to_be_checked(
    said: Said, tmp_path: Path
) -> None:
    house = write(tmp_path / "house.toml", HOUSE)
    status, _, err = said("rules", "check", house)
    assert status == 2
    assert err.splitlines()[-1] == "a house's file is checked with --over BOOK"


def test_a_jurisdiction_without_a_book_is_refused(said: Said, tmp_path: Path) -> None:
    law = write(tmp_path / "law.toml", JURISDICTION)
    status, _, err = said("rules", "check", law, "--jurisdiction", law)
    assert status == 2
    assert "expected --over too" in err
