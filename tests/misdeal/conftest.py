"""A table without hardware: its file, and the events of hands as sensors would tell them."""

import itertools
from pathlib import Path

import pytest

from engine.events import AnyEvent
from hw_fixtures.demo import DemoDealer
from hw_fixtures.sensing import as_events
from hw_fixtures.world import TABLE
from misdeal.cli import run
from misdeal.demo import write_table
from misdeal.tablefile import Layout, load
from tests.misdeal.said import Said

SEED = 1


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Said:
    """Run a command; return its exit status and what it wrote to the two outputs."""

    def call(*arguments: object) -> tuple[int, str, str]:
        status = run([str(each) for each in arguments])
        out, err = capfd.readouterr()
        return status, out, err

    return call


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """The demo's table, its readers at ports that are not there."""
    ports = {wiring.name: f"/dev/serial/by-id/none-{wiring.name}" for wiring in TABLE}
    return load(write_table(tmp_path / "table", DemoDealer(SEED).packs, ports))


def demo_hands(count: int) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    start_ns = 1_000_000_000
    for timeline in itertools.islice(DemoDealer(SEED), count):
        events += as_events(timeline, start_ns=start_ns)
        start_ns = events[-1].at_ns + 1_000_000_000
    return events


@pytest.fixture(scope="session")
def hands() -> list[AnyEvent]:
    """The events of the demo's first six hands: clean ones and some with an irregularity."""
    return demo_hands(6)


@pytest.fixture(scope="session")
def all_kinds() -> list[AnyEvent]:
    """The events of as many hands as show every irregularity of the demo."""
    return demo_hands(20)
