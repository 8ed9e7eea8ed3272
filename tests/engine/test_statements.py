"""The operator's words: every sentence of the script's contract, and what is no sentence."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Card, Place
from engine.errors import StatementError
from engine.events import (
    Action,
    ActionEntered,
    Approved,
    ClaimMade,
    CutMade,
    CutRefused,
    DealEnded,
    DeviceFaulted,
    DeviceRestored,
    HandLooked,
    HandTouched,
    PackCounted,
    PackShuffled,
    Reported,
    Stated,
    Topic,
)
from engine.statements import SAYINGS, SENTENCES, parse_statement

AT = 7_000_000_000
S1, S2, S3, S4 = (Place(f"S{n}") for n in range(1, 5))


def stated(topic: Topic, **facts: Any) -> Stated:
    return Stated(at_ns=AT, topic=topic, **facts)


WORDS: list[tuple[str, object]] = [
    ("shuffle", PackShuffled(at_ns=AT)),
    ("shuffle none", PackShuffled(at_ns=AT, is_done=False)),
    ("cut 26/26", CutMade(at_ns=AT, top=26, bottom=26)),
    ("cut 4/48 up=9h", CutMade(at_ns=AT, top=4, bottom=48, faces_up=(Card("9h"),))),
    (
        "cut 4/48 up=9h up=Kd",
        CutMade(at_ns=AT, top=4, bottom=48, faces_up=(Card("9h"), Card("Kd"))),
    ),
    ("cut declined", CutRefused(at_ns=AT, was_offered=True)),
    ("cut none", CutRefused(at_ns=AT, was_offered=False)),
    ("pack 51", PackCounted(at_ns=AT, count=51, is_complete=True)),
    ("handle S1", HandTouched(at_ns=AT, seat=S1)),
    ("look S3", HandLooked(at_ns=AT, seat=S3)),
    ("deal ends", DealEnded(at_ns=AT)),
    ("act S3 fold", ActionEntered(at_ns=AT, seat=S3, action="fold")),
    ("act S3 fold out", ActionEntered(at_ns=AT, seat=S3, action="fold", is_out_of_turn=True)),
    ("call misdeal S4", ClaimMade(at_ns=AT, claim="misdeal", seat=S4)),
    ("call redeal S3", ClaimMade(at_ns=AT, claim="redeal", seat=S3)),
    ("report L-B2 S2", Reported(at_ns=AT, clause="L-B2", place=S2)),
    ("report 14.9", Reported(at_ns=AT, clause="14.9")),
    (
        "report L-B3 S2 needed=20 put=10",
        Reported(at_ns=AT, clause="L-B3", place=S2, amounts={"needed": 20, "put": 10}),
    ),
    ("fault jackpot-meter", DeviceFaulted(at_ns=AT, device="jackpot-meter")),
    ("fault seat:3 no answer", DeviceFaulted(at_ns=AT, device="seat:3", reason="no answer")),
    ("restore shuffler", DeviceRestored(at_ns=AT, device="shuffler")),
    ("approve", Approved(at_ns=AT)),
    ("approve A. Lee", Approved(at_ns=AT, by="A. Lee")),
    ("say interfered S4", stated("interfered", seat=S4)),
    ("say found S2", stated("found", seat=S2)),
    ("say agree short S2", stated("agree short", seat=S2)),
    ("say ante S2", stated("ante", seat=S2)),
    ("say no-ante S4", stated("no-ante", seat=S4)),
    ("say tabled S2", stated("tabled", seat=S2)),
    ("say exposed 9h by=dealer", stated("exposed", card=Card("9h"), by="dealer")),
    ("say exposed 9h by=player", stated("exposed", card=Card("9h"), by="player")),
    ("say substantial yes", stated("substantial", yes=True)),
    ("say substantial no", stated("substantial", yes=False)),
    ("say handled yes", stated("handled", yes=True)),
    ("say handled no", stated("handled", yes=False)),
    ("say looked S3 yes", stated("looked", seat=S3, yes=True)),
    ("say looked S3 no", stated("looked", seat=S3, yes=False)),
    ("say counted S4 2", stated("counted", seat=S4, number=2)),
    ("say dismiss R1 under the tray", stated("dismiss", text="r1 under the tray")),
    ("say undo", stated("undo")),
    ("say pack blue", stated("pack", text="blue")),
    ("say blind S1", stated("blind", seat=S1)),
    ("say pot taken", stated("pot taken")),
    ("say next hand", stated("next hand")),
    ("say sits S10", stated("sits", seat=Place("S10"))),
    ("say leaves S4", stated("leaves", seat=S4)),
    ("say back S4", stated("back", seat=S4)),
    ("say level up", stated("level up")),
    ("say break", stated("break")),
    ("say stub dropped", stated("stub dropped")),
    ("say stub dropped mixed", stated("stub dropped", text="mixed")),
    ("say bets closed", stated("bets closed")),
    ("say button S4", stated("button", seat=S4)),
]


@pytest.mark.parametrize(("text", "event"), WORDS, ids=[text for text, _ in WORDS])
def test_each_sentence_stands_for_its_event(text: str, event: object) -> None:
    assert parse_statement(text, AT) == event


@pytest.mark.parametrize("action", get_args(Action))
def test_every_action_can_be_entered(action: Action) -> None:
    assert parse_statement(f"act S1 {action}", AT) == ActionEntered(
        at_ns=AT, seat=S1, action=action
    )


def test_blanks_between_words_mean_nothing() -> None:
    assert parse_statement("  say   pot  taken ", AT) == stated("pot taken")


WRONG = [
    ("", "nothing was said"),
    ("   ", "nothing was said"),
    ("fold S3", "expected one of act, call"),
    ("shufle", "did you mean 'shuffle'?"),
    ("acts S3 fold", "did you mean 'act'?"),
    ("act", "a seat is missing"),
    ("act S11 fold", "'S11' is no place"),
    ("act board fold", "expected a seat such as S3, found board"),
    ("act S3", "expected one of fold, check, call"),
    ("act S3 rise", "found 'rise'; did you mean 'raise'?"),
    ("act S3 fold twice", "nothing may follow, found 'twice'"),
    ("act S3 fold out now", "nothing may follow"),
    ("call", "expected one of misdeal, redeal, found nothing"),
    ("call misdela S4", "did you mean 'misdeal'?"),
    ("call misdeal", "a seat is missing"),
    ("call misdeal S4 now", "nothing may follow, found 'now'"),
    ("report", "the clause is missing"),
    ("report L-B2 seat2", "'seat2' is no place"),
    ("report L-B3 needed=many", "expected a number, found 'many'"),
    ("report L-B3 nedeed=20", "did you mean 'needed'?"),
    ("report L-B3 S2 S3", "nothing may follow the place, found 'S3'"),
    ("cut", "expected two packets such as 26/26"),
    ("cut 26", "expected two packets such as 26/26"),
    ("cut 26/26 9h", "expected up=CARD, found '9h'"),
    ("cut 26/26 up=h9", "'h9' is no card"),
    ("cut declined twice", "expected two packets such as 26/26"),
    ("shuffle twice", "nothing may follow, found 'twice'"),
    ("shuffle none none", "nothing may follow"),
    ("pack", "expected the number of cards"),
    ("pack 51 52", "expected the number of cards"),
    ("pack many", "expected a number, found 'many'"),
    ("pack ²", "expected a number, found '²'"),
    ("pack -1", "expected a number, found '-1'"),
    ("fault", "the device is missing"),
    ("restore", "the device is missing"),
    ("restore shoe now", "nothing may follow, found 'now'"),
    ("deal", "expected one of ends, found nothing"),
    ("deal 9h S1", "expected one of ends, found '9h'"),
    ("deal ends now", "nothing may follow, found 'now'"),
    ("handle", "a seat is missing"),
    ("handle S1 S2", "nothing may follow, found 'S2'"),
    ("look", "a seat is missing"),
    ("look muck", "expected a seat such as S3, found muck"),
    ("say", "nothing can be said of ''"),
    ("say pot token", "did you mean 'pot taken'?"),
    ("say pot taken now", "nothing may follow, found 'now'"),
    ("say tabled", "a seat is missing"),
    ("say tabled S2 S3", "nothing may follow, found 'S3'"),
    ("say substantial", "expected one of yes, no, found nothing"),
    ("say substantial maybe", "expected one of yes, no, found 'maybe'"),
    ("say substantial yes yes", "nothing may follow, found 'yes'"),
    ("say looked yes", "'yes' is no place"),
    ("say looked S3", "expected one of yes, no, found nothing"),
    ("say exposed", "the card is missing"),
    ("say exposed 9h", "expected one of by=dealer, by=player, found nothing"),
    ("say exposed 9h by=delaer", "did you mean 'by=dealer'?"),
    ("say exposed h9 by=dealer", "'h9' is no card"),
    ("say exposed 9h by=dealer now", "nothing may follow, found 'now'"),
    ("say counted", "a seat is missing"),
    ("say counted S4", "the number of cards is missing"),
    ("say counted S4 two", "expected a number, found 'two'"),
    ("say counted S4 2 3", "nothing may follow, found '3'"),
    ("say dismiss", "expected a ruling and a reason"),
    ("say dismiss R1", "expected a ruling and a reason"),
    ("say dismiss one because", "expected a ruling and a reason"),
    ("say pack", "expected one name"),
    ("say pack blue red", "expected one name"),
    ("say stub dropped mixd", "nothing may follow, found 'mixd'"),
    ("say stub", "nothing can be said of 'stub'"),
    ("say undo now", "nothing may follow, found 'now'"),
    ("say button", "a seat is missing"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG, ids=[text or "nothing" for text, _ in WRONG])
def test_what_is_no_sentence_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(StatementError) as caught:
        parse_statement(text, AT)
    assert reason in caught.value.reason
    assert caught.value.text == text


def test_every_topic_can_be_said_and_is_tried_here() -> None:
    tried = {event.topic for _, event in WORDS if isinstance(event, Stated)}
    assert set(get_args(Topic)) == set(SAYINGS) == tried


def test_every_sentence_is_tried_here() -> None:
    assert {text.split()[0] for text, _ in WORDS} == {*SENTENCES, "say"}


ODD_WORDS = {"S99", "9h", "up=", "=", "½", "²", "R1"}
SOME_WORD = st.sampled_from(sorted({w for text, _ in WORDS for w in text.split()} | ODD_WORDS))


@given(st.lists(SOME_WORD | st.text(max_size=4), max_size=5).map(" ".join))
def test_whatever_is_said_is_an_event_or_is_refused(text: str) -> None:
    try:
        at_ns = parse_statement(text, AT).at_ns
    except StatementError:
        at_ns = AT
    assert at_ns == AT
