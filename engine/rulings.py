"""From findings to rulings: which clause applies, who decides, until when, and what became of it.

A matter is a finding that is still alive in the hand. After every event each matter is judged
again on the facts as they now are; its ruling changes only where the outcome does. So windows
close, answers settle and a second exposure turns the first into a misdeal by one mechanism.
"""

from typing import Any

from msgspec.structs import replace

from engine.cards import Place
from engine.clauses import CHIPS, Clause
from engine.docket import Change, Docket, Matter, Ruling, State, Until, put
from engine.facts import Scene
from engine.judging import Ask, Outcome, decide, is_looking_unknown, judge, may_call, next_dealer
from engine.rulebook import RuleBook
from engine.state import Finding, Settled, Table, Withdrawn
from engine.words import VERDICTS, sentence

# Rulings that ask for something to be done; once it is done they are not looked at again.
_DONE_BY_DEALING = frozenset({"card_replaced", "complete_deal", "card_moved"})


def rule(
    book: RuleBook, docket: Docket, table: Table, found: list[Finding | Settled | Withdrawn]
) -> Change:
    """Take in what was found, judge every living matter again, and return what changed."""
    if not found and not docket.matters:
        return docket, []
    docket = _reopen(docket, table)
    changes: list[Ruling] = []
    claims: list[Finding] = []
    for each in found:
        if isinstance(each, Withdrawn):
            docket, more = _withdraw(docket, each)
            changes += more
        elif isinstance(each, Settled):
            docket = _settle(docket, each)
        elif each.kind == "claim":
            claims.append(each)
        else:
            docket, more = _take_in(docket, table, each)
            changes += more
    docket, more = _judge_all(book, docket, table)
    changes += more
    docket, more = _answer_claims(book, docket, table, tuple(claims))
    return docket, changes + more


def _take_in(docket: Docket, table: Table, finding: Finding) -> Change:
    """Add a finding; one that is known already only moves to where its card now lies."""
    known = docket.matters.get(finding.key)
    if known is None:
        matters = {**docket.matters, finding.key: Matter(finding=finding)}
        return replace(docket, matters=matters), []
    if finding.place == known.finding.place or finding.place is None or finding.tag is None:
        if finding.kind == "wrong_count" and finding.facts != known.finding.facts:
            fresh = replace(known, finding=finding)
            return replace(docket, matters={**docket.matters, finding.key: fresh}), []
        return docket, []
    if known.finding.place is not None and finding.kind not in ("boxed_card", "foreign_card"):
        return docket, []
    moved = replace(known, finding=replace(known.finding, place=finding.place))
    docket = replace(docket, matters={**docket.matters, finding.key: moved})
    changes = []
    for ruling_id in known.slots.values():
        ruling = replace(docket.rulings[ruling_id], place=finding.place)
        docket = put(docket, ruling)
        changes.append(ruling)
    return docket, changes


def _withdraw(docket: Docket, what: Withdrawn) -> Change:
    """Take back what proved to be none."""
    changes: list[Ruling] = []
    matters = dict(docket.matters)
    for key, matter in docket.matters.items():
        finding = matter.finding
        if finding.kind != what.kind or (what.place and finding.place != what.place):
            continue
        standing = [docket.rulings[ruling_id] for ruling_id in matter.slots.values()]
        if what.only_asking and not any(ruling.asks for ruling in standing):
            continue
        del matters[key]
        for ruling in standing:
            taken = replace(
                ruling, state="superseded", asks=(), because=f"Taken back: {what.reason}."
            )
            docket = put(docket, taken)
            changes.append(taken)
    return replace(docket, matters=matters), changes


def _settle(docket: Docket, what: Settled) -> Docket:
    matters = dict(docket.matters)
    for key, matter in docket.matters.items():
        finding = matter.finding
        if finding.kind == what.kind and (what.place is None or finding.place == what.place):
            verdicts = {docket.rulings[r].verdict for r in matter.slots.values()}
            if verdicts & _DONE_BY_DEALING:
                matters[key] = replace(matter, is_settled=True)
    return replace(docket, matters=matters)


# ---------------------------------------------------------------- judging
def _judge_all(book: RuleBook, docket: Docket, table: Table) -> Change:
    changes: list[Ruling] = []
    groups: dict[str, list[Finding]] = {}
    for matter in docket.matters.values():
        groups.setdefault(matter.finding.kind, []).append(matter.finding)
    dismissed = {
        stated.text.split(" ", 1)[0].lower(): stated.text
        for stated in table.hand.said
        if stated.topic == "dismiss"
    }
    for key, matter in docket.matters.items():
        if matter.is_settled:
            continue
        if dismissed and (
            word := next((dismissed[r] for r in matter.past if r in dismissed), None)
        ):
            docket, more = _dismiss(docket, key, word)
            changes += more
            continue
        scene = Scene(
            table,
            matter.finding,
            tuple(groups[matter.finding.kind]),
            book.substantial_action,
            matter.upheld is not None,
        )
        for outcome in judge(book, scene):
            docket, more = _update(book, docket, key, scene, outcome)
            changes += more
        docket, more = _close_rest(docket, key, {o.slot for o in judge(book, scene)})
        changes += more
    return docket, changes


def _dismiss(docket: Docket, key: str, word: str) -> Change:
    """Set the rulings of a matter aside, as the floor has said."""
    matter = docket.matters[key]
    if not matter.slots:
        return docket, []
    reason = word.split(" ", 1)[1] if " " in word else "no reason was given"
    changes: list[Ruling] = []
    for ruling_id in matter.slots.values():
        aside = replace(
            docket.rulings[ruling_id],
            state="superseded",
            asks=(),
            because=f"Set aside by the floor: {reason}.",
        )
        docket = put(docket, aside)
        changes.append(aside)
    matters = {**docket.matters, key: replace(matter, slots={})}
    return replace(docket, matters=matters), changes


# ---------------------------------------------------------------- the life of a ruling
def _update(book: RuleBook, docket: Docket, key: str, scene: Scene, outcome: Outcome) -> Change:
    """Let a matter's ruling follow its outcome."""
    matter = docket.matters[key]
    if matter.upheld == outcome.slot:
        return docket, []
    ruling = _ruling(book, docket, scene, outcome)
    old_id = matter.slots.get(outcome.slot)
    old = docket.rulings[old_id] if old_id else None
    if old is not None and _is_same(old, ruling):
        return docket, []
    if old is not None and _is_kept(old, ruling):
        kept = replace(ruling, id=old.id)
        return put(docket, kept), [kept]
    changes: list[Ruling] = []
    if old is not None:
        gone = replace(old, state="superseded", asks=(), superseded_by=ruling.id)
        docket = put(docket, gone)
        changes.append(gone)
    docket = put(docket, ruling)
    fresh = replace(
        matter,
        slots={**matter.slots, outcome.slot: ruling.id},
        past=(*matter.past, ruling.id),
    )
    docket = replace(docket, matters={**docket.matters, key: fresh})
    return docket, [*changes, ruling]


def _is_same(old: Ruling, new: Ruling) -> bool:
    return replace(old, id=new.id) == new


def _is_kept(old: Ruling, new: Ruling) -> bool:
    """Say whether a ruling only changes in who may claim it, where it lies or what it asks."""
    return old.verdict == new.verdict and old.cite == new.cite and old.decider == new.decider


def _close_rest(docket: Docket, key: str, slots: set[str]) -> Change:
    """Close the rulings for which no clause speaks any more."""
    matter = docket.matters[key]
    changes: list[Ruling] = []
    for slot, ruling_id in tuple(matter.slots.items()):
        old = docket.rulings[ruling_id]
        if slot in slots or slot == matter.upheld:
            continue
        state: State = "expired" if old.decider == "claim" else "superseded"
        closed = replace(old, state=state, asks=(), callable_by=())
        docket = put(docket, closed)
        changes.append(closed)
        left = {s: r for s, r in docket.matters[key].slots.items() if s != slot}
        matters = {**docket.matters, key: replace(docket.matters[key], slots=left)}
        docket = replace(docket, matters=matters)
    return docket, changes


def _ruling(book: RuleBook, docket: Docket, scene: Scene, outcome: Outcome) -> Ruling:
    """Write a ruling out."""
    clause, finding = outcome.clause, scene.finding
    asking = bool(outcome.asks)
    decider = clause.decider if clause else ("floor" if outcome.verdict == "floor" else "book")
    is_open = asking or decider in ("claim", "floor")
    settled = clause if not asking else None
    callable_by: tuple[Place, ...] = ()
    if settled and settled.callable_by:
        callable_by = may_call(settled, scene)
    return Ruling(
        id=f"r{docket.count + 1}",
        finding=finding.kind,
        place=outcome.place,
        card=finding.card,
        verdict=outcome.verdict,
        state="open" if is_open else "final",
        decider=decider,
        callable_by=callable_by,
        until=Until(settled.until)
        if settled and settled.until
        else Until("answer")
        if asking
        else None,
        asks=outcome.asks,
        next_dealer=next_dealer(settled, scene.table),
        remedy=_remedy(settled, finding),
        cite=outcome.cite,
        rulebook=book.name,
        book_version=book.version,
        book_hash=book.hash,
        because=_because(finding, outcome),
        hand=scene.table.hand_no,
        matter=finding.key,
    )


def _because(finding: Finding, outcome: Outcome) -> str:
    found = sentence(finding)
    if outcome.asks:
        names = " and ".join(ask.fact.replace("_", " ") for ask in outcome.asks)
        return f"{found} Not known: {names}."
    if outcome.clause is None:
        if outcome.verdict == "floor":
            return f"{found} The book does not decide it."
        return found
    return f"{found} {outcome.clause.plain}".strip()


def _remedy(clause: Clause | None, finding: Finding) -> tuple[str, ...]:
    """Fill a clause's remedies with the chips that were told, in words where they were not."""
    if clause is None or not clause.remedy:
        return ()
    told: dict[str, Any] = {**CHIPS, **finding.facts}
    facts = finding.facts
    if "needed" in facts and "put" in facts:
        told["lacking_chips"] = max(0, facts["needed"] - facts["put"])
    if "limit" in facts and "put" in facts:
        told["excess_chips"] = max(0, facts["put"] - facts["limit"])
    return tuple(line.format_map(told) for line in clause.remedy)


# ---------------------------------------------------------------- claims
def _answer_claims(
    book: RuleBook, docket: Docket, table: Table, claims: tuple[Finding, ...]
) -> Change:
    """Answer claims, those first that wait for an answer to something else."""
    changes: list[Ruling] = []
    known = {(claim.place, claim.facts["claim"]) for claim in docket.waiting}
    fresh = [claim for claim in claims if (claim.place, claim.facts["claim"]) not in known]
    for claim in (*docket.waiting, *fresh):
        docket, more = _answer(book, docket, table, claim)
        changes += more
        docket, more = _judge_all(book, docket, table)
        changes += more
    return docket, changes


def _reopen(docket: Docket, table: Table) -> Docket:
    """Let claims wait again whose answer rested on a statement that was taken back."""
    said = len(table.hand.said)
    for key, matter in docket.matters.items():
        if matter.claim is not None and matter.upheld_after > said:
            reopened = replace(matter, upheld=None, claim=None)
            waiting = [c for c in docket.waiting if c.key != matter.claim.key]
            docket = replace(
                docket,
                matters={**docket.matters, key: reopened},
                waiting=(*waiting, matter.claim),
            )
    return docket


def _answer(book: RuleBook, docket: Docket, table: Table, claim: Finding) -> Change:
    """Uphold a claim on a ground that is open to its player, answer why not, or wait.

    A claim waits while it depends on a question: whether the ground exists, or, where nobody
    enters what players do, whether this player has looked at his cards.
    """
    wanted = str(claim.facts["claim"])
    grounds = [
        (slot, docket.rulings[ruling_id])
        for matter in docket.matters.values()
        for slot, ruling_id in matter.slots.items()
    ]
    stands = [(slot, ruling) for slot, ruling in grounds if ruling.verdict == wanted]
    waiting = tuple(each for each in docket.waiting if each.key != claim.key)
    settled = replace(docket, waiting=waiting)
    for slot, ruling in stands:
        if ruling.state != "open" or claim.place not in ruling.callable_by:
            continue
        if is_looking_unknown(table, claim.place):
            return _ask_looked(book, docket, table, claim)
        return _uphold(settled, table, claim, slot, ruling)
    if any(ruling.state == "final" for _, ruling in stands):
        return settled, []
    if any(wanted in ask.verdicts.values() for _, ruling in grounds for ask in ruling.asks):
        return replace(settled, waiting=(*waiting, claim)), []
    was_there = any(
        ruling.verdict == wanted
        for matter in docket.matters.values()
        for ruling in docket.of_matter(matter)
    )
    verdict = "not_eligible" if stands else "deal_stands" if was_there else "no_ground"
    return _answered(book, settled, table, claim, verdict)


def _ask_looked(book: RuleBook, docket: Docket, table: Table, claim: Finding) -> Change:
    """Ask whether the player who claims has looked at his cards."""
    waiting = (*(each for each in docket.waiting if each.key != claim.key), claim)
    docket = replace(docket, waiting=waiting)
    is_asked = any(r.matter == claim.key and r.state == "open" for r in docket.rulings.values())
    if is_asked:
        return docket, []
    wanted = str(claim.facts["claim"])
    ask = Ask("looked", {"yes": "not_eligible", "no": wanted})
    outcome = Outcome(slot="main", clause=None, verdict=None, place=claim.place, asks=(ask,))
    ruling = _ruling(book, docket, Scene(table, claim, (claim,)), outcome)
    return put(docket, ruling), [ruling]


def _uphold(docket: Docket, table: Table, claim: Finding, slot: str, ground: Ruling) -> Change:
    """Uphold a ground at every place where it was found: it is one error of the dealer's."""
    changes: list[Ruling] = []
    for key, matter in docket.matters.items():
        ruling = docket.rulings.get(matter.slots.get(slot, ""))
        if ruling is None or (ruling.finding, ruling.cite) != (ground.finding, ground.cite):
            continue
        upheld = replace(ruling, state="final", asks=())
        after = len(table.hand.said)
        settled = replace(docket.matters[key], upheld=slot, claim=claim, upheld_after=after)
        docket = put(replace(docket, matters={**docket.matters, key: settled}), upheld)
        changes.append(upheld)
    docket, more = _close_questions(docket)
    return docket, [*more, *changes]


def _close_questions(docket: Docket) -> Change:
    """Close what was asked of claims that wait no more."""
    waiting = {claim.key for claim in docket.waiting}
    changes: list[Ruling] = []
    for ruling in tuple(docket.rulings.values()):
        if ruling.finding == "claim" and ruling.state == "open" and ruling.matter not in waiting:
            closed = replace(ruling, state="superseded", asks=())
            docket = put(docket, closed)
            changes.append(closed)
    return docket, changes


def _answered(book: RuleBook, docket: Docket, table: Table, claim: Finding, verdict: str) -> Change:
    scene = Scene(table, claim, (claim,), book.substantial_action)
    clauses = list(book.clauses_on("claim", table.plan.game))
    row = decide(clauses, scene, "main") if clauses else None
    outcome = Outcome(
        slot="main", clause=None, verdict=verdict, place=claim.place, cite=row.cite if row else ()
    )
    docket, changes = _close_questions(docket)
    ruling = replace(_ruling(book, docket, scene, outcome), state="final")
    reason = VERDICTS[verdict].lower()
    ruling = replace(ruling, because=f"{sentence(claim)} The answer is: {reason}.")
    return put(docket, ruling), [*changes, ruling]
