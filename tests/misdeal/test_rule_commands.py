"""A clause in plain words, and what a table's sensors see of each."""

from pathlib import Path

import pytest

from engine.rulebook import RuleBook
from misdeal.books import every_book, find_clauses, read_book
from misdeal.tablefile import Layout
from tests.misdeal.said import Said, rows, write


# ---------------------------------------------------------------- explain
@pytest.fixture(scope="module")
def books() -> list[RuleBook]:
    return every_book()


@pytest.mark.parametrize(
    ("piece", "clause"),
    [
        ("T-A5", "T-A5"),
        ("t-a5", "T-A5"),
        ("A5", "T-A5"),
        ("14.7", "K-14.7"),
        ("R37", "R37"),
        ("RP-5", "RP-5"),
        ("R3", "L-R3"),
        ("T-E3", "T-E1"),
        ("irregularities-7", "RR-irregularities-7"),
        ("ularities-7", "RR-irregularities-7"),
    ],
)
def test_a_piece_of_an_id_is_enough_to_find_its_clause(
    books: list[RuleBook], piece: str, clause: str
) -> None:
    assert [hit.clause.id for hit in find_clauses(books, piece).meant] == [clause]


def test_near_a_clause_are_those_with_the_whole_piece_alone(books: list[RuleBook]) -> None:
    near = [hit.clause.id for hit in find_clauses(books, "R37").near]
    assert near == ["R37-acted"]
    assert find_clauses(books, "R3").near == ()


BOOK = """\
name = "ours"
version = "1"
title = "Ours"
games = ["holdem"]

[[clause]]
id = "O-2"
finding = "wrong_count"
verdict = "misdeal"
source = "our book, 2"

[[clause]]
id = "2"
finding = "duplicate_card"
verdict = "deal_void"
source = "our book, 1"
"""


def test_an_id_itself_comes_before_its_being_the_tail_of_another(tmp_path: Path) -> None:
    book = read_book(write(tmp_path / "ours.toml", BOOK))
    assert [hit.clause.id for hit in find_clauses([book], "2").meant] == ["2"]


def test_every_clause_is_found_by_its_id_in_all_books(books: list[RuleBook]) -> None:
    for book in books:
        for clause in book.clauses:
            hits = find_clauses(books, clause.id)
            assert hits.is_one
            assert (book.name, clause.line) in [(h.book.name, h.clause.line) for h in hits.meant]


def test_a_clause_is_told_plainly_first_and_its_condition_last(said: Said) -> None:
    status, out, err = said("explain", "K-14.7", "--rulebook", "nsw-caribbean-stud")
    lines = [line for line in out.partition("Near it")[0].splitlines() if line]
    assert (status, err) == (0, "")
    assert lines[:3] == [
        "K-14.7, nsw-caribbean-stud version 1",
        "A player's hand with too few or too many cards is void.",
        "verdict      HAND VOID",
    ]
    assert lines[-3:] == [
        "condition    !is_dealer && handled",
        "  handled    A player has handled his cards in this deal",
        "  is_dealer  The hand is the house dealer's",
    ]


def test_a_clause_tells_until_when_who_may_claim_what_follows_and_its_source(said: Said) -> None:
    _, out, _ = said("explain", "L-R1", "--rulebook", "laws-of-poker")
    told = " ".join(out.split())
    for words in (
        "until the first card of the second round",
        "may claim any player who has not looked at a face-down card of his own",
        "follows same dealer shuffle, cut and deal again",
        "source redeal 1 (the text says it)",
    ):
        assert words in told


def test_what_a_ruling_cites_is_told_where_it_is_more_than_the_id(said: Said) -> None:
    _, out, _ = said("explain", "T-E3", "--rulebook", "tda-2024")
    assert " cites T-E1, T-E3 source rule 35 E " in " ".join(out.split())


def test_all_parts_of_a_clause_are_told_and_those_near_it_are_listed(said: Said) -> None:
    _, out, _ = said("explain", "T-E4", "--rulebook", "tda-2024")
    assert out.count("T-E4, tda-2024 version 1") == 3
    _, out, _ = said("explain", "A5")
    listed = out.partition("Near it, with A5 in their id or among what they cite:")[2]
    assert "35-A5-first: MISDEAL" in listed
    assert "R38: HAND DEAD" in listed


def test_a_piece_of_several_clauses_lists_them_with_verdict_and_rule(said: Said) -> None:
    status, out, _ = said("explain", "14.1", "--rulebook", "nsw-caribbean-stud")
    assert status == 0
    assert out.startswith("14.1 is in more than one clause")
    assert "nsw-caribbean-stud:" in out
    assert "K-14.1-order: MISDEAL" in out
    assert "Cards were dealt out of order" in out
    assert "condition" not in out
    assert "K-14.10" not in out


def test_one_book_alone_is_searched_where_it_is_named(said: Said) -> None:
    _, out, _ = said("explain", "A5", "--rulebook", "tda-2017")
    assert "35-A5-first: MISDEAL" in out
    assert "tda-2024" not in out


def test_a_house_rule_is_explained_over_its_book(said: Said, tmp_path: Path) -> None:
    house = write(tmp_path / "house.toml", 'duplicate_card = "deal_void"\n')
    status, out, _ = said("explain", "duplicate_card", "--rulebook", "tda-2024", "--house", house)
    assert (status, out.splitlines()[0]) == (0, "house:duplicate_card, tda-2024 version 1")
    assert "DEAL VOID" in out
    assert "(a rule of the house)" in out


def test_house_rules_without_a_book_are_refused(said: Said, tmp_path: Path) -> None:
    house = write(tmp_path / "house.toml", 'duplicate_card = "deal_void"\n')
    status, out, err = said("explain", "A5", "--house", house)
    assert (status, out) == (2, "")
    assert "expected --rulebook too" in err


@pytest.mark.parametrize("piece", ["T-A55", "A55"])
def test_an_id_that_is_nowhere_is_refused_with_those_like_it(said: Said, piece: str) -> None:
    status, out, err = said("explain", piece)
    assert (status, out) == (2, "")
    assert err.startswith(f"no clause {piece!r} in any book; did you mean T-A5")


def test_an_id_like_none_is_refused_without_a_proposal(said: Said) -> None:
    assert said("explain", "zzzz", "--rulebook", "wsop") == (2, "", "no clause 'zzzz' in wsop\n")


def test_a_book_that_is_nowhere_is_refused_with_one_like_it(said: Said) -> None:
    status, _, err = said("explain", "A5", "--rulebook", "tda-2023")
    assert status == 2
    assert "found 'tda-2023', expected a rule book; did you mean 'tda-202" in err


def test_a_clause_as_json_has_what_the_book_has(said: Said) -> None:
    _, out, err = said("explain", "R37-acted", "--json", "--rulebook", "tda-2024")
    assert rows(out) == [
        {
            "clause": "R37-acted",
            "rulebook": "tda-2024",
            "version": "1",
            "plain": "A button that has acted on a short hand has a dead hand.",
            "finding": "wrong_count",
            "verdict": "hand_dead",
            "when": "is_button && is_short && has_acted",
            "facts": {
                "has_acted": "This player has acted on his hand.",
                "is_button": "the hand is the button's",
                "is_short": "The hand has fewer cards than it is due.",
            },
            "until": None,
            "decider": "book",
            "callable_by": None,
            "next_dealer": None,
            "games": list(read_book("tda-2024").games),
            "remedy": [],
            "cite": ["R37"],
            "source": "TDA 2024 rule 37",
            "basis": "text",
        }
    ]
    assert err == ""


def test_all_that_a_piece_may_mean_is_there_as_json(said: Said) -> None:
    _, out, _ = said("explain", "14.1", "--json", "--rulebook", "nsw-caribbean-stud")
    assert {row["clause"] for row in rows(out)} >= {"K-14.1-order", "K-14.1-count"}


# ---------------------------------------------------------------- coverage
@pytest.fixture
def table(layout: Layout) -> Path:
    """The demo's table file: readers everywhere, a camera, actions entered."""
    return layout.journal.parent / "table.toml"


def levels(out: str) -> dict[str, str]:
    return {row["clause"] + row["verdict"]: row["level"] for row in rows(out)}


def test_each_clause_of_a_tables_book_has_its_line_and_all_are_summed_up(
    said: Said, table: Path
) -> None:
    status, out, _ = said("coverage", table)
    lines = out.splitlines()
    assert status == 0
    assert lines[0].startswith("Readers at board, burn, muck, pack, seat:1,")
    assert "fully     T-A5           MISDEAL" in lines
    clauses = [line for line in lines[3:-1] if line[0] != " "]
    counts = [
        sum(line.startswith(level) for line in clauses)
        for level in ("fully  ", "in part  ", "operator  ")
    ]
    assert len(clauses) == sum(counts) > 50
    assert lines[-1] == (
        f"{len(clauses)} clauses of tda-2024: "
        f"{counts[0]} fully, {counts[1]} in part, {counts[2]} operator"
    )


@pytest.mark.parametrize(
    ("down", "clause", "level"),
    [
        ("", "T-A5misdeal", "full"),
        ("shoe", "T-A6misdeal", "part"),
        ("seat:3", "T-A5misdeal", "part"),
        ("camera", "T-A7-firstmisdeal", "operator"),
        ("board, burn", "R39-Afloor", "part"),
        ("board,burn,camera", "R39-Afloor", "operator"),
        ("pack", "T-E2-missingfloor", "operator"),
    ],
)
def test_what_fails_is_sensed_less(
    said: Said, table: Path, down: str, clause: str, level: str
) -> None:
    _, out, _ = said("coverage", table, "--json", "--without", down)
    assert levels(out)[clause] == level


def test_what_has_failed_is_left_out_above_and_told_below(said: Said, table: Path) -> None:
    _, out, _ = said("coverage", table, "--without", "shoe,camera,seat:1")
    head, foot = " ".join(out.split("\n\n")[0].split()), out.splitlines()[-1]
    assert head.endswith("seat:8, seat:9; no camera; actions entered.")
    assert "shoe" not in head
    assert "seat:1" not in head
    assert foot.endswith(" less than with all devices up")
    assert "in part   T-A5           MISDEAL; " in out


def test_a_device_that_the_table_does_not_have_is_refused(said: Said, table: Path) -> None:
    status, out, err = said("coverage", table, "--without", "shoe,seat:33")
    assert (status, out) == (2, "")
    assert "--without: found 'seat:33', expected 'seat:3'? (one of board, burn," in err


def test_a_table_without_a_device_has_none_that_could_fail(said: Said, tmp_path: Path) -> None:
    bare = write(
        tmp_path / "table.toml",
        'config_version = 1\nname = "t"\ngame = "holdem"\nrulebook = "wsop"\nseats = [1, 2]\n',
    )
    status, out, _ = said("coverage", bare)
    assert status == 0
    assert "Readers at no place; no camera; actions not entered." in out
    assert "0 fully" in out
    assert "expected none" in said("coverage", bare, "--without", "shoe")[2]


def test_house_rules_of_a_table_file_are_covered_too(said: Said, table: Path) -> None:
    write(table, table.read_text(encoding="utf-8") + '\n[house]\nboxed_card = "misdeal"\n')
    _, out, err = said("coverage", table, "--json")
    assert levels(out)["house:boxed_cardmisdeal"] == "full"
    assert "T-A1misdeal" not in levels(out)
    assert " clauses of tda-2024: " in err


def test_a_table_file_with_faults_is_refused(said: Said, table: Path) -> None:
    write(table, table.read_text(encoding="utf-8").replace('"tda-2024"', '"tda-2042"'))
    status, out, err = said("coverage", table, "--json")
    assert (status, out) == (2, "")
    assert "rulebook: found" in err
