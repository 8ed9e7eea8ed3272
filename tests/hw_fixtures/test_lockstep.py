"""The loop in which time moves only when nothing else does."""

import asyncio
import os
import tty
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from hw_fixtures.lockstep import LockstepLoop, LockstepTimers

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    with asyncio.Runner(loop_factory=LockstepLoop) as runner:
        return runner.run(work)


def running() -> LockstepLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, LockstepLoop)
    return loop


def labour(units: int) -> None:
    """Do something for as long as threads take turns in, many times over."""
    for _ in range(units):
        sum(range(100_000))


@contextmanager
def raw_pty() -> Iterator[tuple[int, int]]:
    ends = os.openpty()
    tty.setraw(ends[1])
    yield ends
    for end in ends:
        os.close(end)


def test_a_day_of_sleep_costs_nothing_and_is_exact() -> None:
    async def sleep() -> int:
        await asyncio.sleep(86_400)
        await asyncio.sleep(0.000_001)
        return running().now_ns()

    assert run(sleep()) == 86_400_000_001_000


def test_no_time_passes_while_bytes_cross_a_pseudo_terminal() -> None:
    async def echo() -> tuple[int, list[int]]:
        loop = running()
        arrived_ns: list[int] = []
        with raw_pty() as (device, client):
            done = loop.create_future()

            def answer() -> None:
                os.write(device, os.read(device, 1))

            def receive() -> None:
                os.read(client, 1)
                arrived_ns.append(loop.now_ns())
                if len(arrived_ns) == 1000:
                    done.set_result(None)
                else:
                    os.write(client, b"x")

            loop.add_reader(device, answer)
            loop.add_reader(client, receive)
            # A timer that would ring at once if time moved while a byte is on its way.
            loop.call_later(0.000_001, done.cancel)
            os.write(client, b"x")
            await done
            loop.remove_reader(device)
            loop.remove_reader(client)
        return len(arrived_ns), arrived_ns

    count, arrived_ns = run(echo())
    assert count == 1000
    assert set(arrived_ns) == {0}


def test_time_stands_still_while_a_thread_works() -> None:
    async def work() -> tuple[int, int]:
        loop = running()
        released = asyncio.Event()
        loop.call_later(1.0, released.set)
        await asyncio.to_thread(labour, 20)
        worked_ns = loop.now_ns()
        await released.wait()
        return worked_ns, loop.now_ns()

    assert run(work()) == (0, 1_000_000_000)


def test_what_threads_do_is_done_in_the_order_in_which_it_was_asked_for() -> None:
    async def work() -> list[int]:
        done: list[int] = []

        def note(number: int) -> None:
            labour(20 - 4 * number)
            done.append(number)

        await asyncio.gather(*(asyncio.to_thread(note, number) for number in range(5)))
        return done

    assert run(work()) == [0, 1, 2, 3, 4]


def test_timers_of_readers_ring_in_time_and_in_order() -> None:
    async def play() -> list[tuple[str, int]]:
        loop = running()
        timers = LockstepTimers(loop)
        rung: list[tuple[str, int]] = []

        def ring(name: str) -> None:
            rung.append((name, timers.now_ns()))

        for name, due_ns in [("c", 3_000), ("a", 1_001), ("b", 1_001), ("d", 7_777_777_777)]:
            timers.at(due_ns, partial(ring, name))
        await asyncio.sleep(10)
        return rung

    assert run(play()) == [("a", 1_001), ("b", 1_001), ("c", 3_000), ("d", 7_777_777_777)]


def test_a_descriptor_is_watched_until_it_is_no_more() -> None:
    async def watch() -> bytes:
        timers = LockstepTimers(running())
        heard = bytearray()
        with raw_pty() as (device, client):
            timers.watch(client, lambda: heard.extend(os.read(client, 1)))
            os.write(device, b"ab")
            await asyncio.sleep(1)
            timers.unwatch(client)
            os.write(device, b"c")
            await asyncio.sleep(1)
        return bytes(heard)

    assert run(watch()) == b"ab"
