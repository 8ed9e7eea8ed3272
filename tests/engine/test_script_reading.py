"""Reading a table script: the whole grammar, and every fault of a text at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Place
from engine.errors import Fault, ScriptError
from engine.script import Expectation, Line, Script, check_line, read_script
from engine.setup import TableSetup
from tests.engine.felt import FULL_SENSORS, seats

GOOD = """\
# A comment, as scripts have them.
script = 1
game = "holdem"
rulebook = "tda-2024"
seats = [1, 3, 5]
tableseats = [1, 2, 3, 4, 5]
button = 5
absent = [3]
penalty = {5 = 2}
decks = 1
actions = "none"
prepared = false
never = ["misdeal"]
events = [
  "shuffle",
  "@12.5 deal Kd S1 up",  # timed
  "deal ? S3",
]

[[expect]]
after = 2
finding = "exposed_card"
place = "S1"
card = "Kd"
verdict = "misdeal"
state = "open"
cite = "T-A7"
asks = ["substantial_action"]
callable_by = ["S1", "S3"]
next_dealer = "S3"

[[reject]]
verdict = "misdeal"
"""


def frame(**changes: str) -> str:
    """Return the text of a small script with some of its keys changed, added, or dropped."""
    keys = {
        "script": "1",
        "game": '"holdem"',
        "rulebook": '"tda-2024"',
        "seats": "[1, 2, 3]",
        "events": '["deal ends"]',
        **changes,
    }
    return "".join(f"{key} = {value}\n" for key, value in keys.items() if value)


def read(text: str) -> Script:
    return read_script(text, file="t.toml")


def faults(text: str) -> list[str]:
    """Return the faults of a text, as they are printed."""
    with pytest.raises(ScriptError) as caught:
        read(text)
    return [str(fault) for fault in caught.value.faults]


# ---------------------------------------------------------------- sound scripts
def test_a_script_is_read_whole() -> None:
    script = read(GOOD)
    assert (script.file, script.rulebook, script.clean, script.never, script.house) == (
        "t.toml", "tda-2024", False, ("misdeal",), None,
    )  # fmt: skip
    assert script.setup == TableSetup(
        game="holdem",
        seats=seats("1 3 5"),
        tableseats=seats("1 2 3 4 5"),
        button=Place("S5"),
        absent=frozenset(seats("3")),
        penalty={Place("S5"): 2},
        actions="none",
        prepared=False,
        readers=FULL_SENSORS,
    )


def test_events_without_a_time_are_one_second_apart() -> None:
    assert read(GOOD).lines == (
        Line("shuffle", "shuffle", (), 1_000_000_000),
        Line("deal Kd S1 up", "deal", ("Kd", "S1", "up"), 12_500_000_000),
        Line("deal ? S3", "deal", ("?", "S3"), 13_500_000_000),
    )


def test_an_expectation_holds_what_is_given_and_nothing_else() -> None:
    script = read(GOOD)
    assert script.rejects == (Expectation(after=3, verdict="misdeal"),)
    assert script.expects[0].callable_by == frozenset(("S1", "S3"))
    assert str(script.expects[0]).startswith("after = 2, finding = exposed_card, place = S1")


def test_what_is_left_out_has_its_default() -> None:
    setup = read(frame()).setup
    assert setup.tableseats == setup.seats
    assert (setup.actions, setup.prepared, setup.decks) == ("entered", True, 1)
    assert (setup.button, setup.dealer, setup.due_dealer) == (None, None, None)


def test_baccarat_needs_no_seats() -> None:
    text = frame(game='"baccarat"', rulebook='"pa-baccarat"', seats="[]", decks="8")
    assert read(text).setup.seats == ()


def test_house_rules_in_a_script_become_the_text_of_a_house_file() -> None:
    text = (
        frame()
        + """
[house]
foreign_card = "deck_fouled"
disable = ["T-A5"]

[[house.clause]]
id = "H1"
finding = "marked_card"
verdict = "deck_replaced"
remedy = ["say \\"stop\\""]
also = true
"""
    )
    house = read(text).house
    assert house == (
        'foreign_card = "deck_fouled"\n'
        'disable = ["T-A5"]\n'
        "[[clause]]\n"
        'id = "H1"\n'
        'finding = "marked_card"\n'
        'verdict = "deck_replaced"\n'
        'remedy = ["say \\"stop\\""]\n'
        "also = true\n"
    )


SOUND_EVENTS = [
    "shuffle", "shuffle none", "cut 26/26", "cut 4/48 up=9h", "cut declined", "cut none",
    "pack 51", "deal 9h S1", "deal 9h S1 up", "deal 9h S1 up by=player", "deal 9h S1 unread",
    "deal 9h S1 up unread", "deal 9h#2 board up", "deal 9h@other D", "deal X P", "deal X#2 floor",
    "deal JK B", "deal ? burn", "round", "round S1 S2", "stuck 9h Kd S1", "stray 9h S2",
    "seen 9h as Kd", "boxed 9h", "boxed 9h S1", "expose 9h", "expose 9h by=dealer",
    "expose 9h by=player", "turn 9h down", "burn", "burn 9h", "board 9h", "board 9h Kd 2c",
    "move 9h muck", "muck S3", "discard S3 9h", "discard S3 9h Kd", "handle S1", "look S3",
    "mark 9h", "deal ends", "act S3 fold", "act S3 fold out", "call misdeal S4",
    "say tabled S2", "report T-E4", "collect", "fault seat:3", "restore seat:3", "approve",
]  # fmt: skip


@pytest.mark.parametrize("event", SOUND_EVENTS)
def test_every_event_of_the_grammar_is_sound(event: str) -> None:
    verb, *words = event.split()
    assert check_line(verb, words) == []


# ---------------------------------------------------------------- faults of an event
BAD_EVENTS = [
    ("dael 9h S1", "'dael 9h S1'", "did you mean 'deal'?"),
    ("deal", "'deal'", "a card more"),
    ("deal 9h", "'deal 9h'", "a place more"),
    ("deal h9 S1", "'h9'", "a rank of 23456789TJQKA"),
    ("deal 10h S1", "'10h'", "a rank of"),
    ("deal 9h#x S1", "'9h#x'", "a card such as 9h, 9h#2"),
    ("deal 9h S11", "'S11'", "S1 to S10"),
    ("deal 9h shoe", "'shoe'", "a place where cards lie"),
    ("deal 9h pack", "'pack'", "a place where cards lie"),
    ("deal 9h S1 upp", "'upp'", "one of up, by=player, unread"),
    ("deal 9h S1 by=dealer", "'by=dealer'", "one of up, by=player, unread"),
    ("round S1 seat2", "'seat2'", "S1 to S10"),
    ("stuck 9h S1", "'S1'", "a rank of"),
    ("stuck 9h Kd", "'stuck 9h Kd'", "a place more"),
    ("stray 9h", "'stray 9h'", "a place more"),
    ("seen 9h is Kd", "'is'", "'as'"),
    ("boxed", "'boxed'", "a card more"),
    ("boxed 9h S1 S2", "'S2'", "nothing more"),
    ("expose 9h by=me", "'by=me'", "one of by=dealer, by=player"),
    ("turn 9h up", "'up'", "'down'"),
    ("turn 9h", "'turn 9h'", "a down more"),
    ("burn 9h Kd", "'Kd'", "nothing more"),
    ("board", "'board'", "a card more"),
    ("move 9h", "'move 9h'", "a place more"),
    ("muck", "'muck'", "a place more"),
    ("discard S3", "'discard S3'", "a card more"),
    ("mark", "'mark'", "a card more"),
    ("collect all", "'collect all'", "nothing after 'collect'"),
    ("act S3 rise", "'act S3 rise'", "did you mean 'raise'?"),
    ("say pot token", "'say pot token'", "did you mean 'pot taken'?"),
    ("", "''", "an event"),
]


@pytest.mark.parametrize(
    ("event", "found", "expected"),
    BAD_EVENTS,
    ids=[event or "nothing" for event, _, _ in BAD_EVENTS],
)
def test_a_bad_event_is_named_with_its_line_and_number(
    event: str, found: str, expected: str
) -> None:
    text = frame(events=f'[\n  "round",\n  "{event}",\n]')
    told = [fault for fault in faults(text) if fault.startswith("t.toml:7: events[2]: ")]
    assert any(f"found {found}, expected" in fault and expected in fault for fault in told)


def test_two_events_on_one_line_have_their_own_numbers() -> None:
    text = frame(events='["round", "rond",\n "round", "board"]')
    assert [fault.split(" found")[0] for fault in faults(text)] == [
        "t.toml:5: events[2]:",
        "t.toml:6: events[4]:",
    ]


def test_an_event_that_is_no_text_is_named() -> None:
    (told,) = faults(frame(events='["round", 5]'))
    assert told == "t.toml:5: events[2]: found 5, expected an event string"


def test_time_may_not_run_backwards() -> None:
    (told,) = faults(frame(events='[\n  "@5 round",\n  "@4.9 deal ends"]'))
    assert told == (
        "t.toml:7: events[2]: found @4.9 deal ends, expected a time not before the event above"
    )


def test_a_comment_that_quotes_an_event_does_not_shift_the_lines() -> None:
    text = frame(events='[\n  # "round", "round"\n  "round",\n  "rond",\n]')
    (told,) = faults(text)
    assert told.startswith("t.toml:8: events[2]: ")


# ---------------------------------------------------------------- faults of the frame
BAD_FRAMES: list[tuple[dict[str, str], str]] = [
    ({"sats": "[1]"}, "t.toml:6: sats: found 'sats', expected a known key; did you mean 'seats'?"),
    ({"script": '"1"'}, "t.toml:1: script: found '1', expected int"),
    ({"script": "true"}, "t.toml:1: script: found True, expected int"),
    ({"script": "2"}, "t.toml:1: script: found 2, expected version 1"),
    ({"game": "5"}, "t.toml:2: game: found 5, expected str"),
    (
        {"game": '"holdm"'},
        "t.toml:2: game: found 'holdm', expected a game; did you mean 'holdem'?",
    ),
    ({"seats": '"1"'}, "t.toml:4: seats: found '1', expected list"),
    ({"seats": "[1, 11]"}, "t.toml:4: seats: found 11, expected a seat from 1 to 10"),
    ({"seats": '[1, "S2"]'}, "t.toml:4: seats: found 'S2', expected a seat from 1 to 10"),
    ({"seats": "[]"}, "t.toml:4: seats: found no seat, expected at least one seat"),
    ({"button": "7"}, "t.toml:6: button: found 7, expected one of the seats 1, 2, 3"),
    ({"dealer": "7"}, "t.toml:6: dealer: found 7, expected one of the seats 1, 2, 3"),
    ({"penalty": "{x = 1}"}, "t.toml:6: penalty: found 'x', expected a seat from 1 to 10"),
    ({"actions": '"some"'}, "t.toml:6: actions: found 'some', expected entered or none"),
    ({"decks": "0"}, "t.toml:6: decks: found 0, expected at least 1"),
    (
        {"never": '["misdeel"]'},
        "t.toml:6: never: found 'misdeel', expected a verdict; did you mean 'misdeal'?",
    ),
    ({"script": ""}, "t.toml:1: script: found nothing, expected the key 'script'"),
    ({"game": ""}, "t.toml:1: game: found nothing, expected the key 'game'"),
    ({"rulebook": ""}, "t.toml:1: rulebook: found nothing, expected the key 'rulebook'"),
    ({"seats": ""}, "t.toml:1: seats: found nothing, expected the key 'seats'"),
    ({"events": ""}, "t.toml:1: events: found nothing, expected the key 'events'"),
    (
        {"game": '"baccarat"'},
        "t.toml:2: game: found 'baccarat', expected a game of tda-2024: holdem, omaha",
    ),
    ({"clean": '"yes"'}, "t.toml:6: clean: found 'yes', expected bool"),
    ({"absent": "[true]"}, "t.toml:6: absent: found True, expected a seat from 1 to 10"),
    ({"penalty": "{1 = -1}"}, "t.toml:6: penalty: found -1, expected"),
    ({"penalty": "{1 = true}"}, "t.toml:6: penalty: found True, expected"),
    ({"penalty": '{1 = "two"}'}, "t.toml:6: penalty: found 'two', expected"),
    ({"seats": "[1, 2, 2]"}, "t.toml:4: seats: found seat 2 twice, expected each seat once"),
    ({"rulebook": '"tda-2042"'}, "t.toml:3: rulebook: found 'tda-2042', expected a rule book"),
]


@pytest.mark.parametrize(
    ("changes", "fault"), BAD_FRAMES, ids=[fault.split(" ", 1)[1] for _, fault in BAD_FRAMES]
)
def test_a_bad_key_is_named_with_line_key_found_and_expected(
    changes: dict[str, str], fault: str
) -> None:
    assert any(told.startswith(fault) for told in faults(frame(**changes)))


BAD_EXPECTATIONS = [
    ("findng = 'x'", "expect[1].findng: found 'findng', expected a known key; did you mean"),
    ("finding = 'exposed_crad'", "found 'exposed_crad', expected a known finding; did you mean"),
    ("verdict = 'misdeel'", "found 'misdeel', expected a known verdict; did you mean 'misdeal'?"),
    ("state = 'opened'", "expected a known state; did you mean 'open'?"),
    ("after = 0", "expect[1].after: found 0, expected an event from 1 to 1"),
    ("after = 2", "expect[1].after: found 2, expected an event from 1 to 1"),
    ("after = true", "expect[1].after: found True, expected int"),
    ("place = 3", "expect[1].place: found 3, expected str"),
    ("place = '3'", "expect[1].place: found '3', expected"),
    ("card = 'h9'", "expect[1].card: found 'h9', expected"),
    ("asks = 'handled'", "expect[1].asks: found 'handled', expected list"),
    ("asks = ['handeld']", "expect[1].asks: found 'handeld', expected"),
    ("callable_by = ['3']", "expect[1].callable_by: found '3', expected"),
    ("next_dealer = '3'", "expect[1].next_dealer: found '3', expected"),
]


@pytest.mark.parametrize(("line", "fault"), BAD_EXPECTATIONS)
def test_a_bad_expectation_is_named_with_its_line(line: str, fault: str) -> None:
    told = faults(frame() + f"\n[[expect]]\n{line}\n")
    assert any(each.startswith("t.toml:8: ") and fault in each for each in told)


def test_faults_of_a_later_expectation_stand_at_its_own_line() -> None:
    text = frame() + '\n[[expect]]\nverdict = "misdeal"\n\n[[reject]]\nverdict = "x"\n'
    assert [fault.split(": found")[0] for fault in faults(text)] == ["t.toml:11: reject[1].verdict"]


def test_an_expectation_that_is_no_table_is_named() -> None:
    (told,) = faults(frame(expect="[5]"))
    assert told == "t.toml:6: expect[1]: found 5, expected a table"


@pytest.mark.parametrize(
    ("text", "line"), [("script = = 1", 1), ('script = 1\ngame = "holdem\n', 2), ("a = [1,\n", 2)]
)
def test_what_is_no_toml_is_named_with_its_line(text: str, line: int) -> None:
    (told,) = faults(text)
    assert told.startswith(f"t.toml:{line}: found ")
    assert told.endswith(", expected TOML")


def test_an_empty_text_lacks_every_key_that_is_required() -> None:
    assert [fault.split(":")[2].strip() for fault in faults("")] == [
        "script", "game", "rulebook", "seats", "events",
    ]  # fmt: skip


def test_all_faults_of_a_script_are_told_at_once() -> None:
    text = frame(
        game='"holdm"', sats="[1]", decks="0", events='[\n  "rond",\n  "deal 9h S1 upp",\n]'
    )  # fmt: skip
    text += "\n[[expect]]\nverdict = 'misdeel'\nplace = 3\n"
    keys = {fault.split(": ")[1] for fault in faults(text)}
    assert keys == {
        "game", "sats", "decks", "events[1]", "events[2]", "expect[1].verdict", "expect[1].place",
    }  # fmt: skip


def test_the_error_carries_its_faults_and_prints_a_line_for_each() -> None:
    with pytest.raises(ScriptError) as caught:
        read(frame(decks="0", actions='"some"'))
    assert len(caught.value.faults) == 2
    assert str(caught.value).count("\n") == 1


TOML_ISH = st.text("=[]\"'{}#\n .,abcdeghilmnoprstu1239@", max_size=60)


def faults_beside_the_text(text: str) -> list[Fault]:
    """Return the faults of a text that point at no line of it; only a ScriptError is caught."""
    try:
        read(text)
    except ScriptError as error:
        return [f for f in error.faults if not 1 <= f.line <= text.count("\n") + 1]
    return []


@given(TOML_ISH | TOML_ISH.map(lambda text: GOOD.replace("game", text, 1)) | st.text(max_size=80))
def test_any_text_is_a_script_or_is_refused_line_by_line(text: str) -> None:
    assert faults_beside_the_text(text) == []


VALUES = [
    "5",
    "-1",
    "true",
    '"x"',
    '"S1"',
    '""',
    "1.5",
    "[]",
    "[5]",
    '["x"]',
    "[[1]]",
    "[{}]",
    "[{a = 1}]",
    "{}",
    "{1 = 1}",
    "{1 = []}",
    "{x = 'y'}",
    "2000-01-01",
    "99999999999",
]
FRAME_KEYS = [
    "script",
    "game",
    "rulebook",
    "seats",
    "tableseats",
    "button",
    "dealer",
    "due_dealer",
    "absent",
    "penalty",
    "decks",
    "house",
    "actions",
    "prepared",
    "events",
    "clean",
    "never",
    "expect",
    "reject",
]
EXPECT_KEYS = [
    "after",
    "finding",
    "place",
    "card",
    "verdict",
    "state",
    "cite",
    "asks",
    "callable_by",
    "next_dealer",
]


@pytest.mark.parametrize("key", FRAME_KEYS)
def test_a_value_of_any_type_is_taken_or_refused_with_its_line(key: str) -> None:
    texts = [frame(**{key: value}) for value in VALUES]
    assert [text for text in texts if faults_beside_the_text(text)] == []


@pytest.mark.parametrize("key", EXPECT_KEYS)
def test_a_value_of_any_type_in_an_expectation_is_taken_or_refused_with_its_line(key: str) -> None:
    texts = [frame() + f"[[expect]]\n{key} = {value}\n" for value in VALUES]
    assert [text for text in texts if faults_beside_the_text(text)] == []
