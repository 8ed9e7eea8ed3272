"""The facts that conditions name, and those that every finding has."""

import pytest

from engine.clauses import KINDS
from engine.facts import FACTS, Unknown, facts_for
from tests.engine.felt import Played, book
from tests.engine.scenes import YES_OR_NO, fact, plain_scene, scene_of


# ---------------------------------------------------------------- all facts
@pytest.mark.parametrize("name", sorted(FACTS))
def test_a_fact_says_what_it_means_and_goes_by_its_name(name: str) -> None:
    assert FACTS[name].name == name
    assert FACTS[name].meaning


@pytest.mark.parametrize("name", sorted(FACTS))
def test_a_fact_has_values_of_its_type_and_belongs_to_findings_that_there_are(name: str) -> None:
    each = FACTS[name]
    assert each.kinds <= KINDS
    assert {type(value) for value in each.values} <= {each.type}


def test_a_finding_has_the_facts_of_all_findings_and_its_own() -> None:
    assert {"handled", "exposed_by"} <= set(facts_for("exposed_card"))
    assert "exposed_by" not in facts_for("wrong_count")


# ---------------------------------------------------------------- of every finding
@pytest.mark.parametrize(
    ("actions", "tda_36", "two_players"),
    [
        ("", False, False),
        ("act S1 fold", False, False),
        ("act S1 raise", False, False),
        ("act S1 fold, act S2 fold", False, True),
        ("act S1 check, act S2 check", False, True),
        ("act S1 fold, act S2 call", True, True),
        ("act S1 call, act S2 fold", True, True),
        ("act S1 check, act S2 check, act S3 check", True, True),
        ("act S1 fold out, act S2 call", False, True),
        ("act S1 call out, act S2 call out, act S3 call out", False, True),
        ("act S1 check, act S1 bet", True, False),
    ],
)
def test_substantial_action_is_what_the_book_says_it_is(
    actions: str, tda_36: bool, two_players: bool
) -> None:
    events = ["round", "round", *(action.strip() for action in actions.split(",") if action)]
    for name, is_substantial in (("tda-2024", tda_36), ("robert-rules-11", two_players)):
        scene = plain_scene(Played(*events, rules=book(name)))
        assert fact("substantial_action", scene) == is_substantial


def test_where_nobody_enters_actions_substantial_action_is_unknown_after_the_deal() -> None:
    frame = 'actions = "none"'
    assert fact("substantial_action", plain_scene(Played("round", frame=frame))) is False
    over = plain_scene(Played("round", "round", frame=frame))
    assert fact("substantial_action", over) == YES_OR_NO


@pytest.mark.parametrize(
    ("events", "substantial"),
    [
        ("say substantial yes", True),
        ("say substantial no", False),
        ("say substantial yes, say substantial no", False),
        ("say substantial yes, say undo", YES_OR_NO),
        ("say substantial yes, say substantial no, say undo", True),
    ],
)
def test_the_operators_last_word_on_substantial_action_counts(
    events: str, substantial: bool | Unknown
) -> None:
    played = Played("round", "round", *events.split(", "), frame='actions = "none"')
    assert fact("substantial_action", plain_scene(played)) == substantial


@pytest.mark.parametrize(
    ("events", "actions", "handled"),
    [
        ("round, round", "entered", False),
        ("round, round", "none", YES_OR_NO),
        ("round", "none", False),
        ("round, handle S2", "entered", True),
        ("round, look S2", "none", True),
        ("round, round, say handled no", "none", False),
        ("round, handle S2, say handled no", "entered", False),
        ("round, say handled yes", "entered", True),
        ("round, handle S2, collect, round", "entered", False),
    ],
)
def test_cards_are_handled_once_somebody_touched_them_or_it_is_said(
    events: str, actions: str, handled: bool | Unknown
) -> None:
    played = Played(*events.split(", "), frame=f'actions = "{actions}"')
    assert fact("handled", plain_scene(played)) == handled


@pytest.mark.parametrize(
    ("events", "over"),
    [
        ("round", False),
        ("round, round", True),
        ("round, deal ends", True),
        ("round, act S1 fold", True),
        ("round, burn", True),
        ("round, board ?", True),
        ("round, round, collect", False),
    ],
)
def test_the_deal_is_over_by_its_last_card_by_word_or_by_what_follows_it(
    events: str, over: bool
) -> None:
    assert fact("deal_over", plain_scene(Played(*events.split(", ")))) == over


@pytest.mark.parametrize(
    ("events", "rounds"),
    [("shuffle", 0), ("deal ? S1", 1), ("round", 1), ("round, deal ? S1", 2), ("round, round", 2)],
)
def test_a_round_has_begun_with_its_first_card(events: str, rounds: int) -> None:
    assert fact("rounds_begun", plain_scene(Played(*events.split(", ")))) == rounds


WHOLE_HAND = ("round", "round", "act S1 fold", "act S2 fold", "say pot taken")


@pytest.mark.parametrize(
    ("events", "taken", "begun"),
    [
        (WHOLE_HAND[:-1], False, False),
        (WHOLE_HAND, True, False),
        ((*WHOLE_HAND, "collect"), False, False),
        ((*WHOLE_HAND, "collect", "say next hand"), False, False),
        ((*WHOLE_HAND, "collect", "say next hand", "shuffle"), False, True),
        ((*WHOLE_HAND, "collect", "say next hand", "deal ? S2"), False, True),
        ((*WHOLE_HAND[:-1], "collect", "say next hand", "shuffle"), False, False),
    ],
)
def test_the_next_hand_begins_with_its_first_riffle_or_card(
    events: tuple[str, ...], taken: bool, begun: bool
) -> None:
    scene = plain_scene(Played(*events))
    assert (fact("pot_taken", scene), fact("next_hand_begun", scene)) == (taken, begun)


@pytest.mark.parametrize(
    ("events", "disputable"),
    [
        (("round", "round", "deal 9h#2 burn", "board 9h"), True),
        (("round", "deal 9h S1", "@10 say pot taken", "@71 deal 9h#2 S2"), True),
        (("round", "deal 9h S1", "say break", "@10 say pot taken", "@70 deal 9h#2 S2"), True),
        (("round", "deal 9h S1", "say break", "@10 say pot taken", "@71 deal 9h#2 S2"), False),
    ],
)
def test_in_a_break_a_hand_may_be_disputed_for_a_minute_after_the_pot(
    events: tuple[str, ...], disputable: bool
) -> None:
    assert fact("disputable", scene_of(Played(*events), "duplicate_card")) == disputable


@pytest.mark.parametrize(
    ("game", "rules", "kind", "closed", "dealt"),
    [
        ("holdem", "tda-2024", "flop", False, False),
        ("stud7", "tda-2024", "stud", False, False),
        ("draw5", "laws-of-poker", "draw", True, True),
        ("draw5", "tda-2024", "draw", True, False),
        ("three-card", "qld-three-card", "casino", False, False),
    ],
)
def test_the_game_says_of_what_kind_it_is(
    game: str, rules: str, kind: str, closed: bool, dealt: bool
) -> None:
    scene = plain_scene(Played("shuffle", game=game, rules=book(rules)))
    names = ("game", "kind_of_game", "closed_poker", "player_dealt")
    assert tuple(fact(name, scene) for name in names) == (game, kind, closed, dealt)


@pytest.mark.parametrize(
    ("events", "closed"),
    [
        ("shuffle", False),
        ("say bets closed", True),
        ("say bets closed, deal ? S1", True),
        ("say bets closed, deal ? S1, collect", False),
    ],
)
def test_bets_are_closed_by_word_until_the_cards_are_collected(events: str, closed: bool) -> None:
    played = Played(*events.split(", "), game="three-card", rules=book("qld-three-card"))
    assert fact("bets_closed", plain_scene(played)) == closed
