"""Gate and lamps over a pseudo-terminal: cards in, rulings, and what the device does."""

from pathlib import Path

from engine.cards import seat_place
from tests.flow.boxed_table import RED, Table, play

S1, S2, S3 = (seat_place(n) for n in (1, 2, 3))
OFF, ON, BLINK = 0, 1, 2


def test_a_fouled_deck_shuts_the_gate_until_it_is_approved(tmp_path: Path) -> None:
    async def course(table: Table) -> None:
        await table.until(lambda: table.shown == (True, [OFF, OFF]))
        await table.deal("9h", S1)
        await table.deal("Kd", S2)
        assert table.shown == (True, [OFF, OFF])
        await table.deal("9h", S3, RED)
        await table.until(lambda: table.shown == (False, [ON, OFF]))
        assert table.device.buzzer_ms > 0
        assert (await table.app.controller.say("approve")).ok
        await table.until(lambda: table.shown == (True, [OFF, OFF]))

    play(tmp_path, course)


def test_an_open_ruling_blinks_at_the_table_and_at_its_place_until_it_is_answered(
    tmp_path: Path,
) -> None:
    async def course(table: Table) -> None:
        for card, place in [("2c", S1), ("3c", S2), ("4c", S3), ("5c", S1), ("6c", S2), ("7c", S2)]:
            await table.deal(card, place)
        await table.deal("8c", S3)
        await table.until(lambda: table.shown == (True, [BLINK, BLINK]))
        assert (await table.app.controller.say("say substantial no")).ok
        await table.until(lambda: table.shown == (True, [OFF, OFF]))

    play(tmp_path, course)


def test_a_box_that_hears_nothing_makes_the_table_safe_and_is_told_anew(tmp_path: Path) -> None:
    async def course(table: Table) -> None:
        await table.until(lambda: table.shown == (True, [OFF, OFF]))
        table.box.unplug()
        await table.until(lambda: table.app.bridge.health()[0].state == "LINK_LOST")
        for _ in range(19):
            table.device.notices()
        assert table.device.is_gate_open
        table.device.notices()
        assert table.shown == (False, [OFF, OFF])
        table.box.plug()
        await table.until(lambda: table.shown == (True, [OFF, OFF]))

    play(tmp_path, course)
