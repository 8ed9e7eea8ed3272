"""The soak in small: the same as ``make soak`` does for a million frames and 500 pulled plugs."""

import asyncio
from pathlib import Path

import pytest

from tests.firmware_bridge.soak import replug, soak_family
from tests.firmware_bridge.wires import KINDS


@pytest.mark.parametrize("name", KINDS)
def test_bugs_45_frames_with_faults_of_every_kind_invent_no_card_and_lose_none(name: str) -> None:
    figures = soak_family(name, frames=1_000, seed=3)
    assert figures.frames >= 1_000
    assert (figures.invented, figures.lost, figures.kept) == ([], [], [])


def test_bugs_10_each_pulled_plug_is_one_fault_and_one_return(tmp_path: Path) -> None:
    told = asyncio.run(replug(8, tmp_path))
    assert (told.cycles, told.faults, told.restored, told.reads) == (8, 8, 8, 4)
    assert told.descriptors_more == 0
    assert told.slowest_loss_ms < 1_000
