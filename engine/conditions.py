"""Conditions of clauses: CEL expressions over named facts, checked before they are used."""

import itertools
import re
from typing import Any

from msgspec import Struct

from engine.booktext import closest
from engine.facts import Fact, Value, facts_for

_FAILS = (RuntimeError, TypeError, ValueError, ArithmeticError)
_NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
_TEXT = re.compile(r"(\w+)\s*(?:==|!=)\s*(?:'([^']*)'|\"([^\"]*)\")")
_TEXT_FIRST = re.compile(r"(?:'([^']*)'|\"([^\"]*)\")\s*(?:==|!=)\s*(\w+)")
_LIST = re.compile(r"(\w+)\s+in\s+\[([^\]]*)\]")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")

# Combinations of fact values that two clauses are compared on; clauses with more are refused.
MOST_COMBINATIONS = 20_000

# Combinations of fact values on which a condition is tried before it is taken.
MOST_TRIED = 500


class Condition(Struct, frozen=True):
    """A compiled condition and the facts that it names."""

    text: str
    names: tuple[str, ...]
    program: Any
    kind: str

    def holds(self, facts: dict[str, Any]) -> bool:
        """Say whether the condition holds; every fact that it names must be given."""
        if self.program is None:
            return True
        try:
            return bool(self.program.execute({name: facts[name] for name in self.names}))
        except _FAILS:
            # It was tried on a sample of values before; one beyond the sample decides nothing.
            return False


def compile_condition(text: str, kind: str) -> tuple[Condition, list[tuple[str, str]]]:
    """Compile a condition for a kind of finding.

    Returns:
        The condition, and what is wrong with it as pairs of what was found and what was
        expected; empty where it is sound.
    """
    if text == "true":
        return Condition(text, (), None, kind), []
    # The package takes 0.15 s to import, so it is loaded only where a book is compiled.
    import cel  # noqa: PLC0415

    try:
        program = cel.compile(text)
    except ValueError as error:
        return Condition(text, (), None, kind), [(repr(text), str(error).splitlines()[0])]
    names = tuple(program.variables())
    facts = facts_for(kind)
    faults = [
        (f"the fact {name!r}", f"a fact of {kind}{closest(name, facts)}")
        for name in names
        if name not in facts
    ]
    condition = Condition(text, names, program, kind)
    if not faults:
        faults = _values(text, facts) + _runs(condition)
    return condition, faults


def _values(text: str, facts: dict[str, Fact]) -> list[tuple[str, str]]:
    """Return the texts that a fact is compared with and can never be."""
    pairs = [(name, a or b) for name, a, b in _TEXT.findall(text)]
    pairs += [(name, a or b) for a, b, name in _TEXT_FIRST.findall(text)]
    for name, inside in _LIST.findall(text):
        pairs += [(name, a or b) for a, b in _QUOTED.findall(inside)]
    return [
        (f"{name} compared with {value!r}", _expected(facts[name]))
        for name, value in pairs
        if name in facts and not _may_be(facts[name], value)
    ]


def _may_be(fact: Fact, text: str) -> bool:
    return fact.type is str and (not fact.values or text in fact.values)


def _expected(fact: Fact) -> str:
    if fact.type is str:
        return f"one of {', '.join(map(str, fact.values))}"
    return "yes or no" if fact.type is bool else "a number"


def _runs(condition: Condition) -> list[tuple[str, str]]:
    """Return the fault of a condition that cannot be evaluated or gives no yes or no."""
    domains = [_domain(condition, name) for name in condition.names]
    for values in itertools.islice(itertools.product(*domains), MOST_TRIED):
        sample = dict(zip(condition.names, values, strict=True))
        try:
            answer = condition.program.execute(sample)
        except _FAILS as error:
            with_facts = ", ".join(f"{name} = {value}" for name, value in sample.items())
            return [
                (repr(condition.text), f"a condition that can be evaluated: {error} ({with_facts})")
            ]
        if not isinstance(answer, bool):
            return [(repr(condition.text), "a condition that is true or false")]
    return []


def _domain(condition: Condition, name: str, *others: Condition) -> tuple[Value, ...]:
    """Return values of a fact that tell conditions apart."""
    fact = facts_for(condition.kind)[name]
    if fact.type is bool:
        return (False, True)
    if fact.type is str:
        return fact.values or ("", *_texts(condition, *others))
    numbers = {0, 1, 2}
    for each in (condition, *others):
        for number in map(int, _NUMBER.findall(each.text)):
            numbers |= {max(0, number - 1), number, number + 1}
    return tuple(sorted(numbers))


def _texts(*conditions: Condition) -> tuple[str, ...]:
    return tuple(a or b for c in conditions for a, b in _QUOTED.findall(c.text))


def overlap(one: Condition, two: Condition) -> str | None:
    """Return facts with which two conditions both hold, or None where they exclude each other."""
    names = tuple(dict.fromkeys((*one.names, *two.names)))
    domains = [_domain(one, name, two) for name in names]
    size = 1
    for domain in domains:
        size *= len(domain)
    if size > MOST_COMBINATIONS:
        return "too many combinations of facts to prove that they exclude each other"
    for values in itertools.product(*domains):
        facts = dict(zip(names, values, strict=True))
        if one.holds(facts) and two.holds(facts):
            return ", ".join(f"{name} = {value}" for name, value in facts.items()) or "always"
    return None
