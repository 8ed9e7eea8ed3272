"""PN532, frame by frame: waking, the line test, one card, two cards, none."""

import pytest

from firmware_bridge.dialects.dialect import UNHEARD, Greeting, Inventory
from firmware_bridge.dialects.pn532_hsu import Pn532
from firmware_bridge.families.pn532_hsu import FAMILY
from tests.firmware_bridge.wires import NFC, Arrivals, Wired, converse, heard

X = bytes.fromhex
ACK = X("0000ff00ff00")  # pn532_hsu-118
WAKE = X("55550000000000000000000000000000") + X("0000ff05fbd4140100001700")  # 116
SAM = ACK + X("0000ff02fed5151600")  # 117
OFF = (X("0000ff04fcd4320100f900"), ACK + X("0000ff02fed533f800"))  # 127
LIST_2 = X("0000ff04fcd44a0200e000")


def test_a_chip_is_woken_set_up_and_has_a_number_of_ours_repeated() -> None:
    dialect = Pn532()
    for number, check in ((1, "2b"), (2, "2a")):
        line = X(f"0000ff05fbd4000000{number:02x}{check}00")
        told = X(f"0000ff05fbd5010000{number:02x}{int(check, 16) - 2:02x}00")
        assert converse(dialect.probe(), FAMILY, [(WAKE, SAM), (line, ACK + told)])[0] is None


def test_bugs_52_the_number_of_an_older_line_test_is_not_the_probes_answer() -> None:
    line = X("0000ff05fbd4000000012b00")
    older, own = X("0000ff05fbd5010000002a00"), X("0000ff05fbd5010000012900")
    exchanges = [(WAKE, SAM), (line, older + own)]
    _, unfit = converse(Pn532().probe(), FAMILY, exchanges)
    assert [message.name for message in unfit] == ["ack", "line test"]


def test_the_chip_looks_twice_and_tells_its_version() -> None:
    exchanges = [
        (X("0000ff06fad43205ff0102f300"), ACK + X("0000ff02fed533f800")),
        (X("0000ff02fed4022a00"), ACK + X("0000ff06fad50332010607e800")),  # 115
    ]
    assert converse(Pn532().greet(), FAMILY, exchanges)[0] == Greeting(("32010607",))


@pytest.mark.parametrize(
    ("told", "found"),
    [
        pytest.param(
            X("0000ff03fdd54b00e000"),  # 120
            Inventory(is_complete=True),
            id="none",
        ),
        pytest.param(
            # 130, behind a stray 01
            X("010000ff11efd54b010103042004083f6c4a05788070024700"),
            heard(("083F6C4A",), is_complete=True),
            id="bugs 24: one, behind a stray byte",
        ),
        pytest.param(
            # 136
            X("0000ff15ebd54b0201000408040000ff000200040804112233441200"),
            heard(("0000FF00", "11223344")),
            id="bugs 42: two may be more",
        ),
        pytest.param(X("0000ff01ff7f8100"), UNHEARD, id="an error frame"),  # 137
    ],
)
def test_fewer_than_two_cards_are_all(told: bytes, found: Inventory) -> None:
    exchanges = [OFF, (LIST_2, ACK + told)]
    assert converse(Pn532().inventory(1), FAMILY, exchanges)[0] == found


def test_bugs_52_the_answer_to_another_command_is_none() -> None:
    late = ACK + X("0000ff02fed5151600")
    exchanges = [OFF, (LIST_2, late + ACK + X("0000ff03fdd54b00e000"))]
    found, unfit = converse(Pn532().inventory(1), FAMILY, exchanges)
    assert found == Inventory(is_complete=True)
    assert "sam configuration" in {message.name for message in unfit}


def test_a_field_that_stays_on_gives_no_inventory() -> None:
    exchanges = [(OFF[0], ACK + X("0000ff01ff7f8100"))]
    assert converse(Pn532().inventory(1), FAMILY, exchanges)[0] == UNHEARD


@pytest.mark.parametrize("late_ms", [0.0, 150.0, 800.0])
def test_bugs_24_a_late_ack_and_a_stray_byte_cost_nothing(late_ms: float) -> None:
    wired = Wired("pn532_hsu", {1: NFC[:1]})
    wired.open()
    wired.run(200)

    def late(_command: bytes, answers: Arrivals) -> Arrivals:
        return [(wait + late_ms, b"\x01" + data) for wait, data in answers]

    wired.wire = late
    wired.run(6_000)
    assert wired.session.state == "READY"
    assert wired.ask().tags == NFC[:1]
