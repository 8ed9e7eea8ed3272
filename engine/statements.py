"""The operator's words: what can be said at a table, and the event that each sentence becomes.

The same words are used in table scripts, by ``misdeal say`` and on the page. Source of the
words: the table-script format, version 1.
"""

import re
from collections.abc import Callable
from typing import Any, get_args

from engine import events as ev
from engine.booktext import closest
from engine.cards import Card, Place, parse_card, parse_place
from engine.errors import CardError, PlaceError, StatementError

AMOUNTS = ("needed", "put", "limit", "minimum", "raised", "announced")
"""Chips that a report may tell, as ``needed=80``."""

Words = list[str]
Parser = Callable[[Words, int], ev.AnyEvent]


class _WrongError(Exception):
    """A sentence that does not fit its form; becomes a StatementError with the whole text."""


def _seat(words: Words, at: int = 0) -> Place:
    if len(words) <= at:
        message = "a seat is missing, such as S3"
        raise _WrongError(message)
    place = parse_place(words[at])
    if not re.fullmatch(r"S\d+|D|P|B", place):
        message = f"expected a seat such as S3, found {words[at]}"
        raise _WrongError(message)
    return place


def _ends(words: Words, count: int) -> None:
    if len(words) > count:
        message = f"nothing may follow, found {' '.join(words[count:])!r}"
        raise _WrongError(message)


def _choice(words: Words, at: int, choices: tuple[str, ...]) -> str:
    word = words[at] if len(words) > at else ""
    if word not in choices:
        found = repr(word) if word else "nothing"
        message = f"expected one of {', '.join(choices)}, found {found}{closest(word, choices)}"
        raise _WrongError(message)
    return word


def _number(word: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", word):
        message = f"expected a number, found {word!r}"
        raise _WrongError(message)
    return int(word)


def _act(words: Words, at_ns: int) -> ev.AnyEvent:
    seat = _seat(words)
    action: Any = _choice(words, 1, get_args(ev.Action))
    is_out = words[2:] == ["out"]
    _ends(words, 3 if is_out else 2)
    return ev.ActionEntered(at_ns=at_ns, seat=seat, action=action, is_out_of_turn=is_out)


def _call(words: Words, at_ns: int) -> ev.AnyEvent:
    claim: Any = _choice(words, 0, ("misdeal", "redeal"))
    _ends(words, 2)
    return ev.ClaimMade(at_ns=at_ns, claim=claim, seat=_seat(words, 1))


def _report(words: Words, at_ns: int) -> ev.AnyEvent:
    if not words:
        message = "the clause is missing, such as L-B2"
        raise _WrongError(message)
    place: Place | None = None
    amounts: dict[str, int] = {}
    for word in words[1:]:
        if "=" in word:
            key, value = word.split("=", 1)
            if key not in AMOUNTS:
                message = (
                    f"expected one of {', '.join(AMOUNTS)}, found {key!r}{closest(key, AMOUNTS)}"
                )
                raise _WrongError(message)
            amounts[key] = _number(value)
        elif place is None:
            place = parse_place(word)
        else:
            message = f"nothing may follow the place, found {word!r}"
            raise _WrongError(message)
    return ev.Reported(at_ns=at_ns, clause=words[0], place=place, amounts=amounts)


def _cut(words: Words, at_ns: int) -> ev.AnyEvent:
    if words in (["declined"], ["none"]):
        return ev.CutRefused(at_ns=at_ns, was_offered=words[0] == "declined")
    match = re.fullmatch(r"(\d+)/(\d+)", words[0]) if words else None
    if match is None:
        message = "expected two packets such as 26/26, 'declined' or 'none'"
        raise _WrongError(message)
    faces: list[Card] = []
    for word in words[1:]:
        if not word.startswith("up="):
            message = f"expected up=CARD, found {word!r}"
            raise _WrongError(message)
        faces.append(parse_card(word[3:]))
    return ev.CutMade(at_ns=at_ns, top=int(match[1]), bottom=int(match[2]), faces_up=tuple(faces))


def _shuffle(words: Words, at_ns: int) -> ev.AnyEvent:
    _ends(words, words == ["none"])
    return ev.PackShuffled(at_ns=at_ns, is_done=words != ["none"])


def _pack(words: Words, at_ns: int) -> ev.AnyEvent:
    if len(words) != 1:
        message = "expected the number of cards, such as 51"
        raise _WrongError(message)
    return ev.PackCounted(at_ns=at_ns, count=_number(words[0]), is_complete=True)


def _fault(words: Words, at_ns: int) -> ev.AnyEvent:
    if not words:
        message = "the device is missing, such as jackpot-meter"
        raise _WrongError(message)
    return ev.DeviceFaulted(at_ns=at_ns, device=words[0], reason=" ".join(words[1:]))


def _restore(words: Words, at_ns: int) -> ev.AnyEvent:
    _ends(words, 1)
    if not words:
        message = "the device is missing, such as jackpot-meter"
        raise _WrongError(message)
    return ev.DeviceRestored(at_ns=at_ns, device=words[0])


def _deal(words: Words, at_ns: int) -> ev.AnyEvent:
    _choice(words, 0, ("ends",))
    _ends(words, 1)
    return ev.DealEnded(at_ns=at_ns)


def _touch(words: Words, at_ns: int) -> ev.AnyEvent:
    _ends(words, 1)
    return ev.HandTouched(at_ns=at_ns, seat=_seat(words))


def _look(words: Words, at_ns: int) -> ev.AnyEvent:
    _ends(words, 1)
    return ev.HandLooked(at_ns=at_ns, seat=_seat(words))


def _approve(words: Words, at_ns: int) -> ev.AnyEvent:
    return ev.Approved(at_ns=at_ns, by=" ".join(words))


# ---------------------------------------------------------------- say ...
def _plain(topic: Any) -> Parser:
    def parse(words: Words, at_ns: int) -> ev.AnyEvent:
        _ends(words, 0)
        return ev.Stated(at_ns=at_ns, topic=topic)

    return parse


def _of_seat(topic: Any) -> Parser:
    def parse(words: Words, at_ns: int) -> ev.AnyEvent:
        _ends(words, 1)
        return ev.Stated(at_ns=at_ns, topic=topic, seat=_seat(words))

    return parse


def _yes_no(topic: Any, *, has_seat: bool = False) -> Parser:
    def parse(words: Words, at_ns: int) -> ev.AnyEvent:
        seat = _seat(words) if has_seat else None
        at = 1 if has_seat else 0
        answer = _choice(words, at, ("yes", "no"))
        _ends(words, at + 1)
        return ev.Stated(at_ns=at_ns, topic=topic, seat=seat, yes=answer == "yes")

    return parse


def _exposed(words: Words, at_ns: int) -> ev.AnyEvent:
    if not words:
        message = "the card is missing, such as 9h"
        raise _WrongError(message)
    by: Any = _choice(words, 1, ("by=dealer", "by=player"))[3:]
    _ends(words, 2)
    return ev.Stated(at_ns=at_ns, topic="exposed", card=parse_card(words[0].split("#")[0]), by=by)


def _counted(words: Words, at_ns: int) -> ev.AnyEvent:
    seat = _seat(words)
    if len(words) < 2:
        message = "the number of cards is missing"
        raise _WrongError(message)
    _ends(words, 2)
    return ev.Stated(at_ns=at_ns, topic="counted", seat=seat, number=_number(words[1]))


def _dismiss(words: Words, at_ns: int) -> ev.AnyEvent:
    if len(words) < 2 or not re.fullmatch(r"[rR]\d+", words[0]):
        message = "expected a ruling and a reason, such as 'dismiss R1 card was under the tray'"
        raise _WrongError(message)
    return ev.Stated(at_ns=at_ns, topic="dismiss", text=" ".join([words[0].lower(), *words[1:]]))


def _named(topic: Any) -> Parser:
    def parse(words: Words, at_ns: int) -> ev.AnyEvent:
        if len(words) != 1:
            message = "expected one name"
            raise _WrongError(message)
        return ev.Stated(at_ns=at_ns, topic=topic, text=words[0])

    return parse


def _stub(words: Words, at_ns: int) -> ev.AnyEvent:
    is_mixed = words == ["mixed"]
    _ends(words, 1 if is_mixed else 0)
    return ev.Stated(at_ns=at_ns, topic="stub dropped", text="mixed" if is_mixed else "")


SAYINGS: dict[str, Parser] = {
    "interfered": _of_seat("interfered"),
    "found": _of_seat("found"),
    "agree short": _of_seat("agree short"),
    "ante": _of_seat("ante"),
    "no-ante": _of_seat("no-ante"),
    "tabled": _of_seat("tabled"),
    "exposed": _exposed,
    "substantial": _yes_no("substantial"),
    "handled": _yes_no("handled"),
    "looked": _yes_no("looked", has_seat=True),
    "counted": _counted,
    "dismiss": _dismiss,
    "undo": _plain("undo"),
    "pack": _named("pack"),
    "blind": _of_seat("blind"),
    "pot taken": _plain("pot taken"),
    "next hand": _plain("next hand"),
    "sits": _of_seat("sits"),
    "leaves": _of_seat("leaves"),
    "back": _of_seat("back"),
    "level up": _plain("level up"),
    "break": _plain("break"),
    "stub dropped": _stub,
    "bets closed": _plain("bets closed"),
    "button": _of_seat("button"),
}
"""What may follow ``say``."""

SENTENCES: dict[str, Parser] = {
    "act": _act,
    "call": _call,
    "report": _report,
    "handle": _touch,
    "look": _look,
    "shuffle": _shuffle,
    "cut": _cut,
    "deal": _deal,
    "pack": _pack,
    "fault": _fault,
    "restore": _restore,
    "approve": _approve,
}
"""What an operator may enter beside ``say ...``."""


def _say(words: Words, at_ns: int) -> ev.AnyEvent:
    for length in (2, 1):
        parser = SAYINGS.get(" ".join(words[:length]))
        if parser is not None:
            return parser(words[length:], at_ns)
    word = " ".join(words[:2])
    message = f"nothing can be said of {word!r}{closest(word, SAYINGS)}"
    raise _WrongError(message)


def parse_statement(text: str, at_ns: int) -> ev.AnyEvent:
    """Return the event that an operator's sentence stands for.

    Raises:
        StatementError: If the sentence is none of the operator's words.
    """
    words = text.split()
    if not words:
        raise StatementError(text, "nothing was said")
    parser = _say if words[0] == "say" else SENTENCES.get(words[0])
    if parser is None:
        known = [*SENTENCES, "say"]
        raise StatementError(text, f"expected one of {', '.join(known)}{closest(words[0], known)}")
    try:
        return parser(words[1:], at_ns)
    except (_WrongError, CardError, PlaceError) as error:
        raise StatementError(text, str(error)) from error
