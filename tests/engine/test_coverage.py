"""What a table can see of each clause, held against what faults show."""

from typing import Any

import pytest

from engine.cards import BOARD, BURN, PACK, RACK, SHOE, Place
from engine.clauses import KINDS
from engine.coverage import SENSED_BY, Sensing, coverage, sense, sensors_of, unwatched
from engine.setup import TableSetup
from tests.engine.fault_to_flag import SENSORS, measure
from tests.engine.felt import FULL_SENSORS, book, seats

SEATS = frozenset(seats("1 2 3"))


def setup(**changes: Any) -> TableSetup:
    fields: dict[str, Any] = {
        "game": "holdem", "seats": seats("1 2 3"), "readers": FULL_SENSORS, **changes,
    }  # fmt: skip
    return TableSetup(**fields)


def sensed(clause_id: str, rules: str = "tda-2024", **changes: Any) -> Sensing:
    """Return how far a table with some changes senses a clause."""
    rows = coverage(book(rules), setup(**changes))
    return next(row for row in rows if row.clause == clause_id)


def test_every_finding_has_an_answer() -> None:
    assert set(SENSED_BY) == KINDS


@pytest.mark.parametrize(
    ("clause", "changes", "level"),
    [
        ("T-A3", {}, "full"),
        ("T-A3", {"readers": frozenset({SHOE, Place("S1")})}, "part"),
        ("T-A3", {"readers": frozenset(), "has_camera": False}, "operator"),
        ("T-A5", {"actions": "none"}, "part"),
        ("T-A1", {"has_camera": False}, "operator"),
        ("T-A7-first", {}, "part"),
        ("T-E1", {"readers": FULL_SENSORS - {SHOE}}, "part"),
        ("T-E1", {"readers": frozenset()}, "part"),
        ("T-E1", {"readers": frozenset(), "has_camera": False}, "operator"),
        ("T-E2-foreign", {}, "full"),
        ("T-E2-foreign", {"readers": SEATS}, "part"),
        ("T-E2-foreign", {"readers": frozenset()}, "operator"),
        ("T-E2-missing", {}, "full"),
        ("T-E2-missing", {"readers": FULL_SENSORS - {PACK}}, "operator"),
        ("T-E2-count", {"readers": FULL_SENSORS - {PACK}}, "operator"),
        ("R39-A", {}, "full"),
        ("R39-A", {"readers": FULL_SENSORS - {BURN}}, "part"),
        ("R39-A", {"readers": frozenset(), "has_camera": False}, "operator"),
        ("RP-5", {"actions": "none"}, "operator"),
        ("RP-5", {"readers": FULL_SENSORS - {BOARD}, "has_camera": False}, "operator"),
        ("T-A0", {}, "operator"),
        ("T-E2-marked", {}, "operator"),
    ],
)
def test_a_clause_is_sensed_as_far_as_the_sensors_go(
    clause: str, changes: dict[str, Any], level: str
) -> None:
    assert sensed(clause, **changes).level == level


@pytest.mark.parametrize(
    ("clause", "changes", "why"),
    [
        ("T-A5", {"actions": "none"}, "substantial action is asked for: no actions are entered"),
        ("T-A1", {"has_camera": False}, "no camera: readers cannot tell which way up a card lies"),
        ("T-A7-first", {}, "who turned a card that had lain face down is asked for"),
        ("T-A0", {}, "no card sensor sees it; an operator calls it"),
    ],
)
def test_what_is_not_sensed_fully_says_why(clause: str, changes: dict[str, Any], why: str) -> None:
    assert why in sensed(clause, **changes).why


def test_a_claim_is_entered_by_an_operator_even_where_its_ground_is_seen() -> None:
    row = sensed("L-R2", "laws-of-poker", game="draw5")
    assert "the claim itself is entered by an operator" in row.why


def test_only_clauses_of_the_game_are_told() -> None:
    told = {row.clause for row in coverage(book(), setup(game="stud7"))}
    assert "RP-10-A" in told
    assert "T-A7-first" not in told


@pytest.mark.parametrize(
    ("game", "needed"),
    [("blackjack", "D"), ("caribbean-stud", "D"), ("three-card", "D"), ("baccarat", "P")],
)
def test_a_game_against_the_house_needs_a_reader_at_the_dealers_hands(
    game: str, needed: str
) -> None:
    seen = sensors_of(setup(game=game, readers=FULL_SENSORS - {Place(needed)}))
    assert not seen.hands
    assert sensors_of(setup(game=game)).hands


@pytest.mark.parametrize(
    ("device", "lost"),
    [("shoe", "shoe"), ("seat:3", "hands"), ("board", "board"), ("burn", "burn"),
     ("pack", "pack"), ("rack", "rack"), ("camera", "camera")],
)  # fmt: skip
def test_a_device_that_is_down_is_left_out(device: str, lost: str) -> None:
    whole, without = sensors_of(setup()), sensors_of(setup(), frozenset({device}))
    fields = whole.__struct_fields__
    changed = {name for name in fields if getattr(whole, name) != getattr(without, name)}
    assert changed == {lost}


def test_the_clauses_that_a_failed_device_leaves_unwatched_are_named() -> None:
    lost = {row.clause for row in unwatched(book(), setup(), frozenset({"pack"}))}
    assert lost == {"T-E2-missing", "T-E2-count"}
    assert unwatched(book(), setup(), frozenset({str(RACK)})) == []


# What a person tells, whatever the sensors; the measurement tells it too.
TOLD = frozenset({
    "marked_card", "wrong_pack_count", "cut_too_thin", "card_exposed_in_cut", "not_shuffled",
    "not_cut", "dealer_out_of_turn", "stub_disordered", "equipment_fault", "report",
})  # fmt: skip


def test_what_is_said_to_be_sensed_is_what_faults_show() -> None:
    wrong = []
    for row in measure(seed=7, hands=8):
        if row.kind in TOLD:
            continue
        watching = SENSORS[row.sensors]
        table = setup(readers=watching.readers, has_camera=watching.has_camera)
        level, _ = SENSED_BY[row.kind](sensors_of(table))
        shown = "full" if row.flagged == row.tried else "part" if row.flagged else "operator"
        if "operator" in (level, shown) and level != shown:
            wrong.append((row.kind, row.sensors, level, f"{row.flagged}/{row.tried}"))
        if level == "full" and shown != "full":
            wrong.append((row.kind, row.sensors, level, f"{row.flagged}/{row.tried}"))
    assert wrong == []


def test_sensing_a_clause_needs_no_table() -> None:
    clause = book().clauses_on("premature_card", "holdem")[0]
    assert sense(clause, sensors_of(setup())).level == "full"
