"""The whole path: cards under simulated antennas, bytes over pseudo-terminals, rulings out."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cards import Pack, seat_place
from engine.docket import Ruling
from hw_fixtures.dealing import Course, Pace, perform
from hw_fixtures.demo import as_timeline
from hw_fixtures.hands import Hand, new_hand
from hw_fixtures.packs import demo_packs
from hw_fixtures.playing import play
from hw_fixtures.simulated import SimulatedReaders
from hw_fixtures.timeline import Timeline
from hw_fixtures.upsets import regular, upset
from misdeal.app import App, attend
from misdeal.clock import table_clock
from misdeal.demo import write_table
from misdeal.feed import Shown
from misdeal.journal import JournalReader
from misdeal.replay import resume
from misdeal.tablefile import load

SEED = 5
SPEED = 8.0
ALL_SEATS = "seats = [1, 2, 3, 4, 5, 6, 7, 8, 9]"
# Unhurried at eight times the speed of a table: a loaded machine still hears every card.
PACE = Pace(card_s=1.2, mouth_s=0.6, act_s=0.4, street_s=0.8, notice_s=4.0)
SEATS = tuple(seat_place(number) for number in (1, 2, 3))


def timeline_of(course: Callable[[Hand, Pack], Course]) -> Timeline:
    """Return a three-handed hand, played as the course has it, at a table that begins empty."""
    rng = random.Random(SEED)
    pack = demo_packs(SEED)[0]
    hand = new_hand(rng, pack, SEATS, SEATS[-1], game="holdem")
    table = perform(course(hand, pack), pack, on_pad=None, pace=PACE, actions="entered")
    return as_timeline(table, hand, pack, number=1)


def clean(hand: Hand, pack: Pack) -> Course:
    del pack
    return regular(hand)


def exposed(hand: Hand, pack: Pack) -> Course:
    return upset(hand, "exposed", pack, random.Random(SEED))


async def watch_hand(folder: Path, timeline: Timeline) -> list[Shown]:
    """Play a hand at simulated readers under the controller, and return what was shown."""
    heard: list[Shown] = []
    async with await SimulatedReaders.start(speed=SPEED) as readers:
        path = write_table(folder, demo_packs(SEED), readers.ports)
        text = path.read_text()
        path.write_text(text.replace(ALL_SEATS, f"seats = [1, 2, 3]\ntable{ALL_SEATS}"))

        async def listen(app: App) -> None:
            listener = app.feed.listen()
            while True:
                heard.append(await listener.next())

        async def deal(app: App) -> None:
            tell = app.controller.offer
            await play(
                timeline, readers, tell, clock_ns=app.clock, sleep=asyncio.sleep, speed=SPEED
            )
            await app.controller.say("")

        await attend(load(path), listen, deal, start_clock=table_clock, rng=random.Random(SEED))
    return heard


@pytest.mark.parametrize(
    ("course", "verdicts"), [(clean, []), (exposed, [("exposed_card", "misdeal")])]
)
def test_a_hand_over_pseudo_terminals_gives_the_rulings_that_it_deserves(
    tmp_path: Path,
    course: Callable[[Hand, Pack], Course],
    verdicts: list[tuple[str, str]],
) -> None:
    heard = asyncio.run(watch_hand(tmp_path, timeline_of(course)))
    rulings: list[Ruling] = [ruling for shown in heard for ruling in shown.rulings]
    assert [(ruling.finding, ruling.verdict) for ruling in rulings][-1:] == verdicts
    counts = {place.place: place.cards for shown in heard for place in shown.table.places}
    assert set(SEATS) <= counts.keys()
    with JournalReader(tmp_path / "journal.db") as reader:
        assert resume(reader)[2] is None
