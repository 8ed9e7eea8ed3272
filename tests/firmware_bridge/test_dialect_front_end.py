"""Our own front end: numbers, repeats, outputs, the safe state, what a device lacks."""

from typing import cast

import pytest

from engine.cards import SHOE, Tag, seat_place
from firmware_bridge.actuators import Buzzer, Gate, Lamp, Output, SafeState
from firmware_bridge.dialects.dialect import Dialog, Greeting, Inventory, Options, Overheard
from firmware_bridge.dialects.front_end import FrontEnd
from firmware_bridge.families import front_end
from hw_fixtures.devices.front_end import FrontEnd as Device
from tests.firmware_bridge.wires import ICODES, MS, Arrivals, Wired, clean, converse, heard

X = bytes.fromhex
UNKNOWN_TAG = Tag("E004010012345678")


def device_of(wired: Wired) -> Device:
    return cast("Device", wired.device)


def sent_kinds(wired: Wired) -> list[int]:
    """Return the TYPE of each command that was sent."""
    kinds: list[int] = []
    for data in wired.sent:
        frames = [bytes.fromhex("00") + part + b"\0" for part in data.split(b"\0") if part]
        kinds += [
            k for f in frames for k, n in NAMES.items() if n == front_end.decode(f, "tx").name
        ]
    return kinds


NAMES = front_end.NAMES


def test_each_question_has_a_number_of_its_own() -> None:
    dialect = FrontEnd()
    for number in (*range(1, 256), 0, 1):
        exchanges = [
            (front_end.start_inventory(number, 3), front_end.frame(0x82, number, X("030100")))
        ]
        found, _ = converse(dialect.inventory(3), front_end.FAMILY, exchanges)
        assert found == Inventory(is_complete=True)
    assert dialect.reset == front_end.reset(2)


def answered(dialog: Dialog[Inventory], sequence: int, told: bytes) -> Inventory | None:
    command = front_end.start_inventory(sequence, 3)
    return converse(dialog, front_end.FAMILY, [(command, told)])[0]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("030100", Inventory(is_complete=True)),
        ("030101 08E004010012345678", heard((UNKNOWN_TAG,), is_complete=True)),
        ("030001 08E004010012345678", heard((UNKNOWN_TAG,))),
        ("020101 08E004010012345678", heard((UNKNOWN_TAG,))),
        ("030200", Inventory(is_good=False)),
    ],
)
def test_what_an_inventory_says(data: str, found: Inventory) -> None:
    told = front_end.frame(0x82, 1, X(data.replace(" ", "")))
    assert answered(FrontEnd().inventory(3), 1, told) == found


@pytest.mark.parametrize("lost", [1, 2])
def test_a_command_is_repeated_under_its_number_until_it_is_answered(lost: int) -> None:
    wired = Wired("front_end", {1: ICODES[:1]}).ready()
    left = lost

    def loses(_command: bytes, answers: Arrivals) -> Arrivals:
        nonlocal left
        left -= 1
        return answers if left < 0 else []

    wired.wire = loses
    assert wired.ask().tags == ICODES[:1]
    assert len(set(wired.sent)) == 1
    assert wired.session.tally.repeats == lost
    assert wired.session.tally.timeouts == 0


def test_a_command_that_nobody_answers_is_sent_three_times() -> None:
    wired = Wired("front_end").ready()
    wired.wire = lambda _command, _answers: []
    assert wired.ask().outcome == "unknown"
    assert len([kind for kind in sent_kinds(wired) if kind == front_end.INVENTORY]) == 3
    assert wired.session.tally.timeouts == 1


def test_a_device_whose_description_is_cut_short_cannot_work() -> None:
    cut = front_end.frame(0x81, 1, X("01081002"))
    exchanges = [(front_end.describe(1), cut)]
    greeting, _ = converse(FrontEnd().greet(), front_end.FAMILY, exchanges)
    assert greeting == Greeting(flaw="its description is cut short")


def test_a_device_is_known_by_number_and_model_and_kept_from_its_safe_state() -> None:
    dialect = FrontEnd(Options((1, 8)))
    # docs/front-end-frame.md
    told = X("00148101010810020714047365617403303037105100")
    greeting, _ = converse(dialect.greet(), front_end.FAMILY, [(front_end.describe(1), told)])
    assert greeting == Greeting(("007", "seat"))
    assert (dialect.keep_alive_ms, dialect.reads_signatures) == (500, True)


def test_a_device_that_is_wired_with_antennas_that_it_lacks_is_refused() -> None:
    wired = Wired("front_end", antennas=2)
    wired.session._dialect.options = Options((1, 2, 3))
    wired.open()
    wired.run(500)
    assert wired.session.state == "WRONG_DEVICE"
    assert wired.session.why == "it has 2 antennas and is wired with antenna 3"


def test_bugs_50_a_device_that_says_that_it_starts_is_set_up_again_at_once() -> None:
    wired = Wired("front_end", {1: ICODES[:1]}).ready()
    wired.follow(wired.session.command(Gate(is_open=True), wired.now_ns))
    wired.run(100, asking=[1])
    assert device_of(wired).is_gate_open
    wired.brown_out()
    assert not device_of(wired).is_gate_open
    wired.run(500, asking=[1])
    assert wired.session.state == "READY"
    assert device_of(wired).is_gate_open


# ---------------------------------------------------------------- outputs
@pytest.mark.parametrize(
    ("output", "lamps", "buzzer_ms", "gate"),
    [
        (Lamp(2, "blink"), [0, 2], 0, False),
        (Lamp(1, "on"), [1, 0], 0, False),
        (Gate(is_open=True), [0, 0], 0, True),
        (Buzzer(500), [0, 0], 500, False),
    ],
)
def test_an_output_is_set_between_inventories(
    output: Output, lamps: list[int], buzzer_ms: int, *, gate: bool
) -> None:
    wired = Wired("front_end", {1: ICODES[:1]}).ready()
    wired.follow(wired.session.ask(1, wired.now_ns))
    wired.follow(wired.session.command(output, wired.now_ns))
    assert wired.session.outputs_due == 1
    wired.run(30, asking=[1])
    device = device_of(wired)
    assert (device.lamps, device.buzzer_ms, device.is_gate_open) == (lamps, buzzer_ms, gate)
    assert wired.session.outputs_due == 0
    assert wired.polls[-1].tags == ICODES[:1]


def test_an_output_is_set_at_once_where_nothing_is_asked() -> None:
    wired = Wired("front_end").ready()
    step = wired.session.command(Gate(is_open=True), wired.now_ns)
    assert step.write


def test_an_order_outlives_a_link_that_is_lost() -> None:
    wired = Wired("front_end").ready()
    wired.wire = lambda _command, _answers: []
    wired.follow(wired.session.command(Lamp(1, "on"), wired.now_ns))
    wired.device.restart()
    wired.run(100)
    wired.follow(wired.session.lose("unplugged", wired.now_ns))
    assert wired.session.outputs_due == 1
    wired.wire = clean
    wired.follow(wired.session.command(Lamp(1, "blink"), wired.now_ns))
    wired.open()
    wired.run(500)
    assert device_of(wired).lamps == [2, 0]
    assert wired.session.outputs_due == 0


def test_a_sound_that_was_not_heard_before_a_restart_is_not_made_up_for() -> None:
    wired = Wired("front_end").ready()
    wired.wire = lambda _command, _answers: []
    wired.deaf_until_ns = wired.now_ns + 500 * MS
    wired.follow(wired.session.command(Buzzer(500), wired.now_ns))
    wired.run(1_000)
    wired.wire = clean
    wired.run(3_000)
    assert wired.session.state == "READY"
    assert device_of(wired).buzzer_ms == 0
    assert wired.session.outputs_due == 0


def test_what_a_device_refuses_is_told_and_not_asked_again() -> None:
    wired = Wired("front_end").ready()
    wired.follow(wired.session.command(Lamp(9, "on"), wired.now_ns))
    wired.run(1_000, asking=[1])
    assert wired.session.outputs_due == 0
    (refusal,) = wired.session.outputs_refused
    assert "no such antenna or output" in refusal
    assert sent_kinds(wired).count(front_end.LAMP) == 1


# ---------------------------------------------------------------- the safe state
def test_the_safe_state_is_told_before_all_else() -> None:
    wired = Wired("front_end", changes={"safe_state": SafeState(after_ms=3000)})
    wired.session.command(Gate(is_open=True), 0)
    wired.open()
    wired.run(500)
    kinds = sent_kinds(wired)
    assert kinds[:4] == [
        front_end.DESCRIBE,
        front_end.DESCRIBE,
        front_end.SAFE_STATE,
        front_end.GATE,
    ]


def test_a_device_that_is_left_alone_is_kept_from_its_safe_state() -> None:
    wired = Wired("front_end").ready()
    wired.follow(wired.session.command(Gate(is_open=True), wired.now_ns))
    wired.run(10_000)
    assert device_of(wired).is_gate_open
    assert 15 <= sent_kinds(wired).count(front_end.KEEP_ALIVE) <= 25


def test_a_device_whose_host_is_gone_shuts_its_gate() -> None:
    wired = Wired("front_end").ready()
    wired.follow(wired.session.command(Gate(is_open=True), wired.now_ns))
    wired.run(100)
    wired.follow(wired.session.lose("unplugged", wired.now_ns))
    wired.run(2_200)
    assert not device_of(wired).is_gate_open


def test_the_time_to_the_safe_state_that_a_device_took_is_what_it_is_kept_alive_by() -> None:
    dialect = FrontEnd()
    done = front_end.frame(0x89, 1)
    command = front_end.set_safe_state(1, 400)
    refused, _ = converse(
        dialect.carry_out(SafeState(after_ms=400)), front_end.FAMILY, [(command, done)]
    )
    assert (refused, dialect.keep_alive_ms) == ("", 100)


# ---------------------------------------------------------------- what passes
def test_a_card_that_passes_the_shoe_is_told_at_its_antenna() -> None:
    wired = Wired("front_end_shoe", changes={"antennas": {1: SHOE}})
    wired.ready()
    wired.cards[1] = ICODES[:1]
    wired.run(300)
    (poll,) = [poll for poll in wired.polls if poll.tags]
    assert (poll.place, poll.tags, poll.is_pushed) == (SHOE, ICODES[:1], True)


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (
            front_end.frame(0xC1, 5, b"\x02" + X(UNKNOWN_TAG)),
            Overheard(2, heard((UNKNOWN_TAG,))),
        ),
        (front_end.frame(0x82, 5, X("02010108") + X(UNKNOWN_TAG)), None),
        (front_end.frame(0xC0, 5, X("01")), None),
    ],
)
def test_a_tag_notice_alone_is_a_read(frame: bytes, told: Overheard | None) -> None:
    assert FrontEnd().overhear(front_end.decode(frame, "rx")) == told


def test_a_card_at_an_antenna_that_is_not_wired_is_no_read() -> None:
    wired = Wired("front_end").ready()
    notice = front_end.frame(0xC1, 5, b"\x07" + X(UNKNOWN_TAG))
    wired.follow(wired.session.receive(notice, wired.now_ns))
    assert wired.polls == []
    assert seat_place(1) in wired.spec.antennas.values()


@pytest.mark.parametrize(
    ("told", "signature"),
    [
        (front_end.frame(0x88, 1, bytes(range(32))), bytes(range(32))),
        (front_end.frame(0xFF, 1, b"\x08\x01"), b""),
    ],
)
def test_a_tag_is_asked_for_its_signature(told: bytes, signature: bytes) -> None:
    command = front_end.read_signature(1, 2, UNKNOWN_TAG)
    dialog = FrontEnd().read_signature(2, UNKNOWN_TAG)
    assert converse(dialog, front_end.FAMILY, [(command, told)])[0] == signature
