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
        (("act S2 call", "act S3 call", "act S1 check"), "house no ruling"),
    ],
)
def test_a_misdeal_that_nobody_claims_is_not_a_misdeal_in_force(
    tmp_path: Path, events: tuple[str, ...], house: str | None
) -> None:
    told = differences(tmp_path, CLAIMED, "deal ? S2", "deal ? S3", *events)
    assert told[2:] == ([house] if house else [])


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
        "round S2 S1",
        "deal ends",
        frame='actions = "none"',
    )
    assert (
        "book ASK Has there been substantial action? yes: HAND DEAD; no: MISDEAL "
        "(T-A5 R38 T-D2)" in told
    )
    assert "house HAND DEAD (house:wrong_count)" in told


def test_hands_after_a_misdeal_that_only_one_book_knows_are_those_of_the_table(
    tmp_path: Path,
) -> None:
    deal = ("round", "round", "act S2 fold", "act S3 fold", "say pot taken", "collect")
    told = differences(
        tmp_path,
        'first_card_misplaced = "floor"',
        "deal ? S2",
        "collect",
        *deal,
        "say next hand",
        "deal ? S3",
    )
    assert [line for line in told if line.startswith("hand")] == [
        "hand 1: first card misplaced ",
        "hand 2: first card misplaced ",
    ]
