"""Conditions of clauses: what compiles, what is refused, and when two of them can both hold."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conditions import MOST_COMBINATIONS, Condition, compile_condition, overlap
from engine.facts import Value


def sound(text: str, kind: str = "exposed_card") -> Condition:
    """Compile a condition that has no faults."""
    condition, faults = compile_condition(text, kind)
    assert faults == []
    return condition


def faults(text: str, kind: str = "exposed_card") -> list[tuple[str, str]]:
    return compile_condition(text, kind)[1]


# ---------------------------------------------------------------- what holds
@pytest.mark.parametrize(
    ("text", "facts", "holds"),
    [
        ("true", {}, True),
        ("false", {}, False),
        ("1 == 1", {}, True),
        ("handled", {"handled": True}, True),
        ("handled", {"handled": False}, False),
        ("!handled && number <= 2", {"handled": False, "number": 2}, True),
        ("!handled && number <= 2", {"handled": False, "number": 3}, False),
        ("exposed_by == 'dealer'", {"exposed_by": "dealer"}, True),
        ('exposed_by == "dealer"', {"exposed_by": "player"}, False),
        ("game in ['holdem', 'omaha']", {"game": "omaha"}, True),
        ("game in ['holdem', 'omaha']", {"game": "stud7"}, False),
        ("nth > 1 || exposed_before >= 1", {"nth": 1, "exposed_before": 1}, True),
    ],
)
def test_a_condition_holds_on_its_facts(text: str, facts: dict[str, Value], holds: bool) -> None:
    assert sound(text).holds(facts) == holds


def test_a_condition_names_each_of_its_facts_once() -> None:
    condition = sound("handled || (handled && number > 2)")
    assert sorted(condition.names) == ["handled", "number"]


def test_a_condition_needs_no_facts_but_those_it_names() -> None:
    assert sound("handled").holds({"handled": True, "number": 5, "nonsense": "x"})


def test_a_condition_that_breaks_on_a_value_nobody_thought_of_does_not_hold() -> None:
    condition = sound("10 / (nth * nth + number * number - 25) != 7")
    assert condition.holds({"nth": 1, "number": 1})
    assert not condition.holds({"nth": 3, "number": 4})


# ---------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("handled &&", "'handled &&'", ""),
        ("", "''", ""),
        ("handeld", "the fact 'handeld'", "a fact of exposed_card; did you mean 'handled'?"),
        ("in_play", "the fact 'in_play'", "a fact of exposed_card"),
        ("exposed_by == 'delaer'", "exposed_by compared with 'delaer'", "one of dealer, player"),
        ("exposed_by != 'delaer'", "exposed_by compared with 'delaer'", "one of dealer, player"),
        ('exposed_by == "delaer"', "exposed_by compared with 'delaer'", "one of dealer, player"),
        ("'delaer' == exposed_by", "exposed_by compared with 'delaer'", "one of dealer, player"),
        ("exposed_by in ['delaer']", "exposed_by compared with 'delaer'", "one of dealer, player"),
        ("!(exposed_by in ['player', 'me'])", "exposed_by compared with 'me'", "one of dealer"),
        ("number", "'number'", "a condition that is true or false"),
        ("'dealer'", "\"'dealer'\"", ""),
        ("handled ? 5 : true", "'handled ? 5 : true'", "a condition that is true or false"),
        ("handled ? true : 5", "'handled ? true : 5'", "a condition that is true or false"),
        ("handled > 2", "'handled > 2'", "a condition that can be evaluated"),
        ("number == 'two'", "number compared with 'two'", "a number"),
        ("handled || number", "'handled || number'", ""),
        ("10 / number > 1", "'10 / number > 1'", "a condition that can be evaluated"),
        ("10 / (number - 3) > 1", "'10 / (number - 3) > 1'", "a condition that can be evaluated"),
        ("nonsense(number)", "'nonsense(number)'", ""),
    ],
)
def test_a_condition_that_cannot_be_used_is_refused(text: str, found: str, expected: str) -> None:
    assert any(found in one and expected in other for one, other in faults(text))


def test_every_unknown_fact_is_told_at_once() -> None:
    assert len(faults("handeld && nubmer > 2")) == 2


# ---------------------------------------------------------------- when two can both hold
@pytest.mark.parametrize(
    ("one", "two", "both"),
    [
        ("true", "true", True),
        ("true", "handled", True),
        ("handled", "!handled", False),
        ("handled", "in_deal", True),
        ("handled && in_deal", "handled && !in_deal", False),
        ("number <= 2", "number > 2", False),
        ("number <= 2", "number >= 2", True),
        ("number < 7", "number > 5", True),
        ("number == 3", "number == 30", False),
        ("exposed_by == 'dealer'", "exposed_by == 'player'", False),
        ("exposed_by == 'dealer'", "exposed_by != 'player'", True),
        ("game in ['holdem', 'omaha']", "game in ['omaha', 'stud7']", True),
        ("game in ['holdem', 'omaha']", "game == 'stud7'", False),
        ("nth < number", "nth >= number", False),
        ("nth < number", "nth <= number", True),
        ("nth + 2 == number", "nth < number", True),
    ],
)
def test_two_conditions_are_told_apart_on_every_value_that_matters(
    one: str, two: str, both: bool
) -> None:
    assert (overlap(sound(one), sound(two)) is not None) == both


def test_an_overlap_is_told_with_the_facts_that_show_it() -> None:
    assert overlap(sound("handled"), sound("exposed_by == 'player'")) == (
        "handled = True, exposed_by = player"
    )


def test_conditions_without_facts_overlap_always() -> None:
    assert overlap(sound("true"), sound("true")) == "always"


def test_conditions_on_a_free_text_are_told_apart_by_the_texts_they_name() -> None:
    one, two = (sound(f"device == '{name}'", "equipment_fault") for name in ("shoe", "camera"))
    assert overlap(one, two) is None
    assert overlap(one, one) == "device = shoe"


def test_conditions_of_too_many_values_are_taken_to_overlap() -> None:
    # Nobody has looked at all of them; a book is refused rather than trusted.
    numbers = " || ".join(f"number == {n}" for n in range(0, 900, 3))
    also = " || ".join(f"nth == {n}" for n in range(0, 900, 3))
    assert MOST_COMBINATIONS < 900 * 900
    assert overlap(sound(numbers), sound(also)) is not None


ATOMS = ["handled", "!handled", "in_deal", "!in_deal", "number <= 2", "number > 2", "number == 4",
         "exposed_by == 'dealer'", "exposed_by != 'dealer'"]  # fmt: skip
TEXTS = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=3).flatmap(
    lambda atoms: st.sampled_from([" && ", " || "]).map(lambda join: join.join(atoms))
)


@given(TEXTS, TEXTS)
def test_two_conditions_overlap_exactly_where_some_facts_make_both_hold(one: str, two: str) -> None:
    first, second = sound(one), sound(two)
    rows = itertools.product((True, False), (True, False), range(8), ("dealer", "player"))
    names = ("handled", "in_deal", "number", "exposed_by")
    facts = [dict(zip(names, row, strict=True)) for row in rows]
    both = any(first.holds(each) and second.holds(each) for each in facts)
    assert (overlap(first, second) is not None) == both
