"""What lamps, buzzer and the shoe's gate are to do, given what was ruled at a table.

Pure: a controller folds every event with the rulings that it changed (``follow``), asks what the
outputs are to be (``wanted``), and gives a device the orders that follow (``orders``). So a journal
that is replayed leaves the gate as it was.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from engine.cards import Place
from engine.docket import Ruling
from engine.events import AnyEvent, Approved
from firmware_bridge.actuators import Buzzer, Gate, Lamp, Output
from firmware_bridge.families.front_end import LampMode

STOPS_THE_SHOE = frozenset({"deck_fouled", "deck_replaced", "deal_void", "suspend"})
"""Verdicts after which no card may leave the shoe before an inspector approves.

A pack that is not right (the books call it fouled, void or to be replaced), and suspended play.
A misdeal or a void round is no such thing: the same pack is dealt again.
"""

BUZZ_MS = 500
"""How long the buzzer calls; chosen: heard across a pit, over before it annoys."""


class Held(Struct, frozen=True, kw_only=True):
    """Which rulings keep the shoe shut, and which did until they were approved."""

    rulings: frozenset[str] = frozenset()
    freed: frozenset[str] = frozenset()
    """Those of this hand alone: a ruling that is told again does not shut the shoe again."""
    hand: int = 0


class Outputs(Struct, frozen=True, kw_only=True):
    """What the devices at a table are to show."""

    is_gate_open: bool = True
    lamp: LampMode = "off"
    """The table's own lamp: on where the shoe is stopped, blinking where a ruling is open."""
    blinking: frozenset[Place] = frozenset()
    """The places whose own lamp blinks: a ruling about them is open."""


def follow(held: Held, event: AnyEvent, changes: Iterable[Ruling]) -> Held:
    """Return what keeps the shoe shut after an event.

    A ruling that stops the shoe holds it until it is approved or taken back, also beyond the hand:
    that the cards were gathered makes no pack right.

    Args:
        held: What kept it shut before.
        event: What happened.
        changes: The rulings that are new or changed by it, as ``engine.watch.advance`` gives them.
    """
    if isinstance(event, Approved):
        held = replace(held, rulings=frozenset(), freed=held.freed | held.rulings)
    for ruling in changes:
        held = _take(held, ruling)
    return held


def _take(held: Held, ruling: Ruling) -> Held:
    if ruling.hand > held.hand:
        held = replace(held, freed=frozenset(), hand=ruling.hand)
    if ruling.verdict not in STOPS_THE_SHOE or ruling.state != "final":
        return replace(held, rulings=held.rulings - {ruling.id})
    return replace(held, rulings=(held.rulings | {ruling.id}) - held.freed)


def wanted(held: Held, in_force: Iterable[Ruling]) -> Outputs:
    """Return what the outputs are to be.

    Args:
        held: What keeps the shoe shut.
        in_force: The rulings that are open or final, as ``engine.watch.view`` gives them.
    """
    asking = [ruling for ruling in in_force if ruling.state == "open"]
    return Outputs(
        is_gate_open=not held.rulings,
        lamp="blink" if asking else "on" if held.rulings else "off",
        blinking=frozenset(ruling.place for ruling in asking if ruling.place is not None),
    )


def buzz_ms(before: Outputs, after: Outputs) -> int:
    """Return how long the buzzer is to sound: once when the shoe stops or a ruling opens."""
    is_stopped = before.is_gate_open and not after.is_gate_open
    is_asked = after.lamp == "blink" and before.lamp != "blink"
    return BUZZ_MS if is_stopped or is_asked or after.blinking - before.blinking else 0


def orders(
    before: Outputs | None, after: Outputs, lamps: Mapping[int, Place | None]
) -> tuple[Output, ...]:
    """Return what a device is to be told, what is unchanged left out; for ``Bridge.command``.

    Args:
        before: What it was told last; None where it was told nothing yet.
        after: What it is to show.
        lamps: The number of each of its lamps and the place it stands at; None for the table's own.
    """
    told: list[Output] = []
    if before is None or before.is_gate_open != after.is_gate_open:
        told.append(Gate(after.is_gate_open))
    for number, place in lamps.items():
        mode = _mode(after, place)
        if before is None or _mode(before, place) != mode:
            told.append(Lamp(number, mode))
    duration_ms = buzz_ms(before or Outputs(), after)
    return (*told, Buzzer(duration_ms)) if duration_ms else tuple(told)


def _mode(outputs: Outputs, place: Place | None) -> LampMode:
    if place is None:
        return outputs.lamp
    return "blink" if place in outputs.blinking else "off"
