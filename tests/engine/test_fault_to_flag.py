"""The measurement of how soon a fault is flagged."""

from tests.engine.fault_to_flag import PACK_FAULTS, SENSORS, Row, measure, measure_pack
from tests.engine.faults import GAMES_OF


def of(rows: list[Row], sensors: str) -> list[Row]:
    return [row for row in rows if row.sensors == sensors]


def test_with_all_sensors_every_fault_is_flagged_in_its_own_hand() -> None:
    rows = of(measure(seed=1, hands=3), "all sensors")
    assert [row.kind for row in rows] == list(GAMES_OF)
    assert [row.kind for row in rows if row.flagged < row.tried or row.hands] == []


def test_there_is_a_row_for_each_kind_and_each_set_of_sensors() -> None:
    rows = measure(seed=2, hands=1)
    assert len(rows) == len(GAMES_OF) * len(SENSORS)
    assert {row.tried for row in rows} == {1}


def test_the_same_seed_measures_the_same() -> None:
    assert measure(seed=3, hands=1) == measure(seed=3, hands=1)


def test_with_all_sensors_a_pack_that_is_not_as_it_should_be_is_flagged_in_its_first_hand() -> None:
    rows = of(measure_pack(seed=1, packs_tried=2), "all sensors")
    assert [row.kind for row in rows] == list(PACK_FAULTS)
    assert [row.kind for row in rows if row.flagged < row.tried or row.hands] == []
