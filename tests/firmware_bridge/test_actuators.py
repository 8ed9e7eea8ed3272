"""What was ordered of lamps, buzzer and gate, and what of it was acknowledged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.actuators import Actuators, Buzzer, Gate, Lamp, Output, SafeState

LAMP, OTHER_LAMP = Lamp(1, "on"), Lamp(2, "blink")
OPEN, SHUT = Gate(is_open=True), Gate(is_open=False)
SAFE, BUZZ = SafeState(), Buzzer(500)


def test_what_keeps_the_table_safe_comes_first_and_a_sound_last() -> None:
    orders = Actuators()
    for output in (BUZZ, LAMP, OPEN, SAFE):
        orders.want(output)
    assert carried_out(orders) == [SAFE, OPEN, LAMP, BUZZ]


def carried_out(orders: Actuators) -> list[Output]:
    """Do all that is due, as a device that refuses nothing would; return it in its order."""
    done: list[Output] = []
    while (output := orders.next_due()) is not None:
        done.append(output)
        orders.note_done(output)
    return done


@pytest.mark.parametrize(
    ("first", "second", "due"),
    [(OPEN, SHUT, 1), (Lamp(1, "on"), Lamp(1, "off"), 1), (LAMP, OTHER_LAMP, 2), (OPEN, OPEN, 1)],
)
def test_the_last_order_for_an_output_counts(first: Output, second: Output, due: int) -> None:
    orders = Actuators()
    orders.want(first)
    orders.want(second)
    assert orders.due == due
    orders.note_done(first)
    assert (orders.next_due() is None) == (first == second)


def test_an_order_that_was_replaced_while_it_was_under_way_is_still_due() -> None:
    orders = Actuators()
    orders.want(OPEN)
    orders.want(SHUT)
    orders.note_done(OPEN)
    assert orders.next_due() == SHUT


def test_a_device_that_starts_anew_is_told_its_states_again_and_no_sound() -> None:
    orders = Actuators()
    for output in (LAMP, SHUT, OPEN):
        orders.want(output)
        orders.note_done(output)
    orders.want(BUZZ)
    orders.renew()
    assert orders.due == 2
    assert orders.next_due() == OPEN


def test_what_was_refused_is_told_until_it_is_done_or_the_device_starts_anew() -> None:
    orders = Actuators()
    orders.want(LAMP)
    orders.note_refused(LAMP, "no such output")
    assert orders.next_due() is None
    assert list(orders.refused) == ["Lamp(number=1, mode='on'): no such output"]
    orders.want(Lamp(1, "off"))
    orders.note_done(Lamp(1, "off"))
    assert list(orders.refused) == []
    orders.note_refused(LAMP, "no such output")
    orders.renew()
    assert list(orders.refused) == []
    assert orders.due == 1


@given(st.lists(st.sampled_from([LAMP, Lamp(1, "off"), OTHER_LAMP, OPEN, SHUT, BUZZ, SAFE])))
def test_after_all_is_done_a_device_shows_the_last_order_for_each_output(
    wanted: list[Output],
) -> None:
    orders = Actuators()
    for output in wanted:
        orders.want(output)
    done = carried_out(orders)
    last = {each.number if isinstance(each, Lamp) else type(each): each for each in wanted}
    assert len(done) == len(last)
    assert set(done) == set(last.values())
