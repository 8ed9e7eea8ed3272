"""What the two measurements of the engine print and write."""

from msgspec.structs import replace

from tests.engine.clean_hands_bench import measure, summed
from tests.engine.dealer import GAMES
from tests.engine.fault_to_flag import SENSORS, Row
from tests.engine.fault_to_flag_table import document
from tests.engine.silence import Silence

QUIET = Silence(game="holdem", entries="all", hands=2, events=300, rulings=0)
ROW = Row(
    kind="foreign_card",
    sensors="all sensors",
    tried=10,
    flagged=9,
    events=1.5,
    most_events=4,
    hands=0,
)


def test_shares_of_one_case_are_summed_and_so_is_everything() -> None:
    loud = Silence(game="omaha", entries="none", hands=1, events=1000, rulings=3)
    assert summed([QUIET, loud, QUIET])[1:] == [
        ("holdem", "all", "4", "600", "0"),
        ("omaha", "none", "1", "1,000", "3"),
        ("all", "", "5", "1,600", "3"),
    ]


def test_a_few_clean_hands_of_every_game_give_no_ruling() -> None:
    rows = measure(1, 2)
    assert {row.game for row in rows} == set(GAMES)
    assert [row for row in rows if row.rulings] == []


def test_a_cell_says_how_often_and_how_soon() -> None:
    blind = replace(ROW, flagged=0, events=None)
    rows = [ROW, *(replace(blind, sensors=name) for name in list(SENSORS)[1:])]
    text = document(rows, rows)
    assert "| `foreign_card` | 9 of 10; 1.5, at most 4 | never | never |" in text
    assert "| `foreign_card` | 9 of 10; 0 | never | never |" in text
