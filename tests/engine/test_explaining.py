"""A clause in plain words, and where two books differ."""

import pytest

from engine.clauses import Clause
from engine.explaining import RuleDifference, compare_books, explain
from engine.rulebook import RuleBook, book_names, compile_book
from tests.engine.felt import book


def clause_of(name: str, clause_id: str) -> Clause:
    return next(each for each in book(name).clauses if each.id == clause_id)


def small_book(name: str, *clauses: str, games: str = '"holdem"') -> RuleBook:
    """Return a book of a few clauses, each written as its keys and values."""
    head = f'name = "{name}"\nversion = "1"\ntitle = "{name}"\ngames = [{games}]\n'
    tables = (f'[[clause]]\nsource = "here"\n{text}\n' for text in clauses)
    return compile_book(head + "".join(tables), file=name)


def test_a_clause_is_explained_with_its_window_its_claim_and_what_follows() -> None:
    rows = explain(clause_of("laws-of-poker", "L-R5"))
    assert dict(rows)["may claim"].startswith("any player who has not looked")
    assert dict(rows)["until"] == "the first card of the second round"
    assert dict(rows)["next dealer"] == "the player whose turn it is to deal"
    assert dict(rows)["decides"] == "it holds only if somebody who may claims it"
    assert ("follows", "the deal reverts to the proper player") in rows


def test_a_condition_is_explained_with_the_meaning_of_each_fact() -> None:
    rows = dict(explain(clause_of("tda-2024", "T-A4")))
    assert rows["when"].startswith("!substantial_action (substantial_action: substantial action")
    assert rows["verdict"] == "MISDEAL"


def test_a_clause_without_a_condition_holds_always_and_without_a_window_for_ever() -> None:
    rows = dict(explain(clause_of("tda-2024", "T-A0")))
    assert (rows["when"], rows["until"]) == ("always", "no event closes it")
    assert rows["decides"] == "the floor decides"


def test_a_clause_that_stands_beside_another_or_holds_for_each_blind_says_so() -> None:
    rows = dict(explain(clause_of("laws-of-poker", "L-B1-cut")))
    assert rows["beside"] == "it holds beside another clause on the same finding"
    assert rows["for each"] == "player who opened or raised blind"
    assert rows["games"] == "draw5, lowball27"


@pytest.mark.parametrize("name", book_names())
def test_every_clause_that_is_shipped_can_be_explained(name: str) -> None:
    headings = {tuple(dict(explain(each)))[:7] for each in book(name).clauses}
    assert headings == {("clause", "rule", "found", "verdict", "when", "until", "decides")}


# ---------------------------------------------------------------- two books
MARKED = 'id = "A"\nfinding = "marked_card"\nverdict = "misdeal"'


def test_a_book_does_not_differ_from_itself_nor_from_one_that_only_cites_otherwise() -> None:
    assert compare_books(small_book("one", MARKED), small_book("two", MARKED)) == []
    renamed = MARKED.replace('"A"', '"B"')
    assert compare_books(small_book("one", MARKED), small_book("two", renamed)) == []


@pytest.mark.parametrize(
    "changed",
    [
        MARKED.replace("misdeal", "noted"),
        MARKED + '\nwhen = "in_deal"',
        MARKED + '\nuntil = "next_hand"',
        MARKED + '\ndecider = "floor"',
        MARKED + '\ncallable_by = "not_looked"',
        MARKED + '\nnext_dealer = "same_dealer"',
        MARKED + '\nremedy = ["another pack"]',
        MARKED + "\nalso = true",
        MARKED + '\nper = "blind"',
    ],
)
def test_books_differ_where_a_clause_says_another_thing(changed: str) -> None:
    (row,) = compare_books(small_book("one", MARKED), small_book("two", changed))
    assert (row.game, row.finding) == ("holdem", "marked_card")


def test_a_finding_that_one_book_alone_speaks_of_is_a_difference() -> None:
    rows = compare_books(small_book("one", MARKED), small_book("two"))
    assert rows == [
        RuleDifference(
            "holdem", "marked_card", ("misdeal; when true; decided by book",), ()
        )
    ]  # fmt: skip


def test_reports_are_held_against_each_other_by_their_ids() -> None:
    report = MARKED.replace("marked_card", "report")
    (row,) = compare_books(
        small_book("one", report), small_book("two", report.replace('"A"', '"B"'))
    )
    assert row.finding == "report"


def test_only_games_that_both_books_know_are_compared() -> None:
    one = small_book("one", MARKED, games='"holdem", "omaha"')
    two = small_book("two", games='"omaha", "draw5"')
    assert [row.game for row in compare_books(one, two)] == ["omaha"]
