"""Faster than the readers: a pack that is dealt again before they tell that its cards are gone."""

from pathlib import Path

import pytest

from engine.cards import seat_place
from tests.flow.boxed_table import Table, play

S1, S2 = seat_place(1), seat_place(2)


@pytest.mark.parametrize("again", ["9h", "Kd"])
def test_a_shuffle_right_after_the_last_card_was_lifted_ends_a_misdeal(
    tmp_path: Path, again: str
) -> None:
    async def course(table: Table) -> None:
        controller = table.app.controller
        await table.deal("9h", S2)
        await table.until(
            lambda: controller.watch.table.deal_no == 1 and table.verdicts == ["misdeal"]
        )
        table.lift(S2)
        assert (await controller.say("shuffle")).ok
        await table.deal(again, S1)
        assert controller.watch.table.deal_no == 2
        assert list(controller.watch.table.hand.hands) == [S1]
        assert table.verdicts == ["misdeal"]

    play(tmp_path, course)
