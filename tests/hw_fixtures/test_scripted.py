"""The table of a script: its readers, and what their antennas hear."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cards import MUCK, RACK, SHOE, Place, Tag, seat_place
from hw_fixtures.lockstep import LockstepLoop
from hw_fixtures.scripted import ScriptedTable, wire_table
from hw_fixtures.world import Wiring, check_wiring

SEATS = [seat_place(number) for number in range(1, 11)]
ONE, TWO = Tag("E004015000000001"), Tag("E004015000000002")
S1, S2 = SEATS[:2]


@pytest.fixture
def table() -> Iterator[ScriptedTable]:
    loop = LockstepLoop()
    with ScriptedTable(wire_table([S1, S2, MUCK], alone=[S2]), loop) as table:
        yield table
    loop.close()


def heard(table: ScriptedTable) -> dict[Place, set[Tag]]:
    return {place: set(tags) for place, tags in table.heard().items() if tags}


def places_of(wirings: tuple[Wiring, ...]) -> list[list[Place | None]]:
    check_wiring(wirings)
    return [[antenna.place for antenna in wiring.antennas] for wiring in wirings]


def test_places_are_wired_in_order_and_evenly_four_to_a_reader_at_most() -> None:
    assert places_of(wire_table(SEATS)) == [SEATS[:3], SEATS[3:6], SEATS[6:]]
    assert places_of(wire_table(SEATS[:8])) == [SEATS[:4], SEATS[4:8]]
    assert places_of(wire_table([SHOE])) == [[SHOE]]


def test_a_place_that_is_to_have_its_own_plug_has_a_reader_of_its_own() -> None:
    wirings = wire_table([*SEATS[:6], MUCK, SHOE], alone=[S2, SHOE])
    assert places_of(wirings) == [[S1, *SEATS[2:4]], [*SEATS[4:6], MUCK], [S2], [SHOE]]


def test_a_rack_hears_the_cards_that_came_last_and_a_seat_all() -> None:
    tags = [Tag(f"E00401500000{number:04X}") for number in range(300)]
    loop = LockstepLoop()
    with ScriptedTable(wire_table([S1, RACK]), loop) as table:
        table.lay(tags, RACK)
        table.lay(tags[:50], S1)
        assert heard(table) == {S1: set(tags[:50]), RACK: set(tags[-40:])}
    loop.close()


def test_a_card_lies_where_it_was_laid_last_until_it_is_lifted(table: ScriptedTable) -> None:
    table.lay([ONE, TWO], S1)
    table.lay([ONE], MUCK)
    assert heard(table) == {S1: {TWO}, MUCK: {ONE}}
    table.lift([ONE])
    table.lift([ONE])
    assert heard(table) == {S1: {TWO}}
    assert (table.at(S1), table.at(MUCK)) == ((TWO,), ())


def test_a_card_that_is_echoed_is_heard_twice_until_it_is_hushed(table: ScriptedTable) -> None:
    table.lay([ONE], S1)
    table.echo([ONE], MUCK)
    table.echo([ONE], S1)
    assert heard(table) == {S1: {ONE}, MUCK: {ONE}}
    assert table.heard()[S1] == frozenset({ONE})
    table.hush()
    assert heard(table) == {S1: {ONE}}


def test_a_reader_without_its_plug_hears_nothing_and_the_others_do(table: ScriptedTable) -> None:
    table.lay([ONE], S1)
    table.lay([TWO], S2)
    table.plug(S2, is_in=False)
    table.plug(S2, is_in=False)
    assert table.heard() == {S1: {ONE}, MUCK: frozenset()}
    table.plug(S2, is_in=True)
    terminals = [Path(path).readlink() for _, path in table.ports]
    table.plug(S2, is_in=True)
    assert [Path(path).readlink() for _, path in table.ports] == terminals
    assert heard(table) == {S1: {ONE}, S2: {TWO}}


def test_the_ports_are_gone_when_the_table_is(table: ScriptedTable) -> None:
    assert len({path for _, path in table.ports}) == len(table.ports) == 2
    assert table.places == {S1, S2, MUCK}
