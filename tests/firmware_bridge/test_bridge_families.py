"""Readers of every family through the whole bridge, over pseudo-terminals.

Time-outs here only end a test that has failed.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest

from engine.cards import PACK, SHOE, Card, Pack, Place, Tag, TaggedCard, seat_place
from engine.events import AnyEvent, CardGone, CardRead
from firmware_bridge.actuators import Gate, Lamp
from firmware_bridge.bridge import Bridge
from firmware_bridge.errors import NoOutputsError, WiringError
from firmware_bridge.polls import Poll
from firmware_bridge.wiring import ReaderSpec
from hw_fixtures.devices.front_end import FrontEnd
from hw_fixtures.devices.iso15693 import SIGNATURES
from tests.firmware_bridge.plugged import Plugged
from tests.firmware_bridge.wires import KINDS

PATIENCE_S = 8.0
S1, S5 = seat_place(1), seat_place(5)


class Table:
    """A bridge under test with its devices and what it emits."""

    def __init__(self, devices: list[Plugged], specs: list[ReaderSpec], **more: object) -> None:
        self.devices = devices
        self.events: list[AnyEvent] = []
        self.news = asyncio.Event()
        self.bridge = Bridge(
            specs,
            more.pop("packs", []),  # type: ignore[arg-type]
            emit=self._take,
            clock=time.monotonic_ns,
            rng=random.Random(1),
            **more,  # type: ignore[arg-type]
        )

    def _take(self, event: AnyEvent) -> None:
        self.events.append(event)
        self.news.set()

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                self.news.clear()
                try:
                    await asyncio.wait_for(self.news.wait(), 0.02)
                except TimeoutError:
                    continue

    async def seen(self, kind: type[AnyEvent], place: Place, tag: Tag) -> None:
        await self.until(
            lambda: any(
                isinstance(event, CardRead | CardGone)
                and (type(event), event.place, event.tag) == (kind, place, tag)
                for event in self.events
            )
        )


def play(table: Table, play_it: Callable[[Table], Awaitable[None]]) -> Table:
    async def whole() -> None:
        for device in table.devices:
            device.plug()
        running = asyncio.create_task(table.bridge.run())
        try:
            await play_it(table)
        finally:
            await table.bridge.close()
            await running
            for device in table.devices:
                device.unplug()

    asyncio.run(whole())
    return table


@pytest.mark.parametrize("name", KINDS)
def test_a_card_at_a_reader_of_any_family_becomes_an_event(tmp_path: Path, name: str) -> None:
    kind = KINDS[name]
    place = SHOE if kind.family == "code_shoe" else S1
    device = Plugged(name, {1: place}, tmp_path / "A")
    pack = Pack("blue", (TaggedCard(kind.tags[0], Card("9h")),))

    async def come(table: Table) -> None:
        # A shoe that says each card once says it to nobody before its reader is ready.
        await table.until(lambda: table.bridge.health()[0].state == "READY")
        device.cards[place] = kind.tags[:1]
        await table.seen(CardRead, place, kind.tags[0])
        assert [reader.state for reader in table.bridge.health()] == ["READY"]

    event = play(Table([device], [device.spec()], packs=[pack]), come).events[0]
    assert isinstance(event, CardRead)
    assert (event.card, event.pack) == ("9h", "blue")


@pytest.mark.parametrize(
    "name",
    ["feig", "metratec_ascii", "anyid7e55", "pn532_hsu", "chafon_rr3036_hf", "front_end"],
)
def test_a_card_that_is_taken_away_is_gone(tmp_path: Path, name: str) -> None:
    device = Plugged(name, {1: S1}, tmp_path / "A")
    tag = device.kind.tags[0]
    device.cards[S1] = (tag,)

    async def come_and_go(table: Table) -> None:
        await table.seen(CardRead, S1, tag)
        device.cards.clear()
        await table.seen(CardGone, S1, tag)

    assert len(play(Table([device], [device.spec()]), come_and_go).events) == 2


def test_a_port_has_the_speed_and_the_parity_of_its_family(tmp_path: Path) -> None:
    specs = [
        Plugged("feig", {1: S1}, tmp_path / "A").spec(),
        Plugged("chafon_uhf", {1: S5}, tmp_path / "B").spec(),
        Plugged("front_end", {1: PACK}, tmp_path / "C").spec(baud=9600),
    ]
    links = [reader.link._settings for reader in Table([], specs).bridge._readers]
    assert [(each.baud, each.parity) for each in links] == [
        (38400, "E"),
        (57600, "N"),
        (9600, "N"),
    ]


def test_bugs_42_a_reader_that_hears_too_few_cards_for_the_game_is_refused(tmp_path: Path) -> None:
    spec = Plugged("pn532_hsu", {1: S1}, tmp_path / "A").spec()
    Table([], [spec], hand_cards=2)
    with pytest.raises(WiringError, match="too few for S1"):
        Table([], [spec], hand_cards=4)


def test_every_look_is_handed_on_before_it_is_believed(tmp_path: Path) -> None:
    device = Plugged("front_end", {1: S1}, tmp_path / "A")
    device.cards[S1] = device.kind.tags[:1]
    looks: list[Poll] = []

    async def come(table: Table) -> None:
        await table.seen(CardRead, S1, device.kind.tags[0])

    play(Table([device], [device.spec()], on_poll=looks.append), come)
    assert len(looks) >= 2
    assert looks[0].tags == device.kind.tags[:1]


# ---------------------------------------------------------------- outputs
def test_an_output_is_set_and_set_again_when_the_device_comes_back(tmp_path: Path) -> None:
    device = Plugged("front_end", {1: S1}, tmp_path / "A")
    front_end = cast("FrontEnd", device.device)

    async def order(table: Table) -> None:
        table.bridge.command("A", Gate(is_open=True))
        table.bridge.command("A", Lamp(2, "blink"))
        assert table.bridge.health()[0].outputs_due == 2
        await table.until(lambda: front_end.is_gate_open and front_end.lamps == [0, 2])
        device.unplug()
        front_end.restart()
        device.plug()
        await table.until(lambda: front_end.is_gate_open and front_end.lamps == [0, 2])
        await table.until(lambda: table.bridge.health()[0].outputs_due == 0)
        table.bridge.command("A", Lamp(9, "on"))
        await table.until(lambda: table.bridge.health()[0].outputs_refused != ())

    play(Table([device], [device.spec()]), order)


def test_an_order_before_the_device_is_there_faults_nothing(tmp_path: Path) -> None:
    table = Table([], [Plugged("front_end", {1: S1}, tmp_path / "A").spec()])
    table.bridge.command("A", Gate(is_open=True))
    assert table.bridge.health()[0].outputs_due == 1
    assert table.events == []


def test_an_output_of_a_device_that_has_none_is_refused(tmp_path: Path) -> None:
    table = Table([], [Plugged("feig", {1: S1}, tmp_path / "A").spec()])
    for device in ("A", "B"):
        with pytest.raises(NoOutputsError, match=f"{device} is no device with outputs"):
            table.bridge.command(device, Gate(is_open=True))


# ---------------------------------------------------------------- signatures and copied tags
GENUINE, OTHER = Tag("E0040118009B5FEE"), Tag("E00401082AD28E83")


@pytest.mark.parametrize("is_genuine", [True, False])
def test_bugs_49_a_tag_on_the_pad_proves_its_signature_or_is_a_foreign_card(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, is_genuine: bool
) -> None:
    device = Plugged("anyid7e55", {1: PACK, 2: S1}, tmp_path / "A")
    device.cards[PACK] = (GENUINE,)
    pack = Pack("blue", (TaggedCard(GENUINE, Card("9h")),))
    signatures = {GENUINE: SIGNATURES[GENUINE if is_genuine else OTHER]}

    async def check(table: Table) -> None:
        verifier = table.bridge._verifier
        await table.until(lambda: verifier.next_tag([GENUINE]) is None)
        device.cards = {S1: (GENUINE,)}
        await table.seen(CardRead, S1, GENUINE)

    with caplog.at_level(logging.WARNING, logger="firmware_bridge"):
        table = play(Table([device], [device.spec()], packs=[pack], signatures=signatures), check)
    (event,) = [event for event in table.events if isinstance(event, CardRead)]
    assert (event.card, event.pack) == (("9h", "blue") if is_genuine else (None, None))
    suspicions = table.bridge.suspicions()
    assert [each.tag for each in suspicions] == ([] if is_genuine else [GENUINE])
    assert caplog.messages == [each.why for each in suspicions]
    assert GENUINE not in caplog.text


def test_bugs_49_a_uid_that_stays_at_two_far_places_is_a_suspicion(tmp_path: Path) -> None:
    one = Plugged("front_end", {1: S1}, tmp_path / "A")
    other = Plugged("front_end", {1: S5}, tmp_path / "B")
    one.cards[S1] = other.cards[S5] = one.kind.tags[:1]

    async def wait(table: Table) -> None:
        await table.until(lambda: table.bridge.suspicions() != ())

    table = play(Table([one, other], [one.spec(), other.spec()]), wait)
    (suspicion,) = table.bridge.suspicions()
    assert suspicion.places == (S1, S5)
