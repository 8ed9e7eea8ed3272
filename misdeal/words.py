"""Rulings in the words of the people at the table, for screens and command lines."""

from engine.docket import Ruling
from engine.words import VERDICTS, place_words
from misdeal.clock import NANOSECONDS_PER_SECOND

_STATES = {"open": "open", "final": "in force", "expired": "expired", "superseded": "superseded"}

_FACTS = {
    "substantial_action": "Has there been substantial action?",
    "exposed_by": "Who turned the card up?",
    "handled": "Has the player touched the cards?",
    "looked": "Has the player looked at the cards?",
}


def headline(ruling: Ruling) -> str:
    """Return a verdict in the field's words and where it holds: ``HAND DEAD - SEAT 5``."""
    if ruling.verdict is None:
        return "ASK"
    words = VERDICTS[ruling.verdict]
    return f"{words} - {place_words(ruling.place).upper()}" if ruling.place else words


def state_words(ruling: Ruling) -> str:
    """Return what a ruling's state means for the table."""
    return _STATES[ruling.state]


def finding_words(ruling: Ruling) -> str:
    """Return what was found and where: ``exposed card Kd at seat 3``."""
    words = ruling.finding.replace("_", " ")
    card = f" {ruling.card}" if ruling.card else ""
    place = f" at {place_words(ruling.place)}" if ruling.place else ""
    return words + card + place


def until_words(ruling: Ruling, now_ns: int | None = None) -> str:
    """Return until when a ruling may still change: an event, seconds, or nothing."""
    if ruling.state != "open" or ruling.until is None:
        return ""
    if ruling.until.at_ns is None or now_ns is None:
        return f"until {ruling.until.event.replace('_', ' ')}"
    left_s = max(0, ruling.until.at_ns - now_ns) / NANOSECONDS_PER_SECOND
    return f"{left_s:.0f} s left"


def questions(ruling: Ruling) -> list[str]:
    """Return what is asked, each with what its answers lead to."""
    return [
        f"{_FACTS.get(ask.fact, ask.fact.replace('_', ' '))} "
        + "; ".join(
            f"{answer}: {VERDICTS[verdict] if verdict else 'no ruling'}"
            for answer, verdict in ask.verdicts.items()
        )
        for ask in ruling.asks
    ]


def sentence(ruling: Ruling) -> str:
    """Return a ruling on one line, for terminals that are no screen."""
    parts = [
        f"{ruling.id} {headline(ruling)} ({state_words(ruling)})",
        ruling.because,
        until_words(ruling),
        *questions(ruling),
        "may be claimed by " + ", ".join(ruling.callable_by) if ruling.callable_by else "",
        " ".join(ruling.cite),
    ]
    return " | ".join(part for part in parts if part)


def ruling_fields(ruling: Ruling) -> dict[str, object]:
    """Return a ruling as ``--json`` prints it."""
    return {
        "ruling": ruling.id,
        "finding": ruling.finding,
        "place": ruling.place,
        "card": ruling.card,
        "verdict": ruling.verdict,
        "state": ruling.state,
        "decider": ruling.decider,
        "callable_by": ruling.callable_by,
        "until": ruling.until,
        "asks": ruling.asks,
        "next_dealer": ruling.next_dealer,
        "remedy": ruling.remedy,
        "cite": ruling.cite,
        "rulebook": ruling.rulebook,
        "because": ruling.because,
    }
