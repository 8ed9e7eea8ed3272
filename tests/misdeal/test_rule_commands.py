"""The commands about rules: clauses explained, books checked and compared, sensors weighed."""

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.events import AnyEvent
from engine.rulebook import RuleBook, book_names
from engine.watch import advance, begin
from hw_fixtures.demo import DemoDealer
from hw_fixtures.sensing import as_events
from misdeal.books import every_book, find_clauses, read_book
from misdeal.cli import run
from misdeal.journal import Journal
from misdeal.replay import event_entry
from misdeal.tablefile import Layout

SEED = 1

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Said:
    """Run a command; return its exit status and what it wrote to the two outputs."""

    def call(*arguments: object) -> tuple[int, str, str]:
        status = run([str(each) for each in arguments])
        out, err = capfd.readouterr()
        return status, out, err

    return call


def rows(out: str) -> list[dict[str, Any]]:
    """Return JSON lines, each of which must be an object."""
    objects = [json.loads(line) for line in out.splitlines()]
    assert all(isinstance(each, dict) for each in objects)
    return objects


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


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


def test_an_id_itself_comes_before_its_being_the_tail_of_another(tmp_path: Path) -> None:
    book = read_book(write(tmp_path / "ours.toml", BOOK.replace('"O-1"', '"2"')))
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
    assert lines[1].startswith("without a clause in holdem, so for the floor: board count, ")
    assert lines[2].startswith("without a clause in stud7, so for the floor: board count, ")
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


# ---------------------------------------------------------------- rules diff
def test_a_book_does_not_differ_from_itself(said: Said) -> None:
    assert said("rules", "diff", "wsop", "wsop") == (0, "no difference\n", "")
    assert said("rules", "diff", "wsop", "wsop", "--json") == (0, "", "")


def test_clauses_that_differ_are_told_by_finding_and_game(said: Said, tmp_path: Path) -> None:
    book = write(tmp_path / "ours.toml", BOOK)
    other = write(
        tmp_path / "theirs.toml",
        BOOK.replace('"deal_void"', '"misdeal"')
        .replace('games = ["holdem"]\n', 'games = ["holdem"]\nwhen = "is_short"\n')
        .replace("O-", "P-"),
    )
    status, out, _ = said("rules", "diff", book, other)
    assert status == 1
    assert out.splitlines() == [
        "duplicate card: holdem, stud7",
        "  - O-1: deal_void; when true; decided by book",
        "  + P-1: misdeal; when true; decided by book",
        "wrong count: holdem",
        "  - O-2: misdeal; when true; decided by book",
        "  + P-2: misdeal; when is_short; decided by book",
    ]


def test_a_finding_without_a_clause_in_one_of_the_books_is_for_the_floor(said: Said) -> None:
    _, out, _ = said("rules", "diff", "tda-2024", "tda-2017")
    lines = out.splitlines()
    at = lines.index("duplicate card: holdem, omaha, shortdeck, stud7")
    assert lines[at + 3] == "  + 35-E: floor; when true; decided by floor"
    at = lines.index("stub disordered: holdem, omaha, shortdeck, stud7")
    assert lines[at + 3] == "  + no clause, so for the floor"


def test_clauses_that_differ_as_json_have_both_sides(said: Said) -> None:
    status, out, _ = said("rules", "diff", "tda-2024", "tda-2017", "--json")
    assert status == 1
    by_finding = {(row["finding"], row["games"][0]): row for row in rows(out)}
    row = by_finding["duplicate_card", "holdem"]
    assert row["games"] == ["holdem", "omaha", "shortdeck", "stud7"]
    assert row["clauses"]["tda-2017"] == [
        {"clause": "35-E", "says": "floor; when true; decided by floor"}
    ]
    assert [line["clause"] for line in row["clauses"]["tda-2024"]] == ["T-E1", "T-E4"]


def test_books_without_a_common_game_are_not_compared(said: Said) -> None:
    assert said("rules", "diff", "tda-2024", "pa-baccarat") == (
        2,
        "",
        "pa-baccarat has no clause for holdem, only for baccarat\n",
    )


@pytest.fixture(scope="session")
def many_hands() -> list[AnyEvent]:
    """The events of the demo's first deals, some of them after a misdeal that tda-2017 has not."""
    events: list[AnyEvent] = []
    start_ns = 1_000_000_000
    for timeline in itertools.islice(DemoDealer(SEED), 10):
        events += as_events(timeline, start_ns=start_ns)
        start_ns = events[-1].at_ns + 1_000_000_000
    return events


def keep(layout: Layout, events: Sequence[AnyEvent]) -> Path:
    """Write a journal of a table."""
    with Journal(layout.journal, layout.header) as journal:
        journal.append([event_entry(event) for event in events], lambda: None)
    return layout.journal


DUPLICATE = [
    "hand 4: duplicate card 4c",
    "    tda-2024  DECK FOULED - STOP (T-E1 T-E3)",
    "    tda-2017  CALL THE FLOOR (35-E)",
]
WRONG_COUNT = [
    "hand 6: wrong count at seat 6",
    "    tda-2024  MISDEAL (T-A5)",
    "    tda-2017  CALL THE FLOOR (35-D-count)",
]


def test_a_journals_hands_are_ruled_again_by_both_books(
    said: Said, layout: Layout, many_hands: list[AnyEvent]
) -> None:
    journal = keep(layout, many_hands)
    status, out, err = said("rules", "diff", "tda-2024", "tda-2017", "--journal", journal)
    assert (status, err) == (1, "")
    assert [line.removeprefix(f"{journal}, ") for line in out.splitlines()] == [
        *DUPLICATE,
        *WRONG_COUNT,
        DUPLICATE[0].replace("hand 4", "hand 8").replace("4c", "7c"),
        *DUPLICATE[1:],
    ]


def test_the_hand_of_a_journal_that_is_not_over_is_left_out(
    said: Said, layout: Layout, many_hands: list[AnyEvent]
) -> None:
    watch = begin(layout.setup, layout.book)
    for ruled, event in enumerate(many_hands, start=1):  # noqa: B007
        watch, rulings = advance(watch, event)
        if any(ruling.finding == "wrong_count" for ruling in rulings):
            break
    journal = keep(layout, many_hands[:ruled])
    _, out, _ = said("rules", "diff", "tda-2024", "tda-2017", "--journal", journal)
    assert [line.removeprefix(f"{journal}, ") for line in out.splitlines()] == DUPLICATE


def test_rulings_that_differ_as_json_have_both_sides(
    said: Said, layout: Layout, hands: list[AnyEvent]
) -> None:
    journal = keep(layout, hands)
    _, out, _ = said("rules", "diff", "tda-2024", "tda-2017", "--journal", journal, "--json")
    (row,) = rows(out)
    assert (row["source"], row["hand"]) == (str(journal), 4)
    assert {
        name: [ruling["verdict"] for ruling in each] for name, each in row["rulings"].items()
    } == {
        "tda-2024": ["deck_fouled"],
        "tda-2017": ["floor"],
    }


def test_a_game_that_a_book_does_not_have_is_not_ruled_by_it(said: Said, layout: Layout) -> None:
    journal = keep(layout, [])
    status, out, err = said("rules", "diff", "tda-2024", "pa-baccarat", "--journal", journal)
    assert (status, out) == (2, "")
    assert err == "pa-baccarat has no clause for holdem, only for baccarat\n"


def script(folder: Path, name: str, *events: str, game: str = "holdem") -> Path:
    lines = ", ".join(f"'{event}'" for event in events)
    return write(
        folder / name,
        f'script = 1\ngame = "{game}"\nrulebook = "tda-2024"\nseats = [1, 2, 3]\n'
        f"events = [{lines}]\n",
    )


def test_scripts_are_ruled_by_both_books_one_after_the_other(said: Said, tmp_path: Path) -> None:
    whole = script(tmp_path, "whole.toml", "round", "round")
    short = script(tmp_path, "short.toml", "round", "round S1 S3", "deal ends")
    status, out, _ = said("rules", "diff", "tda-2024", "wsop", "--script", whole, "--script", short)
    assert status == 1
    assert out.splitlines() == [
        f"{short}, hand 1: wrong count at seat 2",
        "    tda-2024  MISDEAL (T-A5)",
        "    wsop      CALL THE FLOOR (WS-count)",
    ]
    assert said("rules", "diff", "tda-2024", "wsop", "--script", whole)[0] == 0


def test_a_script_of_a_game_that_a_book_does_not_have_is_refused(
    said: Said, tmp_path: Path
) -> None:
    draw = script(tmp_path, "draw.toml", "round", game="draw5")
    status, _, err = said("rules", "diff", "tda-2024", "wsop", "--script", draw)
    assert status == 2
    assert err == "wsop has no clause for draw5, only for holdem, omaha, shortdeck, stud7\n"


def test_a_script_that_cannot_be_read_is_refused(said: Said, tmp_path: Path) -> None:
    wrong = script(tmp_path, "wrong.toml", "rund")
    status, out, err = said("rules", "diff", "tda-2024", "wsop", "--script", wrong)
    assert (status, out) == (2, "")
    assert err.startswith(f"{wrong}:5: events[1]: found 'rund'")


def test_a_journal_and_scripts_together_are_refused(said: Said, tmp_path: Path) -> None:
    whole = script(tmp_path, "whole.toml", "round", "round")
    status, _, err = said("rules", "diff", "wsop", "wsop", "--script", whole, "--journal", whole)
    assert status == 2
    assert "expected either --journal or --script" in err
