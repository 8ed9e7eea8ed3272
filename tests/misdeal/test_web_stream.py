"""The stream: a snapshot first, then what changed, and nothing lost by those who come back."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec

from engine.docket import Ruling, Until
from engine.judging import Ask
from engine.watch import PlaceView, TableView
from firmware_bridge.bridge import ReaderHealth
from misdeal.feed import Shown
from misdeal.web.scene import reader_scene, ruling_scene
from misdeal.web.stream import RING, Stream

SECOND_NS = 1_000_000_000


def ruling(ruling_id: str = "r1", **changes: Any) -> Ruling:
    plain: dict[str, Any] = {
        "finding": "wrong_count", "place": "S3", "verdict": "misdeal", "state": "final",
        "decider": "book", "rulebook": "book", "book_version": "1", "book_hash": "",
        "because": "Seat 3 has 3 cards.",
    }  # fmt: skip
    return Ruling(id=ruling_id, **{**plain, **changes})


def shown(n: int, *rulings: Ruling, said: str = "") -> Shown:
    """Return a message; every one shows another table."""
    places = (PlaceView("S3", n, 2, 0, is_next=False),)  # type: ignore[arg-type]
    table = TableView(phase="play", hand_no=1, button=None, places=places, in_force=tuple(rulings))
    return Shown(at_ns=n * SECOND_NS, rulings=tuple(rulings), table=table, said=said, by="anna")


def stream() -> Stream:
    return Stream(shown(0), lambda: 7 * SECOND_NS, epoch="e")


def parsed(piece: bytes) -> list[tuple[str, str, Any]]:
    """Return the messages of a piece of a stream: event, id, body."""
    found = re.findall(
        r"(?:id: (\S+)\n)?event: (\S+)\ndata: (.*)\n\n", piece.decode(), flags=re.MULTILINE
    )
    return [(event, at, msgspec.json.decode(body)) for at, event, body in found]


async def take(pieces: AsyncIterator[bytes], count: int) -> list[tuple[str, str, Any]]:
    messages: list[tuple[str, str, Any]] = []
    while len(messages) < count:
        messages += parsed(await anext(pieces))
    return messages


def follow(
    told: Stream, last_id: str | None = None, is_welcome: Callable[[], bool] = lambda: True
) -> AsyncIterator[bytes]:
    async def ask() -> bool:
        return is_welcome()

    return told.follow(last_id, ask)


def cards(body: Any) -> int:
    found: int = body["table"]["places"][0]["cards"]
    return found


def test_a_page_gets_a_snapshot_and_then_what_changes() -> None:
    async def run() -> None:
        told = stream()
        told.tell(shown(1, ruling()))
        pages = follow(told)
        (first,) = await take(pages, 1)
        assert (first[0], first[1], cards(first[2])) == ("snapshot", "e-1", 1)
        assert [line["ruling"]["id"] for line in first[2]["log"]] == ["r1"]
        told.tell(shown(2))
        told.tell(shown(3, said="shuffle"))
        second, third = await take(pages, 2)
        assert [(m[0], m[1], cards(m[2])) for m in (second, third)] == [
            ("table", "e-2", 2), ("table", "e-3", 3),
        ]  # fmt: skip
        assert third[2]["log"] == [{"at_ms": 3000.0, "hand": 1, "said": "shuffle", "by": "anna"}]

    asyncio.run(run())


def test_a_page_that_comes_back_goes_on_where_it_was() -> None:
    async def run() -> None:
        told = stream()
        for n in range(1, 200):
            told.tell(shown(n))
        messages = await take(follow(told, "e-42"), 157)
        assert [cards(body) for _, _, body in messages] == list(range(43, 200))
        assert {event for event, _, _ in messages} == {"table"}

    asyncio.run(run())


def test_a_page_begins_anew_where_its_place_is_not_known_any_more() -> None:
    async def run() -> None:
        told = stream()
        for n in range(1, RING + 10):
            told.tell(shown(n))
        for last_id in ("e-3", "other-5", f"e-{RING + 99}", "e-", "e-x", "", None):
            ((event, at, body),) = await take(follow(told, last_id), 1)
            assert (event, at, cards(body)) == ("snapshot", f"e-{RING + 9}", RING + 9)

    asyncio.run(run())


def test_a_page_that_sleeps_costs_no_more_than_the_ring_and_starts_afresh() -> None:
    async def run() -> None:
        told = stream()
        sleeper = follow(told)
        await take(sleeper, 1)
        for n in range(1, 3 * RING):
            told.tell(shown(n))
        ((event, _, body),) = await take(sleeper, 1)
        assert (event, cards(body)) == ("snapshot", 3 * RING - 1)

    asyncio.run(run())


def test_what_changes_nothing_is_not_sent() -> None:
    async def run() -> None:
        told = stream()
        pages = follow(told, "e-0")
        await anext(pages)
        told.tell(shown(0))
        told.tell(shown(1))
        ((_, at, _),) = await take(pages, 1)
        assert at == "e-1"
        assert told.events == 2

    asyncio.run(run())


class QuietLoop(asyncio.SelectorEventLoop):
    """A loop whose time is set forward: a second of silence takes none."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


def test_a_page_hears_a_pulse_in_silence_and_its_end_when_it_is_signed_out() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, QuietLoop)
        welcome = [True, False]
        told = stream()
        pages = follow(told, None, lambda: welcome.pop(0))
        await take(pages, 1)
        heard = []
        for _ in range(2):
            waiting = asyncio.ensure_future(take(pages, 1))
            await asyncio.sleep(0)
            loop.ahead_s += 1.5
            heard += await waiting
        assert [(event, body) for event, _, body in heard] == [
            ("pulse", {"now_ms": 7000.0}), ("pulse", {"now_ms": 7000.0}),
        ]  # fmt: skip
        assert [parsed(piece) async for piece in pages] == [[("signed-out", "", None)]]
        assert told.followers == 0

    with asyncio.Runner(loop_factory=QuietLoop) as runner:
        runner.run(run())


def test_every_page_ends_with_its_controller() -> None:
    async def run() -> None:
        told = stream()
        pages = [follow(told) for _ in range(3)]
        for each in pages:
            await take(each, 1)
        assert told.followers == 3
        told.close()
        rest = [[piece async for piece in each] for each in pages]
        assert all(piece.startswith(b"event: pulse") for pieces in rest for piece in pieces)
        assert told.followers == 0

    asyncio.run(run())


def reader(state: Any) -> ReaderHealth:
    counts: dict[str, Any] = dict.fromkeys(
        ("frames", "checksum_errors", "noise_bytes", "timeouts", "retries", "strays", "restarts"), 0
    )
    return ReaderHealth(
        name="A", state=state, why="", places=(), cycle_ms=3.21, is_slow=False,
        is_degraded=False, last_good_ns=None, **counts,
    )  # fmt: skip


def test_a_reader_that_fails_is_a_line_of_the_log() -> None:
    async def run() -> None:
        told = stream()
        for state in ("READY", "READY", "MISSING"):
            told.tell_readers((reader_scene(reader(state)),), ("T-A5",))
        messages = await take(follow(told, "e-0"), 3)
        assert [[line["state"] for line in body["log"]] for _, _, body in messages] == [
            [], [], ["MISSING"],
        ]  # fmt: skip
        assert messages[-1][2]["unwatched"] == ["T-A5"]
        assert [line.reader for line in told.snapshot().log] == ["A"]

    asyncio.run(run())


def test_a_ruling_keeps_the_time_at_which_it_was_made() -> None:
    async def run() -> None:
        past = Stream(shown(9, ruling()), lambda: 0, past=[(4 * SECOND_NS, ruling())], epoch="e")
        assert past.snapshot().table.in_force[0].at_ms == 4000.0
        assert past.snapshot().log[0].at_ms == 4000.0

    asyncio.run(run())


def test_a_ruling_says_its_sort_and_how_each_answer_is_given() -> None:
    asks = (
        Ask("substantial_action", {"yes": "deal_stands", "no": "misdeal"}),
        Ask("exposed_by", {"dealer": "misdeal", "player": None}),
        Ask("handled", {"yes": None, "no": "misdeal"}),
        Ask("looked", {"yes": "not_eligible", "no": "misdeal"}),
        Ask("anted", {"yes": "misdeal", "no": None}),
        Ask("has_acted", {"yes": None, "no": None}),
    )
    until = Until("action", 12 * SECOND_NS)
    scene = ruling_scene(
        ruling(state="open", verdict=None, card="9h", asks=asks, until=until, callable_by=("S1",)),
        0,
    )
    assert (scene.sort, scene.until, scene.until_ms) == ("open", "action", 12_000.0)
    assert [[choice.say for choice in question.choices] for question in scene.questions] == [
        ["say substantial yes", "say substantial no"],
        ["say exposed 9h by=dealer", "say exposed 9h by=player"],
        ["say handled yes", "say handled no"],
        ["say looked S3 yes", "say looked S3 no"],
        ["say ante S3", "say no-ante S3"],
        ["", ""],
    ]
    sorts = [
        ruling_scene(ruling(verdict=verdict), 0).sort for verdict in ("misdeal", "noted", "floor")
    ]
    assert sorts == ["stop", "noted", "final"]
    assert ruling_scene(ruling(state="superseded"), 0).sort == "noted"
