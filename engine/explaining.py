"""A clause in plain words, and where two books differ."""

from msgspec import Struct

from engine.clauses import Clause
from engine.facts import FACTS
from engine.rulebook import RuleBook
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
_NEXT_DEALER = {
    "left_of_dealer": "the player on the left of the dealer",
    "due_dealer": "the player whose turn it is to deal",
    "same_dealer": "the same dealer again",
}
_CALLERS = {
    "not_looked": "any player who has not looked at a face-down card of his own",
    "receiver": "the player who received the cards, if he has not looked and is not to blame",
}


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
    if clause.next_dealer:
        rows.append(("next dealer", _NEXT_DEALER[clause.next_dealer]))
    if clause.also:
        rows.append(("beside", "it holds beside another clause on the same finding"))
    if clause.per:
        rows.append(("for each", "player who opened or raised blind"))
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
            said = [tuple(map(_says, book.clauses_on(finding, game))) for book in (one, two)]
            if said[0] != said[1]:
                rows.append(RuleDifference(game, finding, said[0], said[1]))
    return rows


def _says(clause: Clause) -> str:
    """Return all that a clause says, but for its id and its source."""
    parts = [clause.verdict, f"when {clause.when.text}", f"decided by {clause.decider}"]
    if clause.finding == "report":
        parts.insert(0, clause.id)
    if clause.also:
        parts.append("beside others")
    if clause.per:
        parts.append(f"for each {clause.per}")
    if clause.callable_by:
        parts.append(f"callable by {clause.callable_by}")
    if clause.until:
        parts.append(f"until {clause.until}")
    if clause.next_dealer:
        parts.append(f"next dealer {clause.next_dealer}")
    if clause.remedy:
        parts.append("then " + ", ".join(clause.remedy))
    return "; ".join(parts)
