"""A listener that sleeps loses messages, never the table."""

import asyncio

from engine.watch import TableView
from misdeal.feed import WAITING_AT_MOST, Feed, Shown

TABLE = TableView(phase="play", hand_no=1, button=None, places=(), in_force=())


def shown(at_ns: int) -> Shown:
    return Shown(at_ns=at_ns, rulings=(), table=TABLE)


def test_messages_come_in_order_and_as_they_were_told() -> None:
    async def listen() -> list[Shown]:
        feed = Feed()
        listener = feed.listen()
        waiting = asyncio.ensure_future(listener.next())
        await asyncio.sleep(0)
        for n in range(3):
            feed.tell(shown(n))
        return [await waiting, await listener.next(), await listener.next()]

    assert asyncio.run(listen()) == [shown(0), shown(1), shown(2)]


def test_a_listener_that_does_not_keep_up_gets_a_snapshot_and_the_count_of_what_it_lost() -> None:
    async def listen() -> tuple[list[Shown], int]:
        feed = Feed()
        listener = feed.listen()
        for n in range(WAITING_AT_MOST + 2):
            feed.tell(shown(n))
        return [await listener.next(), await listener.next()], listener.lost

    heard, lost = asyncio.run(listen())
    assert lost == WAITING_AT_MOST
    assert [message.at_ns for message in heard] == [WAITING_AT_MOST, WAITING_AT_MOST + 1]
    assert [message.is_snapshot for message in heard] == [True, False]


def test_one_who_leaves_hears_no_more_and_the_others_do() -> None:
    async def listen() -> tuple[Shown, bool]:
        feed = Feed()
        gone, stays = feed.listen(), feed.listen()
        feed.leave(gone)
        feed.tell(shown(1))
        silent = asyncio.ensure_future(gone.next())
        heard = await stays.next()
        await asyncio.sleep(0)
        is_silent = not silent.done()
        silent.cancel()
        return heard, is_silent

    assert asyncio.run(listen()) == (shown(1), True)
