"""What two books would have ruled on the same hands: one table, two judges."""

from pathlib import Path

import pytest

from misdeal.books import read_book
from misdeal.rulediff import Sides, script_rows

CLAIMED = """\
[[replace]]
id = "T-A2"
finding = "first_card_misplaced"
when = "!substantial_action"
verdict = "misdeal"
callable_by = "not_looked"
until = "substantial_action"
source = "house rules, 1"
"""


def differences(folder: Path, house: str, *events: str, frame: str = "") -> list[str]:
    """Return, line by line, where tda-2024 and the same book with house rules over it differ."""
    (folder / "house.toml").write_text(house)
    script = folder / "script.toml"
    lines = ", ".join(f"'{event}'" for event in events)
    script.write_text(
        f'script = 1\ngame = "holdem"\nrulebook = "tda-2024"\nseats = [1, 2, 3]\n{frame}\n'
        f"events = [{lines}]\n"
    )
    books = (read_book("tda-2024"), read_book("tda-2024", house=folder / "house.toml"))
    rows = script_rows(script, Sides(("book", "house"), books))
    return [
        " ".join(line.removeprefix(f"{script}, ").split())
        for row in rows
        for line in row.text().splitlines()
    ]


def test_books_that_rule_the_same_do_not_differ(tmp_path: Path) -> None:
    assert differences(tmp_path, 'duplicate_card = "deal_void"', "round", "round S1 S3") == []


@pytest.mark.parametrize(
    ("events", "house"),
    [
        ((), "house MISDEAL, if claimed (T-A2)"),
        (("call misdeal S1",), None),
        (("act S2 call", "act S3 call", "act S1 check"), None),
    ],
)
def test_a_misdeal_that_nobody_claims_is_not_a_misdeal_in_force(
    tmp_path: Path, events: tuple[str, ...], house: str | None
) -> None:
    told = differences(tmp_path, CLAIMED, "deal ? S2", "deal ? S3", *events)
    book = ["hand 1: first card misplaced As", "book MISDEAL (T-A2)"]
    assert told == ([*book, house] if house else [])


def test_what_the_floor_set_aside_is_compared_as_it_was_ruled(tmp_path: Path) -> None:
    told = differences(
        tmp_path,
        'first_card_misplaced = "floor"',
        "deal ? S2",
        "say dismiss R1 it was a show of hands",
    )
    assert [line.split()[:2] for line in told[1:]] == [["book", "MISDEAL"], ["house", "CALL"]]


def test_a_ruling_that_another_has_replaced_does_not_stand_any_more(tmp_path: Path) -> None:
    told = differences(
        tmp_path,
        'exposed_card = "floor"',
        "deal ? S1",
        "deal ? S2",
        "deal 4h S3 up",
        "deal 5h S1 up",
    )
    assert told == [
        "hand 1: exposed card 4h at seat 3",
        "book no ruling",
        "house CALL THE FLOOR (house:exposed_card)",
        "hand 1: exposed card 5h at seat 1",
        "book MISDEAL (T-A7)",
        "house CALL THE FLOOR (house:exposed_card)",
    ]


def test_what_one_book_asks_is_told_with_what_each_answer_leads_to(tmp_path: Path) -> None:
    told = differences(
        tmp_path,
        'wrong_count = "hand_dead"',
        "round",
        "round S2 S3",
        "deal ends",
        frame='actions = "none"',
    )
    assert (
        "book ASK Has there been substantial action? yes: HAND DEAD; no: MISDEAL "
        "(R38 T-D2 T-A5)" in told
    )
    assert "house HAND DEAD (house:wrong_count)" in told


def test_books_that_both_ask_differ_where_an_answer_leads_elsewhere(tmp_path: Path) -> None:
    house = """
[[replace]]
id = "R38"
finding = "wrong_count"
when = "!(is_button && is_short) && substantial_action"
verdict = "hand_live"
source = "house rules, 2"
"""
    told = differences(
        tmp_path, house, "round", "round S2 S3", "deal ends", frame='actions = "none"'
    )
    assert ["ASK" in line for line in told] == [False, True, True]
    assert "yes: HAND LIVE; no: MISDEAL" in told[2]


FLOOR = """
[[replace]]
id = "T-A2"
finding = "first_card_misplaced"
when = "!substantial_action"
verdict = "floor"
source = "house rules, 3"
"""


def test_a_deal_that_ended_at_the_table_is_over_for_a_book_that_would_have_played_on(
    tmp_path: Path,
) -> None:
    """The misdeal alone ends the deal whose cards were swept away: under the house none was."""
    again = ("deal 8h S1", "deal ? S2", "deal ? S3", "round")
    played = ("act S1 call", "act S2 call", "act S3 check")
    told = differences(tmp_path, FLOOR, "deal 9h S2", "move 9h floor", *again, *played)
    assert told == [
        "hand 1: first card misplaced 9h",
        "book MISDEAL (T-A2)",
        "house CALL THE FLOOR (T-A2)",
    ]
