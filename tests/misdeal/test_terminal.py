"""The terminal shows the ruling first, then the table as it is seen, then the readers."""

import io
from collections.abc import Sequence

import pytest
from rich.console import Console

from engine.cards import SHOE, Place
from engine.events import AnyEvent, CardRead, DeviceFaulted, TimePassed
from engine.watch import Watch, advance, begin, view
from hw_fixtures.packs import own_cards
from misdeal.tablefile import Layout
from misdeal.terminal import BACK, Scene, draw


def drawn(watch: Watch, now_ns: int = 0) -> str:
    out = io.StringIO()
    scene = Scene(title="demo", pack=52, now_ns=now_ns, table=view(watch))
    Console(file=out, width=100).print(draw(scene))
    return out.getvalue()


def after(layout: Layout, events: Sequence[AnyEvent]) -> Watch:
    watch = begin(layout.setup, layout.book)
    for event in events:
        watch, _ = advance(watch, event)
    return watch


@pytest.fixture
def first_card(layout: Layout) -> list[AnyEvent]:
    """The first card off the pack, dealt to seat 1."""
    card = own_cards(layout.setup.packs[0])[0]
    return [
        CardRead(at_ns=n, place=place, tag=card.tag, card=card.card, pack="red")
        for n, place in enumerate((SHOE, Place("S1")))
    ]


def test_a_quiet_table_shows_backs_counts_button_and_who_is_next(
    layout: Layout, first_card: list[AnyEvent]
) -> None:
    lines = [line.split() for line in drawn(after(layout, first_card)).splitlines()]
    assert ["S1", BACK, "1", "of", "2"] in lines
    assert ["S2", "0", "of", "2", "next"] in lines
    assert ["S9", "0", "of", "2", "button"] in lines
    (status,) = [line for line in lines if line[:2] == ["hand", "1"]]
    assert " ".join(status).startswith("hand 1 initial deal shoe 51 board 0")


def test_a_ruling_is_the_first_thing_to_be_seen(layout: Layout, first_card: list[AnyEvent]) -> None:
    stray = own_cards(layout.setup.packs[1])[9]
    read = CardRead(at_ns=9, place=Place("S2"), tag=stray.tag, card=stray.card, pack="blue")
    waited = TimePassed(at_ns=5 * 10**9)
    lines = drawn(after(layout, [*first_card, read, waited])).splitlines()
    assert "open" in lines[1]
    assert "CALL THE FLOOR - SEAT 2" in lines[2]
    assert next(n for n, line in enumerate(lines) if "hand 1" in line) > 4


def test_what_is_noted_of_the_sensors_is_not_called_out(layout: Layout) -> None:
    watch = begin(layout.setup, layout.book)
    watch, rulings = advance(watch, DeviceFaulted(at_ns=1, device="camera"))
    assert [ruling.verdict for ruling in rulings] == ["noted"]
    assert "NOTED" not in drawn(watch)
