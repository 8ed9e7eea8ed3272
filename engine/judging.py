"""What a rule book says of a finding on the facts as they are, and what it must ask for.

A fact that is not known is given each value that it may have. Where every value leads to the
same clause nothing is asked; where it does not, the outcome asks, with the verdict for each
answer.
"""

import itertools

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Place, seat_number
from engine.clauses import SENSOR_KINDS, Clause
from engine.facts import FACTS, Scene, Unknown, Value
from engine.rulebook import RuleBook
from engine.state import Table, count_of, seat_after


class Ask(Struct, frozen=True):
    """A fact that is missing, and the verdict that each answer would give."""

    fact: str
    verdicts: dict[str, str | None]


class Outcome(Struct, frozen=True, kw_only=True):
    """What a clause, or several that depend on an answer, say of a matter now."""

    slot: str
    clause: Clause | None
    verdict: str | None
    place: Place | None
    asks: tuple[Ask, ...] = ()
    cite: tuple[str, ...] = ()


def judge(book: RuleBook, scene: Scene) -> list[Outcome]:
    """Return what a book says of a matter on the facts as they are."""
    finding = scene.finding
    clauses = book.clauses_on(finding.kind, scene.table.plan.game)
    if finding.kind == "report":
        return _judge_report(book, scene, clauses)
    if not clauses:
        verdict = "noted" if finding.kind in SENSOR_KINDS else "floor"
        return [Outcome(slot="main", clause=None, verdict=verdict, place=finding.place)]
    mains = [clause for clause in clauses if not clause.also]
    outcomes = []
    main = decide(mains, scene, "main")
    if main is not None:
        outcomes.append(main)
    elif finding.kind in SENSOR_KINDS:
        outcomes.append(Outcome(slot="main", clause=None, verdict="noted", place=finding.place))
    for clause in clauses:
        if clause.also:
            outcomes += _decide_also(clause, scene)
    return outcomes


def _judge_report(book: RuleBook, scene: Scene, clauses: tuple[Clause, ...]) -> list[Outcome]:
    """A report names its clause itself."""
    named = str(scene.finding.facts["clause"])
    rows = [c for c in clauses if named == c.on or matches_id(named, c.id)]
    if rows:
        outcome = decide(rows, scene, "main")
        return [outcome] if outcome is not None else []
    cite = tuple(clause.id for clause in named_clauses(book, named))[:1]
    if not cite:
        return []
    return [
        Outcome(slot="main", clause=None, verdict="floor", place=scene.finding.place, cite=cite)
    ]


def named_clauses(book: RuleBook, piece: str) -> tuple[Clause, ...]:
    """Return the clauses that a report may mean by a piece of an id."""
    return tuple(clause for clause in book.clauses if matches_id(piece, clause.id))


def matches_id(piece: str, clause_id: str) -> bool:
    """Say whether a text is a clause's id, its tail or a whole piece of it."""
    if piece == clause_id:
        return True
    at = clause_id.find(piece)
    if at < 0:
        return False
    end = at + len(piece)
    starts = at == 0 or not clause_id[at - 1].isalnum()
    return starts and (end == len(clause_id) or not clause_id[end].isalnum())


def decide(clauses: list[Clause], scene: Scene, slot: str) -> Outcome | None:
    """Return the outcome of clauses that exclude each other, asking for what it depends on."""
    known, unknown = _facts(clauses, scene)
    if not unknown:
        clause = _applies(clauses, known)
        return _outcome(slot, clause, scene) if clause else None
    names = list(unknown)
    rows: list[tuple[tuple[Value, ...], Clause | None]] = []
    for values in itertools.product(*(unknown[name].values for name in names)):
        facts = {**known, **dict(zip(names, values, strict=True))}
        rows.append((values, _applies(clauses, facts)))
    verdicts = {clause.verdict if clause else None for _, clause in rows}
    if len({clause.id if clause else None for _, clause in rows}) == 1:
        clause = rows[0][1]
        return _outcome(slot, clause, scene) if clause else None
    asks = _asks(names, unknown, rows)
    cites = dict.fromkeys(c for _, clause in rows if clause for c in clause.cite)
    return Outcome(
        slot=slot,
        clause=next((clause for _, clause in rows if clause), None),
        verdict=verdicts.pop() if len(verdicts) == 1 else None,
        place=scene.finding.place,
        asks=asks,
        cite=tuple(cites),
    )


def _asks(
    names: list[str],
    unknown: dict[str, Unknown],
    rows: list[tuple[tuple[Value, ...], Clause | None]],
) -> tuple[Ask, ...]:
    """Return the facts that the outcome depends on, with the verdict for each answer."""
    asks: dict[str, Ask] = {}
    for at, name in enumerate(names):
        if not _matters(at, rows):
            continue
        by_value: dict[Value, set[str | None]] = {}
        for values, clause in rows:
            by_value.setdefault(values[at], set()).add(clause.verdict if clause else None)
        verdicts = {
            _answer_word(value): next(iter(v)) if len(v) == 1 else None
            for value, v in by_value.items()
        }
        fact = unknown[name].ask or name
        asks.setdefault(fact, Ask(fact, verdicts))
    return tuple(asks.values())


def _matters(at: int, rows: list[tuple[tuple[Value, ...], Clause | None]]) -> bool:
    """Say whether another answer to one question alone would ever lead to another clause."""
    told: dict[tuple[Value, ...], str | None] = {}
    for values, clause in rows:
        others = values[:at] + values[at + 1 :]
        clause_id = clause.id if clause else None
        if told.setdefault(others, clause_id) != clause_id:
            return True
    return False


def _answer_word(value: Value) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _decide_also(clause: Clause, scene: Scene) -> list[Outcome]:
    """Return the outcomes of a clause that holds beside others; it never asks."""
    known, unknown = _facts([clause], scene)
    facts = {**known, **{name: u.values[0] for name, u in unknown.items()}}
    if unknown or not clause.when.holds(facts):
        return []
    if clause.per == "blind":
        seats = [s.seat for s in scene.table.hand.said if s.topic == "blind" and s.seat]
        return [
            replace(_outcome(f"{clause.id}@{seat}", clause, scene), place=seat)
            for seat in dict.fromkeys(seats)
        ]
    return [_outcome(clause.id, clause, scene)]


def _facts(clauses: list[Clause], scene: Scene) -> tuple[dict[str, Value], dict[str, Unknown]]:
    known: dict[str, Value] = {}
    unknown: dict[str, Unknown] = {}
    for name in dict.fromkeys(n for clause in clauses for n in clause.when.names):
        value = FACTS[name].compute(scene)
        if isinstance(value, Unknown):
            unknown[name] = value
        else:
            known[name] = value
    return known, unknown


def _applies(clauses: list[Clause], facts: dict[str, Value]) -> Clause | None:
    """Return the clause that holds; clauses come in the order of their precedence."""
    return next((clause for clause in clauses if clause.when.holds(facts)), None)


def _outcome(slot: str, clause: Clause, scene: Scene) -> Outcome:
    return Outcome(
        slot=slot,
        clause=clause,
        verdict=clause.verdict,
        place=scene.finding.place,
        cite=clause.cite,
    )


def may_call(clause: Clause, scene: Scene) -> tuple[Place, ...]:
    """Return the seats that may claim: nobody who has looked, and for a misdeal none to blame."""
    table = scene.table
    hand = table.hand
    seats = table.order if clause.callable_by == "not_looked" else (scene.finding.place,)
    interfered = {s.seat for s in hand.said if s.topic == "interfered"}
    barred = interfered if clause.verdict == "misdeal" else set()
    able = [
        (number, seat)
        for seat in seats
        if seat
        and (number := seat_number(seat)) is not None
        and seat not in barred
        and not _has_looked(table, seat)
    ]
    return tuple(seat for _, seat in sorted(able))


def _has_looked(table: Table, seat: Place) -> bool:
    for stated in reversed(table.hand.said):
        if stated.topic == "looked" and stated.seat == seat:
            return bool(stated.yes)
    return seat in table.hand.looked


def is_looking_unknown(table: Table, seat: Place | None) -> bool:
    """Say whether nobody can know if a player has looked: nobody enters it, nobody has said."""
    is_told = any(s.topic == "looked" and s.seat == seat for s in table.hand.said)
    has_cards = seat is not None and count_of(table, seat) > 0
    return table.setup.actions == "none" and has_cards and not is_told


def next_dealer(clause: Clause | None, table: Table) -> Place | None:
    """Return who deals next under a clause, or None where it says nothing of it."""
    if clause is None or clause.next_dealer is None:
        return None
    if clause.next_dealer == "left_of_dealer":
        return seat_after(table.seats, table.dealer)
    return table.due_dealer if clause.next_dealer == "due_dealer" else table.dealer
