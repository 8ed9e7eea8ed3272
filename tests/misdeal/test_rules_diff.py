"""Two rule books compared: their clauses, and what they rule on the same hands."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.events import AnyEvent
from engine.watch import advance, begin
from hw_fixtures.demo import DemoDealer
from hw_fixtures.sensing import as_events
from misdeal.journal import Journal
from misdeal.replay import event_entry
from misdeal.tablefile import Layout
from tests.misdeal.said import Said, rows, write

SEED = 1

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
