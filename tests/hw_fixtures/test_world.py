"""Cards lie at one place at a time; antennas hear what their capacity lets them hear."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Place, Tag
from hw_fixtures.errors import WiringError, WorldError
from hw_fixtures.world import (
    READ_PLACES,
    TABLE,
    Antenna,
    Wiring,
    World,
    check_wiring,
    hear,
    move,
    neighbours,
    put,
    take,
)

A, B, C, D = (Tag(f"E00401080000000{n}") for n in "ABCD")
S1, S2, MUCK = Place("S1"), Place("S2"), Place("muck")


def world(**stacks: tuple[Tag, ...]) -> World:
    return World({Place(place): stack for place, stack in stacks.items()})


@pytest.mark.parametrize(
    ("before", "tags", "place", "after"),
    [
        (world(), [A], S1, world(S1=(A,))),
        (world(S1=(A,)), [B, C], S1, world(S1=(A, B, C))),
        (world(S1=(A,)), [B], S2, world(S1=(A,), S2=(B,))),
    ],
)
def test_cards_are_put_on_top(before: World, tags: list[Tag], place: Place, after: World) -> None:
    assert put(before, tags, place) == after


@pytest.mark.parametrize(
    ("before", "tags", "place", "after"),
    [
        (world(S1=(A, B)), [A], MUCK, world(S1=(B,), muck=(A,))),
        (world(S1=(A, B)), [B, A], MUCK, world(muck=(B, A))),
        (world(S1=(A, B)), [A], S1, world(S1=(B, A))),
        (world(), [A], S1, world(S1=(A,))),
    ],
)
def test_a_moved_card_leaves_its_old_place(
    before: World, tags: list[Tag], place: Place, after: World
) -> None:
    assert move(before, tags, place) == after


def test_a_card_taken_away_lies_nowhere() -> None:
    after = take(world(S1=(A, B)), [A])
    assert (after.place_of(A), after.place_of(B)) == (None, S1)


def test_a_card_cannot_be_put_twice_nor_taken_where_it_is_not() -> None:
    with pytest.raises(WorldError, match="lies at S1 already"):
        put(world(S1=(A,)), [A], S2)
    with pytest.raises(WorldError, match="lies nowhere"):
        take(world(S1=(A,)), [B])


@given(st.lists(st.tuples(st.sampled_from([A, B, C, D]), st.sampled_from([S1, S2, MUCK]))))
def test_however_cards_are_moved_each_lies_where_it_went_last(
    moves: list[tuple[Tag, Place]],
) -> None:
    now = World()
    for tag, place in moves:
        now = move(now, [tag], place)
    lies = sorted((tag, place) for place, stack in now.stacks.items() for tag in stack)
    assert lies == sorted(dict(moves).items())


@pytest.mark.parametrize(
    ("antenna", "heard"),
    [
        (Antenna(place=S1, capacity=3), (A, B, C)),
        (Antenna(place=S1, capacity=5), (A, B, C, D)),
        (Antenna(place=S1, capacity=2, hears="newest"), (C, D)),
        (Antenna(place=S2), ()),
        (Antenna(), ()),
    ],
)
def test_a_stack_above_the_capacity_hides_the_rest(
    antenna: Antenna, heard: tuple[Tag, ...]
) -> None:
    assert hear(world(S1=(A, B, C, D)), antenna) == heard


@pytest.mark.parametrize(("number", "places"), [(1, ["S2"]), (2, ["S1", "S3"]), (8, ["S7"])])
def test_neighbours_are_the_antennas_next_in_number(number: int, places: list[str]) -> None:
    assert [antenna.place for antenna in neighbours(TABLE[0], number)] == places


def test_the_demo_table_reads_nine_seats_and_every_other_place_of_a_deal() -> None:
    seats = {f"S{number}" for number in range(1, 10)}
    assert seats | {"shoe", "board", "burn", "muck", "pack"} == READ_PLACES
    check_wiring(TABLE)


def wiring(name: str, *places: str) -> Wiring:
    antennas = tuple(Antenna(place=Place(place)) for place in places)
    return Wiring(name=name, identity=name, antennas=antennas)


@pytest.mark.parametrize(
    ("wirings", "reason"),
    [
        ([wiring("A", "S1"), wiring("A", "S2")], "two of this name"),
        ([wiring("A", "S1"), wiring("B", "S1")], "S1 has an antenna already"),
        ([wiring("A")], "0 antennas"),
        ([wiring("A", *[f"S{n}" for n in range(1, 10)])], "9 antennas"),
    ],
)
def test_a_wiring_that_cannot_be_is_refused(wirings: list[Wiring], reason: str) -> None:
    with pytest.raises(WiringError, match=reason):
        check_wiring(wirings)
