"""The loop does what is due, in order, and what its descriptors ask for."""

import os

from hw_fixtures.loop import Loop


def test_acts_are_done_in_order_of_time_and_not_before() -> None:
    now_ns, done = 0, []
    loop = Loop(lambda: now_ns)
    for name, due_ns in [("late", 30), ("early", 10), ("first", 20), ("second", 20)]:
        loop.at(due_ns, lambda name=name: done.append(name))  # type: ignore[misc]
    now_ns = 20
    assert loop.run_due() == 30
    assert done == ["early", "first", "second"]
    now_ns = 30
    assert loop.run_due() is None
    assert done[-1] == "late"


def test_an_act_may_set_another_that_is_due_at_once() -> None:
    done: list[str] = []
    loop = Loop(lambda: 5)
    loop.at(0, lambda: loop.at(5, lambda: done.append("next")))
    assert loop.run_due() is None
    assert done == ["next"]


def test_a_watched_descriptor_wakes_the_loop_and_a_stopped_loop_ends() -> None:
    heard: list[bytes] = []
    reading, writing = os.pipe()
    loop = Loop()

    def take() -> None:
        heard.append(os.read(reading, 10))
        loop.unwatch(reading)
        loop.stop()

    loop.watch(reading, take)
    os.write(writing, b"wake")
    loop.run()
    assert heard == [b"wake"]
    os.close(reading)
    os.close(writing)
