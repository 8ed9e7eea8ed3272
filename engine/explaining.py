"""A clause in plain words, and what two books would rule on the same hand."""

from collections.abc import Iterable

from msgspec import Struct

from engine.clauses import Clause
from engine.events import AnyEvent
from engine.facts import FACTS
from engine.rulebook import RuleBook
from engine.rulings import Ruling
from engine.setup import TableSetup
from engine.watch import advance, begin
from engine.words import VERDICTS

_UNTIL = {
    "substantial_action": "substantial action",
    "second_round": "the first card of the second round",
    "next_card_to_hand": "the next card to that hand",
    "hand_touched": "the first touch of a player's cards",
    "next_hand": "the next hand",
    "pot_taken": "the pot being taken in",
    "further_card": "the next card dealt",
    "approval": "the inspector's approval",
    "answer": "an answer",
    "action": "the next action",
}
_DECIDERS = {
    "book": "the book decides; the ruling is in force as it is given",
    "claim": "it holds only if somebody who may claims it",
    "floor": "the floor decides",
}
_CALLERS = {
    "not_looked": "any player who has not looked at a face-down card of his own",
    "receiver": "the player who received the cards, if he has not looked and is not to blame",
}


def find_clauses(book: RuleBook, piece: str) -> list[Clause]:
    """Return the clauses whose id is, or holds, a piece of text; an exact id comes alone."""
    exact = [clause for clause in book.clauses if clause.id == piece]
    return exact or [clause for clause in book.clauses if piece.lower() in clause.id.lower()]


def explain(clause: Clause) -> list[tuple[str, str]]:
    """Return a clause in plain words, as pairs of a heading and a text."""
    rows = [
        ("clause", clause.id),
        ("rule", clause.plain),
        ("found", clause.finding.replace("_", " ")),
        ("verdict", VERDICTS[clause.verdict]),
        ("when", _when(clause)),
        ("until", _UNTIL.get(clause.until or "", "no event closes it")),
        ("decides", _DECIDERS[clause.decider]),
    ]
    if clause.callable_by:
        rows.append(("may claim", _CALLERS[clause.callable_by]))
    if clause.games:
        rows.append(("games", ", ".join(sorted(clause.games))))
    rows += [("follows", line) for line in clause.remedy]
    rows.append(("source", clause.source or ", ".join(clause.cite)))
    rows.append(("basis", clause.basis))
    return rows


def _when(clause: Clause) -> str:
    if not clause.when.names:
        return "always"
    meanings = "; ".join(
        f"{name}: {FACTS[name].meaning.rstrip('.').lower()}" for name in clause.when.names
    )
    return f"{clause.when.text} ({meanings})"


class Difference(Struct, frozen=True):
    """One matter on which two books rule differently."""

    hand: int
    finding: str
    place: str | None
    card: str | None
    verdicts: tuple[str | None, str | None]
    """The last verdict of each book; None where it gave none."""
    cites: tuple[tuple[str, ...], tuple[str, ...]]


def compare(
    setup: TableSetup, events: Iterable[AnyEvent], one: RuleBook, two: RuleBook
) -> list[Difference]:
    """Play the same events under two books; return where their last verdicts differ."""
    played = list(events)
    last = [_last_rulings(setup, played, book) for book in (one, two)]
    differences = []
    for key in dict.fromkeys((*last[0], *last[1])):
        a, b = last[0].get(key), last[1].get(key)
        known = a or b
        if known is None or (a.verdict if a else None) == (b.verdict if b else None):
            continue
        differences.append(
            Difference(
                known.hand,
                known.finding,
                known.place,
                known.card,
                (a.verdict if a else None, b.verdict if b else None),
                (a.cite if a else (), b.cite if b else ()),
            )
        )
    return differences


def _last_rulings(
    setup: TableSetup, events: list[AnyEvent], book: RuleBook
) -> dict[tuple[int, str], Ruling]:
    """Return the ruling that stood last on each matter of each hand."""
    watch = begin(setup, book)
    last: dict[tuple[int, str], Ruling] = {}
    for event in events:
        watch, rulings = advance(watch, event)
        for ruling in rulings:
            if ruling.state != "superseded":
                last[ruling.hand, ruling.matter] = ruling
    return last


class RuleDifference(Struct, frozen=True):
    """What two books say of one finding in one game."""

    game: str
    finding: str
    one: tuple[str, ...]
    two: tuple[str, ...]


def compare_books(one: RuleBook, two: RuleBook) -> list[RuleDifference]:
    """Return, for each game that both know, the findings on which their clauses differ."""
    rows = []
    for game in sorted(set(one.games) & set(two.games)):
        for finding in sorted({*one.by_finding, *two.by_finding}):
            said = [
                tuple(f"{c.verdict} when {c.when.text}" for c in book.clauses_on(finding, game))
                for book in (one, two)
            ]
            if said[0] != said[1]:
                rows.append(RuleDifference(game, finding, said[0], said[1]))
    return rows
